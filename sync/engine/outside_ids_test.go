package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/connectors"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// numbered is a world of linked people whose ids on the right are made of something. They agree in all but their phones,
// as bookings of the same nights agree in most of what they show.
func numbered(t *testing.T, of, in string) *world {
	w := newWorld(t, setting{})
	w.madeOf(of, in)
	for _, side := range record.Sides {
		for n := range 6 {
			w.put(side, n, map[string]string{"name": "Ada", "note": "x", "mail": "a@b.example"})
		}
	}
	w.rest()
	return w
}

// madeOf has the configuration make the ids of the right of something.
func (w *world) madeOf(of, in string) {
	w.eng.Jobs[job].Sides[record.Right].Can.IDs = connectors.IDs{Of: of, In: in}
}

// renumber has each id of the right name another person, as another numbering of the same rows does.
func (w *world) renumber() {
	all := w.sys[record.Right].All(kinds[record.Right])
	for i, r := range all {
		w.sys[record.Right].Edit(kinds[record.Right], r.Ref.ID, all[len(all)-1-i].Fields)
	}
}

func (w *world) haltedByIDs(say string) {
	w.Helper()
	before := w.both()
	rep, err := w.try(engine.Options{Yes: true})
	if !errors.Is(err, engine.ErrHalted) || len(rep.Halts) != 1 || rep.Halts[0].Cause != "ids" || !strings.Contains(rep.Halts[0].Why, say) {
		w.Fatalf("got %v, %+v; want a halt that says %q", err, rep.Halts, say)
	}
	if rep.Counts["right.pages"] != 0 || w.both() != before {
		w.Errorf("it read %v, and left\n%s", rep.Counts, w.both())
	}
}

func (w *world) acceptHalts() {
	w.Helper()
	if _, err := w.store.AnswerHalts(context.Background(), job, record.Accepted, "anna"); err != nil {
		w.Fatal(err)
	}
}

// The key of a table is changed in the file, to another numbering of the same rows. Each id names another person then:
// nothing is read or written, whatever a person says, until the key is put back.
func TestOutsideAnotherKeyIsNotGoneBy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := numbered(t, "id", "table people")
		defer w.close()
		whole := w.both()
		w.renumber()
		w.madeOf("code", "table people")
		w.haltedByIDs("made of code, and the links were made with id")
		if _, err := w.try(engine.Options{Yes: true, Seen: true}); !errors.Is(err, engine.ErrHalted) {
			t.Errorf("a run of single records: %v", err)
		}
		w.acceptHalts()
		w.haltedByIDs("the ids name other records")
		w.haltedByIDs("made of code, and the links were made with id") // the answer is used up
		w.renumber()
		w.madeOf("id", "table people")
		w.rest()
		if now := w.both(); now != whole {
			t.Errorf("it was\n%s\nand is\n%s", whole, now)
		}
	})
}

// A column that is the key gets another name. A person says that the ids are the same ones, and they are.
func TestOutsideAKeyOfAnotherName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := numbered(t, "id", "table people")
		defer w.close()
		w.madeOf("number", "table people")
		w.haltedByIDs("made of number")
		w.acceptHalts()
		w.edit(record.Left, 1, "name", "other")
		w.rest()
		if got := w.value(record.Right, 1, "name"); got != "other" {
			t.Errorf("after the answer an edit is %q across", got)
		}
		if open, err := w.store.Halts(context.Background(), job); err != nil || len(open) != 0 {
			t.Errorf("open: %+v, %v", open, err)
		}
	})
}

// A table gets another name. If the records are there as they were, nobody is asked; else a person is.
func TestOutsideATableOfAnotherName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := numbered(t, "id", "table people")
		defer w.close()
		w.madeOf("id", "table guests")
		w.rest()
		w.renumber()
		w.madeOf("id", "table archive")
		w.haltedByIDs("looked up in table archive, and the links were made with table guests: 0 of 6")
		w.renumber()
		w.haltless()
	})
}

func (w *world) haltless() {
	w.Helper()
	if _, err := w.try(engine.Options{Yes: true}); err != nil {
		w.Errorf("once they are there as they were: %v", err)
	}
}

// Until a record is linked, the key may be changed as one likes.
func TestAKeyBeforeTheFirstLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.madeOf("id", "table people")
		w.rest()
		w.madeOf("code", "table people")
		w.put(record.Left, 0, map[string]string{"name": "Ada"})
		w.rest()
		if got := w.value(record.Right, 0, "name"); got != "Ada" {
			t.Errorf("across there is %q", got)
		}
	})
}
