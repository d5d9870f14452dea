package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A time of change in milliseconds, that no job maps, passes as a payment card after a first update, or
// before it, or is empty while it is worked out: it is the system's own, or can't be compared, and no trial stops
// for it. What passes as a card and stands emptied is not known to have been there.
func TestOutside06ATimeThatPassesAsACard(t *testing.T) {
	for name, tt := range map[string]struct {
		kind          memory.Kind
		before, after string
	}{
		"after":               {memory.Kind{}, "30569309025903", "30569309025904"},
		"before":              {memory.Kind{}, "30569309025904", "30569309025903"},
		"both":                {memory.Kind{}, "30569309025904", "4111111111111111"},
		"the system's own":    {memory.Kind{Drops: []string{"their_remark"}, Keeps: []string{"their_remark"}}, "17", ""},
		"neither, and stands": {memory.Kind{}, "17", "18"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := tt.kind
				k.Tried = true
				w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: k}, cards: true})
				defer w.close()
				for n := range 2 {
					for _, side := range record.Sides {
						w.put(side, n, map[string]string{"name": "Ada", "mail": "ada@example.com"})
					}
					r, _ := w.find(record.Right, n)
					w.sys[record.Right].Edit(kinds[record.Right], r.Ref.ID, record.Fields{"their_remark": record.OfText(tt.before)})
				}
				w.rest()
				ada, _ := w.find(record.Right, 0)
				w.sys[record.Right].Hook(memory.Hooks{Step: func(step string) {
					if strings.HasPrefix(step, "after update") && tt.after != "" {
						w.sys[record.Right].Edit(kinds[record.Right], ada.Ref.ID, record.Fields{"their_remark": record.OfText(tt.after)})
					}
				}})
				w.sys[record.Right].ResetCounts()
				for n := range 2 {
					w.edit(record.Left, n, "name", "Grace")
					w.run(engine.Options{Yes: true})
					w.tick(settle)
				}
				w.rest()
				for n := range 2 {
					if got := w.value(record.Right, n, "name"); got != "Grace" {
						t.Errorf("guest %d has the name %q", n, got)
					}
				}
				r, _ := w.find(record.Right, 0)
				if got, h := r.Fields["their_remark"].Text(), w.halted("trial"); got != tt.after || len(h) > 0 {
					t.Errorf("the system's own is %q, halts: %q", got, h)
				}
			})
		})
	}
}

// A card that a first update empties is not put back as asterisks, nor is what else it emptied left so.
func TestOutside06ACardIsNeverPutBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {Tried: true, Replaces: true}}, cards: true})
		defer w.close()
		for _, side := range record.Sides {
			w.put(side, 0, map[string]string{"name": "Ada", "mail": "ada@example.com"})
		}
		ada, _ := w.find(record.Right, 0)
		w.sys[record.Right].Edit(kinds[record.Right], ada.Ref.ID, record.Fields{"their_remark": record.OfText("4111111111111111")})
		w.rest()
		w.edit(record.Left, 0, "name", "Grace")
		w.rest()
		r, _ := w.find(record.Right, 0)
		if got := r.Fields["their_remark"].Text(); got == "****" {
			t.Errorf("the right has %q in place of the card", got)
		}
		if got := w.value(record.Right, 0, "mail"); got != "ada@example.com" || len(w.halted("trial")) == 0 {
			t.Errorf("the mail is %q, halts: %q", got, w.halted("trial"))
		}
	})
}
