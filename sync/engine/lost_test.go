package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// lost is the change of which nobody can know what became.
func (w *world) lost() record.Intent {
	w.Helper()
	all, err := w.store.Lost(context.Background(), job)
	if err != nil || len(all) != 1 {
		w.Fatalf("got %d lost changes and %v, want one", len(all), err)
	}
	return all[0]
}

// noneLost ends the test if a change is lost still, or anything is left to do.
func (w *world) noneLost() {
	w.Helper()
	all, err := w.store.Lost(context.Background(), job)
	if err != nil || len(all) != 0 {
		w.Fatalf("got lost changes %v, %v, want none", all, err)
	}
	if due := w.due(); len(due) > 0 {
		w.Errorf("left to do: %v", due)
	}
}

// claim is what a person says of the lost change.
func (w *world) claim(arrived bool, id string) {
	w.Helper()
	c := record.Claim{Arrived: arrived, At: time.Now()}
	if id != "" {
		c.Ref = record.Ref{Kind: kinds[record.Right], ID: id}
	}
	if err := w.store.Claim(context.Background(), w.lost().ID, c); err != nil {
		w.Fatal(err)
	}
}

// idOf is the id of the n-th person on the right.
func (w *world) idOf(n int) string {
	w.Helper()
	r, ok := w.find(record.Right, n)
	if !ok {
		w.Fatalf("person %d is not on the right", n)
	}
	return r.Ref.ID
}

// unlucky is a world in which the create of person 0 on the right gets no answer
// after which meanwhile happens, so that lists can't tell what became of it. Without
// a fate all goes well.
func unlucky(t *testing.T, k memory.Kind, fate string, meanwhile func(*world)) *world {
	t.Helper()
	w := newWorld(t, setting{kinds: [2]memory.Kind{{}, k}})
	w.put(record.Left, 1, map[string]string{"name": "known", "note": "x"})
	w.rest()
	w.put(record.Left, 0, map[string]string{"name": "new", "note": "n", "mail": "m"})
	w.suffers(fate, 0)
	meanwhile(w)
	w.tick(2 * settle)
	w.run(engine.Options{Yes: true})
	w.run(engine.Options{Yes: true})
	return w
}

func editedSince(w *world) { w.edit(record.Right, 0, "note", "edited") }

// enteredAlike is somebody who enters the like of person 0 under another phone.
func enteredAlike(w *world) {
	w.put(record.Right, 2, map[string]string{"name": "new", "note": "n", "mail": "m"})
}

// A create that was lost ends as if it had been answered, whichever way a person
// settles it, and no record is there twice.
func TestLostCreateIsSettled(t *testing.T) {
	tests := map[string]struct {
		kind      memory.Kind
		fate      string
		meanwhile func(*world)
		claim     func(*world)
		people    int
	}{
		"it arrived": {memory.Kind{}, "c3", editedSince, func(w *world) { w.claim(true, w.idOf(0)) }, 2},
		"it arrived where nothing can be read by id": {
			memory.Kind{NoGet: true}, "c3", editedSince, func(w *world) { w.claim(true, w.idOf(0)) }, 2,
		},
		"it did not": {memory.Kind{}, "c2", enteredAlike, func(w *world) { w.claim(false, "") }, 3},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				good := unlucky(t, tt.kind, "ok", tt.meanwhile)
				defer good.close()
				good.rest()

				w := unlucky(t, tt.kind, tt.fate, tt.meanwhile)
				defer w.close()
				if w.both() == good.both() {
					t.Fatal("nothing was lost")
				}
				before := w.picture(record.Left)
				w.lost()
				w.rest() // it waits for as long as nobody says anything
				w.run(engine.Options{Yes: true, Seen: true})
				if got := w.picture(record.Left); len(got) != len(before) {
					t.Errorf("a record that may be ours was created on the left:\n%s", w.both())
				}
				tt.claim(w)
				w.run(engine.Options{Dry: true})
				w.lost() // to look changes nothing
				w.run(engine.Options{Yes: true, Seen: true})
				if got, want := w.value(record.Left, 0, "note"), good.value(record.Left, 0, "note"); got != want {
					t.Errorf("got %q on the left, want %q at once, without a list", got, want)
				}
				w.rest()
				w.noneLost()
				if w.both() != good.both() || len(w.picture(record.Right)) != tt.people {
					t.Errorf("got\n%s\nwant, as if nothing had happened,\n%s", w.both(), good.both())
				}
			})
		})
	}
}

