package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// both is a rule for both sides.
func both(p away.GonePolicy) [2]engine.GoneRule {
	return [2]engine.GoneRule{{Policy: p}, {Policy: p}}
}

// deletes is two systems of which each can delete.
var deletes = [2]memory.Kind{{Delete: true}, {Delete: true}}

// bereft is a world of four linked people in which person 0 is removed from the left,
// and everything has settled since they were linked.
func bereft(t *testing.T, s setting) *world {
	t.Helper()
	w := newWorld(t, s)
	for n := range 4 {
		w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": "note", "mail": fmt.Sprintf("%d@example.com", n)})
	}
	w.rest()
	w.remove(record.Left, 0)
	return w
}

// question is the open question about a whole record, false if there is none.
func (w *world) question() (record.Question, bool) {
	w.Helper()
	cs, err := w.store.Questions(context.Background(), job, true)
	if err != nil {
		w.Fatal(err)
	}
	i := slices.IndexFunc(cs, func(c record.Question) bool { return c.Field == engine.RecordField })
	if i < 0 {
		return record.Question{}, false
	}
	return cs[i], true
}

// asked ends the test unless a person is asked that.
func (w *world) asked(q away.Question) record.Question {
	w.Helper()
	c, ok := w.question()
	if !ok || c.Cause != record.Cause(q) {
		w.Fatalf("got question %v %q (%s), want %q", ok, c.Cause, c.Why, q)
	}
	return c
}

func (w *world) answer(q away.Question, choice away.GoneChoice) {
	w.Helper()
	c := w.asked(q)
	if err := w.store.Choose(context.Background(), c.ID, "value", record.OfText(string(choice)), time.Now()); err != nil {
		w.Fatal(err)
	}
}

// has is which sides hold the n-th person: "l", "r", "lr" or "".
func (w *world) has(n int) string {
	out := ""
	for _, side := range record.Sides {
		if _, ok := w.find(side, n); ok {
			out += side.String()[:1]
		}
	}
	return out
}

// count is how many writes both systems were asked for since a moment.
func (w *world) idle(n int) {
	w.Helper()
	before := w.mutations()
	for range n {
		w.tick(time.Minute)
		w.run(engine.Options{Yes: true, Full: true})
	}
	if got := w.mutations() - before; got != 0 {
		w.Errorf("%d writes at rest:\n%s", got, w.both())
	}
}

// What each policy makes of a record whose partner was removed; no policy resurrects
// one, and nothing is done twice.
func TestGonePolicies(t *testing.T) {
	archive := engine.GoneRule{Policy: away.GoneArchive, Archive: record.Fields{"their_note": record.OfText("left")}}
	for _, tt := range []struct {
		rule  engine.GoneRule
		has   string
		note  string
		asked bool
		done  record.Aftermath
	}{
		{rule: engine.GoneRule{}, has: "r", note: "note", asked: true, done: record.AfterHeld},
		{rule: engine.GoneRule{Policy: away.GoneHold}, has: "r", note: "note", asked: true, done: record.AfterHeld},
		{rule: engine.GoneRule{Policy: away.GoneDelete}, has: "", done: record.AfterDeleted},
		{rule: archive, has: "r", note: "left", done: record.AfterArchived},
		{rule: engine.GoneRule{Policy: away.GoneUnlink}, has: "r", note: "note", done: record.AfterUnlinked},
		{rule: engine.GoneRule{Policy: away.GoneIgnore}, has: "r", note: "note", done: record.AfterIgnored},
	} {
		for _, edit := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.rule.Policy, edit), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := bereft(t, setting{kinds: deletes, gone: [2]engine.GoneRule{{}, tt.rule}})
					defer w.close()
					id := w.idOf(0)
					w.rest()
					if got := w.has(0); got != tt.has {
						t.Fatalf("person 0 is on %q, want %q", got, tt.has)
					}
					if got := w.value(record.Right, 0, "note"); got != tt.note {
						t.Errorf("got note %q, want %q", got, tt.note)
					}
					if _, got := w.question(); got != tt.asked {
						t.Errorf("a person is asked: %t, want %t", got, tt.asked)
					}
					if edit {
						w.edit(record.Right, 0, "name", "edited later")
					}
					w.idle(3)
					if got := w.has(0); got != tt.has {
						t.Errorf("at rest person 0 is on %q, want %q", got, tt.has)
					}
					if got := w.tomb(record.Left, w.gone0()).Done; got != tt.done {
						t.Errorf("the tombstone says %q, want %q", got, tt.done)
					}
					if tt.has == "" {
						if got := w.tomb(record.Right, id); got.Evidence != record.EvidenceOurs {
							t.Errorf("ours: got %+v", got)
						}
					}
					for n := 1; n < 4; n++ {
						if w.has(n) != "lr" {
							t.Errorf("person %d is on %q", n, w.has(n))
						}
					}
				})
			})
		}
	}
}

