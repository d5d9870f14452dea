package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

const (
	witnesses = 3 // linked records that are read before the first write on a side
	more      = 2 // so many more, if those do not agree: a few may have been deleted since
	agreeing  = 2 // of all these so many must be the ones we know
)

// prove makes sure, before the first write on a side, that the system is the one
// the links were made with: another key, an account moved or a database restored
// elsewhere answers just as politely.
func (r *run) prove(ctx context.Context, side record.Side) error {
	if r.unnamed[side] != nil {
		return fmt.Errorf("ask %s which account it is: %w", r.side(side).System, r.unnamed[side])
	}
	if r.proven[side] || r.provenLately(side) {
		return nil
	}
	get, ok := r.side(side).Conn.(connectors.Getter)
	if !ok || !r.side(side).Can.Get {
		r.proven[side] = true
		return nil
	}
	sample, err := r.witnesses(ctx, side)
	if err != nil {
		return err
	}
	var gone []record.Entry
	known, readable := 0, 0
	var unreadable error
	for i, e := range sample {
		if i >= witnesses && known >= agreeing {
			break
		}
		rec, err := r.get(ctx, side, get, e.Ref)
		r.count(side.String()+".canaries", 1)
		switch class := connectors.ClassOf(err); {
		case err == nil && r.recognised(side, e, rec), class == connectors.OutOfScope, class == connectors.Moved:
			// Who knows what became of a record is who had it.
			known++
			readable++
		case err == nil:
			readable++
		case class == connectors.NotFound:
			readable++
			gone = append(gone, e)
		case class == connectors.Malformed, class == connectors.Rejected, class == connectors.Forbidden:
			r.noteUnread(side, e.Ref, err)
			unreadable = err // one bad record proves nothing, and stops nothing
		default:
			return fmt.Errorf("make sure that %s is the one we know: %w", r.side(side).System, err)
		}
	}
	if readable == 0 && unreadable != nil {
		return fmt.Errorf("make sure that %s is the one we know: %w", r.side(side).System, unreadable)
	}
	needed := min(agreeing, len(sample))
	if len(sample) < witnesses { // so few that a bad one among them would stop the house
		needed = min(needed, readable)
	}
	asked := r.askedOfLoss(side)
	same, err := r.lostBy(ctx, asked, gone)
	if err != nil {
		return err
	}
	removed := asked.accepted && same && len(gone) == len(sample)                         // others under their ids are nobody's word
	if known < needed && readable < len(sample) && known+len(sample)-readable >= needed { // those that nobody could read may well be the ones we know
		return fmt.Errorf("make sure that %s is the one we know: %w", r.side(side).System, unreadable)
	}
	if known < needed && !removed {
		if !same {
			asked.at = time.Now()
		}
		r.rep.Halts = append(r.rep.Halts, guard.Halt{Name: haltIdentity, Side: side, Resume: r.lookAgainCommand(), Detail: asked.detail(), Text: fmt.Sprintf(
			"%d of %d records that were linked are not to be found in %s as we know them: is it another account or another database? Nothing was written; put the right key or address back and run again, "+
				"or, if these were all removed there, say so: %s; of those that have others in their place you are asked by themselves: nightporter conflicts",
			len(sample)-known, len(sample), r.side(side).System, r.letGoCommand())})
		return ErrHalted
	}
	r.proven[side] = true
	r.refound[side] = known > 0 && known >= needed
	r.noteProven(side)
	return r.missed(ctx, side, gone)
}

// witnesses is the linked records to be read: those first that a list has just
// shown, for they are there, and then any. Of a house in which many left since it was
// last compared whole the others would say that it is another house.
func (r *run) witnesses(ctx context.Context, side record.Side) ([]record.Entry, error) {
	var sample []record.Entry
	add := func(e record.Entry) {
		known := slices.ContainsFunc(sample, func(o record.Entry) bool { return o.Num == e.Num })
		if e.Link != 0 && !known && len(sample) < witnesses+more {
			sample = append(sample, e)
		}
	}
	for _, ref := range r.drawn[side] {
		e, ok, err := r.Store.Entry(ctx, r.place(side), ref)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if over, err := r.strangerOfOld(ctx, e); err != nil {
			return nil, err
		} else if !over {
			add(e)
		}
	}
	if len(sample) == witnesses+more {
		return sample, nil
	}
	others, err := r.Store.Sample(ctx, r.place(side), witnesses+more)
	if err == nil && len(sample)+len(others) == 0 { // no list shows any: then those that are missing must be there
		others, err = r.Store.Missing(ctx, r.place(side), 0, witnesses+more)
	}
	for _, e := range others {
		add(e)
	}
	return sample, err
}

// strangerOfOld reports whether a record is another one than was linked under its id, and
// that is no news: a person said so, or the linked one was known to be gone, with its
// partner. It tells nothing of its system any more.
func (r *run) strangerOfOld(ctx context.Context, e record.Entry) (bool, error) {
	if e.State != record.Stranger || e.Link == 0 {
		return false, nil
	}
	pair, ok, err := r.Store.Pair(ctx, e.Link)
	return ok && (pair.State == record.LinkParted || pair.State == record.LinkGone), err
}

// missed stores that linked records are not there, now that the system is known to
// be the one we know. Left as they were they would be drawn again, until so many are
// gone that it is not known any more.
func (r *run) missed(ctx context.Context, side record.Side, gone []record.Entry) error {
	for _, e := range gone {
		if err := r.notThere(ctx, side, e, time.Now()); err != nil {
			return err
		}
	}
	return nil
}

// proofLasts is how long a system counts as proven for runs of single records, which
// may be many a second.
const proofLasts = time.Minute

// provenLately reports whether another run has just made sure of the side, and this
// one is for single records. A run by its cadence always makes sure itself.
func (r *run) provenLately(side record.Side) bool {
	if len(r.opt.Only) == 0 && !r.opt.Seen {
		return false
	}
	at, ok := r.proofs.Load(r.place(side))
	then, is := at.(time.Time)
	age := time.Since(then)
	return ok && is && age >= 0 && age < proofLasts
}

func (r *run) noteProven(side record.Side) { r.proofs.Store(r.place(side), time.Now()) }

// recognised reports whether a record is the one we know under its id: any mapped
// value that is its own, not one that everybody shares, is still there.
func (r *run) recognised(side record.Side, e record.Entry, rec record.Record) bool {
	if e.Seen != nil && !e.Seen.Created.IsZero() && !rec.Created.IsZero() {
		return e.Seen.Created.UnixMilli() == rec.Created.UnixMilli() // a state keeps whole milliseconds
	}
	c, _ := r.job.Mapping.Read(side, rec.Fields)
	was := map[record.Key]bool{}
	for _, k := range e.Keys {
		was[k] = true
	}
	for _, k := range r.job.Mapping.Keys(side, rec.Fields, resolvedOnly(c)) {
		if was[r.job.sealedKey(k)] {
			return true
		}
	}
	same, shown := 0, 0
	last := e.Last()
	for p, v := range rec.Fields {
		w, kept := last[p], e.Base[p]
		edited := e.Seen != nil && e.Seen.Fields[p].Observed() // what an edit left is its own too
		digested := kept.Digested() && !edited
		if !v.Observed() || digested && v.Empty() || !digested && (!w.Observed() || w.Empty()) {
			continue
		}
		shown++
		if digested && kept.Same(r.job.Seal, v) || !digested && v.Equal(w) {
			same++
		}
	}
	return shown == 0 || same*2 > shown
}
