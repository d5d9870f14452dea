package settle

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/plan/away"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// ReadGone reads records again that are gone and of which nothing was done yet, once a list shows something new,
// on a side with records that never change. A newer version of such a record may have come: it takes the place of
// the record, and ends what is asked about it.
func (r *Room) ReadGone(ctx context.Context, side record.Side) error {
	if r.Options.Skip[side] || !r.Side(side).Can.Immutable || r.Report.Counts[side.String()+".decoded"] == 0 {
		return nil
	}
	pairs, err := r.store.Bereft(ctx, r.Place(side))
	if err != nil {
		return err
	}
	failed := 0
	for _, p := range pairs[:min(len(pairs), run.ReadsByID)] {
		e := p.Sides[side]
		t, ok, err := r.store.Tombstone(ctx, e.Num)
		if err != nil {
			return err
		}
		if !ok || e.State != record.Gone || t.Evidence != record.EvidenceRead {
			continue
		}
		err = r.observe.ReadEntry(ctx, side, e)
		if stop := r.observe.PassOver(side, err, &failed); stop != nil {
			return stop
		}
		if err != nil {
			r.NoteUnread(side, e.Ref, err)
		}
	}
	return nil
}

// Awaited returns the unfinished records of a side that stand for newer versions across. The records that stand
// for the old versions wait until these are finished.
func (r *Room) Awaited(ctx context.Context, side record.Side) (map[int64]bool, error) {
	pairs, err := r.store.Bereft(ctx, r.Place(side.Other()))
	if err != nil {
		return nil, err
	}
	out := map[int64]bool{}
	for _, p := range pairs {
		t, ok, err := r.store.Tombstone(ctx, p.Sides[side.Other()].Num)
		if err != nil {
			return nil, err
		}
		if !ok || t.Moved == "" {
			continue
		}
		since, err := r.versionsSince(ctx, side.Other(), t)
		if err != nil {
			return nil, err
		}
		for _, v := range since {
			pair, ok, err := r.store.Pair(ctx, v.Link)
			if err != nil {
				return nil, err
			}
			if ok && pair.Sides[side].Unfinished != nil {
				out[pair.Sides[side].Num] = true
			}
		}
	}
	return out, nil
}

// Replaced sets how a record stands if a newer version took its place: as replaced, and for sure once the newer
// version is in its place across. It is false if the newest version is gone as well, so that nothing took the
// place of the record.
func (r *Room) Replaced(ctx context.Context, a *run.Absence, side record.Side, t record.Tombstone, s *away.Standing) (bool, error) {
	e, ok, err := r.successor(ctx, side, t)
	if err != nil || !ok {
		return false, err
	}
	return true, r.replacedBy(ctx, a, side, e, s)
}

// replacedBy sets how a record stands if the version newest took its place.
func (r *Room) replacedBy(ctx context.Context, a *run.Absence, side record.Side, newest record.Entry, s *away.Standing) (err error) {
	a.Newer[side] = newest
	a.Unsure[side], err = r.notInPlace(ctx, side, newest)
	s.State, s.Unsure = away.Replaced, a.Unsure[side] != ""
	return err
}

// LeftTo sets how a record stands that held the same as another one, if the other one is left of the two: as gone,
// but not before the other one is in its place across.
func (r *Room) LeftTo(ctx context.Context, a *run.Absence, side record.Side, other record.Entry, s *away.Standing) error {
	absent := *s
	if err := r.replacedBy(ctx, a, side, other, s); err != nil || s.Unsure {
		return err
	}
	*s = absent
	return nil
}

// Version is a record that stands, or stood, in the place of another one. Newer says that it is a newer version,
// and not just the first one under another name.
type Version struct {
	record.Entry
	Newer bool
}

