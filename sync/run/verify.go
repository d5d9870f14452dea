package run

import (
	"context"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Verified is the result of comparing both sides of a job.
type Verified struct {
	Links   int // pairs that were compared
	Same    int // links in which nothing differs
	Hidden  int // fields that could not be compared: not shown, or known by their digests alone
	Differs []Differs
	Lone    []Lone
	Causes  map[plan.Cause]int // how many differing fields and lone records, by cause
	Flaws   []string           // why a side may not have been seen whole
}

// Differs is one field in which two linked records differ.
type Differs struct {
	plan.Difference
	Link record.LinkID
	Refs [2]record.Ref
}

// Lone is a record that is there and has no partner.
type Lone struct {
	Side  record.Side
	Ref   record.Ref
	Cause plan.Cause
	Why   string
}

// Verifies is what a comparison reads from the store.
type Verifies interface {
	// Pairs lists all links of a binding, by number.
	Pairs(ctx context.Context, b record.Binding, after record.LinkID, n int) ([]record.Pair, error)
	// Lone lists all entries without a link, by number.
	Lone(ctx context.Context, place record.Place, after int64, n int) ([]record.Entry, error)
	// Guarded says why guards hold changes back, by link and by entry.
	Guarded(ctx context.Context, b record.Binding) (map[record.LinkID]string, map[int64]string, error)
	// UndoneOn returns the run that put a field back, and the run that it undid; 0 if there is none.
	UndoneOn(ctx context.Context, link record.LinkID, field string) (run, undid int64, err error)
}

// Absent reports whether a state says that the record is not there or not in scope, or may not be there.
func Absent(st record.EntryState) bool {
	return st.Doubted() || st == record.Gone || st == record.OutOfScope
}
