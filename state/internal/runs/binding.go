package runs

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

const installSetting = "install"

// Register makes a binding known, with the systems and kinds of its sides. If it is known with other ones the error
// is ErrRebound: its entries are of other records. But if failed runs are all that is kept of it, it takes the new
// ones. install names this installation if the file has no name yet; nil leaves it to Install.
func (s *Store) Register(ctx context.Context, b record.Binding, systems [2]record.System, kinds [2]record.Kind, install func() string) error {
	return s.db.Write(ctx, "register "+string(b), func(ctx context.Context, tx *sql.Tx) error {
		if install != nil {
			if _, err := installOf(ctx, tx, install); err != nil {
				return err
			}
		}
		if err := rebound(ctx, tx, b, systems, kinds); err != nil {
			return err
		}
		return sqlite.Exec(ctx, tx, `INSERT INTO binding (binding, left_system, right_system, left_kind, right_kind)
			VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (binding) DO UPDATE SET left_system = excluded.left_system,
			right_system = excluded.right_system, left_kind = excluded.left_kind, right_kind = excluded.right_kind`,
			b, systems[0], systems[1], kinds[0], kinds[1])
	})
}

// Rebound is the error with which Register refuses a binding with these systems and kinds, nil if it does not refuse
// it. Nothing is changed.
func (s *Store) Rebound(ctx context.Context, b record.Binding, systems [2]record.System, kinds [2]record.Kind) error {
	return rebound(ctx, s.db.Reader, b, systems, kinds)
}

func rebound(ctx context.Context, q sqlite.Querier, b record.Binding, systems [2]record.System, kinds [2]record.Kind) error {
	var sys [2]record.System
	var kin [2]record.Kind
	err := q.QueryRowContext(ctx, `SELECT left_system, right_system, left_kind, right_kind
		FROM binding WHERE binding = ?1`, b).Scan(&sys[0], &sys[1], &kin[0], &kin[1])
	switch {
	case sqlite.IsNone(err):
		return nil
	case err != nil:
		return fmt.Errorf("look which systems %s was run with: %w", b, err)
	case sys == systems && kin == kinds:
		return nil
	}
	if began, err := hasBegun(ctx, q, b); err != nil || began {
		return errors.Join(err, fmt.Errorf("%w (was %s %s and %s %s)", sqlite.ErrRebound, sys[0], kin[0], sys[1], kin[1]))
	}
	return nil
}

// hasBegun reports whether anything but failed runs is kept of a binding. It is also true if no run is kept.
func hasBegun(ctx context.Context, q sqlite.Querier, b record.Binding) (bool, error) {
	var began bool
	err := q.QueryRowContext(ctx, `SELECT count(*) = 0 OR min(outcome = ?2) = 0 FROM run WHERE binding = ?1`, b, record.Failed).Scan(&began)
	if err != nil || began {
		return began, err
	}
	tables, err := bound(ctx, q)
	if err != nil {
		return false, err
	}
	for _, table := range tables {
		if err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM "`+table+`" WHERE binding = ?1)`, b).Scan(&began); err != nil || began {
			return began, err
		}
	}
	return false, nil
}

// bound returns the tables that have a column for the binding, except those that tell of its runs.
func bound(ctx context.Context, q sqlite.Querier) (tables []string, err error) {
	rows, err := q.QueryContext(ctx, `SELECT DISTINCT m.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
		WHERE m.type = 'table' AND c.name = 'binding' AND m.name NOT IN ('binding', 'run', 'happening', 'event')`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		tables = append(tables, name)
	}
	return tables, rows.Err()
}

// Install returns this installation's name in the marks that it leaves: eight random characters, made
// once for each file.
func (s *Store) Install(ctx context.Context) (string, error) {
	var name string
	err := s.db.Reader.QueryRowContext(ctx, `SELECT value FROM setting WHERE binding = '' AND name = ?1`, installSetting).Scan(&name)
	if err == nil {
		return name, nil
	}
	if !sqlite.IsNone(err) {
		return "", s.db.Explain("read install", err)
	}
	err = s.db.Write(ctx, "name install", func(ctx context.Context, tx *sql.Tx) error {
		name, err = installOf(ctx, tx, randomName)
		return err
	})
	return name, err
}

func installOf(ctx context.Context, tx *sql.Tx, name func() string) (string, error) {
	err := sqlite.Exec(ctx, tx, `INSERT INTO setting (binding, name, value) VALUES ('', ?1, ?2)
		ON CONFLICT DO NOTHING`, installSetting, name())
	if err != nil {
		return "", err
	}
	var has string
	err = tx.QueryRowContext(ctx, `SELECT value FROM setting WHERE binding = '' AND name = ?1`, installSetting).Scan(&has)
	return has, err
}

// randomName is eight lower-case base32 characters.
func randomName() string {
	var b [5]byte
	_, _ = rand.Read(b[:]) // never fails
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
}

// Rename makes this state the successor of another installation, so that it knows the marks that the other one
// left. A state with links has left marks of its own, and is refused (ErrHasLinks).
func (s *Store) Rename(ctx context.Context, install string) error {
	return s.db.Write(ctx, "name install", func(ctx context.Context, tx *sql.Tx) error {
		var links int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM link`).Scan(&links); err != nil {
			return err
		}
		if links > 0 {
			return fmt.Errorf("it has %d links: %w", links, sqlite.ErrHasLinks)
		}
		return sqlite.PutSetting(ctx, tx, "", installSetting, install)
	})
}
