package run

import (
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// Class is a side and a risk: a guard counts all changes of one class together.
type Class struct {
	Side record.Side
	Risk plan.Risk
}

// Book is what persons said of sets of changes, which sets still wait for them, and what was let go so far.
type Book struct {
	Approved map[string]Said // by the digest of the change
	Rejected map[string]Said
	Redone   map[string]Said   // rejected, and put back since: the same change is a new edit
	After    map[string]string // a change that was done again -> the set in which it was rejected
	Waiting  map[Class]WaitingSet
	Lapsed   map[string]bool // changes of sets that nobody decided in time: they are asked about anew
	Decided  []record.Stage  // decided sets that are not over
	Spent    guard.Spent     // what was let go before this run and in it
	Counted  bool            // Spent was read
	Prints   map[string]string
	Agreed   map[string]string                  // the prints that were last agreed to
	Remapped map[string]bool                    // fields with a change that nobody agreed to
	Mended   map[string]bool                    // of Remapped: mapped as agreed to again, but read otherwise meanwhile
	Asking   time.Time                          // since when a person is asked about the fields as they are now
	Settled  [2]bool                            // a person agreed to what the changed fields would write there
	Stood    map[record.LinkID][2]record.Fields // what stood there when a person was first asked about the fields
	Did      map[string]bool                    // changes that this run made
	Moved    map[string]bool                    // approved changes that met a record which had moved on
}

// Said is a change that a person decided.
type Said struct {
	Stage record.Stage
	Row   record.Staged
}

// WaitingSet is a set of changes that nobody has decided yet.
type WaitingSet struct {
	Stage record.Stage
	Rows  map[string]record.Staged
}

// Spend counts changes that are let go now. A change that a person let go is not counted.
func (b *Book) Spend(actions []plan.Action) {
	for _, a := range actions {
		if a.Let {
			continue
		}
		u := b.Spent[a.Side][a.Risk]
		if u.Run == nil {
			u.Run = map[string]bool{}
		}
		u.Run[a.Name()] = true
		b.Spent[a.Side][a.Risk] = u
	}
}

// WaitsFor reports whether a change is in a set that nobody decided.
func (b *Book) WaitsFor(a plan.Action) bool {
	_, waits := b.Waiting[Class{a.Side, a.Risk}].Rows[a.Digest()]
	return waits
}
