package serve

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/schedule"
)

// hours has a guests' job that is run once in a night and writes to the PMS at certain hours
// alone.
const hours = "when: { full: \"23:00\" }\n    send_hours: { pms: \"00:10-00:20, 00:30-00:40, 00:50-01:00\" }"

// name is what the PMS has of the first guest, "" for nobody.
func (n *inn) name() (name string) {
	n.t.Helper()
	if err := n.pms.QueryRow(`SELECT coalesce(max(last_name), '') FROM guests`).Scan(&name); err != nil {
		n.t.Fatal(err)
	}
	return name
}

// What was kept back goes at the moment at which the hours begin, as it is then: creates, and
// changes of what is linked. Hours for which nothing waits ask nobody.
func TestHoursWakeWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the bubble's clock begins at midnight
		n := newInn(t, told{guests: hours}, nil)
		defer n.stop()
		midnight := time.Now()
		at := func(clock time.Duration) { n.pass(time.Until(midnight.Add(clock))) }
		id := n.contact(1)
		n.hint("guests", "contacts", id)
		at(10*time.Minute - time.Second)
		if got := n.count("guests"); got != 0 {
			t.Fatalf("before the hours: got %d guests, want none", got)
		}
		n.sim.Edit("contacts", id, map[string]any{"last_name": "Neri"}) // and no webhook told of it
		at(10*time.Minute + 5*time.Second)
		if got := n.name(); got != "Neri" {
			t.Errorf("as they begin: got %q, want the guest as it is then", got)
		}

		at(25 * time.Minute)
		n.sim.Edit("contacts", id, map[string]any{"last_name": "Verdi"})
		n.hint("guests", "contacts", id)
		at(28 * time.Minute)
		n.sim.Edit("contacts", id, map[string]any{"last_name": "Bruni"})
		at(30*time.Minute - time.Second)
		if got := n.name(); got != "Neri" {
			t.Errorf("before the next: got %q", got)
		}
		at(30*time.Minute + 5*time.Second)
		if got := n.name(); got != "Bruni" {
			t.Errorf("as the next begin: got %q, want the guest as it is then", got)
		}
		at(45 * time.Minute)
		from := time.Now()
		at(55 * time.Minute)
		if got := len(n.since(from, "")); got > 0 {
			t.Errorf("requests as hours begin for which nothing waits: got %d, want none", got)
		}
	})
}

// Hours that a reload names, like those that began while nobody ran, wake what waits at once.
func TestHoursOfAReloadWakeWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newInn(t, told{guests: hours}, nil)
		defer n.stop()
		n.hint("guests", "contacts", n.contact(1))
		n.pass(5 * time.Minute)
		n.edit("00:10-00:20", "00:02-00:20")
		n.reload()
		n.pass(5 * time.Second)
		if got := n.count("guests"); got != 1 {
			t.Errorf("got %d guests, want the one that waited", got)
		}
		from := time.Now()
		n.pass(10 * time.Minute)
		if got := len(n.since(from, "")); got > 0 {
			t.Errorf("requests once it was sent: got %d, want none", got)
		}
	})
}

// A run that keeps something back in the very moment in which the hours begin is followed by
// one that sends it.
func TestHoursThatBeginDuringARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := false
		n := newInn(t, told{guests: hours}, func(n *inn) {
			n.step = func(name string) {
				if slow && strings.HasSuffix(name, "keep a change back") {
					slow = false
					<-time.After(20 * time.Second)
				}
			}
		})
		defer n.stop()
		n.pass(10*time.Minute - 10*time.Second)
		slow = true
		n.contact(1)
		if _, err := Ask(t.Context(), n.store, "guests", Wish{Yes: true}, "a test", time.Now()); err != nil {
			t.Fatal(err)
		}
		n.pass(time.Minute)
		if got := n.count("guests"); slow || got != 1 {
			t.Errorf("got %d guests, want the one that was kept back", got)
		}
	})
}

// A job of which nothing comes as its hours begin is called for once, not for as long as
// something waits. What waits for anything else is none of the hours' business.
func TestHoursWakeOnce(t *testing.T) {
	for name, tc := range map[string]struct {
		keys string
		want int64
	}{
		"the hours": {hours, 1},
		"a list":    {hours + "\n    never_to: { pms: { file: never.txt } }", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newInn(t, told{guests: tc.keys}, func(n *inn) { n.write(filepath.Join(n.dir, "never.txt"), phone(1)) })
				defer n.stop()
				n.hint("guests", "contacts", n.contact(1))
				n.pass(5 * time.Minute)
				if kept, err := n.store.KeptBack(t.Context(), "guests"); err != nil || len(kept) != 1 {
					t.Fatalf("got kept back %+v, %v, want one", kept, err)
				}
				n.mu.Lock()
				n.fail = func(*http.Request) bool { return true }
				n.mu.Unlock()
				n.pass(10 * time.Minute)
				calls, err := n.store.Ledger().Calls(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				var asked int64
				for _, c := range calls {
					if c.What == int(schedule.Left) {
						asked = c.Seq
					}
				}
				if asked != tc.want {
					t.Errorf("the job was called for %d times, want %d", asked, tc.want)
				}
			})
		})
	}
}

// What was one too many in an hour goes as that hour ends, and not with the next run of the
// cadence, which may be a day away.
func TestHourThatIsOverWakesWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keys := "when: { full: \"23:00\" }\n    most_an_hour: { pms: 1 }"
		n := newInn(t, told{guests: keys}, nil)
		defer n.stop()
		n.hint("guests", "contacts", n.contact(1))
		n.pass(time.Minute)
		n.hint("guests", "contacts", n.contact(2))
		n.pass(time.Minute)
		if got := n.count("guests"); got != 1 {
			t.Fatalf("within the hour: got %d guests, want 1", got)
		}
		n.pass(59 * time.Minute)
		if got := n.count("guests"); got != 2 {
			t.Errorf("after it: got %d guests, want both", got)
		}
		from := time.Now()
		n.pass(2 * time.Hour)
		if got := len(n.since(from, "")); got > 0 {
			t.Errorf("requests once nothing waits: got %d, want none", got)
		}
	})
}

// Who is taken off the file of those who are never written to gets at once what waited, and so
// does everybody once a file that was not there is. A change that lets nobody go has the job
// called for once.
func TestWeakListOfNeverWakesWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keys := "when: { full: \"23:00\" }\n    never_to: { pms: { file: never.txt } }"
		n := newInn(t, told{guests: keys}, nil)
		defer n.stop()
		list := func(numbers string) {
			n.write(filepath.Join(n.dir, "never.txt"), numbers)
			n.pass(5 * time.Second)
		}
		n.hint("guests", "contacts", n.contact(1))
		n.hint("guests", "contacts", n.contact(2))
		n.pass(5 * time.Minute)
		if got := n.count("guests"); got != 0 {
			t.Fatalf("while there is no list: got %d guests, want none", got)
		}
		list(phone(1) + "\n" + phone(3))
		if got := n.count("guests"); got != 1 {
			t.Errorf("as the list is there: got %d guests, want the one that is not on it", got)
		}
		from := time.Now()
		list(phone(1) + "\n" + phone(3) + "\n" + phone(4))
		some := len(n.since(from, ""))
		n.pass(time.Minute)
		if more := len(n.since(from, "")) - some; more > 0 {
			t.Errorf("%d more requests in the minute after a change that lets nobody go, want none", more)
		}
		list(phone(3))
		if got := n.count("guests"); got != 2 {
			t.Errorf("off the list: got %d guests, want both", got)
		}
	})
}
