package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// house is a world of n linked people whose note is their status.
func house(t *testing.T, n int, s setting) *world {
	t.Helper()
	s.status = "note"
	w := newWorld(t, s)
	for i := range n {
		w.sys[record.Left].Put(kinds[record.Left], record.Fields{
			"phone": record.OfText(number(i)), "name": record.OfText(fmt.Sprint("guest ", i)),
			"note": record.OfText("confirmed"), "mail": record.OfText(fmt.Sprintf("g%d@example.com", i)),
		})
	}
	w.rest()
	return w
}

func number(i int) string { return fmt.Sprintf("+3905500001%02d", i) }

// ref is the i-th person's record on a side.
func (w *world) ref(side record.Side, i int) record.Ref {
	w.Helper()
	for _, r := range w.sys[side].All(kinds[side]) {
		if r.Fields[spell(side, "phone")].Text() == number(i) {
			return r.Ref
		}
	}
	w.Fatalf("nobody is number %d of the %s", i, side)
	return record.Ref{}
}

// set changes a field of people from one number to before another.
func (w *world) set(side record.Side, from, to int, field, value string) {
	w.Helper()
	v := record.OfText(value)
	if value == "" {
		v = record.Nothing()
	}
	for i := from; i < to; i++ {
		w.sys[side].Edit(kinds[side], w.ref(side, i).ID, record.Fields{spell(side, field): v})
	}
}

// have counts who of a side has a value.
func (w *world) have(side record.Side, field, value string) int {
	n := 0
	for _, r := range w.sys[side].All(kinds[side]) {
		if r.Fields[spell(side, field)].Text() == value {
			n++
		}
	}
	return n
}

// staged is the sets that wait.
func (w *world) staged() []record.Stage {
	w.Helper()
	all, err := w.store.Stages(context.Background(), job, false)
	if err != nil {
		w.Fatal(err)
	}
	return all
}

func (w *world) say(digest string, d record.Choice) {
	w.Helper()
	if _, err := w.store.DecideStage(context.Background(), digest, d, "ada", time.Time{}, time.Now()); err != nil {
		w.Fatal(err)
	}
}

// alerts is how many of a kind there are.
func (w *world) alerts(kind string) int {
	w.Helper()
	all, err := w.store.Alerts(context.Background(), time.Time{}, 1000)
	if err != nil {
		w.Fatal(err)
	}
	n := 0
	for _, a := range all {
		if a.Kind == kind {
			n++
		}
	}
	return n
}

// dropped is how many approved changes a run named that no longer hold.
func dropped(rep engine.Report) int {
	n := 0
	for _, x := range rep.Notes {
		if x.State == "dropped" {
			n++
		}
	}
	return n
}

func wantCount(t *testing.T, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %d, want %d", what, got, want)
	}
}

var tenCancels = guard.Guards{Cancels: guard.AtMost(10), Changed: 50}

// A mass cancel is held whole and told once; everything else goes on; a yes makes just
// these.
func TestF41_AMassCancelWaitsForAPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 40, setting{guards: tenCancels})
		defer w.close()
		w.set(record.Right, 0, 12, "note", "cancelled")
		w.set(record.Left, 0, 3, "name", "renamed")
		rep := w.run(engine.Options{})
		if len(rep.Staged) != 1 || rep.Staged[0].Stage.Cause != "cancels" || len(rep.Staged[0].Actions) != 12 || rep.Outcome != record.Waits {
			t.Fatalf("got %s, staged %+v", rep.Outcome, rep.Staged)
		}
		wantCount(t, "cancelled on the left", w.have(record.Left, "note", "cancelled"), 0)
		wantCount(t, "renamed on the right", w.have(record.Right, "name", "renamed"), 3)
		digest := w.staged()[0].Set
		w.run(engine.Options{})
		wantCount(t, "sets that wait", len(w.staged()), 1)
		wantCount(t, "alerts", w.alerts("staged"), 1)
		if got := w.staged()[0]; got.Set != digest || got.Size != 12 {
			t.Errorf("the next run holds %+v, the first one %s", got, digest)
		}
		w.say(digest, record.Approved)
		rep = w.run(engine.Options{})
		wantCount(t, "cancelled on the left", w.have(record.Left, "note", "cancelled"), 12)
		wantCount(t, "sets that wait", len(w.staged()), 0)
		wantCount(t, "held after a yes", len(rep.Staged), 0)
		// What a person let go has not used up what goes without one.
		w.set(record.Right, 20, 30, "note", "no_show")
		w.run(engine.Options{})
		wantCount(t, "no-shows on the left", w.have(record.Left, "note", "no_show"), 10)
	})
}

