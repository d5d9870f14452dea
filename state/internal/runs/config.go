package runs

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// NoteConfig keeps the configuration that decides runs from now on. It adds one only if it is not the same
// as the one before.
func (s *Store) NoteConfig(ctx context.Context, v record.ConfigVersion, now time.Time) error {
	v.Digest = record.DigestOf("config", []byte(v.Text)).String()[:12]
	var last string
	err := s.db.Reader.QueryRowContext(ctx, `SELECT digest FROM config ORDER BY id DESC LIMIT 1`).Scan(&last)
	if err != nil && !sqlite.IsNone(err) || last == v.Digest {
		return s.db.Explain("read configuration", err)
	}
	return s.db.Write(ctx, "note configuration", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.Exec(ctx, tx, `INSERT INTO config (at, who, file, digest, text) VALUES (?1, ?2, ?3, ?4, ?5)`,
			now.UnixMilli(), v.Who, v.File, v.Digest, v.Text)
	})
}

// Configs returns all configurations that runs were decided by, oldest first.
func (s *Store) Configs(ctx context.Context) ([]record.ConfigVersion, error) {
	return sqlite.List(ctx, s.db, "read configurations", func(rows *sql.Rows) (v record.ConfigVersion, err error) {
		err = rows.Scan(&v.ID, sqlite.AsTime(&v.At), &v.Who, &v.File, &v.Digest, &v.Text)
		return v, err
	}, `SELECT id, at, who, file, digest, text FROM config ORDER BY id`)
}
