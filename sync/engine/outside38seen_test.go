package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// dated has a world's lists show the days until next week alone: a note holds the day.
func (w *world) dated() {
	w.eng.Jobs[job].Window = &engine.Window{From: -7, To: 7}
	w.eng.Jobs[job].Booking = &engine.Booking{First: "note", Last: "note"}
}

const (
	past  = "1999-12-01"
	soon  = "2000-01-03"
	ahead = "2000-02-01"
	later = "2000-03-01"
)

// A step of a status was refused, and is to be asked for again. Its record was moved to days
// that no list shows, and was given another word there: it is read by its id first, and the old
// word is not sent.
func TestOutside38StepOfWhatNoListShows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		right := memory.Kind{Window: [2]string{"their_note", "their_note"}}
		w := newWorld(t, setting{kinds: [2]memory.Kind{{Status: "mail"}, right}, policies: map[string]merge.Policy{"note": merge.LeftWins, "mail": merge.RightWins}})
		defer w.close()
		w.dated()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": "a", "note": soon, "mail": "open"})
		}
		w.rest()
		w.edit(record.Right, 0, "mail", "confirmed")
		w.edit(record.Left, 0, "note", later)
		w.sys[record.Left].Inject(memory.Fault{Call: memory.CallApply, Op: record.Action, Times: 1, Class: connectors.Rejected})
		w.tick(time.Minute)
		w.run(engine.Options{})
		w.edit(record.Right, 0, "mail", "closed")
		w.sys[record.Left].Hook(memory.Hooks{Step: func(string) {
			if got := w.value(record.Left, 0, "mail"); got == "confirmed" {
				t.Error("the left was told what is not so any more")
			}
		}})
		w.tick(8 * 24 * time.Hour)
		w.rest()
		if got := w.value(record.Left, 0, "mail"); got != "closed" {
			t.Errorf("the left says %q", got)
		}
	})
}

// A record is outside of the days that lists show, can't be read by its id, and its system says
// that it is not there. That stands as a finding, and nothing more is sent to it.
func TestOutside38NothingIsSentTwiceToWhatIsNotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{NoGet: true, Window: [2]string{"note", "note"}}, {}}})
		defer w.close()
		w.dated()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": "a", "note": soon})
		}
		w.rest()
		w.edit(record.Right, 0, "note", later)
		w.rest()
		w.remove(record.Left, 0)
		w.edit(record.Right, 0, "mail", "new")
		before := w.mutations()
		for range 3 {
			w.rest()
		}
		if got := w.mutations() - before; got != 1 {
			t.Errorf("%d requests were sent, want one", got)
		}
		if got := w.stuck(); got[record.FindUnseen] != 1 || len(got) != 1 {
			t.Errorf("found %v, want the record that is not there", got)
		}
	})
}

// A record is outside of the days that lists show, can't be read by its id, and its system says
// that it was changed. Nobody can see how: that stands as a finding, and nothing more is sent to
// it until a list shows it again.
func TestOutside38NothingIsSentTwiceToWhatWasChangedUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := memory.Kind{NoGet: true, Guarded: true, Window: [2]string{"note", "note"}}
		w := newWorld(t, setting{kinds: [2]memory.Kind{left, {}}, policies: map[string]merge.Policy{"mail": merge.RightWins}})
		defer w.close()
		w.dated()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": "a", "note": soon, "mail": "old"})
		}
		w.rest()
		w.edit(record.Right, 0, "note", later)
		w.rest()
		w.edit(record.Left, 0, "mail", "user's")
		w.edit(record.Right, 0, "mail", "new")
		before := w.mutations()
		for range 3 {
			w.rest()
		}
		if got := w.mutations() - before; got != 2 {
			t.Errorf("%d requests were sent, want two", got)
		}
		if got := w.stuck(); got[record.FindUnseen] != 1 || len(got) != 1 {
			t.Errorf("found %v, want the record that was changed", got)
		}
		w.edit(record.Left, 0, "note", soon)
		w.rest()
		if l, r := w.value(record.Left, 0, "mail"), w.value(record.Right, 0, "mail"); l != "new" || r != "new" {
			t.Errorf("once it is listed again the left has %q, the right %q", l, r)
		}
		if got := w.stuck(); len(got) != 0 {
			t.Errorf("found %v once it is listed again", got)
		}
	})
}

