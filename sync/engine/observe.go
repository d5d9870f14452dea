package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/pull"
	"nightporter/sync/record"
)

const (
	maxScanAge   = 6 * time.Hour // an interrupted scan is resumed if it is younger
	maxCreateAge = time.Hour     // of the last whole scan, for what it misses to be created
	readsByID    = 500           // reads by id that a run makes at most, beside those before writes
	batch        = 500           // entries and links read from the store at once
)

// pull reads both sides and then, by id, what the lists could not tell.
func (r *run) pull(ctx context.Context) error {
	if err := r.readOwed(ctx); err != nil {
		return err
	}
	var failed error
	for _, side := range r.stableFirst() {
		if r.opt.Skip[side] {
			continue
		}
		if err := r.pullSide(ctx, side); err != nil {
			failed = errors.Join(failed, fmt.Errorf("read %s of %s: %w", r.side(side).Kind, r.side(side).System, err))
			if r.job.Booking == nil || ctx.Err() != nil {
				break // otherwise the other side is read all the same: it may hold a booking that waits for an answer
			}
		}
	}
	if failed != nil {
		return failed
	}
	if err := r.examine(ctx); err != nil {
		return err
	}
	for _, side := range record.Sides {
		if r.opt.Skip[side] && !r.side(side.Other()).Can.Immutable {
			continue
		}
		if err := r.readDue(ctx, side); err != nil {
			return fmt.Errorf("read single %s of %s: %w", r.side(side).Kind, r.side(side).System, err)
		}
		if err := r.readGone(ctx, side); err != nil {
			return fmt.Errorf("read %s of %s that were gone: %w", r.side(side).Kind, r.side(side).System, err)
		}
	}
	return nil
}

// stableFirst reads the side that can be believed at once first, so that the list
// of the other is begun after its records are known.
func (r *run) stableFirst() [2]record.Side {
	if r.side(record.Right).Can.Stable && !r.side(record.Left).Can.Stable {
		return [2]record.Side{record.Right, record.Left}
	}
	return record.Sides
}

func (r *run) pullSide(ctx context.Context, side record.Side) error {
	mode, start, err := r.mode(ctx, side)
	if err != nil {
		return err
	}
	return r.pullAs(ctx, side, mode, start)
}

// pullWhole reads everything of a side, also where it could say what changed.
func (r *run) pullWhole(ctx context.Context, side record.Side) error {
	return r.pullAs(ctx, side, connectors.Full, "")
}

func (r *run) pullAs(ctx context.Context, side record.Side, mode connectors.Mode, start record.Cursor) error {
	s := r.side(side)
	r.ended[side] = nil
	r.listing[side] = true
	defer func() { r.listing[side], r.illegibles[side], r.versionless[side] = false, nil, nil }()
	watch, err := r.watched(ctx, side, mode)
	if err != nil {
		return err
	}
	var before partsSeen
	watches := mode == connectors.Full && r.job.Unshown > 0
	if watches {
		if before, err = r.partsSeen(ctx, side); err != nil {
			return err
		}
	}
	sink := pull.Sink(r.Store)
	if r.once(side) || r.watchesMarks(side) {
		r.lastList[side] = &showing{Sink: r.Store, ours: r.ours}
		sink = r.lastList[side]
	}
	sink, glimpsed := r.glimpsed(side, sink)
	res, err := pull.Pull(ctx, pull.Side{
		Lease: r.lease, Place: r.place(side), Conn: s.Conn,
		Query: connectors.Query{
			Kind: s.Kind, Mode: mode, Scope: r.listedDays(side, mode),
			Fields: r.job.Mapping.Paths(side),
		},
		Start: start, Mapping: r.job.Mapping, Refer: r.refs, MaxAge: maxScanAge, MaxField: r.job.MaxField, Hides: s.Can.MayHide, Waits: s.Can.Waits,
		Decode: r.stoodBefore(haltSchema, side) || before.Unknown || glimpsed, Watch: watch,
		Between: r.between, Draw: r.Draw,
		Progress: func(rows, total int) {
			r.progress(Progress{Phase: side.String(), Name: fmt.Sprintf("%s of %s", s.Kind, s.System), Done: rows, Total: total})
		},
	}, sink)
	r.count(side.String()+".pages", res.Pages)
	r.count(side.String()+".records", res.Rows)
	r.count(side.String()+".decoded", res.Decoded)
	r.count(side.String()+".suspects", res.Suspects)
	r.listed[side] = r.listNotes(side, res)
	r.drawn[side] = res.Shown
	r.failed[side] = append(r.failed[side], res.Failed...)
	if res.Complete {
		r.begun[side] = res.Started
	}
	r.rows[side], r.newest[side], r.noticed[side] = res.Rows, res.Newest, res.Noticed
	if watches {
		if noted := r.noteParts(context.WithoutCancel(ctx), side, before, res, err == nil); noted != nil {
			return errors.Join(err, fmt.Errorf("note what the list showed: %w", noted))
		}
	}
	whole := res.Complete && mode == connectors.Full
	r.scanned[side], r.showed[side] = r.scanned[side] || whole, r.showed[side] || whole && !res.Resumed
	if err == nil && !res.Complete {
		r.count(side.String()+".incomplete", 1)
		r.Log.WarnContext(ctx, "list was not read whole", "side", side.String(), "kind", string(s.Kind), "flaws", res.Flaws)
	}
	return err
}

