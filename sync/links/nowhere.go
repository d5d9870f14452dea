package links

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/refer"
	"nightporter/sync/run"
)

// namedAnew returns what a reference of one of two linked records means, if it names somebody whom the record did
// not name before. As long as nobody can say who that is, what stands across stays.
func (r *Room) namedAnew(ctx context.Context, side record.Side, ref run.Reference, res run.Resolution, s run.SeenSide, across record.Value) (run.Resolution, error) {
	switch {
	case s.Since.Base[plan.RefPath(ref.Field)].Same(r.Job.Seal, s.Now[ref.Field]): // what stands across was written for it
		return res, nil
	case res.State == record.Gone:
		return r.ledNowhere(ctx, ref, res)
	case res.Standing == refer.Held && !ref.Snapshot:
		return r.undecided(ref, res), nil
	case res.Standing == refer.LeftOut && res.Wait.Ref.ID != "" && !r.WritesName(side.Other(), ref): // the write would empty what names the guest there
		return r.nobodyAcross(side.Other(), ref, res), nil
	case res.Wait.Ref.ID == "" && s.Since.Base != nil:
		return r.namesNoRecord(side, ref, res, across), nil
	}
	return res, nil
}

// overtaken returns whom a reference named when it was settled, if its record shows the same as then and the other
// side names somebody else since, who is known. It reports true then: whom the record named need not be known any more.
func (r *Room) overtaken(side record.Side, ref run.Reference, sides [2]run.SeenSide) (was record.Value, is bool) {
	s, there := sides[side], sides[side.Other()]
	was, now := s.Base[plan.RefPath(ref.Field)], there.Now[ref.Field]
	_, open := there.Open[ref.Field]
	known := !open && now.Type() == record.Text && was.Type() == record.Text
	return was, known && !there.Settled[ref.Field].Same(r.Job.Seal, now) && r.refer.SameInputs(side, ref.Field, s.Native, s.Base)
}

// namesNoRecord returns what a reference of a linked record means if no record is known that it names. It may show a
// name alone, while a guest stands across who was agreed upon. Or nobody, or more than one, has the phone that it
// shows: then there is no record that it could wait for.
func (r *Room) namesNoRecord(side record.Side, ref run.Reference, res run.Resolution, across record.Value) run.Resolution {
	named := across.Observed() && !across.Empty() && !run.IsMarker(across)
	switch {
	case res.Standing == refer.LeftOut && named && !r.WritesName(side.Other(), ref):
		res.Standing, res.Why = refer.Unmet, fmt.Sprintf("nobody knows who its %s is by now: %s. What stands here stays", ref.Field, res.Why)
	case res.Standing == refer.Waiting && r.Job.Rules.Carries(ref.Field, side.Other()):
		return r.nobodyKnown(side, ref, res)
	}
	return res
}

// nobodyKnown has what stands across stay, and a finding say so: otherwise nobody would ever be told of the edit.
func (r *Room) nobodyKnown(side record.Side, ref run.Reference, res run.Resolution) run.Resolution {
	here, there := r.Side(side).System, r.Side(side.Other()).System
	why := fmt.Sprintf("nobody knows who its %s is by now: %s. What stands here stays. Enter the one that is meant in %s or %s with that phone, or name another one in its record in %s",
		ref.Field, res.Why, here, there, here)
	return run.Resolution{Standing: refer.Unmet, Key: res.Key, Why: why}
}

// overdue reports whether a linked record has named nobody known for as long as its reference is waited for. A
// finding of an earlier run tells since when.
func (r *Room) overdue(link record.LinkID, to record.Side, ref run.Reference) bool {
	f, known := r.Found.Known[record.For{Side: to, Link: link, Name: record.FindUnwritable}]
	about := known && slices.Contains(strings.Split(f.About, ", "), ref.Field)
	return about && ref.Wait > 0 && r.Now.Sub(f.Since) > ref.Wait
}

// nobodyAcross returns what a reference means if the record that it names has none across, and nothing but the id
// of one could be written there: what stands across stays.
func (r *Room) nobodyAcross(to record.Side, ref run.Reference, res run.Resolution) run.Resolution {
	job := r.Jobs[ref.Binding]
	why := fmt.Sprintf("%s of %s, whom its %s names, has none in %s: what stands here stays. Name another one in its record there; %s",
		res.Wait.Ref, job.Sides[res.Wait.Side].System, ref.Field, r.Side(to).System, "nightporter explain says why")
	return run.Resolution{Standing: refer.Unmet, Wait: res.Wait, Why: why}
}

// ledNowhere returns what a reference means if no list shows the record that it names. Only if its system says that
// it has just that record, outside of what is read, is the record left out by rule. Whatever else the system says, or
// if it can't be asked, nobody knows whom the reference means: what stands across stays.
func (r *Room) ledNowhere(ctx context.Context, ref run.Reference, res run.Resolution) (run.Resolution, error) {
	said, err := r.refer.Ask(ctx, record.Place{Binding: res.Wait.Binding, Side: res.Wait.Side}, res.Wait.Ref)
	if err != nil || said.ShowsLeftOut() {
		return res, err
	}
	system := r.Jobs[ref.Binding].Sides[res.Wait.Side].System
	return run.Resolution{Standing: refer.Unmet, Wait: res.Wait, Why: nowhere(system, ref.Field, res.Wait.Ref, said)}, nil
}

// nowhere says why nobody knows whom a reference means whose record is in no list.
func nowhere(system record.System, field string, named record.Ref, said refer.Said) string {
	moved, _ := errors.AsType[*connectors.Error](said.Err)
	switch class := connectors.ClassOf(said.Err); {
	case class == connectors.Moved && moved.Ref.ID != "":
		return fmt.Sprintf("asked for %s, whom its %s names, %s answers with %s:%s: what stands here stays. Name %s:%s in its record there, if that is who is meant",
			named, field, system, named.Kind, moved.Ref.ID, named.Kind, moved.Ref.ID)
	case !said.Asked, class == connectors.NotFound:
		return fmt.Sprintf("%s has no %s, whom its %s names: what stands here stays. Name another one in its record there", system, named, field)
	case said.Err == nil:
		return fmt.Sprintf("%s of %s, whom its %s names, is in no list there: what stands here stays until a list shows it, or another one is named in its record there",
			named, system, field)
	}
	return fmt.Sprintf("%s of %s, whom its %s names, is in no list there and can't be read now: what stands here stays until it can", named, system, field)
}

// undecided returns what a reference means if the record that it names waits for a person, or can't be read or
// written as it is: what stands across stays.
func (r *Room) undecided(ref run.Reference, res run.Resolution) run.Resolution {
	system := r.Jobs[ref.Binding].Sides[res.Wait.Side].System
	next := "nightporter explain says why"
	if res.State == record.Held && !res.Unasked {
		next = "decide about it with nightporter conflicts"
	}
	why := fmt.Sprintf("%s of %s, whom its %s names, waits: what stands here stays until it is known on both sides; %s",
		res.Wait.Ref, system, ref.Field, next)
	return run.Resolution{Standing: refer.Unmet, Wait: res.Wait, Why: why}
}
