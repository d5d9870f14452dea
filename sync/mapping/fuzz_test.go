package mapping

import (
	"strings"
	"testing"
	"time"

	"nightporter/sync/record"
)

// A point in time is read as one, in our own form, or not at all; and what is read is
// what is read again after it was written to that side, to what the side can show.
func FuzzInstant(f *testing.F) {
	for _, s := range []string{
		"2026-03-28T15:00:00Z", "2026-03-28 15:00:00.123456+01:00", "2026-03-29 02:30:00", "2026-10-25T02:30", "28/03/2026 15:00", "1774706400", "-0.5", "1774706400123",
		"9999-12-31T23:59:59.999-12:00", "0001-01-01T00:00:00+14:00", "0000-01-01T00:00:00Z", "253402300800", "1e12", "1e400", "NaN", " 2026-03-28T15:00:00+01 ", "1883-11-18 12:03:57",
	} {
		f.Add(s)
	}
	formats := []string{"", FormatEpoch, FormatFloat, FormatMillis, FormatLocal, FormatUTC, "DD/MM/YYYY HH:mm"}
	maps := map[string]*Mapping{}
	for _, z := range []string{"Europe/Rome", "America/St_Johns", "Pacific/Apia", "UTC"} {
		for _, format := range formats {
			maps[z+" "+format] = compile(f, Spec{Zone: zone(f, z), Fields: []FieldSpec{
				{Name: "x", As: Instant, Sides: sides(SideSpec{Path: "x", Format: format}, SideSpec{None: true})},
			}})
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, m := range maps {
			native := record.Fields{"x": text(s)}
			got, problems := m.Read(left, native)
			v := got["x"]
			if len(problems) > 0 && v.Observed() {
				t.Fatalf("%s: %q is read as %v and as %v", name, s, v, problems)
			}
			if !v.Observed() || v.Empty() {
				continue
			}
			at, err := time.Parse(instantLayout, v.Text())
			if err != nil || at.Year() < 1 || at.Year() > 9999 {
				t.Fatalf("%s: %q is read as %v", name, s, v)
			}
			// What that side can't show is not written: the second pass of an hour that a clock shows
			// twice. What it shows with fewer digits comes back as that for good.
			back := m.Normal(left, "x", v, native)
			if !back.Observed() {
				continue
			}
			if again := m.Normal(left, "x", back, native); !again.Equal(back) {
				t.Fatalf("%s: %q is read as %v, comes back as %v, and that as %v", name, s, v, back, again)
			}
			if then, err := time.Parse(instantLayout, back.Text()); err != nil || at.Before(then) || at.Sub(then) >= time.Minute {
				t.Fatalf("%s: %q is read as %v and comes back as %v", name, s, v, back)
			}
		}
	})
}

// A number that was read is in one form, and read from that form it is the same:
// whatever country the record shows, and from whatever form it is written in.
func FuzzPhoneForms(f *testing.F) {
	for _, s := range []string{
		"+39 333 1234567", "055 9876543 int. 12", "0039 (0)55 9876543", "tel:+49-30-123456", "+1 (202) 555-0123", "+44 7700 900123", "030 123456", "٣٣٣١٢٣٤٥٦٧", "＋393331234567",
		"+800 1234 5678", "333/1234567", "+39 02 1234;ext=5", "+52 1 55 1234 5678", "+54 9 11 2345 6789",
	} {
		f.Add(s, "DE", "IT")
		f.Add(s, "", "US")
	}
	var forms []*Mapping
	for _, format := range []string{"", FormatDigits, FormatZeros, FormatInternational, FormatNational} {
		forms = append(forms, compile(f, Spec{Zone: zone(f, "Europe/Rome"), Fields: []FieldSpec{
			{Name: "x", As: Phone, Region: []string{"pms.country", "IT"}, Sides: sides(SideSpec{Path: "p", Format: format}, SideSpec{Path: "p"})},
		}}))
	}
	f.Fuzz(func(t *testing.T, s, country, other string) {
		got, _ := forms[0].Read(right, record.Fields{"p": text(s), "country": text(country)})
		v := got["x"]
		if !v.Observed() || v.Empty() {
			return
		}
		e := v.Text()
		if len(e) < 5 || len(e) > 17 || e[0] != '+' || strings.Trim(e[1:], "0123456789") != "" {
			t.Fatalf("%q is read as %q", s, e)
		}
		for i, m := range forms {
			if back, _ := forms[0].Read(right, record.Fields{"p": text(e), "country": text(other)}); !back["x"].Equal(v) {
				t.Fatalf("%q is read as %q, and that in %q as %v", s, e, other, back["x"])
			}
			w, problems := m.Write(left, record.Fields{"x": v}, nil)
			if len(problems) > 0 {
				t.Fatalf("%q can't be written: %v", e, problems)
			}
			if back, _ := m.Read(left, w); !back["x"].Equal(v) {
				t.Fatalf("%q is written as %v in form %d and read back as %v", e, w["p"], i, back["x"])
			}
		}
	})
}
