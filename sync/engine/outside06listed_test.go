package engine_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// hidingByID is three linked guests of whom reads by id of the right hide the note, and the other field
// where there is one.
func hidingByID(t fails, k memory.Kind, sealed string) *world {
	t.Helper()
	k.Tried, k.GetHides = true, []string{"their_note"}
	w := newWorld(t, setting{sealed: sealed, kinds: [2]memory.Kind{record.Right: k}, policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.RightWins, "mail": merge.LeftWins}})
	for n := range 3 {
		for _, side := range record.Sides {
			w.put(side, n, map[string]string{"name": "Ada", "mail": "ada@example.com", "note": "quiet room"})
		}
	}
	w.rest()
	return w
}

// notes is what both sides hold of all notes, once each.
func (w *world) notes() string {
	set := map[string]bool{}
	for _, side := range record.Sides {
		for n := range 3 {
			set[w.value(side, n, "note")] = true
		}
	}
	return strings.Join(sorted(set), "|")
}

// Lists show what reads by id hide. An update empties it, alone or with all else: the next list tells,
// it is put back, no other update is sent, and nothing of it travels.
func TestOutside06WhatListsAloneShow(t *testing.T) {
	for name, k := range map[string]memory.Kind{
		"all is emptied":           {Replaces: true},
		"this alone":               {Drops: []string{"their_note"}},
		"this alone, by versions":  {Drops: []string{"their_note"}, Versions: true},
		"this alone, lists lag":    {Drops: []string{"their_note"}, ListLag: settle * 9 / 10},
		"this alone, since a time": {Drops: []string{"their_note"}, Times: true, Since: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := hidingByID(t, k, "")
				defer w.close()
				for n := range 3 {
					w.edit(record.Left, n, "mail", "new@example.com")
				}
				for range 6 {
					w.run(engine.Options{Yes: true})
					if got := w.value(record.Left, 0, "note") + w.value(record.Left, 1, "note"); got != "quiet roomquiet room" {
						t.Errorf("an effect of our own write travelled: the left has %q", got)
					}
					w.tick(settle / 3)
				}
				w.rest()
				w.rest()
				if got := w.notes(); got != "quiet room" {
					t.Errorf("the notes are %s", got)
				}
				if tr := w.trial(record.Update); tr.State != record.TrialStopped || len(tr.Left)+len(tr.Listed) > 0 || len(w.halted("trial")) != 1 {
					t.Errorf("the trial is kept as %+v, and %v stands", tr, w.halted("trial"))
				}
			})
		})
	}
}

// The same, killed at any step.
func TestOutside06WhatListsAloneShowAndKilled(t *testing.T) {
	steps := 0
	for k := 0; k <= steps; k++ { // first none
		synctest.Test(t, func(t *testing.T) {
			w := hidingByID(t, memory.Kind{Replaces: k%2 == 0, Drops: []string{"their_note"}}, "")
			defer w.close()
			w.edit(record.Left, 0, "mail", "new@example.com")
			steps = max(steps, w.killed(k, engine.Options{Yes: true}))
			w.tick(time.Minute)
			w.rest()
			w.rest()
			if got := w.notes() + fmt.Sprint(len(w.halted("trial"))); got != "quiet room1" {
				t.Errorf("killed at step %d: %s, and the trial is %+v", k, got, w.trial(record.Update))
			}
		})
	}
}

// Killed at any step of the run that puts it back.
func TestOutside06PutBackOfWhatListsShowAndKilled(t *testing.T) {
	steps := 0
	for k := 0; k <= steps; k++ { // first none
		synctest.Test(t, func(t *testing.T) {
			w := hidingByID(t, memory.Kind{Drops: []string{"their_note"}}, "")
			defer w.close()
			w.edit(record.Left, 0, "mail", "new@example.com")
			w.run(engine.Options{Yes: true})
			w.tick(time.Minute)
			steps = max(steps, w.killed(k, engine.Options{Yes: true}))
			w.tick(time.Minute)
			w.rest()
			w.rest()
			if got := w.notes() + fmt.Sprint(len(w.halted("trial"))); got != "quiet room1" {
				t.Errorf("killed at step %d: %s, and the trial is %+v", k, got, w.trial(record.Update))
			}
		})
	}
}

