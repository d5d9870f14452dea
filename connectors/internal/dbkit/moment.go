package dbkit

import (
	"strconv"
	"time"
)

// Moment is a time as a column showed it: the instant, and the form to write
// another one in, so that it compares with the column's values.
type Moment struct {
	At     time.Time
	Zoned  bool   // the column said which zone it meant
	layout string // of a text
	unit   int64  // nanoseconds of one, for an epoch
}

// layouts are the forms of times that databases and their programs write. A
// fraction of a second is read wherever seconds stand.
var layouts = []struct {
	layout string
	zoned  bool
}{
	{"2006-01-02 15:04:05Z07", true},
	{"2006-01-02T15:04:05Z07:00", true},
	{"2006-01-02 15:04:05Z07:00", true},
	{"2006-01-02T15:04:05", false},
	{"2006-01-02 15:04:05", false},
	{"2006-01-02T15:04", false},
	{"2006-01-02 15:04", false},
	{"2006-01-02", false},
}

// ParseMoment reads a time from a cell: ISO 8601 in its usual spellings, or the
// seconds, milliseconds, microseconds or nanoseconds since 1970. zone is meant
// where the column names none. A number that is too small for a time of this
// century is a counter and no time.
func ParseMoment(c Cell, zone *time.Location) (m Moment, ok bool) {
	switch c.Tag {
	case Int:
		n, err := strconv.ParseInt(c.Text, 10, 64)
		if err != nil {
			return Moment{}, false
		}
		for _, unit := range []int64{1e9, 1e6, 1e3, 1} {
			if secs := n / (1e9 / unit); secs >= 946684800 && secs < 4102444800 { // 2000 to 2100
				return Moment{At: time.Unix(secs, n%(1e9/unit)*unit).UTC(), Zoned: true, unit: unit}, true
			}
		}
	case Text:
		for _, l := range layouts {
			if t, err := time.ParseInLocation(l.layout, c.Text, zone); err == nil {
				return Moment{At: t, Zoned: l.zoned, layout: l.layout}, true
			}
		}
	}
	return Moment{}, false
}

// Cell is t in the form of m, cut to whole seconds where it is a text.
func (m Moment) Cell(t time.Time) Cell {
	if m.unit > 0 {
		return Cell{Tag: Int, Text: strconv.FormatInt(t.Unix()*(1e9/m.unit), 10)}
	}
	return Cell{Tag: Text, Text: t.In(m.At.Location()).Format(m.layout)}
}
