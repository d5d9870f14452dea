package histories

import (
	"testing"

	"nightporter/sync/record"
)

// A change of ours lands late, while nobody looks. A write is judged by what its record
// holds then: whoever read it since is right, and whoever read it before is not.
func TestLandedUnseen(t *testing.T) {
	for _, c := range []struct {
		name  string
		reads bool // since it landed
		wrong string
	}{
		{"read since", true, ""},
		{"read before", false, "contacts:000001 holds landed#0 in full_name, and was written over as if it held p#0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := newWorld(history{seed: 1, files: true}, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			w.c = climate{sides: [2]weather{{class: "D"}, {class: "D"}}}
			w.begin()
			w.put(record.Left, step{})
			kind := kinds[guests][record.Left]
			r := w.alive(record.Left, guests, 0)
			known, _ := w.sys[record.Left].Get(kind, r.id)
			w.read(record.Left, known.Ref, known, nil)
			w.sys[record.Left].Edit(kind, r.id, record.Fields{"full_name": record.OfText("landed#0")})
			if c.reads {
				known, _ = w.sys[record.Left].Get(kind, r.id)
				w.read(record.Left, known.Ref, known, nil)
			}
			w.sent(record.Left, record.Change{Op: record.Update, Ref: known.Ref, Before: known.Fields})
			if w.fault != c.wrong {
				t.Errorf("the oracle says %q", w.fault)
			}
		})
	}
}
