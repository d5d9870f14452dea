package observe

import (
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// IsAnother reports whether a record is another one than was linked under its id.
func (r *Room) IsAnother(job *run.Job, side record.Side, e record.Entry) bool {
	return e.State == record.Stranger || job.BecameAnother(side, e) || job == r.Job && r.OtherNow[e.Num]
}

// watchesMarks reports whether a list of a side is to tell which records bear our mark.
func (r *Room) watchesMarks(side record.Side) bool {
	_, back := r.trust.AnsweredBack(side)
	return back && r.Side(side).Can.Stamp.Path != ""
}
