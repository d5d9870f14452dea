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

// EventTypes is what a destination can ask for.
var EventTypes = []EventType{Pushed, ReservationTaken, Conflicted, HeldEvent, HaltedEvent, FailedEvent, Recovered}

// EventState is how far an event has come on its way to its destination.
type EventState string

// The states of an event. A dead one is sent again only if a person says so.
const (
	EventWaiting EventState = "waiting"
	EventSent    EventState = "sent"
	EventDead    EventState = "dead"
)

// Event is something that happened, on its way to one destination.
type Event struct {
	Num         int64  // its place in the order of its destination
	ID          string // of what happened: the same at every destination and at every try
	Destination string
	Type        EventType
	Binding     Binding
	Subject     string    // what it is about: events of one subject keep their order
	At          time.Time // when it happened
	Data        []byte    // JSON
	State       EventState
	Since       time.Time // when it was put on its way, for the last time
	Next        time.Time // it was refused, and is not sent again before; zero: it was not
	Tries       int
	Error       string    // of the last try, without what the destination answered
	Ended       time.Time // zero while it waits
}

// Destination is where events go, and how that goes.
type Destination struct {
	Name    string
	Address string    // a digest: what was noted of another address does not count
	Fails   int       // tries in a row
	Failing time.Time // since when; zero: it answers
	Next    time.Time // not tried before; zero: at once
	Error   string    // of the last try
	Gone    time.Time // when it answered that it is no more (410); zero: it did not
	Waiting int       // events
	Dead    int       // events
	Oldest  time.Time // since when the oldest of those that wait does
}

// Happening is a row of the journal that events are made of. Exactly one of Change,
// Question, Held and Ended is set, or none where the journal has lost it.
type Happening struct {
	Seq      int64
	Binding  Binding
	What     string // "change", "question", "held" or "run"
	Key      string // tells it apart from others of the same What
	At       time.Time
	Systems  [2]System
	Refs     [2]Ref // the records it is about; one without an id is not known
	Change   *Intent
	Question *Question
	Held     *Stage
	Ended    *Run
}

// Failing is a row of failed runs of a job that no good one has ended.
type Failing struct {
	Run   int64     `json:"run"` // the first
	Since time.Time `json:"since"`
	Last  time.Time `json:"last"`
	Runs  int       `json:"runs"`
	Read  [2]bool   `json:"read"` // sides of which the last one read a list
}

// Told is what was made of happenings.
type Told struct {
	Through int64 // the last of them
	Events  []Event
	Failing map[Binding]*Failing // of jobs of which it changed; nil: it is over
}
