package guards

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Refused is what stands of the refusals in a journal, the earliest first. What a
// system said before it was forgiven does not count.
func Refused(journal []record.Intent, forgiven []record.Forgiven, digest func(record.Fields) record.Digest) []*run.Refusal {
	var out []*run.Refusal
	known, all, dismissed := run.Refusals{}, map[string][]run.Request{}, map[string]time.Time{}
	for _, in := range journal {
		class := connectors.ErrorClass(in.Class)
		if class == connectors.Forbidden || class == connectors.Malformed {
			continue // it was not about these values: once it is mended they are asked again
		}
		pardon := pardonOf(forgiven, in)
		if class != connectors.Refused && in.EndedAt.Before(pardon.At) {
			continue
		}
		key, q := run.RefusedKey(in.Place.Side, in.Link, in.From), requestOf(in, digest)
		all[key], dismissed[key] = append(all[key], q), pardon.Dismissed
		f := known[key][q.What]
		if f == nil {
			f = &run.Refusal{
				Side: in.Place.Side, Link: in.Link, From: in.From, Ref: in.Change.Ref, Op: in.Change.Op,
				Paths: in.Change.Fields.Names(),
			}
			known.Put(key, q.What, f)
			out = append(out, f)
		}
		f.Class, f.Text, f.Own = class, in.Error, q
	}
	for _, f := range out {
		key := run.RefusedKey(f.Side, f.Link, f.From)
		f.Reckon(all[key])
		f.Dismissed = !dismissed[key].IsZero() && !f.Since.After(dismissed[key])
	}
	return out
}

// pardonOf is the latest word of a person, or of another mapping, about the record of a
// change.
func pardonOf(all []record.Forgiven, in record.Intent) (out record.Forgiven) {
	for _, p := range all {
		own := p.Link == in.Link && p.From == in.From && (in.Link != 0 || in.From != 0)
		if p.Side != in.Place.Side || !own && (p.Link != 0 || p.From != 0) {
			continue
		}
		if p.At.After(out.At) {
			out.At = p.At
		}
		if p.Dismissed.After(out.Dismissed) {
			out.Dismissed = p.Dismissed
		}
	}
	return out
}

// LoadRefusals remembers what systems said no to, so that the same is not asked again
// before its time. Records that were to be created, and may be asked for again now, are
// looked at again.
func (r *Room) LoadRefusals(ctx context.Context) error {
	journal, err := r.store.Refusals(ctx, r.Job.Binding)
	if err != nil {
		return err
	}
	r.findings.SaidNo = make(run.Refusals, len(journal))
	if len(journal) == 0 {
		return nil
	}
	forgiven, err := r.store.Forgiven(ctx, r.Job.Binding)
	if err != nil {
		return err
	}
	var due []int64
	for _, f := range Refused(journal, forgiven, r.observe.What) {
		r.findings.SaidNo.Put(run.RefusedKey(f.Side, f.Link, f.From), f.Own.What, f)
		if at, again := f.Next(); again && f.From != 0 && !r.Now.Before(at) {
			due = append(due, f.From)
		}
	}
	if len(due) == 0 || r.Options.Dry {
		return nil
	}
	return r.store.Touch(ctx, r.Lease, due)
}

// RefusalOf is what a system said no to of just these values, nil if it did not.
func (r *Room) RefusalOf(a plan.Action) *run.Refusal {
	return r.findings.SaidNo[run.RefusedKey(a.Side, a.Link, a.From)][r.observe.What(a.Change.Fields)]
}

// Unrefused drops what the system said no to, as it is. Where it said no to several
// fields at once each is asked for by itself, also when it is time to ask again: one bad
// value must not keep the others from being written. It names the fields that are dropped.
func (r *Room) Unrefused(actions []plan.Action) (kept []plan.Action, dropped []string) {
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
		names := without(a, some)
		dropped = append(dropped, names...)
		r.Count("quarantined", 1)
		r.findings.FindDropped(a, names)
		r.Note(a.Side, a.Change.Ref, record.Quarantined, fmt.Sprintf(
			"%s refused its %s; it is asked again when they change", r.Side(a.Side).System, strings.Join(names, ", ")))
	}
	return kept, dropped
}

// askable is what of an action may be asked: all of it, or its parts. One that was refused
// goes by itself, if it is time to ask again: at once if it was refused only with others.
// Those that were not go together. Where each was refused by itself they may be good only
// together: then all of it is asked for and its parts, by turns.
func (r *Room) askable(a plan.Action) (asked []plan.Action) {
	whole := r.RefusalOf(a)
	if a.Change.Op != record.Update || a.Link == 0 {
		if whole.Stands() {
			return nil
		}
		return []plan.Action{a}
	}
	only := func(fields []string) plan.Action {
		if len(fields) == len(a.Fields) {
			return a
		}
		return plan.Only(r.Job.Rules, a, fields)
	}
	var fresh []string
	for _, p := range plan.Parts(r.Job.Rules, a) {
		one := only(p)
		f := r.RefusalOf(one)
		switch {
		case f == nil && !r.withOthers(one):
			fresh = append(fresh, p...)
		case !f.Stands():
			asked = append(asked, one)
		}
	}
	if whole != nil && !whole.Stands() && r.isForAll(a, whole, only, len(asked)) {
		return []plan.Action{a}
	}
	if len(fresh) > 0 {
		asked = append(asked, only(fresh))
	}
	return asked
}

// isForAll reports whether it is the turn of all of an action that was refused: each of its parts was refused by itself,
// and one of them after it, or none may be asked for now.
func (r *Room) isForAll(a plan.Action, whole *run.Refusal, only func([]string) plan.Action, asked int) bool {
	apart := asked == 0
	for _, p := range plan.Parts(r.Job.Rules, a) {
		f := r.RefusalOf(only(p))
		if f == nil {
			return false
		}
		apart = apart || f.Own.At.After(whole.Own.At)
	}
	return apart
}

// withOthers reports whether the system said no to a change that held all of this one:
// what it was that was wrong with it nobody knows.
func (r *Room) withOthers(a plan.Action) bool {
	values := byPath(a.Change.Fields, r.observe.What)
	for _, f := range r.findings.SaidNo[run.RefusedKey(a.Side, a.Link, a.From)] {
		if run.Among(values, f.Own.Values) {
			return true
		}
	}
	return false
}

// keyHeld is why a create is not made that a record which is there keeps from it.
const KeyHeld = "another record holds its key"

// Blocked ends a create that its system would not make for a record that it has. Where
// that is known for the same it is matched. Where it is not, as nobody here may ever learn
// which one it is, this is a refusal like any other.
func (r *Room) Blocked(ctx context.Context, in record.Intent) error {
	return r.store.FailIntent(ctx, r.Lease, in.ID, record.Rejected, string(connectors.Exists), KeyHeld, time.Now())
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
