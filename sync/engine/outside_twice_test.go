package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// onTheWall is a world whose note and mail are the begin and the end of an appointment. The left shows them in UTC,
// the right as the clock in Rome shows them.
func onTheWall(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, setting{policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.Person, "mail": merge.Person}})
	rome, err := time.LoadLocation("Europe/Rome")
	w.must(err)
	spec := mapping.Spec{Systems: [2]string{"one", "two"}, Match: [][]string{{"phone"}}, Zone: rome}
	for _, f := range append([]string{"phone"}, fields...) {
		fs := mapping.FieldSpec{Name: f, Sides: [2]mapping.SideSpec{{Path: spell(record.Left, f)}, {Path: spell(record.Right, f)}}}
		switch f {
		case "phone":
			fs.As, fs.Region = mapping.Phone, []string{"IT"}
		case "note", "mail":
			fs.As, fs.Sides[record.Right].Format = mapping.Instant, mapping.FormatLocal
		}
		spec.Fields = append(spec.Fields, fs)
	}
	m, err := mapping.Compile(spec)
	w.must(err)
	j := w.eng.Jobs[job]
	j.Mapping, j.Rules.Mapping, j.Rules.Span = m, m, plan.Span{"note", "mail"}
	return w
}

// untold is the records of which a time is not written, and the fields.
func (w *world) untold(want string) (out []string) {
	w.Helper()
	all, err := w.store.Findings(context.Background(), job)
	w.must(err)
	for _, f := range all {
		if f.Name != record.FindUnwritable || !strings.Contains(f.Text, want) {
			w.Errorf("found %+v, want %q", f, want)
		}
		out = append(out, f.Op.String()+" "+f.About)
	}
	slices.Sort(out)
	return out
}

// The clock is put back, and shows an hour twice. A time of its second pass can't be told a system that shows what is
// on the wall: no record is made with another time or without one, no record is given another time, and what is found
// says which field of which record it is, and which time.
func TestOutsideATimeThatTheClockShowsTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := onTheWall(t)
		defer w.close()
		night := func(from, to string) map[string]string {
			return map[string]string{"name": "Anna", "note": "2027-10-31T" + from + ":00Z", "mail": "2027-10-31T" + to + ":00Z"}
		}
		w.put(record.Left, 0, night("00:30", "01:00"))
		w.put(record.Left, 1, night("01:30", "02:00"))
		w.put(record.Left, 2, night("00:10", "00:40"))
		w.rest()
		holds := func(when string, n int, from, to string) {
			t.Helper()
			if got := [2]string{w.value(record.Right, n, "note"), w.value(record.Right, n, "mail")}; got != [2]string{from, to} {
				t.Errorf("%s: the right has %q, want %s and %s", when, got, from, to)
			}
		}
		if got := len(w.sys[record.Right].All(kinds[record.Right])); got != 1 {
			t.Errorf("the right has %d records, want the one of which all can be told: %q", got, w.picture(record.Right))
		}
		holds("the first pass", 2, "2027-10-31 02:10:00", "2027-10-31 02:40:00")
		if got, want := w.untold("stands for two times"), []string{"create mail", "create note"}; !slices.Equal(got, want) {
			t.Errorf("found is %q, want %q", got, want)
		}

		// A linked record keeps its time, and the other fields go over.
		w.edit(record.Left, 0, "mail", "2027-10-31T02:00:00Z")
		w.edit(record.Left, 1, "note", "2027-10-31T02:00:00Z")
		w.edit(record.Left, 1, "mail", "2027-10-31T02:30:00Z")
		w.edit(record.Left, 2, "mail", "2027-10-31T01:15:00Z")
		w.edit(record.Left, 2, "name", "Bea")
		w.rest()
		holds("moved out of the hour", 0, "2027-10-31 02:30:00", "2027-10-31 03:00:00")
		holds("moved out of the hour", 1, "2027-10-31 03:00:00", "2027-10-31 03:30:00")
		holds("moved into it", 2, "2027-10-31 02:10:00", "2027-10-31 02:40:00")
		if got := w.value(record.Right, 2, "name"); got != "Bea" {
			t.Errorf("the name waits with the time: %q", got)
		}
		if got, want := w.untold("2027-10-31 02:15 stands for two times"), []string{"update mail"}; !slices.Equal(got, want) {
			t.Errorf("found is %q, want %q", got, want)
		}
		w.edit(record.Left, 2, "mail", "2027-10-31T02:15:00Z")
		w.rest()
		holds("moved out of it", 2, "2027-10-31 02:10:00", "2027-10-31 03:15:00")
		if got := w.stuck(); len(got) > 0 {
			t.Errorf("at rest found is %v", got)
		}
	})
}
