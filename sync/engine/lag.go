package engine

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// learnSettle gives each side the time that it was seen to need until it shows what we
// write, where that is more than the configuration says.
func (r *run) learnSettle(ctx context.Context) error {
	for _, side := range record.Sides {
		lag, err := r.Store.Lag(ctx, r.place(side), r.now)
		if err != nil {
			return fmt.Errorf("look how late %s shows what is written: %w", r.side(side).System, err)
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

// keyLife is how long a system is trusted to remember an idempotency key: after an
// outage that lasted longer, what it made is looked for as everywhere else.
const keyLife = 12 * time.Hour

// keyHolds reports whether the key of a create may still be known: it was first sent
// when the create was made, however often since.
func (r *run) keyHolds(in record.Intent) bool {
	age := time.Since(in.Made)
	return age >= 0 && age < keyLife
}
