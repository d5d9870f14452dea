package e2e

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"nightporter/sync/engine"
	"nightporter/sync/plan"
)

// What waits for its hour, or for ever, costs no request beside the list, and verify says
// why it waits.
func TestWhatIsKeptBackCostsNothing(t *testing.T) {
	inHours(t, "    never_to: { platform: { file: never.txt } }\n", func(t *testing.T, d *desk) {
		d.write(filepath.Join(d.dir, "never.txt"), "055 000009\n")
		for range 3 { // what is linked is what a run asks for, to know the account by it
			d.wants("055 000001")
		}
		d.run(0)
		d.placed("at first", 3)
		d.run(0)
		d.wants("055 000009")
		before := d.sim.Counts().Routes["GET /calls/{id}"]
		d.run(0)
		d.placed("with one that is never called", 3)
		if n := d.sim.Counts().Routes["GET /calls/{id}"] - before; n != 0 {
			t.Errorf("%d calls were read by id for a call that is not placed, want none", n)
		}
		a := d.openDesk()
		defer a.Close()
		rep, err := a.Engine.Run(context.Background(), "outbound", engine.Options{Dry: true, Full: true, Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, lone := range rep.Verified.Lone {
			if lone.Ref.ID != "4" {
				continue
			}
			if lone.Cause != plan.Waits || !strings.Contains(lone.Why, "never") {
				t.Errorf("verify says %q, %q of it, want that it waits, and why", lone.Cause, lone.Why)
			}
			return
		}
		t.Error("verify says nothing of it")
	})
}
