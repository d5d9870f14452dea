package schedule

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// The bounds of `every`. A shorter cadence would call the systems too often. A longer one is most likely
// a typing mistake.
const (
	shortestEvery = time.Minute
	longestEvery  = 31 * 24 * time.Hour
)

const howTo = `write a cadence such as "every 2m", "03:30", "30 3 * * *" (minute hour day month weekday), "@daily", "webhook" or "webhook, or every 2m"`

var (
	clockText   = regexp.MustCompile(`^(?:daily )?(?:at )?([0-9]{1,2}):([0-9]{2})$`)
	everyPart   = regexp.MustCompile(`^([0-9]{1,7}) ?(minutes?|min|m|hours?|h|days?|d|w|seconds?|sec|s)\s*`)
	sundayRange = regexp.MustCompile(`^([0-6])-7$`)
)

// parsed is the cadence of a Spec: a period that is counted from 1970, or a cron line that is matched on
// the wall clock. For a webhook alone it is zero.
type parsed struct {
	every time.Duration
	cron  *cron.SpecSchedule
}

func parseCadence(text string) (parsed, error) {
	lower := strings.ToLower(text)
	for _, word := range []string{"every ", "@every "} {
		if rest, ok := strings.CutPrefix(lower, word); ok {
			every, err := parseEvery(strings.TrimSpace(rest))
			return parsed{every: every}, err
		}
	}
	if m := clockText.FindStringSubmatch(lower); m != nil {
		hour, minute := m[1], m[2]
		c, err := parseCron(minute + " " + hour + " * * *")
		if err != nil {
			return parsed{}, errors.New(`no such time of day; write one from 00:00 to 23:59, such as "03:30"`)
		}
		return parsed{cron: c}, nil
	}
	c, err := parseCron(text)
	return parsed{cron: c}, err
}

func parseEvery(text string) (time.Duration, error) {
	total, rest := time.Duration(0), text
	for rest != "" {
		m := everyPart.FindStringSubmatch(rest)
		if m == nil {
			return 0, errors.New(`not a length of time; write a number with its unit: "every 2m", "every 1h30m", "every 1d"`)
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return 0, fmt.Errorf("read number: %w", err)
		}
		unit := map[byte]time.Duration{
			's': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour,
		}[m[2][0]]
		total, rest = total+time.Duration(n)*unit, rest[len(m[0]):]
		if time.Duration(n) > longestEvery/unit || total > longestEvery {
			return 0, errors.New(`longer than 31 days; write "every 31d" or less, or a cron line such as "0 4 1 * *"`)
		}
	}
	if total < shortestEvery {
		return 0, errors.New(`shorter than a minute; write "every 1m" or longer, and use a webhook for what must be known at once`)
	}
	if total%time.Minute != 0 {
		return 0, fmt.Errorf(`not whole minutes; write "every %dm"`, (total+time.Minute-1)/time.Minute)
	}
	return total, nil
}

// parseCron reads a cron line or a descriptor such as @daily. The library panics on some texts, and
// accepts dates that never come, such as the 30th of February. Both are errors here.
func parseCron(text string) (*cron.SpecSchedule, error) {
	if upper := strings.ToUpper(text); strings.HasPrefix(upper, "TZ=") || strings.HasPrefix(upper, "CRON_TZ=") {
		return nil, errors.New("carries a time zone of its own; delete it and set time_zone")
	}
	fields := strings.Fields(text)
	switch {
	case len(fields) == 0:
		return nil, errors.New("empty; " + howTo)
	case strings.EqualFold(text, "@reboot"):
		return nil, errors.New(`not a time; what was missed while nothing ran is caught up anyway: write "@daily" or another cadence`)
	case strings.HasPrefix(text, "@"):
	case len(fields) == 6 || len(fields) == 7:
		return nil, errors.New("has a field for seconds or years; write five: minute hour day month weekday")
	case len(fields) != 5:
		return nil, errors.New("not understood; " + howTo)
	default:
		fields[4] = sunday(fields[4])
	}
	spec, ok := parseStandard(strings.ToLower(strings.Join(fields, " ")))
	if !ok {
		return nil, badField(fields)
	}
	spec.Location = time.UTC
	if nextNaive(spec, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, errors.New("names a date that no year has, such as the 30th of February; correct the day or the month")
	}
	return spec, nil
}

// parseStandard reads a cron line with the library's parser. ok is false where the library refuses the
// line or panics.
func parseStandard(text string) (spec *cron.SpecSchedule, ok bool) {
	defer func() {
		if recover() != nil {
			spec, ok = nil, false
		}
	}()
	schedule, err := cron.ParseStandard(text)
	if err != nil {
		return nil, false
	}
	spec, ok = schedule.(*cron.SpecSchedule)
	return spec, ok
}

// badField returns an error for a refused cron line. It names the first wrong field if there is one.
func badField(fields []string) error {
	may := []string{
		"minute: 0 to 59", "hour: 0 to 23", "day: 1 to 31", "month: 1 to 12 or jan to dec", "weekday: 0 to 7 or sun to sat",
	}
	if len(fields) == len(may) {
		for i, field := range fields {
			alone := []string{"*", "*", "*", "*", "*"}
			alone[i] = strings.ToLower(field)
			if _, ok := parseStandard(strings.Join(alone, " ")); !ok {
				return fmt.Errorf(`%q is no %s; write numbers, lists 1,15, ranges 1-5 or steps */10`, field, may[i])
			}
		}
	}
	return errors.New("not understood; " + howTo)
}

// sunday replaces 7 in the weekdays by 0. Most crons take 7 for Sunday too, but the library only knows 0.
func sunday(field string) string {
	items := strings.Split(field, ",")
	for i, item := range items {
		if item == "7" || item == "7-7" {
			items[i] = "0"
		} else if m := sundayRange.FindStringSubmatch(item); m != nil {
			items[i] = "0," + m[1] + "-6"
		}
	}
	return strings.Join(items, ",")
}

// nextNaive returns the next match after t on a wall clock that is never changed; zero if there is none.
// The library gives up after five years, but the next leap day can be eight years away.
func nextNaive(spec *cron.SpecSchedule, t time.Time) time.Time {
	n := spec.Next(t)
	if n.IsZero() {
		n = spec.Next(t.AddDate(4, 0, 0))
	}
	return n
}

// shortest returns the shortest time between two slots on a wall clock that is never changed.
func (p parsed) shortest() time.Duration {
	if p.every > 0 {
		return p.every
	}
	shortest := time.Duration(0)
	last := nextNaive(p.cron, time.Date(2001, 1, 1, 0, 0, 0, -1, time.UTC))
	for range 1500 { // more slots than a day has minutes; a line with fewer slots a day needs fewer
		next := nextNaive(p.cron, last)
		if next.IsZero() {
			break
		}
		if gap := next.Sub(last); shortest == 0 || gap < shortest {
			shortest = gap
		}
		if last = next; shortest == time.Minute || last.Year() > 2030 {
			break
		}
	}
	return shortest
}
