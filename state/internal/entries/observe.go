package entries

import (
	"slices"
	"time"

	"nightporter/sync/record"
)

// Sight is one observation on its way into an entry.
type Sight struct {
	Seen    record.Seen
	Mapping string
	Listing bool      // a list showed it: nothing else may set Entry.Listed
	Written time.Time // when our last write changed the record, by its system's clock; zero where that does not matter
}

// Observe takes what a read showed into the entry, and reports whether the match keys were replaced. These are the
// rules, from first to last:
//
//  1. A read that began before our last write was answered is ignored.
//  2. While our last write settles, a read that shows what it replaced is late. So is a read of a record that
//     was last changed before the write, by its system's own time of change. A late read leaves the entry as
//     it is and asks for a read by id. Where only digests are kept, a late read by id still tells the values
//     that stand as they were settled.
//  3. If the base holds all that is known, the observation is dropped. Of a linked record a listing's bytes are
//     remembered in this case alone, and only if the entry is clean in every respect. Otherwise an edit that goes back to the
//     bytes last listed would be lost.
//     There are two exceptions. Where only digests are kept, the values that a read by id showed stay until
//     the link is settled: the read was asked for because they are needed. And while a change of the link is
//     open everything stays: its receipt moves the base to what the change was computed from, and what was
//     shown since is an edit then.
//  4. A read by id may be ahead of the lists. While lists may lag, a list that shows the state from before
//     that read is late as well. If the read made the record known, a list that shows less of it is late.
//  5. Everything else becomes the observation. Fields that are not shown keep their last value. If the record
//     is not finished, the entry notes what it lacks, and when to read it again.
//
// If a record is gone, only a read by id is believed, and only one from after our own delete has settled: a list
// may go on showing the record for long. If the id now names another record than the linked one, the read is
// discarded.
func (r *Row) Observe(g Sight) (keys bool) {
	r.mind(g.Seen.Observation.At)
	if r.disbelieves(g) {
		return false
	}
	was, same := r.Entry, g.Mapping == r.Mapping || g.Mapping == "" || r.Mapping == ""
	changed := r.takeIn(g, was, same)
	if changed {
		r.revive()
		r.News = r.Seen != nil || r.Link == 0
	}
	r.await(g.Seen.Observation, was, g.Listing, changed)
	r.vouch(g, was, changed)
	r.relist(g, was, same)
	return r.takeKeys(g.Seen.Keys)
}

// disbelieves reports whether a read must be ignored: it is too old or late, or shows another record. Where a
// later read can tell more, it asks for a read by id.
func (r *Row) disbelieves(g Sight) bool {
	o := g.Seen.Observation
	if o.At.Before(r.Acked) {
		r.ask(o.At)
		r.Unlist()
		return true
	}
	if r.State == record.Gone && (g.Listing || o.At.Before(r.SettleUntil)) {
		r.ask(Latest(o.At, r.SettleUntil))
		r.Unlist()
		return true
	}
	if r.strange(o, g.Seen.Keys) {
		return true
	}
	if r.late(g) {
		r.ask(r.SettleUntil)
		r.Unlist()
		r.shown(o.At)
		if r.seal.On && !g.Listing {
			r.recall(o)
		}
		return true
	}
	return false
}

// takeIn takes a read into the entry, and reports whether the read showed something that was not known. was is the
// entry before the read; same says that the mapping was the same for this read and the one before.
func (r *Row) takeIn(g Sight, was record.Entry, same bool) (changed bool) {
	o, before := g.Seen.Observation, r.Last()
	r.StoodStill = (g.Mapping == r.Mapping || r.Mapping == "") && r.standsStill(o)
	news := r.seal.On && r.news(o.Fields)
	known := r.Base != nil || r.Seen != nil
	if !known && !g.Listing {
		before = unfilled(o.Fields)
	}
	o.Untaken = r.stillUntaken(o.Fields).With(r.learn(o))
	r.overtake(before, g.Seen)
	if g.Mapping != "" {
		r.Mapping = g.Mapping
	}
	r.revise(o, was)
	r.recheckDone(g)
	r.Unlist()
	r.shown(o.At)
	r.keepSeen(o, g.Listing, same)
	return !known || news || !r.seal.On && !before.Equal(r.Last())
}

// recheckDone drops a read by id that was due when this read began: this read tells as much. Of a linked record, a
// list that shows only a part is not enough.
func (r *Row) recheckDone(g Sight) {
	if partly := g.Seen.More && r.Link != 0; !r.Recheck.IsZero() && !g.Seen.Observation.At.Before(r.Recheck) && !partly {
		r.Recheck = time.Time{}
	}
}

// keepSeen makes a read the observation, together with what earlier reads showed beside it. If
// all of that agrees with the base, there is no observation any more.
func (r *Row) keepSeen(o record.Observation, listing, same bool) {
	fields := o.Fields.With(nil)
	if r.Seen != nil && same {
		fields, o.Earlier = r.Seen.Fields.With(o.Fields), notShown(r.Seen.Fields, o.Fields)
	}
	if r.Base != nil && same && !r.sent && r.agrees(fields) && (listing || !r.seal.On) {
		r.Dirty = r.Dirty || r.Seen != nil && r.busy // the question that a person is asked may be over
		r.Seen = nil
		if o.Version != "" { // a list may show no version: an update with the last known one is refused at worst
			r.BaseVersion = o.Version
		}
		return
	}
	o.Fields = fields
	r.Seen = &o
}

