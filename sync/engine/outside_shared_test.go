package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// wings is a hostel whose guests on the right are shared out among two jobs: those of the left are in two tables.
// The two are matched by name and phone, so that an edit of either hides that they are the same.
func wings(t *testing.T) *hostel {
	t.Helper()
	n := laggingHostel(t, away.GoneHold, away.GoneHold, false, 0)
	n.wing(fairJob, fairRows)
	n.wing(job, kinds[record.Left])
	return n
}

func (n *hostel) wing(b record.Binding, left record.Kind) {
	n.Helper()
	n.job(b, [2]record.Kind{left, kinds[record.Right]}, away.GoneHold, [][]string{{"phone", "name"}}, n.plain("phone"), n.plain("name"))
}

func (n *hostel) plain(f string) mapping.FieldSpec {
	return mapping.FieldSpec{Name: f, As: mapping.Text, Sides: [2]mapping.SideSpec{{Path: f}, {Path: f}}}
}

// bothWings lets both jobs run, one after the other.
func (n *hostel) bothWings(times int) {
	n.Helper()
	for range times {
		for _, b := range []record.Binding{fairJob, job} {
			<-time.After(time.Minute)
			if _, err := n.eng.Run(context.Background(), b, engine.Options{Yes: true, Full: true}); err != nil {
				n.Fatalf("run %s: %v", b, err)
			}
		}
	}
}

// left counts how often a name stands on the left, in both tables.
func (n *hostel) left(name string) (count int) {
	for _, kind := range []record.Kind{fairRows, kinds[record.Left]} {
		for _, r := range n.sys[record.Left].All(kind) {
			if r.Fields["name"].Text() == name {
				count++
			}
		}
	}
	return count
}

func (n *hostel) why(b record.Binding, side record.Side, kind record.Kind, id string) string {
	n.Helper()
	e, ok, err := n.store.Entry(context.Background(), record.Place{Binding: b, Side: side}, record.Ref{Kind: kind, ID: id})
	if err != nil || !ok {
		n.Fatalf("%s: %t, %v", id, ok, err)
	}
	return string(e.State) + ": " + e.Why
}

// Two jobs share the guests of the right, each has a table of its own on the left, and both make records there. On
// the first load each finds its own, whichever runs first. Nobody is made in the other one's table.
func TestOutsideASharedKindIsNotMadeTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := wings(t)
		for i := range 6 {
			p := person(fmt.Sprint("p", i), phoneOf(i))
			n.sys[record.Left].Put([]record.Kind{fairRows, kinds[record.Left]}[i%2], p)
			n.sys[record.Right].Put(kinds[record.Right], p)
		}
		n.bothWings(3)
		for i := range 6 {
			if l, r := n.left(fmt.Sprint("p", i)), n.right(fmt.Sprint("p", i)); l != 1 || r != 1 {
				t.Errorf("p%d is on the left %d times, on the right %d times", i, l, r)
			}
		}
		id := n.of(record.Right, kinds[record.Right], "name", "p1")
		if got := n.why(fairJob, record.Right, kinds[record.Right], id); !strings.HasPrefix(got, "left_out: it is linked with contacts:") || !strings.HasSuffix(got, "of one by the job guests") {
			t.Errorf("of p1 the other job says %q", got)
		}
	})
}

// Somebody new comes on the right. One of the two jobs makes them, and the other sees that, also where the answer to
// the create was lost.
func TestOutsideOneOfTwoJobsMakesWhoIsNew(t *testing.T) {
	for _, lost := range []bool{false, true} {
		t.Run(fmt.Sprintf("the answer is lost %t", lost), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := wings(t)
				n.bothWings(2)
				n.sys[record.Right].Put(kinds[record.Right], person("Walter", phoneOf(7)))
				if lost {
					n.sys[record.Left].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Late: 3 * time.Second, Class: connectors.Transient})
				}
				for range 4 {
					for _, b := range []record.Binding{fairJob, job} {
						if _, err := n.eng.Run(t.Context(), b, engine.Options{Yes: true, Full: true}); err != nil && !lost {
							t.Fatal(err)
						}
					}
					<-time.After(time.Minute)
				}
				if got := n.left("Walter"); got != 1 {
					t.Errorf("Walter is on the left %d times", got)
				}
			})
		})
	}
}

// One of the two jobs only notes in its own table who is on the right, and makes nobody there. If its records are rows
// of any sort, the other job makes who is linked with such a row. If they are guests, nobody is made a second time.
func TestOutsideRowsOfAnotherSortAreNoGuests(t *testing.T) {
	for _, rows := range []bool{true, false} {
		t.Run(fmt.Sprintf("rows of any sort %t", rows), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := wings(t)
				notes := n.eng.Jobs[fairJob]
				notes.Rows, notes.Sides[record.Left].Create = rows, engine.Never
				n.sys[record.Left].Put(fairRows, person("Anna", phoneOf(1)))
				n.sys[record.Right].Put(kinds[record.Right], person("Bruno", phoneOf(2)))
				n.bothWings(4)
				want := map[bool]int{true: 2, false: 1}[rows] // one of two is the note
				if got := n.left("Anna"); got != want {
					t.Errorf("Anna is on the left %d times, want %d", got, want)
				}
				if got := n.left("Bruno"); got != 1 {
					t.Errorf("Bruno is on the left %d times, want once", got)
				}
			})
		})
	}
}

