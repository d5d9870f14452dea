package schedule

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Quiet is hours of the day in which a system is left alone. The zero Quiet has
// none. Made by ParseQuiet; safe for use from several goroutines.
//
// When the clock is changed it errs towards quiet: hours that begin in a repeated
// hour begin in its first pass, and hours that end in one end in its second.
type Quiet struct {
	hours []hours
	zone  *zone
}

// hours are minutes of the civil day; to is at most a day after from.
type hours struct{ from, to int }

const dayMinutes = 24 * 60

var hoursText = regexp.MustCompile(`^([0-9]{1,2}):([0-9]{2}) ?- ?([0-9]{1,2}):([0-9]{2})$`)

// ParseQuiet reads hours such as "02:00-03:15", over midnight too, and several
// with commas between. An error names the text, its cause and the right spelling.
func ParseQuiet(text string, loc *time.Location) (*Quiet, error) {
	q := &Quiet{zone: &zone{loc: loc}}
	covered := [dayMinutes]bool{}
	for part := range strings.SplitSeq(text, ",") {
		h, err := parseHours(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("quiet %q: %w", text, err)
		}
		for m := h.from; m < h.to; m++ {
			covered[m%dayMinutes] = true
		}
		q.hours = append(q.hours, h)
	}
	if !slices.Contains(covered[:], false) {
		return nil, fmt.Errorf("quiet %q: leaves no minute of the day to work in; shorten it, or pause the system", text)
	}
	return q, nil
}

// ParseOpen reads hours such as "09:00-12:30, 15:00-20:00" and gives those outside of
// them. An error names the text, its cause and the right spelling.
func ParseOpen(text string, loc *time.Location) (*Quiet, error) {
	open := [dayMinutes]bool{}
	for part := range strings.SplitSeq(text, ",") {
		h, err := parseHours(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("hours %q: %w", text, err)
		}
		for m := h.from; m < h.to; m++ {
			open[m%dayMinutes] = true
		}
	}
	q := &Quiet{zone: &zone{loc: loc}}
	for m := 0; m < dayMinutes; m++ {
		if open[m] {
			continue
		}
		h := hours{from: m}
		for m < dayMinutes && !open[m] {
			m++
		}
		h.to = m
		q.hours = append(q.hours, h)
	}
	return q, nil
}

func parseHours(text string) (hours, error) {
	m := hoursText.FindStringSubmatch(text)
	if m == nil {
		return hours{}, errors.New(`not understood; write from-to, such as "02:00-03:15", several with commas between`)
	}
	var n [4]int
	for i := range n {
		n[i], _ = strconv.Atoi(m[i+1])
	}
	h := hours{from: n[0]*60 + n[1], to: n[2]*60 + n[3]}
	if n[1] > 59 || n[3] > 59 || h.from >= dayMinutes || h.to > dayMinutes {
		return hours{}, errors.New("no such time of day; hours go from 00:00 to 24:00")
	}
	if h.from == h.to {
		return hours{}, errors.New("begins when it ends; write two different times")
	}
	if h.to < h.from {
		h.to += dayMinutes
	}
	return h, nil
}

// Until reports whether t is in quiet hours, and when they end: the first instant
// at which none of them, adjoining ones included, lasts any more.
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

// Ended reports whether quiet hours ended after since, and none last now: what they kept
// waiting may go. It looks back for a day at least; a zero since is before all of them.
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

// each calls visit with the quiet hours of the days around t.
func (q *Quiet) each(t time.Time, visit func(from, to time.Time)) {
	if len(q.hours) == 0 {
		return
	}
	civil, _ := q.zone.wall(t)
	for day := -2; day <= 2; day++ {
		midnight := time.Date(civil.Year(), civil.Month(), civil.Day()+day, 0, 0, 0, 0, time.UTC)
		for _, h := range q.hours {
			from := q.zone.first(midnight.Add(time.Duration(h.from) * time.Minute))
			_, to := q.zone.both(midnight.Add(time.Duration(h.to) * time.Minute))
			visit(from, to)
		}
	}
}
