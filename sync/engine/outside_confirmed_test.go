package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A booking was entered, and its room is gone a minute later. If nobody has touched the booking, it gives way. If the
// desk has confirmed it, or moved it, or if the guest is in the house, it stands, and the desk is told once.
func TestOutsideWhatTheDeskDecidedNeverGivesWay(t *testing.T) {
	for _, tt := range []struct {
		name, field, value string
		stands             bool
	}{
		{name: "untouched"},
		{name: "its name was edited", field: "name", value: "Anna Maria"},
		{name: "in the house", field: "note", value: "checked_in", stands: true},
		{name: "moved", field: "mail", value: "2100-01-02", stands: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				full := false
				w := inn(t, 1, func(r record.Record) bool { return full && r.Ref.ID != "" })
				defer w.close()
				w.run(engine.Options{})
				w.tick(20 * time.Second)
				w.run(engine.Options{})
				if tt.field != "" {
					w.edit(record.Right, 1, tt.field, tt.value)
				}
				w.tick(20 * time.Second)
				full = true
				for range 3 {
					w.run(engine.Options{})
					w.tick(10 * time.Second)
				}
				status := w.value(record.Right, 1, "note")
				if stands := status != "rejected"; stands != tt.stands {
					t.Errorf("it has the status %s", status)
				}
				wantCount(t, "told that there is no room", w.alerts("booking_oversold"), 1)
			})
		})
	}
}
