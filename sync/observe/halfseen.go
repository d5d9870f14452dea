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
// run makes. Or the record was edited, and may be gone since. If that lasts, it becomes a finding.
func (r *Room) HalfSeen(p record.Pair) bool {
	for _, side := range record.Sides {
		e := p.Sides[side]
		switch {
		case r.awaitsRest(side, e):
			r.Count("postponed", 1)
			if !e.Recheck.IsZero() && time.Since(e.Recheck) > r.Side(side).Settle+run.BeliedFor {
				r.noteHalfSeen(p, side, "its list does not show all of it, and it can't be read by its id")
			}
			return true
		case r.mayBeOver(side, e):
			r.noteHalfSeen(p, side, "it was edited, its list does not show it any more, and it can't be read by its id: whether the edit still counts is not known")
			return true
		}
	}
	return false
}

// noteHalfSeen notes why an edit of a record is not carried to the record across.
func (r *Room) noteHalfSeen(p record.Pair, side record.Side, why string) {
	across := p.Sides[side.Other()].Ref
	f := run.FindingOf(record.FindUnseen, plan.Action{Side: side.Other(), Link: p.Link, Change: record.Change{Op: record.Update, Ref: across}})
	f.Text = fmt.Sprintf("%s of %s: %s", p.Sides[side].Ref, r.Side(side).System, why)
	r.NoteFinding(f)
	r.Note(side.Other(), across, record.Waiting, "nothing is written to it: "+f.Text)
}

// mayBeOver reports whether a record was edited and may be gone since, and nobody can read how it is. It may have been
// edited once more before it went. Example: a stay was completed, then cancelled, and then removed.
func (r *Room) mayBeOver(side record.Side, e record.Entry) bool {
	return e.State.Doubted() && e.Seen != nil && !r.CanRead(side)
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
