package engine_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// wake runs the job of the guests for those that stays wait for, and then the job of the stays, as `sync` does.
func (n *hostel) wake() {
	n.Helper()
	ctx := context.Background()
	waits, err := n.store.Awaited(ctx)
	if err != nil {
		n.Fatal(err)
	}
	for _, w := range waits {
		if _, err := n.eng.Run(ctx, w.Binding, engine.Options{Yes: true, Only: []record.Ref{w.Ref}, OnlySide: w.Side, After: true}); err != nil {
			n.Fatalf("run %s: %v", w.Binding, err)
		}
	}
	if _, err := n.eng.Run(ctx, stayJob, engine.Options{Yes: true, Seen: true, After: true}); err != nil {
		n.Fatalf("run %s: %v", stayJob, err)
	}
}

// Guests are made on the left only once a stay names them, and the desk's guests can't be read by their ids. A guest
// whom a stay names is made as the list shows him, and then the stay. Nobody else is made, nor a guest who left the
// list meanwhile.
func TestOutsideAGuestWhoCantBeReadIsMadeForHisStay(t *testing.T) {
	for _, byPhone := range []bool{true, false} {
		for _, gone := range []bool{false, true} {
			t.Run(fmt.Sprintf("by phone %t, gone %t", byPhone, gone), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n := hostelOf(t, away.GoneHold, away.GoneHold, false)
					if byPhone {
						n.byPhone()
					}
					left, right := record.Left, record.Right
					n.eng.Jobs[job].Sides[left].Create = engine.WhenReferenced
					n.eng.Jobs[job].Sides[right].Can.Get = false
					n.guest("Anna", phoneOf(1))
					bruno := n.guest("Bruno", phoneOf(2))
					n.stay(right, bruno, "2027-01-11", "102")
					n.sync()
					n.sync() // a list that was read whole twice tells what the left lacks
					if gone {
						n.sys[right].Remove(kinds[right], bruno)
					}
					<-time.After(time.Minute)
					n.wake()
					guests, stays := n.sys[left].All(kinds[left]), n.sys[left].All(stayKinds[left])
					want := 1
					if gone {
						want = 0
					}
					if len(guests) != want || len(stays) != want || want > 0 && guests[0].Fields["name"].Text() != "Bruno" {
						t.Errorf("the left has the guests %v and the stays %v, want %d of each", guests, stays, want)
					}
				})
			})
		}
	}
}
