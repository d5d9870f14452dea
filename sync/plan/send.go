package plan

import (
	"fmt"
	"time"

	"nightporter/sync/record"
)

// Sending is what holds back writes to a side that may reach a person, like a message or
// a call. The zero Sending holds nothing.
type Sending struct {
	// Shut says whether nothing may be sent at a moment, and until when. Nil: it may be sent at any time.
	Shut func(time.Time) (until time.Time, shut bool)
	// AnHour is how many writes are sent at most in any 60 minutes; 0: any number.
	AnHour int
	// Soon is the canonical field of a day. A write about today, or one of the Days days after it, is urgent and
	// goes at any hour. "": nothing is urgent.
	Soon string
	Days int
	// Number is the canonical field that is looked up in the list of those who are never written to; "": there is
	// no such list.
	Number string
}

// Sent is what is known of one write that is to be sent.
type Sent struct {
	Now      time.Time   // in the house's zone
	Day      string      // what Soon holds, a day or an instant; "" for nothing
	Hour     []time.Time // when others were sent in the last 60 minutes, the earliest first
	Number   string      // what Number holds, "" for nothing
	Never    map[string]bool
	Unlisted error // why Never is not known
}

// Hold says why a write is not sent now; false if it may be.
func (s Sending) Hold(f Sent) (h record.Hold, held bool) {
	if why := s.barred(f); why != "" {
		return record.Hold{Rule: record.HoldNever, Why: why}, true
	}
	if s.Shut != nil && !s.soon(f) {
		if until, shut := s.Shut(f.Now); shut {
			why := "nothing is sent at this hour: it goes at " + f.moment(until)
			return record.Hold{Rule: record.HoldHours, Why: why, Until: until}, true
		}
	}
	if s.AnHour > 0 && len(f.Hour) >= s.AnHour {
		until := f.Hour[len(f.Hour)-s.AnHour].Add(time.Hour)
		why := fmt.Sprintf("%d were sent in the last hour, and no more than that are: it goes at %s", len(f.Hour), f.moment(until))
		return record.Hold{Rule: record.HoldRate, Why: why, Until: until}, true
	}
	return record.Hold{}, false
}

// barred says why a write is not sent at any hour, as things are; "" if it may be sent.
func (s Sending) barred(f Sent) string {
	switch {
	case s.Number == "":
		return ""
	case f.Unlisted != nil:
		return fmt.Sprintf("who is never to be written to can't be read, so nobody is: %v", f.Unlisted)
	case f.Number == "":
		return "it shows no " + s.Number + " that could be looked for among those who are never to be written to"
	case f.Never[f.Number]:
		return "its " + s.Number + " is among those who are never to be written to"
	}
	return ""
}

// moment is a time as the house's clock shows it.
func (f Sent) moment(t time.Time) string { return record.Moment(t, f.Now.Location()) }

// soon reports whether a write is about today, or one of the days after it that go at any
// hour.
func (s Sending) soon(f Sent) bool {
	if s.Soon == "" || len(f.Day) < len(time.DateOnly) {
		return false
	}
	day := f.Day[:len(time.DateOnly)]
	if at, err := time.Parse(time.RFC3339, f.Day); err == nil {
		day = at.In(f.Now.Location()).Format(time.DateOnly)
	}
	return day >= f.Now.Format(time.DateOnly) && day <= f.Now.AddDate(0, 0, s.Days).Format(time.DateOnly)
}
