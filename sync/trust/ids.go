package trust

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Links go by ids. If the configuration makes the ids of a kind of something else, such as another column of its
// table, the same id may name another record: the two records of each link would be written over with values of
// strangers. So what the ids of each side are made of is kept.

// idsTrait is the name of the trait that keeps what the ids of a side are made of.
const idsTrait = "ids"

// SameIDs makes sure, before any list is read, that the ids of each side are the ones that the links were made with.
// It returns run.ErrHalted if they may not be.
func (r *Room) SameIDs(ctx context.Context) error {
	for _, side := range record.Sides {
		if err := r.sameIDsOn(ctx, side); err != nil {
			return err
		}
	}
	return r.StoppedBy()
}

func (r *Room) sameIDsOn(ctx context.Context, side record.Side) error {
	now := r.Side(side).Can.IDs
	if now.Of == "" {
		return nil
	}
	was, err := r.knownIDs(ctx, side)
	if err != nil || was == now {
		return err
	}
	if was.Of != "" {
		if may, err := r.mayTakeIDs(ctx, side, was, now); err != nil || !may {
			return err
		}
	}
	if r.Options.Dry {
		return nil
	}
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	return r.store.Witness(ctx, r.Lease, side, idsTrait, string(text), time.Now())
}

func (r *Room) knownIDs(ctx context.Context, side record.Side) (ids connectors.IDs, err error) {
	known, err := r.store.Witnessed(ctx, r.Place(side))
	if err != nil || known[idsTrait].Value == "" {
		return ids, err
	}
	if err := known[idsTrait].Read(&ids); err != nil {
		return ids, fmt.Errorf("read what the ids of %s of %s were made of: %w", r.Side(side).Kind, r.Side(side).System, err)
	}
	return ids, nil
}

// mayTakeIDs reports whether the links may go by the ids as they are made now. If no record is linked, they may. If
// the records are only looked up elsewhere, as in a renamed table, they may once a sample of them is there as it was;
// else a person is asked. If the ids are made of something else, a person is asked first, and the sample must agree
// with them: two numberings of the same rows overlap.
func (r *Room) mayTakeIDs(ctx context.Context, side record.Side, was, now connectors.IDs) (bool, error) {
	if links, err := r.store.LinkCount(ctx, r.Job.Binding); err != nil || links == 0 {
		return err == nil, err
	}
	h, said := r.AnsweredHalt(record.HaltIDs, side)
	said = said && h.Rests.IsOn(now.Of, now.In)
	elsewhere := was.Of == now.Of
	switch {
	case elsewhere && said:
		return true, nil
	case !elsewhere && !said:
		r.standIDs(side, now, fmt.Sprintf("an id of %s of %s is now made of %s, and the links were made with %s: the same id may be another record",
			r.Side(side).Kind, r.Side(side).System, now.Of, was.Of))
		return false, nil
	case r.Options.Skip[side]: // it can't be read now, and nothing is decided by it
		return false, nil
	}
	same, asked, err := r.asTheyWere(ctx, side)
	switch {
	case err != nil:
		return false, err
	case asked > 0 && same*100 >= asked*mostPercent, asked == 0 && said:
		return true, nil
	case elsewhere:
		r.standIDs(side, now, fmt.Sprintf("%s of %s are now looked up in %s, and the links were made with %s: %d of %d linked records are there as they were",
			r.Side(side).Kind, r.Side(side).System, now.In, was.In, same, asked))
		return false, nil
	}
	r.refuseIDs(side, was, now, same, asked)
	return false, nil
}

// asTheyWere reads some linked records by id. same is how many of them hold all that they were last known to hold,
// asked how many the side gave an answer about. A record that is out of its window or filter tells nothing.
func (r *Room) asTheyWere(ctx context.Context, side record.Side) (same, asked int, err error) {
	get, ok := r.Side(side).Conn.(connectors.Getter)
	if !ok || !r.Side(side).Can.Get {
		return 0, 0, nil
	}
	sample, err := r.store.Sample(ctx, r.Place(side), approvers)
	if err != nil {
		return 0, 0, err
	}
	for _, e := range sample {
		rec, err := r.Get(ctx, side, get, e.Ref)
		r.Count(side.String()+".canaries", 1)
		switch class := connectors.ClassOf(err); {
		case err == nil && r.unchanged(e, rec):
			same++
			asked++
		case err == nil, class == connectors.NotFound, class == connectors.Moved:
			asked++
		case class == connectors.OutOfScope:
		default:
			return same, asked, fmt.Errorf("look whether the ids of %s name the same records: %w", r.Side(side).System, err)
		}
	}
	return same, asked, nil
}

// unchanged reports whether a record holds all that it was last known to hold. It is false if nothing can be
// compared. Recognised is not enough where ids changed: two bookings of the same nights agree in half of what they show.
func (r *Room) unchanged(e record.Entry, rec record.Record) bool {
	shown := 0
	for p, v := range rec.Fields {
		is, told := r.stillHolds(e, p, v)
		if told && !is {
			return false
		}
		if told {
			shown++
		}
	}
	return shown > 0
}

// standIDs asks a person whether the ids name the same records.
func (r *Room) standIDs(side record.Side, now connectors.IDs, why string) {
	r.Stand(record.Question{Cause: record.HaltIDs, Subject: record.Subject{Side: side}, Next: r.LookAgainCommand(), Rests: record.RestsOn(now.Of, now.In), Why: fmt.Sprintf(
		"%s. Nothing was read or written. Put the configuration back as it was and look again (%s); if each id names the same record as before, say so: %s; "+
			"otherwise give the job a new name, and its records are matched anew", why, r.LookAgainCommand(), r.LetGoCommand())})
}

// refuseIDs does not take a person's word that the ids name the same records. The answer is used up.
func (r *Room) refuseIDs(side record.Side, was, now connectors.IDs, same, asked int) {
	r.Stand(record.Question{Cause: record.HaltIDs, Subject: record.Subject{Side: side}, Next: r.LookAgainCommand(), Rests: record.RestsOn(now.Of, now.In, "refused"), Why: fmt.Sprintf(
		"an id of %s of %s is now made of %s, the links were made with %s, and only %d of %d linked records are there as they were: the ids name other records. "+
			"Nothing was written. Put the configuration back as it was and look again (%s), or give the job a new name, and its records are matched anew",
		r.Side(side).Kind, r.Side(side).System, now.Of, was.Of, same, asked, r.LookAgainCommand())})
}
