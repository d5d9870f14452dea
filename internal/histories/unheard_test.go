package histories

import (
	"bytes"
	"slices"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// unheard reports whether a create was sent that a record may be of, and nothing has shown the
// record's note since: where notes are shown late the first that is shown counts as what the
// system made of what was sent, whoever entered it.
func (o *oracle) unheard(r *rec) bool {
	return o.w.odds(r.side, oddLate) > 0 && !r.heard && len(r.t.gave[r.side]) > 0
}

// gives notes the note that a create carries.
func (o *oracle) gives(t *thing, side record.Side, native record.Fields) {
	if v := native[path(side, "note")]; o.w.odds(side, oddLate) > 0 && v.Observed() {
		t.gave[side] = append(t.gave[side], v.Text())
	}
}

// hears notes whether a record is shown with its note.
func (o *oracle) hears(r *rec, shown record.Fields) {
	if r != nil && shown[path(r.side, "note")].Observed() {
		r.heard = true
	}
}

// hearsList is hears of a page of a list.
func (o *oracle) hearsList(side record.Side, kind record.Kind, items []connectors.Item) {
	for _, it := range items {
		if r := o.recs[max(0, kindOf(kind))][side][it.ID]; r != nil && bytes.Contains(it.Raw, []byte(`note":`)) {
			r.heard = true
		}
	}
}

// What a user enters in a record is no edit where nobody can tell it from what its system made
// of a note that a create carried. Once the note was shown, it is one.
func TestUnheard(t *testing.T) {
	for _, c := range []struct {
		name             string
		late, gave, told bool
		blurred          bool
	}{
		{name: "the note is shown late", late: true, gave: true, blurred: true},
		{name: "it is shown at once", gave: true},
		{name: "no create carried one", late: true},
		{name: "it was shown since", late: true, gave: true, told: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{}
			l := someone(w).recs[record.Left][0]
			if c.late {
				w.odd.sides[record.Left] = map[string]int{oddLate: 1}
			}
			note := record.Fields{"note": record.OfText("ours")}
			if c.gave {
				w.gives(l.t, record.Left, note)
			}
			if c.told {
				w.hears(l, note)
			}
			w.wrote(l, "note")
			if l.t.blurred != c.blurred {
				t.Errorf("got %t, want %t", l.t.blurred, c.blurred)
			}
			if w.unread(l, "note", "ours") != c.blurred {
				t.Errorf("what was sent counts as what stands there: %t, want %t", !c.blurred, c.blurred)
			}
		})
	}
}

// enteredAlike reports whether a user entered what a create of ours that was lost would have made,
// but for a note that lists show late: it counts as ours, and what it lacks as what its system made
// of it.
func (w *world) enteredAlike(r, across *rec) bool {
	return r.user && w.odds(r.side, oddLate) > 0 && r.now("note") == "" && slices.Contains(r.t.gave[r.side], across.now("note"))
}
