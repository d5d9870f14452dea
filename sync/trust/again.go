package trust

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// A side was put back to an older copy, and a person answered that the side is to get once more what the
// other side holds (resume --again). The run that halts notes what the copy shows. Only the noted values
// are written over, and records that the copy lacks are made anew. A later change on the side is an edit
// like any other. That holds while the job stands still, too, and for a record that was refused or is
// still to be written. Example: the copy shows room 12 for guest 1, and the platform has 14. Before 14
// is written, the desk enters 15. Then 15 goes to the platform, and 14 is not written any more.
//
// While the job stands still, a record may come to differ from what was noted: a user edited it, or the side was
// put back to an even older copy. The record's version and time of change tell the two apart, since both only
// grow with a user's edit. Where a system shows neither, each run that halts notes everything that differs.

// These traits keep which answers a run has taken up. The value of each names the copy that the answer was for.
const (
	takenOverTrait = "taken_over" // accepted: the side was taken as it is
	notedTrait     = "noted"      // again: what the copy shows was noted
	rewrittenTrait = "rewritten"  // again: everything noted was written once more
)

// copyOf names the copy that a halt is about, by the time when it was found: that is different for each copy.
func copyOf(h record.Question) string { return record.Rests{At: foundAt(h)}.Encode() }

// recallRewrite notes in r.Rewrite that a side which was put back is still to be written once more: a
// person answered so, and not everything is written yet.
func (r *Room) recallRewrite(ctx context.Context, side record.Side) error {
	h, answered := r.AnsweredBack(side)
	if !answered || h.Choice != record.Again {
		return nil
	}
	known, err := r.store.Witnessed(ctx, r.Place(side))
	if err != nil || known[rewrittenTrait].Value == copyOf(h) {
		return err
	}
	r.Rewrite[side], r.noted[side] = h.Opened, known[notedTrait].Value == copyOf(h)
	return nil
}

// pends reports whether a halt still stops the job: nobody has answered it, or the side is to be
// written once more and what the copy shows is not noted yet. Before that is noted, the older values of
// the copy would pass for edits and be brought across.
func (r *Room) pends(h record.Question) bool {
	return h.Choice == "" || saysBack(h) && !r.Rewrite[h.Side].IsZero() && !r.noted[h.Side]
}

// takeUpAgain notes what a copy shows, once its side was read whole. It reports whether the job still waits for that.
func (r *Room) takeUpAgain(ctx context.Context, side record.Side, h record.Question) (waits bool, err error) {
	if r.Rewrite[side].IsZero() || r.noted[side] || r.Options.Dry {
		return false, nil
	}
	if whole, err := r.asWholeAsEver(ctx, side); err != nil {
		return false, err
	} else if !whole {
		h.Why, h.Next = fmt.Sprintf("%s was put back to an older copy, and is to get once more what the other side holds: nothing is written before its list was read whole",
			r.Side(side).System), r.LookAgainCommand()
		r.Stand(h)
		return true, nil
	}
	r.noted[side] = true
	return false, r.noteCopy(ctx, side, copyOf(h), h.Opened)
}

// noteCopy notes what a side that was put back shows, without what was edited since an earlier run
// noted it. since is when it was found that the side was put back.
func (r *Room) noteCopy(ctx context.Context, side record.Side, name string, since time.Time) error {
	known, err := r.store.Witnessed(ctx, r.Place(side))
	if err != nil {
		return err
	}
	another := known[notedTrait].Value != name
	if err := r.store.BeginCopy(ctx, r.Lease, side, another, since); err != nil {
		return err
	}
	after := record.LinkID(0)
	for {
		pairs, err := r.store.Dirty(ctx, r.Job.Binding, after, run.Batch)
		if err != nil {
			return err
		}
		if len(pairs) == 0 {
			break
		}
		after = pairs[len(pairs)-1].Link
		shown := map[int64]map[string]string{}
		for _, p := range pairs {
			e := p.Sides[side]
			if e.Seen == nil {
				continue
			}
			if shown[e.Num], err = r.copiedOf(ctx, side, e, another); err != nil {
				return err
			}
		}
		if err := r.store.KeepCopy(ctx, r.Lease, side, shown); err != nil {
			return err
		}
	}
	return r.store.Witness(ctx, r.Lease, side, notedTrait, name, r.Now)
}

// signPath is the path under which the version and the time of change of a record are noted, beside its
// values. No system has such a path.
const signPath = "@sign"