// Each guard holds its own risk at one more than it lets go, and not before.
func TestF41_EachGuardStopsAWholeRun(t *testing.T) {
	const most = 4
	cases := map[string]struct {
		guards guard.Guards
		do     func(w *world, n int)
		done   func(w *world) int
	}{
		"creates": {guard.Guards{Creates: guard.AtMost(most)}, func(w *world, n int) {
			for i := range n {
				w.sys[record.Left].Put(kinds[record.Left], record.Fields{"phone": record.OfText(number(50 + i)), "name": record.OfText("new")})
			}
		}, func(w *world) int { return w.have(record.Right, "name", "new") }},
		"updates": {
			guard.Guards{Updates: guard.AtMost(most)},
			func(w *world, n int) { w.set(record.Left, 0, n, "name", "new") },
			func(w *world) int { return w.have(record.Right, "name", "new") },
		},
		"fills": {
			guard.Guards{Fills: guard.AtMost(most)},
			func(w *world, n int) {
				w.set(record.Left, 0, 20, "mail", "")
				w.run(engine.Options{})
				w.set(record.Left, 0, n, "mail", "late")
			},
			func(w *world) int { return w.have(record.Right, "mail", "late") },
		},
		"clears": {
			guard.Guards{Clears: guard.AtMost(most)},
			func(w *world, n int) { w.set(record.Left, 0, n, "mail", "") },
			func(w *world) int { return w.have(record.Right, "mail", "") },
		},
		"cancels": {
			guard.Guards{Cancels: guard.AtMost(most)},
			func(w *world, n int) { w.set(record.Right, 0, n, "note", "rejected") },
			func(w *world) int { return w.have(record.Left, "note", "rejected") },
		},
	}
	for name, tt := range cases {
		for n := most - 1; n <= most+1; n++ {
			synctest.Test(t, func(t *testing.T) {
				w := house(t, 20, setting{guards: tt.guards})
				defer w.close()
				tt.do(w, n)
				rep := w.run(engine.Options{})
				want := n
				if n > most {
					want = 0
				}
				wantCount(t, fmt.Sprintf("%s: done of %d with %d let go", name, n, most), tt.done(w), want)
				if held := len(rep.Staged) == 1 && rep.Staged[0].Stage.Cause == record.Cause(name); held != (n > most) {
					t.Errorf("%s: %d of %d: staged %+v", name, n, most, rep.Staged)
				}
			})
		}
	}
}

// A list that lost a column would empty it everywhere.
func TestF19_MassClearIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 30, setting{guards: guard.Guards{Clears: guard.AtMost(20)}})
		defer w.close()
		w.set(record.Right, 0, 21, "mail", "")
		w.set(record.Right, 25, 26, "note", "late arrival")
		w.run(engine.Options{})
		wantCount(t, "emptied on the left", w.have(record.Left, "mail", ""), 0)
		wantCount(t, "other changes", w.have(record.Left, "note", "late arrival"), 1)
		st := w.staged()
		if len(st) != 1 || st[0].Cause != "clears" || st[0].Size != 21 {
			t.Fatalf("staged: %+v", st)
		}
		w.say(st[0].Set, record.Refusal)
		w.run(engine.Options{})
		wantCount(t, "emptied on the right after a no", w.have(record.Right, "mail", ""), 0)
	})
}

// Approved changes that no longer hold are dropped and named; what is there now is
// decided anew.
func TestF41_WhatNoLongerHoldsIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 40, setting{guards: tenCancels})
		defer w.close()
		w.set(record.Right, 0, 12, "note", "cancelled")
		w.run(engine.Options{})
		w.say(w.staged()[0].Set, record.Approved)
		w.set(record.Right, 0, 1, "note", "confirmed")
		rep := w.run(engine.Options{})
		wantCount(t, "cancelled on the left", w.have(record.Left, "note", "cancelled"), 11)
		wantCount(t, "dropped", dropped(rep), 1)
		wantCount(t, "sets that wait", len(w.staged()), 0)
	})
}

