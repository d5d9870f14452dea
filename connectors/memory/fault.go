package memory

import (
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Call names a method of the contract.
type Call string

// The calls that can go wrong.
const (
	CallFetch Call = "fetch"
	CallGet   Call = "get"
	CallFind  Call = "find"
	CallApply Call = "apply"
	CallAsk   Call = "accepts"
)

// Fault is something that goes wrong with the next calls.
type Fault struct {
	Call  Call
	Kind  record.Kind // "": any
	Op    record.Op   // of CallApply; 0: any
	ID    string      // of CallGet and CallApply; "": any
	Skip  int         // calls that go well before
	Times int         // calls that go wrong; 0: one, below 0: all until Heal

	Class      connectors.ErrorClass // the answer is an error of this class; "": none
	RetryAfter time.Duration         // what it says about waiting
	Done       bool                  // of a create: it says that it is done, and not what it made

	// Applied and Late make what is answered with Class be applied all the same: at
	// once, or after Late. A 202 that is answered in time has Late and no Class.
	Applied bool
	Late    time.Duration

	Empty         bool     // the list has ended and holds nothing
	FilterIgnored bool     // Find answers with everything, a list ignores window and time of change
	OffsetIgnored bool     // each page is the first one
	LeaveOut      []string // fields that reads and answers leave out
	Drop          int      // rows at the end of a page that are left out
}

// Inject arms a fault. Faults that meet the same call are used in the order in
// which they were armed, one a call.
func (s *System) Inject(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.Times == 0 {
		f.Times = 1
	}
	s.faults = append(s.faults, &f)
}

// Heal disarms all faults. What was to be applied late still is.
func (s *System) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// fault takes the fault of this call, a zero one for none. s.mu is held.
func (s *System) fault(call Call, kind record.Kind, op record.Op, id string) Fault {
	for i, f := range s.faults {
		if f.Call != call || f.Kind != "" && f.Kind != kind || f.Op != 0 && f.Op != op || f.ID != "" && f.ID != id {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		if f.Times > 0 {
			if f.Times--; f.Times == 0 {
				s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
			}
		}
		return *f
	}
	return Fault{}
}

// err is the error that a fault answers with.
func (f Fault) err(op string, ref record.Ref) error {
	e := connectors.Wrong(f.Class, op, "%s, as it was told to be", f.Class)
	e.Ref, e.RetryAfter, e.Done = ref, f.RetryAfter, f.Done
	return e
}

// Hooks are called by every connector of a System, never while it is locked: they
// may use the System, and may panic to end the caller where it stands.
type Hooks struct {
	// Step names what happens: "before fetch contacts", "after fetch contacts", and
	// around a write "before create contacts", then "applied create contacts" when
	// the system holds it and nobody was answered yet, then "after create contacts".
	Step func(name string)

	// Page is called before a page is read, counted from 1 for each scan: a place
	// for those who write between two pages.
	Page func(kind record.Kind, page int)
}

// Hook replaces the hooks.
func (s *System) Hook(h Hooks) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hooks = h
}

func (s *System) step(name string) {
	s.mu.Lock()
	f := s.hooks.Step
	s.mu.Unlock()
	if f != nil {
		f(name)
	}
}

func (s *System) page(kind record.Kind, page int) {
	s.mu.Lock()
	f := s.hooks.Page
	s.mu.Unlock()
	if f != nil {
		f(kind, page)
	}
}

// Counts is what a System was asked and did for its connectors.
type Counts struct {
	Fetches, Gets, Finds, Asks int
	Mutations                  int // requests to change something that reached it
	Applied                    int // changes that it made
}

// Counts is what was asked since the start or the last ResetCounts.
func (s *System) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// ResetCounts counts from nothing again.
func (s *System) ResetCounts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts = Counts{}
}
