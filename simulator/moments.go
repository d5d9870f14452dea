package simulator

import (
	"fmt"
	"strconv"
	"time"
)

const spaced = "2006-01-02 15:04:05"

// zone is the zone of times that name none.
func (t Traits) zone() *time.Location {
	loc, err := time.LoadLocation(t.Zone)
	if err != nil {
		return time.UTC
	}
	return loc
}

// stamp is the JSON of a time.
func (t Traits) stamp(at time.Time) []byte {
	switch t.Times {
	case TimesOffset:
		return encode(at.In(t.zone()).Format(time.RFC3339))
	case TimesSpaced:
		return encode(at.In(t.zone()).Format(spaced))
	case TimesDate:
		return encode(at.In(t.zone()).Format(time.DateOnly))
	case TimesEpoch:
		return encode(at.Unix())
	case TimesEpochMS:
		return encode(at.UnixMilli())
	case TimesEpochFloat:
		return fmt.Appendf(nil, "%d.%03d", at.Unix(), at.Nanosecond()/int(time.Millisecond))
	case TimesObject:
		return concat(`{"__class__":"Time","at":`, encode(stampText(at)), "}")
	case TimesHidden, TimesRFC3339:
	}
	return encode(stampText(at))
}

// moment reads the parameter that limits a list to what changed since.
func (t Traits) moment(text string) (time.Time, error) {
	switch t.Times {
	case TimesSpaced:
		return time.ParseInLocation(spaced, text, t.zone())
	case TimesDate:
		return time.ParseInLocation(time.DateOnly, text, t.zone())
	case TimesEpoch, TimesEpochFloat:
		n, err := strconv.ParseFloat(text, 64)
		return time.UnixMilli(int64(n * 1000)), err
	case TimesEpochMS:
		n, err := strconv.ParseInt(text, 10, 64)
		return time.UnixMilli(n), err
	case TimesHidden, TimesRFC3339, TimesOffset, TimesObject:
	}
	return time.Parse(time.RFC3339, text)
}

var dayLayouts = map[DayForm]string{DaysISO: time.DateOnly, DaysSlash: "02/01/2006", DaysTime: time.RFC3339}

// name is the form of a day in words.
func (d DayForm) name() string {
	return map[DayForm]string{DaysISO: "YYYY-MM-DD", DaysSlash: "DD/MM/YYYY", DaysTime: "RFC 3339", DaysEpoch: "a unix time"}[d]
}

// shown is a day of a stay, kept as YYYY-MM-DD, as the API shows it.
func (d DayForm) shown(day any) any {
	text, ok := day.(string)
	at, err := time.Parse(time.DateOnly, text)
	if !ok || err != nil {
		return day
	}
	if d == DaysEpoch {
		return at.Unix()
	}
	return at.Format(dayLayouts[d])
}

// read is what is kept of a day that was sent.
func (d DayForm) read(sent any) (string, bool) {
	text := fmt.Sprint(sent)
	if d == DaysEpoch {
		n, err := strconv.ParseInt(text, 10, 64)
		return time.Unix(n, 0).UTC().Format(time.DateOnly), err == nil
	}
	at, err := time.Parse(dayLayouts[d], text)
	return at.UTC().Format(time.DateOnly), err == nil
}
