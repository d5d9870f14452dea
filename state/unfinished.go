package state

import (
	"slices"
	"time"

	"nightporter/sync/record"
)

// await notes what a read said the record lacks of what is to come, and asks for the
// next read by id. was is the entry before that read.
//
// A list says so of every record that may lack something, for it shows nothing that is
// read on its own: what is known already is not lacked, and the others are read by id at
// once, the first time and whenever a list shows something new of them. From then on
// record.Unfinished.Next says when. Only a read by id shows what is lacked, and only such
// a one ends the wait, if all of it was answered: until then the record is waited for. One that counted as finished, for nothing named what
// it lacks, is waited for if it is young enough.
func (r *row) await(o record.Observation, was record.Entry, listing, changed bool) {
	u := r.lacks(o)
	r.Unfinished = u
	if u == nil {
		return
	}
	before := was.Unfinished
	blind := listing && len(u.Lacks) > 0
	if blind && before != nil {
		u.Failed = before.Failed
	}
	over := !o.At.Before(u.Over())
	if before != nil && !before.Ended.IsZero() && (listing || over) {
		u.Ended = before.Ended
	} else if over && !blind && u.Failed == "" {
		u.Ended = o.At
	}
	known := was.Base != nil || was.Seen != nil
	switch {
	case blind && before == nil && over && known && !changed: // it counted as finished, and is too old to be asked about
		u.Ended = o.At
	case blind && (before == nil || len(before.Lacks) == 0 || changed):
		r.ask(o.At)
	case blind && !was.Recheck.IsZero():
		r.ask(was.Recheck)
	case u.Ended.IsZero() && r.Recheck.IsZero():
		r.ask(u.Next(o.At))
	}
}

// lacks is what is still to come of a record after a read was taken in, nil for nothing.
func (r *row) lacks(o record.Observation) *record.Unfinished {
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
func (r *row) filled(path string) bool {
	if r.Seen != nil && r.Seen.Fields[path].Observed() {
		return !r.Seen.Fields[path].Empty()
	}
	return r.Base[path].Known() && !r.holds(path, record.Nothing()) && !r.holds(path, record.OfText(""))
}

// unfinished is a record.Unfinished as its column holds it.
type unfinished struct {
	Lacks  []string `json:"l,omitempty"`
	Since  moment   `json:"s"`
	Within int64    `json:"w"` // milliseconds
	Failed string   `json:"f,omitempty"`
	Ended  moment   `json:"e,omitempty"`
}

func encodeUnfinished(u *record.Unfinished) (any, error) {
	if u == nil {
		return nil, nil //nolint:nilnil // NULL is a value here
	}
	return encode(unfinished{u.Lacks, momentOf(u.Since), u.Within.Milliseconds(), u.Failed, momentOf(u.Ended)})
}

func decodeUnfinished(text string) (*record.Unfinished, error) {
	var u unfinished
	if err := decode(text, &u); err != nil {
		return nil, err
	}
	return &record.Unfinished{
		Lacks: u.Lacks, Since: u.Since.time(), Within: time.Duration(u.Within) * time.Millisecond, Failed: u.Failed, Ended: u.Ended.time(),
	}, nil
}
