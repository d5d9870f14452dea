package observe

import (
	"context"
	"fmt"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/record"
	"nightporter/sync/run"
	"nightporter/sync/trust"
)

// Examine checks what the lists showed, before an absence is believed and before anything is planned. Are the
// records those that were linked? Are they still there? Are they at least as new as what we know of them? If not,
// the job stops (run.ErrHalted).
func (r *Room) Examine(ctx context.Context) error {
	for _, side := range record.Sides {
		if err := r.trust.NoteMarks(ctx, side); err != nil {
			return fmt.Errorf("note whose marks %s shows: %w", r.Side(side).System, err)
		}
	}
	links, err := r.store.LinkCount(ctx, r.Job.Binding)
	if err != nil || links == 0 {
		r.trust.Examined = err == nil
		return err
	}
	for _, side := range record.Sides {
		if r.Options.Skip[side] {
			continue
		}
		if err := r.examineSide(ctx, side, links); err != nil {
			return fmt.Errorf("look at what %s shows: %w", r.Side(side).System, err)
		}
	}
	err = r.trust.StoppedBy()
	r.trust.Examined = err == nil
	return err
}

// noteWhole reads a side whole if it was put back to an older copy and only a list of changes has told of that.
// Then it notes what the copy shows.
func (r *Room) noteWhole(ctx context.Context, side record.Side) error {
	notes, err := r.trust.NotesWhole(ctx, side)
	if err != nil || !notes {
		return err
	}
	if err := r.PullWhole(ctx, side); err != nil {
		return err
	}
	return r.trust.NoteHalted(ctx, side)
}

func (r *Room) examineSide(ctx context.Context, side record.Side, links int) error {
	before := len(r.Report.Halts)
	back, err := r.trust.RolledBack(ctx, side, links)
	if err != nil {
		return err
	}
	if back {
		return r.noteWhole(ctx, side)
	}
	if err := r.shrunk(ctx, side, links); err != nil {
		return err
	}
	if err := r.trust.NoteHalted(ctx, side); err != nil { // it may turn out to be an older copy
		return err
	}
	others, err := r.strangersInPlace(ctx, side, links)
	if err != nil {
		return err
	}
	if err := r.trust.FieldsGone(ctx, side); err != nil {
		return err
	}
	if others == 0 && r.trust.Scanned[side] && len(r.trust.Drawn[side]) >= trust.Agreeing && len(r.Report.Halts) == before {
		r.trust.ShownBy[side] = true // the list itself showed the records that we know
	}
	return nil
}

// fewMissing is how many linked records may be missing at once without a halt, unless all are missing.
const fewMissing = 3

func (r *Room) missing(ctx context.Context, side record.Side) (l run.Loss, err error) {
	after := int64(0)
	for {
		es, err := r.store.Missing(ctx, r.Place(side), after, run.Batch)
		if err != nil || len(es) == 0 {
			return l, err
		}
		for _, e := range es {
			after = e.Num
			explained, err := r.trust.AgainExplains(ctx, side, e)
			if err != nil {
				return l, err
			}
			if explained || r.Outside(side, e.Last()) || r.HasEnded(side, e) {
				continue
			}
			l.Add(e)
		}
	}
}

// withoutVersions returns the loss without the records that others took the place of. It matters where records
// never change, so that an edit makes another record: a newer version, or the same record under another name, is no
// loss. If more records are missing than a run reads by id, none is asked for.
func (r *Room) withoutVersions(ctx context.Context, side record.Side, lost run.Loss) (run.Loss, error) {
	get, ok := r.Side(side).Conn.(connectors.Getter)
	if !ok || !r.Side(side).Can.Immutable || len(lost.Nums) > run.ReadsByID {
		return lost, nil
	}
	es, err := r.store.Entries(ctx, lost.Nums)
	if err != nil {
		return lost, err
	}
	var out run.Loss
	for _, num := range lost.Nums {
		_, err := r.Get(ctx, side, get, es[num].Ref)
		r.Count(side.String()+".canaries", 1)
		class := connectors.ClassOf(err)
		if slices.Contains([]connectors.ErrorClass{connectors.Transient, connectors.Throttled, connectors.Unauthorized}, class) {
			return lost, fmt.Errorf("read %s, which the list does not show: %w", es[num].Ref, err)
		}
		if class != connectors.Moved {
			out.Add(es[num])
		}
	}
	return out, nil
}

