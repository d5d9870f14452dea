package trust

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// How many linked records tell whether a system is the one we know.
const (
	Witnesses = 3 // linked records that are read before the first write on a side
	more      = 2 // read besides if those do not agree: a few may have been deleted since
	Agreeing  = 2 // how many of all these must be the ones we know
)

// Prove makes sure, before the first write on a side, that the system is the one the links were made
// with. A system answers just as well with the key of another account, after the account was moved, or
// from a database that was restored elsewhere. Prove returns run.ErrHalted, with a halt in the report,
// if too few linked records are the ones we know.
func (r *Room) Prove(ctx context.Context, side record.Side) error {
	if r.unnamed[side] != nil {
		return fmt.Errorf("ask %s which account it is: %w", r.Side(side).System, r.unnamed[side])
	}
	if r.proven[side] || r.provenLately(side) {
		return nil
	}
	get, ok := r.Side(side).Conn.(connectors.Getter)
	if !ok || !r.Side(side).Can.Get {
		r.proven[side] = true
		return nil
	}
	sample, err := r.witnesses(ctx, side)
	if err != nil {
		return err
	}
	c, err := r.readWitnesses(ctx, side, get, sample)
	if err != nil {
		return fmt.Errorf("make sure that %s is the one we know: %w", r.Side(side).System, err)
	}
	asked := r.askedOfLoss(side)
	same, err := r.lostBy(ctx, asked, c.gone)
	switch {
	case err != nil:
		return err
	case c.tellNothing():
		return fmt.Errorf("make sure that %s is the one we know: %w", r.Side(side).System, c.unreadable)
	case c.known < c.needed() && (!asked.accepted || !same || len(c.gone) != c.all): // the answer covers only what is gone
		return r.standUnknown(side, c, asked, same)
	}
	r.proven[side] = true
	r.refound[side] = c.known > 0 && c.known >= c.needed()
	r.noteProven(side)
	return r.missed(ctx, side, c.gone)
}

// testimony is what reads of a few linked records tell of their system.
type testimony struct {
	all        int // records that were to be read
	known      int // records that are the ones we know
	readable   int // records that the system gave an answer about
	gone       []record.Entry
	unreadable error // why the last bad record can't be read; one alone proves and stops nothing
}

// needed is how many records must be the ones we know.
func (t testimony) needed() int {
	if t.all < Witnesses { // with so few, one unreadable record would stop the whole job
		return min(Agreeing, t.all, t.readable)
	}
	return min(Agreeing, t.all)
}

// tellNothing reports whether the reads prove nothing: no record could be read, or so many could not be
// read that together with those enough may be the ones we know.
func (t testimony) tellNothing() bool {
	return t.readable == 0 && t.unreadable != nil ||
		t.known < t.needed() && t.readable < t.all && t.known+t.all-t.readable >= t.needed()
}

// readWitnesses reads linked records by their ids until enough are the ones we know, at least the first Witnesses.
func (r *Room) readWitnesses(ctx context.Context, side record.Side, get connectors.Getter, sample []record.Entry) (testimony, error) {
	t := testimony{all: len(sample)}
	for i, e := range sample {
		if i >= Witnesses && t.known >= Agreeing {
			break
		}
		rec, err := r.Get(ctx, side, get, e.Ref)
		r.Count(side.String()+".canaries", 1)
		switch class := connectors.ClassOf(err); {
		case err == nil && r.Recognised(side, e, rec), class == connectors.OutOfScope, class == connectors.Moved:
			// A system that knows what became of a record is the one that had it.
			t.known++
			t.readable++
		case err == nil:
			t.readable++
		case class == connectors.NotFound:
			t.readable++
			t.gone = append(t.gone, e)
		case class == connectors.Malformed, class == connectors.Rejected, class == connectors.Forbidden:
			r.NoteUnread(side, e.Ref, err)
			t.unreadable = err
		default:
			return t, err
		}
	}
	return t, nil
}

// AskFor reads records by their ids that a list does not show, and counts what came of it.
func (r *Room) AskFor(ctx context.Context, side record.Side, some []record.Entry) (a run.Asked, err error) {
	get, ok := r.Side(side).Conn.(connectors.Getter)
	if !ok || !r.Side(side).Can.Get {
		return run.Asked{Gone: len(some), Unasked: true}, nil // only the list can tell
	}
	for _, e := range some {
		rec, err := r.Get(ctx, side, get, e.Ref)
		r.Count(side.String()+".canaries", 1)
		switch class := connectors.ClassOf(err); {
		case err == nil && r.Recognised(side, e, rec):
			a.There++
		case err == nil:
			a.Others++
		case class == connectors.NotFound:
			a.Gone++
		case class == connectors.OutOfScope, class == connectors.Moved:
			a.Left++
		case class == connectors.Forbidden:
			a.Closed++
		case class == connectors.Malformed, class == connectors.Rejected:
			a.There++ // something answers for it
		default:
			return a, fmt.Errorf("read %s, which the list does not show: %w", e.Ref, err)
		}
	}
	return a, nil
}