// gone0 is the id of the first person on the left.
func (w *world) gone0() string { return "00000001" }

// tomb is what is remembered of a record.
func (w *world) tomb(side record.Side, id string) record.Tombstone {
	w.Helper()
	e := w.entryOf(side, id)
	tomb, _, err := w.store.Tombstone(context.Background(), e.Num)
	if err != nil {
		w.Fatal(err)
	}
	return tomb
}

func (w *world) entryOf(side record.Side, id string) record.Entry {
	w.Helper()
	e, ok, err := w.store.Entry(context.Background(), record.Place{Binding: job, Side: side}, record.Ref{Kind: kinds[side], ID: id})
	if err != nil || !ok {
		w.Fatalf("entry %s of the %s side: %t, %v", id, side, ok, err)
	}
	return e
}

// Whoever was edited while the other side removed them stays, and a person says.
func TestEditAgainstDeleteIsHeld(t *testing.T) {
	for _, tt := range []struct {
		choice away.GoneChoice
		has    string
	}{{away.ChooseCarry, ""}, {away.ChooseLeave, "r"}, {away.ChooseAnew, "lr"}} {
		synctest.Test(t, func(t *testing.T) {
			w := bereft(t, setting{kinds: deletes, gone: both(away.GoneDelete)})
			defer w.close()
			w.edit(record.Right, 0, "note", "edited")
			w.rest()
			if w.has(0) != "r" || w.value(record.Right, 0, "note") != "edited" {
				t.Fatalf("the edited record is not as it was:\n%s", w.both())
			}
			w.answer(away.AskEdited, tt.choice)
			w.edit(record.Right, 0, "note", "edited again")
			w.run(engine.Options{Yes: true, Full: true})
			if w.has(0) != "r" {
				t.Fatalf("%s: an answer was taken for another state of the record:\n%s", tt.choice, w.both())
			}
			w.answer(away.AskEdited, tt.choice)
			w.rest()
			if got := w.has(0); got != tt.has {
				t.Errorf("%s: person 0 is on %q, want %q", tt.choice, got, tt.has)
			}
			if tt.has == "lr" && w.value(record.Left, 0, "note") != "edited again" {
				t.Errorf("made anew without its values:\n%s", w.both())
			}
			if c, ok := w.question(); ok {
				t.Errorf("%s: still asked: %s", tt.choice, c.Why)
			}
			w.idle(2)
		})
	}
}

