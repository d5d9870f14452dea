package mapping

import (
	"slices"
	"testing"
	"time"

	"nightporter/sync/record"
)

func TestReadDate(t *testing.T) {
	for _, tt := range []struct{ zone, format, in, want string }{
		{"Europe/Rome", "", "2026-03-28", "2026-03-28"},
		{"Europe/Rome", "", " 2026-03-28 ", "2026-03-28"},
		{"Pacific/Apia", "", "2011-12-30", "2011-12-30"}, // a day that Apia never had is a day on a calendar all the same
		{"Europe/Rome", "", "2024-02-29", "2024-02-29"},
		{"Europe/Rome", "", "2026-02-29", ""},
		{"Europe/Rome", "", "2026-3-8", ""},
		{"Europe/Rome", "", "0000-00-00", ""},
		{"Europe/Rome", "", "0000-01-01", ""},
		{"Europe/Rome", "", "28/03/2026", ""},
		{"Europe/Rome", "", "2026-03-28T00:00:00Z", ""}, // whose midnight? It must be said
		{"Europe/Rome", "", "2026-03-28 00:00:00", ""},
		{"Europe/Rome", "DD/MM/YYYY", "28/03/2026", "2026-03-28"},
		{"Europe/Rome", "YYYYMMDD", "20260328", "2026-03-28"},
		{"Europe/Rome", "DD.MM.YYYY", "2026-03-28", ""},
		{"Europe/Rome", FormatLocal, "2026-03-28 00:00:00", "2026-03-28"},
		{"Europe/Rome", FormatLocal, "2026-03-28T00:00", "2026-03-28"},
		{"Europe/Rome", FormatLocal, "2026-03-28 14:00:00", ""},
		{"Europe/Rome", FormatUTC, "2026-03-28T00:00:00Z", "2026-03-28"},
		{"Europe/Rome", FormatUTC, "2026-03-28T00:00:00+01:00", ""},
		{"Europe/Rome", FormatInstant, "2026-03-27T23:00:00Z", "2026-03-28"},
		{"Europe/Rome", FormatInstant, "2026-03-28T00:00:00+01:00", "2026-03-28"},
		{"Europe/Rome", FormatInstant, "2026-06-27T22:00:00Z", "2026-06-28"},
		{"Europe/Rome", FormatInstant, "2026-03-28T00:00:00Z", ""},
		{"Asia/Beirut", FormatInstant, "2026-03-28T22:00:00Z", "2026-03-29"}, // the day begins at 01:00
		{"Pacific/Apia", FormatInstant, "2011-12-30T10:00:00Z", "2011-12-31"},
	} {
		m := compile(t, Spec{Zone: zone(t, tt.zone), Fields: []FieldSpec{
			{Name: "x", As: Date, Sides: sides(SideSpec{Path: "x", Format: tt.format}, SideSpec{Path: "x"})},
		}})
		got, problems := m.Read(left, record.Fields{"x": text(tt.in)})
		if got["x"].Text() != tt.want {
			t.Errorf("%s %s %q: got %v, want %q", tt.zone, tt.format, tt.in, got["x"], tt.want)
		}
		if tt.want == "" && !slices.Equal(codes(problems), []Code{BadDate}) {
			t.Errorf("%s %s %q: problems %v", tt.zone, tt.format, tt.in, problems)
		}
	}
}

func TestWriteSkippedDay(t *testing.T) {
	m := compile(t, Spec{Zone: zone(t, "Pacific/Apia"), Fields: []FieldSpec{
		{Name: "x", As: Date, Sides: sides(SideSpec{Path: "x", Format: FormatInstant}, SideSpec{Path: "x"})},
	}})
	w, problems := m.Write(left, record.Fields{"x": text("2011-12-30")}, nil)
	if len(w) > 0 || !slices.Equal(codes(problems), []Code{BadDate}) {
		t.Errorf("got %v %v", w, problems)
	}
	if w, _ := m.Write(right, record.Fields{"x": text("2011-12-30")}, nil); w["x"].Text() != "2011-12-30" {
		t.Errorf("as a civil day: %v", w)
	}
}

