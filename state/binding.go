package state

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base32"
	"fmt"
	"strings"

	"nightporter/sync/record"
)

const installSetting = "install"

// Register makes a binding known, with the systems and kinds of its sides. A known
// binding with others is ErrRebound: its entries are of other records. install
// names this installation if the file has no name yet; nil leaves it to Install.
func (s *Store) Register(ctx context.Context, b record.Binding, systems [2]record.System, kinds [2]record.Kind, install func() string) error {
	return s.write(ctx, "register "+string(b), func(ctx context.Context, tx *sql.Tx) error {
		if install != nil {
			if _, err := installOf(ctx, tx, install); err != nil {
				return err
			}
		}
		var sys [2]record.System
		var kin [2]record.Kind
		err := tx.QueryRowContext(ctx, `SELECT left_system, right_system, left_kind, right_kind
			FROM binding WHERE binding = ?1`, b).Scan(&sys[0], &sys[1], &kin[0], &kin[1])
		switch {
		case isNone(err):
			return exec(ctx, tx, `INSERT INTO binding (binding, left_system, right_system, left_kind, right_kind)
				VALUES (?1, ?2, ?3, ?4, ?5)`, b, systems[0], systems[1], kinds[0], kinds[1])
		case err != nil:
			return err
		case sys != systems || kin != kinds:
			return fmt.Errorf("%w (was %s %s and %s %s)", ErrRebound, sys[0], kin[0], sys[1], kin[1])
		}
		return nil
	})
}

// Install is this installation's name in the stamps it leaves: eight random
// characters, made once a file.
func (s *Store) Install(ctx context.Context) (string, error) {
	var name string
	err := s.reader.QueryRowContext(ctx, `SELECT value FROM setting WHERE binding = '' AND name = ?1`, installSetting).Scan(&name)
	if err == nil {
		return name, nil
	}
	if !isNone(err) {
		return "", s.explain("read install", err)
	}
	err = s.write(ctx, "name install", func(ctx context.Context, tx *sql.Tx) error {
		name, err = installOf(ctx, tx, randomName)
		return err
	})
	return name, err
}

func installOf(ctx context.Context, tx *sql.Tx, name func() string) (string, error) {
	err := exec(ctx, tx, `INSERT INTO setting (binding, name, value) VALUES ('', ?1, ?2)
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