// copiedOf returns what is to be noted of a record: all values that differ from the settled ones. If
// the record was edited since it was noted, only those of them count that are still as noted. another
// says that nothing was noted of this copy yet.
func (r *Room) copiedOf(ctx context.Context, side record.Side, e record.Entry, another bool) (map[string]string, error) {
	out := r.unlikeSettled(e)
	out[signPath] = signOf(e).String()
	if another {
		return out, nil
	}
	was, noted, err := r.store.Copied(ctx, r.Place(side), e.Num)
	if err != nil || noted && was == nil {
		return out, err
	}
	edited := isLater(e.Revision.Settled, signOf(e)) // if nothing is noted: it was in step when the others were noted
	if noted {
		then := record.SignNamed(was[signPath])
		edited = isLater(then, signOf(e)) || then.Same(signOf(e))
	}
	if edited {
		maps.DeleteFunc(out, func(p, v string) bool { return p != signPath && was[p] != v })
	}
	return out, nil
}

// signOf is the version and the time of change that a record was last seen with.
func signOf(e record.Entry) record.Sign {
	return record.Sign{Version: e.Seen.Version, Changed: e.Seen.Changed}
}

// isLater reports whether a record was edited between two reads: its version or its time of change is
// higher now, and neither is lower.
func isLater(was, now record.Sign) bool {
	return (regressed(now.Version, was.Version) || before(was.Changed, now.Changed)) && !isEarlier(was, now)
}

// isEarlier reports whether a record is older now than it was: its version or its time of change is lower.
func isEarlier(was, now record.Sign) bool {
	return regressed(was.Version, now.Version) || before(now.Changed, was.Changed)
}

// NotesWhole reports whether the job stands before a copy and can't note yet what the copy shows, because
// the side was not read whole. It is false in a dry run, and for a side that this run does not read.
func (r *Room) NotesWhole(ctx context.Context, side record.Side) (bool, error) {
	if r.Options.Dry || r.Options.Skip[side] || r.haltedBack(side) < 0 {
		return false, nil
	}
	whole, err := r.asWholeAsEver(ctx, side)
	return !whole, err
}

// haltedBack is the index in r.Report.Halts of the halt before which it is noted what a copy shows; below 0
// if there is none. A halt about missing records is one, too, unless what an earlier copy shows is noted already.
func (r *Room) haltedBack(side record.Side) int {
	noted := slices.ContainsFunc(r.OpenHalts, func(h record.Question) bool { return h.Side == side && saysBack(h) })
	return slices.IndexFunc(r.Report.Halts, func(h record.Question) bool {
		return h.Side == side && (h.Cause == record.HaltRolledBack || h.SaysLost() && !noted)
	})
}

// NoteHalted notes what a copy shows while the job still stands before it. So a change that is made
// there after a person has answered is known for an edit, even if the runs after the answer fail.
func (r *Room) NoteHalted(ctx context.Context, side record.Side) error {
	i := r.haltedBack(side)
	if i < 0 || r.Options.Dry {
		return nil
	}
	whole, err := r.asWholeAsEver(ctx, side)
	if err != nil || !whole {
		return err
	}
	since, halt := r.Now, r.Report.Halts[i]
	for _, h := range r.OpenHalts {
		if h.Cause == halt.Cause && h.Side == side {
			since = h.Opened
		}
	}
	return r.noteCopy(ctx, side, copyOf(halt), since)
}

// asWholeAsEver reports whether this run has read a side whole, or none of the side's last lists was
// complete. In the second case there is no use in waiting for a complete one.
func (r *Room) asWholeAsEver(ctx context.Context, side record.Side) (bool, error) {
	if r.Scanned[side] {
		return true, nil
	}
	scans, err := r.store.Ended(ctx, r.Place(side), manyLists)
	return !slices.ContainsFunc(scans, func(s record.EndedScan) bool { return s.Certificate.Complete }), err
}

// unlikeSettled returns the values that a record shows and that differ from the settled ones, as digests by path.
func (r *Room) unlikeSettled(e record.Entry) map[string]string {
	out, now := map[string]string{}, e.Last()
	for p := range e.Base {
		if v := now[p]; v.Observed() && !r.AsSettled(e.Base[p], v) {
			out[p] = r.What(record.Fields{p: v}).String()
		}
	}
	return out
}

