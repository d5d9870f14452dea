package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// refusals is what systems said no to: for each side's link or entry the values, and
// how often they were refused.
type refusals map[string]map[record.Digest]*Refusal

// Refusal is what a system said no to, and what is to become of it.
type Refusal struct {
	Side      record.Side
	Link      record.LinkID
	From      int64 // of a create: the entry it was made from
	Ref       record.Ref
	Op        record.Op
	Paths     []string // that were refused together
	Class     connectors.ErrorClass
	Text      string
	Fails     int // runs in a row that asked for it, for a part of it or for more
	Since     time.Time
	Last      time.Time
	Dismissed bool // a person knows of it

	own request // the last for just these values
}

// Next is when it is asked again. False is not by itself: it was refused too often, a
// person has dismissed it, or the no was an answer and no fault of the values. A create that
// another record keeps from its key is no fault of the values either: that record may go any
// day, and nobody here would see it.
func (f *Refusal) Next() (time.Time, bool) {
	if f.Dismissed || f.Class == connectors.Refused {
		return time.Time{}, false
	}
	if f.tooOften() && f.Class == connectors.Exists && f.Op == record.Create {
		return f.Last.Add(plan.Seldom), true
	}
	return plan.Again(f.Fails, f.Last)
}

// tooOften reports whether it was refused so often that it is put aside.
func (f *Refusal) tooOften() bool {
	_, again := plan.Again(f.Fails, f.Last)
	return !again
}

