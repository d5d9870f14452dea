package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/pull"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// How old what was read may be.
const (
	maxScanAge   = 6 * time.Hour // an interrupted scan is resumed only if it is younger
	MaxCreateAge = time.Hour     // the last whole scan may be this old for what it lacks to be created
)

// StableFirst returns the order in which the sides are read. A side whose list can be believed at once comes first,
// so that the list of the other side is begun after the records of the first are known.
func (r *Room) StableFirst() [2]record.Side {
	if r.Side(record.Right).Can.Stable && !r.Side(record.Left).Can.Stable {
		return [2]record.Side{record.Right, record.Left}
	}
	return record.Sides
}

// PullSide reads the list of a side, in the way that is due: whole, or what changed.
func (r *Room) PullSide(ctx context.Context, side record.Side) error {
	mode, start, err := r.mode(ctx, side)
	if err != nil {
		return err
	}
	return r.pullAs(ctx, side, mode, start)
}

// PullWhole reads everything of a side, even if the side could list only what changed.
func (r *Room) PullWhole(ctx context.Context, side record.Side) error {
	return r.pullAs(ctx, side, connectors.Full, "")
}

func (r *Room) pullAs(ctx context.Context, side record.Side, mode connectors.Mode, start record.Cursor) error {
	s := r.Side(side)
	r.ended[side] = nil
	r.Listing[side] = true
	defer func() { r.Listing[side], r.Illegibles[side], r.Versionless[side] = false, nil, nil }()
	watch, err := r.trust.Watched(ctx, side, mode)
	if err != nil {
		return err
	}
	var before run.PartsSeen
	watches := mode == connectors.Full && r.Job.Unshown > 0
	if watches {
		if before, err = r.partsSeen(ctx, side); err != nil {
			return err
		}
	}
	sink, glimpsed := r.glimpsed(side, r.sinkOf(side))
	res, err := pull.Pull(ctx, pull.Side{
		Lease: r.Lease, Place: r.Place(side), Conn: s.Conn,
		Query: connectors.Query{
			Kind: s.Kind, Mode: mode, Scope: r.listedDays(side, mode),
			Fields: r.Job.Mapping.Paths(side),
		},
		Start: start, Mapping: r.Job.Mapping, Refer: r.Refs, MaxAge: maxScanAge, MaxField: r.Job.MaxField, Hides: s.Can.MayHide, Waits: s.Can.Waits,
		Decode: r.trust.StoodBefore(record.HaltSchema, side) || before.Unknown || glimpsed, Watch: watch,
		Between: r.BetweenRequests, Draw: r.Draw,
		Progress: func(rows, total int) {
			r.Progress(run.Progress{Phase: side.String(), Name: fmt.Sprintf("%s of %s", s.Kind, s.System), Done: rows, Total: total})
		},
	}, sink)
	r.noteList(side, res)
	if watches {
		if noted := r.noteParts(context.WithoutCancel(ctx), side, before, res, err == nil); noted != nil {
			return errors.Join(err, fmt.Errorf("note what the list showed: %w", noted))
		}
	}
	if res.Complete && mode == connectors.Full {
		r.trust.Scanned[side], r.Showed[side] = true, r.Showed[side] || !res.Resumed
	}
	if err == nil && !res.Complete {
		r.Count(side.String()+".incomplete", 1)
		r.Log.WarnContext(ctx, "list was not read whole", "side", side.String(), "kind", string(s.Kind), "flaws", res.Flaws)
	}
	return err
}

// sinkOf returns where a list is stored. Where this run needs it, what the list shows is also kept in LastList:
// where creates can't be taken back, and where our marks are watched.
func (r *Room) sinkOf(side record.Side) pull.Sink {
	if !r.Once(side) && !r.watchesMarks(side) {
		return r.store.Sink
	}
	r.LastList[side] = &run.Showing{Sink: r.store.Sink, Ours: r.Ours}
	return r.LastList[side]
}

// noteList notes for this run what a list showed.
func (r *Room) noteList(side record.Side, res pull.Result) {
	r.Count(side.String()+".pages", res.Pages)
	r.Count(side.String()+".records", res.Rows)
	r.Count(side.String()+".decoded", res.Decoded)
	r.Count(side.String()+".suspects", res.Suspects)
	r.Listed[side] = r.listNotes(side, res)
	r.trust.Drawn[side] = res.Shown
	r.Failed[side] = append(r.Failed[side], res.Failed...)
	if res.Complete {
		r.Begun[side] = res.Started
	}
	r.trust.Rows[side], r.trust.Newest[side], r.trust.Noticed[side] = res.Rows, res.Newest, res.Noticed
}

