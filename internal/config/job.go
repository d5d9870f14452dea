package config

import (
	"time"

	"nightporter/sync/schedule"
)

// Kind is what the records of a job are, whatever each system calls them.
type Kind string

// The kinds.
const (
	KindContact     Kind = "contact"
	KindStay        Kind = "stay"        // from one day to another: fields arrival and departure
	KindAppointment Kind = "appointment" // a day with an hour: fields start and end
	KindOrder       Kind = "order"       // of a shop: fields status and payment
	KindRecord      Kind = "record"      // anything else
)

// Job keeps a kind on its left in step with a kind on its right.
type Job struct {
	Name string
	Line int
	Kind Kind
	// Left and Right are the two systems in the order of "between".
	Left, Right JobSide
	// Match are the keys by which two records are the same one, tried in order;
	// the fields of one key must agree together. At least one.
	Match [][]string
	// IfSeveral says what to do where a key fits several records.
	IfSeveral IfSeveral
	// RepresentBy is the rule that picks the record which stands for the others;
	// set only if IfSeveral is IfSeveralRepresent.
	RepresentBy RepresentBy
	// NotAValue are what people type in only because a form wants something.
	NotAValue []NotAValue
	// Window is which days the job looks at; nil for a kind without dates, or all.
	Window *Window
	// Fields are in the order of the file, at least one.
	Fields []Field
	// Tables are the words of the enum fields, one for each such field.
	Tables []WordTable
	// AnswerWithin is how long a booking may wait for the answer of the side with
	// AcceptIf; 0 if not given.
	AnswerWithin time.Duration
	// MaxRecord is how many bytes a record may have as it is listed; a larger one is
	// put aside. 1 MiB if not given.
	MaxRecord int
	// KeepValues is how the values of records in step are kept.
	KeepValues KeepValues
	// States are the steps of the fields whose conflicts go by rules, one for each such field.
	States []States
	// Clashes are words that need a person where they would come together by one from
	// each side.
	Clashes []Clash
	// When says when serve runs the job. Never by itself, if all of it is empty.
	When When
}

// When is the cadences of a job. A spec that is nil is never due.
type When struct {
	Line int
	// Left and Right are when what changed on that side is looked for.
	Left, Right *schedule.Spec
	// Full is when both sides are compared whole.
	Full *schedule.Spec
	// Webhooks are the systems that call us when something changes.
	Webhooks []string
	// Missed says what becomes of a time at which nobody was running.
	Missed schedule.CatchUp
}

// KeepValues says how the values of records are kept in the state file.
type KeepValues string

// The values of KeepValues. KeepPlain is the default.
const (
	KeepPlain  KeepValues = "plain"
	KeepDigest KeepValues = "digest" // only what tells whether a value is still the same
)

// Field finds a field by its name.
func (j *Job) Field(name string) (Field, bool) {
	for _, f := range j.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Table finds the words of an enum field.
func (j *Job) Table(field string) (WordTable, bool) {
	for _, t := range j.Tables {
		if t.Name == field {
			return t, true
		}
	}
	return WordTable{}, false
}

// JobSide is one side of a job.
type JobSide struct {
	// System is the user's name of the system, Kind the system's own name of
	// what it holds: a table's, or a collection's of the preset.
	System, Kind string
	// Line is where the file names the system in "between".
	Line int
	// Create says when a record that only the other side has is made here.
	Create Create
	// Update says what of a record here is changed once it is there.
	Update Update
	// Gone is what becomes of a record here when the one across is gone.
	Gone Gone
	// OnCreate are written once, in the record that we make here.
	OnCreate []Constant
	// May are the words this side may move a status to; nil is every word.
	May []string
	// Send is what holds back writes to this side that may reach a person; nil: nothing.
	Send *Send
	// AcceptIf is a query of this side that must find a row before a booking is
	// entered here; empty if there is none.
	AcceptIf string
}

// Update says what of a side's records is changed.
type Update string

// The values of Update. UpdateAlways is the default.
const (
	UpdateAlways    Update = "always"
	UpdateFillEmpty Update = "fill_empty" // only where nothing stands
	UpdateNever     Update = "never"
)

// Create says when a side gets a new record.
type Create string

// The values of Create. The file may say when_booked for CreateWhenReferenced.
const (
	CreateAlways         Create = "always"
	CreateNever          Create = "never"
	CreateWhenReferenced Create = "when_referenced"
)

// Gone says what becomes of a record whose partner is gone. The zero value is
// GoneHold.
type Gone struct {
	Line   int
	Policy GonePolicy
	// Archive is what is written in a record that is put aside; only for GoneArchive.
	Archive []Constant
}

// GonePolicy is a rule for a record whose partner is gone.
type GonePolicy string

// The values of GonePolicy. GoneHold, which asks a person, is the default.
const (
	GoneHold    GonePolicy = "hold"
	GoneDelete  GonePolicy = "delete"
	GoneArchive GonePolicy = "archive"
	GoneUnlink  GonePolicy = "unlink"
	GoneIgnore  GonePolicy = "ignore"
)

// IfSeveral says what to do where a match fits several records.
type IfSeveral string

// The values of IfSeveral. IfSeveralHold, which asks a person, is the default.
const (
	IfSeveralHold      IfSeveral = "hold"
	IfSeveralRepresent IfSeveral = "represent"
)

// RepresentBy picks one record of several.
type RepresentBy string

// The values of RepresentBy. RepresentOldest is the default.
const (
	RepresentNewest   RepresentBy = "newest"
	RepresentOldest   RepresentBy = "oldest"
	RepresentLowestID RepresentBy = "lowest_id"
)

// Constant is a native path and what is written there.
type Constant struct {
	Path  string
	Line  int
	Value Scalar
}

// ScalarType is the type of a Scalar.
type ScalarType string

// The types of a Scalar.
const (
	ScalarText   ScalarType = "text"
	ScalarNumber ScalarType = "number"
	ScalarBool   ScalarType = "bool"
)

// Scalar is one value as the file has it: a number keeps the digits it was
// written with, a truth value is "true" or "false".
type Scalar struct {
	Type ScalarType
	Text string
}

// NotAValue are the patterns of one field that are read as "not known"; * stands
// for any characters.
type NotAValue struct {
	// Field is a field's name, or a type that stands for all fields of it.
	Field    string
	Line     int
	Patterns []string
}

// Window are the days that a job looks at, counted from today: From is the first
// and To the last, both included.
type Window struct {
	Line     int
	From, To int
}

// WordTable are the words of one enum field, or those that a bool, a language or a
// country is written with.
type WordTable struct {
	// Name is the field's.
	Name string
	Line int
	// Rows are in the order of the file. A word of a system that stands in two
	// rows is read as the upper one.
	Rows []WordRow
}

// WordRow is one word of ours and what each side calls it: all are understood,
// the first is written. A side without a word cannot hold it.
type WordRow struct {
	Word        string
	Line        int
	Left, Right []string
}
