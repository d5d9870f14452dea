package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	goose "github.com/pressly/goose/v3"

	"nightporter/state/migrations"
)

// versionTable is where goose notes which migrations were run.
const versionTable = "schema_version"

// Steps are the migrations of this version. A test sets others, to get a file of an older version.
var Steps fs.FS = migrations.Files

// migrate brings the schema up to date, while this process has its turn. A file that an older version left is
// copied first. A new file gets the mark that says that it is ours before all else, so that it is recognised if a
// kill leaves it half made.
func (s *DB) migrate(ctx context.Context, noCopy bool) error {
	has, older, err := s.older(ctx)
	if err != nil {
		return err
	}
	if has > 0 && !older { // the mark is there, too: it was written first
		return nil
	}
	if older && s.Path != Memory && !noCopy {
		if _, err := s.Backup(ctx, copyBefore(s.Path, has)); err != nil {
			return err
		}
	}
	return s.migrateNow(ctx)
}

// copyBefore is the name of the copy that is made before a migration of a file with that schema.
func copyBefore(path string, schema int64) string {
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s-schema-%d%s", strings.TrimSuffix(path, ext), schema, ext)
}

// older reports whether the file has an older schema, and which schema it has.
func (s *DB) older(ctx context.Context) (has int64, older bool, err error) {
	var made bool
	err = s.Writer.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?1)`, versionTable).Scan(&made)
	if err != nil || !made {
		return 0, false, err
	}
	newest, err := newestVersion()
	if err != nil {
		return 0, false, err
	}
	if has, err = versionOf(ctx, s.Writer); err != nil {
		return 0, false, err
	}
	return has, has > 0 && has < newest, nil
}

func versionOf(ctx context.Context, q Querier) (int64, error) {
	var has sql.NullInt64
	err := q.QueryRowContext(ctx, `SELECT max(version_id) FROM `+versionTable).Scan(&has)
	if err != nil {
		return 0, fmt.Errorf("read schema version: %w", err)
	}
	return has.Int64, nil
}

func (s *DB) migrateNow(ctx context.Context) error {
	mark := fmt.Sprintf(`PRAGMA application_id = %d`, applicationID)
	if _, err := s.Writer.ExecContext(ctx, mark); err != nil {
		return fmt.Errorf("mark file: %w", err)
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, s.Writer, Steps,
		goose.WithTableName(versionTable), goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// checkVersion compares the file's schema with the newest one that this program knows. It returns the schema, and
// whether it is older. A newer schema is ErrNewer. If exact is set an older one is an error, too.
func (s *DB) checkVersion(ctx context.Context, q Querier, exact bool) (has int64, behind bool, err error) {
	newest, err := newestVersion()
	if err != nil {
		return 0, false, err
	}
	has, err = versionOf(ctx, q)
	if err != nil {
		return 0, false, err
	}
	if has > newest {
		return has, false, fmt.Errorf("%s has schema %d, this program knows %d: %w", s.Path, has, newest, ErrNewer)
	}
	if exact && has < newest {
		return has, true, fmt.Errorf("%s has schema %d, this program needs %d: run a job once, which brings it up to date", s.Path, has, newest)
	}
	return has, has < newest, nil
}

func newestVersion() (int64, error) {
	files, err := fs.Glob(Steps, "*.sql")
	if err != nil {
		return 0, fmt.Errorf("read migrations: %w", err)
	}
	var newest int64
	for _, f := range files {
		digits, _, _ := strings.Cut(f, "_")
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read migrations: %s has no number: %w", f, err)
		}
		newest = max(newest, n)
	}
	return newest, nil
}
