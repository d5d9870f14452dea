package proof

import (
	"context"
	"fmt"
	"time"

	"nightporter/connectors"
	"nightporter/sync/match"
	"nightporter/sync/pull"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// The lists of a side may show only some days. A create without an answer is then looked for on all other days,
// once its own days do not show it and nothing else can be asked. Of that list only those records are kept that the
// create may have made.

// otherDays is a list of all days of a side, with those of its records that an open create may have made.
type otherDays struct {
	run     *Room
	open    []unanswered
	unsound bool                     // it was not whole, showed what can't be read, or lacked what it must show
	came    map[string][]record.Seen // by the id of a change: what it may have made
	ids     map[string]bool          // that the current list has shown
}

// unanswered is a create without an answer, with the record that it was made from.
type unanswered struct {
	in     record.Intent
	source record.Entry
}

// farDays is how many years before and after today a booking is looked for.
const farDays = 10

// sameAge is how much older than its create a record may seem to be: the clock of its system may be wrong by a day,
// for instance where it tells no zone.
const sameAge = 24 * time.Hour

// NoneOnOtherDays reports whether a list of all days shows nothing that a create without an answer may have made. A
// record that may be it is stored, and the create stays open for the next run to judge it. failed counts lists that
// fail: one does not end the run.
func (r *Room) NoneOnOtherDays(ctx context.Context, in record.Intent, failed *int) (bool, error) {
	side := in.Place.Side
	if held, err := r.trust.Held(ctx, side); err != nil || held {
		return false, err
	}
	if r.others[side] == nil { // one list for all creates of a run
		o := &otherDays{run: r, came: map[string][]record.Seen{}}
		r.others[side] = o
		if err := o.read(ctx, side); err != nil {
			o.unsound = true
			return false, r.observe.PassOver(side, fmt.Errorf("look for bookings on all days: %w", err), failed)
		}
	}
	o := r.others[side]
	if o.unsound {
		return false, nil
	}
	none := true
	for _, item := range o.came[in.ID] {
		e, known, err := r.store.Entry(ctx, r.Place(side), item.Ref)
		if err != nil {
			return false, err
		}
		if known && (e.Link != 0 || !r.CameAfter(in, e)) {
			continue
		}
		none = false
		if !known {
			if err := r.store.See(ctx, r.Lease, r.Place(side), r.Job.Mapping.Fingerprint(side), []record.Seen{item}); err != nil {
				return false, fmt.Errorf("keep %s: %w", item.Ref, err)
			}
		}
	}
	return none, nil
}

// read lists all days of a side, as often as it takes to know that a record is not there.
func (o *otherDays) read(ctx context.Context, side record.Side) error {
	r := o.run
	if err := o.creates(ctx, side); err != nil {
		return err
	}
	today := r.Now.In(r.Job.Zone)
	all := connectors.Scope{From: today.AddDate(-farDays, 0, 0).Format(time.DateOnly), To: today.AddDate(farDays, 0, 0).Format(time.DateOnly)}
	for range r.ListsNeeded(side) {
		s := r.Side(side)
		res, err := pull.Pull(ctx, pull.Side{
			Lease: r.Lease, Place: r.Place(side), Conn: s.Conn,
			Query:   connectors.Query{Kind: s.Kind, Mode: connectors.Full, Scope: all, Fields: r.Job.Mapping.Paths(side)},
			Mapping: r.Job.Mapping, Refer: r.Refs, MaxField: r.Job.MaxField, Hides: s.Can.MayHide, Waits: s.Can.Waits,
			Between: r.observe.BetweenRequests, Draw: r.Draw,
			Progress: func(rows, total int) {
				r.Progress(run.Progress{Phase: side.String(), Name: fmt.Sprintf("%s of %s, all days", s.Kind, s.System), Done: rows, Total: total})
			},
		}, o)
		r.Count(side.String()+".pages", res.Pages)
		if err != nil {
			return err
		}
		shows, err := o.showsAllDays(ctx, side)
		if err != nil {
			return err
		}
		o.unsound = o.unsound || !res.Complete || len(res.Bad) > 0 || !shows
	}
	return nil
}

// showsAllDays reports whether the current list is one of all days: a system may give fewer days than it is asked
// for, and not say so. A list of all days shows everything that is linked within the window or after it. Of what
// lies before the window a system may keep only some.
func (o *otherDays) showsAllDays(ctx context.Context, side record.Side) (bool, error) {
	for after := int64(0); ; {
		es, err := o.run.store.Present(ctx, o.run.Place(side), after, run.Batch)
		if err != nil || len(es) == 0 {
			return err == nil, err
		}
		for _, e := range es {
			if after = e.Num; !o.ids[e.Ref.ID] && (e.State != record.OutOfScope || o.run.Beside(side, e.Last()) > 0) {
				return false, nil
			}
		}
	}
}

// creates loads the creates that a side has not answered.
func (o *otherDays) creates(ctx context.Context, side record.Side) error {
	open, err := o.run.store.Unsettled(ctx, o.run.Job.Binding)
	if err != nil {
		return err
	}
	for _, in := range open {
		if in.Place.Side != side || in.State != record.Sent || in.Change.Op != record.Create || in.From == 0 {
			continue
		}
		known, err := o.run.store.Entries(ctx, []int64{in.From})
		if err != nil {
			return err
		}
		o.open = append(o.open, unanswered{in, known[in.From]})
	}
	return nil
}

// BeginScan begins a new list; none is resumed.
func (o *otherDays) BeginScan(_ context.Context, _ record.Lease, place record.Place, spec record.ScanSpec, now time.Time, _ time.Duration) (record.Scan, error) {
	o.ids = map[string]bool{}
	return record.Scan{Place: place, Spec: spec, Started: now, Total: -1}, nil
}

// Known knows no record, so that every record is looked at.
func (o *otherDays) Known(_ context.Context, _ record.Place, ids []string, into []record.Known) ([]record.Known, error) {
	return append(into[:0], make([]record.Known, len(ids))...), nil
}

// SeePage keeps the records that an open create may have made.
func (o *otherDays) SeePage(ctx context.Context, _ record.Lease, place record.Place, p record.PageSeen) (doubles int, err error) {
	tells, err := o.run.match.ValuesTell(ctx, place.Side)
	if err != nil {
		return 0, err
	}
	for _, item := range p.Items {
		if o.ids[item.Ref.ID] {
			doubles++
		}
		o.ids[item.Ref.ID] = true
		for _, x := range o.open {
			if item.Problem == "" && o.mayBe(x, item, tells) {
				o.came[x.in.ID] = append(o.came[x.in.ID], item)
			}
		}
	}
	return doubles, nil
}

// EndScan ends the list. No record counts as gone because of it.
func (o *otherDays) EndScan(context.Context, record.Lease, int64, record.Certificate) (int, error) {
	return 0, nil
}

// mayBe reports whether a create may have made a record. tells says that the side gives values back as it was given
// them.
func (o *otherDays) mayBe(x unanswered, item record.Seen, tells bool) bool {
	if born := item.Observation.Created; !born.IsZero() && x.in.Made.Sub(born) > sameAge {
		return false
	}
	seen := item.Observation
	e := record.Entry{Place: x.in.Place, Ref: item.Ref, Seen: &seen}
	came := match.Arrivals{Source: x.source}
	o.run.match.Sort(&came, x.in, e, seen.Stamp != "" && seen.Stamp == x.in.Change.Stamp)
	return came.Matched || len(came.Ours)+len(came.Alike) > 0 || len(came.Others) > 0 && !tells
}