// Nobody approved what was not in the set.
func TestF41_AYesIsForWhatWasSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 60, setting{guards: tenCancels})
		defer w.close()
		w.set(record.Right, 0, 12, "note", "cancelled")
		w.run(engine.Options{})
		seen := w.staged()[0].Set
		w.set(record.Right, 12, 24, "note", "cancelled")
		w.run(engine.Options{})
		larger := w.staged()
		if len(larger) != 1 || larger[0].Set == seen || larger[0].Size != 24 {
			t.Fatalf("staged: %+v", larger)
		}
		wantCount(t, "alerts", w.alerts("staged"), 1)
		w.say(seen, record.Approved)
		w.run(engine.Options{})
		wantCount(t, "cancelled on the left", w.have(record.Left, "note", "cancelled"), 12)
		wantCount(t, "sets that wait", len(w.staged()), 1)
	})
}

// A no gives the other side back what the set would have taken, and is not asked again.
func TestF41_ANoReassertsAndStopsAsking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 40, setting{guards: tenCancels})
		defer w.close()
		w.set(record.Right, 0, 12, "note", "cancelled")
		w.run(engine.Options{})
		w.say(w.staged()[0].Set, record.Refusal)
		rep := w.run(engine.Options{})
		wantCount(t, "held after a no", len(rep.Staged), 0)
		wantCount(t, "confirmed on the right", w.have(record.Right, "note", "confirmed"), 40)
		wantCount(t, "cancelled on the left", w.have(record.Left, "note", "cancelled"), 0)
		w.tick(time.Minute)
		before := w.mutations()
		w.run(engine.Options{})
		wantCount(t, "writes of the next run", w.mutations()-before, 0)
	})
}

// Where the value may not be written back, both sides stay as they are.
func TestF41_ANoToAOneWayFieldLeavesBoth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 40, setting{guards: tenCancels, oneWay: map[string]merge.Direction{"note": merge.ToRight}})
		defer w.close()
		w.set(record.Left, 0, 12, "note", "cancelled")
		w.run(engine.Options{})
		w.say(w.staged()[0].Set, record.Refusal)
		before := w.mutations()
		for range 2 {
			rep := w.run(engine.Options{})
			wantCount(t, "held", len(rep.Staged), 0)
		}
		wantCount(t, "writes", w.mutations()-before, 0)
		wantCount(t, "cancelled on the right", w.have(record.Right, "note", "cancelled"), 0)
	})
}

// Two records meet, and one side is empty where the other has a value. Nobody emptied it: a no to
// filling it takes nothing from the other side.
func TestANoToFillingTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{guards: guard.Guards{Fills: guard.AtMost(1)}})
		defer w.close()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": "Ada", "note": "a note"})
			w.put(record.Right, n, map[string]string{"name": "Ada"})
		}
		w.run(engine.Options{})
		if len(w.staged()) != 1 {
			t.Fatalf("held: %v", w.staged())
		}
		w.say(w.staged()[0].Set, record.Refusal)
		for range 3 {
			w.run(engine.Options{})
			w.tick(time.Minute)
		}
		for n := range 3 {
			if l, r := w.value(record.Left, n, "note"), w.value(record.Right, n, "note"); l != "a note" || r != "" {
				t.Errorf("the left holds %q, the right %q", l, r)
			}
		}
	})
}

// A rejected create is left out until its record changes.
func TestF41_ARejectedCreateIsLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 5, setting{guards: guard.Guards{Creates: guard.AtMost(3)}})
		defer w.close()
		for i := range 5 {
			w.sys[record.Left].Put(kinds[record.Left], record.Fields{"phone": record.OfText(number(50 + i)), "name": record.OfText("new")})
		}
		w.run(engine.Options{})
		w.say(w.staged()[0].Set, record.Refusal)
		for range 2 {
			rep := w.run(engine.Options{})
			wantCount(t, "held", len(rep.Staged), 0)
		}
		wantCount(t, "created", w.have(record.Right, "name", "new"), 0)
		w.set(record.Left, 50, 51, "name", "changed")
		w.run(engine.Options{})
		wantCount(t, "created once it changed", w.have(record.Right, "name", "changed"), 1)
	})
}

