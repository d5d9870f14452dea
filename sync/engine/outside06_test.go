package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// replacing is five linked guests of whom the right, whose updates empty what they are not
// sent, knows more than is mapped.
func replacing(t fails, k memory.Kind) *world {
	t.Helper()
	return replacingSealed(t, k, "")
}

func replacingSealed(t fails, k memory.Kind, sealed string) *world {
	t.Helper()
	k.Tried, k.Replaces = true, true
	w := newWorld(t, setting{sealed: sealed, kinds: [2]memory.Kind{record.Right: k}, policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.LeftWins, "mail": merge.LeftWins}})
	for n := range 5 {
		w.put(record.Left, n, map[string]string{"name": "Ada", "mail": "ada@example.com", "note": "quiet room"})
		w.put(record.Right, n, map[string]string{"name": "Ada", "mail": "ada@example.com", "note": "quiet room"})
		id, _ := w.find(record.Right, n)
		w.sys[record.Right].Edit(kinds[record.Right], id.Ref.ID, record.Fields{"their_remark": record.OfText("pays cash")})
	}
	w.run(engine.Options{Yes: true})
	return w
}

// whole is that nothing was emptied on either side, but for what is named.
func (w *world) unharmed(when string) {
	w.Helper()
	for _, side := range record.Sides {
		for n := range 5 {
			if got := w.value(side, n, "name") + " " + w.value(side, n, "mail"); got != "Ada ada@example.com" {
				w.Errorf("%s: guest %d of the %s has %q", when, n, side, got)
			}
			if r, _ := w.find(side, n); side == record.Right && r.Fields["their_remark"].Text() != "pays cash" {
				w.Errorf("%s: the remark on guest %d is %q", when, n, r.Fields["their_remark"].Text())
			}
		}
	}
}

func (w *world) trial(op record.Op) record.Trial {
	w.Helper()
	all, err := w.store.Trials(context.Background(), job)
	if err != nil {
		w.Fatal(err)
	}
	for _, t := range all {
		if t.Op == op {
			return t
		}
	}
	return record.Trial{}
}

func (w *world) halted(name string) (texts []string) {
	w.Helper()
	hs, err := w.store.Halts(context.Background(), job)
	if err != nil {
		w.Fatal(err)
	}
	for _, h := range hs {
		if string(h.Cause) == name {
			texts = append(texts, h.Why)
		}
	}
	return texts
}

// The first update shows that the system empties what it is not sent: that is put back,
// no other update is sent, nothing of it travels, and a person is told by which key.
func TestOutside06AFirstUpdateThatReplaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := replacing(t, memory.Kind{})
		defer w.close()
		before := w.sys[record.Right].Counts().Mutations
		for n := range 5 {
			w.edit(record.Left, n, "note", "late arrival")
		}
		rep := w.run(engine.Options{Yes: true})
		w.unharmed("after the first run")
		if got := w.sys[record.Right].Counts().Mutations - before; got != 2 {
			t.Errorf("%d writes, want the trial and what put it back", got)
		}
		if rep.Outcome != record.Waits {
			t.Errorf("the run ended as %s", rep.Outcome)
		}
		if texts := w.halted("trial"); len(texts) != 1 || !strings.Contains(texts[0], "update.mode: rewrite") || !strings.Contains(texts[0], "their_mail, their_name, their_phone, their_remark; that was put back") {
			t.Errorf("what is said: %v", texts)
		}
		w.rest()
		w.unharmed("at rest")
		if got := w.sys[record.Right].Counts().Mutations - before; got != 2 {
			t.Errorf("%d writes at rest", got)
		}
		if n := len(w.halted("trial")); n != 1 {
			t.Errorf("%d halts at rest", n)
		}
		tr := w.trial(record.Update)
		if tr.State != record.TrialStopped || tr.Original != nil || len(tr.Left) != 0 {
			t.Errorf("the trial is kept as %+v", tr)
		}

		// The description changes: another trial, and all goes on.
		w.setting.kinds[record.Right].Rewrites = true
		w.rewrites(record.Right)
		w.rest()
		w.unharmed("with the key")
		for n := range 5 {
			if got := w.value(record.Right, n, "note"); got != "late arrival" {
				t.Errorf("guest %d has %q", n, got)
			}
		}
		if tr := w.trial(record.Update); tr.State != record.TrialPassed || len(w.halted("trial")) != 0 {
			t.Errorf("the trial is %s, and %v stands", tr.State, w.halted("trial"))
		}
	})
}

