package histories

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"nightporter/sync/record"
)

// passed checks that no incremental list begins behind a change that the state knows
// nothing of.
func (o *oracle) passed() {
	ctx := context.Background()
	for _, side := range record.Sides {
		o.latest[side] = max(o.latest[side], o.w.late[side])
	}
	for kind := range o.w.kinds() {
		for _, side := range record.Sides {
			if !o.w.c.sides[side].since || o.lied[side] || o.w.is(oddSeal) > 0 { // what is known are digests
				continue
			}
			place := record.Place{Binding: jobs[kind], Side: side}
			cursor, err := o.w.store.SinceCursor(ctx, place)
			if err != nil || cursor == "" {
				o.w.must("read cursor", err)
				continue
			}
			var at struct {
				Since time.Time `json:"s"`
			}
			o.w.must("read cursor", json.Unmarshal([]byte(cursor), &at))
			for _, rec := range o.w.sys[side].All(kinds[kind][side]) {
				if r := o.recs[kind][side][rec.Ref.ID]; !rec.Changed.Before(at.Since) || rec.Changed.IsZero() || r != nil && o.unlisted(r, rec.Changed) {
					continue
				}
				if o.w.odds(side, oddUnlisted) > 0 && kind == stays && unlistedStay(side, rec.Fields) {
					continue // no list shows it
				}
				e, ok, err := o.w.store.Entry(ctx, place, rec.Ref)
				o.w.must("read entry", err)
				known := e.Last()
				rec.Fields = o.w.listed(side, rec.Fields)
				if !ok || !known.Agrees(rec.Fields) && !o.held(e, rec) && !o.anothers(kind, e) && !o.onTrial(place, rec.Ref) {
					o.wrong("the next list of the %s begins at %s, and %s, changed at %s, is known as %s and is %s",
						side, at.Since.Format(time.TimeOnly), rec.Ref, rec.Changed.Format(time.TimeOnly), show(known), show(rec.Fields))
				}
			}
		}
	}
}

// unlisted reports whether no list had to show a record as it is: nobody can read it, or it lay
// outside of the days that are read when all was last listed. A list of what changed shows it
// wherever it lies, unless it is one of these days alone.
func (o *oracle) unlisted(r *rec, changed time.Time) bool {
	if !o.w.outside(r) || o.w.changesInDays(r.side) {
		return o.w.unshown(r)
	}
	scans, err := o.w.store.Ended(context.Background(), record.Place{Binding: jobs[r.t.kind], Side: r.side}, 1)
	o.w.must("read lists", err)
	// A clock may have been set back, or ours forward, since that list.
	return o.w.unreadable(r) || len(scans) == 0 || !changed.After(scans[0].Certificate.Ended.Add(o.latest[r.side]))
}

// held reports whether what a record shows is kept back: it is what our own write
// replaced, or a change of it is open. One that moved between the pages of a whole list,
// and was not shown, is read by id before anything else, whatever the lists show by then.
func (o *oracle) held(e record.Entry, rec record.Record) bool {
	return !e.Recheck.IsZero() || e.State == record.Suspect || e.Pre != nil && rec.Fields.Agrees(e.Pre)
}

// anothers reports whether what a record shows is not believed because it is another one
// than was linked under its id: somebody put it back, and its system says that it was
// made then. A person is asked, or will be by the next plan, and it is read by id once
// they say that it is the same.
func (o *oracle) anothers(kind int, e record.Entry) bool {
	r := o.recs[kind][e.Place.Side][e.Ref.ID]
	if e.State != record.Stranger || r == nil || r.back.IsZero() {
		return false
	}
	p, ok, err := o.w.store.Pair(context.Background(), e.Link)
	o.w.must("read link", err)
	return ok && (e.Dirty || p.State.Ended())
}

// onTrial reports whether a trial has yet to put back what a write changed in a record. The trial keeps what the
// record showed before, and reads it by its id, whatever the lists show by then.
func (o *oracle) onTrial(place record.Place, ref record.Ref) bool {
	all, err := o.w.store.Trials(context.Background(), place.Binding)
	o.w.must("read trials", err)
	return slices.ContainsFunc(all, func(t record.Trial) bool { return t.Place == place && t.Ref == ref && !t.Over() })
}

// A record that a user edits, removes and puts back under its id is another one to a
// system that shows when it was made: what it shows is not believed, and the next list
// may begin behind it all the same.
func TestPutBackIsAnothers(t *testing.T) {
	h := history{seed: 1}
	for c := climateOf(h.seed); !c.sides[record.Right].since || c.askFirst || !c.free() || c.sides[record.Right].class != "A"; c = climateOf(h.seed) {
		h.seed++
	}
	put, run, wait := step{what: doPut, field: "note", value: "x"}, step{what: doRun, yes: true}, step{what: doWait, d: time.Minute}
	there := func(what, value string) step {
		return step{what: what, side: record.Right, field: "full_name", value: value}
	}
	h.steps = []step{put, wait, run, wait, run, there(doEdit, "edited"), there(doRemove, ""), there(doUndelete, "")}
	if wrong, _, _ := play(t, h, ramDir(t), template(t)); wrong != "" {
		t.Error(wrong)
	}
}

// What a list of what changed will not show is held where a read by id is to come, and
// nowhere else.
func TestOnlyWhatIsToBeReadIsHeld(t *testing.T) {
	rec := record.Record{Fields: record.Fields{"note": record.OfText("new")}}
	for _, c := range []struct {
		name string
		e    record.Entry
		want bool
	}{
		{"nothing is known of it", record.Entry{}, false},
		{"it is to be read again", record.Entry{Recheck: time.Now()}, true},
		{"a whole list did not show it", record.Entry{State: record.Suspect}, true},
		{"it was quarantined", record.Entry{State: record.Quarantined}, false},
		{"our write replaced it", record.Entry{Pre: rec.Fields}, true},
		{"our write replaced something else", record.Entry{Pre: record.Fields{"note": record.OfText("old")}}, false},
	} {
		if got := (&oracle{}).held(c.e, rec); got != c.want {
			t.Errorf("%s: got %t, want %t", c.name, got, c.want)
		}
	}
}
