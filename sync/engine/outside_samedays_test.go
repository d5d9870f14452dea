package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A side that lists what changed can be asked for a booking by its days alone. It shows the bookings of
// other guests with the same days: those are known, and no reason to wait for whole lists. One that may be
// what is to be made is.
func TestOutsideABookingOnTheDaysOfAnother(t *testing.T) {
	for name, tt := range map[string]struct {
		days, there string // whose days are those of booking 0, and what is there already
		want        int    // bookings on the right, at once
	}{
		"of its own":                     {"other", "", 2},
		"of another guest":               {"same", "", 2},
		"and of one who is not linked":   {"same", "stranger", 2},
		"and the desk has entered it":    {"same", "itself", 2},
		"and the other's becomes theirs": {"same", "moved", 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Since: true, Times: true, PageSize: 2, FindBy: [][]string{{"their_phone"}, {"their_name"}}}}})
				defer w.close()
				w.booked()
				for n := range 4 {
					w.put(record.Left, 4+n, map[string]string{"name": fmt.Sprint("Guest", n)})
				}
				w.rest()
				book := func(side record.Side, guest, days int) string {
					g, _ := w.find(side, guest)
					return w.sys[side].Put(kinds[side], record.Fields{spell(side, "phone"): record.OfText(phoneOf(days)), spell(side, "mail"): record.OfText(g.Ref.ID)})
				}
				bookings := func() (n int) {
					for _, rec := range w.sys[record.Right].All(kinds[record.Right]) {
						if rec.Fields["their_mail"].Text() != "" {
							n++
						}
					}
					return n
				}
				book(record.Left, 4, 0)
				for range 3 {
					w.rest()
					w.tick(time.Hour)
				}
				first, made := w.find(record.Right, 0)
				if !made {
					t.Fatalf("the first booking was not made:\n%s", w.both())
				}
				days := 0
				if tt.days == "other" {
					days = 1
				}
				switch tt.there {
				case "stranger":
					w.put(record.Right, 8, map[string]string{"name": "Guest8"})
				case "itself":
					book(record.Right, 5, 0)
				}
				book(record.Left, 5, days)
				if tt.there == "moved" { // before it is looked up, and after it was listed
					w.sys[record.Right].Hook(memory.Hooks{Step: func(name string) {
						if strings.HasPrefix(name, "before find") {
							g, _ := w.find(record.Right, 5)
							w.sys[record.Right].Edit(kinds[record.Right], first.Ref.ID, record.Fields{"their_mail": record.OfText(g.Ref.ID)})
						}
					}})
				}
				w.tick(time.Minute)
				w.run(engine.Options{Yes: true})
				if n := bookings(); n != tt.want {
					t.Errorf("there are %d bookings on the right, want %d:\n%s", n, tt.want, w.both())
				}
			})
		})
	}
}
