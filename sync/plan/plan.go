// Package plan turns what is known of both sides into an ordered list of actions,
// each with its reason. It is pure: the same input always gives the same plan, so
// that a preview shows just what a run would do.
//
// Merge decides what the fields of one pair should hold. This package adds how that is
// written: which native fields, in how many changes, upon which state of the record,
// and what each side's base takes over once the system has answered.
//
// Four subjects have packages of their own below this one: away (a record of a link is
// gone), guard (what waits before the first write), trial (the first writes of an
// operation) and undo (a run is taken back).
package plan

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Rules is what a job lays down, the same for all its records.
type Rules struct {
	Mapping *mapping.Mapping
	Merge   []merge.Rule
	Kinds   [2]Kind
	Day     string        // canonical field with the day that makes an action urgent; "" for none
	Span    Span          // the days of a dated kind
	Status  string        // canonical field of a booking's status, whose cancels are a risk of their own; "" for none
	Skew    time.Duration // how far both systems' clocks may be apart; negative: not comparable
	Urgent  int           // priority of this job's actions; higher goes first

	Over    map[string][]string // canonical field -> words of what is over: no record is made of it any more
	Clashes []Clash
	Sums    []Sum
}

// Kind is what matters here of what one side's system can do.
type Kind struct {
	System    record.System
	Kind      record.Kind
	Status    string              // native path that is written by a request of its own
	Required  []string            // native paths without which a create is refused
	Constants record.Fields       // native values written once, when a record is created
	ReadOnly  string              // why nothing is written there, "" when it may be
	NoUpdate  bool                // records can be created and not changed
	Carries   map[string][]string // word of Status -> native paths that the request for it takes along
	NotNew    []string            // native paths that no create takes
	Needs     []Need
	Updates   []string          // native paths that an update may write; nil: all
	Change    Change            // what of its records we change once they are there
	Contents  map[string]Limits // what is taken as a content, by native path
}

// Side is one side of a case: its record as it is known, and what it means.
type Side struct {
	Ref     record.Ref
	Entry   int64
	Version record.Version
	Native  record.Fields            // as last observed
	Base    record.Fields            // native, as last settled; nil before
	Now     record.Fields            // canonical, references resolved
	Settled map[string]record.Stored // canonical base, references as they were resolved then
	Key     []byte                   // with which digests in Settled were made
	Changed time.Time                // the system's own time of change
	Seen    bool                     // Native differs from Base
	Untaken record.Fields            // native, of what our last write was not done, as it was shown then: record.Observation
}

// Case is one link with both its sides.
type Case struct {
	Link    record.LinkID
	Entity  string
	Sides   [2]Side
	Choices map[string]merge.Choice
	// Parts are what the reference fields of this case are written as, for each
	// side: canonical field to the side's own parts.
	Parts [2]record.Fields
	// Blocked names reference fields whose record is not known yet: nothing is
	// decided about them, and no base takes them over.
	Blocked map[string]bool
	// Outdated is, by side, the reference fields by which a record names one that is gone, while
	// the same is there under another id: what is written then is in Parts.
	Outdated [2]map[string]bool
	// Astray is the references of which the id is another record's by now: nobody knows whom
	// they mean, and so not of which booking the two records are.
	Astray []Stuck
	// Kept is the fields of which a person rejected a change: the side named keeps what
	// it has, and the other gets that back where it may be written. Left says that it
	// does not: both stay as they are.
	// Both is the fields of which they rejected that as well, or of which the other side
	// does not keep what it gets back: both sides stay.
	Kept map[string]record.Side
	Left bool
	Both map[string]bool
	// Edited is the fields whose mapping changed, and that were edited since a person was asked about that.
	Edited map[string]bool
	// Asked is the fields about which a person is asked because their words clash.
	Asked map[string]bool
	// Tried is the fields about which a person is asked because of what our own updates may have done, by
	// policy: Tried, Emptied or Unanswered.
	Tried map[string]record.Cause
	// Empties is the sides whose updates a person let empty what they are not sent.
	Empties [2]bool
	// Brought is, by side, the fields whose word of a clash our own write brought there, when
	// its other words did not stand there yet.
	Brought [2]map[string]bool
}

// Action is one change to one system and everything that must be known to carry
// it out, to explain it and to settle it.
type Action struct {
	Side   record.Side // the side written to
	Link   record.LinkID
	From   int64 // for a create: the entry it is made from
	Source record.Ref
	Entity string
	Change record.Change // without an ID
	Risk   Risk          // what guards count it as
	Let    bool          // by a person: no guard counts it
	Step   int           // of the changes to this record, from 0; a later one waits for the earlier
	Reason string
	// Warning is what is wrong with what is written all the same; "" if nothing.
	Warning string
	Fields  []record.FieldReason
	Bases   [2]record.Fields
	Stood   [2]record.Fields // of what a changed configuration asks for: what both sides hold there

	Priority int
	Day      string
}

// Digest names what the action does, to what, and upon which state of it; not after what
// else it does so: once other fields of the record were edited it may be another step.
func (a Action) Digest() string {
	before, err := a.Change.Before.MarshalJSON()
	if err != nil {
		return ""
	}
	after, err := a.Change.Fields.MarshalJSON()
	if err != nil {
		return ""
	}
	text := strings.Join([]string{
		a.Side.String(), a.Change.Op.String(), a.Change.Ref.String(), a.Source.String(),
		string(before), string(after),
	}, "\x00")
	return record.DigestOf("action", []byte(text)).String()
}

// Name is what a guard counts an action's record by: the one that is written, or for a
// create the one that it is made from.
func (a Action) Name() string {
	if a.Change.Op == record.Create {
		return a.Source.String()
	}
	return a.Change.Ref.String()
}

// DigestOf names a whole plan, whatever the order of its actions.
func DigestOf(actions []Action) string {
	all := make([]string, len(actions))
	for i, a := range actions {
		all[i] = a.Digest()
	}
	slices.Sort(all)
	b, err := json.Marshal(all)
	if err != nil {
		return ""
	}
	return record.DigestOf("plan", b).String()[:12]
}

// Order sorts actions in the order in which they are carried out: the urgent first,
// then the soonest day, then in the order the records became known. The steps of
// one record stay in their order.
func Order(actions []Action) {
	slices.SortStableFunc(actions, func(a, b Action) int {
		return cmp.Or(
			cmp.Compare(b.Priority, a.Priority),
			compareDays(a.Day, b.Day),
			cmp.Compare(a.Link, b.Link),
			cmp.Compare(a.From, b.From),
			cmp.Compare(a.Side, b.Side),
			cmp.Compare(a.Step, b.Step),
		)
	})
}

// compareDays puts an unknown day last.
func compareDays(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == "":
		return 1
	case b == "":
		return -1
	}
	return strings.Compare(a, b)
}