// An update that keeps all passes, once a list shows it; the others wait for that, and are not tried again.
func TestOutside06WhatListsAloneShowIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hidingByID(t, memory.Kind{}, "")
		defer w.close()
		for n := range 3 {
			w.edit(record.Left, n, "mail", "new@example.com")
		}
		rep := w.run(engine.Options{Yes: true})
		if tr := w.trial(record.Update); !tr.State.Pending() || rep.Counts["right.updated"] != 1 {
			t.Errorf("after the first run the trial is %s, and %d are updated", tr.State, rep.Counts["right.updated"])
		}
		w.rest()
		for n := range 3 {
			if got := w.value(record.Right, n, "mail"); got != "new@example.com" {
				t.Errorf("guest %d has %q", n, got)
			}
		}
		if tr := w.trial(record.Update); tr.State != record.TrialPassed || len(w.halted("trial")) > 0 {
			t.Errorf("the trial is %s", tr.State)
		}
	})
}

// Where digests alone are kept it can't be put back: it is named for a person, and does not travel.
func TestOutside06WhatListsAloneShowSealed(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := hidingByID(t, memory.Kind{Drops: []string{"their_note"}}, filepath.Join(dir, "key"))
		defer w.close()
		w.edit(record.Left, 0, "mail", "new@example.com")
		for range 3 {
			w.rest()
		}
		if got := w.value(record.Left, 0, "note"); got != "quiet room" {
			t.Errorf("the left has the note %q", got)
		}
		if texts := w.halted("trial"); len(texts) != 1 || !strings.Contains(texts[0], "their_note could not be put back: enter it again") {
			t.Errorf("what is said: %v", texts)
		}
	})
}

// What is sent whole is read by id just before, and that hides something: it is sent as the version that is
// read vouches for it, and without a version the record is not sent.
func TestOutside06WhatListsAloneShowIsSentWhole(t *testing.T) {
	for _, versions := range []bool{true, false} {
		t.Run(fmt.Sprintf("versions %t", versions), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := hidingByID(t, memory.Kind{Replaces: true, Rewrites: true, Versions: versions}, "")
				defer w.close()
				for n := range 3 {
					w.edit(record.Left, n, "mail", "new@example.com")
				}
				w.rest()
				w.rest()
				if got := w.notes(); got != "quiet room" {
					t.Errorf("the notes are %s", got)
				}
				found, err := w.store.Findings(t.Context(), job)
				if err != nil {
					t.Fatal(err)
				}
				sent := 0
				for n := range 3 {
					if w.value(record.Right, n, "mail") == "new@example.com" {
						sent++
					}
				}
				switch {
				case versions && (sent != 3 || len(found) > 0):
					t.Errorf("%d are sent, and found is %+v", sent, found)
				case !versions && (sent != 0 || len(found) == 0 || found[0].Name != record.FindVerb || !strings.Contains(found[0].Text, "hides what its list shows: sent without it, this would be emptied: their_note")):
					t.Errorf("%d are sent, and found is %+v", sent, found)
				}
			})
		})
	}
}

// A read by id leaves out what is empty: of other records it shows that. It hides nothing, and what stood
// there once is not waited for, nor put back.
func TestOutside06WhatReadsByIDShowOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {Tried: true}}, policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.RightWins, "mail": merge.LeftWins}})
		defer w.close()
		for n := range 5 {
			for _, side := range record.Sides {
				w.put(side, n, map[string]string{"name": "Ada", "mail": "ada@example.com", "note": "quiet room"})
			}
		}
		w.rest()
		id, _ := w.find(record.Right, 0)
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallGet, ID: id.Ref.ID, Times: -1, LeaveOut: []string{"their_note"}})
		w.restart()
		w.edit(record.Left, 0, "mail", "new@example.com")
		w.run(engine.Options{Yes: true})
		if tr := w.trial(record.Update); !tr.State.Pending() || len(tr.Listed) > 0 {
			t.Errorf("right after the answer the trial is %+v", tr)
		}
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallFetch, Times: -1, Class: connectors.Transient}) // it waits for no list
		w.tick(settle)
		_, _ = w.try(engine.Options{Yes: true})
		if tr := w.trial(record.Update); tr.State != record.TrialPassed || len(tr.Listed) > 0 {
			t.Errorf("the trial is %+v", tr)
		}
	})
}
