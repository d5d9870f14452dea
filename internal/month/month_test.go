package month

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestSkeleton(t *testing.T) {
	dir := t.TempDir()
	real := realClock()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, dir, pace{"1m", "2m", "1m", "2m"})
		defer w.db.Close()
		time.Sleep(time.Until(time.Date(2011, 7, 31, 12, 0, 0, 0, w.zone)))
		w.start(w.path("state-1.db"))
		time.Sleep(24 * time.Hour)
		w.stop()
		t.Log(w.log.runs, w.wire.sent, len(w.log.lines), "real", realClock()-real)
		for _, l := range w.log.lines { t.Log(l) }
	})
}