// A record was put back to a time when a part of it was not there yet, and its system says that
// it was changed. What stands in that part no read shows: that stands as a finding, and nothing
// more is sent to it until one does.
func TestOutside38NothingIsSentTwiceToAPartThatIsNotShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		right := memory.Kind{Guarded: true, Late: []string{"their_note"}, Unfinished: func(f record.Fields) *record.Unfinished {
			if f["their_name"].Text() != "new" {
				return nil
			}
			return &record.Unfinished{Lacks: []string{"their_note"}, Within: time.Hour}
		}}
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, right}, policies: map[string]merge.Policy{"name": merge.RightWins, "note": merge.LeftWins}})
		defer w.close()
		w.put(record.Right, 0, map[string]string{"name": "new"})
		before := w.sys[record.Right].Snapshot()
		w.edit(record.Right, 0, "name", "done")
		w.edit(record.Right, 0, "note", "old")
		w.rest()
		w.sys[record.Right].Restore(before)
		w.edit(record.Left, 0, "note", "edited")
		sent := w.mutations()
		for range 3 {
			w.rest()
		}
		if got := w.mutations() - sent; got > 3 { // its name was brought across
			t.Errorf("%d requests were sent, want three", got)
		}
		if got := w.stuck(); got[record.FindUnseen] != 1 || len(got) != 1 {
			t.Errorf("found %v, want the part that is not shown", got)
		}
		w.edit(record.Right, 0, "name", "done")
		w.rest()
		if got := w.value(record.Right, 0, "note"); got != "edited" {
			t.Errorf("once it is shown the right has %q", got)
		}
		if got := w.stuck(); len(got) != 0 {
			t.Errorf("found %v once it is shown", got)
		}
	})
}

// A record has left the days that lists show and is removed. A read by id finds nothing, which no
// list proves or denies: the read is made once more, and then the record is gone. A person is asked
// what comes of its partner, and no change is planned for it in each run.
func TestOutside38GoneOutsideOfTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		right := memory.Kind{Window: [2]string{"their_note", "their_note"}}
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, right}, policies: map[string]merge.Policy{"note": merge.LeftWins, "mail": merge.LeftWins}})
		defer w.close()
		w.dated()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": "a", "note": soon})
		}
		w.rest()
		w.edit(record.Right, 0, "note", later)
		w.edit(record.Left, 0, "mail", "first")
		w.rest()
		w.remove(record.Right, 0)
		w.edit(record.Left, 0, "mail", "second")
		w.rest()
		w.rest()
		if c, ok := w.question(); !ok {
			t.Errorf("nobody is asked about the record that is gone: %+v", c)
		}
		if due := w.due(); len(due) != 0 {
			t.Errorf("it is still to be done: %v", due)
		}
	})
}

// While a record is written, users merge it into one that nobody can read. That is the matter of
// this one record: the run goes on.
func TestOutside38MergedIntoWhatNobodyCanRead(t *testing.T) {
	for name, shows := range map[string]bool{"the answer names the other": false, "it is read as the other": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := memory.Kind{MergedShows: shows, Unreadable: func(f record.Fields) bool { return f["note"].Text() == "broken" }}
				w := newWorld(t, setting{kinds: [2]memory.Kind{k, {}}})
				defer w.close()
				for n := range 3 {
					w.put(record.Left, n, map[string]string{"name": "a"})
				}
				w.rest()
				from, _ := w.find(record.Left, 0)
				into, _ := w.find(record.Left, 1)
				for n := range 3 {
					w.edit(record.Right, n, "mail", "new")
				}
				gets := 0
				w.sys[record.Left].Hook(memory.Hooks{Step: func(step string) {
					if gets++; step == "after get "+string(kinds[record.Left]) && gets > 0 {
						gets = -1000
						w.edit(record.Left, 1, "note", "broken")
						w.sys[record.Left].Merge(kinds[record.Left], from.Ref.ID, into.Ref.ID)
					}
				}})
				w.tick(time.Minute)
				w.run(engine.Options{})
				w.sys[record.Left].Hook(memory.Hooks{})
				if got := w.value(record.Left, 2, "mail"); got != "new" {
					t.Errorf("another record has the mail %q", got)
				}
			})
		})
	}
}
