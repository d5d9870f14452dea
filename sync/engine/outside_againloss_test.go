package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// lacking is a house whose right side was put back to a copy that lacks its newest records. Two of the older ones had
// been edited on the left since, if edited is set.
func lacking(t *testing.T, k memory.Kind, rule away.GonePolicy, old, newer int, edited bool) *world {
	t.Helper()
	k.Delete = true
	w := newWorld(t, setting{kinds: [2]memory.Kind{{Delete: true}, k}, gone: both(rule)})
	w.eng.Jobs[job].Shrink = 10
	for n := range old {
		w.put(record.Right, n, map[string]string{"name": fmt.Sprint("name ", n), "mail": fmt.Sprintf("%d@example.com", n)})
	}
	w.rest()
	copied := w.sys[record.Right].Snapshot()
	w.tick(time.Hour)
	for n := range newer {
		w.put(record.Right, 50+n, map[string]string{"name": fmt.Sprint("newer ", n), "mail": fmt.Sprintf("newer%d@example.com", n)})
	}
	for n := 0; edited && n < 2; n++ {
		w.edit(record.Left, n, "name", fmt.Sprint("edited ", n))
	}
	w.rest()
	w.tick(time.Hour)
	w.sys[record.Right].Restore(copied)
	return w
}

// stopsBy has a run that must stop, by a halt of this cause alone.
func (w *world) stopsBy(cause record.Cause) {
	w.Helper()
	rep, err := w.try(engine.Options{Yes: true, Full: true})
	if !errors.Is(err, engine.ErrHalted) || len(rep.Halts) != 1 || rep.Halts[0].Cause != cause {
		w.Fatalf("got %v, %+v, want the halt %s", err, rep.Halts, cause)
	}
}

func (w *world) says(choice record.Choice) {
	w.Helper()
	if _, err := w.store.AnswerHalts(context.Background(), job, choice, "somebody"); err != nil {
		w.Fatal(err)
	}
}

// noHalts makes sure that the job stands still before nothing any more.
func (w *world) noHalts() {
	w.Helper()
	if halts, err := w.store.Halts(context.Background(), job); err != nil || len(halts) > 0 {
		w.Errorf("got %v, %+v, want no halt", err, halts)
	}
}

// A person answers --again where a system was put back. What the copy lacks is no loss that stops the job again, and
// nothing across goes because of it: it is made once more, beside what is written over.
func TestOutsideAgainExplainsWhatTheCopyLacks(t *testing.T) {
	for _, rule := range []away.GonePolicy{away.GoneHold, away.GoneDelete} {
		for _, k := range []memory.Kind{{Times: true}, {Times: true, Versions: true}} {
			t.Run(fmt.Sprintf("gone %s, versions %t", rule, k.Versions), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := lacking(t, k, rule, 7, 4, true)
					defer w.close()
					w.stopsBy("rolled_back")
					w.says(record.Again)
					w.wholeRuns()
					for n := range 4 {
						if l, r := w.have(record.Left, "name", fmt.Sprint("newer ", n)), w.have(record.Right, "name", fmt.Sprint("newer ", n)); l != 1 || r != 1 {
							t.Errorf("newer %d is there %d and %d times:\n%s", n, l, r, w.both())
						}
					}
					for n := range 2 {
						if l, r := w.have(record.Left, "name", fmt.Sprint("edited ", n)), w.have(record.Right, "name", fmt.Sprint("edited ", n)); l != 1 || r != 1 {
							t.Errorf("edited %d is there %d and %d times:\n%s", n, l, r, w.both())
						}
					}
					w.noHalts()
					w.idle(2)
				})
			})
		}
	}
}

// Missing records alone do not tell a copy from another account: a person does. With --again the copy gets what it
// lacks, also where it lacks all of it.
func TestOutsideAgainAnswersALoss(t *testing.T) {
	for _, tt := range []struct {
		cause      record.Cause
		old, newer int
	}{{"shrink", 7, 4}, {"empty", 0, 5}} {
		for _, k := range []memory.Kind{{}, {Times: true}} {
			for _, rule := range []away.GonePolicy{away.GoneHold, away.GoneDelete} {
				t.Run(fmt.Sprintf("%s, gone %s, times %t", tt.cause, rule, k.Times), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						w := lacking(t, k, rule, tt.old, tt.newer, false)
						defer w.close()
						w.stopsBy(tt.cause)
						w.says(record.Again)
						w.wholeRuns()
						w.wholeRuns()
						for n := range tt.newer {
							if l, r := w.have(record.Left, "name", fmt.Sprint("newer ", n)), w.have(record.Right, "name", fmt.Sprint("newer ", n)); l != 1 || r != 1 {
								t.Errorf("newer %d is there %d and %d times:\n%s", n, l, r, w.both())
							}
						}
						w.noHalts()
						if n := w.questions(); n != 0 {
							t.Errorf("%d questions are left", n)
						}
						w.idle(2)
					})
				})
			}
		}
	}
}

// Whoever says by --again that a system was put back says it of the values, too: an older value of the copy is not
// carried over. What the desk enters while the job stands still is an edit.
func TestOutsideAgainAtALossIsForTheValuesToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{Delete: true}, {Delete: true}}, gone: both(away.GoneDelete), policies: byPersons})
		defer w.close()
		w.eng.Jobs[job].Shrink = 10
		for n := range 7 {
			w.put(record.Right, n, map[string]string{"name": fmt.Sprint("name ", n), "mail": fmt.Sprintf("%d@example.com", n)})
		}
		w.rest()
		copied := w.sys[record.Right].Snapshot()
		w.tick(time.Hour)
		for n := range 4 {
			w.put(record.Right, 50+n, map[string]string{"name": fmt.Sprint("newer ", n)})
		}
		w.edit(record.Right, 1, "name", "their edit since")
		w.rest()
		w.tick(time.Hour)
		w.sys[record.Right].Restore(copied)
		w.stopsBy("shrink")
		w.says(record.Again)
		w.edit(record.Right, 2, "name", "desk")
		w.wholeRuns()
		for n, want := range map[int]string{1: "their edit since", 2: "desk"} {
			for _, side := range record.Sides {
				if got := w.value(side, n, "name"); got != want {
					t.Errorf("%d of the %s is %q, want %q", n, side, got, want)
				}
			}
		}
		w.noHalts()
	})
}

// An answered --again explains what the copy lacked when it was found. What is lost afterwards is another question, and
// its answer does not turn round the first one.
func TestOutsideAgainExplainsNoLaterLoss(t *testing.T) {
	for answer, want := range map[record.Choice]int{record.Again: 11, record.Accepted: 7} {
		t.Run(string(answer), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := lacking(t, memory.Kind{Times: true}, away.GoneDelete, 7, 4, true)
				defer w.close()
				w.stopsBy("rolled_back")
				w.says(record.Again)
				for n := 3; n < 7; n++ {
					w.remove(record.Right, n)
				}
				w.stopsBy("shrink")
				w.says(answer)
				w.wholeRuns()
				for _, side := range record.Sides {
					if n := len(w.sys[side].All(kinds[side])); n != want {
						t.Errorf("%d are on the %s, want %d:\n%s", n, side, want, w.both())
					}
				}
				for n := range 2 {
					if got := w.value(record.Right, n, "name"); got != fmt.Sprint("edited ", n) {
						t.Errorf("%d of the right is %q", n, got)
					}
				}
				w.noHalts()
			})
		})
	}
}
