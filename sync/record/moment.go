package record

import "time"

// Moment returns a point in time as people are told it: on the clock of a zone, with the name of the zone.
// The zero time gives "".
func Moment(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return ""
	}
	return t.In(zone).Format("2006-01-02 15:04:05 MST")
}
