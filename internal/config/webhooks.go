package config

import (
	"time"

	"nightporter/internal/signature"
)

// Webhooks is how a system tells us what changed.
type Webhooks struct {
	Line int
	// Listen is the address of this machine at which it is waited for, and Paths are the
	// ones there that are this system's: /hooks/ with its name, and that of PublicURL.
	Listen string
	Paths  []string
	// PublicURL is what the system calls; empty if nobody said.
	PublicURL string
	// Secrets are references, env:NAME or file:PATH, at least one unless Subscribe is set.
	// More than one is for the days in which it is being changed.
	Secrets []string
	// Signature is how it signs; nil leaves that to the preset of the system.
	Signature *signature.Scheme
	// Places are where in a delivery things stand; what is empty is looked for at the
	// usual places.
	Places Places
	// Kinds says which of the system's kinds an event is about, by the name that the event
	// gives it, in small letters. They are laid over those of the preset.
	Kinds map[string]string
	// PerSecond is how many deliveries a second are taken, and MaxBody how many bytes one
	// may have; 0 leaves them to the receiver.
	PerSecond, MaxBody int
	// Subscribe is how we have the system call us; nil leaves that to people.
	Subscribe *Subscribe
}

// Subscribe is our subscription to the webhooks of a system, kept as declared.
type Subscribe struct {
	Line int
	// Events are the system's names of what it shall tell; empty leaves it to the preset.
	Events []string
	// Rotate is the age at which a secret is changed, 0 for never, and Overlap how long the
	// old one counts beside the new one.
	Rotate, Overlap time.Duration
	// Check is how often it is looked at.
	Check time.Duration
}

// Places are the names of members, parted by dots, or of headers. {resource} stands for
// what an event is about.
type Places struct {
	Name, Resource, Record, Header, Delivery []string
}

// At is a mistake that is found out later, with the line of a path.
func (c *Config) At(text string, path ...string) Mistake { return c.places.where(text, path) }
