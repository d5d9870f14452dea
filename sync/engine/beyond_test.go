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
	"nightporter/sync/record"
)

// The answer to a create was lost, and a user moves the booking that it made to days that no list
// shows. It is not made a second time: a person is asked, and told before. Where it never arrived, a
// find that does not go by the days says so, and it is made; where there is none a person is asked
// as well.
func TestUnansweredBookingThatIsMovedOutOfTheWindow(t *testing.T) {
	for _, c := range []struct{ arrived, finds, byDays, made bool }{
		{arrived: true},
		{arrived: true, finds: true},
		{arrived: true, finds: true, byDays: true},
		{},
		{finds: true, made: true},
		{finds: true, byDays: true},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				right := memory.Kind{Window: lists(record.Right).Window}
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
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: c.arrived})
				w.put(record.Left, 7, map[string]string{"name": "new", "note": soon})
				w.run(engine.Options{Yes: true, Full: true})
				if c.arrived {
					w.edit(record.Right, 7, "note", later)
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
					want = 4
				}
				wantCount(t, "bookings on the right", len(w.sys[record.Right].All(kinds[record.Right])), want)
				lost, err := w.store.Lost(t.Context(), job)
				if err != nil {
					t.Fatal(err)
				}
				if c.made == (len(lost) > 0) || told == c.made && !c.finds {
					t.Errorf("%d lost, told before: %t", len(lost), told)
				}
			})
		})
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