// rewrites has a system's updates send records whole from now on.
func (w *world) rewrites(side record.Side) {
	w.Helper()
	k := w.kinds[side]
	k.Fields = map[string]connectors.Field{spell(side, "phone"): {}, "their_remark": {}}
	for _, f := range fields {
		k.Fields[spell(side, f)] = connectors.Field{}
	}
	w.is(side, k)
}

// is has a system be another from now on, with the records that it has.
func (w *world) is(side record.Side, k memory.Kind) {
	w.Helper()
	snap := w.sys[side].Snapshot()
	w.sys[side] = memory.New(memory.Options{Kinds: map[record.Kind]memory.Kind{kinds[side]: k}})
	w.sys[side].Restore(snap)
	w.restart()
}

// Killed at any step of the trial, nothing of it is lost, and nothing travels.
func TestOutside06TrialsKilledAtEveryStep(t *testing.T) {
	steps := 0
	for k := 0; k <= steps; k++ { // first none
		synctest.Test(t, func(t *testing.T) {
			w := replacing(t, memory.Kind{Versions: k%2 == 0})
			defer w.close()
			for n := range 5 {
				w.edit(record.Left, n, "note", "late arrival")
			}
			steps = max(steps, w.killed(k, engine.Options{Yes: true}))
			w.tick(time.Minute)
			w.rest()
			w.unharmed(fmt.Sprintf("killed at step %d", k))
			if n := w.have5("late arrival"); n != 1 {
				t.Errorf("killed at step %d: %d updates are there, want the trial's", k, n)
			}
			if tr := w.trial(record.Update); tr.State != record.TrialStopped || len(tr.Left) > 0 {
				t.Errorf("killed at step %d: the trial is %s, left %v", k, tr.State, tr.Left)
			}
		})
	}
}

func (w *world) have5(note string) (n int) {
	for i := range 5 {
		if w.value(record.Right, i, "note") == note {
			n++
		}
	}
	return n
}

// An answer that is lost, a list that lags, and a system that can't be reached when it is
// to be put back: nothing travels, and the next run puts it back.
func TestOutside06TrialsAndAway(t *testing.T) {
	for name, f := range map[string]memory.Fault{
		"the answer was lost":  {Call: memory.CallApply, Op: record.Update, Class: connectors.Ambiguous, Applied: true},
		"applied late":         {Call: memory.CallApply, Op: record.Update, Class: connectors.Ambiguous, Late: settle / 2},
		"not put back at once": {Call: memory.CallApply, Op: record.Update, Skip: 1, Class: connectors.Transient},
		"can't be read":        {Call: memory.CallGet, Skip: 2, Times: 2, Class: connectors.Transient},
		"nothing":              {Call: memory.CallFind, Class: connectors.Transient},
	} {
		for _, k := range []memory.Kind{{}, {ListLag: settle / 2}, {ListLag: settle / 2, GetLag: settle / 2}} {
			t.Run(fmt.Sprintf("%s, lists lag %s, reads %s", name, k.ListLag, k.GetLag), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := replacing(t, k)
					defer w.close()
					w.tick(time.Minute)
					for n := range 5 {
						w.edit(record.Left, n, "note", "late arrival")
					}
					w.sys[record.Right].Inject(f)
					for range 4 {
						_, _ = w.try(engine.Options{Yes: true})
						w.tick(2 * time.Second)
						if got := w.value(record.Left, 0, "name"); got != "Ada" {
							t.Errorf("an effect of our own write travelled: the left has %q", got)
						}
					}
					w.rest()
					w.unharmed("at rest")
				})
			})
		}
	}
}

