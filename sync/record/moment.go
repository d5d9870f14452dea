package record

import "time"

// Moment is a point in time as it is told to people: on the clock of a zone, which it
// names. It is "" for none.
func Moment(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return ""
	}
	return t.In(zone).Format("2006-01-02 15:04:05 MST")
}
