package run

import (
	"fmt"
	"strings"

	"nightporter/sync/record"
)

// Unfinished says why a record is not made across yet: it is not all that it will be, and nothing can
// be added to it there. It returns "" if the record may be made now. A side that can be updated gets it
// at once, and later parts as an update.
func (r *Run) Unfinished(side record.Side, s Stranger) string {
	u := s.Since.Unfinished
	if !u.Waits() || r.Side(side.Other()).Can.Update {
		return ""
	}
	what := "it still goes on"
	switch {
	case u.Hopeless():
		return fmt.Sprintf("%s says that it failed: %s", r.Side(side).System, u.Failed)
	case u.Failed != "":
		return fmt.Sprintf("its %s can't be read: %s; it is asked for again, and made when that is answered", strings.Join(u.Lacks, " and "), u.Failed)
	case len(u.Lacks) > 0 && u.Over().Before(r.Now):
		return "its " + strings.Join(u.Lacks, " and ") + " is read first"
	case len(u.Lacks) > 0:
		what = "its " + strings.Join(u.Lacks, " and ") + " may still come"
	}
	return fmt.Sprintf("%s, and nothing can be added to a %s of %s later: it is waited for until %s, and then made as it is",
		what, r.Side(side.Other()).Kind, r.Side(side.Other()).System, record.Moment(u.Over(), r.Zone()))
}
