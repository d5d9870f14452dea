package schedule_test

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"nightporter/sync/schedule"
)

func location(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func spec(t testing.TB, text, zone string) *schedule.Spec {
	t.Helper()
	s, err := schedule.Parse(text, location(t, zone))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func instant(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// tell writes a slot as its civil time, its pass, and the wall clock at its instant.
func tell(s schedule.Slot, loc *time.Location) string {
	if s.IsZero() {
		return "none"
	}
	text := s.Civil
	if s.Fold == 1 {
		text += "'"
	}
	return text + " = " + s.At.In(loc).Format("01-02 15:04 -0700")
}

func TestSlots(t *testing.T) {
	tests := map[string]struct {
		spec, zone, after string // after is an instant
		want              []string
	}{
		"spring, in the gap": {"30 2 * * *", "Europe/Rome", "2026-03-28T00:00:00Z", []string{
			"2026-03-28T02:30 = 03-28 02:30 +0100", "2026-03-29T02:30 = 03-29 03:00 +0200", "2026-03-30T02:30 = 03-30 02:30 +0200",
		}},
		"spring, before and after the gap": {"30 1,3 * * *", "Europe/Prague", "2026-03-29T00:00:00Z", []string{
			"2026-03-29T01:30 = 03-29 01:30 +0100", "2026-03-29T03:30 = 03-29 03:30 +0200", "2026-03-30T01:30 = 03-30 01:30 +0200",
		}},
		"spring, several in the gap are one": {"*/20 2,3 * * *", "Europe/Prague", "2026-03-28T23:00:00Z", []string{
			"2026-03-29T03:00 = 03-29 03:00 +0200", "2026-03-29T03:20 = 03-29 03:20 +0200",
		}},
		"spring, every two hours of the wall": {"0 */2 * * *", "Europe/Rome", "2026-03-28T22:59:00Z", []string{
			"2026-03-29T00:00 = 03-29 00:00 +0100", "2026-03-29T02:00 = 03-29 03:00 +0200", "2026-03-29T04:00 = 03-29 04:00 +0200",
		}},
		"autumn, the first pass": {"30 2 * * *", "Europe/Prague", "2026-10-24T12:00:00Z", []string{
			"2026-10-25T02:30 = 10-25 02:30 +0200", "2026-10-26T02:30 = 10-26 02:30 +0100",
		}},
		"autumn, seen from the second pass": {"30 2 * * *", "Europe/Prague", "2026-10-25T01:10:00Z", []string{
			"2026-10-26T02:30 = 10-26 02:30 +0100",
		}},
		"autumn, after the repeated hour": {"0 3 * * *", "Europe/Prague", "2026-10-25T00:59:00Z", []string{
			"2026-10-25T03:00 = 10-25 03:00 +0100",
		}},
		"autumn, daily": {"02:00", "Europe/Rome", "2026-10-24T12:00:00Z", []string{
			"2026-10-25T02:00 = 10-25 02:00 +0200", "2026-10-26T02:00 = 10-26 02:00 +0100",
		}},
		"an interval runs in both passes": {"30 * * * *", "Europe/Rome", "2026-10-24T23:45:00Z", []string{
			"2026-10-25T02:30 = 10-25 02:30 +0200", "2026-10-25T02:30' = 10-25 02:30 +0100", "2026-10-25T03:30 = 10-25 03:30 +0100",
		}},
		"an interval has nothing in a gap": {"30 * * * *", "Europe/Rome", "2026-03-29T00:00:00Z", []string{
			"2026-03-29T01:30 = 03-29 01:30 +0100", "2026-03-29T03:30 = 03-29 03:30 +0200",
		}},
		"every, in both passes": {"every 30m", "Europe/Rome", "2026-10-25T00:15:00Z", []string{
			"2026-10-25T02:30 = 10-25 02:30 +0200", "2026-10-25T02:00' = 10-25 02:00 +0100", "2026-10-25T02:30' = 10-25 02:30 +0100",
			"2026-10-25T03:00 = 10-25 03:00 +0100",
		}},
		"every two hours, of real time": {"every 2h", "Europe/Rome", "2026-03-28T23:00:00Z", []string{
			"2026-03-29T01:00 = 03-29 01:00 +0100", "2026-03-29T04:00 = 03-29 04:00 +0200", "2026-03-29T06:00 = 03-29 06:00 +0200",
		}},
		"half an hour forward": {"15 2 * * *", "Australia/Lord_Howe", "2026-10-02T20:00:00Z", []string{
			"2026-10-04T02:15 = 10-04 02:30 +1100", "2026-10-05T02:15 = 10-05 02:15 +1100",
		}},
		"half an hour back": {"45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00:00Z", []string{
			"2026-04-05T01:45 = 04-05 01:45 +1100", "2026-04-06T01:45 = 04-06 01:45 +1030",
		}},
		"half an hour back, an interval": {"*/15 * * * *", "Australia/Lord_Howe", "2026-04-04T14:30:00Z", []string{
			"2026-04-05T01:45 = 04-05 01:45 +1100", "2026-04-05T01:30' = 04-05 01:30 +1030", "2026-04-05T01:45' = 04-05 01:45 +1030",
			"2026-04-05T02:00 = 04-05 02:00 +1030",
		}},
		"half an hour forward, hourly": {"@hourly", "Australia/Lord_Howe", "2026-10-03T14:00:00Z", []string{
			"2026-10-04T01:00 = 10-04 01:00 +1030", "2026-10-04T03:00 = 10-04 03:00 +1100",
		}},
		"no midnight in Cairo": {"0 0 * * *", "Africa/Cairo", "2026-04-23T00:00:00Z", []string{
			"2026-04-24T00:00 = 04-24 01:00 +0300", "2026-04-25T00:00 = 04-25 00:00 +0300",
		}},
		"midnight in Cairo, autumn": {"30 23 * * *", "Africa/Cairo", "2026-10-29T00:00:00Z", []string{
			"2026-10-29T23:30 = 10-29 23:30 +0300", "2026-10-30T23:30 = 10-30 23:30 +0200",
		}},
		"no midnight in Beirut": {"@daily", "Asia/Beirut", "2026-03-28T00:00:00Z", []string{
			"2026-03-29T00:00 = 03-29 01:00 +0300", "2026-03-30T00:00 = 03-30 00:00 +0300",
		}},
		"no midnight in São Paulo": {"0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00:00Z", []string{
			"2018-11-04T00:00 = 11-04 01:00 -0200", "2018-11-05T00:00 = 11-05 00:00 -0200",
		}},
		"midnight comes once in São Paulo": {"0 0 * * *", "America/Sao_Paulo", "2018-02-17T12:00:00Z", []string{
			"2018-02-18T00:00 = 02-18 00:00 -0300",
		}},
		"the hour before midnight comes twice": {"30 23 * * *", "America/Sao_Paulo", "2018-02-17T12:00:00Z", []string{
			"2018-02-17T23:30 = 02-17 23:30 -0200", "2018-02-18T23:30 = 02-18 23:30 -0300",
		}},
		"a day that was left out": {"30 3 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z", []string{
			"2011-12-29T03:30 = 12-29 03:30 -1000", "2011-12-30T03:30 = 12-31 00:00 +1400", "2011-12-31T03:30 = 12-31 03:30 +1400",
		}},
		"leap day": {"0 12 29 2 *", "Europe/Prague", "2027-01-01T00:00:00Z", []string{
			"2028-02-29T12:00 = 02-29 12:00 +0100", "2032-02-29T12:00 = 02-29 12:00 +0100",
		}},
		"leap day, eight years": {"0 12 29 2 *", "UTC", "2097-01-01T00:00:00Z", []string{"2104-02-29T12:00 = 02-29 12:00 +0000"}},
		"day of month or of week": {"0 12 13 * 5", "UTC", "2026-11-11T00:00:00Z", []string{
			"2026-11-13T12:00 = 11-13 12:00 +0000", "2026-11-20T12:00 = 11-20 12:00 +0000",
		}},
		"seven is Sunday": {"0 12 * * 7", "UTC", "2026-11-21T00:00:00Z", []string{
			"2026-11-22T12:00 = 11-22 12:00 +0000", "2026-11-29T12:00 = 11-29 12:00 +0000",
		}},
		"up to seven": {"0 12 * * 6-7", "UTC", "2026-11-21T00:00:00Z", []string{
			"2026-11-21T12:00 = 11-21 12:00 +0000", "2026-11-22T12:00 = 11-22 12:00 +0000", "2026-11-28T12:00 = 11-28 12:00 +0000",
		}},
		"a webhook alone": {"webhook", "UTC", "2026-11-21T00:00:00Z", []string{"none"}},
		"a webhook and a fallback": {"webhook, or every 2m", "UTC", "2026-11-21T00:00:30Z", []string{
			"2026-11-21T00:02 = 11-21 00:02 +0000", "2026-11-21T00:04 = 11-21 00:04 +0000",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, loc := spec(t, tt.spec, tt.zone), location(t, tt.zone)
			var got []string
			at := instant(t, tt.after)
			for range tt.want {
				slot := s.Next(at)
				got = append(got, tell(slot, loc))
				at = slot.At
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("slots of %q in %s after %s (-want +got):\n%s", tt.spec, tt.zone, tt.after, diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	tests := map[string][]string{ // what the error must say
		"":                              {`""`, "empty", `"every 2m"`},
		"every":                         {"not understood"},
		"every 30s":                     {`"every 30s"`, "shorter than a minute", `"every 1m"`},
		"@every 59s":                    {"shorter than a minute"},
		"@every -5m":                    {"not a length of time"},
		"@every 0s":                     {"shorter than a minute"},
		"every 90s":                     {"whole minutes", `"every 2m"`},
		"every 5":                       {"not a length of time", `"every 2m"`},
		"every 32d":                     {"longer than 31 days"},
		"every 9999999w":                {"longer than 31 days"},
		"every fortnight":               {"not a length of time"},
		"24:00":                         {"no such time of day"},
		"3:5":                           {"not understood", `"03:30"`},
		"TZ=UTC":                        {"time zone of its own", "time_zone"},
		"CRON_TZ=Europe/Prague":         {"time zone of its own"},
		"cron_tz=Europe/Rome 0 3 * * *": {"time zone of its own"},
		"0 12 30 2 *":                   {"names a date that no year has"},
		"0 12 31 4,6,9,11 *":            {"names a date that no year has"},
		"0 0 3 * * *":                   {"seconds", "five"},
		"61 3 * * *":                    {`"61" is no minute: 0 to 59`, "*/10"},
		"0 3 * * 8":                     {`"8" is no weekday: 0 to 7`},
		"0 3 * * */0":                   {`"*/0" is no weekday`},
		"0 3 L * *":                     {`"L" is no day: 1 to 31`},
		"@reboot":                       {"caught up anyway"},
		"@fortnightly":                  {`"@fortnightly"`, "not understood", `"@daily"`},
		"webhook every 2m":              {`"webhook, or every 2m"`},
		"webhook, or":                   {"empty"},
		"webhook, or every 10s":         {"shorter than a minute"},
		"webhooks":                      {"not understood"},
		"\x00 * * * *":                  {"is no minute"},
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			s, err := schedule.Parse(text, time.UTC)
			if err == nil {
				t.Fatalf("Parse(%q) = %v, want an error", text, s)
			}
			for _, w := range want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("Parse(%q): %v\nwant it to say %q", text, err, w)
				}
			}
		})
	}
}

func TestParseAccepts(t *testing.T) {
	type facts struct {
		Webhook, Timed, Interval bool
		Period                   time.Duration
		PerHour                  float64
		Most                     int
	}
	tests := map[string]facts{
		"every 1m":               {false, true, true, time.Minute, 60, 60},
		"Every 1h30m":            {false, true, true, 90 * time.Minute, 16. / 24, 1},
		"every 2 hours":          {false, true, true, 2 * time.Hour, 0.5, 1},
		"@every 1m":              {false, true, true, time.Minute, 60, 60},
		"* * * * *":              {false, true, true, time.Minute, 60, 60},
		"@daily":                 {false, true, false, 24 * time.Hour, 1. / 24, 1},
		"@hourly":                {false, true, true, time.Hour, 1, 1},
		"30 3 * * *":             {false, true, false, 24 * time.Hour, 1. / 24, 1},
		"daily at 3:30":          {false, true, false, 24 * time.Hour, 1. / 24, 1},
		"0,50 * * * *":           {false, true, true, 10 * time.Minute, 2, 2},
		"0 9-17 * * MON-FRI":     {false, true, false, time.Hour, 9. / 24, 1},
		"0 4 1 * *":              {false, true, false, 28 * 24 * time.Hour, 0, 0},
		"webhook":                {true, false, false, 0, 0, 0},
		"webhook,  or  every 2m": {true, true, true, 2 * time.Minute, 30, 30},
		"webhook or 03:30":       {true, true, false, 24 * time.Hour, 1. / 24, 1},
	}
	friday := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			s := spec(t, text, "UTC")
			runs, most := often(s, friday)
			got := facts{s.Webhook(), s.Timed(), s.Interval(), s.Period(), runs, most}
			if got != want {
				t.Errorf("Parse(%q) has %+v, want %+v", text, got, want)
			}
		})
	}
}

// often is how many runs an hour of a day a cadence has, without quiet hours.
func often(s *schedule.Spec, day time.Time) (runs float64, most int) {
	return (&schedule.Job{Full: s}).Often(schedule.Full, day, 1)
}

func TestRunsAnHourWhenTheClockIsChanged(t *testing.T) {
	tests := map[string]struct {
		spec, day string
		want      float64
	}{
		"a nightly run in a day of 23 hours": {"30 2 * * *", "2026-03-29T12:00:00Z", 1. / 23},
		"a nightly run in a day of 25 hours": {"30 2 * * *", "2026-10-25T12:00:00Z", 1. / 25},
		"an interval in a day of 25 hours":   {"every 1m", "2026-10-25T12:00:00Z", 60},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got, _ := often(spec(t, tt.spec, "Europe/Rome"), instant(t, tt.day)); got != tt.want {
				t.Errorf("runs an hour: got %v, want %v", got, tt.want)
			}
		})
	}
}

