package links

import (
	"context"
	"fmt"
	"strings"
	"time"

	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/refer"
	"nightporter/sync/run"
)

// CaseOf returns a link as the plan looks at it, with all that its decision rests on. It also returns what its
// records wait for.
func (r *Room) CaseOf(ctx context.Context, p record.Pair) (plan.Case, []run.Waits, error) {
	var sides [2]run.SeenSide
	for _, side := range record.Sides {
		var err error
		if sides[side], err = r.refer.SideOf(ctx, side, p.Sides[side]); err != nil {
			return plan.Case{}, nil, err
		}
	}
	if err := r.trust.AsBefore(ctx, p, &sides); err != nil {
		return plan.Case{}, nil, err
	}
	c, w, err := r.NewCase(ctx, p.Link, p.Entity, sides)
	if err != nil {
		return c, w, err
	}
	r.blockUnread(p, &c)
	if err := r.outdated(ctx, sides, &c); err != nil {
		return c, w, err
	}
	choices, err := r.store.Choices(ctx, p.Link)
	if err != nil {
		return c, w, err
	}
	c.Choices, c.Said, c.Asked = run.ChoicesOf(choices), record.WordsOf(choices), choices
	c.Empties = r.Trials.Empties
	r.always.Apply(&c)
	if r.Job.Rules.Met(c) {
		made, err := r.store.Written(ctx, p.Link, time.Unix(0, 0))
		if err != nil {
			return c, w, err
		}
		c = c.WithJournal(r.Job.Rules, made, r.Job.Seal)
	}
	return c, w, nil
}

// NewCase puts together what a link is decided by, and what its references wait for.
func (r *Room) NewCase(ctx context.Context, link record.LinkID, entity string, sides [2]run.SeenSide) (plan.Case, []run.Waits, error) {
	c := plan.Case{Link: link, Entity: entity, Blocked: map[string]string{}}
	var w []run.Waits
	for _, side := range record.Sides {
		waits := run.Waits{Side: side, Meant: sides[side].Meant}
		for _, ref := range r.Job.References {
			res, open := sides[side].Open[ref.Field]
			was, overtaken := r.overtaken(side, ref, sides)
			switch {
			case open && overtaken:
				sides[side].Now[ref.Field] = was
			case open:
				if err := r.addOpen(ctx, &c, &waits, ref, res, sides); err != nil {
					return c, w, err
				}
			}
		}
		if len(waits.On)+len(waits.Stuck) > 0 { // in one note: a later note of a record replaces an earlier one
			waits.Entry = run.BriefOf(sides[side].Since)
			w = append(w, waits)
		}
		c.Sides[side] = sides[side].Side
	}
	parts, err := r.refer.AllParts(ctx, sides)
	c.Parts = parts
	return c, w, err
}

// addOpen adds to a case a reference of which nobody knows yet whom it names: what the record waits for, and what
// can't be written.
func (r *Room) addOpen(ctx context.Context, c *plan.Case, w *run.Waits, ref run.Reference, res run.Resolution, sides [2]run.SeenSide) (err error) {
	side := w.Side
	now, there := sides[side].Now[ref.Field], sides[side.Other()]
	across := there.Ref.ID != ""
	alike := across && now.Observed() && now.Equal(there.Now[ref.Field]) // nothing is written until it is known who that is
	switch {
	case across && !alike:
		if res, err = r.namedAnew(ctx, side, ref, res, sides[side], there.Now[ref.Field]); err != nil {
			return fmt.Errorf("look whom %s names: %w", ref.Field, err)
		}
	case !across && now.Observed() && res.Standing != refer.Known:
		sides[side].Now[ref.Field] = refer.MarkLeftOut(res.Wait.Ref.ID) // nobody is named there
	}
	if res.Wait.Ref.ID != "" {
		w.On = append(w.On, res.Wait)
	}
	if alike || res.Standing != refer.Waiting && res.Standing != refer.Unmet {
		return nil
	}
	delete(sides[side].Now, ref.Field)
	c.Blocked[ref.Field] = "the record that it names is not linked yet"
	if !across && ref.Snapshot { // a create comes this far only when the wait is over
		sides[side].Now[ref.Field] = refer.MarkLeftOut(res.Wait.Ref.ID)
		delete(c.Blocked, ref.Field)
	}
	if res.Standing == refer.Unmet {
		r.addUnmet(c, w, ref, res, sides[side])
	}
	return nil
}

// addUnmet adds to a case that a reference is not written, and why. If no record is known that could be waited for,
// a person is asked in the end.
func (r *Room) addUnmet(c *plan.Case, w *run.Waits, ref run.Reference, res run.Resolution, s run.SeenSide) {
	if res.Wait.Ref.ID == "" && r.overdue(c.Link, w.Side.Other(), ref) {
		r.askWhom(c, w.Side, ref, res.Why, s)
	}
	w.Stuck = append(w.Stuck, plan.Stuck{Side: w.Side.Other(), Name: record.FindUnwritable, Fields: []string{ref.Field}, Why: res.Why})
}

// askWhom has a person asked whom a linked record is for: it names nobody known, and was waited for long enough. They
// are shown the name and the phone that the record itself has. No text of the one who is meant is known that could be
// written across, so a person is asked whatever the reference does with a held record.
func (r *Room) askWhom(c *plan.Case, side record.Side, ref run.Reference, why string, s run.SeenSide) {
	shown, _ := r.Job.Mapping.Read(side, s.Native)
	parts := shown[ref.Field].Map()
	s.Now[ref.Field] = refer.MarkLeftOut(strings.TrimSpace(parts[mapping.PartName].Text() + " " + parts[mapping.PartPhone].Text()))
	delete(c.Blocked, ref.Field)
	if c.Unknown[side] == nil {
		c.Unknown[side] = map[string]string{}
	}
	c.Unknown[side][ref.Field] = why
}
