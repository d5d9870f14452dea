package match

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/plan/away"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Somebody removes a record and enters the same anew under another id. If that absence were carried over, the other
// side would lose its record: its id, and everything that no job maps. So a person is asked as long as a record
// without a link agrees, by a match rule, with the record that is left. Meanwhile the new record is not created
// across: matching holds a record that has the key of a linked one.

// likeLeft returns the records of side without a link that have a key of a link, where the link's record on the
// side gone is not there. On the side gone, such a record may be the missing one, entered anew. On the other side,
// it may be the partner of what was entered anew. A booking that a person was told of stays among them as long as
// it is there: see tellsByKey.
func (r *Room) likeLeft(ctx context.Context, a *run.Absence, gone, side record.Side) ([]record.Entered, error) {
	var like []record.Entered
	add := func(e record.Entered) {
		if !slices.Contains(like, e) {
			like = append(like, e)
		}
	}
	keys, err := r.KeysOfLink(ctx, a.Pair, gone)
	if err != nil {
		return nil, err
	}
	found, err := r.store.Matching(ctx, r.Place(side), keys)
	if err != nil {
		return nil, fmt.Errorf("look for what was entered anew: %w", err)
	}
	for _, e := range found {
		if e.Link == 0 && e.State != record.Stranger {
			add(record.EnteredOf(e.Ref, e.Since))
		}
	}
	if side == gone {
		told, err := r.ToldStill(ctx, a.Pair, a.Asked, gone)
		if err != nil {
			return nil, err
		}
		for _, e := range told {
			add(e)
		}
	}
	if !slices.ContainsFunc(keys, func(k record.Key) bool { return r.Refers(k.Name) }) {
		return like, nil
	}
	by, err := r.unlinkedBy(ctx, side)
	for _, k := range keys {
		for _, e := range by[k] {
			add(e)
		}
	}
	return like, err
}

// ToldStill returns the bookings that a person was told of when they were asked about a link with a record that is
// gone. A booking stays as long as it is there and may be that record, entered anew. It may have been moved since,
// so that no key tells that any more.
func (r *Room) ToldStill(ctx context.Context, p record.Pair, asked map[string]record.Question, gone record.Side) (still []record.Entered, err error) {
	if r.tellsByKey() {
		return nil, nil
	}
	for _, told := range asked[run.RecordField].Rests.Anew {
		e, ok, err := r.store.Entry(ctx, r.Place(gone), told.Ref)
		if err != nil {
			return nil, fmt.Errorf("look for what was entered anew: %w", err)
		}
		if ok && e.Link == 0 && !run.Aside(e.State) && told == record.EnteredOf(e.Ref, e.Since) && !r.Job.IsAnotherThan(gone, p.Sides[gone], e) {
			still = append(still, told)
		}
	}
	return still, nil
}

// KeysOfLink returns the keys by which a record may be the missing one of a link, entered anew: the keys of the
// record that is left, as it is and as it was in step, and the keys of the missing one. Somebody may have moved the
// booking that is left since the other was entered anew. A record that is kept as digests gives no keys.
func (r *Room) KeysOfLink(ctx context.Context, p record.Pair, gone record.Side) ([]record.Key, error) {
	var keys []record.Key
	for _, side := range []record.Side{gone.Other(), gone} {
		e := p.Sides[side]
		if r.observe.Hides(side, e) {
			continue
		}
		settled := e
		settled.Seen = nil
		as := []record.Entry{e, settled}
		if r.observe.IsAnother(r.Job, side, e) { // what is shown belongs to the other record
			as = as[1:]
		}
		for _, as := range as {
			s, err := r.refer.SideOf(ctx, side, as)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.Ref, err)
			}
			for _, k := range r.Job.Mapping.Keys(side, s.Native, run.ResolvedOnly(s.Now)) {
				if !slices.Contains(keys, k) {
					keys = append(keys, k)
				}
			}
		}
	}
	return keys, nil
}

// unlinkedBy returns the records of a side without a link, by those of their keys that name other records. They are
// read once a plan.
func (r *Room) unlinkedBy(ctx context.Context, side record.Side) (map[record.Key][]record.Entered, error) {
	if r.unlinked[side] != nil {
		return r.unlinked[side], nil
	}
	all, err := r.Candidates(ctx, side)
	if err != nil {
		return nil, err
	}
	by := map[record.Key][]record.Entered{}
	for _, c := range all {
		for _, k := range c.Keys {
			if r.Refers(k.Name) {
				by[k] = append(by[k], c.Entered())
			}
		}
	}
	r.unlinked[side] = by
	return by, nil
}

