package entries

import (
	"slices"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// await notes what a read said the record still lacks, and asks for the next read by id. was is
// the entry before that read.
//
// A list says so of every record that may lack something, for it shows nothing that is
// read on its own: what is known already is not lacked, and the others are read by id at
// once, the first time and whenever a list shows something new of them. From then on
// record.Unfinished.Next says when. Only a read by id shows what is lacked.
func (r *Row) await(o record.Observation, was record.Entry, listing, changed bool) {
	r.Unfinished = r.lacks(o)
	if r.Unfinished == nil {
		return
	}
	blind := listing && len(r.Unfinished.Lacks) > 0
	r.endWait(o.At, was.Unfinished, listing, blind)
	if blind && r.awaitUnseen(o.At, was, changed) {
		return
	}
	if r.Unfinished.Ended.IsZero() && r.Recheck.IsZero() {
		r.ask(r.Unfinished.Next(o.At))
	}
}

// endWait notes whether the wait for what a record lacks is over. A wait that was over stays so,
// unless a read by id shows that its time has not come yet. Otherwise only a read by id ends it,
// and only if all of that read was answered. blind is a list that can't show what is lacked.
func (r *Row) endWait(at time.Time, before *record.Unfinished, listing, blind bool) {
	u := r.Unfinished
	if blind && before != nil {
		u.Failed = before.Failed
	}
	over := !at.Before(u.Over())
	if before != nil && !before.Ended.IsZero() && (listing || over) {
		u.Ended = before.Ended
	} else if over && !blind && u.Failed == "" {
		u.Ended = at
	}
}

// awaitUnseen decides when a record is read by id after a list that can't show what it lacks; false
// if the list changes nothing about that. A record that counted as finished, because nothing
// named what it lacks, is waited for if it is young enough.
func (r *Row) awaitUnseen(at time.Time, was record.Entry, changed bool) bool {
	u, before := r.Unfinished, was.Unfinished
	known, over := was.Base != nil || was.Seen != nil, !at.Before(u.Over())
	switch {
	case before == nil && over && known && !changed: // it counted as finished, and is too old to be asked about
		u.Ended = at
	case before == nil || len(before.Lacks) == 0 || changed:
		r.ask(at)
	case !was.Recheck.IsZero():
		r.ask(was.Recheck)
	default:
		return false
	}
	return true
}

// lacks is what is still to come of a record after a read was taken in, nil for nothing.
func (r *Row) lacks(o record.Observation) *record.Unfinished {
	if o.Unfinished == nil {
		return nil
	}
	u := *o.Unfinished
	u.Lacks = slices.DeleteFunc(slices.Clone(u.Lacks), r.filled)
	if len(u.Lacks) == 0 && len(o.Unfinished.Lacks) > 0 {
		return nil
	}
	if u.Since.IsZero() || u.Since.After(o.At) { // not said, or by a clock that is ahead of ours
		u.Since = r.Since
	}
	return &u
}

// filled reports whether anything was ever shown at a path. What was empty when nothing
// waited for it may have come since.
func (r *Row) filled(path string) bool {
	if r.Seen != nil && r.Seen.Fields[path].Observed() {
		return !r.Seen.Fields[path].Empty()
	}
	return r.Base[path].Known() && !r.holds(path, record.Nothing()) && !r.holds(path, record.OfText(""))
}

// unfinished is a record.Unfinished as its column holds it.
type unfinished struct {
	Lacks  []string      `json:"l,omitempty"`
	Since  sqlite.Moment `json:"s"`
	Within int64         `json:"w"` // milliseconds
	Failed string        `json:"f,omitempty"`
	Ended  sqlite.Moment `json:"e,omitempty"`
}

func encodeUnfinished(u *record.Unfinished) (any, error) {
	if u == nil {
		return nil, nil //nolint:nilnil // NULL is a value here
	}
	return sqlite.Encode(unfinished{u.Lacks, sqlite.MomentOf(u.Since), u.Within.Milliseconds(), u.Failed, sqlite.MomentOf(u.Ended)})
}

func decodeUnfinished(text string) (*record.Unfinished, error) {
	var u unfinished
	if err := sqlite.Decode(text, &u); err != nil {
		return nil, err
	}
	return &record.Unfinished{
		Lacks: u.Lacks, Since: u.Since.Time(), Within: time.Duration(u.Within) * time.Millisecond, Failed: u.Failed, Ended: u.Ended.Time(),
	}, nil
}