// Refused is what stands of the refusals in a journal, the earliest first. What a
// system said before it was forgiven does not count.
func Refused(journal []record.Intent, forgiven []record.Forgiven, digest func(record.Fields) record.Digest) []*Refusal {
	var out []*Refusal
	known, all, dismissed := refusals{}, map[string][]request{}, map[string]time.Time{}
	for _, in := range journal {
		class := connectors.ErrorClass(in.Class)
		if class == connectors.Forbidden || class == connectors.Malformed {
			continue // it was not about these values: once it is mended they are asked again
		}
		pardon := pardonOf(forgiven, in)
		if class != connectors.Refused && in.EndedAt.Before(pardon.At) {
			continue
		}
		key, q := refusedKey(in.Place.Side, in.Link, in.From), requestOf(in, digest)
		all[key], dismissed[key] = append(all[key], q), pardon.Dismissed
		f := known[key][q.what]
		if f == nil {
			f = &Refusal{
				Side: in.Place.Side, Link: in.Link, From: in.From, Ref: in.Change.Ref, Op: in.Change.Op,
				Paths: in.Change.Fields.Names(),
			}
			known.put(key, q.what, f)
			out = append(out, f)
		}
		f.Class, f.Text, f.own = class, in.Error, q
	}
	for _, f := range out {
		key := refusedKey(f.Side, f.Link, f.From)
		f.reckon(all[key])
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

func (k refusals) put(key string, what record.Digest, f *Refusal) {
	if k[key] == nil {
		k[key] = map[record.Digest]*Refusal{}
	}
	k[key][what] = f
}

// loadRefusals remembers what systems said no to, so that the same is not asked again
// before its time. Records that were to be created, and may be asked for again now, are
// looked at again.
func (r *run) loadRefusals(ctx context.Context) error {
	journal, err := r.Store.Refusals(ctx, r.job.Binding)
	if err != nil {
		return err
	}
	r.saidNo = make(refusals, len(journal))
	if len(journal) == 0 {
		return nil
	}
	forgiven, err := r.Store.Forgiven(ctx, r.job.Binding)
	if err != nil {
		return err
	}
	var due []int64
	for _, f := range Refused(journal, forgiven, r.what) {
		r.saidNo.put(refusedKey(f.Side, f.Link, f.From), f.own.what, f)
		if at, again := f.Next(); again && f.From != 0 && !r.now.Before(at) {
			due = append(due, f.From)
		}
	}
	if len(due) == 0 || r.opt.Dry {
		return nil
	}
	return r.Store.Touch(ctx, r.lease, due)
}

// refusedKey is what a refusal is remembered under: each side has its own.
func refusedKey(side record.Side, link record.LinkID, from int64) string {
	return side.String() + " " + keyOf(link, from)
}

// refusalOf is what a system said no to of just these values, nil if it did not.
func (r *run) refusalOf(a plan.Action) *Refusal {
	return r.saidNo[refusedKey(a.Side, a.Link, a.From)][r.what(a.Change.Fields)]
}

// stands reports whether it is not asked for now.
func (f *Refusal) stands() bool {
	if f == nil {
		return false
	}
	at, again := f.Next()
	return !again || time.Now().Before(at)
}

// unrefused drops what the system said no to, as it is. Where it said no to several
// fields at once each is asked for by itself, also when it is time to ask again: one bad
// value must not keep the others from being written. It names the fields that are dropped.
func (r *run) unrefused(actions []plan.Action) (kept []plan.Action, dropped []string) {
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
		r.count("quarantined", 1)
		r.findDropped(a, names)
		r.note(a.Side, a.Change.Ref, record.Quarantined, fmt.Sprintf(
			"%s refused its %s; it is asked again when they change", r.side(a.Side).System, strings.Join(names, ", ")))
	}
	return kept, dropped
}

// askable is what of an action may be asked: all of it, or its parts. One that was refused
// goes by itself, if it is time to ask again: at once if it was refused only with others.
// Those that were not go together. Where each was refused by itself they may be good only
// together: then all of it is asked for and its parts, by turns.
func (r *run) askable(a plan.Action) (asked []plan.Action) {
	whole := r.refusalOf(a)
	if a.Change.Op != record.Update || a.Link == 0 {
		if whole.stands() {
			return nil
		}
		return []plan.Action{a}
	}
	only := func(fields []string) plan.Action {
		if len(fields) == len(a.Fields) {
			return a
		}
		return plan.Only(r.job.Rules, a, fields)
	}
	var fresh []string
	apart, alone := false, true // they were asked for last; each was by itself
	for _, p := range plan.Parts(r.job.Rules, a) {
		one := only(p)
		f := r.refusalOf(one)
		switch {
		case f == nil && !r.withOthers(one):
			fresh = append(fresh, p...)
		case !f.stands():
			asked = append(asked, one)
		}
		alone = alone && f != nil
		apart = apart || f != nil && whole != nil && f.own.at.After(whole.own.at)
	}
	if alone && whole != nil && (apart || len(asked) == 0) && !whole.stands() {
		return []plan.Action{a}
	}
	if len(fresh) > 0 {
		asked = append(asked, only(fresh))
	}
	return asked
}

// withOthers reports whether the system said no to a change that held all of this one:
// what it was that was wrong with it nobody knows.
func (r *run) withOthers(a plan.Action) bool {
	values := byPath(a.Change.Fields, r.what)
	for _, f := range r.saidNo[refusedKey(a.Side, a.Link, a.From)] {
		if among(values, f.own.values) {
			return true
		}
	}
	return false
}

// objectRefused puts aside a record that the other side refused as it is, and that is not asked for now.
func (r *run) objectRefused(_ context.Context, n *arrival) (outcome, error) {
	no := r.refusalOf(n.a)
	if !no.stands() || r.askedAnew(n.s) {
		return outcome{}, nil
	}
	if r.toBeTold(n.side, no.Class) {
		return r.objectTold(n)
	}
	to := r.side(n.side.Other()).System
	f := record.Finding{Place: record.Place{Side: n.side.Other()}, Name: record.FindRefused, Op: record.Create, Entry: n.s.Entry, Ref: n.s.Ref, Text: no.Text, Asked: no.Last}
	if no.Class == connectors.Exists {
		f.Name = record.FindHeld
	}
	if !no.Dismissed {
		r.noteStanding(f)
	}
	if no.Class != connectors.Exists {
		return n.leaves(record.Quarantined, fmt.Sprintf("%s refused these values; it is asked again when they change", to)), nil
	}
	why := fmt.Sprintf("%s has a record with its key, and which one is not known: it is matched when it is listed", to)
	if !no.tooOften() && !no.Dismissed { // the record in the way may be seen any time: it is looked for by every run
		return n.waitsBecause(why + ", and asked again until then, ever more seldom"), nil
	}
	if _, again := no.Next(); again {
		why += ", and asked again once a week"
	}
	return n.leaves(record.Quarantined, why+", and asked again when its values change"), nil
}

// keyHeld is why a create is not made that a record which is there keeps from it.
const keyHeld = "another record holds its key"

// blocked ends a create that its system would not make for a record that it has. Where
// that is known for the same it is matched. Where it is not, as nobody here may ever learn
// which one it is, this is a refusal like any other.
func (r *run) blocked(ctx context.Context, in record.Intent) error {
	return r.Store.FailIntent(ctx, r.lease, in.ID, record.Rejected, string(connectors.Exists), keyHeld, time.Now())
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
	if a.Change.Op == record.Delete {
		return r.deleteRefused(ctx, a, out)
	}
	if out.Class == connectors.Forbidden {
		r.stopped[a.Side] = string(out.Class)
		told := r.knows(record.FindForbidden, a.Side)
		r.findAnswer(record.FindForbidden, a, out.Err)
		if told {
			return nil
		}
		return r.alert(ctx, a.From, "read_only", fmt.Sprintf("%s does not allow writing: %v", r.side(a.Side).System, out.Err))
	}
	if a.Change.Op != record.Create {
		r.findAnswer(record.FindRefused, a, out.Err)
		r.note(a.Side, a.Change.Ref, record.Quarantined, out.Err.Error())
		return r.askAnew(ctx, a)
	}
	from := a.Side.Other()
	if b := r.job.Booking; b != nil && a.Side == b.Authority && out.Class == connectors.Refused {
		return r.tellRefused(ctx, a, from, out.Err)
	}
	r.findAnswer(record.FindRefused, a, out.Err)
	r.note(from, a.Source, record.Quarantined, out.Err.Error())
	if b := r.job.Booking; b != nil && a.Side == b.Authority {
		e := record.Entry{Num: a.From, Ref: a.Source}
		if err := r.tellOnce(ctx, from, e, fmt.Sprintf("can't be entered as it is: %v", out.Err)); err != nil {
			return err
		}
	}
	return r.Store.Park(ctx, r.lease, a.From, record.Quarantined, fmt.Sprintf("%s refused it: %v", r.side(a.Side).System, out.Err))
}
