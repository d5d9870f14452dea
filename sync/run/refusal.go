package run

import (
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Refusals is what systems said no to: for each side's link or entry the values, and
// how often they were refused.
type Refusals map[string]map[record.Digest]*Refusal

// Refusal is what a system said no to, and what is to become of it.
type Refusal struct {
	Side      record.Side
	Link      record.LinkID
	From      int64 // of a create: the entry it was made from
	Ref       record.Ref
	Op        record.Op
	Paths     []string // that were refused together
	Class     connectors.ErrorClass
	Text      string
	Fails     int // runs in a row that asked for it, for a part of it or for more
	Since     time.Time
	Last      time.Time
	Dismissed bool // a person knows of it

	Own Request // the last for just these values
}

// Next is when it is asked again. False is not by itself: it was refused too often, a
// person has dismissed it, or the no was an answer and no fault of the values. A create that
// another record keeps from its key is no fault of the values either: that record may go any
// day, and nobody here would see it.
func (f *Refusal) Next() (time.Time, bool) {
	if f.Dismissed || f.Class == connectors.Refused {
		return time.Time{}, false
	}
	if f.TooOften() && f.Class == connectors.Exists && f.Op == record.Create {
		return f.Last.Add(plan.Seldom), true
	}
	return plan.Again(f.Fails, f.Last)
}

// TooOften reports whether it was refused so often that it is put aside.
func (f *Refusal) TooOften() bool {
	_, again := plan.Again(f.Fails, f.Last)
	return !again
}

func (k Refusals) Put(key string, what record.Digest, f *Refusal) {
	if k[key] == nil {
		k[key] = map[record.Digest]*Refusal{}
	}
	k[key][what] = f
}

// RefusedKey is what a refusal is remembered under: each side has its own.
func RefusedKey(side record.Side, link record.LinkID, from int64) string {
	return side.String() + " " + KeyOf(link, from)
}

// Stands reports whether it is not asked for now.
func (f *Refusal) Stands() bool {
	if f == nil {
		return false
	}
	at, again := f.Next()
	return !again || time.Now().Before(at)
}
