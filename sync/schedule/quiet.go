package schedule

import (
	"fmt"
	"slices"
	"time"
)

// Quiet holds the hours of the day, or of some days of the week, in which a system is left alone. The zero
// Quiet has none. It is made by ParseQuiet, and safe for use from several goroutines.
//
// When the clock is changed, the quiet hours are rather too long than too short: hours that begin in a
// repeated hour begin in its first pass, and hours that end in a repeated hour end in its second pass.
type Quiet struct {
	hours []hours
	zone  *zone
}

const dayMinutes = 24 * 60

// ParseQuiet reads quiet hours such as "02:00-03:15". They may go over midnight, and several may stand
// with commas between them. With days before each, as in "mon-fri 02:00-03:15, sun 00:00-24:00", they are
// only on those days. An error names the text, its cause and the right spelling.
func ParseQuiet(text string, loc *time.Location) (*Quiet, error) {
	all, err := parseHours(text)
	if err != nil {
		return nil, fmt.Errorf("quiet %q: %w", text, err)
	}
	if covered := minutesOf(all); !slices.Contains(covered[:], false) {
		return nil, fmt.Errorf("quiet %q: leaves no minute of the day to work in; shorten it, or pause the system", text)
	}
	return &Quiet{hours: all, zone: &zone{loc: loc}}, nil
}

// ParseOpen reads the hours in which a system may be used, spelt as for ParseQuiet. It returns the hours
// outside of them. An error names the text, its cause and the right spelling.
func ParseOpen(text string, loc *time.Location) (*Quiet, error) {
	all, err := parseHours(text)
	if err != nil {
		return nil, fmt.Errorf("hours %q: %w", text, err)
	}
	return &Quiet{hours: outside(minutesOf(all)), zone: &zone{loc: loc}}, nil
}

// Until reports whether t is in quiet hours, and when they end. Quiet hours that follow without a gap
// count as one: end is the first instant that is in none of them.
func (q *Quiet) Until(t time.Time) (end time.Time, in bool) {
	if q == nil {
		return time.Time{}, false
	}
	for end = t; ; in = true {
		next := end
		q.each(end, func(from, to time.Time) {
			if !from.After(end) && to.After(next) {
				next = to
			}
		})
		if next.Equal(end) {
			break
		}
		end = next
	}
	if !in {
		return time.Time{}, false
	}
	return end, true
}

// Ended reports whether quiet hours ended after since, and now is not in quiet hours: runs that waited
// for the end may start. It looks back for a day at least, and for a week if some hours are only on some
// days. A zero since is before all quiet hours.
func (q *Quiet) Ended(since, now time.Time) bool {
	if q == nil {
		return false
	}
	if _, in := q.Until(now); in {
		return false
	}
	ended := false
	q.each(now, func(from, to time.Time) {
		ended = ended || to.After(from) && to.After(since) && !to.After(now)
	})
	return ended
}

// Next returns when the next quiet hours after t begin; zero if there are none.
func (q *Quiet) Next(t time.Time) time.Time {
	if q == nil {
		return time.Time{}
	}
	var next time.Time
	q.each(t, func(from, to time.Time) {
		if from.After(t) && to.After(from) && (next.IsZero() || from.Before(next)) {
			next = from
		}
	})
	return next
}

// each calls visit with the quiet hours of the days around t. If some hours are only on some days, it
// visits those of a week before and after t.
func (q *Quiet) each(t time.Time, visit func(from, to time.Time)) {
	if len(q.hours) == 0 {
		return
	}
	around := 2
	if slices.ContainsFunc(q.hours, func(h hours) bool { return h.days != everyDay }) {
		around = 8
	}
	civil, _ := q.zone.wall(t)
	for day := -around; day <= around; day++ {
		midnight := time.Date(civil.Year(), civil.Month(), civil.Day()+day, 0, 0, 0, 0, time.UTC)
		for _, h := range q.hours {
			if !h.days.has(midnight.Weekday()) {
				continue
			}
			from := q.zone.first(midnight.Add(time.Duration(h.from) * time.Minute))
			_, to := q.zone.both(midnight.Add(time.Duration(h.to) * time.Minute))
			visit(from, to)
		}
	}
}
