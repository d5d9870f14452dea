package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"nightporter/sync/record"
)

// settleListed concludes creates by what the list of this run showed: a record
// that came after the create was sent and holds what was sent, or carries our
// reference.
func (r *run) settleListed(ctx context.Context) error {
	if !r.opt.Dry {
		if err := r.settleAllOnce(ctx); err != nil {
			return err
		}
		if err := r.settleAllListed(ctx); err != nil {
			return err
		}
	}
	return r.doubtAll(ctx)
}

func (r *run) settleAllListed(ctx context.Context) error {
	intents, err := r.Store.Unsettled(ctx, r.job.Binding)
	if err != nil {
		return err
	}
	failed := 0
	for _, in := range intents {
		if in.State == record.Sent && in.Change.Op != record.Create && !r.side(in.Place.Side).Can.Get {
			if err := r.settleUpdateByList(ctx, in); err != nil {
				return fmt.Errorf("%s %s: %w", in.Change.Op, in.ID, err)
			}
		}
		if in.State != record.Sent || in.Change.Op != record.Create || in.From == 0 {
			continue
		}
		if r.once(in.Place.Side) && !r.appliesOnce(in.Place.Side, in) {
			continue // settleAllOnce did
		}
		if err := r.readAnew(ctx, in); err != nil {
			return err
		}
		if err := r.readIllegible(ctx, in.Place.Side); err != nil {
			return err
		}
		if err := r.settleByList(ctx, in, &failed); err != nil {
			return fmt.Errorf("create %s: %w", in.ID, err)
		}
	}
	return nil
}

// settleByList concludes one create. What may be it is kept back for as long as it
// stays open: see doubtAll. failed counts records that can't be read.
func (r *run) settleByList(ctx context.Context, in record.Intent, failed *int) error {
	side := in.Place.Side
	came, known, err := r.newcomersWhole(ctx, in, failed)
	if err != nil || !known {
		return err
	}
	switch {
	case len(came.ours) == 1:
		e := came.ours[0]
		open, err := r.adoptFound(ctx, in, e.LastRecord())
		r.open[in.From] = open
		return err
	case len(came.ours) > 1:
		return r.lose(ctx, in, "several new records could be it: "+r.someOf(side, came.ours))
	case came.matched: // it ends with the link: till then the source may be given another key, and be made again
		delete(r.open, in.From)
		r.meeting[in.From] = in.ID
		return nil
	}
	if p, taken, err := r.placeTaken(ctx, in, failed); err != nil {
		return err
	} else if taken {
		return r.awaitPlace(ctx, in, p)
	}
	if hidden, err := r.mayHaveMade(ctx, in); err != nil || hidden {
		if err == nil && r.aged(in) {
			err = r.lose(ctx, in, "a new record in the system may be it, and can't be read")
		}
		return err
	}
	switch {
	case !r.begun[side].IsZero() && r.appliesOnce(side, in) && !refused(in) && !saidDone(in) && len(came.alike) == 0:
		if there, known, err := r.sourceThere(ctx, in, failed); err != nil || !known {
			return err
		} else if there {
			return r.onceMore(ctx, in)
		}
	}
	return r.giveUp(ctx, in, came, failed)
}

