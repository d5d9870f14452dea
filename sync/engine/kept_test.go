package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// keptBack is what is kept back, each by the number of the person, or that it is a create.
func (w *world) keptBack() []string {
	w.Helper()
	kept, err := w.store.KeptBack(context.Background(), job)
	if err != nil {
		w.Fatal(err)
	}
	var out []string
	for _, k := range kept {
		who := k.Op.String()
		if p, ok, _ := w.store.Pair(context.Background(), k.Link); ok {
			phone := p.Sides[record.Left].Last()[spell(record.Left, "phone")].Text()
			who = phone[len(phone)-1:]
		}
		out = append(out, strings.Join(append(append([]string{who}, k.Fields...), "by", k.Rule), " "))
	}
	slices.Sort(out)
	return out
}

// What is not sent at night is kept until it is sent in the morning, or until a run, be it of
// that record alone, finds that nobody wants it any more.
func TestKeptBackUntilItIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{Times: true}, {Times: true}}})
		defer w.close()
		for n := range 4 {
			w.put(record.Left, n, map[string]string{"name": "Ada"})
		}
		w.rest()
		opens := time.Now().Add(9 * time.Hour)
		w.eng.Jobs[job].Sides[record.Right].Send = &engine.Send{Sending: plan.Sending{
			Shut: func(now time.Time) (time.Time, bool) { return opens, now.Before(opens) },
		}}
		want := func(what string, want ...string) {
			t.Helper()
			if got := w.keptBack(); !slices.Equal(got, want) {
				t.Errorf("%s: got kept back %q, want %q", what, got, want)
			}
		}
		for n := range 3 {
			w.edit(record.Left, n, "name", "Eva")
		}
		w.put(record.Left, 5, nil)
		w.edit(record.Right, 3, "note", "late") // nothing holds what goes to the left
		w.run(engine.Options{Yes: true, Dry: true})
		want("a dry run keeps nothing")
		w.run(engine.Options{Yes: true})
		all := []string{"0 name by send_hours", "1 name by send_hours", "2 name by send_hours", "create by send_hours"}
		want("at night", all...)
		before, _ := w.store.KeptBack(context.Background(), job)
		w.run(engine.Options{Yes: true, Limit: 1})
		want("a run of a part forgets nothing of the rest", all...)
		w.rest()
		want("later that night", all...)
		if after, _ := w.store.KeptBack(context.Background(), job); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("got %+v, want it unchanged: %+v", after, before)
		}

		w.run(engine.Options{Yes: true, Hold: func(record.Side) string { return "it is paused" }})
		want("nothing may be written now", all...)

		w.edit(record.Left, 1, "name", "Ada")
		w.tick(settle) // until then the read may be older than the list
		one, _ := w.find(record.Left, 1)
		w.run(engine.Options{Yes: true, Only: []record.Ref{one.Ref}, OnlySide: record.Left})
		want("it was taken back, and looked at alone", all[0], all[2], all[3])
		w.edit(record.Left, 2, "name", "Ada")
		w.edit(record.Left, 0, "note", "more")
		w.run(engine.Options{Yes: true})
		want("another was taken back, and one was edited once more", "0 name note by send_hours", all[3])

		w.tick(9 * time.Hour)
		w.run(engine.Options{Yes: true})
		want("in the morning")
		if got := w.value(record.Right, 0, "name") + w.value(record.Right, 1, "name"); got != "EvaAda" {
			t.Errorf("got names %q on the right", got)
		}
		if _, made := w.find(record.Right, 5); !made {
			t.Error("the new record was not made")
		}
	})
}

// A create of which no answer came is not sent again at night, and does not count as sent by
// each run: in the morning it is, and what waits behind it under a cap is not held for it.
func TestKeptBackUnanswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, memory.ClassKind(memory.Kind{Times: true}, connectors.ClassA)}})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Ada"})
		w.rest()
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous})
		w.put(record.Left, 2, map[string]string{"name": "Bea"})
		w.run(engine.Options{Yes: true, Full: true})
		opens := time.Now().Add(4 * time.Hour)
		w.eng.Jobs[job].Sides[record.Right].Send = &engine.Send{Sending: plan.Sending{
			Shut: func(now time.Time) (time.Time, bool) { return opens, now.Before(opens) },
		}}
		sent, waiting := w.sys[record.Right].Counts().Mutations, 0
		for range 4 {
			w.tick(50 * time.Minute)
			for _, n := range w.run(engine.Options{Yes: true, Full: true}).Notes {
				if n.State == record.Waiting && strings.Contains(n.Why, "no answer came to its create") {
					waiting++
				}
			}
		}
		if got := w.keptBack(); !slices.Equal(got, []string{"create by send_hours"}) || waiting != 4 {
			t.Errorf("got kept back %q, and told so %d times of 4", got, waiting)
		}
		if n := w.sys[record.Right].Counts().Mutations; n != sent {
			t.Errorf("%d requests at night", n-sent)
		}
		if n, err := w.store.SentSince(context.Background(), record.Place{Binding: job, Side: record.Right}, time.Now().Add(-time.Hour), ""); err != nil || len(n) > 0 {
			t.Errorf("%d count as sent in the last hour (%v), and none was", len(n), err)
		}
		w.tick(2 * time.Hour)
		w.rest()
		if _, made := w.find(record.Right, 2); !made || len(w.keptBack()) > 0 {
			t.Errorf("made: %t, kept back %q", made, w.keptBack())
		}
	})
}

