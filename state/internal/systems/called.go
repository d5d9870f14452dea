package systems

import (
	"context"
	"database/sql"
	"strings"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// calledSetting begins the name of each setting that says when a system called.
const calledSetting = "called:"

// called is a record.Called as it is kept, in milliseconds.
type called struct {
	Came    int64 `json:"came,omitempty"`
	Refused int64 `json:"refused,omitempty"`
}

// NoteCalled keeps when a system called last. A zero time leaves the one that is kept.
func (s *Store) NoteCalled(ctx context.Context, c record.Called) error {
	var kept called
	if !c.Came.IsZero() {
		kept.Came = c.Came.UnixMilli()
	}
	if !c.Refused.IsZero() {
		kept.Refused = c.Refused.UnixMilli()
	}
	return s.db.AsHolder(ctx, "note who called", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.Exec(ctx, tx, `INSERT INTO setting (name, value) VALUES (?1, ?2)
			ON CONFLICT (binding, name) DO UPDATE SET value = json_patch(value, excluded.value)`, calledSetting+string(c.System), sqlite.JSON(kept))
	})
}

// Called returns when each system called last, by its name.
func (s *Store) Called(ctx context.Context) (map[record.System]record.Called, error) {
	found, err := sqlite.Collect(ctx, s.db.Reader, func(rows *sql.Rows) (c record.Called, err error) {
		var name string
		err = rows.Scan(&name, sqlite.AsTime(&c.Came), sqlite.AsTime(&c.Refused))
		c.System = record.System(strings.TrimPrefix(name, calledSetting))
		return c, err
	}, `SELECT name, value ->> '$.came', value ->> '$.refused' FROM setting WHERE binding = '' AND name LIKE ?1`, calledSetting+"%")
	out := make(map[record.System]record.Called, len(found))
	for _, c := range found {
		out[c.System] = c
	}
	return out, s.db.Explain("read who called", err)
}
