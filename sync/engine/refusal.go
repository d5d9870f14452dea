package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// refusals is what systems said no to: for each side's link or entry the values, and
// how they were refused.
type refusals map[string]map[record.Digest]connectors.ErrorClass

// loadRefusals remembers what systems said no to, so that the same is not asked
// again until the values change.
func (r *run) loadRefusals(ctx context.Context) error {
	ins, err := r.Store.Refusals(ctx, r.job.Binding)
	if err != nil {
		return err
	}
	r.saidNo = make(refusals, len(ins))
	for _, in := range ins {
		if class := connectors.ErrorClass(in.Class); class == connectors.Forbidden || class == connectors.Malformed {
			continue // it was not about these values: once it is mended they are asked again
		}
		key := refusedKey(in.Place.Side, in.Link, in.From)
		if r.saidNo[key] == nil {
			r.saidNo[key] = map[record.Digest]connectors.ErrorClass{}
		}
		r.saidNo[key][r.what(in.Change.Fields)] = connectors.ErrorClass(in.Class)
	}
	return nil
}

// refusedKey is what a refusal is remembered under: each side has its own.
func refusedKey(side record.Side, link record.LinkID, from int64) string {
	return side.String() + " " + keyOf(link, from)
}

// refusalOf is how a system said no to just these values, false if it did not.
func (r *run) refusalOf(a plan.Action) (connectors.ErrorClass, bool) {
	class, ok := r.saidNo[refusedKey(a.Side, a.Link, a.From)][r.what(a.Change.Fields)]
	return class, ok
}

// unrefused drops what the system said no to, as it is. Where it said no to several
// fields at once each is asked for by itself, once: one bad value must not keep the
// others from being written.
func (r *run) unrefused(actions []plan.Action) (kept []plan.Action, dropped bool) {
	for _, a := range actions {
		some := r.askable(a)
		kept = append(kept, some...)
		fields := 0
		for _, s := range some {
			fields += len(s.Fields)
		}
		if fields == len(a.Fields) && len(some) > 0 {
			continue
		}
		dropped = true
		r.count("quarantined", 1)
		r.note(a.Side, a.Change.Ref, record.Quarantined, fmt.Sprintf(
			"%s refused its %s; it is asked again when they change", r.side(a.Side).System, strings.Join(without(a, some), ", ")))
	}
	return kept, dropped
}

// askable is what of an action may be asked: all of it, what is left of it without
// the values that were refused by themselves, or its parts one by one.
func (r *run) askable(a plan.Action) []plan.Action {
	_, no := r.refusalOf(a)
	if a.Change.Op != record.Update || a.Link == 0 {
		if no {
			return nil
		}
		return []plan.Action{a}
	}
	var fields []string
	var parts []plan.Action
	for _, p := range plan.Parts(r.job.Rules, a) {
		one := plan.Only(r.job.Rules, a, p)
		if _, no := r.refusalOf(one); no {
			continue
		}
		fields, parts = append(fields, p...), append(parts, one)
	}
	if len(fields) == len(a.Fields) && !no {
		return []plan.Action{a}
	}
	if rest := plan.Only(r.job.Rules, a, fields); len(parts) > 1 {
		if _, no := r.refusalOf(rest); !no {
			return []plan.Action{rest}
		}
	}
	return parts
}

// without names the fields of an action that are in none of some.
func without(a plan.Action, some []plan.Action) []string {
	var names []string
	for _, f := range a.Fields {
		in := func(s plan.Action) bool {
			return slices.ContainsFunc(s.Fields, func(g record.FieldReason) bool { return g.Field == f.Field })
		}
		if !slices.ContainsFunc(some, in) {
			names = append(names, f.Field)
		}
	}
	return names
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
