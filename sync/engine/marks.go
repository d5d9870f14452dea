package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nightporter/sync/record"
)

// A record that we made carries our mark, which names what it stands for. So a mark on a
// record without a link tells something: of a state that was lost, which records belong
// together; of one that knows the mark, that there is a second record for the same.

// entityOfMark is what a mark of this installation names, "" for any other text.
func (r *run) entityOfMark(mark string) string {
	entity, ours := strings.CutPrefix(mark, "np:"+r.Install+":")
	if !ours {
		return ""
	}
	return entity
}

func markOf(e record.Entry) string {
	if e.Seen == nil {
		return ""
	}
	return e.Seen.Stamp
}

// planByMark joins the strangers of both sides that carry the same mark, and takes them
// out of those that are to be matched.
func (r *run) planByMark(ctx context.Context, d *draft, strangers [2][]candidate, wanted *toRead) ([2][]candidate, error) {
	var by [2]map[string][]candidate
	for _, side := range record.Sides {
		by[side] = map[string][]candidate{}
		for _, c := range strangers[side] {
			if r.entityOfMark(c.mark) != "" {
				by[side][c.mark] = append(by[side][c.mark], c)
			}
		}
	}
	joined := map[int64]bool{}
	for mark, left := range by[record.Left] {
		right := by[record.Right][mark]
		if len(left) != 1 || len(right) != 1 || r.inDoubt(d, record.Left, left[0]) || r.inDoubt(d, record.Right, right[0]) {
			continue
		}
		if wanted != nil && wanted.ref != left[0].ref && wanted.ref != right[0].ref {
			continue
		}
		ok, err := r.planMarked(ctx, d, mark, left[0].ref, right[0].ref)
		if err != nil {
			return strangers, err
		}
		joined[left[0].num], joined[right[0].num] = ok, ok
	}
	for _, side := range record.Sides {
		r.orphaned[side] = time.Time{}
		for _, cs := range by[side] {
			for _, c := range cs {
				if orphan, err := r.orphan(ctx, side, c); err != nil {
					return strangers, err
				} else if orphan && !joined[c.num] && c.since.After(r.orphaned[side]) {
					r.orphaned[side] = c.since
				}
			}
		}
	}
	if len(joined) > 0 {
		for _, side := range record.Sides {
			strangers[side] = slices.DeleteFunc(slices.Clone(strangers[side]), func(c candidate) bool { return joined[c.num] })
		}
	}
	return strangers, nil
}

// planMarked joins two strangers of one mark. It reports false where the mark belongs to
// a link already.
func (r *run) planMarked(ctx context.Context, d *draft, mark string, left, right record.Ref) (bool, error) {
	entity := r.entityOfMark(mark)
	if _, taken, err := r.Store.ByEntity(ctx, r.job.Binding, entity); err != nil || taken {
		return false, err
	}
	var sides [2]seenSide
	for side, ref := range [2]record.Ref{left, right} {
		var ok bool
		var err error
		if sides[side], ok, err = r.unlinked(ctx, record.Side(side), ref); err != nil || !ok {
			return false, err
		}
	}
	return true, r.addJoin(ctx, d, entity, sides)
}

// aloneWithMark says why a record that carries our mark and found no partner is not
// made on the other side, "" where there is nothing against it. Made from something it
// was; made anew, that would be there twice.
func (r *run) aloneWithMark(ctx context.Context, d *draft, side record.Side, c candidate) (why string, err error) {
	entity := r.entityOfMark(c.mark)
	if entity == "" {
		return "", nil
	}
	pair, known, err := r.Store.ByEntity(ctx, r.job.Binding, entity)
	if err != nil {
		return "", err
	}
	if known && pair.Sides[side].Ref != c.ref {
		return r.duplicate(ctx, side, c, pair.Sides[side].Ref)
	}
	if !known {
		if orphan, err := r.orphan(ctx, side, c); err != nil {
			return "", err
		} else if orphan {
			return fmt.Sprintf("it carries %s, %s, and nothing is known of what it was made from: say which record of %s it is",
				ourMark, c.mark, r.side(side.Other()).System), nil
		}
	}
	made, ok, err := r.Store.Stamped(ctx, r.place(side), c.mark)
	if err != nil || !ok {
		return "", err
	}
	return r.cameLate(ctx, d, side, c, made)
}

