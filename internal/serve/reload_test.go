package serve

import (
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/internal/nettest"
	"nightporter/sync/record"
	"nightporter/sync/schedule"
)

// edit puts another text into the configuration.
func (n *inn) edit(old, text string) {
	n.t.Helper()
	b, err := os.ReadFile(n.path)
	if err != nil {
		n.t.Fatal(err)
	}
	if !strings.Contains(string(b), old) {
		n.t.Fatalf("the configuration has no %q", old)
	}
	n.write(n.path, strings.Replace(string(b), old, text, 1))
}

func (n *inn) reload() {
	n.t.Helper()
	if err := n.Reload(n.t.Context()); err != nil {
		n.t.Errorf("Reload: %v", err)
	}
}

// slow has the platform answer late from now on.
func (n *inn) slow(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.delay = d
}

// answers reports whether somebody answers for health at an address.
func answers(t *testing.T, address string) bool {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/healthz", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	return res.Body.Close() == nil && res.StatusCode == http.StatusOK
}

// A reload answers at another address, or at none. One at which nobody may listen is
// refused, and everything goes on as before.
func TestReloadMovesTheAddress(t *testing.T) {
	first, second, taken := nettest.FreeAddress(t), nettest.FreeAddress(t), nettest.FreeAddress(t)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", taken)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	line := func(address string) string { return "listen: " + address + "\n" }
	n := newInn(t, told{top: line(first)}, nil)
	defer n.stop()
	if !answers(t, first) {
		t.Fatalf("nobody answers at %s", first)
	}
	n.edit(line(first), line(taken))
	if err := n.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), taken) {
		t.Errorf("an address that is taken: got %v, want it refused by name", err)
	}
	if !answers(t, first) {
		t.Error("after a reload that was refused: nobody answers where somebody did")
	}
	n.edit(line(taken), line(second))
	n.reload()
	if !answers(t, second) {
		t.Error("nobody answers at the new address")
	}
	n.edit(line(second), "")
	n.reload()
	n.closing.Wait()
	if answers(t, first) || answers(t, second) {
		t.Error("somebody answers at an address that is not in the configuration any more")
	}
}

// A reload changes how long what is under way may go on.
func TestReloadChangesTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newInn(t, told{}, func(n *inn) { n.contact(1) })
		n.slow(20 * time.Second)
		n.hint("guests", "contacts", "")
		n.pass(time.Second)
		n.edit("grace: 1s", "grace: 2m")
		n.reload()
		begun := time.Now()
		n.stop()
		if took := time.Since(begun); took < 15*time.Second {
			t.Errorf("stopped after %v: the run was broken off by the old grace", took)
		}
	})
}

// What is refused changes nothing, how fast a system is asked neither.
func TestRefusedReloadLeavesLimits(t *testing.T) {
	n := newInn(t, told{platform: "limits: { per_minute: 50 }"}, nil)
	defer n.stop()
	limits := func() string {
		h, leave := n.enter()
		defer leave()
		var all []string
		for _, q := range h.Paces()["platform"].Quotas {
			all = append(all, q.Quota)
		}
		return strings.Join(all, ", ")
	}
	n.edit("per_minute: 50", "per_minute: 5000")
	second := fmt.Sprintf("  second: { type: sqlite, address: %q, tables: { guests: { table: guests, key: id } } }\n",
		filepath.Join(n.dir, "none"))
	n.edit("  pms:\n", second+"  pms:\n")
	if err := n.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "look at system second") {
		t.Fatalf("a system that can't be opened: got %v, want it refused by name", err)
	}
	if got := limits(); got != "50 a minute" {
		t.Errorf("limits after a reload that was refused: got %s, want 50 a minute", got)
	}
	n.edit(second, "")
	n.reload()
	if got := limits(); got != "5000 a minute" {
		t.Errorf("limits after a reload: got %s, want 5000 a minute", got)
	}
}

// withoutStays takes the second job out of the configuration, and gives what puts it
// back.
func (n *inn) withoutStays() (back func()) {
	n.t.Helper()
	b, err := os.ReadFile(n.path)
	if err != nil {
		n.t.Fatal(err)
	}
	whole := string(b)
	n.write(n.path, whole[:strings.Index(whole, "  reservations:\n    kind: stay")])
	return func() { n.write(n.path, whole) }
}

