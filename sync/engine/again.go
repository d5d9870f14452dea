package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// A side was put back to an older copy, and a person said that it is to get once more what the other side holds
// (resume --again). The run that halts notes what the copy shows, and only that is written over. What the copy lacks is
// made anew. A later change on the side is an edit like any other, also while the job stands still, and in a record that
// was refused, or that is still to be written. Example: the copy shows the room of guest 1 as 12, and the platform
// has 14. Before 14 is written the desk enters 15. Then 15 goes to the platform, and 14 is not written any more.
// While the job stands still, what was changed since it was noted is told from an even older copy by the version and the
// time of the record: both only grow where a user edits it. Where a system shows neither, each run that halts notes all
// that differs.

// The answers that a run has taken up are named by these traits, by the copy that they are for.
const (
	takenOverTrait = "taken_over" // accepted: the side was taken as it is
	notedTrait     = "noted"      // again: what the copy shows was noted
	rewrittenTrait = "rewritten"  // again: all of that was written once more
)

// copyOf names the copy that a halt is about. Each halt has a detail of its own.
func copyOf(h record.Halt) string { return h.Detail }

// recallRewrite looks whether a side that was put back is still to be written to once more.
func (r *run) recallRewrite(ctx context.Context, h record.Halt) error {
	if h.Name != haltRolledBack || h.Answer != record.Again {
		return nil
	}
	known, err := r.Store.Witnessed(ctx, r.place(h.Side))
	if err != nil || known[rewrittenTrait].Value == copyOf(h) {
		return err
	}
	r.rewrite[h.Side], r.noted[h.Side] = h.At, known[notedTrait].Value == copyOf(h)
	return nil
}

// pends reports whether a job still stands before a halt: nobody has answered it, or no run has noted yet what the copy
// shows. A run that went on before that would take the older values for edits, and bring them across.
func (r *run) pends(h record.Halt) bool {
	return h.Answer == "" || !r.rewrite[h.Side].IsZero() && h.Name == haltRolledBack && !r.noted[h.Side]
}

// takeUpAgain notes what a copy shows, once its side was read whole. It reports whether the job waits for that.
func (r *run) takeUpAgain(ctx context.Context, side record.Side, h record.Halt) (waits bool, err error) {
	if r.rewrite[side].IsZero() || r.noted[side] || r.opt.Dry {
		return false, nil
	}
	if whole, err := r.asWholeAsEver(ctx, side); err != nil {
		return false, err
	} else if !whole {
		halt := planHalt(h)
		halt.Text, halt.Resume = fmt.Sprintf("%s was put back to an older copy, and is to get once more what the other side holds: nothing is written until its list has been read whole",
			r.side(side).System), r.lookAgainCommand()
		r.stand(halt)
		return true, nil
	}
	r.noted[side] = true
	return false, r.noteCopy(ctx, side, copyOf(h), h.At)
}

// noteCopy notes what a side shows that was put back, but for what was edited since an earlier run noted it. since is
// when it was found out that the side was put back.
func (r *run) noteCopy(ctx context.Context, side record.Side, name string, since time.Time) error {
	known, err := r.Store.Witnessed(ctx, r.place(side))
	if err != nil {
		return err
	}
	another := known[notedTrait].Value != name
	if err := r.Store.BeginCopy(ctx, r.lease, side, another, since); err != nil {
		return err
	}
	after := record.LinkID(0)
	for {
		pairs, err := r.Store.Dirty(ctx, r.job.Binding, after, batch)
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
		if err := r.Store.KeepCopy(ctx, r.lease, side, shown); err != nil {
			return err
		}
	}
	return r.Store.Witness(ctx, r.lease, side, notedTrait, name, r.now)
}

// signPath is where it is noted how a system told the revision of a record. No system has such a path.
const signPath = "@sign"

// copiedOf is what is to be noted of a record: all that is not as it was settled, or what of it was noted before where
// the record was edited since. another says that nothing was noted of this copy yet.
func (r *run) copiedOf(ctx context.Context, side record.Side, e record.Entry, another bool) (map[string]string, error) {
	out := r.unlikeSettled(e)
	out[signPath] = signOf(e).String()
	if another {
		return out, nil
	}
	was, noted, err := r.Store.Copied(ctx, r.place(side), e.Num)
	if err != nil || noted && was == nil {
		return out, err
	}
	edited := isLater(e.Revision.Settled, signOf(e)) // it was in step when the others were noted
	if noted {
		then := record.SignNamed(was[signPath])
		edited = isLater(then, signOf(e)) || then.Same(signOf(e))
	}
	if edited {
		maps.DeleteFunc(out, func(p, v string) bool { return p != signPath && was[p] != v })
	}
	return out, nil
}

// signOf is how a system tells the revision of a record, as it was seen last.
func signOf(e record.Entry) record.Sign {
	return record.Sign{Version: e.Seen.Version, Changed: e.Seen.Changed}
}

// isLater reports whether a record was edited between two reads, by the version and the time that its system shows: one
// is higher, and none is lower.
func isLater(was, now record.Sign) bool {
	return (regressed(now.Version, was.Version) || before(was.Changed, now.Changed)) && !isEarlier(was, now)
}

// isEarlier reports whether a record is older now than it was, by the version or the time that its system shows.
func isEarlier(was, now record.Sign) bool {
	return regressed(was.Version, now.Version) || before(now.Changed, was.Changed)
}

