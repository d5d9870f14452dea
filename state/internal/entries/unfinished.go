package entries

import (
	"slices"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// await notes what a record still lacks after this read, and asks for the next read by id. was is the entry before
// this read.
//
// A list shows no field that is read separately, such as the transcript of a call. So it says of every record that
// may lack such a field that it does. A field that is known already is not lacking. The other records are read by
// id at once, when a list first shows them and whenever a list shows something new of them. From then on
// record.Unfinished.Next says when. Only a read by id shows what is lacking.
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

// endWait notes whether the wait for what a record lacks is over. A wait that had ended stays so, unless a read by
// id shows that its time is not over yet. A wait that goes on ends only with a read that can show what is lacking,
// and only if all of that read was answered. blind says that this read is a list that can't show it.
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

// awaitUnseen decides when a record is read by id after a list that can't show what it lacks; false if the list
// changes nothing about that. The record may have counted as finished, because no field was named that it lacks:
// if it is young enough, it is waited for.
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

// lacks returns what is still to come of a record after this read was taken in; nil if the record is finished.
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

// filled reports whether a value that is not empty is known at a path. An empty one does not count: it may have
// been filled since, while nothing waited for it.
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
