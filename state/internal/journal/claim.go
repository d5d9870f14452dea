package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// claim is a record.Claim as a setting of its binding holds it, under the name that
// claimOf gives. It goes with whatever is noted of its change next.
type claim struct {
	Change  string        `json:"change"`
	Arrived bool          `json:"arrived"`
	Ref     record.Ref    `json:"ref"`
	At      sqlite.Moment `json:"at"`
}

func claimOf(change string) string { return "claim:" + change }

// Claim notes what a person says became of a change that is Lost, in place of what
// was said before. The next run takes it up. ErrNotOpen says that the change is not
// Lost, or not any more. It needs no lease: a person decides while jobs run.
func (s *Store) Claim(ctx context.Context, change string, c record.Claim) error {
	return s.db.Write(ctx, "note what became of change "+change, func(ctx context.Context, tx *sql.Tx) error {
		i, err := lostChange(ctx, tx, change)
		if err != nil {
			return err
		}
		switch named := c.Ref != (record.Ref{}); {
		case c.Arrived && i.Change.Op == record.Create && !sqlite.Usable(c.Ref.ID):
			return errors.New("a create that arrived has made a record: name it")
		case named && (!c.Arrived || i.Change.Op != record.Create):
			return fmt.Errorf("record %s: only a create that arrived has made one", c.Ref)
		}
		kept := claim{Change: change, Arrived: c.Arrived, Ref: c.Ref, At: sqlite.MomentOf(c.At)}
		return sqlite.PutSetting(ctx, tx, i.Place.Binding, claimOf(change), sqlite.JSON(kept))
	})
}

// Unclaim takes back what a person said of a change that is still Lost.
func (s *Store) Unclaim(ctx context.Context, change string) error {
	return s.db.Write(ctx, "take back what became of change "+change, func(ctx context.Context, tx *sql.Tx) error {
		i, err := lostChange(ctx, tx, change)
		if err != nil {
			return err
		}
		return dropClaim(ctx, tx, i)
	})
}

// RefuseClaim ends what a person said of a change, which stays Lost, and keeps why it can't be so. It returns
// all that is known of why nobody knows what became of the change.
func (s *Store) RefuseClaim(ctx context.Context, l record.Lease, change, why string) (text string, err error) {
	err = s.db.LeaseReserved(ctx, l, "refuse what was said of change "+change, func(ctx context.Context, tx *sql.Tx) error {
		i, err := lostChange(ctx, tx, change)
		if err != nil {
			return err
		}
		row := tx.QueryRowContext(ctx, `UPDATE intent SET refused = '; ' || ?2 WHERE id = ?1 RETURNING error || refused`, change, why)
		if err := row.Scan(&text); err != nil {
			return err
		}
		return dropClaim(ctx, tx, i)
	})
	return text, err
}

// lostChange is a change of whatever binding, if it is Lost.
func lostChange(ctx context.Context, tx *sql.Tx, id string) (record.Intent, error) {
	i, ok, err := sqlite.First(sqlite.Collect(ctx, tx, ScanIntent, `SELECT `+Columns+` FROM intent i WHERE i.id = ?1`, id))
	switch {
	case err != nil:
		return i, err
	case !ok:
		return i, sqlite.Unknown("change %s", id)
	case i.State != record.Lost:
		return i, fmt.Errorf("it is %s: %w", i.State, sqlite.ErrNotOpen)
	}
	return i, nil
}

func dropClaim(ctx context.Context, tx *sql.Tx, i record.Intent) error {
	return sqlite.Exec(ctx, tx, `DELETE FROM setting WHERE binding = ?1 AND name = ?2`, i.Place.Binding, claimOf(i.ID))
}

// Claims is what persons said of the binding's lost changes, by change.
func (s *Store) Claims(ctx context.Context, b record.Binding) (map[string]record.Claim, error) {
	scan := func(rows *sql.Rows) (c claim, err error) {
		var text string
		if err := rows.Scan(&text); err != nil {
			return c, err
		}
		return c, sqlite.Decode(text, &c)
	}
	found, err := sqlite.Collect(ctx, s.db.Reader, scan, `SELECT value FROM setting
		WHERE binding = ?1 AND name >= 'claim:' AND name < 'claim;'`, b)
	if err != nil {
		return nil, s.db.Explain("read what became of lost changes", err)
	}
	out := make(map[string]record.Claim, len(found))
	for _, c := range found {
		out[c.Change] = record.Claim{Arrived: c.Arrived, Ref: c.Ref, At: c.At.Time()}
	}
	return out, nil
}