// A list that shows nothing, because the key sees nothing any more, deletes nothing:
// neither where a read by id says the same, nor where it is not allowed.
func TestF17_EmptyListDeletesNothing(t *testing.T) {
	for name, get := range map[string]memory.Fault{
		"by id nothing is there either": {Call: memory.CallGet, Class: connectors.NotFound, Times: -1},
		"by id it is not allowed":       {Call: memory.CallGet, Class: connectors.Forbidden, Times: -1},
		"by id it can't be reached":     {Call: memory.CallGet, Class: connectors.Transient, Times: -1},
		"by id all are there":           {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := bereft(t, setting{kinds: deletes, gone: both(away.GoneDelete)})
				defer w.close()
				w.put(record.Left, 0, map[string]string{"name": "name 0", "note": "note", "mail": "0@example.com"})
				w.rest() // that is another record, and nothing is to be seen of it here
				before := w.mutations()
				w.sys[record.Left].Inject(memory.Fault{Call: memory.CallFetch, Empty: true, Times: -1})
				if get.Call != "" {
					w.sys[record.Left].Inject(get)
				}
				for range 5 {
					w.tick(time.Minute)
					if _, err := w.try(engine.Options{Yes: true, Full: true}); err != nil && get.Class != connectors.Transient &&
						get.Class != connectors.Forbidden && !errors.Is(err, engine.ErrHalted) {
						t.Fatalf("run: %v", err)
					}
				}
				for n := range 4 {
					if !strings.Contains(w.has(n), "r") {
						t.Errorf("person %d is on %q", n, w.has(n))
					}
				}
				if got := w.mutations() - before; got != 0 {
					t.Errorf("%d writes because of an empty list", got)
				}
			})
		})
	}
}

// What we made and a list, or a read by id, does not show yet is not taken for removed:
// its source stays.
func TestF24_YoungLinkIsNeverDeleted(t *testing.T) {
	for _, k := range []memory.Kind{
		{Delete: true, ListLag: settle * 9 / 10},
		{Delete: true, GetLag: settle * 9 / 10},
		{Delete: true, ListLag: settle * 9 / 10, GetLag: settle * 9 / 10, FindLag: settle * 9 / 10},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, setting{kinds: [2]memory.Kind{{Delete: true}, k}, gone: both(away.GoneDelete)})
			defer w.close()
			for n := range 4 {
				w.put(record.Left, n, map[string]string{"name": "x"})
			}
			w.rest()
			w.put(record.Left, 4, map[string]string{"name": "young"}) // beside others, who are there
			for range 12 {
				w.run(engine.Options{Yes: true, Full: true})
			}
			w.rest()
			for n := range 5 {
				if w.has(n) != "lr" {
					t.Errorf("lag %v %v: person %d is on %q", k.ListLag, k.GetLag, n, w.has(n))
				}
			}
			if got := w.sys[record.Left].Counts().Applied; got != 0 {
				t.Errorf("%d changes where the records came from", got)
			}
		})
	}
}

// A list that still shows what was deleted brings nothing back, neither what a user
// removed nor what we deleted because of that.
func TestF25_LateListResurrectsNothing(t *testing.T) {
	for _, lag := range []time.Duration{settle / 2, 5 * settle} {
		synctest.Test(t, func(t *testing.T) {
			k := memory.Kind{Delete: true, ListLag: lag}
			w := bereft(t, setting{kinds: [2]memory.Kind{k, k}, gone: both(away.GoneDelete)})
			defer w.close()
			for n := range 90 {
				w.run(engine.Options{Yes: true, Full: true})
				if c, ok := w.question(); ok {
					t.Fatalf("lag %v, run %d: asked %s", lag, n, c.Why)
				}
			}
			if got := w.has(0); got != "" {
				t.Errorf("lag %v: person 0 is on %q", lag, got)
			}
			if got := w.sys[record.Left].Counts().Applied; got != 0 {
				t.Errorf("lag %v: %d changes on the left", lag, got)
			}
		})
	}
}

