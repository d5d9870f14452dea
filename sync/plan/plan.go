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

// Rules are the rules of a job, the same for all its records.
type Rules struct {
	Mapping *mapping.Mapping
	Merge   []merge.Rule
	Kinds   [2]Kind
	Day     string        // canonical field with the day that makes an action urgent; "" for none
	Span    Span          // canonical fields of the first and the last day
	Status  string        // canonical field of a booking's status, whose cancels are a risk of their own; "" for none
	Skew    time.Duration // how far both systems' clocks may be apart; negative: not comparable
	Urgent  int           // priority of this job's actions; higher goes first

	Over    map[string][]string // canonical field -> words of a record that is over: none is made of it across any more
	Clashes []Clash
	Sums    []Sum
}

// Kind is what planning has to know of one side's kind of record: mostly what its system can do.
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
	Change    Change            // which fields of its records we change once they are there
	Contents  map[string]Limits // native path -> which contents it takes
}

// Side is one side of a case: its record as it is known, natively and in canonical fields.
type Side struct {
	Ref     record.Ref
	Entry   int64
	Version record.Version
	Native  record.Fields            // as last observed
	Base    record.Fields            // native, as last settled; nil before
	Now     record.Fields            // canonical, references resolved
	Settled map[string]record.Stored // canonical base, references as they were resolved then
	Key     []byte                   // of the digests in Settled
	Changed time.Time                // the system's own time of change
	Seen    bool                     // Native differs from Base
	Untaken record.Fields            // native, what was shown where a write of ours was not done: see record.Observation
	// Unlike is the canonical fields that show another value than our create sent, if that create got no answer and
	// may have made this record. Somebody may have edited them since.
	Unlike map[string]bool
}

// Case is one link with both its sides.
type Case struct {
	Link    record.LinkID
	Entity  string
	Sides   [2]Side
	Choices map[string]merge.Choice
	Said    []record.Word // the answers in Choices
	// Parts says how each side names the records that the reference fields of this case mean: canonical field to
	// that side's own parts.
	Parts [2]record.Fields
	// Blocked is the fields of which nobody knows yet what they hold, each with the reason: nothing is
	// decided about them, and no base takes them over.
	Blocked map[string]string
	// Unknown is, by side, the reference fields by which its record names somebody whom nobody knows, and was waited
	// for long enough: each with the sentence that says so. Now has a marker in its place.
	Unknown [2]map[string]string
	// Outdated is, by side, the reference fields by which a record names one that is gone, while the same person
	// or stay is there under another id. Parts has what is written in its place.
	Outdated [2]map[string]bool
	// Astray is the references with an id that belongs to another record by now. Nobody knows whom they mean, and
	// so not which booking the two records are of.
	Astray []Stuck
	// Kept is the fields in which a person rejected a change: the side named here keeps its value, and the other
	// side gets that value back where it may be written. Left says that the other side gets nothing back: both
	// stay as they are. Both is the fields in which both sides stay, too: the person also rejected what would be
	// written back, or the other side does not keep it.
	Kept map[string]record.Side
	Left bool
	Both map[string]bool
	// Edited is the fields that were edited after a person was asked about their changed mapping.
	Edited map[string]bool
	// Asked is the open questions about fields, answered or not.
	Asked map[string]record.Question
	// Empties says on which sides a person allows our updates although they empty fields that they are not sent.
	Empties [2]bool
	// Brought is, by side, the fields in which our own write brought a word of a clash to that side before its
	// other words stood there.
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
	Risk   Risk          // the risk that guards count it as
	Let    bool          // a person let it go: no guard counts it
	Step   int           // place among the changes to this record, from 0; a later one waits for the earlier
	Reason string
	// Warning says what is wrong with a value that is written all the same; "" for nothing.
	Warning string
	Fields  []record.FieldReason
	Bases   [2]record.Fields
	Stood   [2]record.Fields // for RiskMapping: what both sides hold in the fields that are written
	Said    []record.Word    // what persons said of the record when it was decided

	Priority int
	Day      string
}

// RestOn notes what persons had said of the record when these actions were decided.
func RestOn(actions []Action, said []record.Word) {
	for i := range actions {
		actions[i].Said = said
	}
}

// Digest names what the action does, to which record, and upon which state of the record. Step does not count:
// the same change may become another step once other fields of the record were edited.
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

// Name is what guards know the record of an action by: the record that is written or, for a create, the record
// that it is made from.
func (a Action) Name() string {
	if a.Change.Op == record.Create {
		return a.Source.String()
	}
	return a.Change.Ref.String()
}

// DigestOf is a short name for a whole plan. It is the same whatever the order of the actions.
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
