package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"nightporter/connectors/pace"
	"nightporter/sync/record"
)

// Doubts is what the systems' answers tell of quotas and is not believed, by system.
func (a *App) Doubts() []record.QuotaDoubt {
	var all []record.QuotaDoubt
	for system, s := range a.Paces() {
		for _, d := range s.Doubts {
			is := record.QuotaDoubt{System: record.System(system), Quota: d.Quota, Until: d.Until, Next: d.Next, Belied: d.Belied}
			if is.Belied {
				is.Until = time.Time{} // another with each answer, and of no account
			}
			all = append(all, is)
		}
	}
	slices.SortFunc(all, func(x, y record.QuotaDoubt) int {
		return cmp.Or(cmp.Compare(x.System, y.System), cmp.Compare(x.Quota, y.Quota))
	})
	return all
}

// NoteDoubts writes down, and logs, which quotas are not believed now, where that is other
// than it was. One goroutine at a time calls it.
func (a *App) NoteDoubts(ctx context.Context) error {
	now := a.Doubts()
	if a.doubted == nil {
		kept, err := a.Store.Doubts(ctx)
		if err != nil {
			return fmt.Errorf("see which quotas were in doubt: %w", err)
		}
		a.doubted = append([]record.QuotaDoubt{}, kept...)
	}
	if slices.EqualFunc(now, a.doubted, sameDoubt) {
		return nil
	}
	if err := a.Store.KeepDoubts(ctx, now); err != nil {
		return fmt.Errorf("note which quotas are in doubt: %w", err)
	}
	for _, d := range now {
		if !slices.ContainsFunc(a.doubted, func(o record.QuotaDoubt) bool { return sameDoubt(o, d) }) {
			a.log.LogAttrs(ctx, slog.LevelWarn, "what answers tell of a quota is not believed", slog.String("system", string(d.System)),
				slog.Time("told_until", d.Until.UTC()), slog.Time("tried_at", d.Next.UTC()), slog.Bool("shown_wrong", d.Belied))
		}
	}
	a.doubted = append([]record.QuotaDoubt{}, now...)
	return nil
}

func sameDoubt(a, b record.QuotaDoubt) bool {
	near := func(a, b time.Time) bool { return a.Sub(b).Abs() < time.Second }
	return a.System == b.System && a.Quota == b.Quota && a.Belied == b.Belied && near(a.Until, b.Until) && near(a.Next, b.Next)
}

// Queued is the systems whose requests wait for their turn, and what their limiters say
// of it.
func (a *App) Queued() map[string]pace.Snapshot {
	all := a.Paces()
	for system, s := range all {
		if len(s.Queue) == 0 {
			delete(all, system)
		}
	}
	return all
}