// MayBeAnew notes which records may be a record that is gone, entered anew. It looks only where the absence would
// be carried over or a person is asked about it. Records that never change have rules of their own: see
// settle/replaced.go.
func (r *Room) MayBeAnew(ctx context.Context, a *run.Absence, x *away.Existing) error {
	for _, side := range record.Sides {
		f := away.Gone(*x)
		carries, asks := f.Deed == away.Carry && f.Side == side.Other(), f.Deed == away.Ask && f.Side == side
		if !carries && !asks || x.Sides[side].State != away.Absent || r.Side(side).Can.Immutable {
			continue
		}
		var err error
		if a.Anew, err = r.likeLeft(ctx, a, side, side); err != nil {
			return err
		}
		if len(a.Anew) > 0 {
			beside, err := r.likeLeft(ctx, a, side, side.Other())
			if err != nil {
				return err
			}
			a.Beside = record.RefsOf(beside)
		}
		if asks {
			continue
		}
		asked := a.Asked[run.RecordField].Cause == record.Cause(away.AskAnew) // once asked, a person decides, whatever became of the newcomer
		x.Sides[side].Anew = asked || len(a.Anew) > 0
	}
	return nil
}

// AnewReason returns the question to a person about a record that may have been entered anew.
func (r *Room) AnewReason(a *run.Absence) string {
	which := "it"
	if len(a.Anew) > 1 {
		which = "one of them"
	}
	return fmt.Sprintf("%s does not have it any more, and has %s: is %s the same, entered anew? %s, --delete lets the old one go%s",
		r.Side(a.Fate.Side).System, likeIt(a.Anew), which, r.joinsWith(a), r.besideLeft(a))
}

// BesideAnew returns what is added to another question about a record that is gone: which records may be the same.
// There is no question about those meanwhile.
func (r *Room) BesideAnew(a *run.Absence) string {
	return fmt.Sprintf("; %s has %s: %s%s", r.Side(a.Fate.Side).System, likeIt(a.Anew), r.joinsWith(a), r.besideLeft(a))
}

// likeIt names the records that may be one that is gone, entered anew.
func likeIt(anew []record.Entered) string {
	if len(anew) == 1 {
		return anew[0].Ref.String() + ", which agrees with it by a match rule and has no partner"
	}
	return refList(record.RefsOf(anew)) + ", which agree with it by a match rule and have no partner"
}

// joinsWith says which answer joins the record that is left with the one that was entered anew.
func (r *Room) joinsWith(a *run.Absence) string {
	if len(a.Anew) == 1 {
		return "--create has the two joined"
	}
	return fmt.Sprintf("--with %s, or another of them, has the two joined, --create says that it is none of them", a.Anew[0].Ref.ID)
}

// besideLeft names other records across that may belong to what was entered anew. Once the old record is let go,
// the new one may be joined with one of them.
func (r *Room) besideLeft(a *run.Absence) string {
	if len(a.Beside) == 0 {
		return ""
	}
	return fmt.Sprintf(". %s has %s, which agrees with it, too: after --delete the new one may be joined with that", r.Side(a.Fate.Side.Other()).System, refList(a.Beside))
}

// SaidAnew returns the record that a person said is the missing one, entered anew: the record that they named, or
// the only one that they were told of. It reports false if they were told of several and named none.
func SaidAnew(c record.Question) (record.Entered, bool) {
	told := c.Rests.Anew
	switch said := c.Value.Text(); {
	case away.GoneChoice(said) == away.ChooseAnew && len(told) == 1:
		return told[0], true
	case !away.GoneChoice(said).Known():
		i := slices.IndexFunc(told, func(e record.Entered) bool { return e.Ref.ID == said })
		if i >= 0 {
			return told[i], true
		}
	}
	return record.Entered{}, false
}

// Newcomer returns the entry of the record that a person said is the missing one of a side, entered anew. The link
// goes on with it, whatever became of its keys. It is 0 if they named none, if another link has the record or is to
// get it, and if nobody knows yet whether it is what a create of ours made.
func (r *Room) Newcomer(ctx context.Context, a *run.Absence, gone record.Side) (int64, error) {
	said, is := SaidAnew(a.Asked[run.RecordField])
	if !is || !slices.Contains(a.Anew, said) {
		return 0, nil
	}
	e, ok, err := r.store.Entry(ctx, r.Place(gone), said.Ref)
	if err != nil || !ok || e.Link != 0 || r.Open[e.Num] || r.Doubtful[e.Num] != "" || r.PromisedElse(e.Num, a.Pair.Link) {
		return 0, err
	}
	return e.Num, nil
}

func refList(refs []record.Ref) string { return strings.Join(away.RefTexts(refs), ", ") }
