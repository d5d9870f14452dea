package plan_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

func TestHold(t *testing.T) {
	now := time.Date(2026, 5, 4, 22, 0, 0, 0, time.UTC)
	nine := time.Date(2026, 5, 5, 9, 0, 0, 0, time.UTC)
	night := func(time.Time) (time.Time, bool) { return nine, true }
	ago := func(minutes ...int) (all []time.Time) {
		for _, m := range minutes {
			all = append(all, now.Add(-time.Duration(m)*time.Minute))
		}
		return all
	}
	for name, c := range map[string]struct {
		rule  plan.Sending
		fact  plan.Sent
		key   string
		why   string
		until time.Time
	}{
		"nothing holds it":          {plan.Sending{}, plan.Sent{}, "", "", time.Time{}},
		"at night":                  {plan.Sending{Shut: night}, plan.Sent{}, record.HoldHours, "it goes at 2026-05-05 09:00", nine},
		"at night, for today":       {plan.Sending{Shut: night, Soon: "arrival"}, plan.Sent{Day: "2026-05-04"}, "", "", time.Time{}},
		"at night, for tomorrow":    {plan.Sending{Shut: night, Soon: "arrival", Days: 1}, plan.Sent{Day: "2026-05-05T15:00:00"}, "", "", time.Time{}},
		"at night, the day after":   {plan.Sending{Shut: night, Soon: "arrival", Days: 1}, plan.Sent{Day: "2026-05-06"}, record.HoldHours, "it goes at", nine},
		"at night, for yesterday":   {plan.Sending{Shut: night, Soon: "arrival", Days: 1}, plan.Sent{Day: "2026-05-03"}, record.HoldHours, "it goes at", nine},
		"at night, without a day":   {plan.Sending{Shut: night, Soon: "arrival", Days: 1}, plan.Sent{}, record.HoldHours, "it goes at", nine},
		"below the cap":             {plan.Sending{AnHour: 3}, plan.Sent{Hour: ago(59, 2)}, "", "", time.Time{}},
		"at the cap":                {plan.Sending{AnHour: 2}, plan.Sent{Hour: ago(50, 2)}, record.HoldRate, "it goes at 2026-05-04 22:10", now.Add(10 * time.Minute)},
		"above a cap that was less": {plan.Sending{AnHour: 2}, plan.Sent{Hour: ago(50, 40, 30)}, record.HoldRate, "it goes at 2026-05-04 22:20", now.Add(20 * time.Minute)},
		"on the list, for today":    {plan.Sending{Shut: night, Soon: "arrival", Number: "phone"}, plan.Sent{Day: "2026-05-04", Number: "1", Never: map[string]bool{"1": true}}, record.HoldNever, "among those", time.Time{}},
		"not on the list":           {plan.Sending{Number: "phone"}, plan.Sent{Number: "2", Never: map[string]bool{"1": true}}, "", "", time.Time{}},
		"no number":                 {plan.Sending{Number: "phone"}, plan.Sent{Never: map[string]bool{}}, record.HoldNever, "shows no phone", time.Time{}},
		"the list can't be read":    {plan.Sending{Number: "phone"}, plan.Sent{Number: "2", Unlisted: errors.New("no such file")}, record.HoldNever, "nobody is: no such file", time.Time{}},
	} {
		c.fact.Now = now
		h, held := c.rule.Hold(c.fact)
		if held != (c.why != "") || h.Rule != c.key || !strings.Contains(h.Why, c.why) || !h.Until.Equal(c.until) {
			t.Errorf("%s: got %+v, want %q by %q until %s", name, h, c.why, c.key, c.until)
		}
	}
}

// What an instant is for is the day that the house has then.
func TestHoldByTheDayOfTheHouse(t *testing.T) {
	night := func(now time.Time) (time.Time, bool) { return now.Add(11 * time.Hour), true }
	rule := plan.Sending{Shut: night, Soon: "start", Days: 1}
	for _, c := range []struct {
		zone, start string
		goes        bool
	}{
		{"America/New_York", "2026-05-06T01:00:00.000Z", true}, // tomorrow at nine in the evening
		{"America/New_York", "2026-05-06T04:00:00.000Z", false},
		{"Asia/Tokyo", "2026-05-05T14:59:59.000Z", true},
		{"Asia/Tokyo", "2026-05-05T23:00:00.000Z", false}, // the day after tomorrow at eight in the morning
		{"Asia/Tokyo", "2026-05-03T15:30:00.000Z", true},  // today
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Date(2026, 5, 4, 22, 0, 0, 0, zone)
		if h, held := rule.Hold(plan.Sent{Now: now, Day: c.start}); held == c.goes {
			t.Errorf("%s in %s: got %+v", c.start, c.zone, h)
		}
	}
}
