package decide

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/refer"
	"nightporter/sync/run"
)

// answersTo is what a person can say to a question, and have done.
func (r *Room) answersTo(ctx context.Context, side record.Side, s run.Stranger, q question) (plan.Answers, error) {
	create, err := r.canMake(ctx, side, s, q)
	if err != nil || q.cause != run.SameKey {
		return plan.AnswersOf(create, true), err
	}
	alike, err := r.match.Alike(ctx, side.Other(), s.Keys)
	free := slices.ContainsFunc(alike, func(e record.Entry) bool { return e.Link == 0 })
	return plan.AnswersOf(create, free), err
}

// withAlike adds to a question about keys who the record is, and all across that have one of its keys. What a
// person says counts for those that they were asked about, as they were: who was entered across since may be
// the same, and an id may have been given to somebody else.
func (r *Room) withAlike(ctx context.Context, side record.Side, s run.Stranger, q question) (question, error) {
	if q.cause != run.SameKey {
		return q, nil
	}
	alike, err := r.match.Alike(ctx, side.Other(), s.Keys)
	if err != nil {
		return q, err
	}
	q.about = []string{"it " + r.whoIs(side, s.Since, s.Keys)} // who else has its keys on its own side makes no difference
	for _, e := range alike {
		if q.about = append(q.about, across(side, e.Ref)); e.Link != 0 {
			continue
		}
		keys, err := r.match.KeysNow(ctx, side.Other(), e)
		if err != nil {
			return q, err
		}
		q.about = append(q.about, across(side, e.Ref)+" "+r.whoIs(side.Other(), e, keys))
	}
	q.why += named(alike, r.Side(side.Other()).System)
	return q, nil
}

// named names the records of a system that are not linked and have a key of another: a few of many.
func named(alike []record.Entry, system record.System) string {
	const few = 5
	var names []string
	for _, e := range alike {
		if e.Link == 0 {
			names = append(names, e.Ref.String())
		}
	}
	switch more := len(names) - few; {
	case len(names) == 0:
		return ""
	case len(names) == 1:
		return fmt.Sprintf("; %s of %s, which is not linked, has one of its keys, too", names[0], system)
	case more > 0:
		return fmt.Sprintf("; %s and %d more of %s, which are not linked, have one of its keys, too", strings.Join(names[:few], ", "), more, system)
	}
	return fmt.Sprintf("; %s of %s, which are not linked, have one of its keys, too", strings.Join(names, ", "), system)
}

// across is how a question about a record of a side names one across. Both sides may have one of that id.
func across(side record.Side, ref record.Ref) string {
	return fmt.Sprintf("%s %s", side.Other(), ref)
}

// whoIs is a digest of what tells a record without a link from others: when its system made it, its keys
// and its name.
func (r *Room) whoIs(side record.Side, e record.Entry, keys []record.Key) string {
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = k.Name + " " + r.Job.SealedKey(k).Text
	}
	slices.Sort(texts)
	name := refer.TextParts(r.Job, side, e.Last())["name"].Text()
	return record.DigestOf("who", fmt.Appendf(nil, "%d %q %q", run.BornOf(e), refer.NameWords(name), texts)).String()
}

// canMake reports whether a record can be made of one if a person wants it.
func (r *Room) canMake(ctx context.Context, side record.Side, s run.Stranger, q question) (bool, error) {
	switch q.cause {
	case run.Missing, run.ByRule, run.KeyTaken, run.BlankedKey: // whatever a person says
		return false, nil
	case run.SameKey, run.SameName, run.SaidBefore, run.LeftBefore, run.WasGone, run.OurMarked, run.UnknownMark, run.Booked, run.MayBeSent, run.Orphans, run.InPlace, run.OutOfWindow, run.ForgottenIt, run.LeftAlone:
	}
	if why, err := r.notWanted(ctx, side, s); err != nil || why != "" {
		return false, err
	}
	if len(s.Keys) == 0 && r.Job.Booking == nil {
		return false, nil
	}
	unique := slices.DeleteFunc(slices.Clone(s.Keys), func(k record.Key) bool {
		return !r.KeptUnique(side.Other(), strings.Split(k.Name, "+"))
	})
	taken, err := r.match.Alike(ctx, side.Other(), unique)
	return len(taken) == 0, err
}