// What can't be put back is named, and its record left alone until a person lets it go on;
// then nothing of it travels either.
func TestOutside06WhatCantBePutBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := replacing(t, memory.Kind{})
		defer w.close()
		w.edit(record.Left, 0, "note", "late arrival")
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, Skip: 1, Times: -1, Class: connectors.Rejected})
		w.run(engine.Options{Yes: true})
		w.rest()
		if texts := w.halted("trial"); len(texts) != 1 || !strings.Contains(texts[0], "could not be put back: enter it again") {
			t.Errorf("what is said: %v", texts)
		}
		if got := w.value(record.Left, 0, "name") + " " + w.value(record.Left, 0, "mail"); got != "Ada ada@example.com" {
			t.Errorf("an effect of our own write travelled: the left has %q", got)
		}
		w.sys[record.Right].Heal()
		if _, err := w.store.AnswerHalts(context.Background(), job, record.Accepted, "test"); err != nil {
			t.Fatal(err)
		}
		w.rest()
		if got := w.value(record.Left, 0, "name") + " " + w.value(record.Left, 0, "mail"); got != "Ada ada@example.com" {
			t.Errorf("once it was let go on, it travelled: the left has %q", got)
		}
		if n := len(w.halted("trial")); n != 0 {
			t.Errorf("%d halts after the answer", n)
		}
	})
}

// The record of a trial is gone before what was emptied is put back: a read by id may show the one
// that it was merged into. There is nothing to put back, and the next update is the trial.
func TestOutside06PutBackOfWhatIsGone(t *testing.T) {
	for _, class := range []connectors.ErrorClass{connectors.NotFound, connectors.Moved} {
		synctest.Test(t, func(t *testing.T) {
			w := replacing(t, memory.Kind{})
			defer w.close()
			w.edit(record.Left, 0, "note", "late arrival")
			w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, Skip: 1, Class: class})
			w.run(engine.Options{Yes: true})
			if tr := w.trial(record.Update); tr.Ref.ID != "" {
				t.Errorf("%s: the trial goes on: %+v", class, tr)
			}
			w.remove(record.Right, 0)
			w.rest()
			w.edit(record.Left, 1, "note", "late arrival")
			w.rest()
			if texts := w.halted("trial"); len(texts) != 1 || !strings.Contains(texts[0], "their_") {
				t.Errorf("%s: of the next update is said: %v", class, texts)
			}
		})
	}
}

// Where digests alone are kept, a kill leaves nothing to put back: what was emptied is named
// for a person to enter again, no value stands in the state, and nothing travels.
func TestOutside06SealedTrialsKilled(t *testing.T) {
	named, steps := 0, 0
	for k := 0; k <= steps; k++ { // first none
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			w := replacingSealed(t, memory.Kind{}, filepath.Join(dir, "key"))
			defer w.close()
			w.edit(record.Left, 0, "note", "late arrival")
			steps = max(steps, w.killed(k, engine.Options{Yes: true}))
			for _, v := range w.trial(record.Update).Original {
				if !v.Sealed() {
					t.Errorf("killed at step %d: the state holds %s", k, v)
				}
			}
			w.tick(time.Minute)
			w.rest()
			if got := w.value(record.Left, 0, "name") + " " + w.value(record.Left, 0, "mail"); got != "Ada ada@example.com" {
				t.Errorf("killed at step %d: the left has %q", k, got)
			}
			tr := w.trial(record.Update)
			if len(tr.Left) == 0 {
				w.unharmed(fmt.Sprintf("killed at step %d", k))
				return
			}
			named++
			if got := strings.Join(tr.Left, " "); got != "their_mail their_name their_phone their_remark" || len(w.halted("trial")) != 1 {
				t.Errorf("killed at step %d: named are %s, and %v stands", k, got, w.halted("trial"))
			}
		})
	}
	t.Logf("%d kills", steps)
	if named == 0 {
		t.Error("no kill left anything to be entered again")
	}
}

// A status action that empties something is only looked at: what it did is kept, and is
// nobody's edit. The record across fills it again.
func TestOutside06AnActionThatEmpties(t *testing.T) {
	for _, f := range []memory.Fault{{}, {Call: memory.CallGet, Op: record.Action, Times: 1, Class: connectors.Transient}} {
		synctest.Test(t, func(t *testing.T) {
			k := memory.Kind{Tried: true, Status: "their_mail", Clears: []string{"their_note"}}
			w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: k}, policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.RightWins, "mail": merge.LeftWins}})
			defer w.close()
			w.put(record.Left, 0, map[string]string{"name": "Ada", "mail": "old", "note": "quiet room"})
			w.rest()
			w.edit(record.Left, 0, "mail", "new")
			if f.Call == memory.CallGet {
				w.sys[record.Right].Inject(f)
			}
			_, _ = w.try(engine.Options{Yes: true})
			w.tick(time.Minute)
			w.rest()
			for _, side := range record.Sides {
				if got := w.value(side, 0, "note") + " " + w.value(side, 0, "mail"); got != "quiet room new" {
					t.Errorf("the %s has %q", side, got)
				}
			}
			if tr := w.trial(record.Action); tr.State != record.TrialPassed || strings.Join(tr.Found, " ") != "their_note" {
				t.Errorf("the trial is %s, and found %v", tr.State, tr.Found)
			}
		})
	}
}

