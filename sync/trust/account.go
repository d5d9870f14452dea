package trust

import (
	"context"
	"fmt"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// accountTrait is the name of the trait that keeps which account a side has.
const accountTrait = "account"

// Once a person says that another account is the right one, it is accepted if at least mostPercent percent
// of the linked records that are read are there as we know them. At most approvers records are read.
const (
	approvers   = 20
	mostPercent = 80
)

// SameAccount makes sure, before anything is read, that each side's account or database is the one the
// links were made with. The key may change every day: what counts is the account that it belongs to. It
// returns run.ErrHalted if another account answers that may not take its place.
func (r *Room) SameAccount(ctx context.Context) error {
	for _, side := range record.Sides {
		if err := r.sameAccountOn(ctx, side); err != nil {
			return err
		}
	}
	return r.StoppedBy()
}

func (r *Room) sameAccountOn(ctx context.Context, side record.Side) error {
	s := r.Side(side)
	if s.Account == nil || r.Options.Skip[side] || r.provenLately(side) {
		return nil
	}
	now, err := s.Account(ctx)
	if class := connectors.ClassOf(err); class == connectors.Unauthorized {
		return fmt.Errorf("ask %s which account it is: %w", s.System, err)
	} else if err != nil { // the system can't be read either then; nothing is written before it has named its account
		r.unnamed[side] = err
		return nil //nolint:nilerr // it is kept
	}
	if now == "" {
		return nil
	}
	known, err := r.store.Witnessed(ctx, r.Place(side))
	if err != nil {
		return err
	}
	was := known[accountTrait].Value
	if was == now {
		return nil
	}
	if was != "" {
		ok, err := r.approved(ctx, side, was, now)
		if err != nil || !ok {
			return err
		}
	}
	if r.Options.Dry {
		return nil
	}
	return r.store.Witness(ctx, r.Lease, side, accountTrait, now, time.Now())
}

// approved reports whether another account may take the place of the one that the links were made with:
// a person said so, and enough linked records are there. Otherwise it adds a halt.
func (r *Room) approved(ctx context.Context, side record.Side, was, now string) (bool, error) {
	rests := record.RestsOn(now)
	h, said := r.AnsweredHalt(record.HaltAccount, side)
	text := fmt.Sprintf("%s answers as %s, and the links were made with %s: put the right key or address back and look again; "+
		"if it is the same house under another name, say so: %s", r.Side(side).System, now, was, r.LetGoCommand())
	if said && h.Rests.IsOn(now) {
		known, asked, err := r.recogniseSome(ctx, side)
		if err != nil {
			return false, err
		}
		if known*100 >= asked*mostPercent {
			return true, nil
		}
		text = fmt.Sprintf("%s answers as %s, the links were made with %s, and only %d of %d linked records are there as we know them: "+
			"it is another house; put the right key or address back, or give the job a new name to match its records anew",
			r.Side(side).System, now, was, known, asked)
		rests = record.RestsOn(now, "refused") // the answer is used up
	}
	r.Stand(record.Question{Cause: record.HaltAccount, Subject: record.Subject{Side: side}, Why: text, Next: r.LookAgainCommand(), Rests: rests})
	return false, nil
}

// recogniseSome reads some linked records by id. known is how many of them are the ones we know, asked
// how many were drawn. Both are 0 where the side has no reads by id.
func (r *Room) recogniseSome(ctx context.Context, side record.Side) (known, asked int, err error) {
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
		case err == nil && r.Recognised(side, e, rec), class == connectors.OutOfScope:
			known++
		case err == nil, class == connectors.NotFound, class == connectors.Moved:
		default:
			return known, len(sample), fmt.Errorf("look whether %s has the linked records: %w", r.Side(side).System, err)
		}
	}
	return known, len(sample), nil
}

// Sure proves both systems before anything is decided for good, because what one side shows is written to the
// other. A side needs no proof if its list has shown the records that we know and its account is not in doubt.
func (r *Room) Sure(ctx context.Context) error {
	for _, side := range record.Sides {
		if r.ShownBy[side] && r.unnamed[side] == nil {
			continue
		}
		if err := r.Prove(ctx, side); err != nil {
			return err
		}
	}
	return nil
}
