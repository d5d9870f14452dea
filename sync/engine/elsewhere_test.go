package engine_test

import (
	"context"
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

// The list of a fair is imported beside the job of the guests: its rows are linked with the same
// contacts of the right.
const (
	fairJob  = record.Binding("fair")
	fairRows = record.Kind("rows")
)

// fairHostel is a hostel in step, with Anna as a guest and on the list of the fair, and Zoe on the
// list alone.
func fairHostel(t *testing.T, guest, fair away.GonePolicy) *hostel {
	t.Helper()
	n := laggingHostel(t, guest, away.GoneHold, false, settle/2)
	field := func(f string) mapping.FieldSpec {
		return mapping.FieldSpec{Name: f, As: mapping.Text, Sides: [2]mapping.SideSpec{{Path: f}, {Path: f}}}
	}
	n.job(fairJob, [2]record.Kind{fairRows, kinds[record.Right]}, fair, [][]string{{"phone"}}, field("phone"), field("name"))
	n.eng.Jobs[fairJob].Sides[record.Left].Create, n.eng.Jobs[job].Sides[record.Left].Create = engine.Never, engine.Never
	n.eng.Jobs[fairJob].Sides[record.Right].Gone.Archive = record.Fields{"name": record.OfText("put aside")}
	for i := range 4 {
		n.sys[record.Left].Put(kinds[record.Left], person([]string{"Anna", "Bruno", "Carla", "Dario"}[i], phoneOf(1+i)))
	}
	for i := range 4 {
		n.sys[record.Left].Put(fairRows, person([]string{"Anna", "Zoe", "Yves", "Xenia"}[i], phoneOf([]int{1, 7, 8, 9}[i])))
	}
	n.fair()
	if got := n.right("Anna") + n.right("Zoe"); got != 2 {
		t.Fatalf("of Anna and Zoe the right has %d", got)
	}
	return n
}

func person(name, phone string) record.Fields {
	return record.Fields{"name": record.OfText(name), "phone": record.OfText(phone)}
}

// fair lets all settle, the job of the fair among them.
func (n *hostel) fair() {
	n.Helper()
	for range 4 {
		<-time.After(time.Minute)
		n.sync()
		if _, err := n.eng.Run(context.Background(), fairJob, engine.Options{Yes: true, Full: true}); err != nil {
			n.Fatalf("run %s: %v", fairJob, err)
		}
	}
}

func (n *hostel) right(name string) (count int) {
	for _, r := range n.sys[record.Right].All(kinds[record.Right]) {
		if r.Fields["name"].Text() == name {
			count++
		}
	}
	return count
}

// Who is on the list of the fair no more, and is a guest, is neither deleted nor put aside for that:
// the guest would go with the contact. A person is asked, and told who the guest is. Whom the fair
// alone knows goes.
func TestOutsideWhoIsLinkedElsewhereStays(t *testing.T) {
	for _, policy := range []away.GonePolicy{away.GoneDelete, away.GoneArchive} {
		t.Run(string(policy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := fairHostel(t, away.GoneDelete, policy)
				for _, name := range []string{"Anna", "Zoe"} {
					n.sys[record.Left].Remove(fairRows, n.of(record.Left, fairRows, "name", name))
				}
				n.fair()
				guest := n.of(record.Left, kinds[record.Left], "name", "Anna")
				if n.right("Anna") != 1 || guest == "" {
					t.Errorf("Anna is on the right %d times, and guest %q", n.right("Anna"), guest)
				}
				if n.right("Zoe") != 0 {
					t.Error("Zoe is there still")
				}
				cs, err := n.store.Questions(t.Context(), fairJob, true)
				if err != nil || len(cs) != 1 || cs[0].Cause != record.Cause(away.AskNamed) || !strings.Contains(cs[0].Why, "is linked with contacts:"+guest+" of one") {
					t.Fatalf("asked %+v, %v", cs, err)
				}
				n.say(cs[0], away.ChooseCarry)
				n.fair()
				if n.right("Anna") != 0 {
					t.Error("a person said that Anna goes, and she is there still")
				}
			})
		})
	}
}

// Once the guest is gone as well nobody is asked any more.
func TestWhoWasLinkedElsewhereGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := fairHostel(t, away.GoneHold, away.GoneDelete)
		n.sys[record.Left].Remove(fairRows, n.of(record.Left, fairRows, "name", "Anna"))
		n.fair()
		n.sys[record.Left].Remove(kinds[record.Left], n.of(record.Left, kinds[record.Left], "name", "Anna"))
		n.fair()
		if n.right("Anna") != 0 {
			t.Error("Anna is there still")
		}
	})
}

// An import is undone. Whom the desk has entered since, and the job of the guests has linked with
// what the import made, stays in both systems.
func TestOutsideUndoLeavesWhatIsLinkedElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := fairHostel(t, away.GoneDelete, away.GoneIgnore)
		n.sys[record.Left].Put(fairRows, person("Walter", phoneOf(10)))
		rep, err := n.eng.Run(t.Context(), fairJob, engine.Options{Yes: true, Full: true})
		if err != nil || rep.Counts["right.created"] != 1 {
			t.Fatalf("got %v, %v", rep.Counts, err)
		}
		desk := n.sys[record.Left].Put(kinds[record.Left], person("Walter", phoneOf(10)))
		n.fair()
		undone, err := n.eng.Run(t.Context(), fairJob, engine.Options{Yes: true, Undo: &engine.Undo{Run: rep.Run}})
		if err != nil {
			t.Fatal(err)
		}
		if len(undone.Undo.Beyond) != 1 || !strings.Contains(undone.Undo.Beyond[0].Why, "is linked with contacts:"+desk+" of one") {
			t.Errorf("beyond it: %+v", undone.Undo.Beyond)
		}
		n.fair()
		if _, there := n.sys[record.Left].Get(kinds[record.Left], desk); n.right("Walter") != 1 || !there {
			t.Errorf("Walter is on the right %d times, at the desk: %t", n.right("Walter"), there)
		}
	})
}

// The same new person is at the desk and on the list of the fair. Neither lists nor questions show
// yet what the job of the guests has made, or nobody knows what became of its create: the job of the
// fair makes her no second time, and is linked with her later.
func TestOutsideTwoJobsMakeAPersonOnce(t *testing.T) {
	for _, lost := range []bool{false, true} {
		t.Run(fmt.Sprintf("the answer is lost %t", lost), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := fairHostel(t, away.GoneHold, away.GoneIgnore)
				n.sys[record.Left].Put(kinds[record.Left], person("Walter", phoneOf(10)))
				n.sys[record.Left].Put(fairRows, person("Walter", phoneOf(10)))
				if lost {
					n.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Late: 3 * time.Second, Class: connectors.Transient})
				}
				for _, b := range []record.Binding{job, fairJob} {
					if _, err := n.eng.Run(t.Context(), b, engine.Options{Yes: true, Full: true}); err != nil && !lost {
						t.Fatal(err)
					}
				}
				n.fair()
				if got := n.right("Walter"); got != 1 {
					t.Errorf("Walter is on the right %d times", got)
				}
				for _, b := range []record.Binding{job, fairJob} {
					if pair, ok, err := n.store.PairOf(t.Context(), record.Place{Binding: b, Side: record.Right}, record.Ref{Kind: kinds[record.Right], ID: n.of(record.Right, kinds[record.Right], "name", "Walter")}); err != nil || !ok || pair.State.Ended() {
						t.Errorf("job %s has not linked him: %v, %v", b, ok, err)
					}
				}
			})
		})
	}
}
