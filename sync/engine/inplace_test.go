package engine_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// A booking is removed and entered anew, and the row across of the old one, of which only digests
// are kept, can't be read by its id. The new booking may be that row: it is made only once the
// row can be read or its fate is decided, and never beside it.
func TestEnteredAnewWhileTheRowAcrossCantBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := setting{kinds: deletes, gone: both(away.GoneDelete), sealed: filepath.Join(t.TempDir(), "key")}
		w := newWorld(t, s)
		defer w.close()
		w.booked()
		for n := range 4 {
			w.put(record.Left, 4+n, map[string]string{"name": "Guest"})
		}
		w.rest()
		guest, _ := w.find(record.Left, 4)
		book := func() string {
			return w.sys[record.Left].Put(kinds[record.Left], record.Fields{"phone": record.OfText(phoneOf(0)), "mail": record.OfText(guest.Ref.ID)})
		}
		old := book()
		w.rest()
		across, made := w.find(record.Right, 0)
		if !made {
			t.Fatal("the booking was not made across")
		}
		w.sys[record.Left].Remove(kinds[record.Left], old)
		book()
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallGet, ID: across.Ref.ID, Class: connectors.Malformed, Times: 1000})
		for range 3 {
			w.tick(time.Minute)
			w.run(engine.Options{Yes: true, Full: true})
		}
		if n := len(w.sys[record.Right].All(kinds[record.Right])); n != 5 {
			t.Fatalf("there are %d records on the right while the old row can't be read:\n%s", n, w.both())
		}
		w.sys[record.Right].Heal()
		w.wholeRuns()
		w.asked(away.AskAnew)
		if n := len(w.sys[record.Right].All(kinds[record.Right])); n != 5 {
			t.Errorf("there are %d records on the right:\n%s", n, w.both())
		}
	})
}
