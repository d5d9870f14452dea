package serve

import (
	"context"
	"slices"
	"time"

	"nightporter/internal/config"
	"nightporter/sync/record"
	"nightporter/sync/schedule"
)

// openHours has the jobs run for which hours of sending have begun since it was looked
// last. A configuration that has just come into force was never looked at: its hours may be
// others than those in which something was kept back.
func (d *Daemon) openHours(ctx context.Context, now time.Time) error {
	h, leave := d.enter()
	defer leave()
	for _, b := range h.Order {
		if err := d.opened(ctx, h, b, h.opened, now); err != nil {
			return err
		}
	}
	h.opened = now
	return nil
}

// opened has a job run if hours in which a side of it is sent to have begun since then, and
// something waited for them. What it waits on may be hours old, and is read anew before a
// message goes to somebody: the run reads the side that it comes from.
func (d *Daemon) opened(ctx context.Context, h *house, b record.Binding, since, now time.Time) error {
	j, ok := h.Config.Job(string(b))
	if !ok {
		return nil
	}
	for _, side := range record.Sides {
		s := [2]*config.Send{j.Left.Send, j.Right.Send}[side]
		if s == nil || !s.Shut.Ended(since, now) {
			continue
		}
		kept, err := d.store.KeptBack(ctx, b)
		if err != nil {
			return err
		}
		waits := func(k record.KeptBack) bool { return k.Place.Side == side && k.Rule == record.HoldHours }
		if !slices.ContainsFunc(kept, waits) {
			continue
		}
		reads := [2]schedule.What{schedule.Right, schedule.Left}[side]
		if _, err := d.runner.Request(ctx, string(b), reads); err != nil {
			return err
		}
	}
	return nil
}