// Two kinds of the right are parts of one table, each with a filter. Anna is linked by one job, and then its filter
// hides her and that of the other job shows her: she is not made once more on the left.
func TestOutsideTwoKindsOfOneTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := laggingHostel(t, away.GoneHold, away.GoneHold, false, 0)
		n.wing(job, kinds[record.Left])
		n.job(fairJob, [2]record.Kind{kinds[record.Left], fairRows}, away.GoneHold, [][]string{{"phone", "name"}}, n.plain("phone"), n.plain("name"))
		for _, b := range []record.Binding{job, fairJob} {
			n.eng.Jobs[b].Sides[record.Right].Can.IDs = connectors.IDs{Of: "id", In: "table people"}
		}
		id := n.sys[record.Right].Put(kinds[record.Right], person("Anna", phoneOf(1)))
		run := func(b record.Binding) {
			<-time.After(time.Minute)
			if _, err := n.eng.Run(t.Context(), b, engine.Options{Yes: true, Full: true}); err != nil {
				t.Fatalf("run %s: %v", b, err)
			}
		}
		for range 2 {
			run(job)
		}
		if got := n.sys[record.Right].Put(fairRows, person("Anna", phoneOf(2))); got != id {
			t.Fatalf("in the other part of the table she has the id %s", got)
		}
		for range 3 {
			run(fairJob)
		}
		if got := n.left("Anna"); got != 1 {
			t.Errorf("Anna is on the left %d times", got)
		}
		if got := n.why(fairJob, record.Right, fairRows, id); !strings.HasSuffix(got, "by the job guests") {
			t.Errorf("the other job says %q", got)
		}
	})
}

// A job and its kinds get other names in the file. The new job has no link, and shows what the old one linked: it
// stands still before it makes anything, and a person may say that it begins anew.
func TestOutsideAJobAndItsKindsAreRenamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := laggingHostel(t, away.GoneHold, away.GoneHold, false, 0)
		n.wing(job, kinds[record.Left])
		for i := range 6 {
			p := person(fmt.Sprint("p", i), phoneOf(i))
			n.sys[record.Left].Put(kinds[record.Left], p)
			n.sys[record.Right].Put(kinds[record.Right], p)
		}
		run := func(b record.Binding) (engine.Report, error) {
			<-time.After(time.Minute)
			return n.eng.Run(t.Context(), b, engine.Options{Yes: true, Full: true})
		}
		for range 2 {
			if _, err := run(job); err != nil {
				t.Fatal(err)
			}
		}
		delete(n.eng.Jobs, job)
		n.wing("persons", fairRows) // the same records under another name
		for i, r := range n.sys[record.Left].All(kinds[record.Left]) {
			f := r.Fields
			if i == 3 {
				f = person("p3", phoneOf(9)) // edited since
			}
			if id := n.sys[record.Left].Put(fairRows, f); id != r.Ref.ID {
				t.Fatalf("%s got the id %s", r.Ref, id)
			}
		}
		for range 2 {
			rep, err := run("persons")
			if !errors.Is(err, engine.ErrHalted) || len(rep.Halts) != 1 || rep.Halts[0].Cause != "renamed" || !strings.Contains(rep.Halts[0].Why, "linked by guests") {
				t.Fatalf("got %v, %+v", err, rep.Halts)
			}
		}
		if got := n.right("p3") + len(n.sys[record.Left].All(fairRows)); got != 7 {
			t.Errorf("something was made: %d", got)
		}
		if _, err := n.store.AnswerHalts(t.Context(), "persons", record.Accepted, "anna"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := run("persons"); err != nil {
				t.Fatalf("after the answer: %v", err)
			}
		}
	})
}

// The ids of other records may be the same numbers: a new job beside one that is no more asks nothing for that.
func TestAJobOfOtherRecordsWithTheSameIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := laggingHostel(t, away.GoneHold, away.GoneHold, false, 0)
		n.wing(job, kinds[record.Left])
		for i := range 4 {
			p := person(fmt.Sprint("p", i), phoneOf(i))
			n.sys[record.Left].Put(kinds[record.Left], p)
			n.sys[record.Right].Put(kinds[record.Right], p)
			n.sys[record.Left].Put(fairRows, person(fmt.Sprint("q", i), phoneOf(5+i)))
			n.sys[record.Right].Put(fairRows, person(fmt.Sprint("q", i), phoneOf(5+i)))
		}
		if _, err := n.eng.Run(t.Context(), job, engine.Options{Yes: true, Full: true}); err != nil {
			t.Fatal(err)
		}
		delete(n.eng.Jobs, job)
		n.job(fairJob, [2]record.Kind{fairRows, fairRows}, away.GoneHold, [][]string{{"phone"}}, n.plain("phone"), n.plain("name"))
		if rep, err := n.eng.Run(t.Context(), fairJob, engine.Options{Yes: true, Full: true}); err != nil {
			t.Errorf("got %v, %+v", err, rep.Halts)
		}
	})
}