// A record that a list shows first while a create is lost may be it, and is kept back
// by the very run that read the list.
func TestLostCreateKeepsNewcomersBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := unlucky(t, memory.Kind{}, "c2", enteredAlike)
		defer w.close()
		before := len(w.picture(record.Left))
		w.put(record.Right, 3, map[string]string{"name": "new", "note": "n", "mail": "m"})
		w.run(engine.Options{Yes: true})
		if got := w.picture(record.Left); len(got) != before {
			t.Errorf("got %v, want nothing created yet", got)
		}
		w.claim(false, "")
		w.rest()
		w.noneLost()
		if got := w.picture(record.Left); len(got) != before+2 {
			t.Errorf("got %v, want what was kept back freed", got)
		}
	})
}

// What a person names is looked at: it stays lost, with the reason, when it can't be
// the record that was made.
func TestLostCreateRefusesAnothersRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := unlucky(t, memory.Kind{}, "c3", func(w *world) {
			editedSince(w)
			// The left takes no more: person 2 is known on the right, and not linked.
			w.sys[record.Left].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Rejected, Times: -1})
			w.put(record.Right, 2, map[string]string{"name": "other"})
		})
		defer w.close()
		why := w.lost().Error
		late := w.sys[record.Right].Put(kinds[record.Right], record.Fields{spell(record.Right, "phone"): record.OfText(phoneOf(7))})
		for _, tt := range []struct{ id, want string }{
			{"nobody", "two does not have it"},
			{w.idOf(1), "it is linked to another record already"},
			{late, "it has other keys and little of what was sent"},
		} {
			w.claim(true, tt.id)
			rep := w.run(engine.Options{Yes: true})
			got := w.lost().Error
			if want := why + "; a person said that it arrived as " + tt.id + ", but " + tt.want; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if rep.Outcome != record.Waits || len(rep.Alerts) != 1 || !strings.Contains(rep.Alerts[0].Text, tt.want) {
				t.Errorf("%s: got %s and alerts %v", tt.id, rep.Outcome, rep.Alerts)
			}
			if rep := w.run(engine.Options{Yes: true}); len(rep.Alerts) > 0 {
				t.Errorf("it was told again: %v", rep.Alerts)
			}
		}
		w.claim(true, w.idOf(0))
		w.run(engine.Options{Yes: true})
		w.rest()
		w.noneLost()
	})
}

// A record that was known before anything was sent is not what a create made.
func TestLostCreateRefusesAnOlderRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "known"})
		w.sys[record.Left].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Rejected, Times: -1})
		w.put(record.Right, 2, map[string]string{"name": "new", "note": "n", "mail": "m"})
		w.rest()
		w.put(record.Left, 0, map[string]string{"name": "new", "note": "n", "mail": "m"})
		w.suffers("c3", 0)
		editedSince(w)
		w.tick(2 * settle)
		w.run(engine.Options{Yes: true})
		w.claim(true, w.idOf(2))
		w.run(engine.Options{Yes: true})
		if got, want := w.lost().Error, "it was there before anything was sent"; !strings.HasSuffix(got, want) {
			t.Errorf("got %q, want it to end in %q", got, want)
		}
	})
}

