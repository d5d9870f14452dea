package engine_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"nightporter/connectors/memory"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan/away"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// alike is two worlds of the same history: one keeps values, the other digests.
func alike(t fails, key string, s setting) [2]*world {
	t.Helper()
	plain := newWorld(t, s)
	s.sealed = key
	return [2]*world{plain, newWorld(t, s)}
}

// tells is what a run writes and whom it asks about what.
func (w *world) tells() []string {
	w.Helper()
	rep := w.run(engine.Options{Yes: true})
	var out []string
	for _, a := range rep.Actions {
		line := describe(a)
		for _, f := range a.Fields {
			line += fmt.Sprintf(" %s=%v was %v by %s, lost %v", f.Field, f.After, f.Before, f.Policy, f.Loser)
		}
		out = append(out, line)
	}
	for _, c := range rep.Conflicts {
		out = append(out, fmt.Sprintf("asked about %s: %v or %v", c.Field, c.Left, c.Right))
	}
	slices.Sort(out)
	return out
}

// putsBack reports whether a user just made a field again what a write of ours replaced.
func (w *world) putsBack(d deed) bool {
	w.Helper()
	rec, ok := w.find(d.side, d.n)
	if d.what != "edit" || !ok {
		return false
	}
	ours, err := w.store.Changes(context.Background(), state.Filter{Binding: job, Ref: rec.Ref})
	if err != nil {
		w.Fatal(err)
	}
	path := spell(d.side, d.field)
	return slices.ContainsFunc(ours, func(c state.Change) bool {
		return c.Change.Ref == rec.Ref && c.Change.Before[path].Equal(rec.Fields[path])
	})
}

// With digests in place of values, a run writes what it writes with the values, for
// any history of edits on both sides, and asks about the same; and no value of a
// record that is in step stands in the state.
//
// Not so while our write to a record settles and a user puts back what it replaced. That
// looks like a late read, which tells nothing: with the values the record is decided by
// what was settled, and then found to be another before it is written; of digests nobody
// knows what was settled. Here a user does so for good once that can be told. Nor where a user
// edits what a system has cut: of digests nobody knows that it was cut. Here no user does so.
func TestLawDigestsDecideAlike(t *testing.T) {
	dir := t.TempDir()
	policies := []merge.Policy{merge.LeftWins, merge.RightWins, merge.Person, merge.FillEmpty, merge.Max, merge.Min}
	law(t, func(t *rapid.T) {
		s := setting{policies: map[string]merge.Policy{}}
		for _, f := range fields {
			s.policies[f] = rapid.SampledFrom(policies).Draw(t, f)
		}
		for side := range s.kinds {
			s.kinds[side].Versions = rapid.Bool().Draw(t, "versions")
		}
		if rapid.Bool().Draw(t, "lossy") {
			s.kinds[record.Right].Normalise = lossy(record.Right)
		}
		ws := alike(t, filepath.Join(dir, "key"), s)
		defer ws[0].close()
		defer ws[1].close()
		history := deeds(t, 15, "put", "put", "edit", "edit", "edit", "run", "wait")
		history = slices.DeleteFunc(history, func(d deed) bool {
			return d.what == "edit" && d.side == record.Right && d.field == "note" && s.kinds[record.Right].Normalise != nil
		})
		for _, d := range append(history, deed{what: "run"}, deed{what: "wait"}, deed{what: "wait"}, deed{what: "run"}, deed{what: "run"}) {
			var told [2][]string
			for i, w := range ws {
				if d.what == "run" {
					told[i] = w.tells()
				} else {
					w.do(d)
				}
			}
			if ws[0].putsBack(d) {
				ws[0].tick(settle) // the other lives in the same time
			}
			if diff := cmp.Diff(told[0], told[1]); diff != "" {
				t.Fatalf("what a run writes (-plain +digests):\n%s", diff)
			}
			if diff := cmp.Diff(ws[0].both(), ws[1].both()); diff != "" {
				t.Fatalf("what both sides hold (-plain +digests):\n%s", diff)
			}
		}
	})
}

