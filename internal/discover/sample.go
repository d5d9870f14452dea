package discover

import (
	"time"

	"nightporter/sync/record"
)

// Input is all that a proposal rests on.
type Input struct {
	Systems [2]System      // left and right
	Zone    *time.Location // the house's clock; nil: not known
}

// System is one side with a sample of each of its kinds.
type System struct {
	Name  string
	Kinds []Sample
}

// Sample is some of the records of one kind.
type Sample struct {
	Kind    string // as the configuration has it
	Columns []Column
	Rows    []Row
	Whole   bool // there are no others

	ReadOnly bool // nothing of it can be written

	Finds [][]string // by which fields its records can be asked for
	Asked int        // how many of the rows were, as they were not among the first
}

// Column is one field of a kind, as the system describes it. What records show beside
// these are columns as well.
type Column struct {
	Path     string
	ReadOnly bool
	Refers   string // the kind whose ids it holds, where the system says so itself
	Expected bool   // nobody has seen it: it counts where no record was read at all
}

// Row is one record.
type Row struct {
	ID     string
	Fields record.Fields
}

// Confidence is how sure a line is.
type Confidence string

// The confidences. Known was seen in values on both sides, and nothing else fits. Likely
// rests on few values, or on names alone. Not known proposes nothing.
const (
	Known    Confidence = "known"
	Likely   Confidence = "likely"
	NotKnown Confidence = "not known"
)

// Proposal is what was found.
type Proposal struct {
	Jobs []Job `json:"jobs"`
	// Unknown is what can't be told of the two systems as a whole.
	Unknown []string `json:"not_known"`

	Systems [2]string `json:"systems"`
}

// Job is a kind of the left and one of the right that are the same.
type Job struct {
	Name       string     `json:"name"`
	Kind       string     `json:"kind"` // contact, stay, appointment, appointment
	Between    [2]string  `json:"between"`
	Confidence Confidence `json:"confidence"`
	Evidence   string     `json:"evidence"`
	Match      [][]string `json:"match"` // empty: nothing tells, and the job can't run as it is
	MatchWhy   string     `json:"match_why"`
	Fields     []Field    `json:"fields"`
	Words      []Words    `json:"words,omitempty"`
	Unknown    []string   `json:"not_known"`

	links []link
}

// Field is one field of a job.
type Field struct {
	Name       string     `json:"name"`
	As         string     `json:"as,omitempty"` // empty: a reference
	Job        string     `json:"job,omitempty"`
	Sides      [2]Side    `json:"sides"`
	Region     []string   `json:"region,omitempty"`
	To         string     `json:"to,omitempty"`
	Together   string     `json:"together,omitempty"`
	Conflict   string     `json:"conflict"`
	Confidence Confidence `json:"confidence"`
	Evidence   string     `json:"evidence"`
	Like       string     `json:"like,omitempty"` // the shape of a value
}

// Side is where one side has a field.
type Side struct {
	Path   string            `json:"path,omitempty"`
	Paths  []string          `json:"paths,omitempty"` // several, joined by a blank
	Parts  map[string]string `json:"parts,omitempty"` // of a reference: phone, name, email
	Format string            `json:"format,omitempty"`

	Unit     string `json:"unit,omitempty"`     // of money: minor, in cents
	Currency string `json:"currency,omitempty"` // of money: a code, or a path
	Split    string `json:"split,omitempty"`    // what stands between the elements of a list in one text
}

// Words is one word of ours, and those of both sides.
type Words struct {
	Word  string      `json:"word"`
	Sides [2][]string `json:"sides"`
	Why   string      `json:"why"`
}