// shrunk stops the job if a side lacks more linked records than are deleted in a day. Some of them are first asked
// for by id. If they are there, the list is wrong: then only the list is not believed, and the job goes on.
func (r *Room) shrunk(ctx context.Context, side record.Side, links int) error {
	limit := r.shrinkLimit()
	if limit <= 0 {
		return nil
	}
	lost, err := r.missing(ctx, side)
	n := len(lost.Nums)
	if err != nil || n == 0 {
		return err
	}
	others, err := r.store.Sample(ctx, r.Place(side), 1)
	if err != nil {
		return err
	}
	all := len(others) == 0 && n > 1
	few := func(n int) bool { return !all && (n <= fewMissing || n*100 <= limit*links) }
	if few(n) {
		return nil
	}
	if lost, err = r.withoutVersions(ctx, side, lost); err != nil {
		return err
	}
	if all = all && len(lost.Nums) == n; few(len(lost.Nums)) {
		return nil
	}
	c, err := r.trust.AskFor(ctx, side, lost.Some)
	switch {
	case err != nil:
		return err
	case c.There > 0 && c.Against() == 0:
		return r.discredit(ctx, side, lost, few)
	case c.Against() == 0: // the missing ones were merged, or have left what is to be read
		return nil
	}
	cause, what := r.lossOf(side, len(lost.Nums), links, all)
	return r.standMissing(side, cause, lost, few, fmt.Sprintf("%s, and %s: does the key see another account, or a part of it only? "+
		"Nothing was written or deleted. Put the right key back and look again (%s). If %s was put back to an older copy, it can get once more what it lacks: %s. If they were really deleted, say so: %s",
		what, c, r.trust.LookAgainCommand(), r.Side(side).System, r.trust.AgainCommand(), r.trust.LetGoCommand()))
}

// shrinkLimit returns how many of a hundred linked records may be missing; 0 means any number. While the job stands
// before a halt that nobody has answered, there is always a limit: the halt is not over just because all the
// records that the job knew are gone.
func (r *Room) shrinkLimit() int {
	stood := slices.ContainsFunc(r.trust.OpenHalts, func(h record.Question) bool { return trust.WholeJob(h.Cause) && h.Choice == "" })
	if r.Job.Shrink <= 0 && stood {
		return 100
	}
	return r.Job.Shrink
}

// discredit marks a list as incomplete because it does not show linked records that are there. Those records are
// read by id first. If that leaves only a few without a reason why they are not listed, the list still counts.
func (r *Room) discredit(ctx context.Context, side record.Side, lost run.Loss, few func(int) bool) error {
	lost, err := r.readUnlisted(ctx, side, lost)
	if err != nil || len(lost.Nums) == 0 || few(len(lost.Nums)) {
		return err
	}
	flaw := fmt.Sprintf("the list does not show %d linked records, and they are there", len(lost.Nums))
	r.trust.Scanned[side], r.Showed[side], r.ended[side] = false, false, nil
	r.Count(side.String()+".incomplete", 1)
	r.Note(side, record.Ref{Kind: r.Side(side).Kind}, "list incomplete", flaw+": what it does not show is not taken for absent")
	return r.store.Discredit(ctx, r.Lease, side, flaw)
}

// lossOf returns why a job stands still, and a sentence that says what is missing. all says that the list shows
// none of the linked records.
func (r *Room) lossOf(side record.Side, n, links int, all bool) (record.Cause, string) {
	s := r.Side(side)
	switch {
	case r.trust.Rows[side] == 0 && r.trust.Scanned[side]:
		return record.HaltEmpty, fmt.Sprintf("the list of %s of %s is empty, and %d linked records should be in it", s.Kind, s.System, n)
	case all:
		return record.HaltAccount, fmt.Sprintf("none of the %d linked records is in the list of %s of %s, which shows %d others", n, s.Kind, s.System, r.trust.Rows[side])
	}
	return record.HaltShrink, fmt.Sprintf("%d of %d linked records are not in the list of %s of %s", n, links, s.Kind, s.System)
}

