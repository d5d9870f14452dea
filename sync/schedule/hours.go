package schedule

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// hours is a time of day on some days of the week. from and to are minutes of the civil day; to is at most
// a day after from. If the hours go over midnight, to is beyond the end of the day, and days are the days
// on which the hours begin.
type hours struct {
	from, to int
	days     days
}

// days is a set of days of the week, with one bit for each time.Weekday.
type days uint8

const everyDay days = 1<<7 - 1

func (d days) has(day time.Weekday) bool { return d&(1<<day) != 0 }

const weekMinutes = 7 * dayMinutes

var (
	hoursText = regexp.MustCompile(`^(?:([a-z]{3})(?: ?- ?([a-z]{3}))? +)?([0-9]{1,2}):([0-9]{2}) ?- ?([0-9]{1,2}):([0-9]{2})$`)
	dayNames  = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
)

// parseHours reads hours with commas between them. Either all hours have days before them or none. In
// "mon-fri 09:00-12:00, 15:00-20:00", nobody can tell whether Saturday afternoon is meant too.
func parseHours(text string) (all []hours, err error) {
	named := 0
	for part := range strings.SplitSeq(text, ",") {
		h, days, err := parsePart(strings.ToLower(strings.TrimSpace(part)))
		if err != nil {
			return nil, err
		}
		if days {
			named++
		}
		all = append(all, h)
	}
	if named > 0 && named < len(all) {
		return nil, errors.New(`some hours have days and some have none; write the days before each, such as "mon-fri 09:00-12:00, mon-fri 15:00-20:00"`)
	}
	return all, nil
}

func parsePart(text string) (h hours, named bool, err error) {
	m := hoursText.FindStringSubmatch(text)
	if m == nil {
		return h, false, errors.New(`not understood; write from-to, such as "02:00-03:15" or "mon-fri 02:00-03:15", several with commas between`)
	}
	if h.days, err = parseDays(m[1], m[2]); err != nil {
		return h, false, err
	}
	var n [4]int
	for i := range n {
		n[i], _ = strconv.Atoi(m[i+3])
	}
	h.from, h.to = n[0]*60+n[1], n[2]*60+n[3]
	if n[1] > 59 || n[3] > 59 || h.from >= dayMinutes || h.to > dayMinutes {
		return h, false, errors.New("no such time of day; hours go from 00:00 to 24:00")
	}
	if h.from == h.to {
		return h, false, errors.New("begins when it ends; write two different times")
	}
	if h.to < h.from {
		h.to += dayMinutes
	}
	return h, m[1] != "", nil
}

// parseDays returns the days from first to last: "fri" to "mon" goes over the weekend. An empty last is
// first alone, and an empty first is every day.
func parseDays(first, last string) (days, error) {
	if first == "" {
		return everyDay, nil
	}
	if last == "" {
		last = first
	}
	from, to := slices.Index(dayNames, first), slices.Index(dayNames, last)
	if from < 0 || to < 0 {
		return 0, errors.New("no such day of the week; the days are mon, tue, wed, thu, fri, sat and sun")
	}
	d := days(0)
	for day := from; ; day = (day + 1) % 7 {
		d |= 1 << day
		if day == to {
			return d, nil
		}
	}
}

// minutesOf says for each minute of the week whether it is within some of the hours. The week begins with
// Sunday.
func minutesOf(all []hours) (in [weekMinutes]bool) {
	for _, h := range all {
		for day := range 7 {
			if !h.days.has(time.Weekday(day)) {
				continue
			}
			for m := h.from; m < h.to; m++ {
				in[(day*dayMinutes+m)%weekMinutes] = true
			}
		}
	}
	return in
}

// outside returns the hours of each day that are not in the given minutes. Equal hours of several days
// become one entry with all these days.
func outside(in [weekMinutes]bool) (all []hours) {
	byHours := map[[2]int]days{}
	for day := range 7 {
		minutes := in[day*dayMinutes : (day+1)*dayMinutes]
		for m := 0; m < dayMinutes; m++ {
			if minutes[m] {
				continue
			}
			from := m
			for m < dayMinutes && !minutes[m] {
				m++
			}
			byHours[[2]int{from, m}] |= 1 << day
		}
	}
	for h, d := range byHours {
		all = append(all, hours{from: h[0], to: h[1], days: d})
	}
	slices.SortFunc(all, func(a, b hours) int { return a.from - b.from })
	return all
}
