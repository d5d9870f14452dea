package match

import (
	"testing"

	"nightporter/sync/run"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// A record is much like what was sent if half of the fields are the same. A guest who is written by a
// phone and a name is one of them, and a number that stands in the place of its digits is the same.
func TestMostly(t *testing.T) {
	side := func(path string) [2]mapping.SideSpec { return [2]mapping.SideSpec{{Path: path}, {Path: path}} }
	m, err := mapping.Compile(mapping.Spec{Systems: [2]string{"one", "two"}, Match: [][]string{{"label"}}, Fields: []mapping.FieldSpec{
		{Name: "guest", As: mapping.Reference, Refer: "guests", Sides: [2]mapping.SideSpec{
			{Parts: map[string]string{mapping.PartPhone: "guest_phone", mapping.PartName: "guest_name"}}, {Parts: map[string]string{mapping.PartID: "guest_id"}},
		}},
		{Name: "day", As: mapping.Date, Sides: side("day")},
		{Name: "room", Sides: side("room")},
		{Name: "label", Sides: side("label")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	r := &Room{Run: &run.Run{Job: &run.Job{Mapping: m}}}
	texts := func(kv ...string) record.Fields {
		out := record.Fields{}
		for i := 0; i < len(kv); i += 2 {
			out[kv[i]] = record.OfText(kv[i+1])
		}
		return out
	}
	sent := texts("guest_phone", "+39055100", "guest_name", "Anna", "day", "2027-01-10", "room", "101", "label", "B8")
	byID := texts("guest_id", "7", "day", "2027-01-10", "room", "101", "label", "B8")
	number := record.OfInt(7)
	for name, tt := range map[string]struct {
		side      record.Side
		sent, now record.Fields
		want      bool
	}{
		"as it was sent":                        {record.Left, sent, sent, true},
		"another guest":                         {record.Left, sent, sent.With(texts("guest_phone", "+39055200", "guest_name", "Bruno")), true},
		"another guest, on another day":         {record.Left, sent, sent.With(texts("guest_phone", "+39055200", "guest_name", "Bruno", "day", "2027-02-01")), true},
		"all but the room":                      {record.Left, sent, sent.With(texts("guest_phone", "+39055200", "guest_name", "Bruno", "day", "2027-02-01", "label", "C")), false},
		"its name alone":                        {record.Left, sent, sent.With(texts("guest_name", "Bruno", "day", "2027-02-01", "label", "C")), false},
		"the guest as a number, on another day": {record.Right, byID, byID.With(texts("day", "2027-02-01", "room", "102")).With(record.Fields{"guest_id": number}), true},
		"another number":                        {record.Right, byID, byID.With(texts("day", "2027-02-01", "room", "102")).With(record.Fields{"guest_id": record.OfInt(8)}), false},
		"what is not shown is not the same":     {record.Right, byID, texts("guest_id", "7"), false},
		"with a constant that is no field":      {record.Right, byID.With(texts("source", "phone")), byID.With(texts("day", "2027-02-01", "room", "102", "source", "phone")), true},
	} {
		if got := r.Mostly(tt.side, tt.sent, tt.now); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
}