// While a write settles, what a read shows as it was settled is known, whatever else of it
// may be late: the rest of the record is not kept waiting.
func TestDigestsWhileAWriteSettles(t *testing.T) {
	for _, tt := range []struct {
		name        string
		field       string
		left, right string // of the field, before the left is written to the right
		isPut       string // there on the right after that
	}{
		{"it changed nothing", "note", "Cd", "cd", "cd"},
		{"it is put back", "mail", "new", "old", "old"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			key := filepath.Join(t.TempDir(), "key")
			synctest.Test(t, func(t *testing.T) {
				s := setting{policies: map[string]merge.Policy{"note": merge.LeftWins, "mail": merge.LeftWins}}
				s.kinds[record.Right].Normalise = lossy(record.Right)
				for i, w := range alike(t, key, s) {
					defer w.close()
					w.put(record.Left, 1, map[string]string{tt.field: tt.left})
					w.put(record.Right, 1, map[string]string{tt.field: tt.right})
					w.run(engine.Options{Yes: true})
					w.edit(record.Right, 1, tt.field, tt.isPut)
					w.edit(record.Left, 1, "note", "a")
					w.run(engine.Options{Yes: true})
					if got := w.value(record.Right, 1, "note"); got != "a" {
						t.Errorf("world %d: the right has note %q, want what the left changed it to", i, got)
					}
				}
			})
		})
	}
}

// Killed at any step and started again, a world of digests comes to what an
// undisturbed one with values comes to, and doubles nothing.
func TestLawDigestsSurviveKills(t *testing.T) {
	dir := t.TempDir()
	law(t, func(t *rapid.T) {
		s := setting{policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.RightWins, "mail": merge.Max}}
		s.kinds[record.Left].Unique = [][]string{{"phone"}}
		s.kinds[record.Right].Unique = [][]string{{"their_phone"}}
		ws := alike(t, filepath.Join(dir, "key"), s)
		defer ws[0].close()
		defer ws[1].close()
		for _, d := range deeds(t, 10, "put", "put", "edit", "edit", "edit", "run") {
			if d.what != "run" {
				ws[0].do(d)
				ws[1].do(d)
				continue
			}
			ws[0].rest()
			ws[1].killed(rapid.IntRange(1, 30).Draw(t, "step"), engine.Options{Yes: true})
			ws[1].rest()
		}
		ws[0].rest()
		ws[1].rest()
		if diff := cmp.Diff(ws[0].both(), ws[1].both()); diff != "" {
			t.Fatalf("what both sides hold (-plain +digests, killed):\n%s", diff)
		}
	})
}

// What a system said no to is not asked again, though only its digest is kept; and a
// record that was read for the sake of the other side is not one that changed.
func TestDigestsRemember(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	synctest.Test(t, func(t *testing.T) {
		s := setting{policies: map[string]merge.Policy{"mail": merge.LeftWins}, guards: guard.Guards{Changed: 50}}
		s.kinds[record.Right].Unique = [][]string{{"their_mail"}}
		for i, w := range alike(t, key, s) {
			defer w.close()
			for n := range 25 {
				w.put(record.Left, n, map[string]string{"mail": fmt.Sprintf("m%d@example.com", n)})
			}
			w.rest()
			w.edit(record.Left, 1, "mail", "m0@example.com")
			w.run(engine.Options{Yes: true})
			before := w.mutations()
			w.run(engine.Options{Yes: true})
			if got := w.mutations() - before; got != 0 {
				t.Errorf("world %d: what was refused is asked again %d times", i, got)
			}
			for n := range 20 {
				w.edit(record.Left, n, "note", "new")
			}
			rep, err := w.try(engine.Options{})
			if !errors.Is(err, engine.ErrHalted) || len(rep.Halts) != 1 || rep.Halts[0].Side != record.Left {
				t.Errorf("world %d: got %v and %v, want a halt for the left side alone", i, err, rep.Halts)
			}
		}
	})
}

