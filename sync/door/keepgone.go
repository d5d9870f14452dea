package door

import (
	"context"
	"fmt"
	"time"

	"nightporter/connectors"
	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// afterGone ends a link once the last change that puts its record aside is settled. The receipt of a delete ends
// the link without it.
func (r *Room) afterGone(ctx context.Context, a plan.Action) error {
	x, is := r.gone.Absences[a.Link]
	if !is || a.Link == 0 || x.Fate.Deed != away.Carry || x.Fate.Side != a.Side || a.Change.Op == record.Delete || a.Step+1 < x.Steps {
		return nil
	}
	return r.store.Part(ctx, r.Lease, a.Link, record.LinkParted, record.AfterArchived, time.Now())
}

// deleteRefused notes that a system did not delete a record. If the system deletes no records at all, it is not
// asked again in this run.
func (r *Room) deleteRefused(ctx context.Context, a plan.Action, out apply.Outcome) error {
	r.Note(a.Side, a.Change.Ref, record.Quarantined, fmt.Sprintf("%s did not delete it: %v", r.Side(a.Side).System, out.Err))
	if out.Class == connectors.Forbidden || out.Class == connectors.Unsupported {
		r.gone.Undeleted[a.Side] = string(out.Class)
	}
	return r.gone.AskAnew(ctx, a)
}
