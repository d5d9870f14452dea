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

// large is more than a record may have in these worlds.
var large = strings.Repeat("long ", 500)

// unreadableKinds is how a right side may page, be asked, and mark what we make.
var unreadableKinds = map[string]memory.Kind{
	"offset":              {},
	"keyset":              {Paging: memory.Keyset},
	"findable key":        {FindBy: [][]string{{"their_phone"}}},
	"mark not unique":     {Stamp: connectors.Stamp{Path: "their_ref", Find: true}},
	"by time of change":   {Times: true, Since: true},
	"nothing read by id":  {NoGet: true},
	"keyset, none by id":  {Paging: memory.Keyset, NoGet: true},
	"finds, none by id":   {FindBy: [][]string{{"their_phone"}}, NoGet: true},
	"marked, none by id":  {Stamp: connectors.Stamp{Path: "their_ref", Find: true}, NoGet: true},
	"changes, none by id": {Times: true, Since: true, NoGet: true},
}

// on is how many records of the n-th person a side has.
func (w *world) on(side record.Side, n int) (some int) {
	for _, r := range w.sys[side].All(kinds[side]) {
		if r.Fields[spell(side, "phone")].Text() == phoneOf(n) {
			some++
		}
	}
	return some
}

// A record that is listed and can't be read may be the one that is to be created: no list
// that shows it proves that its side lacks anything.
func TestOutside02UnreadableIsNotAbsent(t *testing.T) {
	for name, k := range unreadableKinds {
		for how, spoil := range map[string]func(w *world){
			"never read": func(w *world) { w.put(record.Right, 1, map[string]string{"note": large}) },
			"key edited": func(w *world) {
				id := w.sys[record.Right].Put(kinds[record.Right], record.Fields{"their_note": record.OfText("no phone yet")})
				w.rest()
				w.sys[record.Right].Edit(kinds[record.Right], id, record.Fields{
					"their_phone": record.OfText(phoneOf(1)), "their_note": record.OfText(large),
				})
			},
		} {
			t.Run(name+"/"+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{kinds: [2]memory.Kind{{}, k}})
					defer w.close()
					w.put(record.Left, 0, map[string]string{"name": "known"})
					w.rest()
					spoil(w)
					w.put(record.Left, 1, map[string]string{"name": "new"})
					w.rest()
					w.run(engine.Options{Yes: true, Full: true})
					if n := w.on(record.Right, 1); n != 1 {
						t.Errorf("the right has person 1 %d times, want once", n)
					}
				})
			})
		}
	}
}

// Where a record can't be read by its id either, all creates on its side are one question.
// Whoever approves it has them made; once the record can be read nobody is asked any more.
func TestOutside02OneQuestionForTheSide(t *testing.T) {
	barred := map[string]func(*world){
		"none by id": func(*world) {},
		"malformed by id": func(w *world) {
			w.sys[record.Right].Inject(memory.Fault{Call: memory.CallGet, ID: w.idOf(1), Class: connectors.Malformed, Times: -1})
		},
	}
	for how, bar := range barred {
		begin := func(t *testing.T) *world {
			w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {NoGet: how == "none by id"}}})
			t.Cleanup(w.close)
			w.put(record.Left, 0, map[string]string{"name": "known"})
			w.rest()
			w.put(record.Right, 1, map[string]string{"name": "new", "note": large})
			bar(w)
			for n := 1; n <= 3; n++ {
				w.put(record.Left, n, map[string]string{"name": "new"})
			}
			w.rest()
			if n := len(w.sys[record.Right].All(kinds[record.Right])); n != 2 {
				t.Fatalf("the right has %d records, want the 2 that were there", n)
			}
			if st := w.staged(); len(st) != 1 || st[0].Size != 3 || st[0].Side != record.Right || st[0].Cause != "unreadable" {
				t.Fatalf("got %+v, want one set of 3 creates on the right, held by unreadable", st)
			}
			return w
		}
		t.Run(how+"/it can be read", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := begin(t)
				w.sys[record.Right].Heal()
				w.edit(record.Right, 1, "note", "short")
				w.rest()
				for n := 1; n <= 3; n++ {
					if got := w.on(record.Right, n); got != 1 {
						t.Errorf("the right has person %d %d times, want once", n, got)
					}
				}
				if st := w.staged(); len(st) != 0 {
					t.Errorf("there are questions still: %+v", st)
				}
			})
		})
		t.Run(how+"/a person approves", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := begin(t)
				w.say(w.staged()[0].Set, record.Approved)
				w.rest()
				if n := w.on(record.Right, 1) + w.on(record.Right, 2) + w.on(record.Right, 3); n != 4 {
					t.Errorf("%d records of the three, want the one that was there and the three approved", n)
				}
				w.put(record.Left, 4, map[string]string{"name": "later"})
				w.rest()
				if n := w.on(record.Right, 4); n != 0 {
					t.Errorf("what nobody was asked about was made")
				}
			})
		})
	}
}