// Where only digests are kept, a record is read by its id for what its list hides. A read that is
// older than the list takes no edit away that the list showed: a person is asked, as where values
// are kept.
func TestDigestsAReadBehindItsListTakesNoEditAway(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	for _, desk := range record.Sides {
		t.Run(desk.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := setting{policies: map[string]merge.Policy{"note": merge.Person}}
				s.kinds[desk] = memory.Kind{ListHides: []string{spell(desk, "mail")}, GetLag: settle / 2}
				for i, w := range alike(t, key, s) {
					defer w.close()
					for _, side := range record.Sides {
						w.put(side, 0, map[string]string{"name": "Ada", "note": "a note", "mail": "one"})
					}
					w.rest()
					w.edit(desk, 0, "note", "the desk's")
					w.edit(desk.Other(), 0, "note", "the other's")
					w.run(engine.Options{Yes: true, Full: true})
					w.rest()
					for _, note := range []string{"the desk's", "the other's"} {
						if !w.told("note", note) {
							t.Errorf("world %d: %q is gone without a trace:\n%s", i, note, w.both())
						}
					}
					if got := w.value(desk, 0, "note"); got != "the desk's" {
						t.Errorf("world %d: the desk has %q, and nobody was asked", i, got)
					}
				}
			})
		})
	}
}

// A record that was edited is not deleted because the one across is gone, also where a read by
// its id is older than the list that showed the edit, and only digests are kept.
func TestDigestsAReadBehindItsListLetsNoEditedRecordGo(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	for _, desk := range record.Sides {
		t.Run(desk.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := setting{gone: [2]engine.GoneRule{{Policy: away.GoneDelete}, {Policy: away.GoneDelete}}}
				s.kinds[desk] = memory.Kind{Delete: true, ListHides: []string{spell(desk, "mail")}, GetLag: settle / 2}
				s.kinds[desk.Other()] = memory.Kind{Delete: true}
				for i, w := range alike(t, key, s) {
					defer w.close()
					for n := range 6 {
						for _, side := range record.Sides {
							w.put(side, n, map[string]string{"name": "Ada", "note": "a note", "mail": "one"})
						}
					}
					w.rest()
					w.remove(desk.Other(), 0)
					w.edit(desk, 0, "note", "the desk's")
					rep := w.run(engine.Options{Yes: true, Full: true})
					for _, a := range rep.Actions {
						if a.Change.Op == record.Delete {
							t.Errorf("world %d: it was to be deleted: %s", i, describe(a))
						}
					}
					if got := w.value(desk, 0, "note"); got != "the desk's" {
						t.Errorf("world %d: the desk has %q", i, got)
					}
				}
			})
		})
	}
}

// Where only digests are kept, a record is read by its id so that its link can be decided. One that
// is not found counts as missed: it waits for a list, and is not read at every run from then on.
func TestDigestsWhatIsNotFoundIsMissed(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	synctest.Test(t, func(t *testing.T) {
		left, right := record.Left, record.Right
		w := newWorld(t, setting{sealed: key, policies: map[string]merge.Policy{"note": merge.Person}})
		defer w.close()
		for n := range 3 {
			w.put(left, n, map[string]string{"name": "Ada", "note": "a note", "mail": "one"})
		}
		w.rest()
		w.edit(left, 0, "note", "one")
		w.edit(right, 0, "note", "another")
		w.rest()
		if open := w.open(); len(open) != 1 {
			t.Fatalf("asked about %v, want the note", open)
		}
		here, _ := w.find(left, 0)
		there, _ := w.find(right, 0)
		w.remove(right, 0)
		w.tick(settle)
		w.edit(left, 0, "name", "Ada Rossi")
		w.run(engine.Options{Yes: true, Only: []record.Ref{here.Ref}, OnlySide: left})
		if e := w.entryOf(right, there.Ref.ID); e.State != record.Missed {
			t.Errorf("what is not found is %q (%s), want it missed", e.State, e.Why)
		}
	})
}

// Before a run writes, it makes sure that a system is the one it knows. A record of which most was
// edited is known all the same, with digests in the place of values too: a list has shown the edit.
func TestDigestsAnEditedRecordIsKnown(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	for _, side := range record.Sides {
		synctest.Test(t, func(t *testing.T) {
			for i, w := range alike(t, key, setting{match: [][]string{{"mail"}}}) {
				defer w.close()
				w.put(side, 0, map[string]string{"name": "Ada", "note": "a note", "mail": "one"})
				w.rest()
				w.edit(side, 0, "name", "Ada Rossi")
				w.edit(side, 0, "note", "another note")
				w.edit(side, 0, "mail", "") // no key tells it any more
				w.edit(side.Other(), 0, "phone", phoneOf(1))
				w.tick(settle)
				if _, err := w.try(engine.Options{Yes: true, Full: true}); err != nil {
					t.Errorf("world %d: %s: an edited record stops the run: %v", i, side, err)
				}
			}
		})
	}
}
