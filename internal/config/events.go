package config

import "nightporter/internal/signature"

// Destination is where somebody is told what happens, by webhooks that we send.
type Destination struct {
	Name string
	Line int
	// URL is the address, or if Hidden a reference to it, env:NAME or file:PATH: the
	// address of some receivers is all that keeps others from calling them.
	URL    string
	Hidden bool
	// Secrets are references, env:NAME or file:PATH. With more than one each event has a
	// signature of each, for the days in which it is being changed. Empty: not signed.
	Secrets []string
	// Signature is how events are signed: as Standard Webhooks says, if nobody said.
	Signature signature.Scheme
	// About are the types of events, Jobs the jobs; empty is all.
	About, Jobs []string
	// Fields are the fields of which the values go along.
	Fields []string
	// Body is a template for the body; empty: type, timestamp and data.
	Body string
	// Method is POST, PUT or PATCH; empty: POST.
	Method string
	// Headers are sent as well, by their names: none is one that is a secret.
	Headers map[string]string
}

// eventTypes are what a destination can be told about.
var eventTypes = []string{"pushed", "reservation_taken", "conflict", "held", "halt", "failed", "recovered"}
