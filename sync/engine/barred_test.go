package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// barred is a fault of reads by id of the right: this record may not be read.
func barred(skip, times int) memory.Fault {
	return memory.Fault{Call: memory.CallGet, Kind: "people", Skip: skip, Times: times, Class: connectors.Forbidden}
}

// linkedWorld is a world of n linked persons.
func linkedWorld(t *testing.T, n int) *world {
	w := newWorld(t, setting{})
	for i := range n {
		w.put(record.Left, i, map[string]string{"name": "x"})
	}
	w.rest()
	return w
}

// notes counts the notes of a side that say something; with an id, or of the whole
// side.
func notes(rep engine.Report, side record.Side, single bool, text string) (n int) {
	for _, note := range rep.Notes {
		if note.Side == side && (note.Ref.ID != "") == single && strings.Contains(note.Why, text) {
			n++
		}
	}
	return n
}

// Records that may not be read by id are noted one by one, and the others read.
func TestBarredReads(t *testing.T) {
	for _, tt := range []struct {
		name        string
		due         int
		fault       memory.Fault
		single      int // notes of records
		side        int // notes of the side
		gone        int64
		err         string
		createsMore bool // the list is read again, for a create
	}{
		{name: "four of six", due: 6, fault: barred(1, 4), single: 4, gone: 2},
		{name: "four of six, and a list is read again", due: 6, fault: barred(1, 4), single: 4, gone: 2, createsMore: true},
		{name: "all of two", due: 2, fault: barred(0, 2), single: 2, side: 1},
		{name: "all of six", due: 6, fault: barred(0, -1), single: 3, err: "two lets no single people be read with this key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := linkedWorld(t, 8)
				defer w.close()
				for n := range tt.due {
					w.remove(record.Right, n)
				}
				if tt.createsMore {
					w.put(record.Left, 9, map[string]string{"name": "new"})
				}
				w.sys[record.Right].Inject(tt.fault)
				rep, err := w.try(engine.Options{Yes: true})
				if (err == nil) != (tt.err == "") || err != nil && (!strings.Contains(err.Error(), tt.err) || connectors.ClassOf(err) != connectors.Forbidden) {
					t.Errorf("got %v, want %q", err, tt.err)
				}
				single, side := notes(rep, record.Right, true, "it can't be read now"), notes(rep, record.Right, false, "two lets no single people be read")
				if single != tt.single || side != tt.side || rep.Counts["right.gone"] != tt.gone {
					t.Errorf("got %d notes of records, %d of the side, %v:\n%+v", single, side, rep.Counts, rep.Notes)
				}
			})
		})
	}
}

// A change of which no answer came, to a record that may not be read now, is noted.
func TestBarredSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := linkedWorld(t, people)
		defer w.close()
		right := w.sys[record.Right]
		w.edit(record.Left, 0, "name", "y")
		right.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous})
		w.run(engine.Options{Yes: true})
		right.Inject(barred(0, 1))
		rep := w.run(engine.Options{Yes: true})
		if got := notes(rep, record.Right, true, "what became of a change of it can't be looked up now"); got != 1 || rep.Counts["unsettled"] != 1 {
			t.Errorf("got %d notes, %v:\n%+v", got, rep.Counts, rep.Notes)
		}
		w.rest()
		w.inStep()
	})
}

// A record that can't be verified before its write is noted, and the others written.
func TestBarredVerify(t *testing.T) {
	for _, class := range []connectors.ErrorClass{connectors.Forbidden, connectors.Rejected, connectors.Malformed} {
		synctest.Test(t, func(t *testing.T) {
			w := linkedWorld(t, people)
			defer w.close()
			w.edit(record.Left, 0, "name", "y")
			w.edit(record.Left, 1, "name", "y")
			f := barred(3, 1) // after those that prove the side
			f.Class = class
			w.sys[record.Right].Inject(f)
			rep := w.run(engine.Options{Yes: true})
			if a, b := w.value(record.Right, 0, "name"), w.value(record.Right, 1, "name"); a != "x" || b != "y" {
				t.Errorf("%s: got %q and %q", class, a, b)
			}
			if got := notes(rep, record.Right, true, "it can't be read before it is written"); got != 1 {
				t.Errorf("%s: got %d notes:\n%+v", class, got, rep.Notes)
			}
			w.rest()
			w.inStep()
		})
	}
}

// With a side that lets nothing be read, no more writes are tried.
func TestBarredVerifyOfAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := linkedWorld(t, 8)
		defer w.close()
		for n := range 8 {
			w.edit(record.Left, n, "name", "y")
		}
		right := w.sys[record.Right]
		right.Inject(barred(0, -1))
		before := w.mutations()
		_, err := w.try(engine.Options{Yes: true})
		if err == nil || !strings.Contains(err.Error(), "make sure that two is the one we know") || w.mutations() != before {
			t.Errorf("nothing can be read, so nothing is proven: got %v", err)
		}
		right.Heal()
		right.Inject(barred(3, -1)) // those that prove the side are read
		right.ResetCounts()
		rep := w.run(engine.Options{Yes: true})
		if c := right.Counts(); c.Mutations != 0 || notes(rep, record.Right, true, "it can't be read before it is written") != 8 {
			t.Errorf("got %+v and\n%+v", c, rep.Notes)
		}
	})
}

// A record that proves nothing because it may not be read stops nothing.
func TestBarredCanary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := linkedWorld(t, 5)
		defer w.close()
		w.edit(record.Left, 0, "name", "y")
		w.sys[record.Right].Inject(barred(0, 1))
		rep := w.run(engine.Options{Yes: true})
		if w.value(record.Right, 0, "name") != "y" || notes(rep, record.Right, true, "it can't be read now") != 1 {
			t.Errorf("got %q and %+v", w.value(record.Right, 0, "name"), rep.Notes)
		}
	})
}

// A record that is taken first and may not be read ends no run.
func TestBarredKick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := linkedWorld(t, people)
		defer w.close()
		w.edit(record.Left, 1, "name", "y")
		r, _ := w.find(record.Right, 0)
		kicks := []engine.Kick{{Side: record.Right, Ref: r.Ref}}
		w.sys[record.Right].Inject(barred(0, 1))
		rep, err := w.try(engine.Options{Yes: true, Kicked: func() []engine.Kick {
			now := kicks
			kicks = nil
			return now
		}})
		if err != nil || w.value(record.Right, 1, "name") != "y" || notes(rep, record.Right, true, "it can't be read now") != 1 {
			t.Errorf("got %v, %q and\n%+v", err, w.value(record.Right, 1, "name"), rep.Notes)
		}
		rep = w.run(engine.Options{Yes: true, OnlySide: record.Right, Only: []record.Ref{r.Ref}})
		if len(rep.Notes) != 0 {
			t.Errorf("it may be read again: %+v", rep.Notes)
		}
	})
}
