package record

import "time"

// Request is a run that somebody asked for. The process that runs jobs takes the request up.
type Request struct {
	ID      int64
	Binding Binding // "" means every job
	Options string  // JSON, read only by the asker and by the process that runs jobs
	Asked   time.Time
	By      string
	Taken   time.Time // when it was taken up; zero: not yet
	Run     int64     // the last run begun for it, 0 for none yet
	Ended   time.Time // zero: it is not done yet
	Outcome Outcome
	Error   string
}

// Withdrawn is the outcome of a request that its asker took back.
const Withdrawn Outcome = "withdrawn"

// Done reports whether the asker need not wait any longer.
func (r Request) Done() bool { return !r.Ended.IsZero() }

// Hint says that a record has changed, or may have changed. A hint proves nothing: the record is read
// before anything is done.
type Hint struct {
	Seq   int64 // given by the store, in the order of arrival
	Place Place
	Ref   Ref       // an empty ID means the whole kind
	Event string    // the delivery's own name, which tells a repeated delivery; "" if it has none
	Sent  time.Time // by the sender's clock, zero if it did not say
	At    time.Time // when it came
}

// Called says when a system last called us to tell of changes; a zero time means never.
type Called struct {
	System  System
	Came    time.Time // the last call that proved who it is from
	Refused time.Time // the last call that was not believed, or not understood, or told to come again
}

// PauseScope says what a pause stops.
type PauseScope string

// The scopes of a pause.
const (
	PauseAll    PauseScope = "all"
	PauseJob    PauseScope = "job"
	PauseSystem PauseScope = "system"
)

// Pause stops writes; reading goes on. It ends at Until, or when somebody resumes.
type Pause struct {
	Scope PauseScope
	Name  string    // of the job or the system; "" for all
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

// Breaker is a system that failed several times in a row. Until it answers again, only one run at a time
// tries it.
type Breaker struct {
	System string // its address: two systems of one server fail together
	Fails  int    // in a row
	Cause  string // of the last failure
	Opened time.Time
	Next   time.Time // when it is tried again
}

// QuotaDoubt is a quota about which a system's answers say something that is not believed: that nothing may
// be sent for a long time.
type QuotaDoubt struct {
	System System
	Quota  string
	Until  time.Time // the answers say that nothing may be sent before this time; zero: they name no time, or Belied
	Next   time.Time // when one request is sent all the same, to find out; zero: Belied
	Belied bool      // such a request was taken: the quota is not counted any more
}
