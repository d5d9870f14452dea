package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// shop is a world of one order: the right is the shop, whose status counts, and the left takes
// the money.
func shop(t *testing.T, sealed bool) *world {
	key := ""
	if sealed {
		key = filepath.Join(t.TempDir(), "key")
	}
	w := newWorld(t, setting{
		sealed:   key,
		policies: map[string]merge.Policy{"name": merge.RightWins, "note": merge.Newest, "mail": merge.LeftWins},
		oneWay:   map[string]merge.Direction{"mail": merge.ToRight},
		status:   "note",
	})
	w.eng.Jobs[job].Rules.Clashes = []plan.Clash{{"note": {"cancelled"}, "mail": {"paid"}}}
	for _, side := range record.Sides {
		w.put(side, 1, map[string]string{"name": "order", "note": "confirmed", "mail": "unpaid"})
	}
	w.rest()
	return w
}

func (w *world) order() string {
	return fmt.Sprintf("%s %s | %s %s", w.value(record.Left, 1, "note"), w.value(record.Left, 1, "mail"),
		w.value(record.Right, 1, "note"), w.value(record.Right, 1, "mail"))
}

// asks is the fields of which a person is asked.
func (w *world) asks() string {
	w.Helper()
	cs, err := w.store.Questions(context.Background(), job, true)
	w.must(err)
	fields := map[string]bool{}
	for _, c := range cs {
		fields[c.Field] = true
	}
	return fmt.Sprint(sorted(fields))
}

// An order that one side cancelled is cancelled on both, by our write on the other. A payment
// that arrives there after that is a person's to see; where the side that takes the money
// cancelled by itself it knew of both, and nobody is asked.
func TestWeakPaidAfterOurCancel(t *testing.T) {
	for _, c := range []struct {
		by     record.Side
		sealed bool
		asked  string
		then   string // after a person said that the payment stands
	}{
		{record.Right, false, "[mail]", "cancelled paid | cancelled paid"},
		{record.Left, false, "[]", "cancelled paid | cancelled paid"},
		{record.Right, true, "[mail]", "cancelled paid | cancelled paid"},
		{record.Left, true, "[]", "cancelled paid | cancelled paid"},
	} {
		t.Run(fmt.Sprint("cancelled by the ", c.by, ", sealed ", c.sealed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := shop(t, c.sealed)
				defer w.close()
				w.edit(c.by, 1, "note", "cancelled")
				w.rest()
				if got := w.order(); got != "cancelled unpaid | cancelled unpaid" {
					t.Fatalf("got %s", got)
				}
				w.tick(24 * time.Hour)
				w.edit(record.Left, 1, "mail", "paid")
				w.rest()
				if got := w.asks(); got != c.asked {
					t.Errorf("asked about %s, want %s (%s)", got, c.asked, w.order())
				}
				if c.by == record.Right {
					cs, err := w.store.Questions(t.Context(), job, true)
					if err != nil || len(cs) != 1 {
						t.Fatalf("got %v, %v", cs, err)
					}
					w.must(w.store.Choose(t.Context(), cs[0].ID, "left", record.Value{}, time.Now()))
				}
				w.rest()
				if got := w.order(); got != c.then {
					t.Errorf("got %s, want %s", got, c.then)
				}
				if got := w.asks(); got != "[]" {
					t.Errorf("still asked about %s", got)
				}
				before := w.mutations()
				w.rest()
				if n := w.mutations() - before; n != 0 {
					t.Errorf("%d more writes", n)
				}
			})
		})
	}
}

// A person is asked whether an order is cancelled that was paid for, and reads do not show
// the payment meanwhile, or show nothing of it: the cancel waits all the same.
func TestWeakCancelWaitsWherePaymentIsNotShown(t *testing.T) {
	for _, c := range []struct {
		calls        []memory.Call
		edit, sealed bool
	}{
		{[]memory.Call{memory.CallFetch}, false, false},
		{[]memory.Call{memory.CallGet}, false, false},
		{[]memory.Call{memory.CallFetch, memory.CallGet}, false, false},
		{[]memory.Call{memory.CallFetch, memory.CallGet}, true, false},
		{[]memory.Call{memory.CallFetch, memory.CallGet}, false, true},
		{[]memory.Call{memory.CallFetch}, true, true},
		{[]memory.Call{memory.CallGet}, true, true},
		{[]memory.Call{memory.CallFetch, memory.CallGet}, true, true},
	} {
		t.Run(fmt.Sprint(c.calls, " edited ", c.edit, " sealed ", c.sealed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := shop(t, c.sealed)
				defer w.close()
				w.edit(record.Left, 1, "mail", "paid")
				w.edit(record.Right, 1, "note", "cancelled")
				w.rest()
				asked := w.asks()
				if got := w.order(); got != "confirmed paid | cancelled unpaid" || asked == "[]" {
					t.Fatalf("got %s, asked %s", got, asked)
				}
				for _, call := range c.calls {
					w.sys[record.Left].Inject(memory.Fault{Call: call, Times: -1, LeaveOut: []string{"mail"}})
				}
				for n := range 3 {
					if c.edit {
						w.edit(record.Left, 1, "name", fmt.Sprint("order ", n))
						w.edit(record.Right, 1, "name", fmt.Sprint("order ", n))
					}
					w.rest()
				}
				if got := w.order(); got != "confirmed paid | cancelled unpaid" {
					t.Errorf("got %s", got)
				}
				if got := w.asks(); got != asked {
					t.Errorf("asked about %s, want %s", got, asked)
				}
			})
		})
	}
}
