package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Somebody removes a record and enters the same anew under another id. To carry the absence over
// would cost the other side its row: its id, and all that no job maps. So a person is asked as long
// as a record without a link agrees, by a match rule, with the one that is left. It is not made
// across meanwhile: matching holds what has the key of a linked record.

// likeLeft is the records without a link of a side that agree, by a match rule, with the record that is
// left of a link whose other record, on the side gone, is not there. Of that side they are newcomers that
// may be what is gone; of the other one they may be what a newcomer is.
func (r *run) likeLeft(ctx context.Context, a *absence, gone, side record.Side) ([]record.Ref, error) {
	left := a.pair.Sides[gone.Other()]
	var refs []record.Ref
	add := func(ref record.Ref) {
		if !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	s := a.sides[gone.Other()]
	keys := r.job.Mapping.Keys(gone.Other(), s.Native, resolvedOnly(s.Now))
	if r.hides(gone.Other(), left) {
		keys = nil // what is kept of it are digests: its keys are, too
	}
	found, err := r.Store.Matching(ctx, r.place(side), keys)
	if err != nil {
		return nil, fmt.Errorf("look for what was entered anew: %w", err)
	}
	for _, e := range found {
		if e.Link == 0 && e.State != record.Stranger {
			add(e.Ref)
		}
	}
	if !slices.ContainsFunc(keys, func(k record.Key) bool { return r.refers(k.Name) }) {
		return refs, nil
	}
	by, err := r.unlinkedBy(ctx, side)
	for _, k := range keys {
		for _, ref := range by[k] {
			add(ref)
		}
	}
	return refs, err
}

// unlinkedBy is the records of a side without a link, by those keys that name other records. They
// are read once a plan.
func (r *run) unlinkedBy(ctx context.Context, side record.Side) (map[record.Key][]record.Ref, error) {
	if r.book.unlinked[side] != nil {
		return r.book.unlinked[side], nil
	}
	all, err := r.candidates(ctx, side)
	if err != nil {
		return nil, err
	}
	by := map[record.Key][]record.Ref{}
	for _, c := range all {
		for _, k := range c.keys {
			if r.refers(k.Name) {
				by[k] = append(by[k], c.ref)
			}
		}
	}
	r.book.unlinked[side] = by
	return by, nil
}

// mayBeAnew notes of a record that is gone, and whose absence would be carried over, or is asked about,
// what may be the same, entered anew. What never changes has rules of its own: see replaced.go.
func (r *run) mayBeAnew(ctx context.Context, a *absence, x *plan.Existing) error {
	for _, side := range record.Sides {
		f := plan.Gone(*x)
		carries, asks := f.Deed == plan.Carry && f.Side == side.Other(), f.Deed == plan.Ask && f.Side == side
		if !carries && !asks || x.Sides[side].State != plan.Absent || r.side(side).Can.Immutable {
			continue
		}
		var err error
		if a.anew, err = r.likeLeft(ctx, a, side, side); err != nil {
			return err
		}
		if len(a.anew) > 0 {
			if a.beside, err = r.likeLeft(ctx, a, side, side.Other()); err != nil {
				return err
			}
		}
		if asks {
			continue
		}
		asked := plan.Question(a.asked[RecordField].Policy) == plan.AskAnew // whatever became of the newcomer since: what they say is done
		x.Sides[side].Anew = asked || len(a.anew) > 0
	}
	return nil
}

// anewReason is what a person is asked about a record that may have been entered anew.
func (r *run) anewReason(a *absence) string {
	return fmt.Sprintf("%s does not have it any more, and has %s, which agrees with it by a match rule and has no partner: is it the same, entered anew? --create has the two joined, --delete lets the old one go%s",
		r.side(a.fate.Side).System, refList(a.anew), r.besideLeft(a))
}

// besideAnew is what a person who is asked something else about a record that is gone is told of what may
// be the same: nothing is asked about that one meanwhile.
func (r *run) besideAnew(a *absence) string {
	return fmt.Sprintf("; %s has %s, which agrees with it by a match rule and has no partner: --create has the two joined%s", r.side(a.fate.Side).System, refList(a.anew), r.besideLeft(a))
}

// besideLeft tells of others across that may be what was entered anew. Once the old one is let go, that is
// joined with one of them.
func (r *run) besideLeft(a *absence) string {
	if len(a.beside) == 0 {
		return ""
	}
	return fmt.Sprintf(". %s has %s, which agrees with it, too: after --delete that may be joined with it, after --create you are asked which of the two it is", r.side(a.fate.Side.Other()).System, refList(a.beside))
}

// likes is the records that a person is told of who is asked about a record that is gone: what may be it,
// entered anew, and what else that may be.
func (a *absence) likes() []string { return refTexts(slices.Concat(a.anew, a.beside)) }

// facts is what the question about a record that is gone rests on: whoever goes by it, and what is like it.
func (a *absence) facts() string {
	return strings.TrimPrefix(strings.Join(append([]string{a.named.Facts()}, a.likes()...), "\n"), "\n")
}

// toldOf reports whether a person who answered the question was told of all that goes by the record, and of
// all that is like it. What came after that may be the record itself, entered anew.
func (a *absence) toldOf(facts string) bool {
	told := strings.Split(facts, "\n")
	return a.named.CountsStill(facts) && !slices.ContainsFunc(a.likes(), func(id string) bool { return !slices.Contains(told, id) })
}

func refTexts(refs []record.Ref) []string {
	ids := make([]string, len(refs))
	for i, ref := range refs {
		ids[i] = ref.String()
	}
	return ids
}

func refList(refs []record.Ref) string { return strings.Join(refTexts(refs), ", ") }

// heedGone holds strangers that a rule would join though one of the two may be what is gone from a link,
// entered anew, as long as it is open what becomes of that link. Keys without a reference are asked for by
// match. Example: a booking is entered anew, and meanwhile the desk enters a second room for the same guest
// and days: the new booking may be either.
func (r *run) heedGone(ctx context.Context, d *draft, strangers [2][]candidate, fates *[2][]fate) error {
	for i := range fates[record.Left] {
		with := fates[record.Left][i].with
		if with < 0 {
			continue
		}
		at := [2]int{i, with}
		for _, side := range record.Sides {
			old, is, err := r.openInPlace(ctx, d, side, strangers[side][at[side]].keys)
			if err != nil {
				return err
			}
			if is {
				holdAnew(strangers, fates, at, side, old.Sides[side.Other()].Ref)
				break
			}
		}
	}
	return nil
}

// holdAnew holds a pair of strangers of which the one of side may be what another record, which is left, was
// linked to.
func holdAnew(strangers [2][]candidate, fates *[2][]fate, at [2]int, side record.Side, left record.Ref) {
	refs := [2]record.Ref{strangers[0][at[0]].ref, strangers[1][at[1]].ref}
	for _, of := range record.Sides {
		why := fmt.Sprintf("it may be %s, and %s may be what %s was linked to, entered anew", refs[of.Other()], refs[side], left)
		fates[of][at[of]] = fate{with: -1, held: why, about: []record.Ref{left, refs[of.Other()]}}
	}
}

// openInPlace is the link in whose place a stranger of a side with these keys may be: its record of that
// side is gone, or may be, and what becomes of it is open. It reports whether there is one.
func (r *run) openInPlace(ctx context.Context, d *draft, side record.Side, keys []record.Key) (record.Pair, bool, error) {
	if r.side(side.Other()).Gone.Policy == plan.GoneIgnore || !slices.ContainsFunc(keys, func(k record.Key) bool { return r.refers(k.Name) }) {
		return record.Pair{}, false, nil
	}
	b, err := r.bereftOf(ctx, d, side)
	if err != nil {
		return record.Pair{}, false, err
	}
	for _, k := range keys {
		p, is := b.by[k]
		if !is {
			continue
		}
		if why, err := r.goneFirst(ctx, []record.LinkID{p.Link}); err != nil || why != "" {
			return p, err == nil, err
		}
	}
	return record.Pair{}, false, nil
}
