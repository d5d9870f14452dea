package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// What becomes of a record whose partner is gone, and which record is the same as a new one that has its
// key, are one question as long as the first is open: the new one may be what is gone, entered anew. To
// make it anew and to say that it is none of those that are there go by the same word, so that both
// answers together would make it twice. So the new one waits, and nothing is asked about it, until the
// first is answered and done.

// comesFirst ends what is said of a record that waits so. What names it is told that it waits for a
// person, too.
const comesFirst = "what becomes of that link comes first (nightporter conflicts)"

func waitsForGone(e record.Entry) bool { return briefOf(e).waitsForGone() }

func (c brief) waitsForGone() bool {
	return c.state == record.Waiting && strings.HasSuffix(c.why, comesFirst)
}

// retellOf notes the links of which a person is asked, and not told of a record that waits for them.
func (r *run) retellOf(ctx context.Context, d *draft, of brief, links []record.LinkID) error {
	for _, link := range links {
		a, decided := r.absences[link]
		facts := strings.Join(a.likes(), "\n")
		if !decided {
			asked, err := r.Store.Choices(ctx, link)
			if err != nil {
				return fmt.Errorf("look what persons are asked: %w", err)
			}
			facts = asked[RecordField].Facts
		}
		if !toldAll([]string{of.entered().fact()}, facts) && !toldAll([]string{besideFact + of.ref.String()}, facts) {
			d.retell = append(d.retell, link)
		}
	}
	return nil
}

// retell has links decided anew by the next run: what came since a person was asked about them is to be
// named in the question.
func (r *run) retell(ctx context.Context, links []record.LinkID) error {
	for _, link := range links {
		p, ok, err := r.Store.Pair(ctx, link)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		for _, e := range p.Sides {
			if e.State.Doubted() || aside(e.State) {
				continue
			}
			if err := r.Store.Touch(ctx, r.lease, []int64{e.Num}); err != nil {
				return fmt.Errorf("have link %d decided anew: %w", link, err)
			}
		}
	}
	return nil
}

// goneFirst says for what of these links a record without one waits, "" for nothing.
func (r *run) goneFirst(ctx context.Context, links []record.LinkID) (string, error) {
	for _, link := range links {
		p, ok, err := r.Store.Pair(ctx, link)
		if err != nil {
			return "", err
		}
		if !ok {
			continue
		}
		asked, err := r.Store.Choices(ctx, link)
		if err != nil {
			return "", fmt.Errorf("look what persons are asked: %w", err)
		}
		if !isAskable(p) && !r.isAsked(p, asked) {
			continue
		}
		for _, side := range record.Sides {
			e := p.Sides[side]
			another := r.isAnother(r.job, side, e)
			if !e.State.Doubted() && !aside(e.State) && !another {
				continue
			}
			open := r.goneOpen(p, e, asked)
			switch {
			case open && another:
				return fmt.Sprintf("it has a key of %s of %s, and that has the id of another record, which was linked: "+comesFirst, e.Ref, r.side(side).System), nil
			case open:
				return fmt.Sprintf("it has a key of %s of %s, and %s of %s, which is linked to that, is gone or may be: "+comesFirst,
					p.Sides[side.Other()].Ref, r.side(side.Other()).System, e.Ref, r.side(side).System), nil
			}
		}
	}
	return "", nil
}

// goneOpen reports whether it is still to be decided, or to be done, what becomes of a link of which a
// record is gone or may be. Of one that is to go, and waits until whoever names it is moved, the new one
// is not what was linked: it may be the one that they are to be moved to.
func (r *run) goneOpen(p record.Pair, e record.Entry, asked map[string]record.Conflict) bool {
	q, open := asked[RecordField]
	goes := open && plan.GoneChoice(q.Value.Text()) == plan.ChooseCarry
	a, decided := r.absences[p.Link]
	switch {
	case decided && goes && a.fate.Deed == plan.Await:
		return false
	case decided:
		return !slices.Contains([]plan.Deed{plan.Part, plan.Ignore, plan.End}, a.fate.Deed)
	}
	return e.State.Doubted() || open && !goes
}

// isAsked reports whether a person is asked what becomes of a link of which a record is gone, or by this plan.
func (r *run) isAsked(p record.Pair, asked map[string]record.Conflict) bool {
	if a, decided := r.absences[p.Link]; decided {
		return a.fate.Deed == plan.Ask || a.fate.Deed == plan.Break
	}
	_, open := asked[RecordField]
	return open
}

// linksOf is the links of records of either side.
func (r *run) linksOf(ctx context.Context, refs []record.Ref) (links []record.LinkID, err error) {
	for _, ref := range refs {
		for _, side := range record.Sides {
			e, ok, err := r.Store.Entry(ctx, r.place(side), ref)
			if err != nil {
				return nil, err
			}
			if ok && e.Ref.Kind == r.side(side).Kind && e.Link != 0 {
				links = append(links, e.Link)
			}
		}
	}
	return links, nil
}