// standUnknown stops the job: too few records of a side are the ones we know. same says that the open
// question already covers the records that are gone.
func (r *Room) standUnknown(side record.Side, t testimony, asked askedLoss, same bool) error {
	if !same {
		asked.at = time.Now()
	}
	r.Report.Halts = append(r.Report.Halts, record.Question{Cause: record.HaltIdentity, Subject: record.Subject{Side: side}, Next: r.LookAgainCommand(), Rests: record.Rests{At: asked.at.UTC()}, Why: fmt.Sprintf(
		"%d of %d records that were linked are not to be found in %s as we know them: is it another account or another database? Nothing was written; put the right key or address back and run again, "+
			"or, if these were all removed there, say so: %s; of those that have others in their place you are asked by themselves: nightporter conflicts",
		t.all-t.known, t.all, r.Side(side).System, r.LetGoCommand())})
	return run.ErrHalted
}

// witnesses returns the linked records that Prove reads. Those come first that a list has just shown,
// because they are there; any others follow. If many records have left since the side was last compared
// whole, the others alone would speak for another system. Records that are missing because of an older copy, as a
// person said, speak neither for the system nor against it.
func (r *Room) witnesses(ctx context.Context, side record.Side) ([]record.Entry, error) {
	var sample []record.Entry
	add := func(e record.Entry) {
		known := slices.ContainsFunc(sample, func(o record.Entry) bool { return o.Num == e.Num })
		if e.Link != 0 && !known && len(sample) < Witnesses+more {
			sample = append(sample, e)
		}
	}
	for _, ref := range r.Drawn[side] {
		e, ok, err := r.store.Entry(ctx, r.Place(side), ref)
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
	if len(sample) == Witnesses+more {
		return sample, nil
	}
	others, err := r.store.Sample(ctx, r.Place(side), Witnesses+more)
	if err == nil && len(sample)+len(others) == 0 { // no linked record is known to be there: the missing ones have to tell
		others, err = r.missingUnexplained(ctx, side)
	}
	for _, e := range others {
		add(e)
	}
	return sample, err
}

// missingUnexplained returns some missing records of a side that no answered --again explains.
func (r *Room) missingUnexplained(ctx context.Context, side record.Side) ([]record.Entry, error) {
	missing, err := r.store.Missing(ctx, r.Place(side), 0, Witnesses+more)
	if err != nil {
		return nil, err
	}
	var out []record.Entry
	for _, e := range missing {
		explained, err := r.AgainExplains(ctx, side, e)
		if err != nil {
			return nil, err
		}
		if !explained {
			out = append(out, e)
		}
	}
	return out, nil
}

// strangerOfOld reports whether it is old news that the id of a linked record names another one: the
// link has ended. A person said so, or the linked record was known to be gone, together with its
// partner. Such a record says nothing about its system.
func (r *Room) strangerOfOld(ctx context.Context, e record.Entry) (bool, error) {
	if e.State != record.Stranger || e.Link == 0 {
		return false, nil
	}
	pair, ok, err := r.store.Pair(ctx, e.Link)
	return ok && (pair.State == record.LinkParted || pair.State == record.LinkGone), err
}

// missed stores that linked records are not there, now that the system is proven to be the one we know. Otherwise
// later runs would draw these records again, until so many are gone that the system is not recognised any more.
func (r *Room) missed(ctx context.Context, side record.Side, gone []record.Entry) error {
	for _, e := range gone {
		if err := r.NotThere(ctx, side, e, time.Now()); err != nil {
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
func (r *Room) provenLately(side record.Side) bool {
	if len(r.Options.Only) == 0 && !r.Options.Seen {
		return false
	}
	at, ok := r.Proofs.Load(r.Place(side))
	then, is := at.(time.Time)
	age := time.Since(then)
	return ok && is && age >= 0 && age < proofLasts
}

func (r *Room) noteProven(side record.Side) { r.Proofs.Store(r.Place(side), time.Now()) }

// Recognised reports whether a record is the one we know under its id. If its time of creation is known, that decides.
// Otherwise it is the one if it has a match key that it was last known by, or holds more than half of the values that
// can be compared. If none can be compared, it counts as the one we know.
func (r *Room) Recognised(side record.Side, e record.Entry, rec record.Record) bool {
	if e.Seen != nil && !e.Seen.Created.IsZero() && !rec.Created.IsZero() {
		return e.Seen.Created.UnixMilli() == rec.Created.UnixMilli() // a state keeps whole milliseconds
	}
	if r.hasKeyOf(side, e, rec) {
		return true
	}
	same, shown := 0, 0
	for p, v := range rec.Fields {
		is, told := r.stillHolds(e, p, v)
		if told {
			shown++
		}
		if is {
			same++
		}
	}
	return shown == 0 || same*2 > shown
}

// hasKeyOf reports whether a record shows one of the match keys that it was last known by.
func (r *Room) hasKeyOf(side record.Side, e record.Entry, rec record.Record) bool {
	c, _ := r.Job.Mapping.Read(side, rec.Fields)
	return slices.ContainsFunc(r.Job.Mapping.Keys(side, rec.Fields, run.ResolvedOnly(c)), func(k record.Key) bool {
		return slices.Contains(e.Keys, r.Job.SealedKey(k))
	})
}

// stillHolds reports whether a field of a record holds what it was last known to hold, a user's edit included.
// told is false where the two can't be compared: no value was known for the field, or the read shows none.
func (r *Room) stillHolds(e record.Entry, p string, v record.Value) (is, told bool) {
	kept := e.Base[p]
	edited := e.Seen != nil && e.Seen.Fields[p].Observed()
	if kept.Digested() && !edited {
		told = v.Observed() && !v.Empty()
		return told && kept.Same(r.Job.Seal, v), told
	}
	was := e.Last()[p]
	told = v.Observed() && was.Observed() && !was.Empty()
	return told && v.Equal(was), told
}
