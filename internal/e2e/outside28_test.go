package e2e

import (
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/sync/engine"
)

// looks runs as a service does that looks at the folder alone.
func (l *library) looks(n int) {
	l.t.Helper()
	for range n {
		l.syncWith(engine.Options{Skip: [2]bool{false, true}})
		settled(l.t)
	}
}

// An upload whose answer is lost, and whose file is edited again: its document goes as soon
// as the newest is ready, though nobody lists the platform whole.
func TestOutside28LostUploadIsSuperseded(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, simulator.UploadMultipart)
	l.put("hours.md", "From 7 to 23.\n")
	l.put("pool.md", "Open in summer.\n")
	l.put("bar.md", "Open at night.\n")
	l.sync()
	l.sim.AddFault(simulator.Fault{Kind: simulator.FaultDropAfter, Method: "POST", Times: 1})
	l.put("hours.md", "From 8 to 22.\n")
	l.looks(1)
	l.put("hours.md", "From 9 to 21.\n")
	l.looks(2)
	l.holds("after two looks", "hours ready put aside", "hours ready put aside", "hours ready active", "pool ready active", "bar ready active")
	l.quiet()
	l.sound()
}

// What became of a lost upload is asked by the digest of its file, whatever run comes next;
// no list is read for it.
func TestOutside28LostUploadIsAskedFor(t *testing.T) {
	t.Parallel()
	for kind, want := range map[simulator.FaultKind]string{simulator.FaultDropAfter: "right.adopted", simulator.FaultDropBefore: "right.created"} {
		l := hoursAndPool(t)
		l.sim.AddFault(simulator.Fault{Kind: kind, Method: "POST", Times: 1})
		l.put("hours.md", "From 8 to 22.\n")
		l.looks(1)
		reports := l.syncWith(engine.Options{Skip: [2]bool{false, true}})
		if got := total(reports, "documents", want); got != 1 {
			t.Errorf("%s: %s is %d in the next run, want 1: %v", kind, want, got, reports[0].Counts)
		}
		if got := total(reports, "documents", "right.pages"); kind == simulator.FaultDropAfter && got != 0 {
			t.Errorf("%s: read %d pages of the platform, want none", kind, got)
		}
		l.looks(1)
		l.holds(string(kind), "hours ready put aside", "hours ready active", "pool ready active")
		l.sound()
	}
}

// A list of prices that is written faster than the platform reads it: no more than the
// version that is served and those that are not ready yet are active.
func TestOutside28NoThirdIsWaitedFor(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, simulator.UploadMultipart)
	l.put("prices.md", "1\n")
	l.put("pool.md", "Open in summer.\n")
	l.sync()
	l.put("prices.md", "2\n")
	l.looks(1)
	l.holds("ready at once", "prices ready put aside", "prices ready active", "pool ready active")
	l.sim.SetDocuments(simulator.Documents{Processing: time.Hour})
	l.sim.SetDocuments(simulator.Documents{Processing: time.Hour})
	l.put("prices.md", "3\n")
	l.looks(1)
	l.put("prices.md", "4\n")
	l.looks(1)
	for _, d := range l.sim.All("documents") {
		if d["checksum"] == sumOf("3\n") {
			l.sim.Edit("documents", d["id"].(string), map[string]any{"status": "ready"})
		}
	}
	l.sync()
	l.holds("the fourth is read", "prices ready put aside", "prices ready put aside", "prices ready active", "prices processing active", "pool ready active")
	l.sound()
}
