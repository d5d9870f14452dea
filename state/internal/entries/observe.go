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
	Listing bool      // only what a listing showed may set Entry.Listed
	Written time.Time // when our last write changed the record, by its system's clock; asked for where it counts
}

// Observe changes the entry by what was shown and reports whether its keys were
// replaced. These are the rules, from first to last:
//
//  1. A read that began before our last write was answered says nothing.
//  2. While the write settles, a read that shows what it replaced is late. So is a read
//     whose record, by its system's own time of change, is from before the write. Both leave
//     the entry as it is and ask for it to be read by id. Where only digests are kept, a
//     late read by id still tells the values that stand as they were settled.
//  3. What agrees with the base takes the observation away. Only here a listing's
//     bytes are remembered, and only if the entry is clean in every respect:
//     otherwise an edit that goes back to the bytes last listed would be lost.
//     Where only digests are kept, the values that a read by id showed stay all the same
//     until the link is settled: the read was asked for because they are needed. And while a
//     change of the link is open everything stays: its receipt moves the base to what
//     the change was computed from, and what was shown since is an edit then.
//  4. A read by id may be ahead of the lists. While lists may lag, a list that shows the
//     state from before that read is late as well. Of a record that the read made known,
//     a list that shows less is late.
//  5. Everything else becomes the observation; fields not shown keep their last. For a
//     record that is not finished the entry notes what it lacks, and when to read it again.
//
// Of a record that is gone only a read by id is believed, and none from before our own
// delete has settled: a list may go on showing the record for long. If the id now names
// another record than the one that is linked, the read is discarded.
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

// disbelieves reports whether a read says nothing about the record: it is too old, late, or shows
// another record. Where a later read can tell more, the record is read by id.
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

// takeIn takes a read into the entry, and reports whether the record holds something that was
// not known. was is the entry before the read; same says that both were read in the same way.
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

// recheckDone ends the wait for a read by id that was due when this read began. A list is not
// enough for a linked record of which it shows only a part.
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
		if o.Version != "" { // a list may not show it: the last one known is refused at worst
			r.BaseVersion = o.Version
		}
		return
	}
	o.Fields = fields
	r.Seen = &o
}

// relist remembers the bytes of a listing that leaves nothing to do. A read by id that showed
// nothing new leaves the bytes that were listed last.
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

// notShown is the paths of what was known that a read does not show.
func notShown(known, now record.Fields) []string {
	return slices.DeleteFunc(known.Names(), func(path string) bool { return now[path].Observed() })
}

// longestRead is more than passes between the begin of a read and the moment when
// it is stored.
const longestRead = time.Hour

// mind drops times that lie further ahead of a read than any that can have been
// written since it was begun: the clock was set back. Believed, they would keep a
// record from being seen until the clock is there again.
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

// late reports whether the read shows what one of our last writes replaced, in all that it
// shows of it, or what stood there at another time before it: what a user entered while a
// request of ours was on its way, and that went over it.
func (r *Row) late(g Sight) bool {
	o := g.Seen.Observation
	if !o.At.Before(r.SettleUntil) || (o.Version != "" && o.Version == r.BaseVersion) {
		return false
	}
	return r.showsReplaced(o.Fields) || o.Changed.Before(g.Written)
}

// MayBeOlder reports whether it counts when our last write changed the record: a read that
// says when it was changed shows something new while that write settles.
func (r *Row) MayBeOlder(o record.Observation) bool {
	return r.Link != 0 && o.At.Before(r.SettleUntil) && !o.Changed.IsZero() && r.news(o.Fields)
}

// recall takes from a late read by id the values that it shows as they were settled,
// where only digests of them are kept: the read was asked for because they are needed.
// What is late in it may be one field of many, or none, for a write may change nothing.
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

// shown brings back an entry that was missing, and one that could not be read, at the moment of the read.
func (r *Row) shown(at time.Time) {
	missing := Absent(r.State)
	if r.State == record.Gone && r.Link == 0 { // it may be another record
		r.Since = at
	}
	r.Dirty = r.Dirty || r.State == record.Gone
	if missing || (r.Parked && r.State == record.Quarantined) {
		r.State, r.Why = record.InStep, ""
		r.Dirty = r.Dirty || r.Link == 0 || !missing
	}
}

// revive makes an entry that was put aside for what it held a case again, now that
// it holds something else.
func (r *Row) revive() {
	aside := []record.EntryState{record.LeftOut, record.Refused, record.Attached, record.Quarantined, record.Held}
	if slices.Contains(aside, r.State) {
		r.State, r.Why, r.Dirty = record.InStep, "", true
	}
}

// ask has the record read by id at a moment, or earlier if that was asked before.
func (r *Row) ask(at time.Time) {
	if r.Recheck.IsZero() || at.Before(r.Recheck) {
		r.Recheck = at
	}
}
