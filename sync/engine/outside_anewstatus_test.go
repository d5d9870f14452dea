package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// desk is a house of bookings in which the right side says yes or no: what comes from the left arrives there as an
// option.
func desk(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, setting{status: "note", kinds: [2]memory.Kind{{Delete: true}, {Delete: true, Times: true}}, gone: both(away.GoneHold)})
	w.eng.Jobs[job].Booking = &engine.Booking{Status: "note", Authority: record.Right, Pending: "option", First: "mail", Last: "mail", Dead: []string{"cancelled"}}
	w.eng.Jobs[job].Shrink = 10
	for n := range 4 {
		w.put(record.Right, n, map[string]string{"name": fmt.Sprint("guest ", n), "note": "confirmed", "mail": "2100-01-01"})
	}
	w.rest()
	return w
}

// A booking that the desk had confirmed is made again in the desk's system: it is confirmed there, as it was. A new
// one arrives as an option.
func TestOutsideWhatIsMadeAgainHasTheStatusItHad(t *testing.T) {
	for name, lose := range map[string]func(*world){
		"removed, and a person says that it is made again": func(w *world) {
			w.put(record.Right, 4, map[string]string{"name": "guest 4", "note": "confirmed", "mail": "2100-01-01"})
			w.rest()
			w.remove(record.Right, 4)
			w.wholeRuns()
			w.chosen(record.ChoiceValue, record.OfText(string(away.ChooseAnew)))
		},
		"lost with an older copy": func(w *world) {
			copied := w.sys[record.Right].Snapshot()
			w.put(record.Right, 4, map[string]string{"name": "guest 4", "note": "confirmed", "mail": "2100-01-01"})
			for n := 6; n < 9; n++ {
				w.put(record.Right, n, map[string]string{"name": fmt.Sprint("guest ", n), "note": "confirmed", "mail": "2100-01-01"})
			}
			w.rest()
			w.tick(time.Hour)
			w.sys[record.Right].Restore(copied)
			w.stopsBy("shrink")
			w.says(record.Again)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := desk(t)
				defer w.close()
				lose(w)
				w.wholeRuns()
				for _, side := range record.Sides {
					if got := w.value(side, 4, "note"); got != "confirmed" {
						t.Errorf("it is %q on the %s:\n%s", got, side, w.both())
					}
				}
				w.put(record.Left, 5, map[string]string{"name": "guest 5", "note": "confirmed", "mail": "2100-01-01"})
				w.wholeRuns()
				if got := w.value(record.Right, 5, "note"); got != "option" {
					t.Errorf("a new booking arrives as %q", got)
				}
				w.idle(2)
			})
		})
	}
}
