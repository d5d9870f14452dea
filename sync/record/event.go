package record

import "time"

// EventType is what an event tells of.
type EventType string

// The types of events. Ping is sent when a person asks whether a destination answers.
const (
	Pushed           EventType = "pushed"            // a change was written to a system
	ReservationTaken EventType = "reservation_taken" // a reservation was entered on the side that has the rooms
	Conflicted       EventType = "conflict"          // a person is asked
	HeldEvent        EventType = "held"              // changes that a guard holds wait for a person
	HaltedEvent      EventType = "halt"              // a job, or one direction of it, stands still
	FailedEvent      EventType = "failed"            // the first failed run of several in a row
	Recovered        EventType = "recovered"         // the first good run after failed ones
	Ping             EventType = "ping"
)

// EventTypes lists the types that a destination can ask for. Ping is not among them.
var EventTypes = []EventType{Pushed, ReservationTaken, Conflicted, HeldEvent, HaltedEvent, FailedEvent, Recovered}

// EventState is how far an event has come on its way to its destination.
type EventState string

// The states of an event. A dead event is sent again only if a person says so.
const (
	EventWaiting EventState = "waiting"
	EventSent    EventState = "sent"
	EventDead    EventState = "dead"
)

// Event is something that happened, on its way to one destination.
type Event struct {
	Num         int64  // its place in the order of its destination
	ID          string // names what happened: the same at every destination and at every try
	Destination string
	Type        EventType
	Binding     Binding
	Subject     string    // what it is about: events of one subject keep their order
	At          time.Time // when it happened
	Data        []byte    // JSON
	State       EventState
	Since       time.Time // when it was last queued: at first, or when a person had it sent again
	Next        time.Time // it was refused, and is not sent again before this time; zero: it was not refused
	Tries       int
	Error       string    // of the last try, without the text that the destination answered
	Ended       time.Time // zero while it waits
}

// Destination is an address that events are sent to, and how sending goes there.
type Destination struct {
	Name    string
	Address string    // a digest of the address: what was noted of another address does not count
	Fails   int       // failed tries in a row
	Failing time.Time // since when tries fail; zero: it answers
	Next    time.Time // when it is tried next; zero: at once
	Error   string    // of the last try
	Gone    time.Time // when it answered that it is gone for good (410); zero: it did not
	Waiting int       // events that wait for it
	Dead    int       // events that were given up
	Oldest  time.Time // when the oldest waiting event was queued
}

// Happening is a row of the journal that events are made from. Exactly one of Change, Question, Held
// and Ended is set, or none if the journal has lost what the row is about.
type Happening struct {
	Seq      int64
	Binding  Binding
	What     string // "change", "question", "held" or "run"
	Key      string // tells it apart from others of the same What
	At       time.Time
	Systems  [2]System
	Refs     [2]Ref // the records it is about; a Ref without an id: that record is not known
	Change   *Intent
	Question *Question
	Held     *Stage
	Ended    *Run
}

// Failing is a series of failed runs of a job that no good run has ended yet.
type Failing struct {
	Run   int64     `json:"run"` // the first of them
	Since time.Time `json:"since"`
	Last  time.Time `json:"last"`
	Runs  int       `json:"runs"`
	Read  [2]bool   `json:"read"` // the sides on which the last of them read a list
}

// Told is what was made from happenings: events, and the series of failed runs that changed.
type Told struct {
	Through int64 // Seq of the last happening
	Events  []Event
	Failing map[Binding]*Failing // only jobs with a changed series; nil: the series is over
}
