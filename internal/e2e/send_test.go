package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// inHours runs do in a bubble whose day has just begun, on a desk with more lines in its
// job.
func inHours(t *testing.T, lines string, do func(t *testing.T, d *desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, 1)
		defer d.close()
		d.exec(`ALTER TABLE call_requests ADD COLUMN day TEXT`)
		d.exec(`CREATE TABLE do_not_call (id INTEGER PRIMARY KEY, phone TEXT)`)
		d.edit("    gone: {", lines+"    gone: {")
		d.edit("      requests: {", "      do_not_call: { table: do_not_call, key: id }\n      requests: {")
		d.edit("      outcome: ", "      day:       { desk: day,       platform: custom_context.day, to: platform, as: date }\n      outcome: ")
		d.run(0) // whole lists were read before anything was asked for
		do(t, d)
	})
}

// placed fails unless just so many calls were placed.
func (d *desk) placed(when string, n int) {
	d.t.Helper()
	if got := len(d.sim.Placed()); got != n {
		d.t.Errorf("%s: %d calls were placed, want %d", when, got, n)
	}
}

// why is why a request waits.
func (d *desk) why(id string) (why string) {
	d.withState(func(s *state.Store) error {
		e, _, err := s.Entry(context.Background(), record.Place{Binding: "outbound"}, record.Ref{Kind: "requests", ID: id})
		if e.State == record.Waiting {
			why = e.Why
		}
		return err
	})
	return why
}

func TestSendHours(t *testing.T) {
	inHours(t, "    send_hours: { platform: \"09:00-20:00\" }\n    send_at_once: { field: day, days: 1 }\n", func(t *testing.T, d *desk) {
		rome, err := time.LoadLocation("Europe/Rome")
		if err != nil {
			t.Fatal(err)
		}
		day := func(n int) string { return time.Now().In(rome).AddDate(0, 0, n).Format(time.DateOnly) }
		d.wants("055 000001")
		for i, n := range []int{-1, 0, 1, 2} {
			d.exec(`INSERT INTO call_requests (number, text, day) VALUES (?, 'tomorrow', ?)`, "055 10000"+string(rune('0'+i)), day(n))
		}
		d.run(0)
		d.placed("at night, for today and tomorrow alone", 2)
		if why := d.why("1"); !strings.Contains(why, "it goes at 2000-01-01 09:00") {
			t.Errorf("got %q, want when it goes", why)
		}
		d.sleep(8 * time.Hour)
		d.run(0)
		d.placed("in the morning", 5)
		d.wants("055 000002")
		d.sleep(12 * time.Hour)
		d.run(0)
		d.placed("in the evening", 5)
		if why := d.why("6"); !strings.Contains(why, "it goes at 2000-01-02 09:00") {
			t.Errorf("got %q, want when it goes", why)
		}
	})
}

// The cap is counted from the journal: each run here is a process of its own.
func TestMostAnHour(t *testing.T) {
	inHours(t, "    most_an_hour: { platform: 2 }\n", func(t *testing.T, d *desk) {
		for range 5 {
			d.wants("055 000001")
		}
		for i, want := range []int{2, 2, 2, 4, 4, 4, 5} {
			d.run(0)
			d.placed(time.Now().Format(time.TimeOnly), want)
			if i == 0 && !strings.Contains(d.why("5"), "it goes at 2000-01-01 02:00") {
				t.Errorf("got %q, want when it goes", d.why("5"))
			}
			d.sleep(25 * time.Minute)
		}
	})
}