// isNoted reports whether it is known already why a record is older than it was: its side is to be written once
// more, and the copy lacked the record, or the record still shows what was noted of it, or was edited since.
func (r *Room) isNoted(ctx context.Context, side record.Side, e record.Entry) (bool, error) {
	if r.Rewrite[side].IsZero() {
		return false, nil
	}
	shown, noted, err := r.store.Copied(ctx, r.Place(side), e.Num)
	if err != nil || !noted || shown == nil || e.Seen == nil {
		return noted, err
	}
	if then := record.SignNamed(shown[signPath]); isLater(then, signOf(e)) || then.Same(signOf(e)) {
		return true, nil
	}
	for p, v := range r.unlikeSettled(e) {
		if shown[p] != v {
			return false, nil
		}
	}
	return true, nil
}

// CopyLacks reports whether a record is gone because the copy lacks it. Such a record is made anew.
func (r *Room) CopyLacks(ctx context.Context, side record.Side, num int64, goneAt time.Time) (bool, error) {
	switch {
	case r.Rewrite[side].IsZero():
		return false, nil
	case !r.noted[side]: // a dry run, and no real run has noted the copy yet
		return !goneAt.Before(r.Rewrite[side]), nil
	}
	shown, noted, err := r.store.Copied(ctx, r.Place(side), num)
	return noted && shown == nil, err
}

// endRewrite notes that a side has got everything once more that a person wanted, as soon as each noted
// record is in step or has no link any more.
func (r *Room) endRewrite(ctx context.Context) error {
	for _, side := range record.Sides {
		h, answered := r.AnsweredBack(side)
		if !answered || !r.noted[side] {
			continue
		}
		none, err := r.store.EndCopied(ctx, r.Lease, side)
		if err != nil {
			return err
		}
		if !none {
			continue
		}
		if err := r.store.Witness(ctx, r.Lease, side, rewrittenTrait, copyOf(h), time.Now()); err != nil {
			return err
		}
	}
	return nil
}

// AsBefore makes the sides of a link look as if the side with the older copy had not changed its copied
// values, and the other side had changed them: then they are written once more. A field in which both
// sides show an older copy stays as it is, changed on both.
func (r *Room) AsBefore(ctx context.Context, p record.Pair, sides *[2]run.SeenSide) error {
	if r.Rewrite == [2]time.Time{} {
		return nil
	}
	var fields [2]map[string]bool
	for _, side := range record.Sides {
		var err error
		if fields[side], err = r.asCopied(ctx, side, p.Sides[side]); err != nil {
			return err
		}
	}
	for _, side := range record.Sides {
		for f := range fields[side] {
			if !fields[side.Other()][f] {
				r.putBefore(f, side, &sides[side], &sides[side.Other()])
			}
		}
	}
	return nil
}

// asCopied returns the fields in which a record still shows what the older copy of its side showed.
func (r *Room) asCopied(ctx context.Context, side record.Side, e record.Entry) (map[string]bool, error) {
	out := map[string]bool{}
	if r.Rewrite[side].IsZero() || e.Seen == nil {
		return out, nil
	}
	now := r.unlikeSettled(e)
	noted := now // in a dry run, if no real run has noted the copy yet
	if r.noted[side] {
		var err error
		if noted, _, err = r.store.Copied(ctx, r.Place(side), e.Num); err != nil || noted == nil {
			return out, err
		}
	}
	for _, f := range r.Job.Mapping.Fields() {
		differs, copied := false, true
		for _, p := range r.Job.Mapping.Inputs(side, f.Name) {
			if v, is := now[p]; is {
				differs, copied = true, copied && noted[p] == v
			}
		}
		if differs && copied {
			out[f.Name] = true
		}
	}
	return out, nil
}

// putBefore makes a field of a link look as if it had been settled on what here shows, the side with
// the older copy. So here did not change the field, and there did if it holds another value.
func (r *Room) putBefore(f string, side record.Side, here, there *run.SeenSide) {
	now := here.Now[f]
	if here.Settled == nil || there.Settled == nil || !now.Observed() {
		return
	}
	here.Base, here.Settled, there.Settled = maps.Clone(here.Base), maps.Clone(here.Settled), maps.Clone(there.Settled)
	for _, p := range r.Job.Mapping.Inputs(side, f) {
		if v := here.Native[p]; v.Observed() {
			here.Base[p] = v
		}
	}
	here.Settled[f] = record.Keep(now)
	var pair [2]record.Value
	pair[side], pair[side.Other()] = now, there.Now[f]
	if there.Now[f].Observed() && !r.Job.Mapping.Same(f, pair[record.Left], pair[record.Right]) {
		there.Settled[f], there.Seen = record.Keep(now), true
	}
}