// A record in which nothing stands that an update could empty shows nothing: the next update
// is the trial.
func TestOutside06ARecordThatShowsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {Tried: true, Replaces: true}}, policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.LeftWins, "mail": merge.LeftWins}})
		defer w.close()
		w.put(record.Left, 0, map[string]string{})
		w.put(record.Left, 1, map[string]string{"name": "Ada", "mail": "ada@example.com"})
		w.rest()
		w.edit(record.Left, 0, "phone", phoneOf(7))
		w.run(engine.Options{Yes: true})
		if tr := w.trial(record.Update); tr.State == record.TrialPassed {
			t.Errorf("a record without a value passed the trial: %+v", tr)
		}
		w.edit(record.Left, 1, "note", "late arrival")
		w.rest()
		if got := w.value(record.Right, 1, "name") + " " + w.value(record.Right, 1, "mail"); got != "Ada ada@example.com" {
			t.Errorf("the right has %q", got)
		}
		if tr := w.trial(record.Update); tr.State != record.TrialStopped {
			t.Errorf("the trial is %s", tr.State)
		}
	})
}

// What a user enters while the answer to a trial is on its way, or lost for hours, is not
// taken for what the trial did: it is not put back, and stands or is in the journal.
func TestOutside06AnEditMeanwhile(t *testing.T) {
	for name, at := range map[string]string{"before it is read again": "after update people", "while the answer is lost": ""} {
		for _, field := range []string{"name", "mail"} {
			t.Run(name+", "+field, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := replacing(t, memory.Kind{})
					defer w.close()
					w.edit(record.Left, 0, "note", "late arrival")
					ada, _ := w.find(record.Right, 0)
					enter := func() {
						w.sys[record.Right].Edit(kinds[record.Right], ada.Ref.ID, record.Fields{spell(record.Right, field): record.OfText("entered meanwhile")})
					}
					if at == "" {
						w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, Class: connectors.Ambiguous, Applied: true})
						_, _ = w.try(engine.Options{Yes: true})
						w.tick(time.Minute)
						enter()
					} else {
						once := true
						w.sys[record.Right].Hook(memory.Hooks{Step: func(step string) {
							if step == at && once {
								once = false
								enter()
							}
						}})
						w.run(engine.Options{Yes: true})
					}
					w.setting.kinds[record.Right].Rewrites = true
					w.tick(time.Minute)
					_, _ = w.try(engine.Options{Yes: true})
					w.rewrites(record.Right)
					w.rest()
					if !w.lostInJournal("entered meanwhile") && w.value(record.Right, 0, field) != "entered meanwhile" {
						t.Errorf("%s: the right has %q, and the journal knows nothing", field, w.value(record.Right, 0, field))
					}
					for _, f := range []string{"name", "mail"} {
						if f != field && w.value(record.Right, 0, f) == "" {
							t.Errorf("%s is empty", f)
						}
					}
				})
			})
		}
	}
}

// lostInJournal reports whether a value is in the journal as what was replaced.
func (w *world) lostInJournal(value string) bool {
	w.Helper()
	changes, err := w.store.Changes(context.Background(), state.Filter{Binding: job})
	if err != nil {
		w.Fatal(err)
	}
	for _, c := range changes {
		for _, f := range c.Fields {
			if f.Loser.Text() == value || f.Before.Text() == value {
				return true
			}
		}
	}
	return false
}