func TestNeverTo(t *testing.T) {
	for name, lines := range map[string]string{
		"a file": "never_to: { platform: { file: never.txt } }", "a table": "never_to: { platform: { field: phone, system: desk, kind: do_not_call, path: phone } }",
		"the platform itself": "never_to: { platform: { field: phone, system: platform, kind: contacts, path: phone_number } }",
	} {
		t.Run(name, func(t *testing.T) {
			inHours(t, "    "+lines+"\n", func(t *testing.T, d *desk) {
				list := func(numbers ...string) {
					d.write(filepath.Join(d.dir, "never.txt"), "# who asked not to be called\n"+strings.Join(numbers, "  # and why\n")+"\n")
					d.exec(`DELETE FROM do_not_call`)
					for _, c := range d.sim.All("contacts") {
						id, _ := c["id"].(string)
						d.sim.Remove("contacts", id)
					}
					for _, n := range numbers {
						d.sim.Put("contacts", map[string]any{"first_name": "Ada", "phone_number": n})
						d.exec(`INSERT INTO do_not_call (phone) VALUES (?)`, n)
					}
				}
				list("+39 (055) 00-00-01")
				d.wants("055 000001")
				d.wants("055 000002")
				d.run(0)
				d.placed("one is on the list", 1)
				if why := d.why("1"); !strings.Contains(why, "its phone is among those who are never to be written to") {
					t.Errorf("got %q", why)
				}

				d.wants("055 000003")
				list("not a number")
				d.run(0)
				d.placed("the list can't be read", 1)
				if why := d.why("3"); !strings.Contains(why, "nobody is") || strings.Contains(why, "not a number") {
					t.Errorf("got %q, want why nobody is called, without what stands in the list", why)
				}

				list("055 000001")
				when := func(name string) bool { return name == "before send" }
				d.runAt(when, func() { list("055 000001", "055 000003") })
				d.placed("the number is added as the last thing before the call", 1)
				list("055 000001")
				d.run(0)
				d.placed("and taken out again", 2)
			})
		})
	}
	inHours(t, "    never_to: { platform: { file: never.txt } }\n", func(t *testing.T, d *desk) {
		d.wants("055 000001")
		d.run(0)
		d.placed("there is no file", 0)
		if _, err := os.Stat(filepath.Join(d.dir, "never.txt")); err == nil {
			t.Error("the file is there")
		}
	})
}

// runAt runs once, and does something at each step for which when holds.
func (d *desk) runAt(when func(name string) bool, do func()) {
	d.t.Helper()
	d.onStep = func(name string) {
		if when(name) {
			do()
		}
	}
	d.run(0)
	d.onStep = nil
}

// Whatever becomes of the record of a call, and of the link to it, it is not placed again.
func TestACallIsNeverPlacedForItsRowAgain(t *testing.T) {
	for name, gone := range map[string]string{"ignored": "ignore", "unlinked": "unlink"} {
		t.Run(name, func(t *testing.T) {
			inHours(t, "", func(t *testing.T, d *desk) {
				d.edit("gone: { desk: ignore, platform: ignore }", "gone: { desk: ignore, platform: "+gone+" }")
				d.wants("055 000001")
				d.run(0)
				d.sleep(time.Hour)
				d.run(0)
				d.placed("asked for", 1)
				for _, c := range d.sim.All("calls") { // the platform forgets it
					id, _ := c["id"].(string)
					d.sim.Remove("calls", id)
				}
				for range 5 {
					d.sleep(time.Hour)
					d.run(0)
				}
				d.exec(`UPDATE call_requests SET text = 'and again', number = '055 000009'`)
				for range 3 {
					d.sleep(time.Hour)
					d.run(0)
				}
				d.placed("after it was forgotten", 1)
			})
		})
	}
}

// A state that was put back to an older copy doesn't know of calls that were placed since.
// Those that the history names are known by that; all others wait for a person.
func TestCallsAfterTheStateWasPutBack(t *testing.T) {
	for name, shown := range map[string]simulator.Outbound{"named by the history": {}, "not named": {HideContext: true}} {
		t.Run(name, func(t *testing.T) {
			inHours(t, "", func(t *testing.T, d *desk) {
				d.sim.SetOutbound(shown)
				d.wants("055 000001")
				d.run(0)
				d.sleep(time.Hour)
				d.run(0)
				old := d.read(d.stateFile())
				d.wants("055 000002")
				d.run(0)
				d.placed("before", 2)
				for _, more := range []string{"-wal", "-shm"} {
					if err := os.Remove(d.stateFile() + more); err != nil && !os.IsNotExist(err) {
						t.Fatal(err)
					}
				}
				d.write(d.stateFile(), string(old))
				d.wants("055 000003")
				for range 4 {
					d.sleep(time.Hour)
					d.run(0)
				}
				d.placed("after the state was put back", 2)
				d.wants("055 000004")
				d.run(0)
				d.placed("asked for since then", 3)
				if got := d.one(`SELECT coalesce(call_id, '') FROM call_requests WHERE id = 2`); (got == "") != shown.HideContext {
					t.Errorf("the second row has the call %q", got)
				}
				d.exec(`UPDATE call_requests SET text = 'and again' WHERE id IN (2, 3)`)
				for range 2 {
					d.sleep(time.Hour)
					d.run(0)
				}
				d.placed("with another text", 3)
			})
		})
	}
}

