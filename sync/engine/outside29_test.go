package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// ordersKept is what the two systems call the states of an order; the left has no word
// for one that is open.
var ordersKept = []mapping.EnumRow{
	{Word: "pending", Sides: [2][]string{nil, {"OPEN"}}},
	{Word: "confirmed", Sides: [2][]string{{"confirmed"}, {"CONFIRMED"}}},
	{Word: "cancelled", Sides: [2][]string{{"cancelled"}, {"CANCELLED"}}},
}

// opens is a setting in which the right begins every record as a draft, whatever its
// create says, and changes that by a request of its own.
func opens(policy merge.Policy, right memory.Kind) setting {
	right.Ignores = record.Fields{"their_note": record.OfText("OPEN")}
	right.Status = "their_note"
	var machine *merge.Machine
	for side, rules := range [2]merge.Policy{"rules of the left", "rules of the right"} {
		if policy == rules {
			policy, machine = merge.Rules, merge.Stay(record.Side(side))
		}
	}
	return setting{
		machine: machine,
		kinds:   [2]memory.Kind{record.Right: right}, words: map[string][]mapping.EnumRow{"note": ordersKept}, status: "note",
		policies: map[string]merge.Policy{"name": merge.LeftWins, "note": policy, "mail": merge.LeftWins},
	}
}

// A create that ignores the word it is given is followed by the step to that word.
func TestOutside29AWordThatACreateIgnores(t *testing.T) {
	for _, policy := range []merge.Policy{merge.LeftWins, merge.RightWins, "rules of the left", "rules of the right", merge.Person} {
		for name, kind := range map[string]memory.Kind{"answers": {}, "silent": {Silent: true}, "versions": {Versions: true, Times: true}} {
			t.Run(fmt.Sprintf("%s/%s", policy, name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, opens(policy, kind))
					defer w.close()
					w.put(record.Left, 1, map[string]string{"note": "confirmed"})
					w.run(engine.Options{Yes: true})
					if why := w.reasons(); !strings.Contains(why, "without the word it was given") {
						t.Errorf("the journal tells of the step: %s", why)
					}
					if got := w.value(record.Right, 1, "note"); got != "CONFIRMED" {
						t.Errorf("after the run that made it the right holds %s", got)
					}
					w.rest()
					if got := w.value(record.Left, 1, "note") + " " + w.value(record.Right, 1, "note"); got != "confirmed CONFIRMED" {
						t.Errorf("at rest the sides hold %s", got)
					}
					if n := w.sys[record.Right].Counts().Mutations; n != 2 {
						t.Errorf("%d requests that change something", n)
					}
				})
			})
		}
	}
}

// The answer was lost, and the new record is found as a draft: it is brought on too, and
// not where somebody may have changed it meanwhile.
func TestOutside29AWordThatALostCreateIgnores(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := opens(merge.RightWins, memory.ClassKind(memory.Kind{Times: true}, connectors.ClassC))
			w := newWorld(t, s)
			defer w.close()
			w.put(record.Left, 1, map[string]string{"note": "confirmed"})
			w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Ambiguous, Applied: true, Times: 1})
			w.run(engine.Options{Yes: true})
			want := "confirmed CONFIRMED"
			if cancelled {
				w.tick(2 * settle)
				w.edit(record.Right, 1, "note", "CANCELLED")
				want = "cancelled CANCELLED"
			}
			w.rest()
			if got := w.value(record.Left, 1, "note") + " " + w.value(record.Right, 1, "note"); got != want {
				t.Errorf("cancelled meanwhile %t: the sides hold %s", cancelled, got)
			}
		})
	}
}

// The answer was lost, and a user cancelled the new record in the second after it was made: no
// time tells that. No create makes a record that is over, so it is not brought back.
func TestOutside29AnEndIsNoWordOfACreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, opens("rules of the left", memory.ClassKind(memory.Kind{Times: true}, connectors.ClassC)))
		defer w.close()
		w.put(record.Left, 1, map[string]string{"note": "confirmed"})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Ambiguous, Applied: true, Times: 1})
		w.run(engine.Options{Yes: true})
		w.edit(record.Right, 1, "note", "CANCELLED")
		w.rest()
		if got := w.value(record.Right, 1, "note"); got != "CANCELLED" {
			t.Errorf("the right was cancelled, and holds %s", got)
		}
	})
}