// listNotes says what a list had wrong with it: that it could not be proven whole,
// and records that can't be read as they are.
func (r *run) listNotes(side record.Side, res pull.Result) []Note {
	var notes []Note
	if len(res.Flaws) > 0 {
		notes = append(notes, Note{
			side,
			record.Ref{Kind: r.side(side).Kind},
			"list incomplete",
			strings.Join(res.Flaws, "; ") + ": what it does not show is not taken for absent; it is read again in the next run",
		})
	}
	for _, bad := range res.Bad {
		notes = append(notes, Note{side, bad.Ref, record.Quarantined, bad.Problem + "; it is left as it is until it can be read"})
	}
	r.rep.Counts[side.String()+".quarantined"] = int64(len(res.Bad)) // of the last list, if it is read twice
	return notes
}

// mode is full, unless the system can say what changed and both sides were
// compared whole not long ago.
func (r *run) mode(ctx context.Context, side record.Side) (connectors.Mode, record.Cursor, error) {
	if r.opt.Full || !r.side(side).Can.Since || !r.restored.IsZero() || len(r.awaitsList(side)) > 0 {
		return connectors.Full, "", nil
	}
	start, err := r.Store.SinceCursor(ctx, r.place(side))
	if err != nil || start == "" {
		return connectors.Full, "", err
	}
	scans, err := r.Store.Ended(ctx, r.place(side), 1)
	if err != nil || len(scans) == 0 {
		return connectors.Full, "", err
	}
	last := scans[0]
	age := r.now.Sub(last.Certificate.Ended)
	fresh := age >= 0 && (r.job.FullEvery <= 0 || age < r.job.FullEvery) // below 0 the clock was set back
	same := last.Scan.Spec.Scope == r.scope(side).String() &&
		last.Scan.Spec.Mapping == r.job.Mapping.Fingerprint(side)
	if !fresh || !same || !last.Certificate.Complete {
		return connectors.Full, "", nil
	}
	return connectors.Since, start, nil
}

// readDue reads by id what must be read: what a complete list did not show, and
// what was seen too early after a write to count.
func (r *run) readDue(ctx context.Context, side record.Side) error {
	due, err := r.Store.Due(ctx, r.place(side), time.Now(), readsByID)
	if err != nil {
		return err
	}
	var awaited map[int64]bool
	if r.opt.Skip[side] && len(due) > 0 {
		if awaited, err = r.awaited(ctx, side); err != nil {
			return err
		}
	}
	failed := 0
	for _, e := range due {
		if r.opt.Skip[side] && !awaited[e.Num] {
			continue
		}
		if err := r.between(ctx); err != nil {
			return err
		}
		if r.hasLeft(side, e) {
			if err := r.judge(ctx, e, record.OutOfScope, "its days have left the window"); err != nil {
				return err
			}
			continue
		}
		err := r.readEntry(ctx, side, e)
		if err := r.passOver(side, err, &failed); err != nil {
			return err
		}
		if err != nil {
			r.unreadNow[e.Num] = true
			r.noteUnread(side, e.Ref, err)
		}
	}
	if !r.opt.Skip[side] {
		r.noteClosed(side)
	}
	return nil
}

