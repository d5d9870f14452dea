package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"nightporter/state/internal/asked"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

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
		choice, value := record.NotArrived, record.Value{}
		if c.Arrived {
			choice, value = record.Arrived, record.OfText(c.Ref.ID)
		}
		return answer(ctx, tx, change, choice, value, c.At)
	})
}

// Unclaim takes back what a person said of a change that is still Lost.
func (s *Store) Unclaim(ctx context.Context, change string) error {
	return s.db.Write(ctx, "take back what became of change "+change, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := lostChange(ctx, tx, change); err != nil {
			return err
		}
		return answer(ctx, tx, change, record.Undecided, record.Value{}, time.Time{})
	})
}

// RefuseClaim drops what a person said became of a change, and keeps why it can't be so. The change stays Lost. It
// returns all that is known of why nobody can know what became of the change.
func (s *Store) RefuseClaim(ctx context.Context, l record.Lease, change, why string) (text string, err error) {
	err = s.db.LeaseReserved(ctx, l, "refuse what was said of change "+change, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := lostChange(ctx, tx, change); err != nil {
			return err
		}
		row := tx.QueryRowContext(ctx, `UPDATE intent SET refused = '; ' || ?2 WHERE id = ?1 RETURNING error || refused`, change, why)
		if err := row.Scan(&text); err != nil {
			return err
		}
		return answer(ctx, tx, change, record.Undecided, record.Value{}, time.Time{})
	})
	return text, err
}

// lostChange returns a change of any binding if it is Lost; ErrNotOpen if it is not.
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

// answer notes what a person says of a change that is Lost; ErrNotOpen if no question about it is open.
func answer(ctx context.Context, tx *sql.Tx, change string, choice record.Choice, value record.Value, at time.Time) error {
	return sqlite.One(ctx, tx, fmt.Errorf("nobody is asked about it: %w", sqlite.ErrNotOpen),
		`UPDATE question SET choice = ?2, value = ?3, chosen = ?4 WHERE change = ?1 AND change <> '' AND closed IS NULL`, change, choice, value.Encode(), sqlite.Millis(at))
}

// ask asks a person what became of a change.
func ask(ctx context.Context, tx *sql.Tx, l record.Lease, i record.Intent, why string, now time.Time) error {
	q := record.Question{Subject: record.Subject{Side: i.Place.Side, Change: i.ID}, Cause: lostCause, Why: why}
	return asked.Put(ctx, tx, l, q, now)
}

// closeAsked closes the question about a change that was Lost until now.
func closeAsked(ctx context.Context, tx *sql.Tx, i record.Intent, now time.Time) error {
	if i.State != record.Lost {
		return nil
	}
	return asked.CloseChange(ctx, tx, i.ID, now)
}

// lostCause is the cause of the question about a Lost change.
const lostCause record.Cause = "lost"

// Claims returns what persons said became of the binding's lost changes, by change.
func (s *Store) Claims(ctx context.Context, b record.Binding) (map[string]record.Claim, error) {
	type claim struct {
		change string
		record.Claim
	}
	scan := func(rows *sql.Rows) (c claim, err error) {
		var choice record.Choice
		var kind record.Kind
		var value string
		if err := rows.Scan(&c.change, &kind, &choice, &value, sqlite.AsTime(&c.At)); err != nil {
			return c, err
		}
		v, err := sqlite.DecodeValue(value)
		if c.Arrived = choice == record.Arrived; v.Text() != "" {
			c.Ref = record.Ref{Kind: kind, ID: v.Text()}
		}
		return c, err
	}
	found, err := sqlite.Collect(ctx, s.db.Reader, scan, `SELECT q.change, i.kind, q.choice, q.value, q.chosen
		FROM question q JOIN intent i ON i.id = q.change WHERE q.binding = ?1 AND q.change <> '' AND q.closed IS NULL AND q.choice <> ''`, b)
	if err != nil {
		return nil, s.db.Explain("read what became of lost changes", err)
	}
	out := make(map[string]record.Claim, len(found))
	for _, c := range found {
		out[c.change] = c.Claim
	}
	return out, nil
}
