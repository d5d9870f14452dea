package run

import (
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// Class is what a guard counts together.
type Class struct {
	Side record.Side
	Risk plan.Risk
}

// Book is what persons said of sets of changes, what waits for them, and what was let
// go so far.
type Book struct {
	Approved map[string]Said // by the digest of the change
	Rejected map[string]Said
	Redone   map[string]Said   // rejected, and put back since: the same is a new edit
	After    map[string]string // changes that were done again, and the set that was rejected before
	Waiting  map[Class]WaitingSet
	Lapsed   map[string]bool // changes of sets that nobody decided in time: they are asked about anew
	Decided  []record.Stage  // that are not over
	Spent    guard.Spent     // before this run, and what this run let go
	Counted  bool            // spent was read
	Prints   map[string]string
	Agreed   map[string]string                  // the prints as they were agreed to last
	Remapped map[string]bool                    // fields of which nobody agreed to the change
	Mended   map[string]bool                    // those of them that are mapped as was agreed to again, and were read in another way meanwhile
	Asking   time.Time                          // since when a person is asked about the change of the fields as they are now
	Settled  [2]bool                            // a person agreed to what the change of the fields asks of the side
	Stood    map[record.LinkID][2]record.Fields // what stood where a person was asked about the change of the fields, as they were asked first
	Did      map[string]bool                    // changes that this run made
	Moved    map[string]bool                    // approved changes whose records are not as they were
}

// Said is a change that a person decided.
type Said struct {
	Stage record.Stage
	Row   record.Staged
}

// WaitingSet is a set that nobody decided.
type WaitingSet struct {
	Stage record.Stage
	Rows  map[string]record.Staged
}

// Spend notes what is let go now.
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