// While nobody knows what a create made, the record that it was made from may have its
// counterpart already, and the record that it may have made is that counterpart. No link
// goes on with either because users merge its record into it: the create could never be
// settled then, and whoever has no partner would be made once more.
func TestMergeIntoWhatALostCreateConcerns(t *testing.T) {
	tests := map[string]struct {
		fate      string
		meanwhile func(*world)
		merge     record.Side // on which person 1 is merged into person 0
		claim     func(*world)
		asked     bool // what is to become of the link of person 1
	}{
		"its source, and it arrived":       {"c3", editedSince, record.Left, func(w *world) { w.claim(true, w.idOf(0)) }, true},
		"its source, and it did not":       {"c2", enteredAlike, record.Left, func(w *world) { w.claim(false, "") }, false},
		"what it made":                     {"c3", editedSince, record.Right, func(w *world) { w.claim(true, w.idOf(0)) }, true},
		"what a person does not say it is": {"c3", editedSince, record.Right, func(w *world) { w.claim(false, "") }, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := unlucky(t, memory.Kind{}, tt.fate, tt.meanwhile)
				defer w.close()
				known, _ := w.find(tt.merge, 1)
				into, _ := w.find(tt.merge, 0)
				people := len(w.picture(record.Right))
				w.sys[tt.merge].Merge(kinds[tt.merge], known.Ref.ID, into.Ref.ID)
				if tt.merge == record.Right {
					people--
				}
				w.rest()
				w.lost()
				if w.entryOf(tt.merge, into.Ref.ID).Link != 0 {
					t.Error("a link goes on with it before anybody knows")
				}
				tt.claim(w)
				w.rest()
				if _, asked := w.question(); asked != tt.asked {
					t.Errorf("a person is asked about the link: %t, want %t", asked, tt.asked)
				}
				if w.entryOf(tt.merge, into.Ref.ID).Link == 0 {
					t.Error("it is linked to nothing")
				}
				if got := w.picture(record.Right); len(got) != people {
					t.Errorf("got\n%s\nwant nobody made or deleted on the right", w.both())
				}
			})
		})
	}
}

// A record that is linked already is not what an unanswered create made, whatever it
// holds by now: it has the key that the system keeps unique, and so the create was never
// applied.
func TestUnansweredCreateMeetsALinkedRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		phone := [][]string{{spell(record.Right, "phone")}}
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Unique: phone, FindBy: phone}}})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "known"})
		w.rest()
		w.put(record.Left, 0, map[string]string{"name": "new"})
		w.suffers("c2", 0)
		was, _ := w.find(record.Right, 1)
		w.sys[record.Right].Edit(kinds[record.Right], was.Ref.ID, record.Fields{
			spell(record.Right, "phone"): record.OfText(phoneOf(0)), spell(record.Right, "name"): record.OfText("new"),
		})
		w.rest()
		w.noneLost()
		if got := w.picture(record.Right); len(got) != 1 {
			t.Errorf("got\n%s\nwant nobody made on the right", w.both())
		}
	})
}

// A create ends at no record once the one it was made from is linked to another: there
// are two now, and a person is asked. The job goes on.
func TestUnansweredCreateOfWhatIsLinkedSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := unlucky(t, memory.Kind{}, "c2", enteredAlike)
		defer w.close()
		first := w.lost()
		w.put(record.Right, 3, map[string]string{"name": "other"})
		w.sys[record.Left].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
		w.run(engine.Options{Yes: true})
		for field, value := range map[string]string{"name": "new", "note": "n", "mail": "m"} {
			w.edit(record.Right, 3, field, value)
		}
		w.tick(2 * settle)
		w.claim(true, w.idOf(3)) // the left record that it was sent for is linked to the right one
		w.run(engine.Options{Yes: true})
		second := w.lost()
		if second.ID == first.ID || !strings.HasSuffix(second.Error, "what it was made for is linked to another record already") {
			t.Fatalf("got %s: %q", second.ID, second.Error)
		}
		w.rest()
		if err := w.store.Claim(t.Context(), second.ID, record.Claim{At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		w.rest()
		w.noneLost()
	})
}

