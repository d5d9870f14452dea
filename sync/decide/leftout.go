package decide

import (
	"context"
	"fmt"

	"nightporter/sync/match"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// loadLeft loads which records without a link persons left out, and what they were asked.
func (r *Room) loadLeft(ctx context.Context) (err error) {
	if r.match.Left, err = r.store.LeftOut(ctx, r.Job.Binding); err != nil {
		return fmt.Errorf("look what persons left out: %w", err)
	}
	return nil
}

// leftByPerson reports whether a person left a record out.
func (r *Room) leftByPerson(c run.Brief) bool { _, left := r.match.Left[c.Num]; return left }

// staysLeft reports whether a record that a person left out stays so, and nobody is asked again. That holds if the
// record is unchanged and is only looked at for the sake of another one, or if the question names the same records
// as the one that the person answered.
func (r *Room) staysLeft(c run.Brief, q question) bool {
	return r.leftByPerson(c) && (c.IsLeftOut() || q.cause == run.SameKey && q.answeredBy(r.match.Left[c.Num]))
}

// isAsLeft reports whether a person left a record out, and its keys and its name are as they were. An edit of
// anything else is no reason to take the record up again, or to ask. It is false if a person said of a record
// across that it is this one: that comes first.
func (r *Room) isAsLeft(side record.Side, s run.Stranger) bool {
	rests, left := r.match.Left[s.Brief.Num]
	_, chosen := r.saidBy[side][s.Ref]
	return left && !chosen && rests.It == digestOf(r.whoIs(side, s.Since, s.Keys))
}

// objectLeft asks again about a record that a person left out and that would be made now, because its keys
// or its name changed.
func (r *Room) objectLeft(_ context.Context, n *arrival) (outcome, error) {
	if !r.leftByPerson(n.s.Brief) && r.saidWord[n.side][n.s.Ref] != "leave" {
		return outcome{}, nil
	}
	return asksAbout(question{
		cause: run.LeftBefore, why: "a person left it out, and it was changed since", about: []string{"it " + r.whoIs(n.side, n.s.Since, n.s.Keys)},
	}), nil
}

// heedLeft holds two records that a rule would join, if a person left one of them out: only a person
// can take that back.
func (r *Room) heedLeft(strangers [2][]run.Candidate, fates *[2][]match.Fate) {
	for i := range fates[record.Left] {
		with := fates[record.Left][i].With
		if with < 0 {
			continue
		}
		at := [2]int{i, with}
		left := [2]bool{}
		for side, n := range at {
			left[side] = r.leftByPerson(strangers[side][n].Brief)
		}
		if !left[record.Left] && !left[record.Right] {
			continue
		}
		for _, side := range record.Sides {
			other := strangers[side.Other()][at[side.Other()]].Ref
			why := fmt.Sprintf("it may be %s, and a person left one of the two out", other)
			fates[side][at[side]] = match.Fate{With: -1, Aside: &match.Aside{Held: why, About: []record.Ref{other}}}
		}
	}
}
