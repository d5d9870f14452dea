package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// visits makes the job one of stays: note is the status, mail the day, and name the day of birth of the guest. The
// words are those of the status beside confirmed and cancelled. by are the rules by which stays are matched.
func (w *world) visits(by [][]string, words ...string) {
	w.Helper()
	sides := func(field string) [2]mapping.SideSpec {
		return [2]mapping.SideSpec{{Path: spell(record.Left, field)}, {Path: spell(record.Right, field)}}
	}
	var table []mapping.EnumRow
	for _, word := range append([]string{"confirmed", "cancelled"}, words...) {
		table = append(table, mapping.EnumRow{Word: word, Sides: [2][]string{{word}, {word}}})
	}
	m, err := mapping.Compile(mapping.Spec{Systems: [2]string{"one", "two"}, Match: by, Fields: []mapping.FieldSpec{
		{Name: "phone", As: mapping.Phone, Region: []string{"IT"}, Sides: sides("phone")},
		{Name: "note", As: mapping.Enum, Table: table, Sides: sides("note")},
		{Name: "mail", As: mapping.Date, Sides: sides("mail")},
		{Name: "name", As: mapping.Date, Sides: sides("name")},
	}})
	if err != nil {
		w.Fatal(err)
	}
	j := w.eng.Jobs[job]
	j.Mapping, j.Match = m, by
	j.Rules.Mapping, j.Rules.Status, j.Rules.Day, j.Rules.Span = m, "note", "mail", plan.Span{"mail", "mail"}
	j.Rules.Merge = nil
	for _, f := range []string{"phone", "note", "mail", "name"} {
		j.Rules.Merge = append(j.Rules.Merge, merge.Rule{Field: f, Policy: merge.LeftWins})
	}
	j.Booking = &engine.Booking{Status: "note", First: "mail", Last: "mail", Authority: record.Right, Dead: []string{"cancelled"}}
}

// undecided is what the findings say of records of which nothing is made, by id.
func (w *world) undecided() map[string]string {
	w.Helper()
	all, err := w.store.Findings(context.Background(), job)
	if err != nil {
		w.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range all {
		if f.Name == record.FindUndecided && f.ForPerson() {
			out[f.Ref.ID] = f.About + ": " + f.Text
		}
	}
	return out
}

const day = "2000-01-05"

// The status, or the day, of a new stay stands there and can't be read. Nothing is made of the stay before it can: it
// is put aside, and named with the field and the cause. Once it can be read it is decided like any other: a cancelled
// one is never made.
func TestOutsideNothingIsMadeOfWhatCantBeDecided(t *testing.T) {
	for name, tt := range map[string]struct {
		field, value, mended string
		want                 int // stays across, once it is mended
	}{
		"a status, which turns out to be a cancelled one": {"note", "CANCELED", "cancelled", 0},
		"a status, which turns out to be a confirmed one": {"note", "sure", "confirmed", 1},
		"a day": {"mail", "2000-12-32", day, 1},
	} {
		for _, side := range record.Sides {
			t.Run(fmt.Sprint(name, ", on the ", side), func(t *testing.T) {
				dir := t.TempDir()
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{})
					defer w.close()
					w.visits([][]string{{"phone"}})
					stay := map[string]string{"note": "confirmed", "mail": day, "name": "1970-02-01"}
					w.put(side, 0, stay)
					w.rest()
					stay[tt.field] = tt.value
					w.put(side, 1, stay)
					rec, _ := w.find(side, 1)
					rep := w.run(engine.Options{Yes: true})
					if n := notes(rep, side, true, "its "+tt.field+" can't be read"); n != 1 {
						t.Errorf("the report names it %d times: %+v", n, rep.Notes)
					}
					for range 2 {
						w.rest()
						if _, made := w.find(side.Other(), 1); made {
							t.Fatalf("it was made across:\n%s", w.both())
						}
						if got := w.undecided(); len(got) != 1 || !strings.HasPrefix(got[rec.Ref.ID], tt.field+": ") {
							t.Errorf("found is %q", got)
						}
						if got := w.stuck(); len(got) != 1 {
							t.Errorf("found is %v", got)
						}
						if e := w.entryOf(side, rec.Ref.ID); e.State != record.Quarantined || !strings.Contains(e.Why, "its "+tt.field+" can't be read: ") {
							t.Errorf("it is %q: %s", e.State, e.Why)
						}
						if v := w.verified(dir); len(v.Lone) != 1 || v.Lone[0].Cause != plan.NotWritten || !strings.Contains(v.Lone[0].Why, tt.field) {
							t.Errorf("verify: %+v", v.Lone)
						}
					}
					wantCount(t, "alerts of the desk", w.alerts("booking_waiting"), map[record.Side]int{record.Left: 1}[side])
					w.edit(side, 1, tt.field, tt.mended)
					w.rest()
					if got := w.stuck(); len(got) != 0 {
						t.Errorf("once it is mended, found is %v", got)
					}
					wantCount(t, "stays across", len(w.picture(side.Other()))-1, tt.want)
				})
			})
		}
	}
}