// As long as the system may still apply what was sent, nothing is taken up.
func TestLostWaitsForTheSystem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{settle: time.Hour})
		defer w.close()
		w.put(record.Left, 1, nil)
		w.rest()
		w.put(record.Left, 0, map[string]string{"name": "new"})
		w.suffers("c4", 30*time.Minute)
		w.lose()
		w.claim(false, "")
		w.rest()
		w.lost()
		w.tick(time.Hour)
		w.rest()
		w.noneLost()
		if got := w.picture(record.Right); len(got) != 2 {
			t.Errorf("got %v, want it once", got)
		}
	})
}

// lose has what was sent and not answered taken for lost.
func (w *world) lose() {
	w.Helper()
	ctx := context.Background()
	open, err := w.store.Unsettled(ctx, job)
	if err != nil || len(open) != 1 {
		w.Fatalf("got %d open changes and %v, want one", len(open), err)
	}
	l, err := w.store.Begin(ctx, job, false, time.Now())
	if err != nil {
		w.Fatal(err)
	}
	if err := w.store.FailIntent(ctx, l, open[0].ID, record.Lost, "", "no list could tell", time.Now()); err != nil {
		w.Fatal(err)
	}
	if err := w.store.End(ctx, l, record.Done, "", nil, time.Now()); err != nil {
		w.Fatal(err)
	}
}

// A lost update stops its pair until a person settles it, and is not sent again
// unless it has to be.
func TestLostUpdateIsSettled(t *testing.T) {
	tests := map[string]struct {
		kind     memory.Kind
		fate     string
		edit     string // of the right, afterwards
		arrived  bool
		refused  string
		requests int    // that change something, after what was said
		want     string // the name, on both sides
	}{
		"it arrived":                                 {memory.Kind{}, "c3", "", true, "", 0, "b"},
		"it arrived, and was edited":                 {memory.Kind{}, "c3", "edited", true, "", 1, "edited"},
		"it arrived where nothing can be read by id": {memory.Kind{NoGet: true}, "c3", "", true, "", 0, "b"},
		"it did not":                                 {memory.Kind{}, "c2", "", false, "", 1, "b"},
		"it is said to have":                         {memory.Kind{}, "c2", "", true, "it still holds what it held before", 0, "a"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, tt.kind}})
				defer w.close()
				w.put(record.Left, 1, map[string]string{"name": "a", "note": "x"})
				w.rest()
				w.edit(record.Left, 1, "name", "b")
				w.suffers(tt.fate, 0)
				w.lose()
				if tt.edit != "" {
					w.edit(record.Right, 1, "name", tt.edit)
				}
				w.rest()
				before := w.mutations()
				w.claim(tt.arrived, "")
				w.run(engine.Options{Yes: true})
				if tt.refused != "" {
					if got := w.lost().Error; !strings.HasSuffix(got, tt.refused) {
						t.Errorf("got %q, want it to end in %q", got, tt.refused)
					}
					return
				}
				w.rest()
				w.noneLost()
				left, right := w.value(record.Left, 1, "name"), w.value(record.Right, 1, "name")
				if left != tt.want || right != tt.want || w.mutations()-before != tt.requests {
					t.Errorf("got %q and %q after %d requests, want %q after %d", left, right, w.mutations()-before, tt.want, tt.requests)
				}
			})
		})
	}
}

// An update of a record that was deleted since has nothing left to settle.
func TestLostUpdateOfAGoneRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "a"})
		w.rest()
		w.edit(record.Left, 1, "name", "b")
		w.suffers("c3", 0)
		w.lose()
		w.remove(record.Right, 1)
		w.rest()
		w.claim(true, "")
		w.rest()
		lost, err := w.store.Lost(context.Background(), job)
		if err != nil || len(lost) > 0 {
			t.Errorf("got lost changes %v, %v, want none", lost, err)
		}
	})
}
