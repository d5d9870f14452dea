package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// queried notes the days of the lists that are read of a side, and what they are lists of.
type queried struct {
	connectors.Connector
	connectors.Writer
	connectors.Getter
	full, since []string
	fails       bool     // a list of many years fails
	lacks       []string // ids that such a list does not show
}

func (q *queried) Fetch(ctx context.Context, query connectors.Query, after record.Cursor) (connectors.Page, error) {
	if q.fails && query.Scope.From < "1995" && query.Scope.From != "" {
		return connectors.Page{}, connectors.Wrong(connectors.Rejected, "fetch", "too many days")
	}
	if query.Mode == connectors.Since {
		q.since = append(q.since, query.Scope.String())
	} else {
		q.full = append(q.full, query.Scope.String())
	}
	p, err := q.Connector.Fetch(ctx, query, after)
	if query.Scope.From < "1995" {
		p.Items = slices.DeleteFunc(p.Items, func(i connectors.Item) bool { return slices.Contains(q.lacks, i.ID) })
	}
	return p, err
}

// queries notes them from now on.
func (w *world) queries(side record.Side) *queried {
	s := &w.eng.Jobs[job].Sides[side]
	q := &queried{Connector: s.Conn, Writer: s.Conn.(connectors.Writer), Getter: s.Conn.(connectors.Getter)} //nolint:forcetypeassert // a system in memory is both
	s.Conn = q
	return q
}

// lists is how a side is listed by days, and by what changed.
func lists(side record.Side) memory.Kind {
	days := spell(side, "note")
	return memory.Kind{Since: true, Times: true, Window: [2]string{days, days}}
}

// stays is a world of stays of which the left lists what changed.
func stays(t *testing.T, right memory.Kind) *world {
	left := lists(record.Left)
	left.PageSize = 2
	w := newWorld(t, setting{kinds: [2]memory.Kind{left, right}, policies: map[string]merge.Policy{"note": merge.LeftWins, "mail": merge.LeftWins}})
	w.dated()
	for n := range 3 {
		w.put(record.Left, n, map[string]string{"name": "a", "note": soon, "mail": "confirmed"})
	}
	w.rest()
	return w
}

// settledOutside checks that nothing is left to do or to ask, also after a list of all, and that
// verify finds nothing that nobody can explain.
func (w *world) settledOutside(dir string, n int) {
	w.Helper()
	before := w.mutations()
	w.run(engine.Options{Full: true, Yes: true})
	w.rest()
	if got := w.mutations() - before; got != 0 {
		w.Errorf("%d more requests were sent", got)
	}
	if got := w.stuck(); len(got) != 0 {
		w.Errorf("found %v", got)
	}
	if c, ok := w.question(); ok {
		w.Errorf("a person is asked: %+v", c)
	}
	rec, _ := w.find(record.Left, n)
	if e := w.entryOf(record.Left, rec.Ref.ID); e.State != record.OutOfScope {
		w.Errorf("after a list of all the record is %q: %s", e.State, e.Why)
	}
	v := w.verified(dir)
	if len(v.Differs) != 0 || slices.ContainsFunc(v.Lone, func(l engine.Lone) bool { return l.Cause != plan.OutOfWindow }) {
		w.Errorf("verify: %+v", v)
	}
}

// A stay is moved to days that the lists don't show. The next list of what changed shows it all
// the same, and its new days go across, once.
func TestWeakMovedOutOfTheWindow(t *testing.T) {
	other := lists(record.Right)
	for name, right := range map[string]memory.Kind{
		"the other is listed by days":       {Window: other.Window},
		"it is asked for what changed, too": other,
		"the other is listed whole":         {},
		"the other can't be read by its id": {Window: other.Window, NoGet: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				w := stays(t, right)
				defer w.close()
				q, before := w.queries(record.Left), w.mutations()
				w.edit(record.Left, 0, "note", later)
				w.tick(time.Minute)
				w.run(engine.Options{Yes: true})
				if got := w.value(record.Right, 0, "note"); got != later {
					t.Errorf("the right has it on %q", got)
				}
				if len(q.full) > 0 || slices.ContainsFunc(q.since, func(days string) bool { return days != "" }) {
					t.Errorf("lists of the days %q, lists of what changed of the days %q", q.full, q.since)
				}
				if got := w.mutations() - before; got != 1 {
					t.Errorf("%d requests were sent, want one", got)
				}
				w.settledOutside(dir, 0)
			})
		})
	}
}

// It is moved and cancelled at once: both go across. An edit after that goes across as well.
func TestWeakMovedOutOfTheWindowAndCancelled(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := stays(t, lists(record.Right))
		defer w.close()
		w.edit(record.Left, 0, "note", later)
		w.edit(record.Left, 0, "mail", "cancelled")
		w.tick(time.Minute)
		w.run(engine.Options{Yes: true})
		if day, word := w.value(record.Right, 0, "note"), w.value(record.Right, 0, "mail"); day != later || word != "cancelled" {
			t.Errorf("the right has it on %q, %q", day, word)
		}
		w.edit(record.Left, 1, "note", later)
		w.tick(time.Minute)
		w.run(engine.Options{Yes: true})
		w.edit(record.Left, 1, "mail", "cancelled")
		w.tick(time.Minute)
		w.run(engine.Options{Yes: true})
		if day, word := w.value(record.Right, 1, "note"), w.value(record.Right, 1, "mail"); day != later || word != "cancelled" {
			t.Errorf("the right has the other on %q, %q", day, word)
		}
		w.settledOutside(dir, 0)
	})
}

