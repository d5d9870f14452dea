package journal

import (
	"context"
	"database/sql"
	"fmt"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// A person may take an answer back while a run is about to do what it says. Both are transactions of the store:
// whichever is first wins. If the answer is taken back first, the change is not opened. If the change is opened
// first, the answer can't be taken back any more.

// saidStands returns record.ErrWordGone if one of these answers does not stand any more as it was given.
func saidStands(ctx context.Context, tx *sql.Tx, said []record.Word) error {
	for _, w := range said {
		var stands bool
		err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM question WHERE id = ?1 AND choice = ?2 AND chosen IS ?3)`,
			w.Question, w.Choice, sqlite.Millis(w.Chosen)).Scan(&stands)
		if err != nil {
			return err
		}
		if !stands {
			return fmt.Errorf("question %d: %w", w.Question, record.ErrWordGone)
		}
	}
	return nil
}
