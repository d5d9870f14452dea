package config

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Duration is a length of time as the file writes it: a number with its unit, or
// several, largest first: 30s, 5m, 1h30m, 400d, 2w. A bare number is refused,
// because nobody could say of what.
type Duration time.Duration

var durationPart = regexp.MustCompile(`^([0-9]{1,9})(ms|s|m|h|d|w)`)

var errDuration = errors.New("must be a time with its unit, such as 30s, 5m, 2h or 400d")

// UnmarshalText reads a Duration.
func (d *Duration) UnmarshalText(text []byte) error {
	rest, total := string(text), time.Duration(0)
	last := time.Duration(math.MaxInt64)
	for rest != "" {
		m := durationPart.FindStringSubmatch(rest)
		if m == nil {
			return errDuration
		}
		n, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			return errDuration
		}
		unit := unitOf(m[2])
		if unit >= last || n > int64((math.MaxInt64-total)/unit) {
			return errDuration
		}
		total, last, rest = total+time.Duration(n)*unit, unit, rest[len(m[0]):]
	}
	if last == math.MaxInt64 {
		return errDuration
	}
	*d = Duration(total)
	return nil
}

func unitOf(s string) time.Duration {
	switch s {
	case "ms":
		return time.Millisecond
	case "s":
		return time.Second
	case "m":
		return time.Minute
	case "h":
		return time.Hour
	case "d":
		return 24 * time.Hour
	default:
		return 7 * 24 * time.Hour
	}
}

// days is a number of whole days from today: -1d, +400d, 0d.
type days int

var daysText = regexp.MustCompile(`^([+-]?[0-9]{1,5})([dw])$`)

func (d *days) UnmarshalText(text []byte) error {
	m := daysText.FindSubmatch(text)
	if m == nil {
		return errors.New("must be whole days from today, such as -1d or +400d")
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		return err
	}
	if m[2][0] == 'w' {
		n *= 7
	}
	*d = days(n)
	return nil
}

// percent is a part of a whole: 50% is 0.5.
type percent float64

func (p *percent) UnmarshalText(text []byte) error {
	number, ok := strings.CutSuffix(string(text), "%")
	n, err := strconv.ParseUint(number, 10, 8)
	if !ok || err != nil || n == 0 || n > 100 {
		return errors.New("must be a percentage from 1% to 100%")
	}
	*p = percent(float64(n) / 100)
	return nil
}

// share is a part of a whole that may be none of it: 0% to 90%.
type share float64

func (s *share) UnmarshalText(text []byte) error {
	digits, ok := strings.CutSuffix(string(text), "%")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || n > 90 {
		return errors.New("must be a percentage from 0% to 90%")
	}
	*s = share(float64(n) / 100)
	return nil
}
