package histories

import (
	"errors"
	"slices"
	"strings"

	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// meets forgets the ends of bookings of which both sides say the same again when a run
// begins: it may take that for settled, and a cancel is a new one from then on. A run of
// the guests looks at no booking, and one for a record that was named at no other.
func (o *oracle) meets() {
	if o.runOf != stays {
		return
	}
	for _, t := range o.things[stays] {
		t.met = [2]string{}
		l, r := t.all(record.Left), t.all(record.Right)
		if o.passesBy(t) {
			continue
		}
		if len(l) != 1 || len(r) != 1 || !over(l[0].now("status")) && l[0].now("status") == word(record.Left, r[0].now("status")) {
			t.mayMeet()
		}
	}
}

// mayMeet forgets an end that may be none any more: what the run does tells.
func (t *thing) mayMeet() {
	if t.ended != [2]string{} {
		t.ended, t.met = [2]string{}, t.ended
	}
}

// noEnd forgets an end for good.
func (t *thing) noEnd() { t.ended, t.met = [2]string{}, [2]string{} }

// stillApart takes back that a run was thought to take both sides for the same which shows
// that the left's step is let be, and planned nothing anew: it went by what the desk had
// said before, as where a list shows what our own write has just replaced.
func (o *oracle) stillApart() {
	for _, t := range o.things[stays] {
		if o.runOf == stays && t.met != [2]string{} && o.letBe(t) && !o.anew {
			t.ended = t.met
		}
	}
}

// brokeOff takes back what a run was thought to take for settled that stopped before it made
// sure of both systems, without which nothing is settled, or read no more than one of the
// two lists, without which no run by lists decides anything, and no record of a booking.
func (o *oracle) brokeOff(err error) {
	stopped := errors.Is(err, engine.ErrHalted) || err != nil && strings.HasPrefix(err.Error(), "make sure that ")
	both := true
	for _, side := range record.Sides {
		_, listed := o.lists[side][kinds[stays][side]]
		both = both && listed
	}
	if o.runOf != stays || len(o.w.opt.Only) > 0 || o.w.opt.Seen || both && !stopped {
		return
	}
	read := func(r *rec) bool { return r.shown != nil && !stopped }
	for _, t := range o.things[stays] {
		if t.met != [2]string{} && !slices.ContainsFunc(slices.Concat(t.recs[record.Left], t.recs[record.Right]), read) {
			t.ended = t.met
		}
	}
}

// passesBy reports whether the run that is on its way is for records that were named, none
// of a thing among them: it decides nothing about that.
func (o *oracle) passesBy(t *thing) bool {
	opt := o.w.opt
	named := func(r *rec) bool {
		return slices.ContainsFunc(opt.Only, func(ref record.Ref) bool { return ref.ID == r.id })
	}
	return len(opt.Only) > 0 && !slices.ContainsFunc(t.recs[opt.OnlySide], named)
}

// readBack forgets the end of a booking that a run which decides nothing about it reads all
// the same, if the desk has taken it back: what ends it then is a new end.
func (o *oracle) readBack(r *rec, shown record.Fields) {
	if r.t.kind == stays && r.side == record.Right && o.passesBy(r.t) && !over(shown[path(r.side, "status")].Text()) {
		r.t.noEnd()
	}
}

// metSince reports whether both sides may have been read as the same since their end.
func (t *thing) metSince() bool {
	since := func(side record.Side) (words []string) {
		for _, r := range t.recs[side] {
			words = append(words, r.since("status", t.endedAt[side])...)
		}
		return words
	}
	theirs := since(record.Right)
	return slices.ContainsFunc(since(record.Left), func(a string) bool {
		return !over(a) && slices.ContainsFunc(theirs, func(b string) bool { return a == word(record.Left, b) })
	})
}