// A write that lands while a list is read does not make the record it wrote look gone.
func TestF29_WriteDuringScanIsNoAbsence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := memory.Kind{Delete: true, PageSize: 2, GetLag: settle / 2}
		w := newWorld(t, setting{kinds: [2]memory.Kind{{Delete: true}, k}, gone: both(away.GoneDelete)})
		defer w.close()
		for n := range 8 {
			w.put(record.Left, n, map[string]string{"name": "x"})
		}
		w.rest()
		var kicks []engine.Kick
		w.sys[record.Right].Hook(memory.Hooks{Page: func(_ record.Kind, page int) {
			if page == 2 {
				w.edit(record.Left, 7, "name", fmt.Sprint("new ", len(kicks)))
				r, _ := w.find(record.Left, 7)
				kicks = append(kicks, engine.Kick{Side: record.Left, Ref: r.Ref})
			}
		}})
		for range 6 {
			w.run(engine.Options{Yes: true, Full: true, Kicked: func() []engine.Kick {
				out := kicks
				kicks = nil
				return out
			}})
		}
		w.sys[record.Right].Hook(memory.Hooks{})
		w.rest()
		for n := range 8 {
			if w.has(n) != "lr" {
				t.Errorf("person %d is on %q", n, w.has(n))
			}
		}
	})
}

// Two people who swap what they are recognised by stay who they are: links go by id.
func TestF33_KeyEditedAfterLinkingIsNoStranger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: deletes, gone: both(away.GoneDelete)})
		defer w.close()
		for n := range 4 {
			w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": "x"})
		}
		w.rest()
		ids := [2]string{w.idOf(0), w.idOf(1)}
		l0, _ := w.find(record.Left, 0)
		l1, _ := w.find(record.Left, 1)
		w.sys[record.Left].Edit(kinds[0], l0.Ref.ID, record.Fields{"phone": record.OfText(phoneOf(1))})
		w.sys[record.Left].Edit(kinds[0], l1.Ref.ID, record.Fields{"phone": record.OfText(phoneOf(0))})
		w.rest()
		for i, id := range ids {
			e := w.entryOf(record.Right, id)
			pair, ok, err := w.store.PairOf(t.Context(), e.Place, e.Ref)
			if err != nil || !ok || pair.Sides[record.Left].Ref != []record.Ref{l0.Ref, l1.Ref}[i] || pair.State.Ended() {
				t.Errorf("%s is linked to %v (%q), want what it was", id, pair.Sides[record.Left].Ref, pair.State)
			}
		}
		if c, ok := w.question(); ok {
			t.Errorf("asked %s", c.Why)
		}
		if len(w.sys[record.Right].All(kinds[record.Right])) != 4 {
			t.Errorf("somebody was made or deleted:\n%s", w.both())
		}
	})
}

