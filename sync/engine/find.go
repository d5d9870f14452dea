package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// finding is what is known of looking up by one set of paths.
type finding struct {
	works, tried bool
	fault        error // why it is given up, nil where it only proves nothing
}

// remember keeps what was learnt of a way of finding for the rest of the run.
func (r *run) remember(side record.Side, by []string, f finding) {
	if r.finds[side] == nil {
		r.finds[side] = map[string]finding{}
	}
	f.tried = true
	r.finds[side][wayOf(by)] = f
}

// wayOf is the name of a way of finding, in whatever order its paths are given.
func wayOf(by []string) string { return joinFields(slices.Sorted(slices.Values(by))) }

// find asks a side for records. fault is an error that is about this question, or
// about this way of asking, which is not used again in this run then; err is one of
// the system.
func (r *run) find(ctx context.Context, side record.Side, f connectors.Finder, ask record.Fields) (found []record.Record, fault, err error) {
	found, err = f.Find(ctx, r.side(side).Kind, ask, connectors.Scope{})
	r.count(side.String()+".finds", 1)
	switch {
	case err == nil:
		return found, nil, nil
	case unknownWay(err):
		r.remember(side, ask.Names(), finding{fault: err})
		return nil, err, nil
	case ofQuestion(connectors.ClassOf(err)):
		return nil, err, nil
	}
	return nil, nil, err
}

// unknownWay reports whether an error says that nothing can be asked for this way.
func unknownWay(err error) bool {
	class := connectors.ClassOf(err)
	return class == connectors.Unsupported || class == connectors.Forbidden
}

// ofQuestion reports whether a class of error is about what was asked, and says
// nothing of the system that answered.
func ofQuestion(class connectors.ErrorClass) bool {
	switch class {
	case connectors.Rejected, connectors.Malformed, connectors.Unsupported, connectors.Refused, connectors.Stale,
		connectors.NotFound, connectors.OutOfScope, connectors.Moved, connectors.Exists:
		return true
	case connectors.Transient, connectors.Throttled, connectors.Unauthorized, connectors.Forbidden, connectors.Ambiguous:
	}
	return false
}

// unsure says why it is not known whether a side lacks the record of an entry.
func (r *run) unsure(side record.Side, from int64) string {
	if rules := r.unaskedBy(side, from); len(rules) > 0 {
		return unproven(r.side(side).System, rules)
	}
	if fault := r.unfound[from]; fault != nil {
		return fmt.Sprintf("it can't be looked up in %s, whose list was not read whole twice: %v", r.side(side).System, fault)
	}
	return fmt.Sprintf("it is not sure yet that %s lacks it: its list was not read whole twice", r.side(side).System)
}

// unproven says that a side can't be asked by match rules that may know a new record.
func unproven(system record.System, rules []string) string {
	return fmt.Sprintf("%s can't be asked by %s, and its list was not read whole as often as it takes: it may have it already", system, strings.Join(rules, ", "))
}

// unaskedBy is the match rules that may know a new record, and that nothing asks its side by,
// though it can be asked by something.
func (r *run) unaskedBy(side record.Side, from int64) []string {
	if s := r.side(side); !canFind(s) || s.Can.FindAny {
		return nil // it is lists that tell of it
	}
	return r.unasked[from]
}

// findUnproven notes a create that waits for a whole list, since its side can't be asked by
// every rule that may know the record. A run that reads no lists leaves it to one that does.
func (r *run) findUnproven(a plan.Action) {
	rules := r.unaskedBy(a.Side, a.From)
	if len(rules) == 0 || r.kicking || r.single() {
		return
	}
	f := findingOf(record.FindUnproven, a)
	f.About, f.Text = strings.Join(rules, ", "), unproven(r.side(a.Side).System, rules)
	r.noteFinding(f)
}

// findWorks asks, once a run, for a record that is known to be there. Only if it is
// found does an empty answer mean that there is none.
func (r *run) findWorks(ctx context.Context, side record.Side, f connectors.Finder, by []string) (bool, error) {
	if r.side(side).Can.FindAny {
		return true, nil
	}
	if known := r.finds[side][wayOf(by)]; known.tried {
		return known.works, nil
	}
	r.remember(side, by, finding{}) // until it is seen to work
	controls, err := r.controls(ctx, side, by)
	if err != nil {
		return false, err
	}
	works, err := r.showsOne(ctx, side, f, controls)
	if works {
		r.remember(side, by, finding{works: true})
	}
	return works, err
}

