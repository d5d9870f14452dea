package engine_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// late is a world whose left side has records that become whole after a while: their
// note is shown by a read by id alone, and comes later. A mail of "on" says that a
// record still goes on, one of "none" that it never gets a note, one of "broken" that the
// note can't be read.
func late(right memory.Kind) setting {
	toRight := merge.ToRight
	left := memory.Kind{NoCreate: true, NoUpdate: true, ListHides: []string{"note"}, Late: []string{"note"}, Unfinished: func(shown record.Fields) *record.Unfinished {
		u := &record.Unfinished{Within: 24 * time.Hour}
		switch {
		case shown["mail"].Text() == "none" || shown["note"].Text() != "":
			return nil
		case shown["mail"].Text() == "broken":
			u.Lacks, u.Failed = []string{"note"}, "nobody may read it"
		case shown["mail"].Text() != "on":
			u.Lacks = []string{"note"}
		}
		return u
	}}
	return setting{
		kinds:  [2]memory.Kind{left, right},
		oneWay: map[string]merge.Direction{"phone": toRight, "name": toRight, "note": toRight, "mail": toRight},
		gone:   [2]engine.GoneRule{{Policy: away.GoneIgnore}, {Policy: away.GoneIgnore}},
		settle: time.Second,
	}
}

func appendOnly() memory.Kind { return memory.Kind{NoUpdate: true} }

// rounds runs the job every five minutes for a while.
func (w *world) rounds(d time.Duration) {
	for until := time.Now().Add(d); time.Now().Before(until); w.tick(5*time.Minute - 2*time.Second) {
		w.run(engine.Options{Yes: true})
	}
}

func (w *world) gets() int { return w.sys[record.Left].Counts().Gets }

// lacking is what is known of what the first person's record lacks.
func (w *world) lacking() *record.Unfinished {
	w.Helper()
	r, ok := w.find(record.Left, 1)
	if !ok {
		w.Fatal("there is no such record")
	}
	e, ok, err := w.store.Entry(context.Background(), record.Place{Binding: job, Side: record.Left}, r.Ref)
	if err != nil || !ok {
		w.Fatalf("entry: %v, %v", ok, err)
	}
	return e.Unfinished
}

func TestUnfinished(t *testing.T) {
	const ready = 40 * time.Minute
	for _, tt := range []struct {
		name   string
		right  memory.Kind
		mail   string
		ready  time.Duration // when its note is there; 0: never
		at     time.Duration // when it is looked at for the first time
		there  bool          // a record was made across by then
		note   string        // that it had then
		whole  string        // the note that it has after two days
		writes int
		gets   int // at most
		sealed bool
	}{
		{name: "append-only, there at first sight", right: appendOnly(), ready: time.Nanosecond, at: time.Minute, there: true, note: "text", whole: "text", writes: 1, gets: 1},
		{name: "append-only, there later", right: appendOnly(), ready: ready, at: ready - time.Minute, there: false, whole: "text", writes: 1, gets: 8},
		{name: "append-only, there before it is read next", right: appendOnly(), ready: ready, at: ready + 25*time.Minute, there: true, note: "text", whole: "text", writes: 1, gets: 8},
		{name: "append-only, never there", right: appendOnly(), at: 23 * time.Hour, there: false, writes: 1, gets: 15},
		{name: "append-only, none by its nature", right: appendOnly(), mail: "none", at: time.Minute, there: true, writes: 1, gets: 0},
		{name: "append-only, it goes on", right: appendOnly(), mail: "on", at: 20 * time.Hour, there: false, writes: 1, gets: 15},
		{name: "updated, there later", ready: ready, at: time.Minute, there: true, whole: "text", writes: 2, gets: 12},
		{name: "updated, never there", at: time.Minute, there: true, writes: 1, gets: 18},
		{name: "updated, digests alone are kept", ready: ready, at: time.Minute, there: true, whole: "text", writes: 2, gets: 12, sealed: true},
		{name: "append-only, digests alone are kept", right: appendOnly(), ready: ready, at: ready - time.Minute, whole: "text", writes: 1, gets: 8, sealed: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := late(tt.right)
				if tt.sealed {
					s.sealed = filepath.Join(t.TempDir(), "key")
				}
				w := newWorld(t, s)
				defer w.close()
				w.put(record.Left, 1, map[string]string{"name": "Ada", "mail": tt.mail})
				begun := time.Now()
				finish := func() {
					if tt.ready > 0 {
						w.edit(record.Left, 1, "note", "text")
					}
				}
				if tt.ready < time.Minute {
					finish()
				} else if tt.ready < tt.at {
					w.rounds(tt.ready)
					finish()
				}
				w.rounds(tt.at - time.Since(begun))
				if _, there := w.find(record.Right, 1); there != tt.there || w.value(record.Right, 1, "note") != tt.note {
					t.Errorf("after %s: there %v with note %q, want %v with %q", tt.at, there, w.value(record.Right, 1, "note"), tt.there, tt.note)
				}
				if tt.ready > tt.at {
					w.rounds(tt.ready - time.Since(begun))
					finish()
				}
				w.rounds(48*time.Hour - time.Since(begun))
				if _, there := w.find(record.Right, 1); !there || w.value(record.Right, 1, "note") != tt.whole {
					t.Errorf("in the end: there %v with note %q, want one with %q", there, w.value(record.Right, 1, "note"), tt.whole)
				}
				if n := w.mutations(); n != tt.writes {
					t.Errorf("%d writes, want %d", n, tt.writes)
				}
				if n := w.gets(); n > tt.gets {
					t.Errorf("%d reads by id, want %d at most", n, tt.gets)
				}
				u := w.lacking()
				if u.Waits() {
					t.Errorf("it is still waited for: %+v", u)
				}
				if gaveUp := u != nil; gaveUp != (tt.ready == 0 && tt.mail != "none") {
					t.Errorf("got %+v", u)
				}
				if due := w.due(); len(due) > 0 {
					t.Errorf("left to do: %v", due)
				}
			})
		})
	}
}