// However a system merges two records, the one across loses nothing: with a pointer the
// link goes on with the record that is left, without one a person is asked.
func TestF34_MergeRewiresAndDeletesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		kind     memory.Kind
		merge    func(w *world, loser, winner string)
		question away.Question // "" if nobody is asked
		linked   string        // which left record the right one of person 0 is linked to then
	}{
		"pointer to a record without a link": {memory.Kind{}, func(w *world, loser, _ string) {
			id := w.sys[record.Left].Put(kinds[0], record.Fields{"phone": record.OfText("+390550000009"), "name": record.OfText("Merged")})
			w.sys[record.Left].Merge(kinds[0], loser, id)
		}, "", "00000005"},
		"the read shows the other record": {memory.Kind{MergedShows: true}, func(w *world, loser, _ string) {
			id := w.sys[record.Left].Put(kinds[0], record.Fields{"phone": record.OfText("+390550000009"), "name": record.OfText("Merged")})
			w.sys[record.Left].Merge(kinds[0], loser, id)
		}, "", "00000005"},
		"a chain of pointers": {memory.Kind{}, func(w *world, loser, _ string) {
			a := w.sys[record.Left].Put(kinds[0], record.Fields{"phone": record.OfText("+390550000008")})
			b := w.sys[record.Left].Put(kinds[0], record.Fields{"phone": record.OfText("+390550000009"), "name": record.OfText("Merged")})
			w.sys[record.Left].Merge(kinds[0], loser, a)
			w.sys[record.Left].Merge(kinds[0], a, b)
		}, "", "00000006"},
		"pointer to a linked record": {memory.Kind{}, func(w *world, loser, winner string) {
			w.sys[record.Left].Merge(kinds[0], loser, winner)
		}, away.AskMerged, "00000001"},
		"both replaced by a new one": {memory.Kind{}, func(w *world, loser, winner string) {
			id := w.sys[record.Left].Put(kinds[0], record.Fields{"phone": record.OfText("+390550000009"), "name": record.OfText("Merged")})
			w.sys[record.Left].Merge(kinds[0], loser, id)
			w.sys[record.Left].Merge(kinds[0], winner, id)
		}, away.AskMerged, "00000005"},
		"no pointer": {memory.Kind{}, func(w *world, loser, _ string) {
			w.sys[record.Left].Remove(kinds[0], loser)
		}, away.AskGone, "00000001"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{tt.kind, {Delete: true}}, gone: [2]engine.GoneRule{}})
				defer w.close()
				for n := range 4 {
					w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": "x", "mail": fmt.Sprintf("%d@example.com", n)})
				}
				w.rest()
				before := w.sys[record.Right].All(kinds[record.Right])
				id := w.idOf(0)
				tt.merge(w, "00000001", "00000002")
				w.rest()
				w.rest()
				for _, was := range before {
					now, ok := w.sys[record.Right].Get(kinds[record.Right], was.Ref.ID)
					if !ok {
						t.Errorf("%s is not there any more", was.Ref)
					}
					for p, v := range was.Fields {
						if !v.Empty() && now.Fields[p].Empty() {
							t.Errorf("%s of %s was lost", p, was.Ref)
						}
					}
				}
				e := w.entryOf(record.Right, id)
				pair, _, err := w.store.PairOf(t.Context(), e.Place, e.Ref)
				if err != nil || pair.Sides[record.Left].Ref.ID != tt.linked {
					t.Errorf("linked to %s, want %s (%v)", pair.Sides[record.Left].Ref, tt.linked, err)
				}
				if tt.question == "" {
					if c, ok := w.question(); ok {
						t.Errorf("asked %s", c.Why)
					}
				} else {
					w.asked(tt.question)
				}
				w.idle(2)
			})
		})
	}
}

// A record was merged into one that was removed: that is an absence like any other, also
// where a later run carries it over, and it is not left undone in silence.
func TestMergedIntoWhatIsGoneIsCarriedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Delete: true}}, gone: [2]engine.GoneRule{record.Right: {Policy: away.GoneDelete}}})
		defer w.close()
		for n := range 4 {
			w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
		}
		w.rest()
		into := w.sys[record.Left].Put(kinds[0], record.Fields{"phone": record.OfText("+390550000009")})
		w.sys[record.Left].Merge(kinds[0], "00000001", into)
		w.sys[record.Left].Remove(kinds[0], into)
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Transient}) // the next run carries it over
		w.run(engine.Options{Yes: true, Full: true})
		if n := len(w.picture(record.Right)); n != 4 {
			t.Fatalf("the right has %d records, want all 4 until it can be reached", n)
		}
		w.rest()
		if n := len(w.picture(record.Right)); n != 3 {
			t.Errorf("the right has %d records, want 3: what was merged into a record that is gone is gone", n)
		}
	})
}

// A record was merged into one that was removed, and that one is put back, or can't be read,
// before the delete across is made: nothing is deleted, and the run goes on.
func TestMergedIntoWhatIsBackIsNotDeleted(t *testing.T) {
	for name, hidden := range map[string]bool{"it is back": false, "it can't be read": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Delete: true}}, gone: [2]engine.GoneRule{record.Right: {Policy: away.GoneDelete}}})
				defer w.close()
				for n := range 4 {
					w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
				}
				w.rest()
				left := w.sys[record.Left]
				into := left.Put(kinds[0], record.Fields{"phone": record.OfText("+390550000009")})
				held, _ := left.Get(kinds[0], into)
				left.Merge(kinds[0], "00000001", into)
				left.Remove(kinds[0], into)
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Transient}) // a later run carries it over
				w.run(engine.Options{Yes: true, Full: true})
				left.PutAs(kinds[0], into, held.Fields)
				if hidden {
					side := &w.eng.Jobs[job].Sides[record.Left]
					side.Conn = &unread{side.Conn, side.Conn.(connectors.Writer), side.Conn.(connectors.Getter), "00000001"}
				}
				w.run(engine.Options{Yes: true, Seen: true})
				if n := len(w.picture(record.Right)); n != 4 {
					t.Errorf("the right has %d records, want all 4: what one was merged into is there", n)
				}
			})
		})
	}
}

