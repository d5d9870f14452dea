package entries

import (
	"context"
	"database/sql"
	"fmt"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// OfLink returns both entries of a link of the lease's binding, left first; ErrUnknown if it has no such link.
func OfLink(ctx context.Context, tx *sql.Tx, b record.Binding, link record.LinkID) (pair [2]*Row, err error) {
	rows, err := Where(ctx, tx, `e.link = ?1 AND e.binding = ?2 ORDER BY e.side`, link, b)
	if err != nil {
		return pair, err
	}
	if len(rows) != 2 {
		return pair, sqlite.Unknown("link %d of job %s", link, b)
	}
	return [2]*Row(rows), nil
}

// UpdateLinkState sets a link's state by what is open on it: an unanswered change, a question, or nothing. A link
// that is only remembered keeps its state whatever is written to its records: an undo may make one of them anew.
func UpdateLinkState(ctx context.Context, tx *sql.Tx, link record.LinkID) error {
	if link == 0 {
		return nil
	}
	return sqlite.Exec(ctx, tx, `UPDATE link SET state = CASE
		WHEN state IN `+sqlite.LinksEnded+` THEN state
		WHEN EXISTS (SELECT 1 FROM intent WHERE link = ?1 AND state IN `+sqlite.IntentsUnanswered+`) THEN `+sqlite.LinkUnsure+`
		WHEN EXISTS (SELECT 1 FROM question WHERE link = ?1 AND closed IS NULL) THEN `+sqlite.LinkConflict+`
		ELSE '' END WHERE id = ?1`, link)
}

// UnlistLink makes sure that both records are looked at when a list shows them next, even with the same bytes.
func UnlistLink(ctx context.Context, tx *sql.Tx, link record.LinkID) error {
	return sqlite.Exec(ctx, tx, `UPDATE entry SET listed = NULL WHERE link = ?1`, link)
}

// CheckLink refuses a link of another binding.
func CheckLink(ctx context.Context, tx *sql.Tx, b record.Binding, link record.LinkID) error {
	var has record.Binding
	err := tx.QueryRowContext(ctx, `SELECT binding FROM link WHERE id = ?1`, link).Scan(&has)
	if sqlite.IsNone(err) || (err == nil && has != b) {
		return sqlite.Unknown("link %d of job %s", link, b)
	}
	if err != nil {
		return fmt.Errorf("link %d: %w", link, err)
	}
	return nil
}