func TestReadInstant(t *testing.T) {
	for _, tt := range []struct {
		format string
		in     record.Value
		want   string
	}{
		{"", text("2026-03-28T15:00:00Z"), "2026-03-28T15:00:00.000Z"},
		{"", text("2026-03-28 15:00:00.123456+01:00"), "2026-03-28T14:00:00.123Z"},
		{"", text("2026-03-28T15:00:00+0100"), "2026-03-28T14:00:00.000Z"},
		{"", text("2026-03-28 15:00:00+01"), "2026-03-28T14:00:00.000Z"},
		{"", text("2026-03-28T15:00Z"), "2026-03-28T15:00:00.000Z"},
		{"", text("2026-03-28 15:00:00"), ""},
		{"", text("2026-03-28"), ""},
		{FormatLocal, text("2026-03-28 15:00:00"), "2026-03-28T14:00:00.000Z"},
		{FormatLocal, text("2026-06-28T15:00:00.5"), "2026-06-28T13:00:00.500Z"},
		{FormatLocal, text("2026-03-29 02:30:00"), ""}, // skipped
		{FormatLocal, text("2026-10-25 02:30:00"), "2026-10-25T00:30:00.000Z"},
		{FormatLocal, text("2026-03-28 15:00:00Z"), ""},
		{FormatUTC, text("2026-03-28 15:00"), "2026-03-28T15:00:00.000Z"},
		{"DD/MM/YYYY HH:mm", text("28/03/2026 15:00"), "2026-03-28T14:00:00.000Z"},
		{FormatEpoch, num(t, "1774706400"), "2026-03-28T14:00:00.000Z"},
		{FormatEpoch, text("1774706400"), "2026-03-28T14:00:00.000Z"},
		{FormatEpoch, text("1774706400.5"), ""},
		{FormatEpoch, num(t, "1e30"), ""},
		{FormatMillis, num(t, "1774706400123"), "2026-03-28T14:00:00.123Z"},
		{FormatFloat, num(t, "1774706400.1239"), "2026-03-28T14:00:00.123Z"},
		{FormatFloat, num(t, "-0.5"), "1969-12-31T23:59:59.500Z"},
		{"", record.OfList(), "empty"},
		{"", record.OfList(text("x")), ""},
	} {
		m := one(t, FieldSpec{As: Instant}, SideSpec{Path: "x", Format: tt.format})
		got, problems := m.Read(right, record.Fields{"x": tt.in})
		if tt.want == "empty" {
			if !got["x"].Equal(record.Nothing()) {
				t.Errorf("%s %v: got %v", tt.format, tt.in, got["x"])
			}
			continue
		}
		if got["x"].Text() != tt.want || (tt.want == "") != (len(problems) == 1) {
			t.Errorf("%s %v: got %v %v, want %q", tt.format, tt.in, got["x"], problems, tt.want)
		}
	}
}

func FuzzDate(f *testing.F) {
	for _, s := range []string{"2026-03-28", "0000-00-00", "2026-03-28T00:00:00Z", "9999-12-31", "20260328", "1e9"} {
		f.Add(s)
	}
	m := compile(f, Spec{Zone: zone(f, "America/Havana"), Fields: []FieldSpec{
		{Name: "civil", As: Date, Sides: both("civil")},
		{Name: "instant", As: Date, Sides: sides(SideSpec{Path: "i", Format: FormatInstant}, SideSpec{Path: "i", Format: FormatMillis})},
		{Name: "at", As: Instant, Sides: sides(SideSpec{Path: "t", Format: FormatLocal}, SideSpec{Path: "t", Format: FormatFloat})},
	}})
	f.Fuzz(func(t *testing.T, s string) {
		native := record.Fields{"civil": text(s), "i": text(s), "t": text(s)}
		for _, side := range record.Sides {
			got, _ := m.Read(side, native)
			for _, name := range []string{"civil", "instant"} {
				v := got[name]
				if !v.Observed() || v.Empty() {
					continue
				}
				if _, err := time.Parse(time.DateOnly, v.Text()); err != nil {
					t.Fatalf("%s %q read as %v", name, s, v)
				}
				if back := m.Normal(side, name, v, native); !back.Equal(v) {
					t.Fatalf("%s %q read as %v, written and read as %v", name, s, v, back)
				}
			}
			// A wall time may stand for two instants, but only the first is ever read.
			if v := got["at"]; v.Observed() && !v.Empty() && !m.Normal(side, "at", v, native).Equal(v) {
				t.Fatalf("at %q read as %v, comes back as %v", s, v, m.Normal(side, "at", v, native))
			}
		}
	})
}
