package record

import "time"

// Request is a run that somebody asked the process for that runs jobs.
type Request struct {
	ID      int64
	Binding Binding // "" is every job
	Options string  // JSON, of whoever asks and whoever runs
	Asked   time.Time
	By      string
	Taken   time.Time // zero while nobody took it up
	Run     int64     // the last run begun for it, 0 for none yet
	Ended   time.Time // zero while it is not done
	Outcome Outcome
	Error   string
}

// Withdrawn is how a request ended that its asker took back.
const Withdrawn Outcome = "withdrawn"

// Done reports whether the asker need not wait any longer.
func (r Request) Done() bool { return !r.Ended.IsZero() }

// Hint says that a record has changed, or may have. It proves nothing: the record is
// read before anything is done.
type Hint struct {
	Seq   int64 // given by the store, in the order of arrival
	Place Place
	Ref   Ref       // an empty ID is the whole kind
	Event string    // the delivery's own name, by which a repetition is known; "" has none
	Sent  time.Time // by the sender's clock, zero if it did not say
	At    time.Time // when it came
}

// Called is when a system told us of changes of its own accord; a zero time is never.
type Called struct {
	System  System
	Came    time.Time // and proved who it is
	Refused time.Time // and was not believed, or not understood, or asked to come again
}

// PauseScope says what a pause stops.
type PauseScope string

// The scopes of a pause.
const (
	PauseAll    PauseScope = "all"
	PauseJob    PauseScope = "job"
	PauseSystem PauseScope = "system"
)

// Pause stops writes; reading goes on. It ends by itself.
type Pause struct {
	Scope PauseScope
	Name  string    // of the job or system; "" for all
	Until time.Time // zero: until somebody resumes
	Why   string
	By    string
	Since time.Time
}

// Stops reports whether the pause keeps a job from writing to a system.
func (p Pause) Stops(b Binding, s System) bool {
	switch p.Scope {
	case PauseAll:
		return true
	case PauseJob:
		return p.Name == string(b)
	case PauseSystem:
		return p.Name == string(s)
	}
	return false
}

// Breaker is a system that failed so often in a row that one run alone tries it until
// it answers.
type Breaker struct {
	System string // its address: two systems of one server fail together
	Fails  int    // in a row
	Cause  string // of the last failure
	Opened time.Time
	Next   time.Time // when it is tried
}

// QuotaDoubt is a quota of which a system's answers tell what is not believed.
type QuotaDoubt struct {
	System System
	Quota  string
	Until  time.Time // nothing may be sent before, it says; zero where that is not said
	Next   time.Time // when one request is sent all the same; zero where none waits for that
	Belied bool      // one was, and was taken: the quota does not count any more
}
