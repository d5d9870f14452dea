package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// after calls f once, when a run has made so many changes.
func after(n int, f func()) func(engine.Progress) {
	return func(p engine.Progress) {
		if p.Phase == "apply" && p.Done == n {
			f()
		}
	}
}

// A run makes what waited, since somebody looked at its plan, and somebody else approves
// the set meanwhile: it is done, and no run names it as dropped.
func TestF41_ApprovedWhileItIsMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 40, setting{guards: tenCancels})
		defer w.close()
		w.set(record.Right, 0, 12, "note", "cancelled")
		w.run(engine.Options{})
		set := w.staged()[0].Set
		w.run(engine.Options{Yes: true, Progress: after(4, func() { w.say(set, record.Approved) })})
		wantCount(t, "cancelled on the left", w.have(record.Left, "note", "cancelled"), 12)
		wantCount(t, "sets that wait", len(w.staged()), 0)
		rep := w.run(engine.Options{})
		wantCount(t, "dropped", dropped(rep), 0)
	})
}

// What a run made of an approved set before it was broken off is done.
func TestF41_ApprovedAndBrokenOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 40, setting{guards: tenCancels})
		defer w.close()
		w.set(record.Right, 0, 12, "note", "cancelled")
		w.run(engine.Options{})
		w.say(w.staged()[0].Set, record.Approved)
		ctx, stop := context.WithCancel(context.Background())
		if _, err := w.eng.Run(ctx, job, engine.Options{Progress: after(5, stop)}); err == nil {
			t.Fatal("the run was not broken off")
		}
		wantCount(t, "cancelled on the left", w.have(record.Left, "note", "cancelled"), 5)
		if st := w.staged(); len(st) != 1 || st[0].Left != 7 {
			t.Errorf("staged: %+v", st)
		}
		rep := w.run(engine.Options{})
		wantCount(t, "cancelled on the left", w.have(record.Left, "note", "cancelled"), 12)
		wantCount(t, "dropped", dropped(rep), 0)
	})
}

// A no to creates counts for as long as it was said for: then they are asked for anew,
// though nobody has changed them.
func TestF41_ARejectedCreateIsAskedForAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 5, setting{guards: guard.Guards{Creates: guard.AtMost(3)}})
		defer w.close()
		for i := range 5 {
			w.sys[record.Left].Put(kinds[record.Left], record.Fields{"phone": record.OfText(number(50 + i)), "name": record.OfText("new")})
		}
		w.run(engine.Options{})
		_, err := w.store.DecideStage(context.Background(), w.staged()[0].Set, record.Refusal, "ada", time.Now().Add(48*time.Hour), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		w.tick(47 * time.Hour)
		rep := w.run(engine.Options{Full: true})
		wantCount(t, "asked for while the no counts", len(rep.Staged), 0)
		w.tick(time.Hour)
		rep = w.run(engine.Options{})
		if len(rep.Staged) != 1 || len(rep.Staged[0].Actions) != 5 {
			t.Fatalf("asked for anew: %+v", rep.Staged)
		}
		wantCount(t, "created", w.have(record.Right, "name", "new"), 0)
		w.say(rep.Staged[0].Stage.Set, record.Approved)
		w.run(engine.Options{})
		wantCount(t, "created after a yes", w.have(record.Right, "name", "new"), 5)
	})
}

// A run that goes by what is known reads no list: what was approved before and waits since
// is made by it, but not of a record that users removed meanwhile, and of one that they
// edited as it is now.
func TestF41_AnApprovedCreateOfWhatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{guards: guard.Guards{Creates: guard.Limit{Run: guard.Amount{Count: 1}}}})
		defer w.close()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": "Anna"})
		}
		w.run(engine.Options{})
		w.tick(time.Minute)
		w.remove(record.Left, 0)
		w.edit(record.Left, 1, "name", "Mia")
		w.say(w.staged()[0].Set, record.Approved)
		w.run(engine.Options{Seen: true})
		if got := w.picture(record.Right); len(got) != 2 || w.value(record.Right, 1, "name") != "Mia" || w.value(record.Right, 2, "name") != "Anna" {
			t.Errorf("want on the right what the left has:\n%s", w.both())
		}
	})
}
