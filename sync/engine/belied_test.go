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

// A list that misses records which are there misses perhaps what somebody entered: nothing is
// made for it in that run. Where lists never show some of what is there, that can't be
// waited for to end.
func TestBeliedListPermitsNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		stable, always, waited bool
	}{"stable": {stable: true}, "any": {}, "any, and it waited": {waited: true}, "stable, some are never listed": {stable: true, always: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				kind := memory.Kind{}
				if tt.stable {
					kind.Paging = memory.Keyset
				}
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, kind}})
				defer w.close()
				for n := range 20 {
					w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
				}
				w.rest()
				both := 0
				if tt.waited { // lists of earlier runs were enough, and it could not be written then
					w.put(record.Left, 50, map[string]string{"name": "both"})
					for range 3 {
						w.run(engine.Options{Yes: true, Full: true, Hold: func(record.Side) string { return "it is paused" }})
					}
				}
				if !tt.always { // entered on both sides, and the right's list lacks it and another
					w.put(record.Right, 50, map[string]string{"name": "both"})
					both = 1
				}
				if !tt.waited {
					w.put(record.Left, 50, map[string]string{"name": "both"})
				}
				times := map[bool]int{true: -1, false: 2}[tt.always]
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallFetch, Kind: kinds[record.Right], Drop: 1 + both, Times: times})
				w.run(engine.Options{Yes: true, Full: true})
				if n := len(w.picture(record.Right)); n != 20+both {
					t.Errorf("the right has %d records after the list that lacks some, want %d", n, 20+both)
				}
				for range 4 {
					w.tick(time.Minute)
					w.run(engine.Options{Yes: true, Full: true})
				}
				if n := len(w.picture(record.Right)); n != 21 {
					t.Errorf("the right has %d records in the end, want 21", n)
				}
				if !tt.always {
					return
				}
				w.put(record.Left, 51, map[string]string{"name": "later"})
				w.run(engine.Options{Yes: true, Full: true})
				if n := len(w.picture(record.Right)); n != 22 {
					t.Errorf("the right has %d records, want 22: it is known that some are never listed", n)
				}
			})
		})
	}
}

// A create of which no answer came, and of which no list proves anything since each misses
// something that is there, is not held in silence for good: a person is told.
func TestUnansweredWhereListsMissSomething(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for n := range 20 {
			w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
		}
		w.rest()
		right := w.sys[record.Right]
		right.Inject(memory.Fault{Call: memory.CallFetch, Kind: kinds[record.Right], Drop: 1, Times: -1})
		right.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous})
		w.put(record.Left, 50, map[string]string{"name": "new"})
		told := 0
		for range 30 {
			w.tick(10 * time.Minute)
			told += len(w.run(engine.Options{Yes: true, Full: true}).Alerts)
		}
		if open, err := w.store.Unsettled(t.Context(), job); err != nil || len(open) > 0 || told == 0 {
			t.Errorf("%d still open (%v), told %d times", len(open), err, told)
		}
	})
}

// A list shows nothing of a side, and its linked records are there: it says nothing either of a
// record that waits to be made across, and was removed meanwhile.
func TestOutside38SourceThatABeliedListDoesNotShow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.eng.Jobs[job].Shrink = 30
		for n := range 3 {
			for _, side := range record.Sides {
				w.put(side, n, map[string]string{"name": fmt.Sprint("name ", n)})
			}
		}
		w.rest()
		w.put(record.Left, 50, map[string]string{"name": "new"})
		for range 2 {
			w.run(engine.Options{Yes: true, Full: true, Hold: func(record.Side) string { return "it is paused" }})
			w.tick(time.Minute)
		}
		id, _ := w.find(record.Left, 50)
		w.sys[record.Left].Remove(kinds[record.Left], id.Ref.ID)
		w.sys[record.Left].Inject(memory.Fault{Call: memory.CallFetch, Empty: true, Times: 2})
		w.run(engine.Options{Yes: true, Full: true})
		wantCount(t, "records on the right", len(w.sys[record.Right].All(kinds[record.Right])), 3)
	})
}

