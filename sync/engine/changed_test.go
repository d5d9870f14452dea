package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/sync/engine"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// A value that can't be read is noted once a run, written nowhere, and no change that
// the guards count; what changed beside it is.
func TestUnreadableIsNoChange(t *testing.T) {
	for _, beside := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, setting{guards: guard.Guards{Changed: 50}})
			defer w.close()
			left := w.sys[record.Left]
			for n := range 20 {
				left.Put("contacts", record.Fields{"phone": record.OfText(fmt.Sprintf("+3905500001%02d", n)), "note": record.OfText("x")})
			}
			w.rest()
			for _, r := range left.All("contacts")[:11] {
				f := record.Fields{"phone": record.OfText("call her " + r.Ref.ID)}
				if beside {
					f["note"] = record.OfText("y")
				}
				left.Edit("contacts", r.Ref.ID, f)
			}
			before := w.mutations()
			for range 2 {
				rep, err := w.try(engine.Options{})
				halted := errors.Is(err, engine.ErrHalted)
				if err != nil && !halted || halted != beside {
					t.Fatalf("with an edit beside it %v: got %v, %+v", beside, err, rep.Halts)
				}
				if n := notes(rep, record.Left, true, "its phone can't be read"); n != 11 || rep.Counts["left.unreadable"] != 11 {
					t.Errorf("got %d notes, %v", n, rep.Counts)
				}
			}
			if n := w.mutations() - before; n != 0 {
				t.Errorf("%d writes were made", n)
			}
			for _, r := range w.sys[record.Right].All("people") {
				if !strings.HasPrefix(r.Fields["their_phone"].Text(), "+39055") {
					t.Errorf("the right has %v", r.Fields)
				}
			}
		})
	}
}
