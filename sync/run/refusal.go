package run

import (
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Refusals is what systems said no to: by RefusedKey, and by the digest of the values.
type Refusals map[string]map[record.Digest]*Refusal

// Refusal is what a system said no to, how often, and what is to become of it.
type Refusal struct {
	Side      record.Side
	Link      record.LinkID
	From      int64 // for a create: the entry that it was made from
	Ref       record.Ref
	Op        record.Op
	Paths     []string // the paths that were refused together
	Class     connectors.ErrorClass
	Text      string
	Fails     int // runs in a row that asked for these values, for a part of them or for more
	Since     time.Time
	Last      time.Time
	Dismissed bool // a person knows of it, and wants to hear no more

	Own Request // the last request for exactly these values
}

// Next returns when the values are asked for again. It returns false if that does not happen by itself: they
// were refused too often, a person has dismissed the refusal, or the no was a real answer and the values are
// not at fault. If a create is refused because another record has its key, its values are not at fault either.
// It is asked for again once a week, because that record may go any day, and nobody here would see that.
func (f *Refusal) Next() (time.Time, bool) {
	if f.Dismissed || f.Class == connectors.Refused {
		return time.Time{}, false
	}
	if f.TooOften() && f.Class == connectors.Exists && f.Op == record.Create {
		return f.Last.Add(plan.Seldom), true
	}
	return plan.Again(f.Fails, f.Last)
}

// TooOften reports whether the values were refused so often that they are put aside.
func (f *Refusal) TooOften() bool {
	_, again := plan.Again(f.Fails, f.Last)
	return !again
}

// Put keeps a refusal of what was sent under a key of KeyOf.
func (k Refusals) Put(key string, what record.Digest, f *Refusal) {
	if k[key] == nil {
		k[key] = map[record.Digest]*Refusal{}
	}
	k[key][what] = f
}

// RefusedKey is the key under which the refusals of a record are kept. Each side has its own.
func RefusedKey(side record.Side, link record.LinkID, from int64) string {
	return side.String() + " " + KeyOf(link, from)
}

// Stands reports whether the values are not to be asked for now. It is false for nil: nothing was refused.
func (f *Refusal) Stands() bool {
	if f == nil {
		return false
	}
	at, again := f.Next()
	return !again || time.Now().Before(at)
}
