package observe

import (
	"context"
	"fmt"

	"nightporter/sync/record"
)

// LearnSettle gives each side the time that it was seen to need until it shows what we
// write, where that is more than the configuration says.
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
		job := *r.Job // that of other runs stays as it is
		job.Sides[side].Settle = settle
		r.Job = &job
	}
	return nil
}