// listNotes returns notes on what was wrong with a list: that it could not be proven complete, and which of its
// records can't be read.
func (r *Room) listNotes(side record.Side, res pull.Result) []run.Note {
	var notes []run.Note
	if len(res.Flaws) > 0 {
		notes = append(notes, run.Note{
			Side:  side,
			Ref:   record.Ref{Kind: r.Side(side).Kind},
			State: "list incomplete",
			Why:   strings.Join(res.Flaws, "; ") + ": what it does not show is not taken for absent; it is read again in the next run",
		})
	}
	for _, bad := range res.Bad {
		notes = append(notes, run.Note{Side: side, Ref: bad.Ref, State: record.Quarantined, Why: bad.Problem + "; it is left as it is until it can be read"})
	}
	r.Report.Counts[side.String()+".quarantined"] = int64(len(res.Bad)) // of the last list, if it is read twice
	return notes
}

// mode returns how a side is read: whole, or from a cursor only what changed. It is read whole unless the system
// can list what changed, and its last whole list was complete, not long ago, and of the same days and mapping.
func (r *Room) mode(ctx context.Context, side record.Side) (connectors.Mode, record.Cursor, error) {
	if r.Options.Full || !r.Side(side).Can.Since || !r.Restored.IsZero() || len(r.AwaitsList(side)) > 0 {
		return connectors.Full, "", nil
	}
	start, err := r.store.SinceCursor(ctx, r.Place(side))
	if err != nil || start == "" {
		return connectors.Full, "", err
	}
	scans, err := r.store.Ended(ctx, r.Place(side), 1)
	if err != nil || len(scans) == 0 {
		return connectors.Full, "", err
	}
	last := scans[0]
	age := r.Now.Sub(last.Certificate.Ended)
	fresh := age >= 0 && (r.Job.FullEvery <= 0 || age < r.Job.FullEvery) // below 0 the clock was set back
	same := last.Scan.Spec.Scope == r.Scope(side).String() &&
		last.Scan.Spec.Mapping == r.Job.Mapping.Fingerprint(side)
	if !fresh || !same || !last.Certificate.Complete {
		return connectors.Full, "", nil
	}
	return connectors.Since, start, nil
}

// HasLeft reports whether a record that a list lacks is taken to have left the window, judged by the days that the
// record last had. If a read by id is due as well, for instance because one found nothing, that read decides
// instead: no list tells a record outside of the window from one that is gone.
func (r *Room) HasLeft(side record.Side, e record.Entry) bool {
	return e.State.Doubted() && r.Outside(side, e.Last()) && (e.Recheck.IsZero() || !r.CanRead(side))
}

// ReadEntry reads one known record by its id and stores what that proves: what the record holds, that it is gone,
// that it is another one now, that it is out of scope, or that nobody can make sense of it. Any other error is
// returned.
func (r *Room) ReadEntry(ctx context.Context, side record.Side, e record.Entry) error {
	at := time.Now()
	found, err := r.ReadRef(ctx, side, e.Ref)
	switch class := connectors.ClassOf(err); {
	case err == nil && !found: // the system can't be asked: the entry stays as it is
		return nil
	case err == nil:
		fresh, ok, err := r.store.Entry(ctx, r.Place(side), e.Ref)
		if err != nil || !ok {
			return err
		}
		if r.Outside(side, fresh.Last()) {
			return r.Judge(ctx, fresh, record.OutOfScope, "its days have left the window")
		}
		if run.Aside(fresh.State) { // the read did not count, or showed another record
			return nil
		}
		if e.State == record.Suspect {
			r.noteOmitted(side, fresh)
		}
		// again is when the record must be read once more: this read may have been too early to count.
		again, err := r.trust.ReadOnceMore(ctx, side, e, fresh)
		if err != nil {
			return fmt.Errorf("look whether %s is behind its list: %w", e.Ref, err)
		}
		return r.store.Judge(ctx, r.Lease, fresh.Num, record.InStep, "", again, time.Now())
	case class == connectors.NotFound:
		return r.NotThere(ctx, side, e, at)
	case class == connectors.Moved:
		return r.Moved(ctx, side, e, err)
	case class == connectors.OutOfScope:
		return r.Judge(ctx, e, record.OutOfScope, "it is outside of what is to be read")
	case class == connectors.Rejected, class == connectors.Malformed:
		if e.Link == 0 && e.State == record.Suspect { // it may be gone, and in quarantine it could be created across
			r.NoteUnread(side, e.Ref, err)
			return nil
		}
		return r.illegible(ctx, side, e, at, err)
	default:
		return err
	}
}

