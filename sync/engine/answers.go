package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// asks is a question about a record without a link: what it rests on, and what can be said.
type asks struct {
	facts   string
	answers plan.Answers
}

// ask notes what a person is asked about a record without a link.
func (d *draft) ask(entry int64, facts string, answers plan.Answers) {
	if d.asks == nil {
		d.asks = map[int64]asks{}
	}
	d.asks[entry] = asks{facts, answers}
}

// answersTo is what a person can say to a question, and have done.
func (r *run) answersTo(ctx context.Context, side record.Side, s stranger, q question) (plan.Answers, error) {
	create, err := r.canMake(ctx, side, s, q)
	if err != nil || q.cause != sameKey {
		return plan.AnswersOf(create, true), err
	}
	alike, err := r.alike(ctx, side.Other(), s.keys)
	free := slices.ContainsFunc(alike, func(e record.Entry) bool { return e.Link == 0 })
	return plan.AnswersOf(create, free), err
}

// withAlike adds to a question about keys who the record is, and all across that have one of its keys. What a
// person says counts for those that they were asked about, as they were: who was entered across since may be
// the same, and an id may have been given to somebody else.
func (r *run) withAlike(ctx context.Context, side record.Side, s stranger, q question) (question, error) {
	if q.cause != sameKey {
		return q, nil
	}
	alike, err := r.alike(ctx, side.Other(), s.keys)
	if err != nil {
		return q, err
	}
	q.about = []string{"it " + r.whoIs(side, s.since, s.keys)} // who else has its keys on its own side makes no difference
	for _, e := range alike {
		if q.about = append(q.about, across(side, e.Ref)); e.Link != 0 {
			continue
		}
		keys, err := r.keysNow(ctx, side.Other(), e)
		if err != nil {
			return q, err
		}
		q.about = append(q.about, across(side, e.Ref)+" "+r.whoIs(side.Other(), e, keys))
	}
	q.why += named(alike, r.side(side.Other()).System)
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
func (r *run) whoIs(side record.Side, e record.Entry, keys []record.Key) string {
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = k.Name + " " + r.job.sealedKey(k).Text
	}
	slices.Sort(texts)
	name := textParts(r.job, side, e.Last())["name"].Text()
	return record.DigestOf("who", fmt.Appendf(nil, "%d %q %q", bornOf(e), nameWords(name), texts)).String()
}

// bornOf is when a system says that it made a record, in Unix milliseconds; 0 where it does not say.
func bornOf(e record.Entry) int64 {
	if e.Seen == nil || e.Seen.Created.IsZero() {
		return 0
	}
	return e.Seen.Created.UnixMilli()
}

// canMake reports whether a record can be made of one if a person wants it.
func (r *run) canMake(ctx context.Context, side record.Side, s stranger, q question) (bool, error) {
	switch q.cause {
	case missing, byRule, keyTaken, blankedKey: // whatever a person says
		return false, nil
	case sameKey, sameName, saidBefore, leftBefore, wasGone, ourMarked, booked, mayBeSent, orphans, inPlace, outOfWindow, forgottenIt, leftAlone:
	}
	if why, err := r.notWanted(ctx, side, s); err != nil || why != "" {
		return false, err
	}
	if len(s.keys) == 0 && r.job.Booking == nil {
		return false, nil
	}
	unique := slices.DeleteFunc(slices.Clone(s.keys), func(k record.Key) bool {
		return !r.keptUnique(side.Other(), strings.Split(k.Name, "+"))
	})
	taken, err := r.alike(ctx, side.Other(), unique)
	return len(taken) == 0, err
}
