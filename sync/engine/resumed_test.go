package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// brokenOff is a world in which a list of the right broke off behind its first page. It
// shows the latest records first. The left has one record that the right lacks; a create
// of it was sent before, and not answered, where unanswered says so.
func brokenOff(t *testing.T, k memory.Kind, unanswered bool) *world {
	t.Helper()
	k.Order, k.Paging, k.PageSize = memory.IDDesc, memory.Keyset, 2
	w := newWorld(t, setting{kinds: [2]memory.Kind{k, memory.ClassKind(k, connectors.ClassA)}})
	for n := range 3 {
		w.put(record.Left, n, map[string]string{"name": "known"})
	}
	w.rest()
	w.put(record.Left, 3, map[string]string{"name": "Anna"})
	if unanswered {
		w.suffers("c2", 0)
		w.tick(time.Minute)
	}
	w.sys[record.Right].Inject(memory.Fault{Call: memory.CallFetch, Skip: 1, Class: connectors.Transient})
	if _, err := w.try(engine.Options{Yes: true}); err == nil {
		t.Fatal("the list did not break off: nothing is tested")
	}
	return w
}

// A list that broke off is gone on with by a later run. What somebody entered meanwhile
// lies on the part that was read already, and such a list does not show it: where it was
// begun long ago, nothing is created for lack of it before the side was read once more.
// That holds for a create that is sent again as for a new one. A side that refuses a
// second record with the same key needs no such list.
func TestCreateAfterAResumedList(t *testing.T) {
	const long, short = 2 * time.Hour, 30 * time.Minute
	for name, tt := range map[string]struct {
		pause  time.Duration
		byHand bool // somebody enters the record on the right meanwhile
		unique bool // the right refuses a second record with the same phone
		again  bool // the right is to be read once more
	}{
		"begun long ago":                    {pause: long, again: true},
		"begun long ago, entered by hand":   {pause: long, again: true, byHand: true},
		"begun long ago, the key is unique": {pause: long, unique: true},
		"begun not long ago":                {pause: short},
	} {
		for _, unanswered := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				k := memory.Kind{}
				if tt.unique {
					k.Unique = [][]string{{spell(record.Right, "phone")}}
				}
				w := brokenOff(t, k, unanswered)
				defer w.close()
				if tt.byHand {
					w.put(record.Right, 3, map[string]string{"name": "Anna"})
				}
				w.tick(tt.pause)
				right := w.sys[record.Right]
				right.ResetCounts()
				w.run(engine.Options{Yes: true})
				want := 1 // its second page
				if tt.again {
					want += 2
				}
				if got := right.Counts().Fetches; got != want {
					t.Errorf("%s, unanswered %t: %d pages of the right were read, want %d", name, unanswered, got, want)
				}
				if got := w.picture(record.Right); len(got) != 4 {
					t.Errorf("%s, unanswered %t: the right has %q, want four records", name, unanswered, got)
				}
				w.rest()
				if due := w.due(); len(due) > 0 {
					t.Errorf("%s, unanswered %t: a plan still has %v", name, unanswered, due)
				}
			})
		}
	}
}

// A list that is read for that and turns out not to be whole proves no more than the one
// before: the record is created by a later run.
func TestCreateAfterAResumedListAndOneInPart(t *testing.T) {
	for _, unanswered := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := brokenOff(t, memory.Kind{Total: true}, unanswered)
			defer w.close()
			w.tick(2 * time.Hour)
			right := w.sys[record.Right]
			right.Inject(memory.Fault{Call: memory.CallFetch, Skip: 1, Times: -1, Drop: 1})
			w.run(engine.Options{Yes: true})
			if got := w.picture(record.Right); len(got) != 3 {
				t.Errorf("unanswered %t: the right has %q, want nothing created", unanswered, got)
			}
			right.Heal()
			w.rest()
			if got := w.picture(record.Right); len(got) != 4 {
				t.Errorf("unanswered %t: the right has %q, want the record created", unanswered, got)
			}
		})
	}
}
