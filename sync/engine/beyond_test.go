package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// The answer to a create was lost, and a user moves the booking that it made to days that no list
// shows. It is looked for by a find that does not go by the days, and else on all days, and not made a
// second time: a person is asked. Where it never arrived it is made. Where the list of all days fails, or
// does not show what is there, nothing is made: a person is told, and asked after an hour.
func TestUnansweredBookingThatIsMovedOutOfTheWindow(t *testing.T) {
	for _, c := range []struct {
		arrived, finds, byDays, fails, made bool
		lacks                               string // of what a list of all days shows
		within                              bool   // none that is linked is on other days, so that no list was seen to omit one
	}{
		{arrived: true},
		{arrived: true, fails: true},
		{arrived: true, lacks: "all but a year"},
		{arrived: true, lacks: "linked, after the window"},
		{arrived: true, lacks: "linked, within"},
		{lacks: "all but a year"},
		{made: true, lacks: "linked, before the window"},
		{arrived: true, finds: true},
		{arrived: true, finds: true, byDays: true},
		{arrived: true, finds: true, byDays: true, within: true},
		{made: true},
		{fails: true},
		{finds: true, made: true},
		{finds: true, byDays: true, made: true},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				right := memory.Kind{Window: lists(record.Right).Window}
				if c.lacks == "all but a year" {
					right.Reach = 365
				}
				if c.finds {
					right.FindBy = [][]string{{"their_name"}}
				}
				match := [][]string{{"name"}}
				if c.byDays {
					match, right.FindBy = [][]string{{"name", "note"}}, [][]string{{"their_name", "their_note"}}
				}
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, right}, match: match})
				defer w.close()
				w.dated()
				for n := range 3 {
					w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": soon})
				}
				w.rest()
				if !c.within {
					w.edit(record.Right, 0, "note", past)
					w.edit(record.Right, 1, "note", ahead)
				}
				w.rest()
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: c.arrived, Times: 2})
				w.put(record.Left, 7, map[string]string{"name": "new", "note": soon})
				w.put(record.Left, 8, map[string]string{"name": "other", "note": soon})
				w.run(engine.Options{Yes: true, Full: true})
				if c.fails {
					w.queries(record.Right).fails = true
				}
				w.lacks(c.lacks)
				if c.arrived {
					w.edit(record.Right, 7, "note", later)
					w.edit(record.Right, 8, "note", later)
				}
				told := false
				for range 9 {
					w.tick(10 * time.Minute)
					w.run(engine.Options{Yes: true, Full: true})
					found, err := w.store.Findings(t.Context(), job)
					if err != nil {
						t.Fatal(err)
					}
					told = told || slices.ContainsFunc(found, func(f record.Finding) bool { return f.Name == record.FindUnproven })
				}
				want := 3
				if c.arrived || c.made {
					want = 5
				}
				wantCount(t, "bookings on the right", len(w.sys[record.Right].All(kinds[record.Right])), want)
				lost, err := w.store.Lost(t.Context(), job)
				if err != nil {
					t.Fatal(err)
				}
				if c.made == (len(lost) == 2) || !c.arrived && told == c.made {
					t.Errorf("%d lost, told before: %t", len(lost), told)
				}
			})
		})
	}
}

// lacks has lists of the right that reach many years not show some of its bookings, nor what was made.
func (w *world) lacks(what string) {
	of := map[string][]int{
		"linked, before the window": {0}, "linked, after the window": {1}, "linked, within": {2},
	}[what]
	if len(of) == 0 {
		return
	}
	q := w.queries(record.Right)
	for _, n := range append(of, 7, 8) {
		if r, made := w.find(record.Right, n); made {
			q.lacks = append(q.lacks, r.Ref.ID)
		}
	}
}

