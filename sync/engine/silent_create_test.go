package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A create is answered with the id alone, and a user changes the new record before a list shows
// it: that is an edit, and not what the system made of the record.
func TestAnEditSoonAfterACreateAnsweredByAnID(t *testing.T) {
	for name, kind := range map[string]memory.Kind{"times": {Times: true}, "no times": {}, "versions": {Versions: true}} {
		for _, p := range []string{"name", "mail"} {
			t.Run(fmt.Sprintf("%s/%s", name, p), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					kind.Silent = true
					w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: kind}})
					defer w.close()
					w.put(record.Left, 1, map[string]string{"name": "Anna", "mail": "anna@example.org"})
					w.run(engine.Options{Yes: true})
					w.edit(record.Right, 1, p, "edited")
					w.rest()
					if got := w.value(record.Left, 1, p); got != "edited" {
						t.Errorf("the right holds %s, and the left %s", w.value(record.Right, 1, p), got)
					}
				})
			})
		}
	}
}

// The same of an update: the user's edit of the field that it wrote goes over, however long after.
func TestAnEditSoonAfterAnUpdateAnsweredByNothing(t *testing.T) {
	for name, kind := range map[string]memory.Kind{"times": {Times: true}, "no times": {}, "versions": {Versions: true}} {
		for _, wait := range []time.Duration{0, 3 * settle} {
			t.Run(fmt.Sprintf("%s, after %s", name, wait), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					kind.Silent = true
					w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: kind}})
					defer w.close()
					w.put(record.Left, 1, map[string]string{"name": "Anna", "mail": "one"})
					w.rest()
					for _, v := range []string{"two", "three"} { // the first is a trial
						w.edit(record.Left, 1, "mail", v)
						w.run(engine.Options{Yes: true})
						w.tick(wait)
						w.edit(record.Right, 1, "mail", "after "+v)
						w.rest()
						if got := w.value(record.Left, 1, "mail"); got != "after "+v {
							t.Errorf("the right holds %s, and the left %s", w.value(record.Right, 1, "mail"), got)
						}
					}
				})
			})
		}
	}
}

// A system says that a create is done, and not what it made. A user removes the new record before
// anybody saw it: it is not made again unasked. Where it is there it is found.
func TestACreateThatIsSaidToBeDoneIsNotMadeAgain(t *testing.T) {
	mark := connectors.Stamp{Path: "ref", Find: true}
	once := connectors.Stamp{Path: "ref", Find: true, Unique: true}
	for name, kind := range map[string]memory.Kind{
		"lists": {}, "stable lists": {Paging: memory.Keyset}, "found by a value": {FindBy: [][]string{{"their_name"}}},
		"found by our mark": {Stamp: mark}, "our mark is unique": {Stamp: once}, "the same key": {Idempotent: true, KeyLife: time.Hour},
	} {
		for _, removed := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, removed %t", name, removed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: kind}})
					defer w.close()
					for n := range 5 {
						w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
					}
					w.rest()
					w.put(record.Left, 50, map[string]string{"name": "new"})
					right := w.sys[record.Right]
					right.Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Ambiguous, Applied: true, Done: true})
					w.run(engine.Options{Yes: true})
					if rec, _ := w.find(record.Right, 50); removed {
						right.Remove(kinds[record.Right], rec.Ref.ID)
					}
					for range 6 {
						w.tick(settle)
						w.run(engine.Options{Yes: true, Full: true})
					}
					lost, err := w.store.Lost(t.Context(), job)
					if err != nil || len(lost) > 0 != removed {
						t.Errorf("%d are asked about, %v", len(lost), err)
					}
					if n := len(w.picture(record.Right)); n != map[bool]int{true: 5, false: 6}[removed] {
						t.Errorf("the right has %d records", n)
					}
				})
			})
		}
	}
}
