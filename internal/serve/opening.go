package serve

import (
	"context"
	"slices"
	"time"

	"nightporter/internal/config"
	"nightporter/sync/record"
	"nightporter/sync/schedule"
)

// openHours has the jobs run for which sending may go on since it was looked last: hours
// have begun, the hour is over in which as much was sent as is allowed, or the file of those who
// are never written to is another. A configuration
// that has just come into force was never looked at: its hours may be others than those in
// which something was kept back.
func (d *Daemon) openHours(ctx context.Context, now time.Time) error {
	h, leave := d.enter()
	defer leave()
	for _, b := range h.Order {
		h.lookAtLists(b, now)
		if err := d.opened(ctx, h, b, h.opened, now); err != nil {
			return err
		}
	}
	h.opened = now
	return nil
}

// opened has a job run if something that a side of it kept back may go since then. What it
// waits on may be hours old, and is read anew before a message goes to somebody: the run
// reads the side that it comes from.
func (d *Daemon) opened(ctx context.Context, h *house, b record.Binding, since, now time.Time) error {
	j, ok := h.Config.Job(string(b))
	if !ok || j.Left.Send == nil && j.Right.Send == nil {
		return nil
	}
	var kept []record.KeptBack
	for _, side := range record.Sides {
		s := [2]*config.Send{j.Left.Send, j.Right.Send}[side]
		if s == nil {
			continue
		}
		unbarred := s.Never != nil && s.Never.File != "" && h.nevers.since(s.Never.File, since)
		if s.AnHour == 0 && !s.Shut.Ended(since, now) && !unbarred {
			continue
		}
		if kept == nil {
			var err error
			if kept, err = d.store.KeptBack(ctx, b); err != nil {
				return err
			}
		}
		goes := func(k record.KeptBack) bool { return k.Place.Side == side && mayGo(s, k, unbarred, since, now) }
		if !slices.ContainsFunc(kept, goes) {
			continue
		}
		reads := [2]schedule.What{schedule.Right, schedule.Left}[side]
		if _, err := d.runner.Request(ctx, string(b), reads); err != nil {
			return err
		}
	}
	return nil
}

// lookAtLists looks at the files of those whom a job never writes to.
func (h *house) lookAtLists(b record.Binding, now time.Time) {
	j, ok := h.Config.Job(string(b))
	if !ok {
		return
	}
	for _, s := range []*config.Send{j.Left.Send, j.Right.Send} {
		if s != nil && s.Never != nil && s.Never.File != "" {
			h.nevers.look(s.Never.File, now)
		}
	}
}

// mayGo reports whether the rule that keeps a change back may have let go of it since then;
// unbarred is whether the list of those who are never written to is another.
func mayGo(s *config.Send, k record.KeptBack, unbarred bool, since, now time.Time) bool {
	switch k.Rule {
	case record.HoldHours:
		return s.Shut.Ended(since, now)
	case record.HoldRate:
		return k.Until.After(since) && !k.Until.After(now)
	default:
		return unbarred
	}
}
