package gone

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/plan/away"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// RetellOf notes the links about which a person is asked without having been told of a record that waits for them.
func (r *Room) RetellOf(ctx context.Context, d *run.Draft, of run.Brief, links []record.LinkID) error {
	for _, link := range links {
		a, decided := r.Absences[link]
		told := record.Rests{Anew: a.Anew, Beside: a.Beside}
		if !decided {
			asked, err := r.store.Choices(ctx, link)
			if err != nil {
				return fmt.Errorf("look what persons are asked: %w", err)
			}
			told = asked[run.RecordField].Rests
		}
		if !told.Names(of.Entered()) {
			d.Retell = append(d.Retell, link)
		}
	}
	return nil
}

// Retell has links decided anew by the next run, so that the question about them names what came since it was
// asked.
func (r *Room) Retell(ctx context.Context, links []record.LinkID) error {
	for _, link := range links {
		p, ok, err := r.store.Pair(ctx, link)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		for _, e := range p.Sides {
			if e.State.Doubted() || run.Aside(e.State) {
				continue
			}
			if err := r.store.Touch(ctx, r.Lease, []int64{e.Num}); err != nil {
				return fmt.Errorf("have link %d decided anew: %w", link, err)
			}
		}
	}
	return nil
}

// GoneFirst says why a record without a link waits until it is known what becomes of one of these links; "" if it
// waits for none.
func (r *Room) GoneFirst(ctx context.Context, links []record.LinkID) (string, error) {
	for _, link := range links {
		p, ok, err := r.store.Pair(ctx, link)
		if err != nil {
			return "", err
		}
		if !ok {
			continue
		}
		asked, err := r.store.Choices(ctx, link)
		if err != nil {
			return "", fmt.Errorf("look what persons are asked: %w", err)
		}
		if !run.IsAskable(p) && !r.isAsked(p, asked) {
			continue
		}
		for _, side := range record.Sides {
			e := p.Sides[side]
			another := r.observe.IsAnother(r.Job, side, e)
			if !e.State.Doubted() && !run.Aside(e.State) && !another {
				continue
			}
			open := r.goneOpen(p, e, asked)
			switch {
			case open && another:
				return fmt.Sprintf("it has a key of %s of %s, and that has the id of another record, which was linked: what becomes of that link comes first (nightporter conflicts)", e.Ref, r.Side(side).System), nil
			case open:
				return fmt.Sprintf("it has a key of %s of %s, and %s of %s, which is linked to that, is gone or may be: what becomes of that link comes first (nightporter conflicts)",
					p.Sides[side.Other()].Ref, r.Side(side.Other()).System, e.Ref, r.Side(side).System), nil
			}
		}
	}
	return "", nil
}

// goneOpen reports whether it is still to be decided, or to be done, what becomes of a link with a record that is
// gone, or may be. It is no longer open if a person let the other record go, and that only waits until those who
// name it are moved. A new record is then not the one that was linked: it may be the one that they are to be moved
// to.
func (r *Room) goneOpen(p record.Pair, e record.Entry, asked map[string]record.Question) bool {
	q, open := asked[run.RecordField]
	goes := open && away.GoneChoice(q.Value.Text()) == away.ChooseCarry
	a, decided := r.Absences[p.Link]
	switch {
	case decided && goes && a.Fate.Deed == away.Await:
		return false
	case decided:
		return !slices.Contains([]away.Deed{away.Part, away.Ignore, away.End}, a.Fate.Deed)
	}
	return e.State.Doubted() || open && !goes
}

// isAsked reports whether a person is asked what becomes of a link with a record that is gone, or is to be asked
// by this plan.
func (r *Room) isAsked(p record.Pair, asked map[string]record.Question) bool {
	if a, decided := r.Absences[p.Link]; decided {
		return a.Fate.Deed == away.Ask || a.Fate.Deed == away.Break
	}
	_, open := asked[run.RecordField]
	return open
}

// LinksOf returns the links of these records, on whichever side they are.
func (r *Room) LinksOf(ctx context.Context, refs []record.Ref) (links []record.LinkID, err error) {
	for _, ref := range refs {
		for _, side := range record.Sides {
			e, ok, err := r.store.Entry(ctx, r.Place(side), ref)
			if err != nil {
				return nil, err
			}
			if ok && e.Ref.Kind == r.Side(side).Kind && e.Link != 0 {
				links = append(links, e.Link)
			}
		}
	}
	return links, nil
}
