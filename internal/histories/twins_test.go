package histories

import (
	"slices"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// twins reports whether a side holds a thing twice, and nothing tells any more that one of
// both was made by us: the state was put back to a copy that does not know it, and there is
// no place for our mark. Then it looks entered twice.
func (o *oracle) twins(t *thing, side record.Side) bool {
	marked := slices.Contains([]connectors.Class{connectors.ClassB, connectors.ClassC}, o.w.c.sides[side].class)
	return o.restored && !marked && len(t.all(side)) > 1
}

// What looks entered twice may be made across twice. That our own record is not known for
// ours is forgiven to a state that was put back alone, and where no mark says so.
func TestTwins(t *testing.T) {
	for _, c := range []struct {
		name     string
		restored bool
		class    connectors.Class
		gone     bool // one of both is
		wrong    bool
	}{
		{name: "put back, no mark", restored: true, class: connectors.ClassD},
		{name: "put back, and marked", restored: true, class: connectors.ClassC, wrong: true},
		{name: "put back, one of both is gone", restored: true, class: connectors.ClassD, gone: true, wrong: true},
		{name: "the state knows all", class: connectors.ClassD, wrong: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{}
			w.c.sides[record.Right].class = c.class
			w.oracle = newOracle(w)
			w.restored = c.restored
			th := w.thing(guests, 1)
			add := func(side record.Side, id string, user bool) *rec {
				r := &rec{t: th, side: side, id: id, user: user}
				th.recs[side] = append(th.recs[side], r)
				return r
			}
			add(record.Right, "r1", true)
			add(record.Right, "r2", false).dead = c.gone
			add(record.Left, "l1", false)
			w.doubled(add(record.Left, "l2", false))
			if (w.fault != "") != c.wrong {
				t.Errorf("the oracle says %q, want something: %t", w.fault, c.wrong)
			}
		})
	}
}

// passedOn reports whether a booking that was never linked names its guest by a phone which the
// guest of another number has by now: nobody can tell whom it meant.
func (o *oracle) passedOn(r *rec, n int) bool {
	if r.t.kind != stays || n < 0 || n == r.t.n {
		return false
	}
	phone := r.native["guest_phone"].Text()
	return r.side == record.Left && r.linked == nil && phone != "" && o.phones[phone][n] && o.phones[phone][r.t.n]
}