// An undo that may not send now says why.
func TestUndoAtNight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Ada"})
		w.rest()
		w.edit(record.Left, 1, "name", "Eva")
		w.tick(time.Minute)
		run := w.run(engine.Options{Yes: true}).Run
		w.eng.Jobs[job].Sides[record.Right].Send = &engine.Send{Sending: plan.Sending{
			Shut: func(now time.Time) (time.Time, bool) { return now.Add(9 * time.Hour), true },
		}}
		u := w.undo(run).Undo
		if len(u.Beyond) != 1 || !strings.Contains(u.Beyond[0].Why, "it was not sent: ") || w.value(record.Right, 1, "name") != "Eva" {
			t.Errorf("got %+v", u)
		}
	})
}

// Who is taken off the list gets what waited.
func TestKeptBackByTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Ada"})
		w.put(record.Left, 2, map[string]string{"name": "Ada"})
		w.rest()
		never := []string{phoneOf(1)}
		w.eng.Jobs[job].Sides[record.Right].Send = &engine.Send{
			Sending: plan.Sending{Number: "phone"}, Never: func(context.Context) ([]string, error) { return never, nil },
		}
		w.edit(record.Left, 1, "name", "Eva")
		w.edit(record.Left, 2, "name", "Eva")
		w.run(engine.Options{Yes: true})
		if got := w.keptBack(); !slices.Equal(got, []string{"1 name by never_to"}) {
			t.Errorf("got kept back %q, want the one on the list", got)
		}
		never = nil
		w.run(engine.Options{Yes: true})
		if got := w.keptBack(); len(got) > 0 || w.value(record.Right, 1, "name") != "Eva" {
			t.Errorf("got kept back %q and the name %q, want it sent", got, w.value(record.Right, 1, "name"))
		}
	})
}

// barring has the right side never written to for whoever has one of these numbers, and counts
// how often that is asked.
func (w *world) barring(numbers ...string) *int {
	asked := new(int)
	w.eng.Jobs[job].Sides[record.Right].Send = &engine.Send{
		Sending: plan.Sending{Number: "phone"},
		Never:   func(context.Context) ([]string, error) { *asked++; return numbers, nil },
	}
	return asked
}

// A create that is never sent has no list read for it, run after run.
func TestWeakNeverToReadsNoList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Ada"})
		w.rest()
		w.barring(phoneOf(2))
		w.put(record.Left, 2, map[string]string{"name": "Bea"})
		unread := engine.Options{Yes: true, Skip: [2]bool{record.Right: true}}
		for range 3 {
			w.tick(2 * time.Hour)
			before := w.sys[record.Right].Counts().Fetches
			w.run(unread)
			if n := w.sys[record.Right].Counts().Fetches - before; n != 0 {
				t.Errorf("%d pages of the right were read for a create that is never sent", n)
			}
		}
		if got := w.keptBack(); !slices.Equal(got, []string{"create by never_to"}) {
			t.Errorf("got kept back %q", got)
		}
		w.barring()
		w.run(unread)
		if _, made := w.find(record.Right, 2); !made {
			t.Error("off the list, and not made")
		}
	})
}

// Who is never written to is read once for all that is planned, and again before each write.
func TestWeakNeverToIsReadOnceForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Ada"})
		w.rest()
		var never []string
		for n := range 20 {
			w.put(record.Left, 10+n, map[string]string{"name": "Bea"})
			never = append(never, phoneOf(10+n))
		}
		w.put(record.Left, 2, map[string]string{"name": "Cleo"})
		asked := w.barring(never...)
		w.run(engine.Options{Yes: true, Full: true})
		if got := w.keptBack(); len(got) != 20 {
			t.Fatalf("%d are kept back, want 20", len(got))
		}
		if _, made := w.find(record.Right, 2); !made {
			t.Error("who is on no list was not made")
		}
		if *asked > 3 {
			t.Errorf("who is never written to was read %d times for one write, want 3 at most", *asked)
		}
	})
}
