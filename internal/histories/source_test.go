package histories

import (
	"context"
	"slices"
	"testing"
	"time"

	"nightporter/sync/record"
)

// sources is the records of a side that a create with the name of a thing may be made from:
// its own, and of a guest who was given the number of another those that carry his name
// since they were taken for the same by that number, which is the one that is sent.
func (o *oracle) sources(t *thing, side record.Side, phone string) []*rec {
	out := slices.Clone(t.recs[side])
	for _, u := range o.akin(t) {
		for _, r := range u.recs[side] {
			if u != t && numberIn(r.now(tag[t.kind])) == t.n && r.ever("phone", phone) {
				out = append(out, r)
			}
		}
	}
	return out
}

// passesForNew reports whether nobody can tell a record that was put back from a new one under
// an id that its system gives again: its counterpart went with it (and may be back as it was), or was left to itself; it
// has another phone than it had, and of what it ever held less than half is as it was.
func (r *rec) passesForNew(alone bool) bool {
	if r.t.kind != guests || r.back.IsZero() || r.linked == nil || len(r.held["phone"]) < 2 {
		return false
	}
	if !alone && !r.linked.dead && r.linked.back.IsZero() {
		return false
	}
	filled, left := 0, 0
	for _, f := range fields[guests] {
		switch same := len(r.held[f]) < 2; {
		case same && r.now(f) != "":
			filled, left = filled+1, left+1
		case !same: // emptied, too
			filled++
		}
	}
	return 2*left < filled
}

// leftAlone reports whether a record was left to itself when its partner was gone.
func (w *world) leftAlone(r *rec) bool {
	if r == nil || w.store == nil {
		return false
	}
	place, ref := record.Place{Binding: jobs[r.t.kind], Side: r.side}, record.Ref{Kind: kinds[r.t.kind][r.side], ID: r.id}
	p, _, err := w.store.PairOf(context.Background(), place, ref)
	w.must("read link", err)
	return p.State == record.LinkParted
}

// A guest who was removed on both sides, and put back on the right, is made across as a new one
// when all that he was known by is another, and not before.
func TestPutBackAsAnother(t *testing.T) {
	const was, is = "+390550000001", "+390550000002"
	again := "thing 1 was to be created again on the left: all its records were linked before"
	for _, c := range []struct {
		name        string
		full, phone string
		note        string
		stays       bool // the left's is there still
		here        bool // the right's was never removed
		want        string
	}{
		{name: "another", full: "n2#1", phone: is},
		{name: "with his number", full: "n2#1", phone: was, want: again},
		{name: "with his name", full: "p#1", phone: is, want: again},
		{name: "with his name alone of three", full: "p#1", phone: is, note: "two"},
		{name: "across he is there", full: "n2#1", phone: is, stays: true, want: again},
		{name: "never removed", full: "n2#1", phone: is, here: true, want: again},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{}
			w.oracle = newOracle(w)
			th, start := w.thing(guests, 1), time.Now()
			for _, side := range record.Sides {
				th.recs[side] = []*rec{{t: th, side: side, id: "1", held: map[string][]held{tag[guests]: {{value: "p#1", from: start}}, "phone": {{value: was, from: start}}, "note": {{value: c.note, from: start}}}}}
			}
			l, r := th.recs[record.Left][0], th.recs[record.Right][0]
			l.linked, r.linked, l.dead = r, l, !c.stays
			if !c.here {
				r.back = start.Add(time.Minute)
			}
			if c.note != "" {
				r.held["note"][0].value = "one"
			}
			for f, v := range map[string]string{tag[guests]: c.full, "phone": c.phone, "note": c.note} {
				if v != r.now(f) {
					r.held[f] = append(r.held[f], held{value: v, from: start.Add(time.Hour)})
				}
			}
			w.sentCreate(record.Left, record.Change{Op: record.Create, Ref: record.Ref{Kind: kinds[guests][record.Left]}, Fields: record.Fields{
				path(record.Left, tag[guests]): record.OfText(c.full), path(record.Left, "phone"): record.OfText(c.phone),
			}})
			if w.fault != c.want {
				t.Errorf("the oracle says %q, want %q", w.fault, c.want)
			}
			if c.stays && (r.passesForNew(false) || !r.passesForNew(true)) {
				t.Errorf("one whose counterpart stands passes for new %t, and %t where that was left to itself", r.passesForNew(false), r.passesForNew(true))
			}
		})
	}
}

// A guest of whom all records were linked is made again from the record of another one
// that carries his name and number, and from nothing else.
func TestWhatACreateIsMadeFrom(t *testing.T) {
	const own, other = "+390550000001", "+390550000002"
	for _, c := range []struct {
		name   string
		linked bool      // his own record was
		held   [2]string // by the record of another: name and phone
		apart  bool      // it was linked as well
		want   string
	}{
		{name: "his own"},
		{name: "his own was linked", linked: true, want: "thing 1 was to be created again on the left: all its records were linked before"},
		{name: "one that carries his name and number", linked: true, held: [2]string{"x#1", other}},
		{name: "one that carries his number alone", linked: true, held: [2]string{"x#2", other}, want: "thing 1 was to be created again on the left: all its records were linked before"},
		{name: "one that carries his name alone", linked: true, held: [2]string{"x#1", own}, want: "thing 1 was to be created again on the left: all its records were linked before"},
		{name: "one that was linked as well", linked: true, held: [2]string{"x#1", other}, apart: true, want: "thing 1 was to be created again on the left: all its records were linked before"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{}
			w.oracle = newOracle(w)
			add := func(side record.Side, id string, n int, name string, phones ...string) *rec {
				th := w.thing(guests, n)
				r := &rec{t: th, side: side, id: id, held: map[string][]held{tag[guests]: {{value: name, from: time.Now()}}}}
				for _, p := range phones {
					r.held["phone"] = append(r.held["phone"], held{value: p, from: time.Now()})
					if w.phones[p] == nil {
						w.phones[p] = map[int]bool{}
					}
					w.phones[p][n] = true
				}
				th.recs[side] = append(th.recs[side], r)
				return r
			}
			l := add(record.Left, "l1", 1, "x#1", own, other) // a user gave him the number of another
			r := add(record.Right, "r1", 1, "x#1", own)
			if c.linked {
				r.linked = l
			}
			if c.held[0] != "" {
				x := add(record.Right, "r2", 2, c.held[0], c.held[1])
				if c.apart {
					x.linked = l
				}
			}
			sent := own
			if c.held[0] != "" {
				sent = other
			}
			w.sentCreate(record.Left, record.Change{Op: record.Create, Ref: record.Ref{Kind: kinds[guests][record.Left]}, Fields: record.Fields{
				path(record.Left, tag[guests]): record.OfText("x#1"), path(record.Left, "phone"): record.OfText(sent),
			}})
			if w.fault != c.want {
				t.Errorf("the oracle says %q, want %q", w.fault, c.want)
			}
		})
	}
}