// A booking that agrees by a match rule lies outside of the window, where no list shows it. A new one
// across is not made beside it unasked: a person may join the two, or have it made.
func TestBookingThatAgreesWithOneOutsideOfTheWindow(t *testing.T) {
	for _, join := range []bool{true, false} {
		t.Run(fmt.Sprint(join), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, lists(record.Right)}, match: [][]string{{"name"}}})
				defer w.close()
				w.dated()
				for n := range 3 {
					w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": soon})
				}
				w.rest()
				w.put(record.Right, 7, map[string]string{"name": "same", "note": later})
				w.rest()
				w.run(engine.Options{Yes: true, Full: true})
				w.run(engine.Options{Yes: true, Full: true})
				w.put(record.Left, 7, map[string]string{"name": "same", "note": soon})
				w.rest()
				wantCount(t, "bookings on the right before an answer", len(w.sys[record.Right].All(kinds[record.Right])), 4)
				there, _ := w.find(record.Right, 7)
				here, _ := w.find(record.Left, 7)
				answer, want := "create", 5
				if join {
					answer, want = there.Ref.ID, 4
				}
				w.matchAnswer(record.Left, here.Ref.ID, answer)
				w.rest()
				w.rest()
				wantCount(t, "bookings on the right", len(w.sys[record.Right].All(kinds[record.Right])), want)
				wantCount(t, "links", w.links(), 4)
			})
		})
	}
}

// What the create made was moved out of the window, and a find showed it there. It is known, and may
// be what was made: a person is asked at once.
func TestUnansweredBookingThatIsKnownOutsideOfTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Window: lists(record.Right).Window, FindBy: [][]string{{"their_name"}}}}, match: [][]string{{"name"}}})
		defer w.close()
		w.dated()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": soon})
		}
		w.rest()
		right := w.sys[record.Right]
		right.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
		w.put(record.Left, 7, map[string]string{"name": "new", "note": soon})
		w.run(engine.Options{Yes: true, Full: true})
		w.edit(record.Right, 7, "note", later)
		for range 3 {
			w.tick(10 * time.Minute)
			w.run(engine.Options{Yes: true, Full: true})
		}
		wantCount(t, "bookings on the right", len(right.All(kinds[record.Right])), 4)
		lost, err := w.store.Lost(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		wantCount(t, "creates that a person is asked about", len(lost), 1)
	})
}

// unansweredBooking enters bookings on the left, of which the last is made on the right by a create that
// nothing answers.
func (w *world) unansweredBooking() {
	w.Helper()
	w.dated()
	for n := range 3 {
		w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": soon, "mail": "open"})
	}
	w.rest()
	w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
	w.put(record.Left, 7, map[string]string{"name": "new", "note": soon, "mail": "open"})
	w.run(engine.Options{Yes: true})
}

// What a create without an answer made was moved out of the window. By our mark, or by what a person
// says, it is linked, and its new days go across, whichever list shows them.
func TestNewDaysOfWhatWasFoundOutsideOfTheWindow(t *testing.T) {
	for _, c := range []struct{ since, finds, marks bool }{
		{since: true}, {finds: true}, {since: true, finds: true}, {since: true, marks: true}, {finds: true, marks: true}, {since: true, finds: true, marks: true},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				right := memory.Kind{Window: lists(record.Right).Window, Since: c.since, Times: c.since}
				if c.finds {
					right.FindBy = [][]string{{"their_name"}}
				}
				if c.marks {
					right.Stamp = connectors.Stamp{Path: "ref", Find: c.finds}
				}
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, right}, match: [][]string{{"name", "note"}}, policies: map[string]merge.Policy{"note": merge.RightWins, "mail": merge.RightWins}})
				defer w.close()
				w.unansweredBooking()
				w.tick(2 * record.OneWrite) // within that its times would not tell an edit from the create
				w.edit(record.Right, 7, "note", later)
				for range 3 {
					w.tick(10 * time.Minute)
					w.run(engine.Options{Yes: true})
				}
				if lost, err := w.store.Lost(t.Context(), job); err != nil {
					t.Fatal(err)
				} else if len(lost) > 0 {
					there, _ := w.find(record.Right, 7)
					w.claim(true, there.Ref.ID)
				}
				for range 3 {
					w.tick(10 * time.Minute)
					w.run(engine.Options{Yes: true, Full: true})
				}
				wantCount(t, "bookings on the right", len(w.sys[record.Right].All(kinds[record.Right])), 4)
				wantCount(t, "links", w.links(), 4)
				if q, asked := w.question(); asked {
					t.Errorf("a person is asked: %+v", q)
				}
				want := later
				if c.marks && !c.since { // no time tells the edit from what the system made of what it was sent
					want = soon
					wantCount(t, "fields that a person is asked about", len(w.untaken()), 1)
				}
				if got := w.value(record.Left, 7, "note"); got != want {
					t.Errorf("the left has it on %q, want %q", got, want)
				}
			})
		})
	}
}

