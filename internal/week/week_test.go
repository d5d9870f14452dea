package week

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestWeek runs the one configuration through a week, undisturbed.
func TestWeek(t *testing.T) {
	h := newHotel(t, t.TempDir(), seldom)
	synctest.Test(t, func(t *testing.T) {
		begun := realClock()
		w := newWorld(t, h, 0, 0)
		defer w.db.Close()
		w.run()
		t.Logf("%d steps, %d requests, %s\n%s", w.steps, w.sim.Counts().Total, (realClock() - begun).Round(100*time.Millisecond), w.routes())
		t.Logf("reservations that were told of: %v", w.delays)
		t.Log("\n" + w.histogram())
		t.Logf("events: %v", w.told)
		t.Log("\n" + w.picture())
	})
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
	w.every = 0
	if w.life != nil {
		w.stop()
		w.start()
	}
	w.play(end.Add(18 * time.Hour))
	writes, versions := w.sim.Counts().Mutating, w.versions()
	w.play(end.Add(42 * time.Hour))
	if n := w.sim.Counts().Mutating - writes; n > 0 || w.versions() != versions {
		w.t.Errorf("in step, and yet %d writes to the platform, and versions of the PMS %s after %s", n, w.versions(), versions)
	}
	w.stop()
	w.placedOnce()
	w.atRest()
	for _, p := range w.sim.DocumentProblems() {
		w.t.Errorf("documents: %s", p)
	}
}

func (w *world) versions() string {
	return w.one(`SELECT concat_ws('/', (SELECT sum(version) FROM pms.guests), (SELECT sum(version) FROM pms.reservations), (SELECT sum(version) FROM shop.orders))`)
}
