package state

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// versionTable is where goose notes which migrations were run.
const versionTable = "schema_version"

// migrate brings the schema up to date. The mark that says the file is ours is
// written first, so that a file left half made by a kill is recognised.
func (s *Store) migrate(ctx context.Context) error {
	mark := fmt.Sprintf(`PRAGMA application_id = %d`, applicationID)
	if _, err := s.writer.ExecContext(ctx, mark); err != nil {
		return fmt.Errorf("mark file: %w", err)
	}
	dir, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, s.writer, dir,
		goose.WithTableName(versionTable), goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// checkVersion compares the file's schema with the newest one this program knows.
func (s *Store) checkVersion(ctx context.Context, q querier, exact bool) error {
	newest, err := newestVersion()
	if err != nil {
		return err
	}
	var has sql.NullInt64
	err = q.QueryRowContext(ctx, `SELECT max(version_id) FROM `+versionTable).Scan(&has)
	if err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	if has.Int64 > newest {
		return fmt.Errorf("%s has schema %d, this program knows %d: %w", s.path, has.Int64, newest, ErrNewer)
	}
	if exact && has.Int64 < newest {
		return fmt.Errorf("%s has schema %d, this program needs %d: run a job once, which brings it up to date", s.path, has.Int64, newest)
	}
	return nil
}

func newestVersion() (int64, error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return 0, fmt.Errorf("read migrations: %w", err)
	}
	var newest int64
	for _, f := range files {
		digits, _, _ := strings.Cut(strings.TrimPrefix(f, "migrations/"), "_")
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read migrations: %s has no number: %w", f, err)
		}
		newest = max(newest, n)
	}
	return newest, nil
}
