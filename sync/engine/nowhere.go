package engine

import (
	"context"
	"fmt"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// namedAnew is what a reference means in one of two records that are one, when it names whom the
// record did not name before. Where nobody says for now who that is, what stands across stays; so
// does a guest who was agreed upon, and of whom one side shows a name alone by now.
func (r *run) namedAnew(ctx context.Context, side record.Side, ref Reference, res resolution, s seenSide, across record.Value) resolution {
	named := s.since.Base != nil && across.Observed() && !across.Empty() && !isMarker(across)
	switch {
	case s.since.Base[plan.RefPath(ref.Field)].Same(r.job.Seal, s.Now[ref.Field]): // what stands across was written for it
		return res
	case res.state == record.Gone:
		return r.ledNowhere(ctx, ref, res)
	case res.standing == held && !ref.Snapshot:
		return r.undecided(ref, res)
	case res.standing == leftOut && res.wait.Ref.ID != "" && !r.writesName(side.Other(), ref): // written it would empty what names the guest there
		return r.nobodyAcross(side.Other(), ref, res)
	case res.standing == leftOut && res.wait.Ref.ID == "" && named && !r.writesName(side.Other(), ref):
		res.standing, res.why = unmet, fmt.Sprintf("nobody knows who its %s is by now: %s. What stands here stays", ref.Field, res.why)
	}
	return res
}

// nobodyAcross is what a reference means of which the record has none across, where nothing but
// its id could be written.
func (r *run) nobodyAcross(to record.Side, ref Reference, res resolution) resolution {
	job := r.Jobs[ref.Binding]
	why := fmt.Sprintf("%s of %s, whom its %s names, has none in %s: what stands here stays. Name another one in its record there; %s",
		res.wait.Ref, job.Sides[res.wait.Side].System, ref.Field, r.side(to).System, "nightporter explain says why")
	return resolution{standing: unmet, wait: res.wait, why: why}
}

// ledNowhere is what a reference means of which nobody shows the record. A record that its
// system has, outside of what is read, is left out by rule. One that is not there is no answer
// to the question whom is meant.
func (r *run) ledNowhere(ctx context.Context, ref Reference, res resolution) resolution {
	job := r.Jobs[ref.Binding]
	side := &job.Sides[res.wait.Side]
	var err error
	if get, ok := side.Conn.(connectors.Getter); ok && side.Can.Get {
		_, err = get.Get(ctx, res.wait.Ref, connectors.Scope{})
		if class := connectors.ClassOf(err); err == nil || class == connectors.OutOfScope || class == connectors.Moved {
			return res
		}
	}
	why := fmt.Sprintf("%s has no %s, whom its %s names: what stands here stays. Name another one in its record there", side.System, res.wait.Ref, ref.Field)
	if err != nil && connectors.ClassOf(err) != connectors.NotFound {
		why = fmt.Sprintf("%s of %s, whom its %s names, is in no list there and can't be read now: what stands here stays until it can", res.wait.Ref, side.System, ref.Field)
	}
	return resolution{standing: unmet, wait: res.wait, why: why}
}

// undecided is what a reference means of which the record waits for a person, or can't be read
// or written as it is.
func (r *run) undecided(ref Reference, res resolution) resolution {
	system := r.Jobs[ref.Binding].Sides[res.wait.Side].System
	next := "nightporter explain says why"
	if res.state == record.Held && !res.unasked {
		next = "decide about it with nightporter conflicts"
	}
	why := fmt.Sprintf("%s of %s, whom its %s names, waits: what stands here stays until it is known on both sides; %s",
		res.wait.Ref, system, ref.Field, next)
	return resolution{standing: unmet, wait: res.wait, why: why}
}
