package engine

import (
	"context"
	"fmt"

	"nightporter/connectors"
	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// loadRejected remembers what systems said no to, so that the same is not asked
// again until the values change.
func (r *run) loadRejected(ctx context.Context) error {
	ins, err := r.Store.RejectedLast(ctx, r.job.Binding)
	if err != nil {
		return err
	}
	r.rejected = make(map[string]refusal, len(ins))
	for _, in := range ins {
		if class := connectors.ErrorClass(in.Class); class == connectors.Forbidden || class == connectors.Malformed {
			continue // it was not about these values: once it is mended they are asked again
		}
		r.rejected[refusedKey(in.Place.Side, in.Link, in.From)] = refusal{in.Change.Fields.Digest(), connectors.ErrorClass(in.Class)}
	}
	return nil
}

// refusedKey is what a refusal is remembered under: each side has its own.
func refusedKey(side record.Side, link record.LinkID, from int64) string {
	return side.String() + " " + keyOf(link, from)
}

// refusal is what a system said no to.
type refusal struct {
	what  record.Digest
	class connectors.ErrorClass
}

// unrefused drops actions that the system said no to, as they are.
func (r *run) unrefused(actions []plan.Action) []plan.Action {
	kept := actions[:0]
	for _, a := range actions {
		if was, ok := r.rejected[refusedKey(a.Side, a.Link, a.From)]; ok && was.what == a.Change.Fields.Digest() {
			r.count("quarantined", 1)
			r.note(a.Side, a.Change.Ref, record.Quarantined, "the system refused these values; it is asked again when they change")
			continue
		}
		kept = append(kept, a)
	}
	return kept
}

// refused deals with a no. A booking's no is told to the side that asked for it.
func (r *run) refused(ctx context.Context, a plan.Action, out apply.Outcome) error {
	r.count("refused", 1)
	if out.Class == connectors.Forbidden {
		r.stopped[a.Side] = string(out.Class)
		return r.alert(ctx, a.From, "read_only", fmt.Sprintf("%s does not allow writing: %v", r.side(a.Side).System, out.Err))
	}
	if a.Change.Op != record.Create {
		r.note(a.Side, a.Change.Ref, record.Quarantined, out.Err.Error())
		return nil
	}
	from := a.Side.Other()
	if b := r.job.Booking; b != nil && a.Side == b.Authority && out.Class == connectors.Refused {
		return r.tellRefused(ctx, a, from, out.Err)
	}
	r.note(from, a.Source, record.Quarantined, out.Err.Error())
	if b := r.job.Booking; b != nil && a.Side == b.Authority {
		e := record.Entry{Num: a.From, Ref: a.Source}
		if err := r.tellOnce(ctx, from, e, fmt.Sprintf("can't be entered as it is: %v", out.Err)); err != nil {
			return err
		}
	}
	return r.Store.Park(ctx, r.lease, a.From, record.Quarantined, fmt.Sprintf("%s refused it: %v", r.side(a.Side).System, out.Err))
}
