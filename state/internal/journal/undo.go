package journal

import (
	"context"
	"database/sql"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

func scanJournaled(rows *sql.Rows) (record.Journaled, error) {
	c, err := scanChange(rows)
	return record.Journaled{Intent: c.Intent, Receipt: c.Receipt}, err
}

// MadeIn returns the changes of a run of a binding, oldest first.
func (s *Store) MadeIn(ctx context.Context, b record.Binding, run int64) ([]record.Journaled, error) {
	return sqlite.List(ctx, s.db, "read changes of a run", scanJournaled, `SELECT `+Columns+` FROM intent i
		WHERE i.run = ?1 AND i.binding = ?2 ORDER BY i.made, i.id`, run, b)
}

// MadeSince returns the changes to one side of a link that were settled by runs later than this one, oldest first.
func (s *Store) MadeSince(ctx context.Context, link record.LinkID, side record.Side, run int64) ([]record.Journaled, error) {
	return sqlite.List(ctx, s.db, "read later changes", scanJournaled, `SELECT `+Columns+` FROM intent i
		WHERE i.link = ?1 AND i.side = ?2 AND i.run > ?3 AND i.state = `+sqlite.IntentSettled+` ORDER BY i.made, i.id`, link, side, run)
}

// LastRunOn returns the last run with a settled change to a record, or to the record that it is linked to; 0 if
// there is none. A run that undid another one does not count.
func (s *Store) LastRunOn(ctx context.Context, p record.Place, ref record.Ref) (int64, error) {
	var run sql.NullInt64
	err := s.db.Reader.QueryRowContext(ctx, `SELECT max(i.run) FROM intent i WHERE i.state = `+sqlite.IntentSettled+` AND i.binding = ?1
		AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = i.run AND r.undoes <> 0) AND (
		(i.side = ?2 AND i.kind = ?3 AND i.ref = ?4)
		OR i.link IN (SELECT link FROM entry WHERE binding = ?1 AND side = ?2 AND id = ?4 AND kind = ?3))`,
		p.Binding, p.Side, ref.Kind, ref.ID).Scan(&run)
	return run.Int64, s.db.Explain("read the last run on a record", err)
}
