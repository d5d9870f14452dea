package engine

import (
	"context"
	"fmt"

	"nightporter/sync/record"
)

// learnSettle gives each side the time that it was seen to need until it lists what we
// create, where that is more than the configuration says.
func (r *run) learnSettle(ctx context.Context) error {
	for _, side := range record.Sides {
		lag, err := r.Store.Lag(ctx, r.place(side), r.now)
		if err != nil {
			return fmt.Errorf("look how late %s lists what is created: %w", r.side(side).System, err)
		}
		was := r.side(side).Settle
		settle := lag.Settle(was)
		if settle == was {
			continue
		}
		job := *r.job // that of other runs stays as it is
		job.Sides[side].Settle = settle
		r.job = &job
	}
	return nil
}