// Records that are taken one by one add up, and to what waits already.
func TestF42_SingleRecordsAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 40, setting{guards: tenCancels})
		defer w.close()
		cancel := func(i int) engine.Report {
			w.set(record.Right, i, i+1, "note", "cancelled")
			return w.run(engine.Options{Only: []record.Ref{w.ref(record.Right, i)}, OnlySide: record.Right})
		}
		for i := range 12 {
			rep := cancel(i)
			wantCount(t, fmt.Sprintf("held with cancel %d of the day", i+1), len(rep.Staged), map[bool]int{false: 0, true: 1}[i >= 10])
		}
		wantCount(t, "cancelled on the left", w.have(record.Left, "note", "cancelled"), 10)
		if st := w.staged(); len(st) != 1 || st[0].Cause != "cancels_day" || st[0].Size != 2 {
			t.Errorf("staged: %+v", st)
		}
		w.tick(25 * time.Hour)
		w.run(engine.Options{})
		wantCount(t, "cancelled on the left a day later", w.have(record.Left, "note", "cancelled"), 12)
		wantCount(t, "sets that wait a day later", len(w.staged()), 0)
	})
}

// Ten a day for a month: three days' worth go in any week.
func TestF42_SlowDripIsHeldByTheWeek(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 90, setting{guards: tenCancels})
		defer w.close()
		for day := range 6 {
			w.set(record.Right, day*10, day*10+10, "note", "cancelled")
			w.run(engine.Options{})
			wantCount(t, fmt.Sprintf("cancelled on the left after day %d", day+1), w.have(record.Left, "note", "cancelled"), min(30, day*10+10))
			w.tick(25 * time.Hour)
		}
		if st := w.staged(); len(st) != 1 || st[0].Cause != "cancels_week" && st[0].Cause != "cancels" {
			t.Errorf("staged: %+v", st)
		}
	})
}

// What nobody answers is asked anew after a week.
func TestAStageExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 40, setting{guards: tenCancels})
		defer w.close()
		w.set(record.Right, 0, 12, "note", "cancelled")
		w.run(engine.Options{})
		st := w.staged()[0]
		w.tick(8 * 24 * time.Hour)
		if _, err := w.store.DecideStage(context.Background(), st.Set, record.Approved, "ada", time.Time{}, time.Now()); !errors.Is(err, state.ErrDecided) {
			t.Errorf("a yes to what has expired: %v", err)
		}
		w.run(engine.Options{})
		wantCount(t, "alerts", w.alerts("staged"), 2)
		wantCount(t, "cancelled on the left", w.have(record.Left, "note", "cancelled"), 0)
		w.say(w.staged()[0].Set, record.Approved)
		w.run(engine.Options{})
		wantCount(t, "cancelled on the left after a yes", w.have(record.Left, "note", "cancelled"), 12)
	})
}

// A dry run shows what would be held, under the digest that it would have, and keeps
// nothing.
func TestDryRunStagesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 40, setting{guards: tenCancels})
		defer w.close()
		w.set(record.Right, 0, 12, "note", "cancelled")
		dry := w.run(engine.Options{Dry: true})
		wantCount(t, "sets that wait", len(w.staged()), 0)
		rep := w.run(engine.Options{})
		if len(dry.Staged) != 1 || len(rep.Staged) != 1 || dry.Staged[0].Stage.Set != rep.Staged[0].Stage.Set {
			t.Errorf("shown %+v, held %+v", dry.Staged, rep.Staged)
		}
	})
}

// remap gives the right's note another path, on whose values both sides do not agree.
func (w *world) remap(values func(i int) string) {
	w.Helper()
	for i, r := range w.sys[record.Right].All(kinds[record.Right]) {
		w.sys[record.Right].Edit(kinds[record.Right], r.Ref.ID, record.Fields{"their_remark": record.OfText(values(i))})
	}
	w.renamed = map[string]string{"note": "their_remark"}
	w.restart()
}

