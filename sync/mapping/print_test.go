package mapping

import (
	"slices"
	"testing"

	"nightporter/sync/record"
)

// The prints of a field change with whatever changes how it is read, and with nothing that leaves its values as
// they are.
func TestPrintsOfWhatIsReadInAnotherWay(t *testing.T) {
	spec := func() Spec {
		return Spec{
			Zone: zone(t, "Europe/Rome"), BlankCards: true,
			Fields: []FieldSpec{
				{Name: "text", Sides: both("text")},
				{Name: "list", As: List, Sides: both("list")},
				{Name: "blocks", As: List, Of: Block, Sides: both("blocks"), Each: []FieldSpec{
					{Name: "at", As: Instant, Sides: sides(SideSpec{Path: "at"}, SideSpec{Path: "at", Format: FormatLocal})},
				}},
				{Name: "phone", As: Phone, Region: []string{"IT"}, Sides: both("phone")},
				{Name: "start", As: Instant, Sides: sides(SideSpec{Path: "start"}, SideSpec{Path: "start", Format: FormatLocal})},
				{Name: "listed", As: List, Of: Instant, Sides: sides(SideSpec{Path: "listed"}, SideSpec{Path: "listed", Format: "DD/MM/YYYY HH:mm"})},
				{Name: "utc", As: Instant, Sides: sides(SideSpec{Path: "utc", Format: FormatUTC}, SideSpec{Path: "utc", Format: FormatEpoch})},
				{Name: "day", As: Date, Sides: sides(SideSpec{Path: "day"}, SideSpec{Path: "day", Format: FormatInstant})},
				{Name: "plain_day", As: Date, Sides: sides(SideSpec{Path: "plain_day", Format: "DD/MM/YYYY"}, SideSpec{Path: "plain_day"})},
				{Name: "read", As: Number, Sides: sides(SideSpec{Path: "read", Read: "value"}, SideSpec{Path: "read"})},
				{Name: "written", As: Number, Sides: sides(SideSpec{Path: "written", Write: "value"}, SideSpec{Path: "written"})},
				{Name: "guest", As: Reference, Refer: "guests", Sides: sides(SideSpec{Parts: map[string]string{PartName: "client"}}, SideSpec{Parts: map[string]string{PartID: "guest_id", PartPhone: "guest_phone"}})},
				{Name: "channel", Sides: sides(SideSpec{Path: "channel"}, SideSpec{Const: new("walk-in")})},
			},
		}
	}
	native := func(s *Spec, side record.Side, path, how string) {
		s.Native[side] = func(p string) string {
			if p == path {
				return how
			}
			return ""
		}
	}
	base := compile(t, spec())
	for name, tt := range map[string]struct {
		change  func(*Spec)
		read    [2][]string // fields with another print of how they are read
		written []string    // fields that have another print beside those
	}{
		"nothing": {change: func(*Spec) {}},
		"another zone": {
			change:  func(s *Spec) { s.Zone = zone(t, "Europe/London") },
			read:    [2][]string{{"read"}, {"blocks", "day", "listed", "start"}},
			written: []string{"written"},
		},
		"cards stay": {
			change: func(s *Spec) { s.BlankCards = false },
			read:   [2][]string{{"blocks", "channel", "guest", "list", "read", "text"}, {"blocks", "list", "text"}},
		},
		"the connector": {
			change: func(s *Spec) { native(s, left, "day", "day first") },
			read:   [2][]string{{"day"}, nil},
		},
		"the connector, of a part": {
			change: func(s *Spec) { native(s, right, "guest_phone", "text") },
			read:   [2][]string{nil, {"guest"}},
		},
		"the connector, of a key in a list": {change: func(s *Spec) { native(s, left, "at", "day first") }},
		"a constant": {
			change: func(s *Spec) { s.Fields[len(s.Fields)-1].Sides[right].Const = new("online") },
			read:   [2][]string{nil, {"channel"}},
		},
	} {
		s := spec()
		tt.change(&s)
		m := compile(t, s)
		was, now := base.ReadPrints(), m.ReadPrints()
		for _, side := range record.Sides {
			var got []string
			for f := range now {
				if now[f][side] != was[f][side] {
					got = append(got, f)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, tt.read[side]) {
				t.Errorf("%s, %s: read in another way: %q, want %q", name, side, got, tt.read[side])
			}
			if other := m.Fingerprint(side) != base.Fingerprint(side); len(got) > 0 && !other {
				t.Errorf("%s, %s: what was listed is not read again", name, side)
			}
		}
		want := slices.Concat(tt.read[left], tt.read[right], tt.written)
		slices.Sort(want)
		var got []string
		fields, before := m.FieldPrints(), base.FieldPrints()
		for f := range fields {
			if fields[f] != before[f] {
				got = append(got, f)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, slices.Compact(want)) {
			t.Errorf("%s: another print: %q, want %q", name, got, slices.Compact(want))
		}
	}
}
