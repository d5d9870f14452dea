package rest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The named formats of times.
const (
	rfc3339 = "rfc3339"
	epochS  = "epoch_s"
	epochMS = "epoch_ms"
	dateYMD = "date"
)

// clock reads and writes times in one format.
type clock struct {
	format string // one of the named ones, or "" for layout
	layout string
	zone   *time.Location
}

var tokens = strings.NewReplacer("YYYY", "2006", "MM", "01", "DD", "02", "hh", "15", "mm", "04", ".sss", ".000", "ss", "05", "ZZ", "Z07:00")

func newClock(format, zone string) (clock, error) {
	c := clock{zone: time.UTC}
	if zone != "" {
		loc, err := time.LoadLocation(zone)
		if err != nil || zone == "Local" {
			return c, fmt.Errorf("unknown time zone %q: it is written like Europe/Rome", zone)
		}
		c.zone = loc
	}
	switch format {
	case "", rfc3339:
		c.format = rfc3339
	case epochS, epochMS, dateYMD:
		c.format = format
	default:
		if !strings.Contains(format, "YYYY") || !strings.Contains(format, "MM") || !strings.Contains(format, "DD") {
			return c, fmt.Errorf("unknown format %q: rfc3339, epoch_s, epoch_ms, date, or like \"DD/MM/YYYY hh:mm:ss\"", format)
		}
		c.layout = tokens.Replace(format)
	}
	return c, nil
}

var errTime = errors.New("not a time in the format that the preset names")

// parse reads the text of a JSON text or number. What it can't read is not shown:
// it may be a guest's.
func (c clock) parse(s string) (time.Time, error) {
	switch c.format {
	case epochS, epochMS:
		return c.parseEpoch(s)
	case rfc3339:
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999"} {
			if t, err := time.ParseInLocation(layout, s, c.zone); err == nil {
				return t, nil
			}
		}
		return time.Time{}, errTime
	case dateYMD:
		if t, err := time.ParseInLocation(time.DateOnly, s, c.zone); err == nil {
			return t, nil
		}
		return time.Time{}, errTime
	}
	if t, err := time.ParseInLocation(c.layout, s, c.zone); err == nil {
		return t, nil
	}
	return time.Time{}, errTime
}

func (c clock) parseEpoch(s string) (time.Time, error) {
	whole, frac, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n > 1e15 || n < -1e15 || strings.Trim(frac, "0123456789") != "" {
		return time.Time{}, errTime
	}
	if c.format == epochMS {
		return time.UnixMilli(n).In(c.zone), nil
	}
	frac = (frac + "000000000")[:9]
	ns, err := strconv.ParseInt(frac, 10, 64)
	if err != nil {
		return time.Time{}, errTime
	}
	if strings.HasPrefix(whole, "-") {
		ns = -ns
	}
	return time.Unix(n, ns).In(c.zone), nil
}

// wall is what a clock on the wall shows at t.
func (c clock) wall(t time.Time) time.Time {
	_, offset := t.In(c.zone).Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// text writes t, and says whether it is a number in JSON.
func (c clock) text(t time.Time) (s string, number bool) {
	t = t.In(c.zone)
	switch c.format {
	case epochS:
		return strconv.FormatInt(t.Unix(), 10), true
	case epochMS:
		return strconv.FormatInt(t.UnixMilli(), 10), true
	case rfc3339:
		return t.Format(time.RFC3339Nano), false
	case dateYMD:
		return t.Format(time.DateOnly), false
	}
	return t.Format(c.layout), false
}