// The record that a trial would write to was removed, and no list tells so: that is found out
// like before any other write, and nothing waits for a read that can never succeed.
func TestOutside06TrialOfARecordThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := replacing(t, memory.Kind{Times: true, Since: true})
		defer w.close()
		id, _ := w.find(record.Right, 1)
		w.tick(time.Minute)
		w.sys[record.Right].Remove(kinds[record.Right], id.Ref.ID)
		w.edit(record.Left, 1, "note", "late arrival")
		rep := w.run(engine.Options{Yes: true})
		for _, n := range rep.Notes {
			if n.State == record.Quarantined {
				t.Errorf("%s of the %s is %s: %s", n.Ref, n.Side, n.State, n.Why)
			}
		}
		for range 3 {
			w.tick(time.Hour)
			w.run(engine.Options{Yes: true, Full: true})
		}
		if e, _, err := w.store.Entry(t.Context(), record.Place{Binding: job, Side: record.Right}, id.Ref); err != nil || e.State != record.Gone {
			t.Errorf("the record that was removed is %q (%v)", e.State, err)
		}
	})
}

// Both records of a link were written, and no answer came. On one side it was a trial, and what
// became of that is known soon; on the other nobody can ever tell. The trial ends all the same:
// while it is open nothing else is written to its side.
func TestOutside06TrialBesideALostUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{NoGet: true}, {Tried: true}}, policies: map[string]merge.Policy{"name": merge.RightWins, "note": merge.LeftWins}})
		defer w.close()
		for n := range 3 {
			for _, side := range record.Sides {
				w.put(side, n, map[string]string{"name": "Ada", "note": "quiet room"})
			}
		}
		w.rest()
		w.edit(record.Left, 0, "note", "late arrival")
		w.edit(record.Right, 0, "name", "Bea")
		for _, side := range record.Sides {
			w.sys[side].Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, Class: connectors.Ambiguous})
		}
		w.run(engine.Options{Yes: true})
		id, _ := w.find(record.Left, 0)
		w.sys[record.Left].Remove(kinds[record.Left], id.Ref.ID)
		w.edit(record.Left, 1, "note", "late arrival")
		w.rest()
		w.rest()
		if got := w.value(record.Right, 1, "note"); got != "late arrival" {
			t.Errorf("the right has %q of guest 1, and waits for a trial in state %q", got, w.trial(record.Update).State)
		}
	})
}

// What a trial emptied was put back, and then a user made a record of it that nobody can read. What
// is known of it is what the trial made of it: the trial is not over before a read shows it.
func TestOutside06PutBackAndUnreadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := replacing(t, memory.Kind{})
		defer w.close()
		right := w.sys[record.Right]
		w.edit(record.Left, 1, "note", "late arrival")
		right.Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, Class: connectors.Ambiguous, Applied: true})
		w.run(engine.Options{Yes: true})
		w.tick(settle + time.Second)
		right.Inject(memory.Fault{Call: memory.CallFetch, Class: connectors.Transient, Times: 5})
		_, _ = w.try(engine.Options{Yes: true}) // it reads what was emptied, puts it back, and ends there
		right.Heal()
		w.edit(record.Right, 1, "note", large)
		for _, want := range []record.TrialState{record.TrialBack, record.TrialBack, record.TrialStopped} {
			if want == record.TrialStopped {
				w.edit(record.Right, 1, "note", "short")
			}
			w.tick(settle + time.Second)
			w.run(engine.Options{Yes: true})
			if got := w.trial(record.Update).State; got != want {
				t.Errorf("the trial is %q, want %q", got, want)
			}
		}
		if got := w.value(record.Left, 1, "name") + " " + w.value(record.Left, 1, "mail"); got != "Ada ada@example.com" {
			t.Errorf("the left has %q", got)
		}
	})
}

// An update empties what it is not sent, and sets a word to its default. What was emptied is put
// back; the word is not, for its system may have reasons: a person is told of it.
func TestOutside06WhatWasChangedIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := replacing(t, memory.Kind{})
		defer w.close()
		right := w.sys[record.Right]
		right.Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, Class: connectors.Ambiguous, Applied: true})
		w.edit(record.Left, 1, "note", "late arrival")
		w.run(engine.Options{Yes: true})
		right.Edit(kinds[record.Right], w.trial(record.Update).Ref.ID, record.Fields{"their_mail": record.OfText("default@example.com")})
		w.tick(settle + time.Second)
		w.run(engine.Options{Yes: true})
		texts := w.halted("trial")
		if len(texts) != 1 || strings.Contains(texts[0], "enter it again") || !strings.Contains(texts[0], "their_mail other values stand there since, and a person is asked") {
			t.Errorf("what is said: %v", texts)
		}
	})
}
