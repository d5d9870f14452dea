package mapping

import (
	"strings"
	"testing"

	"nightporter/sync/record"
)

// A time is written only in a form that is read as that time, or as the same time with fewer digits. On the night of
// 2027-10-31 the clock in Rome shows 02:00 to 03:00 twice; where Lord Howe puts it forward, 02:00 to 02:30 is skipped.
func TestATimeIsNotWrittenAsAnother(t *testing.T) {
	twice := "2027-10-31T01:30:00.000Z" // the second 02:30
	for name, tt := range map[string]struct {
		zone, in string
		side     SideSpec
		want     string // "" where it is not written
		why      string
	}{
		"first pass":           {"Europe/Rome", "2027-10-31T00:30:00.000Z", SideSpec{Format: FormatLocal}, "2027-10-31 02:30:00", ""},
		"second pass":          {"Europe/Rome", twice, SideSpec{Format: FormatLocal}, "", "2027-10-31 02:30 stands for two times"},
		"its first moment":     {"Europe/Rome", "2027-10-31T01:00:00.000Z", SideSpec{Format: FormatLocal}, "", "02:00 stands"},
		"after it":             {"Europe/Rome", "2027-10-31T02:00:00.000Z", SideSpec{Format: FormatLocal}, "2027-10-31 03:00:00", ""},
		"the gap of spring":    {"Europe/Rome", "2027-03-28T01:00:00.000Z", SideSpec{Format: FormatLocal}, "2027-03-28 03:00:00", ""},
		"a pattern":            {"Europe/Rome", twice, SideSpec{Format: "DD/MM/YYYY HH:mm"}, "", "02:30 stands"},
		"a pattern of hours":   {"Europe/Rome", twice, SideSpec{Format: "DD/MM/YYYY HH"}, "", "02:30 stands"},
		"in UTC":               {"Europe/Rome", twice, SideSpec{Format: FormatUTC}, "2027-10-31 01:30:00", ""},
		"seconds since 1970":   {"Europe/Rome", twice, SideSpec{Format: FormatEpoch}, "1824946200", ""},
		"fewer digits":         {"Europe/Rome", "2027-10-30T10:20:30.400Z", SideSpec{Format: "DD/MM/YYYY HH:mm"}, "30/10/2027 12:20", ""},
		"a day alone":          {"Europe/Rome", "2027-10-31T15:00:00.000Z", SideSpec{Format: "DD/MM/YYYY"}, "31/10/2027", ""},
		"an hour that is none": {"Australia/Lord_Howe", "2027-10-02T15:35:00.000Z", SideSpec{Format: "YYYY-MM-DD HH"}, "", "can't be read back"},
		"an expression":        {"Europe/Rome", twice, SideSpec{Read: `instant(value)`, Write: `local(value)`}, "", "02:30 stands"},
		"an expression before": {"Europe/Rome", "2027-10-31T00:30:00.000Z", SideSpec{Read: `instant(value)`, Write: `local(value)`}, "2027-10-31 02:30:00", ""},
	} {
		t.Run(name, func(t *testing.T) {
			tt.side.Path = "at"
			m := compile(t, Spec{Zone: zone(t, tt.zone), Fields: []FieldSpec{{Name: "at", As: Instant, Sides: sides(SideSpec{Path: "at"}, tt.side)}}})
			got, problems := m.Write(right, record.Fields{"at": text(tt.in)}, nil)
			if got["at"].Text() != tt.want || (len(problems) == 1) != (tt.want == "") {
				t.Fatalf("got %v %v, want %q", got, problems, tt.want)
			}
			if tt.want != "" {
				return
			}
			if p := problems[0]; p.Code != OtherTime || !strings.Contains(p.Text, tt.why) {
				t.Errorf("got %+v, want %q", p, tt.why)
			}
			if back := m.Normal(right, "at", text(tt.in), nil); back.Observed() {
				t.Errorf("it counts as the same as %v", back)
			}
		})
	}
}

// A list is not written with another time in it either.
func TestAListOfTimesIsNotWrittenWithAnother(t *testing.T) {
	m := compile(t, Spec{Zone: zone(t, "Europe/Rome"), Fields: []FieldSpec{
		{Name: "at", As: List, Of: Instant, Sides: sides(SideSpec{Path: "at"}, SideSpec{Path: "at", Format: FormatLocal})},
	}})
	got, problems := m.Write(right, record.Fields{"at": record.OfList(text("2027-10-31T00:30:00.000Z"), text("2027-10-31T01:30:00.000Z"))}, nil)
	if len(got) > 0 || len(problems) != 1 || problems[0].Code != OtherTime {
		t.Errorf("got %v %v", got, problems)
	}
}
