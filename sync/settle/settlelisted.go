package settle

import (
	"context"
	"fmt"
	"strings"

	"nightporter/sync/match"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// SettleListed concludes creates by what the list of this run showed: a record that came after the create was sent
// and holds what was sent, or bears our mark.
func (r *Room) SettleListed(ctx context.Context) error {
	if !r.Options.Dry {
		if err := r.settleAllOnce(ctx); err != nil {
			return err
		}
		if err := r.settleAllListed(ctx); err != nil {
			return err
		}
	}
	return r.match.DoubtAll(ctx)
}

func (r *Room) settleAllListed(ctx context.Context) error {
	intents, err := r.store.Unsettled(ctx, r.Job.Binding)
	if err != nil {
		return err
	}
	failed := 0
	for _, in := range intents {
		if in.State == record.Sent && in.Change.Op != record.Create && !r.Side(in.Place.Side).Can.Get {
			if err := r.settleUpdateByList(ctx, in); err != nil {
				return fmt.Errorf("%s %s: %w", in.Change.Op, in.ID, err)
			}
		}
		if in.State != record.Sent || in.Change.Op != record.Create || in.From == 0 {
			continue
		}
		if r.Once(in.Place.Side) && !r.AppliesOnce(in.Place.Side, in) {
			continue // settleAllOnce has done this one
		}
		if err := r.proof.ReadAnew(ctx, in); err != nil {
			return err
		}
		if err := r.proof.ReadIllegible(ctx, in.Place.Side); err != nil {
			return err
		}
		if err := r.settleByList(ctx, in, &failed); err != nil {
			return fmt.Errorf("create %s: %w", in.ID, err)
		}
	}
	return nil
}

// settleByList concludes one create by what lists show. As long as it stays open, the records that it may have
// made are kept back: see match.DoubtAll. failed counts records that can't be read.
func (r *Room) settleByList(ctx context.Context, in record.Intent, failed *int) error {
	came, known, err := r.match.NewcomersWhole(ctx, in, failed)
	if err != nil || !known {
		return err
	}
	switch {
	case len(came.Ours) == 1:
		open, err := r.adoptFound(ctx, in, came.Ours[0].LastRecord())
		r.match.Open[in.From] = open
		return err
	case len(came.Ours) > 1:
		return r.Lose(ctx, in, "several new records could be it: "+r.someOf(in.Place.Side, came.Ours))
	case came.Matched: // the create ends with the link: before that the source may get another key, and be made again
		delete(r.match.Open, in.From)
		r.match.Meeting[in.From] = in.ID
		return nil
	}
	if p, taken, err := r.placeTaken(ctx, in, failed); err != nil {
		return err
	} else if taken {
		return r.awaitPlace(ctx, in, p)
	}
	if hidden, err := r.proof.MayHaveMade(ctx, in); err != nil {
		return err
	} else if hidden && r.Aged(in) {
		return r.Lose(ctx, in, "a new record in the system may be it, and can't be read")
	} else if hidden {
		return nil
	}
	if !r.mayGoOnceMore(in, came) {
		return r.giveUp(ctx, in, came, failed)
	}
	there, known, err := r.proof.SourceThere(ctx, in, failed)
	switch {
	case err != nil || !known:
		return err
	case there:
		return r.onceMore(ctx, in)
	}
	return r.giveUp(ctx, in, came, failed)
}

// mayGoOnceMore reports whether a create may be sent once more: its system applies it only once, however often it
// is sent, and has not answered it with a no or as done; a list was read in this run, and no record that came may
// be what it made.
func (r *Room) mayGoOnceMore(in record.Intent, came match.Arrivals) bool {
	side := in.Place.Side
	return !r.observe.Begun[side].IsZero() && r.AppliesOnce(side, in) && !refused(in) && !run.SaidDone(in) && len(came.Alike) == 0
}

// giveUp concludes a create that is not sent again: by records that may be what it made, or by lists that don't
// show it.
func (r *Room) giveUp(ctx context.Context, in record.Intent, came match.Arrivals, failed *int) error {
	side := in.Place.Side
	may, err := r.match.MayBe(ctx, side, came)
	if err != nil {
		return err
	}
	if len(may) > 0 || came.Unseen {
		return r.mayHaveCome(ctx, in, came, may)
	}
	sound, belied := r.listsSince(ctx, side, in)
	if !r.trust.Scanned[side] || sound+belied < r.ListsNeeded(side) {
		if read, err := r.readForUnanswered(ctx, in); err != nil || !read {
			return err
		}
		return r.settleByList(ctx, in, failed)
	}
	if open, err := r.proof.Unlisted(ctx, in, failed); err != nil || open {
		return err
	}
	why, err := r.provenUnmade(ctx, in, failed, sound >= r.ListsNeeded(side))
	if err != nil {
		return err
	}
	if why == "" {
		return r.proof.BeliedOnly(ctx, in, came.Source.Ref, sound+belied)
	}
	if open, err := r.unmade(ctx, in, why); err != nil || open {
		return err
	}
	delete(r.match.Open, in.From)
	return nil
}

// mayHaveCome keeps a create open that may have made one of these records, or a record that no list shows now.
// Once the create was waited for long enough, a person is asked.
func (r *Room) mayHaveCome(ctx context.Context, in record.Intent, came match.Arrivals, may []record.Entry) error {
	side := in.Place.Side
	switch {
	case len(may) > 0 && came.Source.State == record.Suspect && r.Side(side.Other()).Can.Get:
		return nil // the read that tells whether the source is there tells whether they are matched
	case came.Unseen && r.Aged(in):
		return r.Lose(ctx, in, "a new record in the system may be it, and its lists do not show it now")
	case !came.Unseen && !r.Young(in):
		return r.Lose(ctx, in, r.someOf(side, may)+" may be it, and is not the same")
	}
	return nil
}

// provenUnmade says what proves that a create made nothing, not even a record that lists don't show; "" if nothing
// proves it. believed says that enough of the lists are sound.
func (r *Room) provenUnmade(ctx context.Context, in record.Intent, failed *int, believed bool) (string, error) {
	if believed && !r.Bounded(in.Place.Side) {
		return "a complete list made after it could have arrived does not show it", nil
	}
	none, err := r.observe.NoneBeyondLists(ctx, in, failed) // a user may have moved it to days that no list shows
	if err == nil && !none && believed {
		none, err = r.proof.NoneOnOtherDays(ctx, in, failed)
	}
	if err != nil || !none {
		return "", err
	}
	return "its system was asked for it in a way that shows what its lists do not, and does not have it", nil
}

// readForUnanswered reads a side whole for the sake of a create without an answer, if this run has read only what
// changed there. A list of changes never tells that something was not made, and a booking is not to wait a day for
// a whole list. One list serves all such creates of its side, and no more lists are read than prove something. It
// reports whether it has read one.
func (r *Room) readForUnanswered(ctx context.Context, in record.Intent) (bool, error) {
	side := in.Place.Side
	if r.observe.Begun[side].IsZero() || r.Young(in) || r.reread[side] == 0 && r.trust.Scanned[side] || r.reread[side] >= r.ListsNeeded(side) {
		return false, nil
	}
	if held, err := r.trust.Held(ctx, side); err != nil || held {
		return false, err
	}
	r.reread[side]++
	if err := r.observe.PullWhole(ctx, side); err != nil {
		return false, fmt.Errorf("read %s of %s whole, to see what became of a create: %w", r.Side(side).Kind, r.Side(side).System, err)
	}
	return true, nil
}

// someOf names a few records of a side.
func (r *Room) someOf(side record.Side, es []record.Entry) string {
	const most = 3
	var names []string
	for _, e := range es[:min(len(es), most)] {
		names = append(names, e.Ref.String())
	}
	text := strings.Join(names, ", ")
	if more := len(es) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + " of " + string(r.Side(side).System)
}

// listedSince reports whether enough sound lists were begun since a change to prove what they don't show of it.
func (r *Room) listedSince(ctx context.Context, side record.Side, in record.Intent) bool {
	sound, _ := r.listsSince(ctx, side, in)
	return sound >= r.ListsNeeded(side)
}

// listsSince counts the complete lists that were begun when the system could no longer apply a change late. A list
// that did not show a record which is there proves nothing: it is belied. Any other list is sound.
func (r *Room) listsSince(ctx context.Context, side record.Side, in record.Intent) (sound, belied int) {
	scans, err := r.store.Ended(ctx, r.Place(side), 8)
	if err != nil {
		return 0, 0
	}
	for _, s := range scans {
		switch {
		case !s.Certificate.Complete || !s.Scan.Started.After(in.SentAt.Add(r.Side(side).Settle)):
		case len(s.Certificate.Flaws) == 0:
			sound++
		default:
			belied++
		}
	}
	return sound, belied
}
