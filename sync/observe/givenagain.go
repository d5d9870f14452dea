package observe

import (
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// IsAnother reports whether the id of an entry now names another record than the one that was linked.
func (r *Room) IsAnother(job *run.Job, side record.Side, e record.Entry) bool {
	return e.State == record.Stranger || job.BecameAnother(side, e) || job == r.Job && r.OtherNow[e.Num]
}

// watchesMarks reports whether the list of a side must tell which records bear our mark. It must once a person has
// answered that the side was put back to an older copy, if its records have a place for the mark.
func (r *Room) watchesMarks(side record.Side) bool {
	_, back := r.trust.AnsweredBack(side)
	return back && r.Side(side).Can.Stamp.Path != ""
}
