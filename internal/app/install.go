package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// How far marks are looked for in the lists of a kind.
const (
	markPages = 50
	markCount = 200
)

// Installs counts, by the name of the installation, the records of all systems that
// carry the mark of one. It is how a rebuilt state learns whose marks are its own.
func (a *App) Installs(ctx context.Context) (map[string]int, error) {
	found := map[string]int{}
	for _, b := range a.Order {
		job := a.Engine.Jobs[b]
		for _, side := range record.Sides {
			if job.Sides[side].Can.Stamp.Path == "" {
				continue
			}
			s := job.Sides[side]
			q := connectors.Query{
				Kind: s.Kind, Mode: connectors.Full, Scope: scopeOn(job, side, time.Now()), Fields: job.Mapping.Paths(side),
			}
			if err := countMarks(ctx, s.Conn, q, found); err != nil {
				return nil, fmt.Errorf("look for our marks in %s of %s: %w", s.Kind, s.System, err)
			}
		}
	}
	return found, nil
}

func countMarks(ctx context.Context, conn connectors.Connector, q connectors.Query, found map[string]int) error {
	var after record.Cursor
	marks := 0
	for range markPages {
		page, err := conn.Fetch(ctx, q, after)
		if err != nil {
			return err
		}
		for _, it := range page.Items {
			rec, err := page.Read(it)
			if err != nil {
				continue // what can't be read carries no mark
			}
			if parts := strings.SplitN(rec.Stamp, ":", 3); len(parts) == 3 && parts[0] == "np" {
				found[parts[1]]++
				marks++
			}
		}
		if page.End || marks >= markCount {
			return nil
		}
		after = page.Next
	}
	return nil
}
