package questions

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nightporter/state/internal/entries"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// ConflictColumns are the columns of a conflict, as ScanConflict reads them.
const ConflictColumns = `id, binding, link, entry, field, left_value, right_value, base_value, policy, why, opened, run,
	choice, value, chosen, closed, rests`

// ScanConflict reads a row of ConflictColumns.
func ScanConflict(rows *sql.Rows) (c record.Conflict, err error) {
	var left, right, base, value, rests string
	err = rows.Scan(&c.ID, &c.Binding, &c.Link, &c.Entry, &c.Field, &left, &right, &base, &c.Policy, &c.Why, sqlite.AsTime(&c.Opened),
		&c.Run, &c.Choice, &value, sqlite.AsTime(&c.Chosen), sqlite.AsTime(&c.Closed), &rests)
	if err != nil {
		return c, err
	}
	if c.Rests, err = record.DecodeRests(rests); err != nil {
		return c, sqlite.Garbled(fmt.Sprintf("conflict %d", c.ID), err)
	}
	for _, v := range []struct {
		text string
		into *record.Value
	}{{left, &c.Left}, {right, &c.Right}, {base, &c.Base}, {value, &c.Value}} {
		if *v.into, err = sqlite.DecodeValue(v.text); err != nil {
			return c, sqlite.Garbled(fmt.Sprintf("conflict %d", c.ID), err)
		}
	}
	return c, nil
}

// OpenConflicts makes cs the open conflicts of a link (or, with link 0, of an
// entry). One that is open with the same values, facts and policy stays as it is; any
// other is another question, and loses the choice made for it; one not named any more is
// closed.
func (s *Store) OpenConflicts(ctx context.Context, l record.Lease, link record.LinkID, entry int64, cs []record.Conflict, now time.Time) error {
	return s.db.Lease(ctx, l, "open conflicts", func(ctx context.Context, tx *sql.Tx) error {
		if err := checkCase(ctx, tx, l.Binding, link, entry); err != nil {
			return err
		}
		open, err := openConflicts(ctx, tx, link, entry)
		if err != nil {
			return err
		}
		for _, c := range cs {
			old, known := open[c.Field]
			delete(open, c.Field)
			if known && sameQuestion(old, c) {
				continue
			}
			if err := putConflict(ctx, tx, l, old.ID, link, entry, c, now); err != nil {
				return err
			}
		}
		for _, c := range open {
			if err := sqlite.Exec(ctx, tx, `UPDATE conflict SET closed = ?2 WHERE id = ?1`, c.ID, now.UnixMilli()); err != nil {
				return err
			}
		}
		if err := sqlite.Exec(ctx, tx, `UPDATE entry SET listed = NULL WHERE num = ?1`, entry); err != nil {
			return err
		}
		if link == 0 {
			return nil
		}
		if err := entries.UnlistLink(ctx, tx, link); err != nil {
			return err
		}
		return entries.UpdateLinkState(ctx, tx, link)
	})
}

func sameQuestion(a, b record.Conflict) bool {
	return a.Left.Equal(b.Left) && a.Right.Equal(b.Right) && a.Base.Equal(b.Base) && a.Rests.Equal(b.Rests) && a.Policy == b.Policy
}

func checkCase(ctx context.Context, tx *sql.Tx, b record.Binding, link record.LinkID, entry int64) error {
	if link != 0 {
		if err := entries.CheckLink(ctx, tx, b, link); err != nil {
			return err
		}
	}
	if entry != 0 {
		_, err := entries.ByNum(ctx, tx, b, entry)
		return err
	}
	return nil
}

func openConflicts(ctx context.Context, q sqlite.Querier, link record.LinkID, entry int64) (map[string]record.Conflict, error) {
	found, err := sqlite.Collect(ctx, q, ScanConflict, `SELECT `+ConflictColumns+` FROM conflict
		WHERE link = ?1 AND entry = ?2 AND closed IS NULL`, link, entry)
	return byField(found), err
}

func byField(cs []record.Conflict) map[string]record.Conflict {
	out := make(map[string]record.Conflict, len(cs))
	for _, c := range cs {
		out[c.Field] = c
	}
	return out
}

func putConflict(ctx context.Context, tx *sql.Tx, l record.Lease, id int64, link record.LinkID, entry int64, c record.Conflict, now time.Time) error {
	values := []any{c.Left.Encode(), c.Right.Encode(), c.Base.Encode(), c.Policy, c.Why, l.Run, now.UnixMilli(), c.Rests.Encode()}
	if id != 0 {
		return sqlite.Exec(ctx, tx, `UPDATE conflict SET left_value = ?1, right_value = ?2, base_value = ?3, policy = ?4, why = ?5,
			run = ?6, opened = ?7, rests = ?8, choice = '', value = '', chosen = NULL WHERE id = ?9`, append(values, id)...)
	}
	return sqlite.Exec(ctx, tx, `INSERT INTO conflict (left_value, right_value, base_value, policy, why, run, opened, rests,
		binding, link, entry, field) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`,
		append(values, l.Binding, link, entry, c.Field)...)
}

// Conflicts is the open (or the closed) conflicts of a binding, of all if b is
// empty, oldest first.
func (s *Store) Conflicts(ctx context.Context, b record.Binding, open bool) ([]record.Conflict, error) {
	return sqlite.List(ctx, s.db, "read conflicts", ScanConflict, `SELECT `+ConflictColumns+` FROM conflict
		WHERE (?1 = '' OR binding = ?1) AND (closed IS NULL) = ?2 ORDER BY id`, b, sqlite.Flag(open))
}

