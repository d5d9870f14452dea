package guards

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// Who is never written to is read as the job's own field is. Where records show the country
// of a number beside it, a list does not, and a number without its country is nobody's.
func TestWhoIsNeverWrittenTo(t *testing.T) {
	own, shown := []string{"IT"}, []string{"pms.country", "IT"}
	for _, c := range []struct {
		name   string
		region []string
		texts  []string
		want   string // the numbers, or what is wrong
	}{
		{"as the country of the job has them", own, []string{"055 000001", "+39 055 000002"}, "+39055000001 +39055000002"},
		{"no number", own, []string{"055 000001", "none"}, "entry 2 of it is no phone that can be read"},
		{"with their countries", shown, []string{"+39 055 000001", "+49 30 901820"}, "+39055000001 +4930901820"},
		{"without its country", shown, []string{"+39 055 000001", "055 000002"}, "entry 2 of it is no phone with its country"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := mapping.Compile(mapping.Spec{
				Systems: [2]string{"platform", "pms"}, Zone: time.UTC, Match: [][]string{{"phone"}},
				Fields: []mapping.FieldSpec{{
					Name: "phone", As: mapping.Phone, Region: c.region,
					Sides: [2]mapping.SideSpec{{Path: "phone_number"}, {Path: "number"}},
				}},
			})
			if err != nil {
				t.Fatal(err)
			}
			set, err := neverOf(m, record.Right, "phone", c.texts)
			got := strings.Join(slices.Sorted(maps.Keys(set)), " ")
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, c.want) || (err == nil) != (got == c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
