package settle

import (
	"slices"
	"time"

	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// MayStillShow reports whether the answer to an update of one of these records showed what stood there before the
// update, and a read may yet show what was sent.
func MayStillShow(p record.Pair, now time.Time) bool {
	for _, e := range p.Sides {
		if e.Seen != nil && e.Seen.View == "receipt" && len(e.Seen.Untaken) > 0 && now.Before(e.SettleUntil) {
			return true
		}
	}
	return false
}

// StillChosen returns the choices that still wait for their write. It leaves out a choice if a person is asked
// about its field anew because of a no. It also leaves out a choice about what a system did not take, if a person
// rejected the write of it.
func StillChosen(kept []record.Question, v plan.Verdict) []record.Question {
	return slices.DeleteFunc(kept, func(k record.Question) bool {
		asked := slices.ContainsFunc(v.Conflicts, func(c record.Question) bool { return c.Field == k.Field })
		return asked || k.Cause == plan.Untaken && !writesChosen(v, k.Field)
	})
}

func writesChosen(v plan.Verdict, field string) bool {
	return slices.ContainsFunc(v.Actions, func(a plan.Action) bool {
		return slices.ContainsFunc(a.Fields, func(f record.FieldReason) bool { return f.Field == field && f.Ground == merge.GroundChosen })
	})
}
