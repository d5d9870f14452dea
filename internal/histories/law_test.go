package histories

import (
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// switches turn on what is checked of promises that the engine does not keep yet.
var switches = struct {
	account bool // nothing is written while a system answers for another account
}{}

// sent judges a change at the moment at which it is sent, by what the systems hold
// then: since anybody looked last a change may have landed late.
func (o *oracle) sent(side record.Side, ch record.Change) {
	w := o.w
	o.look()
	if !o.retried(side, ch) {
		o.real++
	}
	o.sentGuarded(side, ch)
	switch {
	case w.opt.Dry:
		o.wrong("a dry run sent %s %s", ch.Op, ch.Ref)
	case w.paused && w.pausing.Stops(jobs[max(0, kindOf(ch.Ref.Kind))], systems[side]):
		o.wrong("all is paused, and %s %s was sent", ch.Op, ch.Ref)
	case w.c.askFirst && !w.agreed[max(0, kindOf(ch.Ref.Kind))] && !w.opt.Yes && w.opt.Limit == 0: // who asks for few changes asks for these
		o.wrong("nobody has said yes to the first plan, and %s %s was sent", ch.Op, ch.Ref)
	case w.opt.Hold != nil && w.opt.Hold(side) != "":
		o.wrong("nothing may be written to the %s, and %s %s was sent", side, ch.Op, ch.Ref)
	case ch.Op == record.Create && w.odds(side, oddNever) > 0:
		o.wrong("nothing is to be created on the %s, and %s was", side, ch.Ref)
	case w.swapped[side] && o.linked(side):
		o.wrong("%s %s was sent to another account", ch.Op, ch.Ref)
	case ch.Op == record.Delete:
		o.sentDelete(side, ch)
	case ch.Op == record.Create:
		o.sentCreate(side, ch)
	default:
		o.sentUpdate(side, ch)
	}
}

// retried reports whether a change is sent to a record that is gone and that can't be read by its
// id, for the first time since a person dismissed what came of the last one: only another change
// tells that it is still gone.
func (o *oracle) retried(side record.Side, ch record.Change) bool {
	r := o.recs[max(0, kindOf(ch.Ref.Kind))][side][ch.Ref.ID]
	if !o.dismissed[r] || !r.dead || o.w.gets(side) {
		return false
	}
	delete(o.dismissed, r)
	return true
}

// linked reports whether any record of a side was linked: without one nobody can tell
// one account from another.
func (o *oracle) linked(side record.Side) bool {
	for kind := range o.recs {
		for _, r := range o.recs[kind][side] {
			if r.linked != nil {
				return true
			}
		}
	}
	return false
}

// answered notes what a system said, and of which record.
func (o *oracle) answered(side record.Side, ch record.Change, ref record.Ref, err error) {
	if err == nil {
		o.madeGuarded(ref)
	}
	class := connectors.ClassOf(err)
	r := o.recs[max(0, kindOf(ch.Ref.Kind))][side][ch.Ref.ID]
	o.claims(r, ch, err)
	if err == nil && r != nil && r.dead { // it stood there for a moment
		o.note(r, r.native.With(ch.Fields))
	}
	switch took := err == nil || class == connectors.Ambiguous; {
	case r == nil:
	case !took && r.t.unsent != nil:
		r.t.unsent()
	case took && over(ch.Fields[path(side, "status")].Text()): // until now it showed what it was before
		r.t.endedAt = [2]time.Time{o.clock(record.Left), o.clock(record.Right)}
	}
	if class != connectors.Rejected && class != connectors.Exists && class != connectors.Refused {
		return
	}
	o.rebuffs.note(side, ch)
	kind := kindOf(ch.Ref.Kind)
	if r := o.recs[kind][side][ch.Ref.ID]; r != nil {
		r.t.refused = true
	} else if t := o.things[kind][numberIn(ch.Fields[path(side, tag[kind])].Text())]; t != nil {
		t.refused = true
	}
}

func kindOf(k record.Kind) int {
	for kind := range kinds {
		if kinds[kind][record.Left] == k || kinds[kind][record.Right] == k {
			return kind
		}
	}
	return -1
}

// sentCreate judges a create: it is of a record that is on the other side, which has
// no counterpart, and never had one that a user removed.
func (o *oracle) sentCreate(side record.Side, ch record.Change) {
	w := o.w
	kind := kindOf(ch.Ref.Kind)
	n := numberIn(ch.Fields[path(side, tag[kind])].Text())
	t := o.things[kind][n]
	if t == nil {
		if !w.swapped[side.Other()] || n < 0 {
			o.wrong("a create of what nobody entered: %s", show(ch.Fields))
		} else {
			o.wrong("%s of another account was to be created on the %s", show(ch.Fields), side)
		}
		return
	}
	if t.sent[side] = o.createdSince(kind, side); len(w.opt.Only) > 0 || w.opt.Seen || w.opt.Skip[side] || w.opt.Kicked != nil { // it reads no list
		t.sent[side] = o.listed[kind][side]
	}
	t.approved[side] = t.approved[side] || o.spent.now != ""
	o.gives(t, side, ch.Fields)
	o.madeForNobody(t, side, ch.Fields)
	from := slices.DeleteFunc(o.sources(t, side.Other(), ch.Fields[path(side, "phone")].Text()), func(r *rec) bool {
		return r.dead && r.died.Before(o.begun.Add(w.late[side.Other()]).Add(-settle))
	})
	if len(from) == 0 {
		o.wrong("a create on the %s of %s, of which there is nothing on the other side: %s", side, tag[kind], show(ch.Fields))
		return
	}
	if !t.wantedAnew && !slices.ContainsFunc(from, func(r *rec) bool { return r.linked == nil || r.passesForNew(w.leftAlone(r.linked)) }) {
		o.wrong("thing %d was to be created again on the %s: all its records were linked before", n, side)
	}
}

// madeForNobody judges a booking that is made without the phone of its guest, who has one.
func (o *oracle) madeForNobody(t *thing, side record.Side, native record.Fields) {
	if v := native["guest_phone"]; t.kind != stays || side != record.Left || v.Observed() && !v.Empty() {
		return
	}
	for _, b := range t.all(record.Right) {
		g := o.recs[guests][record.Right][b.native["their_guest_id"].Text()]
		if b.dead || g == nil {
			continue
		}
		for _, c := range g.t.all(record.Left) {
			if !c.dead && c.linked != nil && !c.ever("phone", "") {
				o.wrong("booking %d was to be made for nobody: its guest is %s, who has a phone", t.n, c.id)
				return
			}
		}
	}
}

// doubled judges a record that the engine made beside others of the same thing.
func (o *oracle) doubled(made *rec) {
	t, side := made.t, made.side
	if t.blurred || len(o.akin(t)) > 1 || o.w.restored && o.rekeyed(t) { // nobody can tell any more that it was the same
		return
	}
	if t.byUsers(side.Other()) > 1 || o.twins(t, side.Other()) { // entered more than once: each may have its own
		return
	}
	for _, r := range t.all(side) {
		if r == made {
			continue
		}
		switch {
		case o.w.leftAlone(r) && slices.ContainsFunc(t.all(side.Other()), func(x *rec) bool { return x.linked == r && x.passesForNew(true) }):
		case !r.user && t.wantedAnew && len(t.all(side.Other())) > 1: // of several across a person had one made anew
		case !r.user && o.w.restored && o.lies[t.kind][side] > 0: // what was made was forgotten, and a list said that it was not there
		case !r.user:
			o.wrong("thing %d was made twice on the %s: %s and %s", t.n, side, r.id, made.id)
		case o.lies[t.kind][side] > 0: // a list said that it was not there, and one before it was made may have said so in truth
		case o.w.odds(side, oddGetLag) > 0 && !r.back.IsZero(): // it was removed and put back, and reads by id still say that it is gone
		case o.w.unreadable(r) && t.approved[side]: // a person approved it, who was told that what nobody can read may be the same
		case r.there().Before(t.sent[side].Add(-o.w.c.sides[side].lag)) && o.same(t, r, made):
			o.wrong("thing %d was made on the %s as %s, and a user had entered it there as %s", t.n, side, made.id, r.id)
		}
	}
}

// same reports whether a record that was there was to be known for the same thing: its
// keys were that of all others of the thing all the time, and nobody else's.
func (o *oracle) same(t *thing, r, made *rec) bool {
	if t.kind == stays {
		g := o.things[guests][t.n]
		if g == nil || g.torn || !o.same(g, r, made) {
			return false
		}
	}
	for _, f := range [2][]string{guests: {"phone"}, stays: {"arrival", "departure"}}[t.kind] {
		for _, side := range record.Sides {
			for _, x := range t.recs[side] {
				if len(x.held[f]) > 1 || x.now(f) != r.now(f) {
					return false
				}
			}
		}
		if f == "phone" && len(o.phones[r.now(f)]) > 1 {
			return false
		}
	}
	return true
}

// rekeyed reports whether a key of a thing ever changed.
func (o *oracle) rekeyed(t *thing) bool {
	if t.kind == stays {
		return true
	}
	for _, rs := range t.recs {
		for _, r := range rs {
			if len(r.held["phone"]) > 1 {
				return true
			}
		}
	}
	return false
}

// sentUpdate judges an update: of a record of the same thing, with values that the
// other side held, or that a person chose.
func (o *oracle) sentUpdate(side record.Side, ch record.Change) {
	kind := kindOf(ch.Ref.Kind)
	r := o.recs[kind][side][ch.Ref.ID]
	if r == nil {
		o.wrong("%s %s: there never was such a record", ch.Op, ch.Ref)
		return
	}
	if o.w.odds(side, oddFixed) > 0 && ch.Op == record.Update && ch.Fields[path(side, "mail")].Text() != aside { // archive asks no leave of it
		o.wrong("%s %s: what is there can't be changed", ch.Op, ch.Ref)
	}
	o.looked(r, ch)
	r.ours, r.t.unsent = o.w.runs, nil
	if o.passedOn(r, numberIn(ch.Fields[path(side, tag[kind])].Text())) {
		r.t.torn = true
		return
	}
	for _, f := range fields[kind] {
		v, ok := ch.Fields[path(side, f)]
		if !ok {
			continue
		}
		if f == tag[kind] && !slices.ContainsFunc(o.akin(r.t), func(t *thing) bool { return t.n == numberIn(v.Text()) }) {
			o.wrong("%s of thing %d was to be written over with %q", ch.Ref, r.t.n, v.Text())
			return
		}
		if back := o.wanted(r, f, ch.Before); f == "status" {
			if !back && (!o.checked(r.side, ch) || r.native[path(side, f)].Equal(ch.Before[path(side, f)])) {
				o.sentStatus(r, v.Text())
			}
			continue
		} else if back && (v.Empty() || o.respelt(r, f, v.Text())) { // nobody emptied it, and a person wants it as it was across
			continue
		}
		if o.reverts(r, f, v.Text()) {
			o.wrong("%s of thing %d, %s on the %s, was edited last, to %q, and was to be %q again, which stood there before: nobody was asked", f, r.t.n, r.id, r.side, r.now(f), v.Text())
			return
		}
		o.sentValue(r, f, v.Text())
	}
	if kind == stays {
		o.sentGuest(r, ch.Fields)
	}
}

// respelt reports whether a record held a value itself, and the record across holds it in its own spelling. After
// a person's no the record gets back its own value, not that spelling.
func (o *oracle) respelt(r *rec, f, v string) bool {
	return f == "note" && o.w.c.sides[r.side.Other()].lossy && r.ever(f, v) && slices.ContainsFunc(o.akin(r.t), func(t *thing) bool {
		return slices.ContainsFunc(t.recs[r.side.Other()], func(x *rec) bool { return x.ever(f, lossy(v)) })
	})
}

// sentDelete judges a delete: the job's rule is that a record goes when the one across
// is gone, and it is gone.
func (o *oracle) sentDelete(side record.Side, ch record.Change) {
	r := o.recs[kindOf(ch.Ref.Kind)][side][ch.Ref.ID]
	if o.w.c.gone[side] != away.GoneDelete && (r == nil || !r.t.carried) {
		o.wrong("%s was to be deleted, and no rule says so", ch.Ref)
		return
	}
	switch {
	case r == nil:
		o.wrong("%s was to be deleted: there never was such a record", ch.Ref)
	case !o.across(r):
		o.wrong("%s of thing %d was to be deleted, and no rule says so: the one across is there", ch.Ref, r.t.n)
	default:
		o.looked(r, ch)
	}
}

// across reports whether the record across from one is gone, or was until just now.
func (o *oracle) across(r *rec) bool {
	side := r.side.Other()
	lately := o.begun.Add(o.w.late[side]).Add(-settle)
	gone := func(x *rec) bool { return x.dead || x.back.After(lately) }
	if r.linked != nil && !o.restored {
		return gone(r.linked)
	}
	return slices.ContainsFunc(o.akin(r.t), func(t *thing) bool { return slices.ContainsFunc(t.recs[side], gone) })
}

// checked reports whether a side refuses a change that was decided upon what its record
// does not hold any more.
func (o *oracle) checked(side record.Side, ch record.Change) bool {
	c := o.w.c.sides[side]
	return (ch.Op == record.Update || ch.Op == record.Action) && (c.guarded || c.versions && ch.Version != "")
}

// looked judges whether a record was looked at before it is written over: what it holds
// is what the change was decided upon, or a user changed it since it was read, which
// nobody can know. A system that refuses what is stale needs no such look.
func (o *oracle) looked(r *rec, ch record.Change) {
	if o.checked(r.side, ch) || r.dead {
		if o.w.odds(r.side, oddStill) > 0 && !o.w.c.sides[r.side].guarded && !r.native.Equal(r.native.With(ch.Before)) {
			r.t.blurred = true // the first such edit is what tells that the version stands still
		}
		return
	}
	if r.shown == nil && o.w.gets(r.side) {
		o.wrong("%s was written over without a look at it", ch.Ref)
		return
	}
	for p, was := range ch.Before {
		now := r.native[p]
		if now.Equal(was) || !was.Observed() && now.Empty() || p == path(r.side, "note") && o.w.lackedLately(r) {
			continue
		}
		if o.w.justNow(r, p, was) {
			r.t.blurred = true
			continue
		}
		if !r.edited {
			o.wrong("%s holds %s in %s, and was written over as if it held %s", ch.Ref, now, p, was)
			return
		}
		r.t.blurred = true
	}
}

// sentValue judges a value by where it comes from.
func (o *oracle) sentValue(r *rec, f, v string) {
	if slices.Contains(r.t.chosen[f], v) || v == aside && o.w.c.gone[r.side] == away.GoneArchive && o.across(r) {
		return
	}
	lately := o.begun.Add(o.w.late[r.side.Other()]).Add(-settle - resumed)
	for _, t := range o.akin(r.t) {
		for _, x := range t.recs[r.side.Other()] {
			if v != "" && (x.ever(f, v) || o.unread(x, f, v)) || v == "" && slices.Contains(x.since(f, lately), "") && (o.emptied(t, f, x.side) || o.w.c.sides[x.side].getLag > 0 || o.shownLate(t, x, f)) { // what lags shows what was there before
				return
			}
		}
	}
	if v == "" && o.restored { // what we emptied ourselves was forgotten
		return
	}
	if v == "" && o.lied[r.side] && o.emptied(r.t, f, r.side) { // a user did, before the system was put back, and it went across
		return
	}
	if v == "" {
		o.wrong("%s of thing %d, %s on the %s, was to be emptied, and nobody emptied it", f, r.t.n, r.id, r.side)
		return
	}
	o.wrong("%s of thing %d, %s on the %s, was to be %q, which the other side never held", f, r.t.n, r.id, r.side, v)
}

// shownLate reports whether lists show what was there before a user entered what a field of a
// record holds: a read by id may have shown that first. What we wrote ourselves is waited for.
func (o *oracle) shownLate(t *thing, x *rec, f string) bool {
	ws := slices.DeleteFunc(slices.Clone(t.writes[f]), func(w write) bool { return w.side != x.side })
	return o.w.c.sides[x.side].lag > 0 && len(ws) > 0 && ws[len(ws)-1].value == x.now(f)
}

// resumed is how old a list may be that a run goes on with after a death.
const resumed = 6 * time.Hour

// akin is the things that may be taken for one another: somebody gave one the number of
// the other, or merged one into the other.
func (o *oracle) akin(t *thing) []*thing {
	if t.kind == stays {
		return []*thing{t}
	}
	out := []*thing{t}
	for i := 0; i < len(out); i++ {
		for _, u := range out[i].merged {
			if !slices.Contains(out, u) {
				out = append(out, u)
			}
		}
		for _, rs := range out[i].recs {
			for _, r := range rs {
				for _, h := range r.held["phone"] {
					for n := range o.phones[h.value] {
						if u := o.things[guests][n]; u != nil && !slices.Contains(out, u) {
							out = append(out, u)
						}
					}
				}
			}
		}
	}
	return out
}

// maybe reports whether a guest may be taken for the one of a number, since users merged them, or
// by the job's rule one stands for all who have a key.
func (o *oracle) maybe(g *thing, n int) bool {
	return (len(g.merged) > 0 || o.w.is(oddStands) > 0) && slices.ContainsFunc(o.akin(g), func(t *thing) bool { return t.n == n })
}

// heldByKin reports whether somebody who was merged with the guest of a number ever had
// a phone.
func (o *oracle) heldByKin(phone string, n int) bool {
	g := o.things[guests][n]
	if g == nil || len(g.merged) == 0 {
		return false
	}
	return slices.ContainsFunc(o.akin(g), func(t *thing) bool { return o.phones[phone][t.n] })
}

// emptied reports whether a user ever took the value of a field out on a side.
func (o *oracle) emptied(t *thing, f string, side record.Side) bool {
	return slices.ContainsFunc(t.writes[f], func(x write) bool { return x.side == side && x.value == "" })
}

var deadWords = []string{"cancelled", "rejected", "no_show", "CANCELLED", "REJECTED"}

// sentStatus judges a status: what is over is not brought back, but by the desk, or by
// a person who was asked.
func (o *oracle) sentStatus(r *rec, v string) {
	r.sent = v
	r.t.travels(r.side)
	if over(v) {
		o.arrives(r, v)
	}
	if !slices.Contains(deadWords, r.now("status")) || slices.Contains(deadWords, v) || r.byRuling(v) || o.endedUnseen(r) || o.endedSince(r) {
		return
	}
	if r.side == record.Left { // the desk may have taken it back from the dead
		for _, x := range r.t.recs[record.Right] {
			if len(x.held["status"]) > 1 && slices.ContainsFunc(x.since("status", o.begun.Add(o.w.late[x.side]).Add(-settle)), func(s string) bool { return !slices.Contains(deadWords, s) }) {
				return
			}
		}
	}
	o.wrong("thing %d, %s on the %s, is %s, and was to be %s again", r.t.n, r.id, r.side, r.now("status"), v)
}

// endedSince reports whether a user ended a record after all that was asked of its side: between a
// look and the request after it, which nobody can know.
func (o *oracle) endedSince(r *rec) bool {
	hs := r.held["status"]
	return r.edited && hs[len(hs)-1].from.After(o.asked[r.side])
}

// sentGuest judges for whom a booking is written.
func (o *oracle) sentGuest(r *rec, native record.Fields) {
	if v, ok := native["their_guest_id"]; ok && r.side == record.Right {
		if g := o.recs[guests][record.Right][v.Text()]; g == nil || g.t.n != r.t.n && !o.maybe(g.t, r.t.n) {
			o.wrong("booking %d was to be given to another guest, %s", r.t.n, v.Text())
		}
	}
	if v, ok := native["guest_phone"]; ok && r.side == record.Left && !o.phones[v.Text()][r.t.n] && !o.heldByKin(v.Text(), r.t.n) {
		o.wrong("booking %d was to be given to another guest, %s", r.t.n, v.Text())
	}
}
