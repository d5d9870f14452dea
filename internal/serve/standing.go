package serve

import (
	"context"
	"fmt"
	"time"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
	"nightporter/sync/schedule"
)

// Standing is when a job is due and how often it failed, as the state file has it.
type Standing struct {
	Due      []Due
	Fails    int       // in a row
	NotUntil time.Time // after failures: by its cadence not before
	Asked    bool      // a run was asked for and did not come yet

	Quarantined bool // it failed so often that it is tried ever more seldom
}

// Due is when one run of a job is due: "left" or "right" read one side, "full" both
// whole.
type Due struct {
	What string
	At   time.Time
}

// StandingOf is how the jobs of a configuration stand, for who looks on while another
// process runs them. It only reads.
func StandingOf(ctx context.Context, cfg *config.Config, s *state.Store, now time.Time) (map[record.Binding]Standing, error) {
	jobs, err := jobsOf(cfg)
	if err != nil {
		return nil, err
	}
	lines, err := schedule.Stand(ctx, jobs, ledger{s.Ledger()}, now)
	if err != nil {
		return nil, fmt.Errorf("read what is due: %w", err)
	}
	out := map[record.Binding]Standing{}
	for _, l := range lines {
		b := record.Binding(l.Binding)
		x := out[b]
		x.Fails, x.NotUntil, x.Quarantined = l.Fails, l.NotUntil, l.Fails >= schedule.Quarantine
		x.Asked = x.Asked || l.Asked
		if !l.Next.IsZero() {
			x.Due = append(x.Due, Due{What: l.What.String(), At: l.Next})
		}
		out[b] = x
	}
	return out, nil
}
