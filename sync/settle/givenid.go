package settle

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// A create may make a record under the id of one that is gone. If no answer said so, the link of the old record
// shows what the create sent. Taken for an edit, that would be written over the partner of the old record. So a
// person is asked whether the id names another record now.

// LoadUnknown loads the creates that were sent and of which nobody knows what became.
func (r *Room) LoadUnknown(ctx context.Context) error {
	r.unknown = [2][]record.Intent{}
	open, err := r.store.Unsettled(ctx, r.Job.Binding)
	if err != nil {
		return fmt.Errorf("look which creates are open: %w", err)
	}
	lost, err := r.store.Lost(ctx, r.Job.Binding)
	if err != nil {
		return fmt.Errorf("look which creates are lost: %w", err)
	}
	for _, in := range append(open, lost...) {
		if in.Change.Op == record.Create {
			r.unknown[in.Place.Side] = append(r.unknown[in.Place.Side], in)
		}
	}
	return nil
}

// tookPlace returns the create that seems to have made the record which the id of a linked record names now; false
// if there is none.
func (r *Room) tookPlace(side record.Side, e record.Entry) (record.Intent, bool) {
	for _, in := range r.unknown[side] {
		if r.standsFor(in, e) {
			return in, true
		}
	}
	return record.Intent{}, false
}

// standsFor reports whether a linked record shows what a create sent, in a read since then, and was settled on
// something else. A record that is gone shows nothing.
func (r *Room) standsFor(in record.Intent, e record.Entry) bool {
	if e.State == record.Gone || e.Link == 0 || e.Link == in.Link || e.Seen == nil || e.Base == nil || e.Seen.At.Before(in.SentAt) {
		return false
	}
	sent, now := in.Change.Fields, e.Last()
	known, others := 0, 0
	for p, v := range sent {
		if was := e.Base[p]; was.Known() && v.Observed() {
			known++
			if !was.Same(r.Job.Seal, v) {
				others++
			}
		}
	}
	marked := in.Change.Stamp != "" && e.Seen.Stamp == in.Change.Stamp
	return others > 0 && (marked || r.match.HoldsSent(in.Place.Side, sent, now)) || others*2 > known && r.match.Mostly(in.Place.Side, sent, now)
}

// placeTaken returns a link with a record that seems to be what a create made. The create is neither sent again
// nor given up before a person has said what that record is. failed counts records that can't be read.
func (r *Room) placeTaken(ctx context.Context, in record.Intent, failed *int) (p record.Pair, taken bool, err error) {
	for after := record.LinkID(0); ; {
		pairs, err := r.store.Dirty(ctx, r.Job.Binding, after, run.PairsAtOnce)
		if err != nil {
			return p, false, fmt.Errorf("look whether a linked record is what was made: %w", err)
		}
		if len(pairs) == 0 {
			break
		}
		for _, p := range pairs {
			after = p.Link
			if r.standsFor(in, p.Sides[in.Place.Side]) {
				return p, true, nil
			}
		}
	}
	strange, err := r.store.Strange(ctx, r.Place(in.Place.Side))
	if err != nil {
		return p, false, err
	}
	for _, p := range strange {
		stands, err := r.strangerStands(ctx, in, p.Sides[in.Place.Side])
		if stop := r.observe.PassOver(in.Place.Side, err, failed); stop != nil {
			return p, false, stop
		}
		if err != nil { // a record that can't be read now may be it
			r.NoteUnread(in.Place.Side, p.Sides[in.Place.Side].Ref, err)
			stands = true
		}
		if stands {
			return p, true, nil
		}
	}
	return p, false, nil
}

// strangerStands is standsFor for an entry with an id that names another record by now: what that other record
// shows is not kept, so it is read by id. On a side that has no reads by id it may be what the create made.
func (r *Room) strangerStands(ctx context.Context, in record.Intent, e record.Entry) (bool, error) {
	if r.standsFor(in, e) {
		return true, nil
	}
	if !r.CanRead(in.Place.Side) {
		return e.Seen == nil || e.Seen.At.Before(in.SentAt), nil
	}
	at := time.Now()
	rec, found, err := r.shown(ctx, in.Place.Side, e.Ref, in.SentAt)
	return found && err == nil && r.standsFor(in, asFound(e, rec, at)), err
}

// awaitPlace keeps a create open as long as a person is asked about the record that it may have made. If the link
// with that record is over, and the create was waited for long enough, the person is asked what became of the
// create.
func (r *Room) awaitPlace(ctx context.Context, in record.Intent, p record.Pair) error {
	if p.State.Ended() && p.State != record.LinkBroken && r.Aged(in) {
		return r.Lose(ctx, in, fmt.Sprintf("%s could be it, but it is linked to another record already", p.Sides[in.Place.Side].Ref))
	}
	return nil
}

// asFound returns an entry as it is with what a look-up showed of its record.
func asFound(e record.Entry, rec record.Record, at time.Time) record.Entry {
	e.Seen = &record.Observation{Fields: rec.Fields, Stamp: rec.Stamp, At: at}
	if e.State == record.Gone {
		e.State = record.InStep // it was found
	}
	return e
}

// EndUnmade ends the creates that seemed to have made a record of this link: a person said that it is the record
// that was linked, so they made nothing.
func (r *Room) EndUnmade(ctx context.Context, p record.Pair) error {
	for _, side := range record.Sides {
		in, is := r.tookPlace(side, p.Sides[side])
		if !is {
			continue
		}
		r.unknown[side] = slices.DeleteFunc(r.unknown[side], func(u record.Intent) bool { return u.ID == in.ID })
		if err := r.Drop(ctx, in, fmt.Sprintf("a person said that %s is the record that was linked", p.Sides[side].Ref)); err != nil {
			return err
		}
		delete(r.observe.OtherNow, p.Sides[side].Num)
	}
	return nil
}