// standMissing adds a halt about missing records. It adds none if a person has already said that they are gone, and
// few others are missing.
func (r *Room) standMissing(side record.Side, cause record.Cause, lost run.Loss, few func(int) bool, text string) error {
	for _, as := range []record.Cause{record.HaltShrink, record.HaltEmpty, record.HaltAccount} {
		old, said := r.trust.AnsweredHalt(as, side)
		if !said {
			continue
		}
		if n := lost.Beside(old.Rests); n == 0 || few(n) {
			r.trust.KeptHalts = append(r.trust.KeptHalts, old)
			return nil
		}
	}
	r.trust.Stand(record.Question{Cause: cause, Subject: record.Subject{Side: side}, Why: text, Next: r.trust.LetGoCommand(), Rests: r.trust.LossRests(side, lost.Nums)})
	return nil
}

// manyOthers is how many ids must name other records before an account is doubted. Fewer may be people who got
// another name, number and all on one day.
const manyOthers = 10

// strangersInPlace stops the job if a list shows other records under the ids of linked ones. Another account may
// count its ids as ours does. others is how many such records there are.
func (r *Room) strangersInPlace(ctx context.Context, side record.Side, links int) (others int, err error) {
	if r.Report.Counts[side.String()+".decoded"] == 0 {
		return 0, nil
	}
	pairs, err := r.store.Dirty(ctx, r.Job.Binding, 0, trust.MostCompared)
	if err != nil {
		return 0, err
	}
	for _, p := range pairs {
		e := p.Sides[side]
		if e.State == record.Stranger {
			others++
			continue
		}
		if e.Seen == nil || e.Base == nil || e.State.Doubted() {
			continue
		}
		shown := record.Record{Ref: e.Ref, Fields: e.Seen.Fields, Stamp: e.Seen.Stamp}
		if !r.Known(side, e, shown) {
			others++
		}
	}
	if others < manyOthers || others*5 < min(links, trust.MostCompared) {
		return others, nil
	}
	s := r.Side(side)
	r.trust.Stand(record.Question{Cause: record.HaltAccount, Subject: record.Subject{Side: side}, Next: r.trust.LookAgainCommand(), Rests: record.RestsOn("strangers"), Why: fmt.Sprintf(
		"%d linked records of %s are other records than those that were linked, under the same ids: is it another account or another database? "+
			"Nothing was written or deleted. Put the right key or address back and look again", others, s.System)})
	return others, nil
}

// Known reports whether a record may still be the one that was settled. It may if it has one of the settled keys,
// if it shows no key at all, or if at least half of the values that can be compared are the settled ones.
func (r *Room) Known(side record.Side, e record.Entry, rec record.Record) bool {
	return slices.ContainsFunc(e.MayShow(), func(base record.Base) bool { return r.agrees(side, base, rec) })
}

// agrees reports whether a record may still be the one of this base.
func (r *Room) agrees(side record.Side, base record.Base, rec record.Record) bool {
	had, has := r.OwnKeys(side, base.Fields()), r.OwnKeys(side, rec.Fields)
	if len(has) == 0 && len(had) > 0 {
		return true
	}
	for name, texts := range had {
		for _, t := range texts {
			if slices.Contains(has[name], t) {
				return true
			}
		}
	}
	same, shown := 0, 0
	for p, was := range base {
		now, plain := rec.Fields[p], record.Value{}
		if v, ok := was.Plain(); ok {
			plain = v
		}
		if !was.Known() || !now.Observed() || !was.Digested() && plain.Empty() {
			continue
		}
		shown++
		if was.Same(r.Job.Seal, now) {
			same++
		}
	}
	return shown == 0 || same*2 >= shown
}
