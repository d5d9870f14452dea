package observe

import (
	"context"
	"fmt"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/record"
	"nightporter/sync/run"
	"nightporter/sync/trust"
)

// Some systems never list what is cancelled or archived, and show it where they are asked for
// it. Their lists prove of no record that it is not there, for ours may be one that they omit.
// A find that shows a record which the lists omit does. Lists of some days are such lists for a
// booking that may be moved: see beyond.go.

// noteOmitted keeps a record that is there and that a complete list did not show: a find is
// tried on it.
func (r *Room) noteOmitted(side record.Side, e record.Entry) {
	if e.Link != 0 && len(r.omitted[side]) < trust.Witnesses {
		r.omitted[side] = append(r.omitted[side], e)
	}
}

// NoneBeyondLists reports whether a side that shows what its lists omit, where it is asked for
// it, shows nothing that a create without an answer may have made. failed counts such questions
// that could not be answered.
func (r *Room) NoneBeyondLists(ctx context.Context, in record.Intent, failed *int) (bool, error) {
	side := in.Place.Side
	f, is := r.Side(side).Conn.(connectors.Finder)
	if !is {
		return false, nil
	}
	if held, err := r.trust.Held(ctx, side); err != nil || held {
		return false, err
	}
	for _, ask := range r.asksFor(side, in.Change) {
		none, err := r.noneBeyond(ctx, side, f, in, ask)
		if err != nil || none {
			return none, r.PassOver(side, err, failed)
		}
	}
	return false, nil
}

// asksFor is the ways in which a new record can be asked for: by our mark, and by its values.
func (r *Room) asksFor(side record.Side, c record.Change) (asks []record.Fields) {
	if st := r.Side(side).Can.Stamp; st.Path != "" && st.Find && c.Stamp != "" {
		asks = append(asks, record.Fields{st.Path: record.OfText(c.Stamp)})
	}
	for _, by := range r.Telling(side) {
		if ask := run.Pick(c.Fields, by); len(ask) == len(by) {
			asks = append(asks, ask)
		}
	}
	return asks
}

// ListsOmit reports whether a list of a side did not show a record that is there, lately.
func (r *Room) ListsOmit(ctx context.Context, side record.Side) bool {
	scans, err := r.EndedOn(ctx, side)
	return err != nil || slices.ContainsFunc(scans, func(s record.EndedScan) bool { return s.Certificate.Complete && len(s.Certificate.Flaws) > 0 })
}

// noneBeyond asks in one way: first for a record that the lists omit, then for ours. What was
// there before the create was sent, or is linked, is not ours.
func (r *Room) noneBeyond(ctx context.Context, side record.Side, f connectors.Finder, in record.Intent, ask record.Fields) (bool, error) {
	if shows, err := r.showsBeyond(ctx, side, f, ask); err != nil || !shows {
		return false, err
	}
	found, fault, err := r.Find(ctx, side, f, ask)
	if err != nil || fault != nil {
		return false, err
	}
	for _, rec := range found {
		e, known, err := r.store.Entry(ctx, r.Place(side), rec.Ref)
		if err != nil || !known || e.Link == 0 && r.CameAfter(in, e) {
			return false, err
		}
	}
	return true, nil
}

// showsBeyond reports whether a way of finding shows what the lists of a side do not: what is on
// other days than theirs, which a find is not limited to, and what they omit.
func (r *Room) showsBeyond(ctx context.Context, side record.Side, f connectors.Finder, ask record.Fields) (bool, error) {
	if r.Bounded(side) && r.ByDays(side, ask) {
		return false, nil
	}
	if r.Bounded(side) && !r.ListsOmit(ctx, side) {
		return r.FindWorks(ctx, side, f, ask.Names())
	}
	return r.showsOmitted(ctx, side, f, ask.Names())
}

// showsOmitted reports whether a way of finding shows a record that the lists of a side omit.
func (r *Room) showsOmitted(ctx context.Context, side record.Side, f connectors.Finder, by []string) (bool, error) {
	controls, err := r.omittedBy(ctx, side, by)
	if err != nil {
		return false, err
	}
	return r.showsOne(ctx, side, f, controls)
}

// omittedBy is the records that the lists of a side omit, and how they are asked for in one way.
func (r *Room) omittedBy(ctx context.Context, side record.Side, by []string) (out []run.Control, err error) {
	if path := r.Side(side).Can.Stamp.Path; path != "" && len(by) == 1 && by[0] == path {
		out, err = r.stamped(ctx, side, r.omitted[side])
		return slices.DeleteFunc(out, func(c run.Control) bool {
			return !slices.ContainsFunc(r.omitted[side], func(e record.Entry) bool { return e.Ref.ID == c.Id })
		}), err
	}
	for _, e := range r.omitted[side] {
		if ask := run.Pick(e.Last(), by); len(ask) == len(by) {
			out = append(out, run.Control{Id: e.Ref.ID, Ask: ask})
		}
	}
	return out, nil
}

// Belies is why lists of a side prove nothing.
func (r *Room) Belies(side record.Side, lists int) string {
	if r.Bounded(side) {
		return "they show the days of the window alone, and it may have been moved to others"
	}
	return fmt.Sprintf("the last %d lacked records that are there", lists)
}
