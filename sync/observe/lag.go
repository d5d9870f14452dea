package observe

import (
	"context"
	"fmt"

	"nightporter/sync/record"
)

// LearnSettle raises the settle time of a side to the time that the side was seen to need until it shows what we
// write. It never goes below what the configuration says.
func (r *Room) LearnSettle(ctx context.Context) error {
	for _, side := range record.Sides {
		lag, err := r.store.Lag(ctx, r.Place(side), r.Now)
		if err != nil {
			return fmt.Errorf("look how late %s shows what is written: %w", r.Side(side).System, err)
		}
		was := r.Side(side).Settle
		settle := lag.Settle(was)
		if settle == was {
			continue
		}
		job := *r.Job // a copy: other runs keep the job as it is
		job.Sides[side].Settle = settle
		r.Job = &job
	}
	return nil
}
