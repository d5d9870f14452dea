package story

import (
	"fmt"
	"strings"

	"nightporter/sync/record"
)

// unfinished says what an unfinished record still lacks and when it is read again, or that it counts as
// finished although something is missing. It returns "" for a record that was never unfinished.
func (f *Facts) unfinished(side record.Side) string {
	e := f.Sides[side].Entry
	u := e.Unfinished
	if u == nil {
		return ""
	}
	there, what := f.Systems[side], strings.Join(u.Lacks, " and ")
	if !u.Waits() {
		if what == "" {
			return fmt.Sprintf("at %s it still went on in %s: it counts as finished, as it is", f.at(u.Ended), there)
		}
		return fmt.Sprintf("at %s there was no %s in %s, and it counts as finished without: it had been waited for since %s",
			f.at(u.Ended), what, there, f.at(u.Since))
	}
	yet := "what comes later of it, " + what + ", is not there yet in " + string(there)
	if u.Hopeless() {
		return fmt.Sprintf("it failed in %s: %s; it is asked for again from %s on", there, u.Failed, f.at(e.Recheck))
	}
	if u.Failed != "" {
		return fmt.Sprintf("%s of it can't be read in %s: %s; it is asked for again from %s on", what, there, u.Failed, f.at(e.Recheck))
	}
	if what == "" {
		yet = "it still goes on in " + string(there)
	}
	return fmt.Sprintf("%s: it is waited for until %s, and read again from %s on", yet, f.at(u.Over()), f.at(e.Recheck))
}
