package plan

import (
	"testing"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// The days of a booking are one: where a person is asked about the one because it changed around an update
// of ours, the other one is neither written nor taken.
func TestWhatIsOneWithATriedFieldIsAsked(t *testing.T) {
	day := func(d string) record.Value { return record.OfText("2027-01-" + d) }
	const arrival, departure = "arrival", "departure"
	for name, tt := range map[string]struct {
		tried    map[string]record.Cause
		days     [2][2]string // arrival and departure of either side
		group    string
		chosen   bool // a person chose the arrival
		decision merge.Decision
		asked    bool
	}{
		"both differ":                              {map[string]record.Cause{arrival: Tried}, [2][2]string{{"04", "10"}, {"11", "14"}}, "days", false, merge.Decision{Act: merge.WriteLeft}, true},
		"after an update without an answer":        {map[string]record.Cause{arrival: Unanswered}, [2][2]string{{"04", "10"}, {"11", "14"}}, "days", false, merge.Decision{Act: merge.WriteLeft}, true},
		"they are not one":                         {map[string]record.Cause{arrival: Tried}, [2][2]string{{"04", "10"}, {"11", "14"}}, "", false, merge.Decision{Act: merge.WriteLeft}, false},
		"the arrival is the same on both":          {map[string]record.Cause{arrival: Tried}, [2][2]string{{"04", "10"}, {"04", "14"}}, "days", false, merge.Decision{Act: merge.WriteLeft}, false},
		"the departure is the same on both":        {map[string]record.Cause{arrival: Tried}, [2][2]string{{"04", "10"}, {"11", "10"}}, "days", false, merge.Decision{Act: merge.Keep}, false},
		"a person chose the arrival":               {map[string]record.Cause{arrival: Tried}, [2][2]string{{"04", "10"}, {"11", "14"}}, "days", true, merge.Decision{Act: merge.WriteLeft}, false},
		"a person chose the departure":             {map[string]record.Cause{arrival: Tried}, [2][2]string{{"04", "10"}, {"11", "14"}}, "days", false, merge.Decision{Act: merge.WriteLeft, Reason: merge.Chosen()}, false},
		"the arrival is asked about otherwise":     {map[string]record.Cause{arrival: Emptied}, [2][2]string{{"04", "10"}, {"11", "14"}}, "days", false, merge.Decision{Act: merge.WriteLeft}, false},
		"a person said that both stay as they are": {map[string]record.Cause{arrival: Tried}, [2][2]string{{"04", "10"}, {"11", "14"}}, "days", false, merge.Decision{Act: merge.Keep, Reason: merge.ChosenLeave()}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := Case{Asked: askedBy(tt.tried)}
			for _, side := range record.Sides {
				c.Sides[side].Now = record.Fields{arrival: day(tt.days[side][0]), departure: day(tt.days[side][1])}
			}
			first, second := merge.Decision{Field: arrival, Group: tt.group}, tt.decision
			if tt.chosen {
				first.Act, first.Reason = merge.WriteLeft, merge.Chosen()
			}
			second.Field, second.Group = departure, tt.group
			ds := []merge.Decision{first, second}
			for i := range ds {
				c.tried(ds, i)
			}
			if got := ds[1].Act == merge.Hold; got != tt.asked {
				t.Errorf("asked about the departure: %t, want %t (%+v)", got, tt.asked, ds[1])
			}
			if policy := merge.Policy(tt.tried[arrival]); tt.asked && ds[1].Policy != policy {
				t.Errorf("asked by policy %q, want %q", ds[1].Policy, policy)
			}
		})
	}
}

// askedBy returns open questions about fields, each with its cause.
func askedBy(causes map[string]record.Cause) map[string]record.Question {
	out := map[string]record.Question{}
	for f, cause := range causes {
		out[f] = record.Question{Subject: record.Subject{Field: f}, Cause: cause}
	}
	return out
}
