package week

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// every is how many steps lie between two kills. It has no divisor in common with what
// comes again and again.
const every = 97

// often is how many changes are sent from one kill to the next right after that, before the
// answer is kept: the moment that matters, which is one step in a hundred.
const often = 2

// all says that nothing is left out: the week as the example has it, and a kill at each
// step.
func all() bool { return os.Getenv("NIGHTPORTER_CRASH") == "all" }

// TestWeek runs the one configuration through a week, undisturbed.
func TestWeek(t *testing.T) {
	t.Parallel()
	p := seldom
	if all() {
		p = asWritten
	}
	h := newHotel(t, ramDir(t), p)
	synctest.Test(t, func(t *testing.T) {
		begun := realClock()
		w := newWorld(t, h, 0, 0)
		defer w.db.Close()
		w.run()
		if got := w.writes(); got != wantWrites {
			t.Errorf("the platform was asked for these writes:\n%s\nwant\n%s", got, wantWrites)
		}
		if wrong := w.tooMany(); !all() && wrong != "" {
			t.Errorf("the platform was asked more than is explained:\n%s", wrong)
		}
		if taken := strings.Count(strings.Join(w.told, " "), "reservation_taken"); taken != days-1 || len(w.told) != taken {
			t.Errorf("events: %v, want one for each of %d reservations that were taken", w.told, days-1)
		}
		t.Logf("%d steps, %d requests, %s\n%s", w.steps, w.sim.Counts().Total, (realClock() - begun).Round(100*time.Millisecond), w.routes())
		t.Logf("reservations that the program was told of, waited for and worked at: %v", w.delays)
	})
}

// TestWeekKilled plays the week with the program killed at every 97th of its steps, and at
// every second at which a change was sent and its answer is not kept, from start to end, and
// started again a minute later: it ends as the undisturbed one does. With
// NIGHTPORTER_CRASH=all there are 97 such weeks, each begun one step later, so that each
// step of the week is once the last one; with NIGHTPORTER_WEEKS so many of them.
func TestWeekKilled(t *testing.T) {
	t.Parallel()
	weeks := 1
	if n, err := strconv.Atoi(os.Getenv("NIGHTPORTER_WEEKS")); err == nil && n > 0 {
		weeks = min(n, every)
	} else if all() {
		weeks = every
	}
	var phases []int
	for n := range weeks {
		phases = append(phases, (29+n*every/weeks)%every)
	}
	for _, phase := range phases {
		t.Run(fmt.Sprint("from step ", phase), func(t *testing.T) {
			t.Parallel()
			h := newHotel(t, ramDir(t), seldom)
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, h, every, phase)
				defer w.db.Close()
				w.run()
				t.Logf("killed %d times in %d steps", w.kills, w.steps)
				if w.kills < 50 {
					t.Errorf("killed %d times: is it doing anything?", w.kills)
				}
			})
		})
	}
}

// ramDir is a folder that needs no disk where there is one.
func ramDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "nightporter-week-") //nolint:usetesting // not on the disk
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// run plays the week and looks at its end.
func (w *world) run() {
	w.t.Helper()
	w.sleep(time.Until(monday.Add(-13 * time.Hour)))
	w.exec(`UPDATE clock.hands SET at = $1`, time.Now())
	w.furnish()
	w.firstSync()
	w.start()
	defer w.stop()
	w.week()
	end := monday.AddDate(0, 0, days)
	w.play(end.Add(-2 * time.Hour))
	w.spare()
	w.play(end.Add(18 * time.Hour))
	writes, versions := w.sim.Counts().Mutating, w.versions()
	w.play(end.Add(42 * time.Hour))
	if n := w.sim.Counts().Mutating - writes; n > 0 || w.versions() != versions {
		w.t.Errorf("in step, and yet %d writes to the platform, and versions of the PMS %s after %s", n, w.versions(), versions)
	}
	w.stop()
	w.ends()
}

// ends compares both sides whole with what ought to stand there.
func (w *world) ends() {
	w.t.Helper()
	want, err := os.ReadFile("testdata/end.txt")
	if err != nil {
		w.t.Fatal(err)
	}
	if got := w.picture(); got != string(want) {
		w.t.Errorf("not as testdata/end.txt has it:\n%s", differ(string(want), got))
	}
	w.placedOnce()
	w.atRest()
	for _, p := range w.sim.DocumentProblems() {
		w.t.Errorf("documents: %s", p)
	}
}

// versions is how often rows of the hotel were written.
func (w *world) versions() string {
	return w.one(`SELECT concat_ws('/', (SELECT sum(version) FROM pms.guests), (SELECT sum(version) FROM pms.reservations), (SELECT sum(version) FROM shop.orders))`)
}
