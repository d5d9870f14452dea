package state

import (
	"slices"
	"time"

	"nightporter/sync/record"
)

// sight is one observation on its way into an entry.
type sight struct {
	seen    record.Seen
	mapping string
	listing bool      // only what a listing showed may set Entry.Listed
	written time.Time // when our last write changed the record, by its system's clock; asked for where it counts
}

// observe changes the entry by what was shown and reports whether its keys were
// replaced. These are the rules, from first to last:
//
//  1. A read begun before our last write was answered says nothing.
//  2. While the write settles, a read that shows what it replaced is late, and so is
//     one that by its system's own time of change is from before it. Both leave the
//     entry as it is and ask for it to be read by id. Where only digests are kept, a
//     late read by id still tells the values that stand as they were settled.
//  3. What agrees with the base takes the observation away. Only here a listing's
//     bytes are remembered, and only if the entry is clean in every respect:
//     otherwise an edit that goes back to the bytes last listed would be lost.
//     Where only digests are kept, what a read by id showed stays all the same until
//     the link is settled: it was asked for because the values are needed. And while a
//     change of the link is open everything stays: its receipt moves the base to what
//     the change was computed from, and what was shown since is an edit then.
//  4. A read by id may be ahead of the lists: while they may lag, what they show of
//     before it is late as well, and of a record that it made known, what they show less.
//  5. Everything else becomes the observation; fields not shown keep their last. Of a
//     record that is not finished it is noted what it lacks, and when it is read again.
//
// Of a record that is gone only a read by id is believed, and none from before our own
// delete has settled: a list may show for long what is not there any more. And what is
// shown of a stranger under the id of a linked record is nobody's observation.
func (r *row) observe(g sight) (keys bool) {
	o := g.seen.Observation
	r.mind(o.At)
	if o.At.Before(r.Acked) {
		r.ask(o.At)
		r.unlist()
		return false
	}
	if r.State == record.Gone && (g.listing || o.At.Before(r.SettleUntil)) {
		r.ask(latest(o.At, r.SettleUntil))
		r.unlist()
		return false
	}
	if r.strange(o, g.seen.Keys) {
		return false
	}
	if r.late(g) {
		r.ask(r.SettleUntil)
		r.unlist()
		r.shown(o.At)
		if r.seal.on && !g.listing {
			r.recall(o)
		}
		return false
	}
	before, was := r.Last(), r.Entry
	r.still = (g.mapping == r.Mapping || r.Mapping == "") && r.standsStill(o)
	news := r.seal.on && r.news(o.Fields)
	known := r.Base != nil || r.Seen != nil
	if !known && !g.listing {
		before = unfilled(o.Fields)
	}
	o.Untaken = r.stillUntaken(o.Fields).With(r.learn(o))
	r.overtake(before, g.seen)
	same := g.mapping == r.Mapping || g.mapping == "" || r.Mapping == ""
	if g.mapping != "" {
		r.Mapping = g.mapping
	}
	r.revise(o, was)
	fields := o.Fields.With(nil)
	if r.Seen != nil && same {
		fields, o.Earlier = r.Seen.Fields.With(o.Fields), notShown(r.Seen.Fields, o.Fields)
	}
	if partly := g.seen.More && r.Link != 0; !r.Recheck.IsZero() && !o.At.Before(r.Recheck) && !partly {
		r.Recheck = time.Time{} // but a read by id that a list can't stand for is still to come
	}
	r.unlist()
	r.shown(o.At)
	if r.Base != nil && same && !r.sent && r.agrees(fields) && (g.listing || !r.seal.on) {
		r.Dirty = r.Dirty || r.Seen != nil && r.busy // what a person is asked may be over
		r.Seen = nil
		if o.Version != "" { // a list may not show it: the last one known is refused at worst
			r.BaseVersion = o.Version
		}
	} else {
		o.Fields = fields
		r.Seen = &o
	}
	changed := !known || news || !r.seal.on && !before.Equal(r.Last())
	if changed {
		r.revive()
		r.found = r.Seen != nil || r.Link == 0
	}
	r.await(o, was, g.listing, changed)
	r.vouch(g, was, changed)
	if g.listing && (r.Link == 0 || r.Seen == nil && r.clean(o.At)) {
		r.Listed = g.seen.Listed
	}
	if !g.listing && was.Seen == nil && r.Seen == nil && was.BaseVersion == r.BaseVersion && same && r.clean(o.At) {
		r.Listed = was.Listed // nothing was learnt
	}
	shown := r.seal.keys(g.seen.Keys)
	if shown == nil || sameKeys(r.Keys, shown) {
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
func (r *row) mind(at time.Time) {
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
func (r *row) late(g sight) bool {
	o := g.seen.Observation
	if !o.At.Before(r.SettleUntil) || (o.Version != "" && o.Version == r.BaseVersion) {
		return false
	}
	return r.showsReplaced(o.Fields) || o.Changed.Before(g.written)
}

// mayBeOlder reports whether it counts when our last write changed the record: a read that
// says when it was changed shows something new while that write settles.
func (r *row) mayBeOlder(o record.Observation) bool {
	return r.Link != 0 && o.At.Before(r.SettleUntil) && !o.Changed.IsZero() && r.news(o.Fields)
}

// recall takes from a late read by id the values that it shows as they were settled,
// where only digests of them are kept: the read was asked for because they are needed.
// What is late in it may be one field of many, or none, for a write may change nothing.
func (r *row) recall(o record.Observation) {
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
func (r *row) clean(at time.Time) bool {
	return r.Link != 0 && r.State == record.InStep && !r.busy && !r.Dirty && !at.Before(r.SettleUntil)
}

// shown brings back an entry that was missing, and one that could not be read, at the moment of the read.
func (r *row) shown(at time.Time) {
	missing := absent(r.State)
	if r.State == record.Gone && r.Link == 0 { // it may be another record
		r.Since = at
	}
	r.Dirty = r.Dirty || r.State == record.Gone
	if missing || (r.parked && r.State == record.Quarantined) {
		r.State, r.Why = record.InStep, ""
		r.Dirty = r.Dirty || r.Link == 0 || !missing
	}
}

// absent reports whether a state says that the record is not there, or not in
// scope, or may not be.
func absent(st record.EntryState) bool {
	return st.Doubted() || st == record.Gone || st == record.OutOfScope
}

// revive makes an entry that was put aside for what it held a case again, now that
// it holds something else.
func (r *row) revive() {
	aside := []record.EntryState{record.LeftOut, record.Refused, record.Attached, record.Quarantined, record.Held}
	if slices.Contains(aside, r.State) {
		r.State, r.Why, r.Dirty = record.InStep, "", true
	}
}

// ask has the record read by id at a moment, or earlier if that was asked before.
func (r *row) ask(at time.Time) {
	if r.Recheck.IsZero() || at.Before(r.Recheck) {
		r.Recheck = at
	}
}
