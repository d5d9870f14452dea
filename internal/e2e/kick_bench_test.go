package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// kicks enters bookings at a pace, has tell tell of each by its id, and gives how long
// each took from then to the row in the PMS.
func (s *service) kicks(n, guests int, every time.Duration, tell func(id string)) []time.Duration {
	h := s.h
	h.t.Helper()
	type stay struct{ phone, arrival string }
	filed := map[stay]time.Time{}
	var took []time.Duration
	last := 0
	collect := func() {
		rows, err := h.db.Query(`SELECT r.id, g.phone, r.arrival FROM reservations r JOIN guests g ON g.id = r.guest_id WHERE r.id > ?`, last)
		if err != nil {
			h.t.Fatal(err)
		}
		defer rows.Close()
		now := time.Now()
		for rows.Next() {
			var x stay
			if err := rows.Scan(&last, &x.phone, &x.arrival); err != nil {
				h.t.Fatal(err)
			}
			if at, ok := filed[x]; ok {
				took = append(took, now.Sub(at))
			}
		}
		if err := rows.Err(); err != nil {
			h.t.Fatal(err)
		}
	}
	begun := time.Now()
	next := 0
	h.await(time.Duration(n)*every+30*time.Second, fmt.Sprintf("all %d bookings are entered", n), func() bool {
		if next < n && time.Since(begun) >= time.Duration(next)*every {
			x := stay{driftPhone(next % guests), day(2 + 3*(next/guests))}
			id := h.sim.Put("reservations", map[string]any{
				"client_full_name": "Guest", "client_phone_number": x.phone,
				"starting_date": x.arrival, "ending_date": day(4 + 3*(next/guests)), "status": "CONFIRMED",
			})
			filed[x] = time.Now()
			tell(id)
			next++
		}
		collect()
		return len(took) == n
	})
	slices.Sort(took)
	return took
}

func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// hintBooking tells of a booking past HTTP.
func (s *service) hintBooking(id string) { s.hint("reservations", "reservations", id) }

// Twenty bookings a second: every one of them is entered, and once.
func TestKicksAtAPace(t *testing.T) {
	h := throttledHouse(t, 20, throttled{})
	s := h.serve()
	took := s.kicks(40, 20, 50*time.Millisecond, s.hintBooking)
	t.Logf("from hint to row: p50 %v, p99 %v", quantile(took, .5), quantile(took, .99))
	s.stop()
	if got := h.one(`SELECT count(*) FROM reservations`); got != "40" {
		t.Errorf("bookings in the PMS: got %s, want 40", got)
	}
	h.quiet()
}

// BenchmarkKick is how long a booking takes from the hint to its row in the PMS, at
// twenty a second on loopback, at rest and while 10,000 contacts are being read.
func BenchmarkKick(b *testing.B) {
	for _, bm := range []struct {
		name     string
		contacts int
		pulling  bool
	}{{"at rest", 200, false}, {"while contacts are read", 10_000, true}} {
		b.Run(bm.name, func(b *testing.B) {
			h := throttledHouse(b, bm.contacts, throttled{})
			h.edit("time_zone:", "guards: { creates: 1000 }\ntime_zone:") // a day's worth of bookings in half a minute
			s := h.serve()
			over := make(chan struct{})
			pulls := make(chan struct{})
			go func() {
				defer close(pulls)
				if !bm.pulling {
					return
				}
				again := time.NewTicker(500 * time.Millisecond)
				defer again.Stop()
				for {
					select {
					case <-over:
						return
					case <-again.C:
						s.hint("guests", "contacts", "")
					}
				}
			}()
			b.ResetTimer()
			for range b.N {
				took := s.kicks(500, 100, 50*time.Millisecond, s.hintBooking)
				b.ReportMetric(float64(quantile(took, .5).Microseconds())/1000, "p50-ms")
				b.ReportMetric(float64(quantile(took, .99).Microseconds())/1000, "p99-ms")
				b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
			}
			b.StopTimer()
			close(over)
			<-pulls
			s.stop()
		})
	}
}
