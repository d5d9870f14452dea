package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/record"
)

// loadLeft remembers which records without a link persons left out, and what they were asked.
func (r *run) loadLeft(ctx context.Context) (err error) {
	if r.left, err = r.Store.LeftOut(ctx, r.job.Binding); err != nil {
		return fmt.Errorf("look what persons left out: %w", err)
	}
	return nil
}

// leftByPerson reports whether a person left a record out.
func (r *run) leftByPerson(c brief) bool { _, left := r.left[c.num]; return left }

// staysLeft reports whether that a person left a record out answers a question: it names the
// same records, or the record is looked at for the sake of another alone.
func (r *run) staysLeft(c brief, q question) bool {
	return r.leftByPerson(c) && (c.isLeftOut() || q.cause == sameKey && q.answeredBy(r.left[c.num]))
}

// isLeftOut reports whether a record is left out, and nothing happened to it since.
func (c brief) isLeftOut() bool { return c.state == record.LeftOut && !c.dirty }

// isAsLeft reports whether a person left a record out, and it is who it was, by its keys and its name. An edit
// of anything else is no reason to take it up again, or to ask. Where they said of another one that it is this
// one, that comes first.
func (r *run) isAsLeft(side record.Side, s stranger) bool {
	facts, left := r.left[s.brief.num]
	_, chosen := r.saidBy[side][s.Ref]
	return left && !chosen && slices.Contains(strings.Fields(facts), itFact(r.whoIs(side, s.since, s.keys)))
}

// objectLeft asks anew about a record that a person left out and that would be made now: its keys or its name changed.
func (r *run) objectLeft(_ context.Context, n *arrival) (outcome, error) {
	if !r.leftByPerson(n.s.brief) && r.saidWord[n.side][n.s.Ref] != "leave" {
		return outcome{}, nil
	}
	return asksAbout(question{
		cause: leftBefore, why: "a person left it out, and it was changed since", about: []string{"it " + r.whoIs(n.side, n.s.since, n.s.keys)},
	}), nil
}

// heedLeft holds strangers that would be joined with one that a person left out: only a person
// says that it is not left out any more.
func (r *run) heedLeft(strangers [2][]candidate, fates *[2][]fate) {
	for i := range fates[record.Left] {
		with := fates[record.Left][i].with
		if with < 0 {
			continue
		}
		at := [2]int{i, with}
		left := [2]bool{}
		for side, n := range at {
			left[side] = r.leftByPerson(strangers[side][n].brief)
		}
		if !left[record.Left] && !left[record.Right] {
			continue
		}
		for _, side := range record.Sides {
			other := strangers[side.Other()][at[side.Other()]].ref
			why := fmt.Sprintf("it may be %s, and a person left one of the two out", other)
			fates[side][at[side]] = fate{with: -1, held: why, about: []record.Ref{other}}
		}
	}
}
