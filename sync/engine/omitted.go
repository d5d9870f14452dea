package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Some systems never list what is cancelled or archived, and show it where they are asked for
// it. Their lists prove of no record that it is not there, for ours may be one that they omit.
// A find that shows a record which the lists omit does.

// noteOmitted keeps a record that is there and that a complete list did not show: a find is
// tried on it.
func (r *run) noteOmitted(side record.Side, e record.Entry) {
	if e.Link != 0 && len(r.omitted[side]) < witnesses {
		r.omitted[side] = append(r.omitted[side], e)
	}
}

// noneBeyondLists reports whether a side that shows what its lists omit, where it is asked for
// it, shows nothing that a create without an answer may have made. failed counts such questions
// that could not be answered.
func (r *run) noneBeyondLists(ctx context.Context, in record.Intent, failed *int) (bool, error) {
	side := in.Place.Side
	f, is := r.side(side).Conn.(connectors.Finder)
	if !is {
		return false, nil
	}
	if held, err := r.held(ctx, side); err != nil || held {
		return false, err
	}
	for _, by := range r.telling(side) {
		ask := pick(in.Change.Fields, by)
		if len(ask) != len(by) {
			continue
		}
		none, err := r.noneBeyond(ctx, side, f, in, ask)
		if err != nil || none {
			return none, r.passOver(side, err, failed)
		}
	}
	return false, nil
}

// noneBeyond asks in one way: first for a record that the lists omit, then for ours. What was
// there before the create was sent, or is linked, is not ours.
func (r *run) noneBeyond(ctx context.Context, side record.Side, f connectors.Finder, in record.Intent, ask record.Fields) (bool, error) {
	if shows, err := r.showsOmitted(ctx, side, f, ask.Names()); err != nil || !shows {
		return false, err
	}
	found, fault, err := r.find(ctx, side, f, ask)
	if err != nil || fault != nil {
		return false, err
	}
	for _, rec := range found {
		e, known, err := r.Store.Entry(ctx, r.place(side), rec.Ref)
		if err != nil || !known || e.Link == 0 && r.cameAfter(in, e) {
			return false, err
		}
	}
	return true, nil
}

// showsOmitted reports whether a way of finding shows a record that the lists of a side omit.
func (r *run) showsOmitted(ctx context.Context, side record.Side, f connectors.Finder, by []string) (bool, error) {
	for _, e := range r.omitted[side] {
		ask := pick(e.Last(), by)
		if len(ask) != len(by) {
			continue
		}
		found, fault, err := r.find(ctx, side, f, ask)
		if err != nil || unknownWay(fault) {
			return false, err
		}
		for _, rec := range found {
			if !r.answers(side, rec, ask) {
				return false, nil // the filter is ignored
			}
			if rec.Ref.ID == e.Ref.ID {
				return true, nil
			}
		}
	}
	return false, nil
}

// beliedOnly says of a create without an answer that lists prove nothing of it, and asks a
// person once that was waited out.
func (r *run) beliedOnly(ctx context.Context, in record.Intent, source record.Ref, belied int) error {
	side := in.Place.Side
	from := in.SentAt.Add(r.side(side).Settle + beliedFor)
	switch {
	case belied < 2:
		return nil
	case time.Now().After(from):
		return r.lose(ctx, in, fmt.Sprintf("lists do not show it, and none proves anything: the last %d lacked records that are there", belied))
	}
	var rules []string
	for _, rule := range r.job.Match {
		rules = append(rules, joinFields(rule))
	}
	f := findingOf(record.FindUnproven, plan.Action{Side: side, From: in.From, Source: source, Change: in.Change})
	f.About = strings.Join(rules, ", ")
	f.Text = fmt.Sprintf("its answer to a create was lost, and its lists do not tell whether it made the record: they lack others that are there. A person is asked after %s",
		from.In(r.zone()).Format(time.DateTime))
	r.noteStanding(f)
	return nil
}
