package engine_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"

	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// A person rejects changes of two fields each, and before the next run somebody takes one of
// the two back, or changes it to something else. The other stands as it was rejected: it is
// put back, and neither carried over nor asked about again.
func TestWeakRejectedWithOneFieldTakenBack(t *testing.T) {
	for _, c := range []struct {
		field, to  string // what somebody changes
		sealed     bool
		note, name string // of the first record in the end, on both sides
	}{
		{"name", "n0", false, "confirmed", "n0"},
		{"name", "other", false, "confirmed", "other"},
		{"note", "confirmed", false, "confirmed", "n0"},
		{"name", "n0", true, "confirmed", "n0"},
		{"name", "other", true, "confirmed", "other"},
		{"note", "confirmed", true, "confirmed", "n0"},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := setting{guards: oneCancel}
				if c.sealed {
					s.sealed = filepath.Join(t.TempDir(), "key")
				}
				w := house(t, 3, s)
				defer w.close()
				const name = "guest 0"
				held := func(side record.Side, field string) string {
					for _, r := range w.sys[side].All(kinds[side]) {
						if r.Ref == w.ref(side, 0) {
							return r.Fields[spell(side, field)].Text()
						}
					}
					return ""
				}
				for i := range 2 {
					w.sys[record.Left].Edit(kinds[record.Left], w.ref(record.Left, i).ID, record.Fields{
						"note": record.OfText("cancelled"), "name": record.OfText("edited"),
					})
				}
				w.run(engine.Options{})
				w.no(w.onlySet(plan.RiskCancel, 2))
				to, want := c.to, c.name
				if to == "n0" {
					to = name
				}
				if want == "n0" {
					want = name
				}
				w.sys[record.Left].Edit(kinds[record.Left], w.ref(record.Left, 0).ID, record.Fields{c.field: record.OfText(to)})
				for range 3 {
					w.run(engine.Options{})
					if got := held(record.Right, "note"); got != "confirmed" {
						t.Fatalf("a cancel that was rejected went over: %s", got)
					}
				}
				for _, side := range record.Sides {
					if got := held(side, "note"); got != c.note {
						t.Errorf("the note of the %s: got %q, want %q", side, got, c.note)
					}
					if got := held(side, "name"); got != want {
						t.Errorf("the name of the %s: got %q, want %q", side, got, want)
					}
				}
				wantCount(t, "asked of a person", w.alerts("staged"), 1)
			})
		})
	}
}