// hasLeft reports whether a record that a list lacks is taken to have left the window, by the days
// that it was last seen to have. Where a read by id was asked for as well, as once one found
// nothing, it is made: no list tells a record outside of the window from one that is gone.
func (r *run) hasLeft(side record.Side, e record.Entry) bool {
	return e.State.Doubted() && r.outside(side, e.Last()) && (e.Recheck.IsZero() || !r.canRead(side))
}

// readEntry reads one known record by id and stores what that proved.
func (r *run) readEntry(ctx context.Context, side record.Side, e record.Entry) error {
	at := time.Now()
	found, err := r.readRef(ctx, side, e.Ref)
	switch class := connectors.ClassOf(err); {
	case err == nil && !found: // the system can't be asked: it stays as it is
		return nil
	case err == nil:
		fresh, ok, err := r.Store.Entry(ctx, r.place(side), e.Ref)
		if err != nil || !ok {
			return err
		}
		if r.outside(side, fresh.Last()) {
			return r.judge(ctx, fresh, record.OutOfScope, "its days have left the window")
		}
		if aside(fresh.State) { // the read did not count, or showed another record
			return nil
		}
		if e.State == record.Suspect {
			r.noteOmitted(side, fresh)
		}
		// A read that was too early to count is asked for again.
		again, err := r.readOnceMore(ctx, side, e, fresh)
		if err != nil {
			return fmt.Errorf("look whether %s is behind its list: %w", e.Ref, err)
		}
		return r.Store.Judge(ctx, r.lease, fresh.Num, record.InStep, "", again, time.Now())
	case class == connectors.NotFound:
		return r.notThere(ctx, side, e, at)
	case class == connectors.Moved:
		return r.moved(ctx, side, e, err)
	case class == connectors.OutOfScope:
		return r.judge(ctx, e, record.OutOfScope, "it is outside of what is to be read")
	case class == connectors.Rejected, class == connectors.Malformed:
		if e.Link == 0 && e.State == record.Suspect { // put aside it could be made across, and may be gone
			r.noteUnread(side, e.Ref, err)
			return nil
		}
		return r.illegible(ctx, side, e, at, err)
	default:
		return err
	}
}

// illegible puts a record into quarantine that a read by id could make no sense of, as a list
// does: the next read that can frees it, though it shows nothing new.
func (r *run) illegible(ctx context.Context, side record.Side, e record.Entry, at time.Time, cause error) error {
	item := record.Seen{Ref: e.Ref, Problem: cause.Error(), Observation: record.Observation{At: at, View: "get"}}
	r.illegibles[side] = nil
	return r.Store.See(ctx, r.lease, r.place(side), r.job.Mapping.Fingerprint(side), []record.Seen{item})
}

// readRef reads one record by id and stores what it showed. It reports false where
// the system can't be asked.
func (r *run) readRef(ctx context.Context, side record.Side, ref record.Ref) (bool, error) {
	get, ok := r.side(side).Conn.(connectors.Getter)
	if !ok || !r.side(side).Can.Get {
		return false, nil
	}
	at := time.Now()
	rec, err := r.getWhole(ctx, side, get, ref)
	if err != nil {
		return true, err
	}
	return true, r.see(ctx, side, rec, at, "get")
}

// getWhole reads one record by id, and notes what it lacks.
func (r *run) getWhole(ctx context.Context, side record.Side, get connectors.Getter, ref record.Ref) (record.Record, error) {
	rec, err := r.get(ctx, side, get, ref)
	r.count(side.String()+".reads", 1)
	if err == nil && r.tooLarge(side, rec.Fields) {
		err = connectors.Wrong(connectors.Rejected, "read "+string(ref.Kind), "%s", pull.TooLarge(r.job.MaxField))
	}
	if err == nil {
		r.noteLacked(side, ref, rec.Unfinished)
	}
	return rec, err
}

