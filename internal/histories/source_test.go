package histories

import (
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
