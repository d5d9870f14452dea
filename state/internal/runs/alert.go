package runs

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// AlertsOf returns the alerts about entries, oldest first.
func (s *Store) AlertsOf(ctx context.Context, nums []int64) ([]record.Alert, error) {
	scan := func(rows *sql.Rows) (a record.Alert, err error) {
		err = rows.Scan(&a.ID, &a.Binding, &a.Run, &a.Entry, &a.Kind, &a.Text, sqlite.AsTime(&a.At))
		return a, err
	}
	return sqlite.List(ctx, s.db, "read alerts", scan, `SELECT id, binding, run, entry, kind, text, at FROM alert
		WHERE entry <> 0 AND entry IN (SELECT value FROM json_each(?1)) ORDER BY at, id`, sqlite.JSON(nums))
}

// Alerted reports whether there was an alert of that kind about an entry before.
func (s *Store) Alerted(ctx context.Context, b record.Binding, entry int64, kind string) (bool, error) {
	var yes bool
	err := s.db.Reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM alert
		WHERE binding = ?1 AND entry = ?2 AND kind = ?3)`, b, entry, kind).Scan(&yes)
	return yes, s.db.Explain("read alerts", err)
}

// LastAlert returns the text of the last alert of that kind about an entry, "" if there was none.
func (s *Store) LastAlert(ctx context.Context, b record.Binding, entry int64, kind string) (string, error) {
	scan := func(rows *sql.Rows) (text string, err error) { return text, rows.Scan(&text) }
	text, _, err := sqlite.Find(ctx, s.db, "read alerts", scan, `SELECT text FROM alert
		WHERE binding = ?1 AND entry = ?2 AND kind = ?3 ORDER BY id DESC LIMIT 1`, b, entry, kind)
	return text, err
}

// Alert keeps something that a person must be told. The store gives it its ID; its binding and run are the lease's.
func (s *Store) Alert(ctx context.Context, l record.Lease, a record.Alert) error {
	return s.db.Lease(ctx, l, "keep alert", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.Exec(ctx, tx, `INSERT INTO alert (binding, run, entry, kind, text, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
			l.Binding, l.Run, a.Entry, a.Kind, a.Text, sqlite.Millis(a.At))
	})
}

// Alerts returns at most n alerts of all bindings since a moment, newest first.
func (s *Store) Alerts(ctx context.Context, since time.Time, n int) ([]record.Alert, error) {
	scan := func(rows *sql.Rows) (a record.Alert, err error) {
		err = rows.Scan(&a.ID, &a.Binding, &a.Run, &a.Entry, &a.Kind, &a.Text, sqlite.AsTime(&a.At))
		return a, err
	}
	from := int64(0)
	if !since.IsZero() {
		from = since.UnixMilli()
	}
	return sqlite.List(ctx, s.db, "read alerts", scan, `SELECT id, binding, run, entry, kind, text, at
		FROM alert WHERE at >= ?1 ORDER BY at DESC, id DESC LIMIT ?2 + 0`, from, n)
}