// noteLacked notes what a read by id said of the parts of a record that are not there yet.
func (r *run) noteLacked(side record.Side, ref record.Ref, u *record.Unfinished) {
	switch {
	case u == nil:
		delete(r.lacked[side], ref)
	case r.lacked[side] == nil:
		r.lacked[side] = map[record.Ref][]string{ref: u.Lacks}
	default:
		r.lacked[side][ref] = u.Lacks
	}
}

// tooLarge reports whether a record that was read by itself is larger than one may be as it is
// listed: brought across, no list of the other side could be read with it any more.
func (r *run) tooLarge(side record.Side, f record.Fields) bool {
	n := 0
	for _, p := range r.job.Mapping.Paths(side) {
		n += bytesOf(f[p])
	}
	return r.job.MaxField > 0 && n > r.job.MaxField
}

// bytesOf is how many bytes of text a value has.
func bytesOf(v record.Value) int {
	n := len(v.Text())
	for _, part := range v.List() {
		n += bytesOf(part)
	}
	for _, part := range v.Map() {
		n += bytesOf(part)
	}
	return n
}

// seeFound stores what a question has found. Of a record that is known the answer may be older
// than what was read of it: it is read by its id instead, or left to the lists.
func (r *run) seeFound(ctx context.Context, side record.Side, rec record.Record, at time.Time) error {
	ref := record.Ref{Kind: cmp.Or(rec.Ref.Kind, r.side(side).Kind), ID: rec.Ref.ID}
	e, known, err := r.Store.Entry(ctx, r.place(side), ref)
	switch {
	case err != nil:
		return err
	case !known || e.Seen == nil && e.Base == nil, !r.canRead(side) && (e.State.Doubted() || e.State == record.Quarantined):
		return r.see(ctx, side, rec, at, "find")
	case !r.canRead(side): // a list of what changed would not take back what is older
		return nil
	}
	_, err = r.readFirst(ctx, side, ref)
	return err
}

// see stores what a single read showed. One that is too large is put aside, as a list does. Its
// error is errBehind for a read by id that is not believed: see notBehind.
func (r *run) see(ctx context.Context, side record.Side, rec record.Record, at time.Time, view string) error {
	m := r.job.Mapping
	if rec.Ref.Kind == "" {
		rec.Ref.Kind = r.side(side).Kind
	}
	if rec.Unfinished.Hopeless() {
		r.failed[side] = append(r.failed[side], rec.Ref)
	}
	item := pull.Look(m, side, rec, at, view, r.refs, "")
	if r.tooLarge(side, rec.Fields) {
		item = record.Seen{Ref: rec.Ref, Problem: pull.TooLarge(r.job.MaxField), Observation: record.Observation{At: at, View: view}}
	}
	if view == "get" {
		if err := r.notBehind(ctx, side, rec.Ref, rec.Fields, at); err != nil {
			return err
		}
		item.Until = at.Add(r.side(side).Settle)
	}
	item.More = item.Problem == "" && view != "get" && pull.More(item.Unshown, rec.Unfinished, r.side(side).Can.MayHide)
	r.illegibles[side], r.versionless[side] = nil, nil
	return r.Store.See(ctx, r.lease, r.place(side), m.Fingerprint(side), []record.Seen{item})
}

func (r *run) judge(ctx context.Context, e record.Entry, st record.EntryState, why string) error {
	r.illegibles[e.Place.Side] = nil
	return r.Store.Judge(ctx, r.lease, e.Num, st, why, time.Time{}, time.Now())
}

func (r *run) progress(p Progress) {
	if r.opt.Progress != nil {
		r.opt.Progress(p)
	}
}

func keyOf(link record.LinkID, from int64) string {
	if link != 0 {
		return "l" + strconv.FormatInt(int64(link), 10)
	}
	return "e" + strconv.FormatInt(from, 10)
}