// A job that comes back finds what was asked of it meanwhile, and is run by the
// configuration that has it: never by the one before.
func TestReloadIsTakenUpWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newInn(t, told{}, nil)
		defer n.stop()
		for i := range 10 {
			back := n.withoutStays()
			n.reload()
			n.hint("reservations", "reservations", "")
			n.pass(time.Second)
			back()
			n.reload()
			n.pass(time.Second)
			for _, s := range n.runner.Status() {
				if s.Fails > 0 {
					t.Fatalf("reload %d: %s failed", i, s.Binding)
				}
			}
			runs, err := n.store.Runs(t.Context(), "reservations", 100)
			if err != nil || len(runs) <= i {
				t.Fatalf("reload %d: got %d runs (%v), want more", i, len(runs), err)
			}
			n.pass(2 * time.Minute)
		}
	})
}

// Quiet hours that a reload names end a run that was begun before it; what a person
// asked of a job that is gone by then is ended, and not waited for.
func TestReloadNamesQuietHours(t *testing.T) {
	for name, gone := range map[string]bool{"the job stays": false, "the job is gone": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // the bubble's clock begins at midnight
				n := newInn(t, told{}, func(n *inn) {
					for i := range 40 {
						n.contact(i)
						n.booking(phone(i))
					}
				})
				defer n.stop()
				from := time.Now().Add(5*time.Minute + time.Second)
				n.pass(4*time.Minute + 45*time.Second)
				n.slow(25 * time.Second)
				id, err := Ask(t.Context(), n.store, "reservations", Wish{Yes: true}, "a test", time.Now())
				if err != nil {
					t.Fatal(err)
				}
				n.pass(5 * time.Second)
				n.edit("    page_size: 10\n", "    page_size: 10\n    quiet: \"00:05-00:30\"\n")
				if gone {
					n.withoutStays()
				}
				n.reload()
				n.pass(20 * time.Second)
				n.slow(0)
				n.pass(20 * time.Minute)
				if got := len(n.since(from, "")); got > 0 {
					t.Errorf("requests in quiet hours: got %d, want none", got)
				}
				n.pass(time.Hour)
				r, err := n.store.Followed(t.Context(), id)
				if want := map[bool]record.Outcome{false: record.Done, true: record.Failed}[gone]; err != nil || r.Outcome != want {
					t.Errorf("the request: got %q (%v), want %q", r.Outcome, err, want)
				}
			})
		})
	}
}

// A run that does not end when it is told to keeps nothing from ending: after the grace
// the daemon ends, and names it. A run of a configuration that was replaced is no other.
func TestRunThatDoesNotEnd(t *testing.T) {
	for name, reloaded := range map[string]bool{"of the configuration": false, "of the one before": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				n := newInn(t, told{}, func(n *inn) {
					n.contact(1)
					n.fail = func(*http.Request) bool { <-release; return true }
				})
				n.hint("guests", "contacts", "")
				n.pass(time.Second)
				if reloaded {
					n.reload()
				}
				n.cancel()
				late := time.NewTimer(5 * time.Minute)
				select {
				case err := <-n.over:
					if err == nil || !strings.Contains(err.Error(), "guests") {
						t.Errorf("the daemon ended with %v, want an error that names guests", err)
					}
				case <-late.C:
					t.Error("the daemon did not end")
				}
				close(release)
				synctest.Wait()
				if err := errors.Join(n.house.Close(), n.store.Close(), n.pms.Close()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// What is under way when the daemon is told to stop may take its time: who looks for a
// process that hangs sees that this one does not.
func TestSignsOfLifeUntilTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newInn(t, told{}, func(n *inn) {
			for i := range 100 {
				n.contact(i)
			}
		})
		n.edit("grace: 1s", "grace: 10m")
		n.reload()
		n.slow(20 * time.Second)
		n.hint("guests", "contacts", "")
		n.pass(time.Second)
		n.cancel()
		n.pass(2 * time.Minute)
		h, _, err := n.store.Holder(t.Context())
		if age := time.Since(h.Beat); err != nil || age > time.Minute {
			t.Errorf("the last sign of life is %v old (%v), want less than a minute", age, err)
		}
		n.stop()
	})
}

