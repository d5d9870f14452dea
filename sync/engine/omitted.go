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

// Some systems never list what is cancelled or archived, and show it where they are asked for
// it. Their lists prove of no record that it is not there, for ours may be one that they omit.
// A find that shows a record which the lists omit does. Lists of some days are such lists for a
// booking that may be moved: see beyond.go.

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
	for _, ask := range r.asksFor(side, in.Change) {
		none, err := r.noneBeyond(ctx, side, f, in, ask)
		if err != nil || none {
			return none, r.passOver(side, err, failed)
		}
	}
	return false, nil
}

// asksFor is the ways in which a new record can be asked for: by our mark, and by its values.
func (r *run) asksFor(side record.Side, c record.Change) (asks []record.Fields) {
	if st := r.side(side).Can.Stamp; st.Path != "" && st.Find && c.Stamp != "" {
		asks = append(asks, record.Fields{st.Path: record.OfText(c.Stamp)})
	}
	for _, by := range r.telling(side) {
		if ask := pick(c.Fields, by); len(ask) == len(by) {
			asks = append(asks, ask)
		}
	}
	return asks
}

// listsOmit reports whether a list of a side did not show a record that is there, lately.
func (r *run) listsOmit(ctx context.Context, side record.Side) bool {
	scans, err := r.endedOn(ctx, side)
	return err != nil || slices.ContainsFunc(scans, func(s record.EndedScan) bool { return s.Certificate.Complete && len(s.Certificate.Flaws) > 0 })
}

// noneBeyond asks in one way: first for a record that the lists omit, then for ours. What was
// there before the create was sent, or is linked, is not ours.
func (r *run) noneBeyond(ctx context.Context, side record.Side, f connectors.Finder, in record.Intent, ask record.Fields) (bool, error) {
	if shows, err := r.showsBeyond(ctx, side, f, ask); err != nil || !shows {
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

// showsBeyond reports whether a way of finding shows what the lists of a side do not: what is on
// other days than theirs, which a find is not limited to, and what they omit.
func (r *run) showsBeyond(ctx context.Context, side record.Side, f connectors.Finder, ask record.Fields) (bool, error) {
	if r.bounded(side) && r.byDays(side, ask) {
		return false, nil
	}
	if r.bounded(side) && !r.listsOmit(ctx, side) {
		return r.findWorks(ctx, side, f, ask.Names())
	}
	return r.showsOmitted(ctx, side, f, ask.Names())
}

// showsOmitted reports whether a way of finding shows a record that the lists of a side omit.
func (r *run) showsOmitted(ctx context.Context, side record.Side, f connectors.Finder, by []string) (bool, error) {
	controls, err := r.omittedBy(ctx, side, by)
	if err != nil {
		return false, err
	}
	return r.showsOne(ctx, side, f, controls)
}

// omittedBy is the records that the lists of a side omit, and how they are asked for in one way.
func (r *run) omittedBy(ctx context.Context, side record.Side, by []string) (out []control, err error) {
	if path := r.side(side).Can.Stamp.Path; path != "" && len(by) == 1 && by[0] == path {
		out, err = r.stamped(ctx, side, r.omitted[side])
		return slices.DeleteFunc(out, func(c control) bool {
			return !slices.ContainsFunc(r.omitted[side], func(e record.Entry) bool { return e.Ref.ID == c.id })
		}), err
	}
	for _, e := range r.omitted[side] {
		if ask := pick(e.Last(), by); len(ask) == len(by) {
			out = append(out, control{e.Ref.ID, ask})
		}
	}
	return out, nil
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
		return r.lose(ctx, in, "lists do not show it, and none proves anything: "+r.belies(side, belied))
	}
	var rules []string
	for _, rule := range r.job.Match {
		rules = append(rules, joinFields(rule))
	}
	f := findingOf(record.FindUnproven, plan.Action{Side: side, From: in.From, Source: source, Change: in.Change})
	f.About = strings.Join(rules, ", ")
	answer := "its answer to a create was lost"
	if saidDone(in) {
		answer = "it said that a create is done, and not what it made"
	}
	f.Text = fmt.Sprintf("%s, and its lists do not tell whether the record is there: %s. A person is asked after %s", answer,
		r.belies(side, belied), from.In(r.zone()).Format(time.DateTime))
	r.noteStanding(f)
	return nil
}

// belies is why lists of a side prove nothing.
func (r *run) belies(side record.Side, lists int) string {
	if r.bounded(side) {
		return "they show the days of the window alone, and it may have been moved to others"
	}
	return fmt.Sprintf("the last %d lacked records that are there", lists)
}