// relist remembers the bytes of a listing if they leave nothing to do. If a read by id showed nothing new, the
// bytes that were listed last stay remembered.
func (r *Row) relist(g Sight, was record.Entry, same bool) {
	at := g.Seen.Observation.At
	switch {
	case g.Listing && (r.Link == 0 || r.Seen == nil && r.clean(at)):
		r.Listed = g.Seen.Listed
	case !g.Listing && was.Seen == nil && r.Seen == nil && was.BaseVersion == r.BaseVersion && same && r.clean(at):
		r.Listed = was.Listed
	}
}

// takeKeys takes the match keys that a read showed, and reports whether they replace others. A
// read without any says nothing about them.
func (r *Row) takeKeys(shown []record.Key) (replaced bool) {
	shown = r.seal.Keys(shown)
	if shown == nil || slices.Equal(r.Keys, shown) {
		return false
	}
	r.Keys = shown
	return true
}

// notShown returns the known paths that a read does not show.
func notShown(known, now record.Fields) []string {
	return slices.DeleteFunc(known.Names(), func(path string) bool { return now[path].Observed() })
}

// longestRead is longer than any time between the begin of a read and the moment when it is stored.
const longestRead = time.Hour

// mind corrects times of the entry that lie more than longestRead after the begin of this read: the clock was set
// back since they were noted. Otherwise all reads of the record would be ignored until the clock reaches these
// times again.
func (r *Row) mind(at time.Time) {
	ahead := func(t time.Time) bool { return t.After(at.Add(longestRead)) }
	if ahead(r.Acked) {
		r.Acked, r.SettleUntil, r.Pre, r.earlier = time.Time{}, time.Time{}, nil, nil
		if !r.Recheck.IsZero() {
			r.Recheck = at
		}
	}
	if ahead(r.Since) {
		r.Since = at
	}
}

// late reports whether a read shows the record as it was before one of our last writes. Either all that it shows
// of the replaced fields are the replaced values, or the record was last changed before the write: it may show
// what a user entered while our request was on its way, and the write went over that. It is false once the writes
// have settled, or if the read shows the version of the base.
func (r *Row) late(g Sight) bool {
	o := g.Seen.Observation
	if !o.At.Before(r.SettleUntil) || (o.Version != "" && o.Version == r.BaseVersion) {
		return false
	}
	return r.showsReplaced(o.Fields) || o.Changed.Before(g.Written)
}

// MayBeOlder reports whether the caller must find out the time at which our last write changed the record. It
// matters while that write settles, if a read shows something new and says when the record was changed.
func (r *Row) MayBeOlder(o record.Observation) bool {
	return r.Link != 0 && o.At.Before(r.SettleUntil) && !o.Changed.IsZero() && r.news(o.Fields)
}

// recall keeps, from a late read by id, the values that are still as they were settled. It is for entries of which
// only digests are kept: the read was asked for because the values are needed. Only one of many fields may be late
// in the read, or none, since a write may change nothing.
func (r *Row) recall(o record.Observation) {
	settled := record.Fields{}
	for path, v := range o.Fields {
		if v.Observed() && r.holds(path, v) {
			settled[path] = v
		}
	}
	o.Version = r.BaseVersion
	if r.Seen != nil {
		o, settled = *r.Seen, settled.With(r.Seen.Fields)
	}
	o.Fields, r.Seen = settled, &o
}

// clean reports whether a listing that agrees with the base leaves nothing to do.
func (r *Row) clean(at time.Time) bool {
	return r.Link != 0 && r.State == record.InStep && !r.busy && !r.Dirty && !at.Before(r.SettleUntil)
}

// shown puts an entry back in step that was missing, or that could not be read: a read that began at this moment
// showed the record.
func (r *Row) shown(at time.Time) {
	missing := Absent(r.State)
	if r.State == record.Gone && r.Link == 0 { // the id may name another record now
		r.Since = at
	}
	r.Dirty = r.Dirty || r.State == record.Gone
	if missing || (r.Parked && r.State == record.Quarantined) {
		r.State, r.Why = record.InStep, ""
		r.Dirty = r.Dirty || r.Link == 0 || !missing
	}
}

// revive takes up an entry again that was put aside because of its values: the record holds other values now, and
// the next plan decides anew.
func (r *Row) revive() {
	aside := []record.EntryState{record.LeftOut, record.Refused, record.Attached, record.Quarantined, record.Held}
	if slices.Contains(aside, r.State) {
		r.State, r.Why, r.Dirty = record.InStep, "", true
	}
}

// ask has the record read by id at a moment. If an earlier read by id was asked for already, that one stays.
func (r *Row) ask(at time.Time) {
	if r.Recheck.IsZero() || at.Before(r.Recheck) {
		r.Recheck = at
	}
}
