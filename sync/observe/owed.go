package observe

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// ReadOwed has the run read a side that it would pass over, if only a list can tell what became of a change. Until
// that is known, nothing else is done about the record of the change, and a record that the change made stays
// beside the one that took its place.
func (r *Room) ReadOwed(ctx context.Context) error {
	if r.Options.Skip == [2]bool{} || r.Options.Dry {
		return nil
	}
	intents, err := r.store.Unsettled(ctx, r.Job.Binding)
	if err != nil {
		return fmt.Errorf("read what was sent and not answered: %w", err)
	}
	for _, in := range intents {
		side := in.Place.Side
		if !r.Options.Skip[side] || !r.listTells(in) {
			continue
		}
		again, err := r.listedLongAgo(ctx, in)
		if err != nil {
			return err
		}
		r.Options.Skip[side] = !again
	}
	return nil
}

// listTells reports whether a list that is begun now may tell what became of a change, and nothing else can.
func (r *Room) listTells(in record.Intent) bool {
	side := in.Place.Side
	switch {
	case in.State != record.Sent:
		return false
	case in.Change.Op != record.Create:
		return !r.Side(side).Can.Get && !r.Young(in)
	}
	return !r.Young(in) || r.AppliesOnce(side, in)
}

// listedLongAgo reports whether it is worth reading another list for the sake of a change. It is if none was read
// since the change had time to settle. After that, each wait must be as long as the time from then to the last
// list: where lists don't tell, they are read ever more seldom.
func (r *Room) listedLongAgo(ctx context.Context, in record.Intent) (bool, error) {
	scans, err := r.store.Ended(ctx, in.Place, 1)
	if err != nil {
		return false, fmt.Errorf("look when %s was read last: %w", r.Side(in.Place.Side).System, err)
	}
	if len(scans) == 0 {
		return true, nil
	}
	waited := scans[0].Scan.Started.Sub(in.SentAt.Add(r.Side(in.Place.Side).Settle))
	return time.Since(scans[0].Scan.Started) >= waited, nil
}