// An id that is given to somebody else breaks the link: nothing of the stranger is
// written to the record across, nor the other way, before a person says.
func TestF35_ReusedIDBreaksTheLink(t *testing.T) {
	for name, tt := range map[string]struct {
		kind   memory.Kind
		choice away.GoneChoice
		name   string // of the right record in the end
	}{
		"told by its time of creation: nobody says": {memory.Kind{Times: true}, "", "name 0"},
		"told by its values: nobody says":           {memory.Kind{}, "", "name 0"},
		"they are left":                             {memory.Kind{Times: true}, away.ChooseLeave, "name 0"},
		"it is the same":                            {memory.Kind{Times: true}, away.ChooseSame, "Somebody Else"},
		"it is the same, told by its values":        {memory.Kind{}, away.ChooseSame, "Somebody Else"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := bereft(t, setting{kinds: [2]memory.Kind{tt.kind, {Delete: true}}, gone: both(away.GoneDelete)})
				defer w.close()
				id := w.idOf(0)
				w.tick(30 * 24 * time.Hour)
				w.sys[record.Left].PutAs(kinds[0], w.gone0(), record.Fields{
					"phone": record.OfText(phoneOf(7)), "name": record.OfText("Somebody Else"),
					"note": record.OfText("other"), "mail": record.OfText("7@example.com"),
				})
				w.rest()
				w.edit(record.Right, 0, "note", "edited here")
				w.rest()
				w.asked(away.AskForeign)
				if r, _ := w.sys[record.Left].Get(kinds[0], w.gone0()); r.Fields["note"].Text() != "other" {
					t.Errorf("something was written to the stranger: %v", r.Fields)
				}
				if tt.choice != "" {
					w.answer(away.AskForeign, tt.choice)
					w.rest()
				}
				r, ok := w.sys[record.Right].Get(kinds[1], id)
				if got := r.Fields["their_name"].Text(); !ok || got != tt.name {
					t.Errorf("got name %q on the right, want %q", got, tt.name)
				}
				if _, ok := w.question(); ok != (tt.choice == "") {
					t.Errorf("asked: %t", ok)
				}
				w.idle(2)
			})
		})
	}
}

// What was made and removed again before anybody looked leaves no trace, and several
// changes between two looks are one.
func TestF39_OnlyTheLastStateCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := bereft(t, setting{kinds: deletes, gone: both(away.GoneDelete)})
		defer w.close()
		w.rest()
		before := w.mutations()
		w.put(record.Left, 5, map[string]string{"name": "came"})
		w.edit(record.Left, 5, "name", "and")
		w.remove(record.Left, 5)
		w.put(record.Right, 6, map[string]string{"name": "came"})
		w.remove(record.Right, 6)
		w.rest()
		if got := w.mutations() - before; got != 0 {
			t.Errorf("%d writes for what was never seen", got)
		}
		w.put(record.Left, 5, map[string]string{"name": "one"})
		w.edit(record.Left, 5, "name", "two")
		w.edit(record.Left, 5, "note", "three")
		w.rest()
		if got := w.mutations() - before; got != 1 || w.value(record.Right, 5, "name") != "two" {
			t.Errorf("%d writes, want one:\n%s", got, w.both())
		}
	})
}

