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

// answersTo returns the answers to a question that can be carried out.
func (r *Room) answersTo(ctx context.Context, side record.Side, s run.Stranger, q question) (plan.Answers, error) {
	create, err := r.canMake(ctx, side, s, q)
	if err != nil || q.cause != run.SameKey {
		return plan.AnswersOf(create, true), err
	}
	alike, err := r.match.Alike(ctx, side.Other(), s.Keys)
	free := len(q.beside) > 0 || slices.ContainsFunc(alike, func(e record.Entry) bool { return e.Link == 0 })
	return plan.AnswersOf(create, free), err
}

// withAlike adds to a question about keys who the record is, and every record across that has one of its keys. An
// answer counts only for the records that the person was asked about, as they were then: a record that was entered
// across since may be the same, and an id may have been given to somebody else.
func (r *Room) withAlike(ctx context.Context, side record.Side, s run.Stranger, q question) (question, error) {
	if q.cause != run.SameKey {
		return q, nil
	}
	alike, err := r.match.Alike(ctx, side.Other(), s.Keys)
	if err != nil {
		return q, err
	}
	q.about = []string{"it " + r.whoIs(side, s.Since, s.Keys)} // other records of its own side with the same keys make no difference
	for _, e := range alike {
		if q.about = append(q.about, across(side, e.Ref)); e.Link != 0 && !slices.Contains(q.beside, e.Ref) {
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

// named returns a part of a sentence that names the records without a link among alike: a few, and how many more.
// It is "" if all are linked.
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

// across is how a question names a record across: with its side, because both sides may have a record of that id.
func across(side record.Side, ref record.Ref) string {
	return fmt.Sprintf("%s %s", side.Other(), ref)
}

// whoIs returns a digest of what tells a record without a link from others: when its system made it, its
// keys and its name.
func (r *Room) whoIs(side record.Side, e record.Entry, keys []record.Key) string {
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = k.Name + " " + r.Job.SealedKey(k).Text
	}
	slices.Sort(texts)
	name := refer.TextParts(r.Job, side, e.Last())["name"].Text()
	return record.DigestOf("who", fmt.Appendf(nil, "%d %q %q", run.BornOf(e), refer.NameWords(name), texts)).String()
}

// canMake reports whether the record can be made across if a person wants it.
func (r *Room) canMake(ctx context.Context, side record.Side, s run.Stranger, q question) (bool, error) {
	switch q.cause {
	case run.Missing, run.ByRule, run.KeyTaken, run.BlankedKey: // no answer changes that
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