// showsOne reports whether a find shows one of the records that it is tried on.
func (r *run) showsOne(ctx context.Context, side record.Side, f connectors.Finder, controls []control) (bool, error) {
	for _, c := range controls {
		found, fault, err := r.find(ctx, side, f, c.ask)
		if err != nil || unknownWay(fault) {
			return false, err
		}
		for _, rec := range found {
			if !r.answers(side, rec, c.ask) {
				return false, nil // the filter is ignored
			}
			if rec.Ref.ID == c.id {
				return true, nil
			}
		}
	}
	return false, nil
}

// unlisted asks a side for what a create may have made, before the create is given up on
// the word of lists: one that is empty and says so looks like any other where no record of
// its side is known yet. What is found is stored, and the create stays open for the next
// run to judge it; that nothing is found proves no more than the lists do. It stays open
// as well while the side can't be asked. failed counts such answers: one stops nothing.
func (r *run) unlisted(ctx context.Context, in record.Intent, failed *int) (open bool, err error) {
	side := in.Place.Side
	f, is := r.side(side).Conn.(connectors.Finder)
	if !is {
		return false, nil
	}
	if held, err := r.held(ctx, side); err != nil || held {
		return true, err
	}
	for _, by := range r.telling(side) {
		ask := pick(in.Change.Fields, by)
		if len(ask) != len(by) {
			continue
		}
		at := time.Now()
		found, _, err := r.find(ctx, side, f, ask)
		if err != nil {
			r.note(side, in.Change.Ref, record.Waiting, "what became of a change of it can't be looked up now: "+err.Error())
			return true, r.passOver(side, err, failed)
		}
		if open, err = r.seeNew(ctx, side, found, ask, at); err != nil || open {
			return open, err
		}
	}
	return false, nil
}

// seeNew stores the records among those found that are what was asked for and that nobody
// knew. It reports whether there are any.
func (r *run) seeNew(ctx context.Context, side record.Side, found []record.Record, ask record.Fields, at time.Time) (some bool, err error) {
	for _, rec := range found {
		if !r.answers(side, rec, ask) {
			continue // the filter is ignored
		}
		_, known, err := r.Store.Entry(ctx, r.place(side), rec.Ref)
		if err != nil {
			return false, err
		}
		if known {
			continue
		}
		if err := r.see(ctx, side, rec, at, "find"); err != nil {
			return false, err
		}
		some = true
	}
	return some, nil
}

// answers reports whether a record is one that was asked for: it holds what was
// asked for, or carries the reference of ours.
func (r *run) answers(side record.Side, rec record.Record, ask record.Fields) bool {
	stamped := rec.Stamp != "" && ask[r.side(side).Can.Stamp.Path].Text() == rec.Stamp
	return stamped || rec.Fields.Agrees(ask)
}

// control is a record that is known to be there, and how it is asked for.
type control struct {
	id  string
	ask record.Fields
}

// controls is a few records that a way of finding is tried on.
func (r *run) controls(ctx context.Context, side record.Side, by []string) ([]control, error) {
	sample, err := r.Store.Sample(ctx, r.place(side), 5)
	if err != nil {
		return nil, err
	}
	var out []control
	if path := r.side(side).Can.Stamp.Path; path != "" && len(by) == 1 && by[0] == path {
		if out, err = r.stamped(ctx, side, sample); err != nil {
			return nil, err
		}
	} else {
		for _, e := range sample {
			if ask := pick(e.Last(), by); len(ask) == len(by) {
				out = append(out, control{e.Ref.ID, ask})
			}
		}
	}
	return out[:min(len(out), witnesses)], nil
}

// stampedFor is how far back creates are looked through for one that carries our
// reference.
const stampedFor = 30 * 24 * time.Hour

// stamped is linked records that carry a reference of ours. The path of the
// reference is no mapped field, so it is known by what a read showed beside the
// fields, or because we made the record.
func (r *run) stamped(ctx context.Context, side record.Side, sample []record.Entry) ([]control, error) {
	path := r.side(side).Can.Stamp.Path
	var out []control
	for _, e := range sample {
		if e.Seen != nil && e.Seen.Stamp != "" {
			out = append(out, control{e.Ref.ID, record.Fields{path: record.OfText(e.Seen.Stamp)}})
		}
	}
	made, err := r.Store.Created(ctx, r.place(side), time.Now().Add(-stampedFor))
	if err != nil {
		return nil, err
	}
	settled := time.Now().Add(-r.side(side).Settle) // a find may lag
	for i := len(made) - 1; i >= 0 && len(out) < witnesses; i-- {
		in := made[i]
		if in.Change.Stamp == "" || in.EndedAt.After(settled) {
			continue
		}
		pair, ok, err := r.Store.Pair(ctx, in.Link)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, control{pair.Sides[side].Ref.ID, record.Fields{path: record.OfText(in.Change.Stamp)}})
		}
	}
	return out, nil
}