// Nobody made a stay across, and it lies outside. A list of what changed shows it, and nothing is
// made of it before its days come.
func TestWeakMovedOutOfTheWindowAndNotLinked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := stays(t, lists(record.Right))
		defer w.close()
		w.put(record.Left, 5, map[string]string{"name": "b", "note": later})
		w.put(record.Right, 6, map[string]string{"name": "c", "note": later})
		before := w.mutations()
		for range 2 {
			w.rest()
			w.edit(record.Left, 5, "mail", "edited")
		}
		w.run(engine.Options{Full: true, Yes: true})
		w.edit(record.Left, 5, "mail", "edited again")
		w.rest()
		if got := w.mutations() - before; got != 0 {
			t.Errorf("%d requests were sent", got)
		}
		if _, there := w.find(record.Right, 5); there {
			t.Error("it was made on the right")
		}
		w.edit(record.Left, 5, "note", soon)
		w.rest()
		if got := w.value(record.Right, 5, "mail"); got != "edited again" {
			t.Errorf("once its days have come the right has %q", got)
		}
	})
}

// A list of what changed is cut off, and goes on where it was: what was moved is on either page.
func TestWeakMovedOutOfTheWindowInAListThatIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := stays(t, lists(record.Right))
		defer w.close()
		for n := range 3 {
			w.edit(record.Left, n, "note", later)
			w.tick(time.Second)
		}
		w.sys[record.Left].Inject(memory.Fault{Call: memory.CallFetch, Skip: 1, Times: 1, Class: connectors.Transient})
		if _, err := w.try(engine.Options{Yes: true}); err == nil {
			t.Fatal("the list was not cut off")
		}
		q := w.queries(record.Left)
		w.run(engine.Options{Yes: true})
		if len(q.full) > 0 {
			t.Errorf("all was listed: %q", q.full)
		}
		for n := range 3 {
			if got := w.value(record.Right, n, "note"); got != later {
				t.Errorf("the right has %d on %q", n, got)
			}
		}
	})
}

// A list of what changed was begun with days, as an earlier version did, and cut off behind the
// place where a stay that was moved out of them belongs. It is begun anew, and shows it.
func TestWeakMovedOutOfTheWindowInAListThatWasBegunWithDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := stays(t, lists(record.Right))
		defer w.close()
		w.put(record.Left, 3, map[string]string{"name": "a", "note": soon})
		w.rest()
		w.edit(record.Left, 0, "note", later)
		for n := 1; n <= 3; n++ {
			w.tick(time.Second)
			w.edit(record.Left, n, "mail", "edited")
		}
		can := &w.eng.Jobs[job].Sides[record.Left].Can
		can.SinceWindowed = true
		w.sys[record.Left].Inject(memory.Fault{Call: memory.CallFetch, Skip: 1, Times: 1, Class: connectors.Transient})
		if _, err := w.try(engine.Options{Yes: true}); err == nil {
			t.Fatal("the list was not cut off")
		}
		can.SinceWindowed = false
		q := w.queries(record.Left)
		w.run(engine.Options{Yes: true})
		if got := w.value(record.Right, 0, "note"); got != later || len(q.full) > 0 {
			t.Errorf("the right has it on %q; lists of all of the days %q", got, q.full)
		}
	})
}

// Where a system lists no changes without days, or nobody can tell a record's days by itself,
// what changed is asked for with them, as ever.
func TestWeakMovedOutOfTheWindowWhereDaysAreNeeded(t *testing.T) {
	for name, set := range map[string]func(*engine.Job){
		"its system asks for them":   func(j *engine.Job) { j.Sides[record.Left].Can.SinceWindowed = true },
		"it is no kind of a booking": func(j *engine.Job) { j.Booking = nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := stays(t, memory.Kind{})
				defer w.close()
				set(w.eng.Jobs[job])
				q := w.queries(record.Left)
				w.put(record.Left, 5, map[string]string{"name": "b", "note": later})
				w.edit(record.Left, 0, "mail", "edited")
				w.tick(time.Minute)
				w.run(engine.Options{Yes: true})
				if want := "1999-12-25..2000-01-08"; len(q.full) > 0 || len(q.since) == 0 || slices.ContainsFunc(q.since, func(days string) bool { return days != want }) {
					t.Errorf("lists of the days %q, lists of what changed of the days %q", q.full, q.since)
				}
				if got := w.value(record.Right, 0, "mail"); got != "edited" {
					t.Errorf("the right has %q", got)
				}
				if _, there := w.find(record.Right, 5); there {
					t.Error("what lies outside was made on the right")
				}
			})
		})
	}
}

// With each day the window is another one, and all of it is listed once: what comes into it by
// the calendar alone is found so. What changed is asked for in between.
func TestWeakMovedOutOfTheWindowListsAllOnceADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := stays(t, lists(record.Right))
		defer w.close()
		q := w.queries(record.Left)
		w.tick(24 * time.Hour)
		w.rest()
		if got, want := fmt.Sprint(q.full, q.since), "[1999-12-26..2000-01-09 1999-12-26..2000-01-09] [ ]"; got != want {
			t.Errorf("asked for %s, want %s", got, want)
		}
	})
}