// A changed mapping halts nothing: only what it would write waits.
func TestF21_AChangedMappingIsHeldAlone(t *testing.T) {
	for _, say := range []record.Choice{record.Approved, record.Refusal} {
		synctest.Test(t, func(t *testing.T) {
			w := house(t, 40, setting{guards: tenCancels})
			defer w.close()
			w.remap(func(int) string { return "from the other column" })
			w.set(record.Left, 0, 2, "name", "renamed")
			for range 2 {
				rep := w.run(engine.Options{})
				if len(rep.Halts) != 0 || len(rep.Staged) != 1 || rep.Staged[0].Stage.Risk != "mapping" || len(rep.Staged[0].Actions) != 40 {
					t.Fatalf("halts %+v, staged %+v", rep.Halts, rep.Staged)
				}
			}
			wantCount(t, "renamed on the right", w.have(record.Right, "name", "renamed"), 2)
			wantCount(t, "written on the left", w.have(record.Left, "note", "from the other column"), 0)
			w.say(w.staged()[0].Set, say)
			w.run(engine.Options{})
			want := map[record.Choice]int{record.Approved: 40, record.Refusal: 0}[say]
			wantCount(t, string(say)+": written on the left", w.have(record.Left, "note", "from the other column"), want)
			w.tick(time.Minute)
			before := w.mutations()
			rep := w.run(engine.Options{})
			if len(rep.Staged) != 0 || w.mutations() != before {
				t.Errorf("%s: the next run held %+v and wrote %d", say, rep.Staged, w.mutations()-before)
			}
			wantCount(t, string(say)+": emptied on the right", w.have(record.Right, "note", ""), 0)
			// From now on it is a field like any other.
			w.sys[record.Right].Edit(kinds[record.Right], w.ref(record.Right, 7).ID, record.Fields{"their_remark": record.OfText("an edit")})
			w.run(engine.Options{})
			wantCount(t, string(say)+": an edit afterwards", w.have(record.Left, "note", "an edit"), 1)
		})
	}
}

// A renamed column is mended by mapping its new name: nothing differs, nothing waits.
func TestF21_AMendedMappingAsksNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 40, setting{guards: tenCancels})
		defer w.close()
		w.remap(func(int) string { return "confirmed" })
		rep := w.run(engine.Options{})
		if len(rep.Halts)+len(rep.Staged) != 0 || rep.Outcome != record.Done {
			t.Fatalf("%s, halts %+v, staged %+v", rep.Outcome, rep.Halts, rep.Staged)
		}
		w.sys[record.Right].Edit(kinds[record.Right], w.ref(record.Right, 7).ID, record.Fields{"their_remark": record.OfText("an edit")})
		rep = w.run(engine.Options{})
		if len(rep.Staged) != 0 || w.have(record.Left, "note", "an edit") != 1 {
			t.Errorf("an edit afterwards: staged %+v, %d written", rep.Staged, w.have(record.Left, "note", "an edit"))
		}
	})
}

// A set says which command answers it.
func TestStageAlertNamesItsCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 20, setting{guards: guard.Guards{Clears: guard.AtMost(1)}})
		defer w.close()
		w.set(record.Right, 0, 2, "mail", "")
		rep := w.run(engine.Options{})
		digest := w.staged()[0].Set
		if len(rep.Alerts) != 1 || !strings.Contains(rep.Alerts[0].Text, "approve "+digest) || !strings.Contains(rep.Alerts[0].Text, "two") && !strings.Contains(rep.Alerts[0].Text, "one") {
			t.Errorf("alerts: %+v", rep.Alerts)
		}
	})
}

// approveAlone carries out just what was approved, from what is known, as the command
// does.
func (w *world) approveAlone(digest string) engine.Report {
	w.Helper()
	w.say(digest, record.Approved)
	rows, err := w.store.StagedOf(context.Background(), digest, 0)
	if err != nil {
		w.Fatal(err)
	}
	only := map[string]bool{}
	for _, x := range rows {
		only[x.Action] = true
	}
	return w.run(engine.Options{Seen: true, Plan: only})
}