// refuse has the state file take nothing of a kind, as a full disk does, until mend is
// called.
func (n *inn) refuse(what string) (mend func()) {
	n.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(n.dir, "nightporter.db")+"?_busy_timeout=5000")
	if err != nil {
		n.t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TRIGGER refuse BEFORE " + what + " BEGIN SELECT RAISE(ABORT, 'no room'); END"); err != nil {
		n.t.Fatal(err)
	}
	return func() {
		n.t.Helper()
		if _, err := db.Exec("DROP TRIGGER refuse"); err != nil {
			n.t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			n.t.Fatal(err)
		}
	}
}

// However the state file behaves meanwhile, whoever asked is told in the end.
func TestWishesEndAfterTrouble(t *testing.T) {
	for name, what := range map[string]string{
		"their end can't be written":      "UPDATE OF ended ON request",
		"their runs can't be called for":  "INSERT ON call WHEN new.what = 5",
		"how runs ended can't be written": "UPDATE OF answered ON call",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newInn(t, told{}, func(n *inn) { n.contact(1) })
				defer n.stop()
				mend := n.refuse(what)
				ask := func(b record.Binding, w Wish) int64 {
					id, err := Ask(t.Context(), n.store, b, w, "a test", time.Now())
					if err != nil {
						t.Fatal(err)
					}
					return id
				}
				ids := []int64{ask("stays", Wish{}), ask("guests", Wish{Yes: true}), ask("guests", Wish{}), ask("", Wish{}), ask("reservations", Wish{})}
				n.pass(30 * time.Second)
				mend()
				n.pass(5 * time.Minute)
				for i, id := range ids {
					if r, err := n.store.Followed(t.Context(), id); err != nil || !r.Done() {
						t.Errorf("request %d is open still (%v)", i, err)
					}
				}
			})
		})
	}
}

// A run that panics is told of to who asked for it, and the job goes on.
func TestWishThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newInn(t, told{}, nil)
		defer n.stop()
		id := n.contact(1)
		bad := true
		n.mu.Lock()
		n.fail = func(*http.Request) bool {
			if bad {
				panic("Nora Neri")
			}
			return false
		}
		n.mu.Unlock()
		ask := func() record.Request {
			seq, err := Ask(t.Context(), n.store, "guests", Wish{Only: []record.Ref{{Kind: "contacts", ID: id}}}, "a test", time.Now())
			if err != nil {
				t.Fatal(err)
			}
			n.pass(time.Minute)
			r, err := n.store.Followed(t.Context(), seq)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		if r := ask(); r.Outcome != record.Failed || !strings.Contains(r.Error, "panic") || strings.Contains(r.Error, "Nora") {
			t.Errorf("got %q (%s), want it failed with a panic that is not shown", r.Outcome, r.Error)
		}
		bad = false
		if r := ask(); r.Outcome != record.Done {
			t.Errorf("the next one: got %q (%s), want it done", r.Outcome, r.Error)
		}
	})
}

// A failed run that a command asked for leaves the job's count of failures as it is.
func TestWishLeavesFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newInn(t, told{guests: "when: { platform: every 1m }"}, func(n *inn) {
			n.contact(1)
			n.fail = func(*http.Request) bool { return true }
		})
		defer n.stop()
		fails := func() int {
			for _, s := range n.runner.Status() {
				if s.Binding == "guests" && s.What == schedule.Left {
					return s.Fails
				}
			}
			return -1
		}
		n.pass(6 * time.Minute)
		before := fails()
		if _, err := Ask(t.Context(), n.store, "guests", Wish{Yes: true}, "a test", time.Now()); err != nil {
			t.Fatal(err)
		}
		n.pass(20 * time.Second)
		if got := fails(); before < 2 || got != before {
			t.Errorf("failures in a row: got %d, want %d as before", got, before)
		}
	})
}