// Conflict is the conflict of that number; false if there is none.
func (s *Store) Conflict(ctx context.Context, id int64) (record.Conflict, bool, error) {
	return sqlite.Find(ctx, s.db, "read conflict", ScanConflict, `SELECT `+ConflictColumns+` FROM conflict WHERE id = ?1`, id)
}

// Choose notes a person's decision on an open conflict: "left", "right", "leave" for what
// both have, or "value" with v; "" takes it back. The next plan takes it up. It needs no lease: a person
// decides while jobs run.
func (s *Store) Choose(ctx context.Context, id int64, choice string, v record.Value, now time.Time) error {
	switch choice {
	case "", "left", "right", record.ChoiceLeave:
		v = record.Value{}
	case "value":
		if !v.Observed() {
			return fmt.Errorf("choose for conflict %d: the choice \"value\" needs a value", id)
		}
	default:
		return fmt.Errorf("choose for conflict %d: %q is none of left, right, leave and value", id, choice)
	}
	return s.db.Write(ctx, "choose", func(ctx context.Context, tx *sql.Tx) error {
		err := sqlite.One(ctx, tx, sqlite.Unknown("open conflict %d", id),
			`UPDATE conflict SET choice = ?2, value = ?3, chosen = ?4 WHERE id = ?1 AND closed IS NULL`,
			id, choice, v.Encode(), now.UnixMilli())
		if err != nil {
			return err
		}
		return sqlite.Exec(ctx, tx, `UPDATE entry SET dirty = 1, listed = NULL
			WHERE link = (SELECT nullif(link, 0) FROM conflict WHERE id = ?1)
			OR num = (SELECT nullif(entry, 0) FROM conflict WHERE id = ?1)`, id)
	})
}

// LeftSo reports whether a person said last of a link's field that both sides keep what
// they have.
func (s *Store) LeftSo(ctx context.Context, link record.LinkID, field string) (bool, error) {
	c, ok, err := sqlite.First(sqlite.Collect(ctx, s.db.Reader, ScanConflict, `SELECT `+ConflictColumns+` FROM conflict
		WHERE link = ?1 AND field = ?2 AND closed IS NOT NULL ORDER BY id DESC LIMIT 1`, link, field))
	return ok && c.Choice == record.ChoiceLeave, s.db.Explain("read what a person left as it is", err)
}

// AskAgain takes back what a person said to a question that is closed, and to those about the same
// record before it, and has the record, which has no link, looked at by the next plan.
func (s *Store) AskAgain(ctx context.Context, id int64) error {
	return s.db.Write(ctx, "ask again", func(ctx context.Context, tx *sql.Tx) error {
		err := sqlite.One(ctx, tx, sqlite.Unknown("closed conflict %d", id),
			`UPDATE conflict SET choice = '', value = '', chosen = NULL WHERE id = ?1 AND closed IS NOT NULL AND entry <> 0`, id)
		if err != nil {
			return err
		}
		err = sqlite.Exec(ctx, tx, `UPDATE conflict SET choice = '', value = '', chosen = NULL
			WHERE entry = (SELECT entry FROM conflict WHERE id = ?1) AND id < ?1 AND closed IS NOT NULL AND link = 0`, id)
		if err != nil {
			return err
		}
		return sqlite.Exec(ctx, tx, `UPDATE entry SET dirty = 1, listed = NULL
			WHERE link IS NULL AND num = (SELECT entry FROM conflict WHERE id = ?1)`, id)
	})
}

// Choices is a link's open conflicts by field, decided or not.
func (s *Store) Choices(ctx context.Context, link record.LinkID) (map[string]record.Conflict, error) {
	cs, err := sqlite.Collect(ctx, s.db.Reader, ScanConflict, `SELECT `+ConflictColumns+` FROM conflict
		WHERE link = ?1 AND closed IS NULL`, link)
	return byField(cs), s.db.Explain("read choices", err)
}

// EntryChoice is what a person decided about an entry that is held; false if
// nobody did.
func (s *Store) EntryChoice(ctx context.Context, num int64) (record.Conflict, bool, error) {
	return sqlite.Find(ctx, s.db, "read choice", ScanConflict, `SELECT `+ConflictColumns+` FROM conflict
		WHERE entry = ?1 AND closed IS NULL AND choice <> ''`, num)
}

// LeftOut is the entries of a binding of which a person said to leave them out when they answered
// last, carried out or not, each with what that question rested on. A question that nobody has
// answered changes nothing.
func (s *Store) LeftOut(ctx context.Context, b record.Binding) (map[int64]record.Rests, error) {
	asked, err := sqlite.Collect(ctx, s.db.Reader, ScanConflict, `SELECT `+ConflictColumns+` FROM conflict c
		WHERE binding = ?1 AND link = 0 AND entry <> 0 AND choice <> ''
		AND NOT EXISTS (SELECT 1 FROM conflict n WHERE n.entry = c.entry AND n.link = 0 AND n.id > c.id AND n.choice <> '')`, b)
	if err != nil {
		return nil, s.db.Explain("read what was left out", err)
	}
	out := map[int64]record.Rests{}
	for _, c := range asked {
		if c.Value.Text() == "leave" {
			out[c.Entry] = c.Rests
		}
	}
	return out, nil
}