// The same where the system shows what its lists omit if it is asked for it: an empty answer says
// that nothing arrived, and the record is made. One that arrived, and that its lists omit, is
// found and not made a second time. An answer that is none says nothing.
func TestUnansweredWhereAFindShowsWhatListsOmit(t *testing.T) {
	for _, c := range []struct{ arrived, finds, again, ignored, empty, refused, made bool }{
		{finds: true, made: true},
		{arrived: true, finds: true, made: true},
		{finds: true, again: true, made: true}, // a linked record that the lists omit has the same name
		{finds: true, empty: true},
		{},
		{finds: true, ignored: true},
		{arrived: true, finds: true, refused: true},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				kind := memory.Kind{}
				if c.finds {
					kind.FindBy = [][]string{{"their_name"}}
				}
				w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: kind}})
				defer w.close()
				for n := range 20 {
					w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
				}
				w.rest()
				right := w.sys[record.Right]
				lists := memory.Fault{Call: memory.CallFetch, Kind: kinds[record.Right], Drop: map[bool]int{false: 1, true: 2}[c.arrived], Times: -1}
				right.Inject(lists)
				right.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: c.arrived})
				if c.ignored {
					right.Inject(memory.Fault{Call: memory.CallFind, FilterIgnored: true, Times: -1})
				}
				if c.empty {
					right.Inject(memory.Fault{Call: memory.CallFind, Empty: true, Times: -1})
				}
				w.put(record.Left, 50, map[string]string{"name": map[bool]string{false: "new", true: "name 19"}[c.again]})
				for n := range 9 {
					w.tick(5 * time.Minute)
					if c.refused && n > 1 { // each question for ours, and not the one between them
						right.Heal()
						right.Inject(lists)
						right.Inject(memory.Fault{Call: memory.CallFind, Class: connectors.Rejected})
						right.Inject(memory.Fault{Call: memory.CallFind, Class: connectors.Rejected, Skip: 1, Times: -1})
					}
					w.run(engine.Options{Yes: true, Full: true})
				}
				open, err := w.store.Unsettled(t.Context(), job)
				if err != nil || len(open) > 0 == c.made {
					t.Errorf("%d open, %v", len(open), err)
				}
				if n := len(w.picture(record.Right)); n > 20 != (c.made || c.arrived) || n > 21 {
					t.Errorf("the right has %d records", n)
				}
				found, err := w.store.Findings(t.Context(), job)
				if told := slices.ContainsFunc(found, func(f record.Finding) bool { return f.Name == record.FindUnproven }); err != nil || told == c.made {
					t.Errorf("told that nobody knows of it: %t (%v)", told, err)
				}
			})
		})
	}
}

// The answer to a create was lost, and a user cancels what it made: its lists omit it then, and so
// does the find by our mark. Nothing that they don't show is made again, once they were seen to omit
// a record.
func TestAMarkThatIsNotFoundWhereListsOmit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {Stamp: connectors.Stamp{Path: "ref", Find: true}}}})
		defer w.close()
		for n := range 20 {
			w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
		}
		w.rest()
		right := w.sys[record.Right]
		right.Inject(memory.Fault{Call: memory.CallFetch, Kind: kinds[record.Right], Drop: 1, Times: -1})
		for range 2 { // it is known that some are never listed
			w.run(engine.Options{Yes: true, Full: true})
		}
		w.put(record.Left, 50, map[string]string{"name": "new"})
		for n := range 40 {
			right.Heal()
			right.Inject(memory.Fault{Call: memory.CallFetch, Kind: kinds[record.Right], Drop: map[bool]int{true: 1, false: 2}[n == 0], Times: -1})
			if n == 0 {
				right.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
			}
			right.Inject(memory.Fault{Call: memory.CallFind, Empty: true}) // of ours, and not of the record that the find is tried on
			w.run(engine.Options{Yes: true, Full: true})
			w.tick(5 * time.Minute)
		}
		if n := len(w.picture(record.Right)); n != 21 {
			t.Errorf("the right has %d records, want 21", n)
		}
		w.lost()
	})
}