// A yes is carried out at once from what is known: each record is read before it is
// written, and one that moved on is named.
func TestF41_AYesIsVerifiedRecordByRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 40, setting{guards: tenCancels})
		defer w.close()
		w.set(record.Right, 0, 12, "note", "cancelled")
		w.set(record.Right, 20, 21, "name", "waits for its own run")
		w.run(engine.Options{})
		w.set(record.Right, 30, 31, "mail", "new@example.com") // not of the set
		w.set(record.Left, 3, 4, "note", "checked_in")         // nobody has seen it yet
		w.set(record.Right, 5, 6, "note", "confirmed")         // nor that it was put back
		w.tick(settle)                                         // until then a read may be older than the list
		rep := w.approveAlone(w.staged()[0].Set)
		wantCount(t, "cancelled on the left", w.have(record.Left, "note", "cancelled"), 10)
		wantCount(t, "checked in on the left", w.have(record.Left, "note", "checked_in"), 1)
		wantCount(t, "dropped", dropped(rep), 2)
		wantCount(t, "sets that wait", len(w.staged()), 0)
		wantCount(t, "other changes", w.have(record.Left, "mail", "new@example.com"), 0)
	})
}

// The two sides of a changed mapping are decided each by itself.
func TestF21_EachSideOfAMappingIsDecided(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 40, setting{guards: tenCancels})
		defer w.close()
		w.remap(func(i int) string { return map[bool]string{true: "x"}[i < 20] })
		w.set(record.Left, 20, 40, "note", "y")
		w.run(engine.Options{})
		st := w.staged()
		if len(st) != 2 || st[0].Size != 20 || st[1].Size != 20 || st[0].Side == st[1].Side {
			t.Fatalf("staged: %+v", st)
		}
		if st[0].Side == record.Right {
			st[0], st[1] = st[1], st[0]
		}
		w.approveAlone(st[0].Set)
		wantCount(t, "taken over on the left", w.have(record.Left, "note", "x"), 20)
		w.tick(time.Minute)
		rep := w.run(engine.Options{})
		if len(rep.Staged) != 1 || rep.Staged[0].Stage.Set != st[1].Set {
			t.Fatalf("held once the left is decided: %+v", rep.Staged)
		}
		w.say(st[1].Set, record.Refusal)
		for range 2 {
			before := w.mutations()
			rep = w.run(engine.Options{})
			wantCount(t, "held once both are decided", len(rep.Staged), 0)
			wantCount(t, "writes once both are decided", w.mutations()-before, 0)
		}
		wantCount(t, "the left keeps what it has", w.have(record.Left, "note", "y"), 20)
	})
}

// A no to what a mapping asks for is a no to just that: what is edited since is an edit like
// any other, and goes over alone.
func TestF21_ANoToAMappingLetsNothingElseGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 40, setting{guards: tenCancels})
		defer w.close()
		w.remap(func(int) string { return "from the other column" })
		w.run(engine.Options{})
		w.say(w.staged()[0].Set, record.Refusal)
		for i := range 10 {
			w.sys[record.Right].Edit(kinds[record.Right], w.ref(record.Right, i).ID, record.Fields{"their_remark": record.OfText("not seen yet")})
		}
		rep := w.run(engine.Options{})
		wantCount(t, "held", len(rep.Staged), 0)
		wantCount(t, "written on the left", w.have(record.Left, "note", "not seen yet"), 10)
		wantCount(t, "of what was rejected", w.have(record.Left, "note", "from the other column"), 0)
	})
}

// What was approved and is done for a single record is not named as dropped by the next
// whole run.
func TestF41_SingleRunNotesWhatWasApproved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 40, setting{guards: tenCancels})
		defer w.close()
		w.set(record.Right, 0, 12, "note", "cancelled")
		w.run(engine.Options{})
		w.say(w.staged()[0].Set, record.Approved)
		w.run(engine.Options{Only: []record.Ref{w.ref(record.Right, 3)}, OnlySide: record.Right})
		wantCount(t, "cancelled", w.have(record.Left, "note", "cancelled"), 1)
		rep := w.run(engine.Options{})
		wantCount(t, "cancelled", w.have(record.Left, "note", "cancelled"), 12)
		wantCount(t, "dropped", dropped(rep), 0)
	})
}
