package main

import (
	"context"
	"time"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
)

// lagJSON is how late a system shows what was written there, and how long it is given to
// show what it was asked for.
type lagJSON struct {
	System   record.System `json:"system"`
	Measured int           `json:"measured"`
	Most     string        `json:"listed_after"`
	Settle   string        `json:"settle"`
	raised   bool          // above what is configured
}

func lagsOf(ctx context.Context, cfg *config.Config, s *state.Store, b record.Binding, now time.Time) ([]lagJSON, error) {
	var out []lagJSON
	for side, name := range systemsOf(cfg, b) {
		lag, err := s.Lag(ctx, record.Place{Binding: b, Side: record.Side(side)}, now)
		if err != nil {
			return nil, err
		}
		sys, ok := cfg.System(string(name))
		if !ok || lag.Measured == 0 {
			continue
		}
		settle := lag.Settle(sys.Settle)
		out = append(out, lagJSON{
			System: name, Measured: lag.Measured, Most: lag.Most.Round(time.Millisecond).String(), Settle: settle.String(), raised: settle > sys.Settle,
		})
	}
	return out, nil
}

func (c *cli) printLags(lags []lagJSON) {
	for _, l := range lags {
		text := "as configured"
		if l.raised {
			text = "raised to three times that"
		}
		show(c.out, "  %s shows what is written there after %s at most (%d measured); settle: %s, %s\n", l.System, l.Most, l.Measured, l.Settle, text)
	}
}