// versionsSince follows the versions of a record, and the names that they went by, up to the one that is there,
// which comes last. It returns none if no version is there.
func (r *Room) versionsSince(ctx context.Context, side record.Side, t record.Tombstone) (since []Version, err error) {
	kind, newer := r.Side(side).Kind, false
	for seen := map[int64]bool{}; ; {
		newer = newer || t.Evidence == record.EvidenceReplaced
		e, ok, err := r.store.Entry(ctx, r.Place(side), record.Ref{Kind: kind, ID: t.Moved})
		if err != nil || !ok || seen[e.Num] {
			return nil, err
		}
		since = append(since, Version{e, newer})
		if e.State != record.Gone {
			return since, nil
		}
		seen[e.Num] = true
		if t, ok, err = r.store.Tombstone(ctx, e.Num); err != nil || !ok || t.Moved == "" {
			return nil, err
		}
	}
}

// NewestVersion returns the version of a record that is there, the last of versionsSince; false if none is.
func (r *Room) NewestVersion(ctx context.Context, side record.Side, t record.Tombstone) (newest Version, ok bool, err error) {
	since, err := r.versionsSince(ctx, side, t)
	if err != nil || len(since) == 0 {
		return newest, false, err
	}
	return since[len(since)-1], true, nil
}

// successor returns the newest version that is in its place across already, even if it is an old one by now. If
// none is, it returns the newest of all. So the first version can go without waiting for a third one.
func (r *Room) successor(ctx context.Context, side record.Side, t record.Tombstone) (e record.Entry, ok bool, err error) {
	since, err := r.versionsSince(ctx, side, t)
	if err != nil || len(since) == 0 {
		return e, false, err
	}
	for _, v := range slices.Backward(since) {
		if !v.Newer {
			break
		}
		if why, err := r.notInPlace(ctx, side, v.Entry); err != nil || why == "" {
			return v.Entry, err == nil, err
		}
	}
	return since[len(since)-1].Entry, true, nil
}

// notInPlace says why a newer version is not in its place across yet; "" if it is. It is in its place if it is
// linked, and its record across is finished and was not put aside.
func (r *Room) notInPlace(ctx context.Context, side record.Side, newer record.Entry) (string, error) {
	there := r.Side(side.Other())
	what := fmt.Sprintf("%s, which took its place, ", newer.Ref.ID)
	if newer.State.Doubted() {
		return what + "may be gone as well", nil
	}
	pair, ok, err := r.store.Pair(ctx, newer.Link)
	if err != nil {
		return "", err
	}
	switch {
	case !ok && newer.Why != "":
		return fmt.Sprintf("%sis not in %s yet: %s", what, there.System, newer.Why), nil
	case !ok:
		return fmt.Sprintf("%sis not in %s yet", what, there.System), nil
	case pair.State != record.LinkLive && pair.State != record.LinkConflict: // a conflict about its name says nothing against its place
		return fmt.Sprintf("%sis not settled with %s", what, there.System), nil
	}
	e := pair.Sides[side.Other()]
	switch u := e.Unfinished; {
	case u != nil && u.Failed != "":
		return fmt.Sprintf("%sfailed in %s: %s", what, there.System, u.Failed), nil
	case u != nil:
		return fmt.Sprintf("%sis not finished in %s yet", what, there.System), nil
	case e.State != record.InStep || e.Base == nil, !e.Recheck.IsZero() && !e.Recheck.After(e.SettleUntil): // the last read of its record across did not count
		return fmt.Sprintf("%sis not sure to be in %s", what, there.System), nil
	case len(there.Gone.Archive) > 0 && e.Last().Agrees(there.Gone.Archive):
		return fmt.Sprintf("%sis put aside in %s", what, there.System), nil
	}
	return "", nil
}

// DescribeWaiting notes that an old version stays until a newer one is in its place.
func (r *Room) DescribeWaiting(p run.Decided) {
	if p.Gone == nil || p.Gone.Fate.Deed != away.Await {
		return
	}
	for _, side := range record.Sides {
		if why := p.Gone.Unsure[side]; why != "" && p.Gone.Newer[side].Num != 0 {
			r.Count("waiting", 1)
			r.Note(side.Other(), p.Refs[side.Other()], record.Waiting, "it stays as it is: "+why)
		}
	}
}