// One that comes back is as it was where nothing was done because it was gone; otherwise
// a person says. It is never made anew by itself, and never written to before.
func TestWhatComesBack(t *testing.T) {
	archive := engine.GoneRule{Policy: away.GoneArchive, Archive: record.Fields{"their_note": record.OfText("left")}}
	for _, tt := range []struct {
		rule  engine.GoneRule
		has   string
		asked bool
	}{
		{engine.GoneRule{}, "lr", false},
		{engine.GoneRule{Policy: away.GoneIgnore}, "lr", false},
		{engine.GoneRule{Policy: away.GoneUnlink}, "lr", true},
		{archive, "lr", true},
		{engine.GoneRule{Policy: away.GoneDelete}, "l", true},
	} {
		t.Run(string(tt.rule.Policy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: deletes, gone: [2]engine.GoneRule{{}, tt.rule}})
				defer w.close()
				for n := range 4 {
					w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": "note"})
				}
				w.rest()
				was := w.sys[record.Left].Snapshot()
				w.remove(record.Left, 0)
				w.rest()
				w.sys[record.Left].Restore(was)
				before := w.mutations()
				w.rest()
				if got := w.has(0); got != tt.has {
					t.Errorf("person 0 is on %q, want %q", got, tt.has)
				}
				if got := w.mutations() - before; got != 0 {
					t.Errorf("%d writes because it came back", got)
				}
				if tt.asked {
					w.asked(away.AskReturned)
					return
				}
				if c, ok := w.question(); ok {
					t.Errorf("asked %s", c.Why)
				}
				w.edit(record.Left, 0, "name", "there again")
				w.rest()
				if got := w.value(record.Right, 0, "name"); got != "there again" {
					t.Errorf("the link does not go on: %q", got)
				}
			})
		})
	}
}

// A person who says that it is the same has the link go on.
func TestWhatComesBackGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: deletes, gone: both(away.GoneUnlink)})
		defer w.close()
		for n := range 4 {
			w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
		}
		w.rest()
		was := w.sys[record.Left].Snapshot()
		w.remove(record.Left, 0)
		w.rest()
		w.sys[record.Left].Restore(was)
		w.rest()
		w.answer(away.AskReturned, away.ChooseSame)
		w.edit(record.Left, 0, "name", "there again")
		w.rest()
		if got := w.value(record.Right, 0, "name"); got != "there again" {
			t.Errorf("the link does not go on: %q", got)
		}
	})
}

// A link whose records are both gone ends, whatever the policy, and nothing is asked.
func TestBothGoneEndsTheLink(t *testing.T) {
	for _, p := range []away.GonePolicy{"", away.GoneDelete, away.GoneUnlink, away.GoneIgnore} {
		synctest.Test(t, func(t *testing.T) {
			w := bereft(t, setting{kinds: deletes, gone: both(p)})
			defer w.close()
			e := w.entryOf(record.Left, w.gone0())
			w.remove(record.Right, 0)
			before := w.mutations()
			w.rest()
			pair, ok, err := w.store.Pair(t.Context(), e.Link)
			if err != nil || !ok || pair.State != record.LinkGone {
				t.Errorf("%q: link is %q, %v", p, pair.State, err)
			}
			if c, ok := w.question(); ok {
				t.Errorf("%q: asked %s", p, c.Why)
			}
			if got := w.mutations() - before; got != 0 {
				t.Errorf("%q: %d writes", p, got)
			}
		})
	}
}

// A system that can't delete, or refuses to, is not asked for ever: a person is.
func TestDeleteThatIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		can   bool
		fault connectors.ErrorClass
		asked away.Question
	}{"can't": {false, "", away.AskUnable}, "does not want to": {true, connectors.Rejected, away.AskRefused}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := bereft(t, setting{kinds: [2]memory.Kind{{}, {Delete: tt.can}}, gone: both(away.GoneDelete)})
				defer w.close()
				if tt.fault != "" {
					w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Delete, Class: tt.fault, Times: -1})
				}
				before := w.mutations()
				w.rest()
				w.idle(3)
				w.asked(tt.asked)
				if got := w.mutations() - before; w.has(0) != "r" || got > 1 {
					t.Errorf("asked %d times:\n%s", got, w.both())
				}
				w.answer(tt.asked, away.ChooseLeave)
				w.rest()
				if c, ok := w.question(); ok || w.has(0) != "r" {
					t.Errorf("still asked: %s", c.Why)
				}
			})
		})
	}
}