// Only a read ends the wait: a system that can't be read by id for two days loses
// nothing of what it had to say.
func TestUnfinishedThroughAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, late(appendOnly()))
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Ada"})
		w.run(engine.Options{Yes: true})
		w.edit(record.Left, 1, "note", "text")
		w.sys[record.Left].Inject(memory.Fault{Call: memory.CallGet, Times: -1, Class: connectors.Transient})
		w.rounds(48 * time.Hour)
		if _, there := w.find(record.Right, 1); there || !w.lacking().Waits() {
			t.Errorf("there %v, waits %v; want it waited for", there, w.lacking().Waits())
		}
		w.sys[record.Left].Heal()
		w.run(engine.Options{Yes: true})
		if v := w.value(record.Right, 1, "note"); v != "text" {
			t.Errorf("got note %q, want the one that was there all the time", v)
		}
	})
}

// What can't be read is not given up on, nor asked for at every run, and keeps no other
// record from being made.
func TestUnfinishedThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, late(appendOnly()))
		defer w.close()
		for n := range 6 {
			w.put(record.Left, n, map[string]string{"name": "Ada", "mail": "broken"})
		}
		w.put(record.Left, 7, map[string]string{"name": "Bea", "note": "text"})
		w.rounds(48 * time.Hour)
		if all := w.picture(record.Right); len(all) != 1 || w.value(record.Right, 7, "note") != "text" {
			t.Errorf("got %q, want the one that can be read", all)
		}
		if u := w.lacking(); !u.Waits() || u.Failed == "" {
			t.Errorf("got %+v, want it waited for", u)
		}
		rep := w.run(engine.Options{Yes: true})
		if !slices.ContainsFunc(rep.Notes, func(n engine.Note) bool { return strings.Contains(n.Why, "nobody may read it") }) {
			t.Errorf("nothing says why: %v", rep.Notes)
		}
		if n := w.gets(); n > 6*20+2 {
			t.Errorf("%d reads by id in two days, want 122 at most", n)
		}
		for n := range 6 {
			w.edit(record.Left, n, "mail", "")
			w.edit(record.Left, n, "note", "text")
		}
		w.run(engine.Options{Yes: true})
		if all := w.picture(record.Right); len(all) != 7 {
			t.Errorf("got %q, want all of them", all)
		}
	})
}

// Killed at whatever step, before, while and after the note comes: one record, with its
// note.
func TestUnfinishedKilledAnywhere(t *testing.T) {
	for name, right := range map[string]memory.Kind{"append-only": appendOnly(), "updated": {}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, run := range []int{0, 1, 2} { // which of the runs is killed
					for k, steps := 1, 1; steps >= k; k++ {
						w := newWorld(t, late(right))
						w.put(record.Left, 1, map[string]string{"name": "Ada"})
						for i := range 3 {
							if i == 2 {
								w.edit(record.Left, 1, "note", "text")
							}
							if i == run {
								steps = w.killed(k, engine.Options{Yes: true})
							} else {
								w.run(engine.Options{Yes: true})
							}
							w.tick(10 * time.Minute)
						}
						w.rounds(time.Hour)
						all := w.picture(record.Right)
						if want := "+390550000001 name=Ada note=text mail="; !slices.Equal(all, []string{want}) {
							t.Errorf("run %d killed at step %d: got %q, want %q", run, k, all, want)
						}
						w.close()
					}
				}
			})
		})
	}
}