// What a create made whose answer was lost may be the record that nobody can read: it is
// not sent again.
func TestOutside02LostCreateThatCantBeRead(t *testing.T) {
	for name, k := range unreadableKinds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k.Normalise = map[string]func(record.Value) record.Value{"their_note": func(v record.Value) record.Value {
					if v.Text() == "n" {
						return record.OfText(large)
					}
					return v
				}}
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, k}})
				defer w.close()
				w.put(record.Left, 1, map[string]string{"name": "known"})
				w.rest()
				w.put(record.Left, 0, map[string]string{"name": "new", "note": "n"})
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Ambiguous, Applied: true})
				for range 3 {
					w.rest()
					w.tick(time.Hour)
				}
				if n := w.on(record.Right, 0); n != 1 {
					t.Errorf("the right has person 0 %d times, want once", n)
				}
				lost, err := w.store.Lost(context.Background(), job)
				if err != nil {
					t.Fatal(err)
				}
				_, linked, err := w.store.PairOf(context.Background(), record.Place{Binding: job, Side: record.Right}, record.Ref{Kind: kinds[record.Right], ID: w.idOf(0)})
				if err != nil {
					t.Fatal(err)
				}
				if len(lost) == 0 && !linked {
					t.Error("nobody is asked about it, and it is not linked")
				}
			})
		})
	}
}

// A list shows a record that was updated without an answer, and nobody can read it: that is
// no proof that it does not hold what was sent.
func TestOutside02LostUpdateThatCantBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {NoGet: true}}})
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "a"})
		w.rest()
		w.edit(record.Left, 0, "name", "b")
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, Class: connectors.Ambiguous, Applied: true})
		w.run(engine.Options{Yes: true})
		w.edit(record.Right, 0, "note", large)
		w.edit(record.Right, 0, "name", "c")
		w.rest()
		if got := w.value(record.Right, 0, "name"); got != "c" {
			t.Errorf("the right has the name %q, want the desk's", got)
		}
		if n := w.run(engine.Options{Yes: true}).Counts["unsettled"]; n != 1 {
			t.Errorf("%d updates are unsettled, want one for as long as its record can't be read", n)
		}
	})
}

// What is no longer listed, where nothing can be read by its id, keeps nobody from being
// made; and what a read by id can make nothing of is not asked for at every run.
func TestOutside02IllegibleIsLeftAlone(t *testing.T) {
	t.Run("not listed any more", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {NoGet: true}}})
			defer w.close()
			w.put(record.Left, 0, map[string]string{"name": "known"})
			w.put(record.Right, 1, map[string]string{"note": large})
			w.rest()
			w.remove(record.Right, 1)
			w.rest()
			w.put(record.Left, 1, map[string]string{"name": "new"})
			w.rest()
			if n := w.on(record.Right, 1); n != 1 {
				t.Errorf("the right has person 1 %d times, want once", n)
			}
		})
	})
	t.Run("reads by id", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, setting{})
			defer w.close()
			w.put(record.Left, 0, map[string]string{"name": "known"})
			w.rest()
			w.put(record.Right, 1, map[string]string{"note": large})
			w.sys[record.Right].Inject(memory.Fault{Call: memory.CallGet, ID: w.idOf(1), Class: connectors.Malformed, Times: -1})
			w.put(record.Left, 2, map[string]string{"name": "new"})
			w.run(engine.Options{})
			first := w.sys[record.Right].Counts().Gets
			for range 20 {
				w.tick(time.Minute)
				w.run(engine.Options{})
			}
			if more := w.sys[record.Right].Counts().Gets - first; more > 20*3 { // those that make sure of the system
				t.Errorf("%d reads by id in 20 runs", more)
			}
		})
	})
}

// A system shows in a list at once what it finds a little later. A record that came a moment ago
// and can't be read is not looked up before it can be found.
func TestOutside02FoundLaterThanListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := memory.Kind{FindBy: [][]string{{"their_phone"}}, FindLag: settle * 9 / 10}
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, k}})
		defer w.close()
		for _, side := range record.Sides {
			w.put(side, 0, map[string]string{"name": "Ada"})
		}
		w.rest()
		w.put(record.Right, 1, map[string]string{"note": large})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallGet, ID: w.idOf(1), Class: connectors.Malformed, Times: -1})
		w.put(record.Left, 1, map[string]string{"name": "Bea"})
		w.run(engine.Options{Yes: true, Full: true})
		wantCount(t, "records of hers at first", w.on(record.Right, 1), 1)
		w.rest()
		wantCount(t, "records of hers at rest", w.on(record.Right, 1), 1)
	})
}
