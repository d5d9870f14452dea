package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A booking that we entered gives way once at most, and only if nobody has decided about it since, whatever it shows
// by then. A run that comes later than two minutes tells the desk that there is no room, and takes nothing back.
func TestOutsideABookingGivesWayOnceAndUntouched(t *testing.T) {
	type house struct {
		*world
		full bool
	}
	run := func(w *house) { w.run(engine.Options{}); w.tick(10 * time.Second) }
	desk := func(field, value string) func(w *house) {
		return func(w *house) { w.edit(record.Right, 1, field, value) }
	}
	sell := func(w *house) { w.full = true }
	rest := func(d time.Duration) func(w *house) { return func(w *house) { w.tick(d) } }
	for _, tt := range []struct {
		name   string
		steps  []func(w *house)
		status string // what the right shows in the end
		told   int
	}{
		{"nobody touches it", []func(w *house){sell, run, run}, "rejected", 1},
		{"checked in, seen by a run, and put back", []func(w *house){desk("note", "checked_in"), run, desk("note", "confirmed"), sell, run, run}, "confirmed", 1},
		{"moved, seen by a run, and moved back", []func(w *house){desk("mail", "2100-01-02"), run, desk("mail", "2100-01-01"), sell, run, run}, "confirmed", 1},
		{"cancelled, seen by a run, and taken back", []func(w *house){desk("note", "cancelled"), run, desk("note", "confirmed"), sell, run, run}, "confirmed", 1},
		{"made an option after it was entered as confirmed", []func(w *house){desk("note", "option"), sell, run, run}, "option", 1},
		{"it gave way, and the desk takes it back", []func(w *house){sell, run, desk("note", "confirmed"), run, run, run}, "confirmed", 1},
		{"the first run after two minutes finds that the room is gone", []func(w *house){rest(5 * time.Second), sell, rest(2 * time.Minute), run, run}, "confirmed", 1},
		{"the room goes after a run has found it free after two minutes", []func(w *house){rest(2 * time.Minute), run, sell, run, run}, "confirmed", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &house{}
				w.world = inn(t, 1, func(r record.Record) bool { return w.full && r.Ref.ID != "" })
				defer w.close()
				w.eng.Jobs[job].Booking.Pending = "option"
				run(w)
				for _, step := range tt.steps {
					step(w)
				}
				if got := w.value(record.Right, 1, "note"); got != tt.status {
					t.Errorf("the right shows %s, want %s:\n%s", got, tt.status, w.both())
				}
				wantCount(t, "told that there is no room", w.alerts("booking_oversold"), tt.told)
			})
		})
	}
}
