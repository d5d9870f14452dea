package month

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestMonth runs the daemon through a month and compares both sides with what ought to
// stand there. NIGHTPORTER_MONTH is how many seeds, or "=7" for that one alone; without
// it, a few days of one seed with slower cadences.
func TestMonth(t *testing.T) {
	seeds, days, p := []uint64{1}, 3, pace{pms: "15m", platform: "15m", pmsGuests: "10m", platformGuests: "20m"}
	if v := os.Getenv("NIGHTPORTER_MONTH"); v != "" {
		days, p = 30, pace{pms: "1m", platform: "2m", pmsGuests: "5m", platformGuests: "10m"}
		seeds = nil
		if v[0] == '=' {
			n, err := strconv.ParseUint(v[1:], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			seeds = append(seeds, n)
		} else {
			n, err := strconv.Atoi(v)
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				seeds = append(seeds, uint64(i)+1)
			}
		}
	}
	if v := os.Getenv("NIGHTPORTER_MONTH_DAYS"); v != "" {
		var err error
		if days, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
	}
	if v := os.Getenv("NIGHTPORTER_MONTH_EVERY"); v != "" { // one cadence for all: fewer runs, the same month
		p = pace{pms: v, platform: v, pmsGuests: v, platformGuests: v}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) { month(t, seed, dir, time.Duration(days)*24*time.Hour, p) })
		})
	}
}

func month(t *testing.T, seed uint64, dir string, length time.Duration, p pace) {
	begun := realClock()
	w := newWorld(t, seed, dir, p)
	defer w.db.Close()
	defer func() {
		if w.life != nil {
			w.stop()
		}
		if t.Failed() {
			for _, l := range w.story {
				t.Log(l)
			}
		}
	}()
	start := time.Date(2011, 7, 31, 12, 0, 0, 0, w.zone)
	w.sleep(time.Until(start))
	w.furnish()
	w.start()
	w.arrange(length)
	w.until(start.Add(length), 40*time.Minute)
	w.sim.ClearFaults()
	w.until(start.Add(length+36*time.Hour), 0)
	writes := w.sim.Counts().Mutating
	version := w.versions()
	w.until(start.Add(length+48*time.Hour), 0)
	if n := w.sim.Counts().Mutating - writes; n > 0 || w.versions() != version {
		t.Errorf("in step, and yet %d writes to the platform, and versions of the PMS %s after %s", n, w.versions(), version)
	}
	if wrong := w.compare(); len(wrong) > 0 {
		t.Errorf("not as it ought to be:\n\t%s", list(wrong))
	}
	w.alarms()
	if late, quick := w.prompt[0], w.prompt[1]; late > quick/20 || quick == 0 {
		t.Errorf("of bookings that the daemon was told of %d were in the PMS within %s, and %d were not", quick, promptly, late)
	}
	if most := 3 * (w.events + len(w.people) + len(w.stays)); writes > most {
		t.Errorf("%d writes to the platform for %d events, want %d at most", writes, w.events, most)
	}
	t.Logf("seed %d: %d events, %d runs, %d requests (%d writes), %d contacts, %d bookings (%d at once), %s",
		seed, w.events, w.log.runs, w.wire.sent, writes, len(w.people), len(w.stays), w.prompt[1], (realClock() - begun).Round(100*time.Millisecond))
}

// alarms checks what a person was told: of each cause once, and of each refused
// booking.
func (w *world) alarms() {
	w.t.Helper()
	var told, over, refused int
	causes := map[string]int{}
	ends := w.ends
	for _, l := range w.log.lines {
		for ; len(ends) > 0 && l.at.After(ends[0].at); ends = ends[1:] {
			if ends[0].rough {
				told = over
			}
		}
		switch {
		case l.text == "runs fail until this is mended":
			told++
			for _, cause := range []string{"unreachable", "401", "language"} {
				causes[cause] += count(strings.Contains(l.attrs["error"], cause))
			}
		case l.text == "runs go on again":
			over++
		case l.attrs["kind"] == "booking_refused":
			refused++
		}
	}
	for _, cause := range []string{"unreachable", "401", "language"} {
		if causes[cause] != 1 {
			w.t.Errorf("alarms of %s: got %d, want 1", cause, causes[cause])
		}
	}
	if told != over {
		w.t.Errorf("%d alarms and %d all clears, want one for each", told, over)
	}
	want := 0
	for _, s := range w.stays {
		want += count(s.refused)
	}
	if refused < want {
		w.t.Errorf("told of %d refused bookings, want %d", refused, want)
	}
	if w.t.Failed() {
		for _, l := range w.log.lines {
			if l.level > 0 && l.text != "request will be tried again" {
				w.t.Log(l)
			}
		}
	}
}

func (w *world) versions() string {
	var v string
	if err := w.db.QueryRowContext(w.t.Context(), `SELECT (SELECT sum(version) FROM guests) || '/' || (SELECT sum(version) FROM reservations)`).Scan(&v); err != nil {
		w.t.Fatal(err)
	}
	return v
}

// furnish puts in what was there before.
func (w *world) furnish() {
	for range rooms {
		w.exec(`INSERT INTO rooms DEFAULT VALUES`)
	}
	for range 40 {
		w.newGuest()
	}
	for range 30 {
		w.newCaller()
	}
	for i := range rooms {
		s := &stay{name: fmt.Sprint("sold ", i), who: w.people[i], born: time.Now()}
		s.arrival.set(soldFrom)
		s.departure.set(soldTo)
		s.status.set("confirmed")
		w.taken[s.who.phone+soldFrom] = true
		w.stays = append(w.stays, s)
		w.putRow(s)
	}
	for range 40 {
		w.stayOnBoth()
	}
	w.hints = nil
}
