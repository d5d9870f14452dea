package observe

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// ReadOwed has the run read a side that it would pass over where a list alone tells what
// became of a change: until then nothing else is done about its record, and what it made
// stays beside what took its place.
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

// listTells reports whether a list begun now may tell what became of a change, and nothing
// else can.
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

// listedLongAgo reports whether a list is worth another one for the sake of a change: none
// was read since it was sent, or it was waited since for as long as before. Where lists
// don't tell, they are read ever more seldom.
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