// Of a call of which nothing is known a person is told after an hour, and says what became
// of it.
func TestAPersonSaysWhatBecameOfACall(t *testing.T) {
	inHours(t, "", func(t *testing.T, d *desk) {
		d.sim.AddFault(simulator.Fault{Kind: simulator.FaultDropBefore, Method: "POST", Times: 1})
		d.wants("055 000001")
		for range 3 {
			d.run(0)
			d.sleep(50 * time.Minute)
		}
		d.placed("nobody knows", 0)
		var lost []record.Intent
		d.withState(func(s *state.Store) (err error) {
			lost, err = s.Lost(context.Background(), "outbound")
			return err
		})
		if len(lost) != 1 || !strings.Contains(lost[0].Error, "nor anything that was asked for after it") {
			t.Fatalf("got %+v, want one that a person is asked about", lost)
		}
		d.withState(func(s *state.Store) error {
			return s.Claim(context.Background(), lost[0].ID, record.Claim{At: time.Now()})
		})
		d.run(0)
		d.placed("a person said that it was not placed", 1)
	})
}

// A history that lags behind, or is empty, shows no call that was lost. What was asked for
// before shows nothing of that either: only a later call does.
func TestAHistoryThatShowsNothingProvesNothing(t *testing.T) {
	for name, lie := range map[string]simulator.Fault{
		"it lags":     {Kind: simulator.FaultListLag, Delay: 5 * time.Hour},
		"it is empty": {Kind: simulator.FaultEmptyList},
	} {
		for _, others := range []int{0, 3} {
			t.Run(name, func(t *testing.T) {
				inHours(t, "", func(t *testing.T, d *desk) {
					for range others {
						d.wants("055 000009")
						d.run(0)
						d.sleep(time.Hour)
					}
					lie.Method, lie.Path = "GET", "/calls"
					if others == 0 || lie.Kind == simulator.FaultListLag {
						d.sim.AddFault(lie)
					}
					d.sim.AddFault(simulator.Fault{Kind: simulator.FaultDropAfter, Method: "POST", Times: 1})
					d.wants("055 000001")
					for range 12 {
						d.run(0)
						d.sleep(20 * time.Minute)
					}
					d.placed("while nothing shows it", others+1)
					d.sim.ClearFaults()
					d.run(0)
					d.run(0)
					d.placed("once it is shown", others+1)
					if got := d.one(`SELECT coalesce(call_id, '') FROM call_requests ORDER BY id DESC LIMIT 1`); got == "" {
						t.Error("the row has no call")
					}
				})
			})
		}
	}
}

// That a later call was answered proves nothing: the list must show it.
func TestALaterCallMustBeShown(t *testing.T) {
	inHours(t, "", func(t *testing.T, d *desk) {
		d.wants("055 000009")
		d.run(0)
		d.run(0)
		d.sleep(2 * time.Hour) // it is listed
		d.run(0)
		d.sim.AddFault(simulator.Fault{Kind: simulator.FaultListLag, Delay: time.Hour, Method: "GET", Path: "/calls"})
		// A read of the later call would show that the list lacks it, and proves nothing.
		d.sim.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Status: 503, Method: "GET", Path: "/calls/k000003"})
		d.sim.AddFault(simulator.Fault{Kind: simulator.FaultDropAfter, Method: "POST", Times: 1})
		d.wants("055 000001")
		d.run(0)
		d.sleep(11 * time.Minute)
		d.wants("055 000002")
		d.run(0)
		for range 3 {
			d.sleep(2 * time.Minute)
			d.run(0)
		}
		d.placed("the list shows neither", 3)
		d.sim.ClearFaults()
		d.run(0)
		d.run(0)
		d.placed("it shows both", 3)
	})
}

// A webhook names a call whose answer was lost before any list shows it: it is read by its
// id, and is still what that request made.
func TestACallThatIsHintedAtBeforeItIsListed(t *testing.T) {
	for name, shown := range map[string]simulator.Outbound{"with our mark": {}, "without": {HideContext: true}} {
		t.Run(name, func(t *testing.T) {
			inHours(t, "", func(t *testing.T, d *desk) {
				d.sim.SetOutbound(shown)
				d.sim.AddFault(simulator.Fault{Kind: simulator.FaultDropAfter, Method: "POST", Times: 1})
				d.wants("055 000001")
				d.run(0)
				d.placed("its answer was lost", 1)
				d.options = engine.Options{Only: []record.Ref{{Kind: "outbound_calls", ID: "k000001"}}, OnlySide: record.Right}
				d.run(0)
				d.options = engine.Options{}
				for range 4 {
					d.sleep(11 * time.Minute)
					d.wants("055 000002")
					d.run(0)
				}
				d.placed("in the end", 5)
				if got := d.one(`SELECT coalesce(call_id, '') FROM call_requests WHERE id = 1`); got != "k000001" {
					t.Errorf("the row has the call %q", got)
				}
			})
		})
	}
}