// A record that is read once more right before the other is deleted, and is there,
// saves it.
func TestDeleteIsVerifiedOnBothSides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := bereft(t, setting{kinds: deletes, gone: both(away.GoneDelete)})
		defer w.close()
		was := w.sys[record.Left].Snapshot()
		w.run(engine.Options{Yes: true, Full: true, Dry: true}) // it is buried, and nothing is done
		w.tick(time.Minute)
		if due := w.due(); len(due) != 1 || !strings.Contains(due[0], "delete") {
			t.Fatalf("got plan %v, want one delete", due)
		}
		w.sys[record.Left].Restore(was)
		w.sys[record.Left].PutAs(kinds[0], w.gone0(), record.Fields{
			"phone": record.OfText(phoneOf(0)), "name": record.OfText("name 0"), "note": record.OfText("note"), "mail": record.OfText("0@example.com"),
		})
		w.run(engine.Options{Yes: true, Seen: true}) // no list is read: what is known is old
		if w.has(0) != "lr" {
			t.Errorf("deleted by what was known of an hour ago:\n%s", w.both())
		}
	})
}

// Killed at any step a delete ends as if nobody had been killed: one request, both
// sides without the record, the link ended.
func TestKilledDeletes(t *testing.T) {
	archive := engine.GoneRule{Policy: away.GoneArchive, Archive: record.Fields{"their_note": record.OfText("left")}}
	for _, rule := range []engine.GoneRule{{Policy: away.GoneDelete}, archive, {Policy: away.GoneUnlink}, {}} {
		scene := func() *world {
			w := bereft(t, setting{kinds: deletes, gone: [2]engine.GoneRule{rule, rule}})
			id := w.sys[record.Left].Put(kinds[0], record.Fields{"phone": record.OfText("+390550000009"), "name": record.OfText("Merged")})
			w.sys[record.Left].Merge(kinds[0], "00000002", id)
			w.tick(time.Minute)
			return w
		}
		want, steps := "", 0
		synctest.Test(t, func(*testing.T) {
			w := scene()
			defer w.close()
			steps = w.killed(-1, engine.Options{Yes: true, Full: true})
			w.rest()
			want = w.both()
		})
		for k := 1; k <= steps; k++ {
			synctest.Test(t, func(t *testing.T) {
				w := scene()
				defer w.close()
				w.killed(k, engine.Options{Yes: true, Full: true})
				w.rest()
				w.rest()
				if got := w.both(); got != want {
					t.Errorf("%s: killed at step %d of %d:\n%s\nwant\n%s", rule.Policy, k, steps, got, want)
				}
				if n := w.sys[record.Right].Counts().Applied; rule.Policy == away.GoneDelete && n > 8 {
					t.Errorf("%s: killed at step %d: %d changes on the right", rule.Policy, k, n)
				}
				w.idle(1)
			})
		}
	}
}

// An edit that comes between the plan and the request saves the record, and is asked
// about.
func TestDeleteOfWhatWasEditedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := bereft(t, setting{kinds: deletes, gone: both(away.GoneDelete)})
		defer w.close()
		w.tick(time.Minute)
		w.eng.Step = func(name string) {
			if name == "before get" { // the last look before the request
				w.eng.Step = nil
				w.edit(record.Right, 0, "note", "edited in between")
			}
		}
		w.run(engine.Options{Yes: true, Full: true})
		if w.eng.Step != nil {
			t.Fatal("nothing was verified")
		}
		w.rest()
		if got := w.value(record.Right, 0, "note"); got != "edited in between" {
			t.Errorf("got note %q", got)
		}
		w.asked(away.AskEdited)
	})
}
