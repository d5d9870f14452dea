package histories

import (
	"slices"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/record"
)

// overwritten takes back what users entered, since an edit of a number, in a record while
// a change of it was under way, and what the change then went over: no read and no answer
// ever shows it, so that no journal can know. A system that refuses what is stale keeps it.
func (o *oracle) overwritten(side record.Side, ch record.Change, since int) {
	if ch.Op == record.Update && (o.w.odds(side, oddRewrites) > 0 || o.w.odds(side, oddReplaces) > 0) {
		o.wentOver(side, ch.Ref, nil, since)
		return
	}
	o.wentOver(side, ch.Ref, ch.Fields, since)
}

// wentOver does so for the fields that a change sent, and for all of them where it sent
// the record whole.
func (o *oracle) wentOver(side record.Side, ref record.Ref, sent record.Fields, since int) {
	o.look()
	kind := kindOf(ref.Kind)
	r := o.recs[kind][side][ref.ID]
	if r == nil {
		return
	}
	for _, f := range fields[kind] {
		if _, ours := sent[path(side, f)]; !ours && sent != nil {
			continue
		}
		r.t.writes[f] = slices.DeleteFunc(r.t.writes[f], func(x write) bool {
			return x.seq > since && x.side == side && x.id == r.id && r.ever(f, x.value) && x.value != r.now(f)
		})
	}
}

// A user edits a record while a change of ours is under way to it. What goes over the edit
// takes it with it, and nobody can know of it; what leaves it does not.
func TestEditedWhileItIsWritten(t *testing.T) {
	for _, c := range []struct {
		name, when string
		field      string
		guarded    bool
		other      bool // in another record of the same person
		kept       bool
	}{
		{"before it is applied", "before update contacts", "full_name", false, false, false},
		{"before it is applied, another field", "before update contacts", "note", false, false, true},
		{"before it is applied, another record", "before update contacts", "full_name", false, true, true},
		{"before it is applied, and it is refused", "before update contacts", "full_name", true, false, true},
		{"once it is applied", "applied update contacts", "full_name", false, false, true},
		{"before it is sent", "", "full_name", false, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := newWorld(history{seed: 1, files: true}, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			w.c = climate{sides: [2]weather{{class: "D", guarded: c.guarded}, {class: "D"}}}
			w.begin()
			w.put(record.Left, step{})
			r := w.alive(record.Left, guests, 0)
			was, _ := w.sys[record.Left].Get(kinds[guests][record.Left], r.id)
			w.read(record.Left, was.Ref, was, nil)
			edit := func(name string) {
				if name == c.when && c.other {
					w.enterTwin(r)
				} else if name == c.when {
					w.edit(step{side: record.Left, field: c.field, value: "edited"})
				}
			}
			edit("")
			w.sys[record.Left].Hook(memory.Hooks{Step: edit})
			a, ok := w.conn(record.Left).(connectors.Writer)
			if !ok {
				t.Fatal("it can't be written")
			}
			ch := record.Change{ID: "1", Op: record.Update, Ref: was.Ref, Before: was.Fields, Fields: record.Fields{"full_name": record.OfText("ours#0")}}
			if _, err := a.Apply(t.Context(), ch); (err != nil) != c.guarded {
				t.Fatal(err)
			}
			kept := slices.ContainsFunc(r.t.writes[c.field], func(x write) bool { return (x.id != r.id || x.value != "p#0") && x.value != "" })
			if kept != c.kept {
				t.Errorf("the edit counts: %t, want %t: %+v", kept, c.kept, r.t.writes[c.field])
			}
		})
	}
}

// enterTwin enters another record of the same person, with the same name.
func (w *world) enterTwin(r *rec) {
	id := w.sys[r.side].Put(kinds[r.t.kind][r.side], r.native)
	w.entered(r.side, r.t.kind, id, r.t.n)
}
