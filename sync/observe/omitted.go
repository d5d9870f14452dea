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

// Some systems never list what is cancelled or archived, and show it only where it is asked for. Their lists prove
// of no record that it is not there: the record may be one that they omit. A look-up proves it, if it shows records
// that the lists omit. Where a booking may be moved, lists of some days are such lists, too: see run/beyond.go.

// noteOmitted keeps a linked record that is there although a complete list did not show it. Look-ups are tried on
// it.
func (r *Room) noteOmitted(side record.Side, e record.Entry) {
	if e.Link != 0 && len(r.omitted[side]) < trust.Witnesses {
		r.omitted[side] = append(r.omitted[side], e)
	}
}

// NoneBeyondLists reports whether look-ups prove that a create without an answer made nothing. They must show what
// the lists of the side omit, and find nothing that the create may have made. failed counts questions that could
// not be answered.
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

// asksFor returns the questions by which a new record can be looked up: by our mark, and by its values.
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

// ListsOmit reports whether one of the last complete lists of a side did not show a record that is there. It also
// reports true if the store can't tell.
func (r *Room) ListsOmit(ctx context.Context, side record.Side) bool {
	scans, err := r.EndedOn(ctx, side)
	return err != nil || slices.ContainsFunc(scans, func(s record.EndedScan) bool { return s.Certificate.Complete && len(s.Certificate.Flaws) > 0 })
}

// noneBeyond asks one question, if this way of asking is seen to show what the lists omit. It reports true if all
// that is found was there before the create was sent, or is linked: such a record is not ours.
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

// showsBeyond reports whether a way of looking records up shows what the lists of a side don't: records on other
// days than those of the lists, and records that the lists omit. A question by days does not find a booking that
// was moved.
func (r *Room) showsBeyond(ctx context.Context, side record.Side, f connectors.Finder, ask record.Fields) (bool, error) {
	if r.Bounded(side) && r.ByDays(side, ask) {
		return false, nil
	}
	if r.Bounded(side) && !r.ListsOmit(ctx, side) {
		return r.FindWorks(ctx, side, f, ask.Names())
	}
	return r.showsOmitted(ctx, side, f, ask.Names())
}

// showsOmitted reports whether a way of looking records up shows a record that the lists of a side omit.
func (r *Room) showsOmitted(ctx context.Context, side record.Side, f connectors.Finder, by []string) (bool, error) {
	controls, err := r.omittedBy(ctx, side, by)
	if err != nil {
		return false, err
	}
	return r.showsOne(ctx, side, f, controls)
}

// omittedBy returns the records that the lists of a side omit, each with the question that asks for it in this way.
func (r *Room) omittedBy(ctx context.Context, side record.Side, by []string) (out []run.Control, err error) {
	if path := r.Side(side).Can.Stamp.Path; path != "" && len(by) == 1 && by[0] == path {
		out, err = r.stamped(ctx, side, r.omitted[side])
		return slices.DeleteFunc(out, func(c run.Control) bool {
			return !slices.ContainsFunc(r.omitted[side], func(e record.Entry) bool { return e.Ref.ID == c.ID })
		}), err
	}
	for _, e := range r.omitted[side] {
		if ask := run.Pick(e.Last(), by); len(ask) == len(by) {
			out = append(out, run.Control{ID: e.Ref.ID, Ask: ask})
		}
	}
	return out, nil
}

// Belies says why the lists of a side prove nothing. lists is how many of the last ones lacked records that are
// there.
func (r *Room) Belies(side record.Side, lists int) string {
	if r.Bounded(side) {
		return "they show the days of the window alone, and it may have been moved to others"
	}
	return fmt.Sprintf("the last %d lacked records that are there", lists)
}
