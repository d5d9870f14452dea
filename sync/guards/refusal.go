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

// Refused returns the refusals in a journal that still count, the earliest first. What a system said before it was
// forgiven does not count. A no of class Refused is an answer and no fault of the values: it is never forgiven.
func Refused(journal []record.Intent, forgiven []record.Forgiven, digest func(record.Fields) record.Digest) []*run.Refusal {
	var out []*run.Refusal
	known, all, dismissed := run.Refusals{}, map[string][]run.Request{}, map[string]time.Time{}
	for _, in := range journal {
		class := connectors.ErrorClass(in.Class)
		if class == connectors.Forbidden || class == connectors.Malformed {
			continue // it was not about these values: they are sent again once that is mended
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

// pardonOf returns the latest pardon that covers the record of a change: one for that record, or one for all
// records of its side. A person gives a pardon, or a changed mapping does.
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

// LoadRefusals loads what systems refused, so that the same values are not sent again before their time. If a
// refused create may be sent again now, its source is looked at again.
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

// RefusalOf returns the refusal of just these values; nil if there is none.
func (r *Room) RefusalOf(a plan.Action) *run.Refusal {
	return r.findings.SaidNo[run.RefusedKey(a.Side, a.Link, a.From)][r.observe.What(a.Change.Fields)]
}

// Unrefused returns the actions without what the system refused as it is, and the names of the fields that were
// dropped. Fields that were refused together are sent one by one, also when it is time to send them again: one bad
// value must not keep the others from being written.
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

// askable returns what of an action may be sent now: all of it, or parts of it. A part that was refused by itself
// is sent by itself, once it is time to send it again. A part that was refused only together with others is sent
// by itself at once. Parts that were never refused are sent together. If each part was refused by itself, they may
// be good only together: then the whole action and its parts are sent by turns.
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

// isForAll reports whether it is the turn of the whole action, which was refused before. Each of its parts must
// have been refused by itself, and either one of them after the whole action, or no part may be sent now. asked is
// the number of parts that may be sent now.
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

// withOthers reports whether the system refused a change that held all values of this one. Nobody knows then which
// of the values was wrong.
func (r *Room) withOthers(a plan.Action) bool {
	values := byPath(a.Change.Fields, r.observe.What)
	for _, f := range r.findings.SaidNo[run.RefusedKey(a.Side, a.Link, a.From)] {
		if run.Among(values, f.Own.Values) {
			return true
		}
	}
	return false
}

// KeyHeld says why a create was not made: a record that is there already has its key.
const KeyHeld = "another record holds its key"

// Blocked ends a create that its system did not make, because it already has a record with the same key. If that
// record is known to be the same one, the two are matched. If not, nobody here may ever learn which record it is,
// and this is a refusal like any other.
func (r *Room) Blocked(ctx context.Context, in record.Intent) error {
	return r.store.FailIntent(ctx, r.Lease, in.ID, record.Rejected, string(connectors.Exists), KeyHeld, time.Now())
}

// without returns the names of the fields of an action that no action of some has.
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
