package runs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"nightporter/state/internal/sqlite"
)

// keptPlans is how many plans are remembered by their digest.
const keptPlans = 20

// keptPlan is a plan as it is remembered.
type keptPlan struct {
	At      int64    `json:"at"`
	Actions []string `json:"actions"`
}

// KeepPlan remembers the actions of a plan under its digest, so that just these
// can be applied later.
func (s *Store) KeepPlan(ctx context.Context, digest string, actions []string, now time.Time) error {
	return s.db.Write(ctx, "keep plan", func(ctx context.Context, tx *sql.Tx) error {
		err := sqlite.PutSetting(ctx, tx, "", "plan:"+digest, sqlite.JSON(keptPlan{At: now.UnixMilli(), Actions: actions}))
		if err != nil {
			return err
		}
		return sqlite.Exec(ctx, tx, `DELETE FROM setting WHERE name LIKE 'plan:%' AND name NOT IN (
			SELECT name FROM setting WHERE name LIKE 'plan:%' ORDER BY value ->> '$.at' DESC, name LIMIT ?1 + 0)`, keptPlans)
	})
}

// Plan returns the actions of a plan that was kept.
func (s *Store) Plan(ctx context.Context, digest string) (map[string]bool, error) {
	var text string
	err := s.db.Reader.QueryRowContext(ctx, `SELECT value FROM setting WHERE name = ?1`, "plan:"+digest).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("there is no plan %s: run `nightporter plan`, it prints the digest", digest)
	}
	if err != nil {
		return nil, s.db.Explain("read plan", err)
	}
	var kept keptPlan
	if err := sqlite.Decode(text, &kept); err != nil {
		return nil, s.db.Explain("read plan", err)
	}
	out := make(map[string]bool, len(kept.Actions))
	for _, a := range kept.Actions {
		out[a] = true
	}
	return out, nil
}