// The answer was lost, and a person names the record that was made: its own times tell that
// nobody changed it since, so that the word it shows is its system's.
func TestOutside29AWordOfARecordThatAPersonNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		w := newWorld(t, opens(merge.RightWins, memory.ClassKind(memory.Kind{Times: true, FindLag: time.Hour}, connectors.ClassE)))
		defer w.close()
		w.put(record.Left, 1, map[string]string{"note": "confirmed", "name": "Ada", "mail": "ada@example.com"})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Ambiguous, Applied: true, Times: 1})
		w.run(engine.Options{Yes: true})
		made := w.sys[record.Right].All(kinds[record.Right])
		w.edit(record.Left, 1, "phone", phoneOf(2)) // nothing tells them by their keys any more
		w.rest()
		in, err := w.store.Lost(ctx, job)
		if err != nil || len(in) != 1 {
			t.Fatalf("%d changes are lost, %v", len(in), err)
		}
		if err := w.store.Claim(ctx, in[0].ID, record.Claim{Arrived: true, Ref: made[0].Ref, At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		w.rest()
		w.rest()
		if got := w.value(record.Left, 2, "note") + " " + w.value(record.Right, 2, "note"); got != "confirmed CONFIRMED" {
			t.Errorf("the sides hold %s", got)
		}
	})
}

// reasons is why each field was written, as the journal has it.
func (w *world) reasons() string {
	w.Helper()
	var out []string
	p, ok, err := w.store.Pair(context.Background(), 1)
	if err != nil || !ok {
		w.Fatalf("read the link: %t %v", ok, err)
	}
	changes, err := w.store.ChangesOf(context.Background(), p.Link, p.Sides[:])
	if err != nil {
		w.Fatal(err)
	}
	for _, c := range changes {
		for _, f := range c.Fields {
			out = append(out, f.Field+": "+f.Reason)
		}
	}
	return strings.Join(out, "; ")
}

// The desk takes a cancelled booking back, which can't be brought across yet, and cancels it again.
// A run that does not read the desk's list asks for the booking first: nothing is brought back from
// its end on what was true a while ago.
func TestOutside38TakenBackAndCancelledAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := opens("rules of the right", memory.Kind{})
		s.kinds[record.Right].Ignores, s.kinds[record.Right].Status = nil, ""
		w := newWorld(t, s)
		defer w.close()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"note": "confirmed"})
			w.put(record.Right, n, map[string]string{"note": "CONFIRMED"})
		}
		w.rest()
		w.edit(record.Right, 1, "note", "CANCELLED")
		w.rest()
		if got := w.value(record.Left, 1, "note"); got != "cancelled" {
			t.Fatalf("the left holds %s", got)
		}
		w.edit(record.Right, 1, "note", "CONFIRMED")
		w.run(engine.Options{Yes: true, Full: true, Hold: func(record.Side) string { return "it is paused" }})
		w.tick(time.Minute)
		w.edit(record.Right, 1, "note", "CANCELLED")
		w.run(engine.Options{Yes: true, Skip: [2]bool{record.Right: true}})
		if got := w.value(record.Left, 1, "note"); got != "cancelled" {
			t.Errorf("the left holds %s, and was cancelled again", got)
		}
	})
}

// A step to a word is answered and not taken. It is not sent at every run, and the old word
// undoes nothing: a person is asked, until the word is another.
func TestOutside29AStepThatIsAnsweredAndNotTaken(t *testing.T) {
	for _, policy := range []merge.Policy{merge.LeftWins, merge.RightWins, "rules of the left", "rules of the right"} {
		for name, kind := range map[string]memory.Kind{"answers": {}, "silent": {Silent: true}, "echoes": {Echoes: true}} {
			for _, then := range []string{"CONFIRMED", "CANCELLED"} {
				t.Run(fmt.Sprintf("%s/%s/%s", policy, name, then), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						kind.Undone = func(c record.Change) bool { return c.Op == record.Action }
						w := newWorld(t, opens(policy, kind))
						defer w.close()
						w.put(record.Left, 1, map[string]string{"note": "confirmed"})
						w.looked()
						if n := w.sys[record.Right].Counts().Mutations; n != 2 {
							t.Errorf("%d requests that change something, want the create and one step", n)
						}
						if got := w.value(record.Left, 1, "note"); got != "confirmed" {
							t.Errorf("the left has %s", got)
						}
						if open := w.untaken(); len(open) != 1 {
							t.Errorf("asked are %+v, want one", open)
						}
						w.edit(record.Right, 1, "note", then)
						w.looked()
						got, asked := w.value(record.Left, 1, "note")+" "+w.value(record.Right, 1, "note"), len(w.untaken())
						if then == "CONFIRMED" && (got != "confirmed CONFIRMED" || asked != 0) {
							t.Errorf("at rest the sides hold %s, %d asked", got, asked)
						}
						if then == "CANCELLED" && got != "cancelled CANCELLED" && (got != "confirmed CANCELLED" || asked != 1) {
							t.Errorf("a cancel is lost: the sides hold %s, %d asked", got, asked)
						}
					})
				})
			}
		}
	}
}
