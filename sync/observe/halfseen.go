package observe

import (
	"fmt"
	"slices"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// HalfSeen reports whether a link must wait because only half of an edit was seen. A list shows the edit and hides
// some of the record, and the read by id that shows the rest was not made: it failed, or more reads are due than a
// run makes. If that lasts, it becomes a finding.
func (r *Room) HalfSeen(p record.Pair) bool {
	for _, side := range record.Sides {
		e := p.Sides[side]
		if !r.awaitsRest(side, e) {
			continue
		}
		r.Count("postponed", 1)
		if !e.Recheck.IsZero() && time.Since(e.Recheck) > r.Side(side).Settle+run.BeliedFor {
			f := run.FindingOf(record.FindUnseen, plan.Action{Side: side.Other(), Link: p.Link, Change: record.Change{Op: record.Update, Ref: p.Sides[side.Other()].Ref}})
			f.Text = fmt.Sprintf("the list of %s does not show all of %s, and it can't be read by its id", r.Side(side).System, e.Ref)
			r.NoteFinding(f)
		}
		return true
	}
	return false
}

// awaitsRest reports whether a record must still be read by its id. Either its list shows an edit and hides some of
// the record, or its list does not show it at all and the read that would tell whether it is there failed.
func (r *Room) awaitsRest(side record.Side, e record.Entry) bool {
	due := !e.Recheck.IsZero() && !e.Recheck.After(time.Now())
	closed := r.Barred[side] > 0 && !r.Readable[side] // this side has let no record be read by its id
	if e.State == record.Suspect && r.UnreadNow[e.Num] && !closed {
		return true
	}
	if !due || closed || !r.CanRead(side) || e.State != record.InStep || e.Seen == nil || e.Seen.View != "list" {
		return false
	}
	return slices.ContainsFunc(r.Job.Mapping.Paths(side), func(p string) bool {
		shown := e.Seen.Fields[p].Observed() && !slices.Contains(e.Seen.Earlier, p)
		return !shown && r.Side(side).Can.MayHide(p)
	})
}