// A person is asked about a booking that may be what a create made, and it is moved out of the window.
// Nothing is made of it there, whatever that person says: the question ends, and the one whether the
// create arrived stays. Once it comes back it is asked about again.
func TestQuestionAboutABookingThatLeavesTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Window: lists(record.Right).Window}}, match: [][]string{{"name", "note"}}})
		defer w.close()
		w.unansweredBooking()
		w.edit(record.Right, 7, "name", "edited")
		rounds := func(n int) {
			for range n {
				w.tick(10 * time.Minute)
				w.run(engine.Options{Yes: true, Full: true})
			}
		}
		rounds(3)
		there, _ := w.find(record.Right, 7)
		if w.matchAsked(record.Right, there.Ref.ID).ID == 0 {
			t.Fatal("nobody is asked about it")
		}
		w.edit(record.Right, 7, "note", later)
		rounds(2)
		if c := w.matchAsked(record.Right, there.Ref.ID); c.ID != 0 {
			t.Errorf("a person is asked about it still: %s", c.Why)
		}
		w.lost()
		w.edit(record.Right, 7, "note", soon)
		rounds(2)
		if w.matchAsked(record.Right, there.Ref.ID).ID == 0 {
			t.Error("nobody is asked about it once it is back")
		}
		w.claim(false, "")
		rounds(2)
		wantCount(t, "bookings on the right", len(w.sys[record.Right].All(kinds[record.Right])), 5)
		wantCount(t, "bookings on the left", len(w.sys[record.Left].All(kinds[record.Left])), 5)
		wantCount(t, "links", w.links(), 5)
	})
}

// What a create without an answer made is outside of the filter of its side, where no list and no find
// shows it. It is not made a second time. By our mark it is linked once it is inside; by its key a
// person is asked, and so they are where any record is there, as its key may have been changed. Where
// nothing is there, it is made.
func TestUnansweredCreateOutsideOfTheFilter(t *testing.T) {
	for _, c := range []struct{ marks, finds, arrived, hidden, edited bool }{
		{marks: true, finds: true, arrived: true, hidden: true, edited: true},
		{finds: true, arrived: true, hidden: true, edited: true},
		{arrived: true, hidden: true, edited: true},
		{marks: true, finds: true, arrived: true, hidden: true},
		{marks: true, arrived: true, hidden: true},
		{finds: true, arrived: true, hidden: true},
		{arrived: true, hidden: true},
		{marks: true, finds: true, arrived: true},
		{arrived: true},
		{marks: true, finds: true},
		{finds: true},
		{},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hides := ""
				right := memory.Kind{Filter: func(f record.Fields) bool { return hides == "" || f["their_note"].Text() != hides }, FindAny: c.finds}
				if c.marks {
					right.Stamp = connectors.Stamp{Path: "ref", Find: c.finds}
				}
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, right}})
				defer w.close()
				for n := range 3 {
					w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
				}
				w.rest()
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: c.arrived})
				w.put(record.Left, 7, map[string]string{"name": "new"})
				w.run(engine.Options{Yes: true, Full: true})
				if c.hidden {
					hides = "hidden"
					w.edit(record.Right, 7, "note", "hidden")
				}
				if c.edited {
					w.edit(record.Right, 7, "phone", "+39 06 5550 4711")
				}
				rounds := func(n int) {
					for range n {
						w.tick(10 * time.Minute)
						w.run(engine.Options{Yes: true, Full: true})
					}
				}
				rounds(9)
				wantCount(t, "records on the right", len(w.sys[record.Right].All(kinds[record.Right])), 4)
				lost, err := w.store.Lost(t.Context(), job)
				if err != nil || len(lost) > 0 != (c.hidden && !c.marks) {
					t.Errorf("%d that a person is asked about, %v", len(lost), err)
				}
				if told := w.stuck()[record.FindUnseen] > 0; told != (c.hidden && c.marks) {
					t.Errorf("status names it: %t", told)
				}
				if len(lost) > 0 {
					return
				}
				hides = ""
				rounds(3)
				wantCount(t, "links", w.links(), 4)
				if got := w.stuck(); len(got) > 0 {
					t.Errorf("found %v in the end", got)
				}
			})
		})
	}
}