// ourMark is said of a record of which nothing else is known.
const ourMark = "a mark of ours"

// orphan reports whether a record carries our mark, and this state knows of nothing that
// gave it.
func (r *run) orphan(ctx context.Context, side record.Side, c candidate) (bool, error) {
	if c.state == record.Held && strings.Contains(c.why, ourMark) {
		return true, nil // it was found out before, and waits for a person
	}
	if _, known, err := r.Store.ByEntity(ctx, r.job.Binding, r.entityOfMark(c.mark)); err != nil || known {
		return false, err
	}
	// Another job of this system may have made it: what stands for a guest here stands for
	// a customer there.
	elsewhere, ok, err := r.Store.EntityOf(ctx, r.side(side).System, c.ref)
	if err != nil || ok && elsewhere == r.entityOfMark(c.mark) {
		return false, err
	}
	_, ok, err = r.Store.Stamped(ctx, r.place(side), c.mark)
	return !ok, err
}

// together is how long after an orphan was first seen a record across is taken for one
// that was there when it was: both are of the first lists of a new state.
const together = time.Hour

// mayBeOrphans says why a record is not created on a side that has orphans: one of them
// may be what was made from it.
func (r *run) mayBeOrphans(to record.Side, s stranger) string {
	last := r.orphaned[to]
	if last.IsZero() || s.brief.since.After(last.Add(together)) {
		return ""
	}
	return fmt.Sprintf("%s has records that carry %s, and nothing is known of what they were made from: it may be one of them; say which, or that it is new",
		r.side(to).System, ourMark)
}

// cameLate deals with what a create made that was thought not to have arrived. Nothing
// made in its place, it is what was wanted; otherwise there are two now.
func (r *run) cameLate(ctx context.Context, d *draft, side record.Side, c candidate, made record.Intent) (string, error) {
	if made.State == record.Settled { // it arrived, and was linked: whoever ended that link since, it did not come late
		return "", nil
	}
	known, err := r.Store.Entries(ctx, []int64{made.From})
	if err != nil {
		return "", err
	}
	from, ok := known[made.From]
	switch {
	case !ok:
		return "it was made from a record that is not known any more", nil
	case from.Link != 0:
		pair, ok, err := r.Store.Pair(ctx, from.Link)
		if err != nil || !ok {
			return "", err
		}
		return r.duplicate(ctx, side, c, pair.Sides[side].Ref)
	case r.open[from.Num]:
		return "it may be what an unanswered change made", nil
	}
	refs := [2]record.Ref{}
	refs[side], refs[side.Other()] = c.ref, from.Ref
	done, err := r.planMarked(ctx, d, c.mark, refs[record.Left], refs[record.Right])
	if err != nil || done {
		return "", err
	}
	return "it was made from a record that is linked to another now", nil
}

// duplicate holds a record that is there a second time, and tells of it once.
func (r *run) duplicate(ctx context.Context, side record.Side, c candidate, first record.Ref) (string, error) {
	const kind = "duplicate"
	why := fmt.Sprintf("%s has it twice: it was made for the same as %s, which is linked", r.side(side).System, first)
	told, err := r.Store.Alerted(ctx, r.job.Binding, c.num, kind)
	if err != nil || told || r.opt.Dry {
		return why, err
	}
	r.count("duplicates", 1)
	return why, r.alert(ctx, c.num, kind, fmt.Sprintf("%s: %s; merge or delete one of the two there", c.ref, why))
}