// Successions looks again at newer versions that were not in their place across when this run was planned, so that
// old ones wait for them. If one is in its place by now, the run plans once more: otherwise both versions would
// stand across until the next run.
func (r *Room) Successions(ctx context.Context, d *run.Draft) error {
	if r.Limited() {
		return nil
	}
	for _, p := range d.Pairs {
		if p.Gone == nil || p.Gone.Fate.Deed != away.Await {
			continue
		}
		for _, side := range record.Sides {
			newer := p.Gone.Newer[side]
			if p.Gone.Unsure[side] == "" || newer.Num == 0 {
				continue
			}
			fresh, known, err := r.store.Entry(ctx, r.Place(side), newer.Ref)
			if err != nil || !known {
				return err
			}
			if why, err := r.notInPlace(ctx, side, fresh); err != nil {
				return err
			} else if why == "" {
				r.observe.Strays = true
				r.forgetWaiting(side.Other(), p.Refs[side.Other()])
			}
		}
	}
	return nil
}

// forgetWaiting takes back what DescribeWaiting noted of a record.
func (r *Room) forgetWaiting(side record.Side, ref record.Ref) {
	r.Count("waiting", -1)
	r.Report.Notes = slices.DeleteFunc(r.Report.Notes, func(n run.Note) bool {
		return n.Side == side && n.Ref == ref && n.State == record.Waiting
	})
}

// Succeeded makes sure, as the last thing before an old version goes, that the newer version is in its place
// across: its record there is read once more. A record without a newer version may go.
func (r *Room) Succeeded(ctx context.Context, side record.Side, x *run.Absence) (bool, error) {
	newer := x.Newer[side]
	if newer.Num == 0 {
		return true, nil
	}
	postponed := func(why string) (bool, error) {
		r.Count("postponed", 1)
		r.Note(side.Other(), x.Pair.Sides[side.Other()].Ref, record.Waiting, "it stays as it is: "+why)
		return false, nil
	}
	pair, ok, err := r.store.Pair(ctx, newer.Link)
	if err != nil {
		return false, err
	}
	if ok {
		found, err := r.observe.ReadRef(ctx, side.Other(), pair.Sides[side.Other()].Ref)
		failed := 0
		if stop := r.observe.PassOver(side.Other(), err, &failed); stop != nil {
			return false, stop
		}
		if err != nil || !found {
			return postponed(fmt.Sprintf("%s, which took its place, can't be read in %s now", newer.Ref.ID, r.Side(side.Other()).System))
		}
	}
	fresh, known, err := r.store.Entry(ctx, r.Place(side), newer.Ref)
	if err != nil || !known {
		return false, err
	}
	if why, err := r.notInPlace(ctx, side, fresh); err != nil || why != "" {
		if err != nil {
			return false, err
		}
		return postponed(why)
	}
	return true, nil
}

// TellFailed tells a person of linked records that have failed: their system says that they will never be what
// they should. It tells of each once, for nobody else looks at them.
func (r *Room) TellFailed(ctx context.Context) error {
	for _, side := range record.Sides {
		for _, ref := range r.observe.Failed[side] {
			e, ok, err := r.store.Entry(ctx, r.Place(side), ref)
			if err != nil {
				return err
			}
			if !ok || e.Link == 0 || !e.Unfinished.Hopeless() {
				continue
			}
			const kind = "failed_across"
			if told, err := r.store.Alerted(ctx, r.Job.Binding, e.Num, kind); err != nil || told {
				if err != nil {
					return err
				}
				continue
			}
			pair, ok, err := r.store.Pair(ctx, e.Link)
			if err != nil || !ok {
				return err
			}
			text := fmt.Sprintf("%s of %s failed in %s: %s", pair.Sides[side.Other()].Ref, r.Side(side.Other()).System, r.Side(side).System, e.Unfinished.Failed)
			if err := r.Alert(ctx, e.Num, kind, text); err != nil {
				return err
			}
		}
	}
	return nil
}
