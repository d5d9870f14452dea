package engine

import (
	"fmt"
	"slices"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// halfSeen reports whether a list shows an edit of a record of a link and hides some of the
// record, and the read by its id that shows the rest was not made: it failed, or more are due
// than a run makes. Nothing is decided on half of an edit. Where that lasts it is told.
func (r *run) halfSeen(p record.Pair) bool {
	for _, side := range record.Sides {
		e := p.Sides[side]
		if !r.awaitsRest(side, e) {
			continue
		}
		r.count("postponed", 1)
		if !e.Recheck.IsZero() && time.Since(e.Recheck) > r.side(side).Settle+beliedFor {
			f := findingOf(record.FindUnseen, plan.Action{Side: side.Other(), Link: p.Link, Change: record.Change{Op: record.Update, Ref: p.Sides[side.Other()].Ref}})
			f.Text = fmt.Sprintf("the list of %s does not show all of %s, and it can't be read by its id", r.side(side).System, e.Ref)
			r.noteFinding(f)
		}
		return true
	}
	return false
}

// awaitsRest reports whether a record must be read by its id to know the rest of an edit, or whether
// it is there at all: its list does not show it, and the read that would tell failed.
func (r *run) awaitsRest(side record.Side, e record.Entry) bool {
	due := !e.Recheck.IsZero() && !e.Recheck.After(time.Now())
	closed := r.barred[side] > 0 && !r.readable[side] // no record is ever read by its id there
	if e.State == record.Suspect && r.unreadNow[e.Num] && !closed {
		return true
	}
	if !due || closed || !r.canRead(side) || e.State != record.InStep || e.Seen == nil || e.Seen.View != "list" {
		return false
	}
	return slices.ContainsFunc(r.job.Mapping.Paths(side), func(p string) bool {
		shown := e.Seen.Fields[p].Observed() && !slices.Contains(e.Seen.Earlier, p)
		return !shown && r.side(side).Can.MayHide(p)
	})
}