// illegible puts a record into quarantine because a read by id could make no sense of it, as a list does. The next
// read that can make sense of the record frees it, even if that read shows nothing new.
func (r *Room) illegible(ctx context.Context, side record.Side, e record.Entry, at time.Time, cause error) error {
	item := record.Seen{Ref: e.Ref, Problem: cause.Error(), Observation: record.Observation{At: at, View: "get"}}
	r.Illegibles[side] = nil
	return r.store.See(ctx, r.Lease, r.Place(side), r.Job.Mapping.Fingerprint(side), []record.Seen{item})
}

// ReadRef reads one record by its id and stores what the read showed. It reports false if the system has no reads
// by id.
func (r *Room) ReadRef(ctx context.Context, side record.Side, ref record.Ref) (bool, error) {
	get, ok := r.Side(side).Conn.(connectors.Getter)
	if !ok || !r.Side(side).Can.Get {
		return false, nil
	}
	at := time.Now()
	rec, err := r.getWhole(ctx, side, get, ref)
	if err != nil {
		return true, err
	}
	return true, r.See(ctx, side, rec, at, "get")
}

// getWhole reads one record by its id, and notes which of its parts are not there yet. A record that is too large
// is an error of the class Rejected.
func (r *Room) getWhole(ctx context.Context, side record.Side, get connectors.Getter, ref record.Ref) (record.Record, error) {
	rec, err := r.Get(ctx, side, get, ref)
	r.Count(side.String()+".reads", 1)
	if err == nil && r.TooLarge(side, rec.Fields) {
		err = connectors.Wrong(connectors.Rejected, "read "+string(ref.Kind), "%s", pull.TooLarge(r.Job.MaxField))
	}
	if err == nil {
		r.noteLacked(side, ref, rec.Unfinished)
	}
	return rec, err
}

// noteLacked keeps which parts of a record are not there yet, as a read by id said. u is nil if nothing is lacking.
func (r *Room) noteLacked(side record.Side, ref record.Ref, u *record.Unfinished) {
	switch {
	case u == nil:
		delete(r.lacked[side], ref)
	case r.lacked[side] == nil:
		r.lacked[side] = map[record.Ref][]string{ref: u.Lacks}
	default:
		r.lacked[side][ref] = u.Lacks
	}
}

// TooLarge reports whether a record that was read by id is larger than a listed record may be. If such a record
// were created across, no list of the other side could be read with it any more.
func (r *Room) TooLarge(side record.Side, f record.Fields) bool {
	n := 0
	for _, p := range r.Job.Mapping.Paths(side) {
		n += bytesOf(f[p])
	}
	return r.Job.MaxField > 0 && n > r.Job.MaxField
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

// SeeFound stores what a look-up has found. If the record is known already, the answer may be older than what was
// read of it. Then the record is read by its id instead or, where that can't be done, left to the lists.
func (r *Room) SeeFound(ctx context.Context, side record.Side, rec record.Record, at time.Time) error {
	ref := record.Ref{Kind: cmp.Or(rec.Ref.Kind, r.Side(side).Kind), ID: rec.Ref.ID}
	e, known, err := r.store.Entry(ctx, r.Place(side), ref)
	switch {
	case err != nil:
		return err
	case !known || e.Seen == nil && e.Base == nil, !r.CanRead(side) && (e.State.Doubted() || e.State == record.Quarantined):
		return r.See(ctx, side, rec, at, "find")
	case !r.CanRead(side): // the answer may be older, and a list of changes would not correct that
		return nil
	}
	_, err = r.ReadFirst(ctx, side, ref)
	return err
}

// See stores what a single read showed; view is "get" or "find". A record that is too large is put aside, as a list
// does. The error is run.ErrBehind for a read by id that is not believed: see NotBehind.
func (r *Room) See(ctx context.Context, side record.Side, rec record.Record, at time.Time, view string) error {
	m := r.Job.Mapping
	if rec.Ref.Kind == "" {
		rec.Ref.Kind = r.Side(side).Kind
	}
	if rec.Unfinished.Hopeless() {
		r.Failed[side] = append(r.Failed[side], rec.Ref)
	}
	item := pull.Look(m, side, rec, at, view, r.Refs, "")
	if r.TooLarge(side, rec.Fields) {
		item = record.Seen{Ref: rec.Ref, Problem: pull.TooLarge(r.Job.MaxField), Observation: record.Observation{At: at, View: view}}
	}
	if view == "get" {
		if err := r.NotBehind(ctx, side, rec.Ref, rec.Fields, at); err != nil {
			return err
		}
		item.Until = at.Add(r.Side(side).Settle)
	}
	item.More = item.Problem == "" && view != "get" && pull.More(item.Unshown, rec.Unfinished, r.Side(side).Can.MayHide)
	r.Illegibles[side], r.Versionless[side] = nil, nil
	return r.store.See(ctx, r.Lease, r.Place(side), m.Fingerprint(side), []record.Seen{item})
}