// No text makes the parser panic, and what it accepts has a next slot.
func TestParseAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`(webhook,? ?(or )?)?(@?every )?[0-9]{0,3}[smhdw]?`),
			rapid.StringMatching(`([*0-9,/-]{1,4} ){4}[*0-7,/-]{1,3}`),
			rapid.StringMatching(`(CRON_)?TZ=[A-Za-z/]{0,5}( [0-9*] \* \* \* \*)?`),
			rapid.String(),
		).Draw(t, "text")
		s, err := schedule.Parse(text, time.UTC)
		if err != nil {
			return
		}
		now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
		if next := s.Next(now); s.Timed() != (!next.IsZero() && next.At.After(now)) {
			t.Errorf("Parse(%q): timed is %v, next slot %v", text, s.Timed(), next)
		}
	})
}

// Last is what walking with Next would find, over changes of the clock.
func TestLastIsTheEndOfNext(t *testing.T) {
	specs := []string{"30 2 * * *", "0 0 * * *", "*/7 * * * *", "*/20 1-3 * * *", "every 7m", "every 2h", "0 12 * * 7", "45 1 29 2 *"}
	zones := []string{"Europe/Rome", "Africa/Cairo", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Beirut"}
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom(zones).Draw(t, "zone")
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		s, err := schedule.Parse(rapid.SampledFrom(specs).Draw(t, "spec"), loc)
		if err != nil {
			t.Fatal(err)
		}
		after := time.Unix(rapid.Int64Range(1.5e9, 1.8e9).Draw(t, "after"), 0)
		now := after.Add(time.Duration(rapid.Int64Range(0, 20*24*3600).Draw(t, "seconds")) * time.Second)
		var want schedule.Slot
		for n := s.Next(after); !n.IsZero() && !n.At.After(now); n = s.Next(n.At) {
			if !n.At.After(want.At) && !want.IsZero() || n.Civil == want.Civil && n.Fold == want.Fold {
				t.Fatalf("Next goes from %v to %v", want, n)
			}
			want = n
		}
		if got := s.Last(after, now); got != want {
			t.Errorf("Last(%v, %v) = %v, want %v", after, now, got, want)
		}
	})
}