// What decides nothing keeps no stay out: without the guest's day of birth it is made all the same. Once that day can
// be read it goes across.
func TestOutsideABirthdayKeepsNoStayOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.visits([][]string{{"phone"}})
		w.put(record.Left, 1, map[string]string{"note": "confirmed", "mail": day, "name": "1970-02-31"})
		w.rest()
		if _, made := w.find(record.Right, 1); !made || len(w.undecided()) != 0 {
			t.Fatalf("it was not made: %q\n%s", w.undecided(), w.both())
		}
		if got := w.stuck(); got[record.FindUnreadable] != 1 || len(got) != 1 {
			t.Errorf("found is %v", got)
		}
		w.edit(record.Left, 1, "name", "1970-02-28")
		w.rest()
		if got := w.value(record.Right, 1, "name"); got != "1970-02-28" {
			t.Errorf("the mended day arrived as %q", got)
		}
		if got := w.stuck(); len(got) != 0 {
			t.Errorf("once it is mended, found is %v", got)
		}
	})
}

// A stay that can be recognised by one key goes across although another key can't be read. If no key is left, nobody
// knows whether it is there already, and nothing is made of it.
func TestOutsideOneKeyIsEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.visits([][]string{{"phone"}, {"name"}})
		w.put(record.Left, 1, map[string]string{"name": "unknown"})
		w.sys[record.Left].Put(kinds[record.Left], record.Fields{"phone": record.OfText("ask Ada"), "name": record.OfText("1970-02-01")})
		id := w.sys[record.Left].Put(kinds[record.Left], record.Fields{"phone": record.OfText("ask Bert")})
		w.rest()
		wantCount(t, "records across", len(w.picture(record.Right)), 2)
		if got := w.undecided(); len(got) != 1 || !strings.HasPrefix(got[id], "phone: ") {
			t.Errorf("found is %q", got)
		}
	})
}

// bookedWords is booked, with a status in the name of a stay. Guests are told by their note.
func (w *world) bookedWords(words ...string) {
	w.Helper()
	w.booked()
	var table []mapping.EnumRow
	for _, word := range words {
		table = append(table, mapping.EnumRow{Word: word, Sides: [2][]string{{word}, {word}}})
	}
	m, err := mapping.Compile(mapping.Spec{Systems: [2]string{"one", "two"}, Match: [][]string{{"note"}, {"payer", "phone"}}, Fields: []mapping.FieldSpec{
		{Name: "phone", As: mapping.Phone, Region: []string{"IT"}, Sides: [2]mapping.SideSpec{{Path: "phone"}, {Path: "their_phone"}}},
		{Name: "name", As: mapping.Enum, Table: table, Sides: [2]mapping.SideSpec{{Path: "name"}, {Path: "their_name"}}},
		{Name: "note", As: mapping.Text, Sides: [2]mapping.SideSpec{{Path: "note"}, {Path: "their_note"}}},
		{Name: "payer", As: mapping.Reference, Refer: string(job), Sides: [2]mapping.SideSpec{
			{Parts: map[string]string{mapping.PartID: "mail"}}, {Parts: map[string]string{mapping.PartID: "their_mail"}},
		}},
	}})
	if err != nil {
		w.Fatal(err)
	}
	j := w.eng.Jobs[job]
	j.Mapping, j.Match = m, [][]string{{"note"}, {"payer", "phone"}}
	j.Rules.Mapping, j.Rules.Status = m, "name"
	j.Rules.Merge = append(j.Rules.Merge, merge.Rule{Field: "note", Policy: merge.LeftWins})
}

// A stay that is put aside because nobody can read its status is entered across by hand: the two are linked, and
// neither is made a second time. The state keeps no key that names a guest, so no key tells of the one put aside.
func TestOutsideWhatIsUndecidedIsStillRecognised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.bookedWords("confirmed")
		book := func(side record.Side, status, of string) {
			w.sys[side].Put(kinds[side], record.Fields{spell(side, "phone"): record.OfText(phoneOf(7)), spell(side, "name"): record.OfText(status), spell(side, "mail"): record.OfText(of)})
		}
		w.put(record.Left, 1, map[string]string{"note": "Ada"})
		w.rest()
		left, _ := w.find(record.Left, 1)
		right, made := w.find(record.Right, 1)
		if !made {
			t.Fatalf("the guest was not made:\n%s", w.both())
		}
		book(record.Left, "CANCELED", left.Ref.ID)
		w.rest()
		wantCount(t, "put aside", len(w.undecided()), 1)
		book(record.Right, "confirmed", right.Ref.ID)
		w.rest()
		if l, r := len(w.picture(record.Left)), len(w.picture(record.Right)); l != 2 || r != 2 {
			t.Errorf("there are %d and %d records:\n%s", l, r, w.both())
		}
		if got := w.undecided(); len(got) != 0 {
			t.Errorf("found is %q", got)
		}
	})
}

// The owner adds a word to the table. From then on it can be read, and nothing says any longer that it can't, also
// while what the changed table asks for waits for a person.
func TestOutsideAnAddedWordIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{
			words:    map[string][]mapping.EnumRow{"note": {{Word: "quiet", Sides: [2][]string{{"quiet"}, {"quiet"}}}}},
			policies: map[string]merge.Policy{"note": merge.LeftWins},
		})
		defer w.close()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": "Ada", "note": "quiet"})
		}
		w.rest()
		w.edit(record.Right, 1, "note", "noisy")
		w.rest()
		if got := w.stuck(); got[record.FindUnreadable] != 1 {
			t.Fatalf("found is %v", got)
		}
		w.words["note"] = append(w.words["note"], mapping.EnumRow{Word: "noisy", Sides: [2][]string{{"noisy"}, {"noisy"}}})
		w.restart()
		for range 2 {
			w.tick(time.Minute)
			w.run(engine.Options{})
			if got := w.stuck(); len(got) != 0 {
				t.Errorf("the word is in the table, and found is %v", got)
			}
			wantCount(t, "held", len(w.staged()), 1)
		}
	})
}