// giveUp concludes a create that is not sent again: by what may be it, or by lists that
// don't show it.
func (r *run) giveUp(ctx context.Context, in record.Intent, came arrivals, failed *int) error {
	side := in.Place.Side
	may, err := r.mayBe(ctx, side, came)
	switch {
	case err != nil:
		return err
	case len(may) > 0 && came.source.State == record.Suspect && r.side(side.Other()).Can.Get:
		return nil // the read that says whether it is there says whether they are matched with it
	case came.unseen && r.aged(in):
		return r.lose(ctx, in, "a new record in the system may be it, and its lists do not show it now")
	case came.unseen:
		return nil
	case len(may) > 0 && !r.young(in):
		return r.lose(ctx, in, r.someOf(side, may)+" may be it, and is not the same")
	case len(may) > 0:
		return nil
	}
	sound, belied := r.listsSince(ctx, side, in)
	if !r.scanned[side] || sound+belied < r.listsNeeded(side) {
		if read, err := r.readForUnanswered(ctx, in); err != nil || !read {
			return err
		}
		return r.settleByList(ctx, in, failed)
	}
	if open, err := r.unlisted(ctx, in, failed); err != nil || open {
		return err
	}
	why := "a complete list made after it could have arrived does not show it"
	believed := sound >= r.listsNeeded(side)
	if !believed || r.bounded(side) { // a user may have moved it to days that no list shows
		none, err := r.noneBeyondLists(ctx, in, failed)
		if err == nil && !none && believed {
			none, err = r.noneOnOtherDays(ctx, in, failed)
		}
		if err != nil {
			return err
		}
		if !none {
			return r.beliedOnly(ctx, in, came.source.Ref, sound+belied)
		}
		why = "its system was asked for it in a way that shows what its lists do not, and does not have it"
	}
	if open, err := r.unmade(ctx, in, why); err != nil || open {
		return err
	}
	delete(r.open, in.From)
	return nil
}

// readForUnanswered reads a side whole for the sake of a create without an answer, where this run has read
// what changed alone: such a list never tells that something was not made, and a booking is not to wait a
// day for those that do. It reports whether it has read. One list serves all such creates of its side, and
// no more are read than prove something.
func (r *run) readForUnanswered(ctx context.Context, in record.Intent) (bool, error) {
	side := in.Place.Side
	if r.begun[side].IsZero() || r.young(in) || r.reread[side] == 0 && r.scanned[side] || r.reread[side] >= r.listsNeeded(side) {
		return false, nil
	}
	if held, err := r.held(ctx, side); err != nil || held {
		return false, err
	}
	r.reread[side]++
	if err := r.pullWhole(ctx, side); err != nil {
		return false, fmt.Errorf("read %s of %s whole, to see what became of a create: %w", r.side(side).Kind, r.side(side).System, err)
	}
	return true, nil
}

// someOf names a few records of a side.
func (r *run) someOf(side record.Side, es []record.Entry) string {
	const most = 3
	var names []string
	for _, e := range es[:min(len(es), most)] {
		names = append(names, e.Ref.String())
	}
	text := strings.Join(names, ", ")
	if more := len(es) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + " of " + string(r.side(side).System)
}

// beliedFor is how long lists that prove nothing are waited out before a person is told:
// where some of what is there is never listed, all of them are.
const beliedFor = time.Hour

// aged reports whether a change without an answer was waited for long enough for a person to
// be told.
func (r *run) aged(in record.Intent) bool {
	return !r.young(in) && time.Since(in.SentAt) > r.side(in.Place.Side).Settle+beliedFor
}

// listedSince reports whether lists prove what they don't show of a change.
func (r *run) listedSince(ctx context.Context, side record.Side, in record.Intent) bool {
	sound, _ := r.listsSince(ctx, side, in)
	return sound >= r.listsNeeded(side)
}

// listsNeeded is how many complete lists prove that a record is not there: one of an order that
// no edit changes, or two, because one that pages by offset hides live records while somebody
// writes.
func (r *run) listsNeeded(side record.Side) int {
	if r.side(side).Can.Stable {
		return 1
	}
	return 2
}

// listsSince counts the complete lists that were begun after the system could still apply a
// change late. One that did not show a record that is there is no proof of anything: it is
// belied.
func (r *run) listsSince(ctx context.Context, side record.Side, in record.Intent) (sound, belied int) {
	scans, err := r.Store.Ended(ctx, r.place(side), 8)
	if err != nil {
		return 0, 0
	}
	for _, s := range scans {
		switch {
		case !s.Certificate.Complete || !s.Scan.Started.After(in.SentAt.Add(r.side(side).Settle)):
		case len(s.Certificate.Flaws) == 0:
			sound++
		default:
			belied++
		}
	}
	return sound, belied
}