// noteHalted notes what a copy shows while a job stands before it: what is edited there after the answer is an edit,
// also where the runs after that fail.
func (r *run) noteHalted(ctx context.Context, side record.Side) error {
	i := slices.IndexFunc(r.rep.Halts, func(h plan.Halt) bool { return h.Name == haltRolledBack && h.Side == side })
	if i < 0 || r.opt.Dry {
		return nil
	}
	whole, err := r.asWholeAsEver(ctx, side)
	if err == nil && !whole && !r.opt.Skip[side] {
		if err = r.pullWhole(ctx, side); err == nil {
			whole, err = r.asWholeAsEver(ctx, side)
		}
	}
	if err != nil || !whole {
		return err
	}
	since := r.now
	for _, h := range r.openHalts {
		if h.Name == haltRolledBack && h.Side == side {
			since = h.At
		}
	}
	return r.noteCopy(ctx, side, r.rep.Halts[i].Detail, since)
}

// asWholeAsEver reports whether a side was read whole in this run, or no list of it ever was.
func (r *run) asWholeAsEver(ctx context.Context, side record.Side) (bool, error) {
	if r.scanned[side] {
		return true, nil
	}
	scans, err := r.Store.Ended(ctx, r.place(side), manyLists)
	return !slices.ContainsFunc(scans, func(s record.EndedScan) bool { return s.Certificate.Complete }), err
}

// unlikeSettled is what a record shows that is not as it was settled: by path, as digests.
func (r *run) unlikeSettled(e record.Entry) map[string]string {
	out, now := map[string]string{}, e.Last()
	for p := range e.Base {
		if v := now[p]; v.Observed() && !r.asSettled(e.Base[p], v) {
			out[p] = r.what(record.Fields{p: v}).String()
		}
	}
	return out
}

// isNoted reports whether it is known already that a record is older than it was: its side is to get it once more, and it
// shows what the copy showed, or was edited since that was noted.
func (r *run) isNoted(ctx context.Context, side record.Side, e record.Entry) (bool, error) {
	if r.rewrite[side].IsZero() {
		return false, nil
	}
	shown, noted, err := r.Store.Copied(ctx, r.place(side), e.Num)
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

// copyLacks reports whether a record that is gone is one that the copy lacks, which is to be made anew.
func (r *run) copyLacks(ctx context.Context, side record.Side, num int64, goneAt time.Time) (bool, error) {
	switch {
	case r.rewrite[side].IsZero():
		return false, nil
	case !r.noted[side]: // a dry run before the first one
		return !goneAt.Before(r.rewrite[side]), nil
	}
	shown, noted, err := r.Store.Copied(ctx, r.place(side), num)
	return noted && shown == nil, err
}

// endRewrite notes that a side has got once more all that a person wanted: each of its records is in step.
func (r *run) endRewrite(ctx context.Context) error {
	for _, h := range r.openHalts {
		if h.Name != haltRolledBack || !r.noted[h.Side] {
			continue
		}
		none, err := r.Store.EndCopied(ctx, r.lease, h.Side)
		if err != nil {
			return err
		}
		if !none {
			continue
		}
		if err := r.Store.Witness(ctx, r.lease, h.Side, rewrittenTrait, copyOf(h), time.Now()); err != nil {
			return err
		}
	}
	return nil
}

// asBefore makes the two sides of a link look as if the fields in which one shows what an older copy held had not been
// changed there since, and the other side had changed them: then they are written once more. A field that both sides
// hold from older copies stays as it is, changed on both.
func (r *run) asBefore(ctx context.Context, p record.Pair, sides *[2]seenSide) error {
	if r.rewrite == [2]time.Time{} {
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

// asCopied is the fields of which a record shows what the copy showed that its side was put back to.
func (r *run) asCopied(ctx context.Context, side record.Side, e record.Entry) (map[string]bool, error) {
	out := map[string]bool{}
	if r.rewrite[side].IsZero() || e.Seen == nil {
		return out, nil
	}
	now := r.unlikeSettled(e)
	noted := now // of a dry run before the first one
	if r.noted[side] {
		var err error
		if noted, _, err = r.Store.Copied(ctx, r.place(side), e.Num); err != nil || noted == nil {
			return out, err
		}
	}
	for _, f := range r.job.Mapping.Fields() {
		differs, copied := false, true
		for _, p := range r.job.Mapping.Inputs(side, f.Name) {
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

// putBefore has a field of a link look as it was before it was changed on the side that is there.
func (r *run) putBefore(f string, side record.Side, here, there *seenSide) {
	now := here.Now[f]
	if here.Settled == nil || there.Settled == nil || !now.Observed() {
		return
	}
	here.Base, here.Settled, there.Settled = maps.Clone(here.Base), maps.Clone(here.Settled), maps.Clone(there.Settled)
	for _, p := range r.job.Mapping.Inputs(side, f) {
		if v := here.Native[p]; v.Observed() {
			here.Base[p] = v
		}
	}
	here.Settled[f] = record.Keep(now)
	var pair [2]record.Value
	pair[side], pair[side.Other()] = now, there.Now[f]
	if there.Now[f].Observed() && !r.job.Mapping.Same(f, pair[record.Left], pair[record.Right]) {
		there.Settled[f], there.Seen = record.Keep(now), true
	}
}
