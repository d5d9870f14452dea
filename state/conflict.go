package state

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nightporter/sync/record"
)

const conflictColumns = `id, binding, link, entry, field, left_value, right_value, base_value, policy, why, opened, run,
	choice, value, chosen, closed, facts`

func scanConflict(rows *sql.Rows) (c record.Conflict, err error) {
	var opened, chosen, closed sql.NullInt64
	var left, right, base, value string
	err = rows.Scan(&c.ID, &c.Binding, &c.Link, &c.Entry, &c.Field, &left, &right, &base, &c.Policy, &c.Why, &opened,
		&c.Run, &c.Choice, &value, &chosen, &closed, &c.Facts)
	if err != nil {
		return c, err
	}
	c.Opened, c.Chosen, c.Closed = instant(opened), instant(chosen), instant(closed)
	for _, v := range []struct {
		text string
		into *record.Value
	}{{left, &c.Left}, {right, &c.Right}, {base, &c.Base}, {value, &c.Value}} {
		if *v.into, err = decodeValue(v.text); err != nil {
			return c, garbled(fmt.Sprintf("conflict %d", c.ID), err)
		}
	}
	return c, nil
}

// OpenConflicts makes cs the open conflicts of a link (or, with link 0, of an
// entry). One that is open with the same values, facts and policy stays as it is; any
// other is another question, and loses the choice made for it; one not named any more is
// closed.
func (s *Store) OpenConflicts(ctx context.Context, l record.Lease, link record.LinkID, entry int64, cs []record.Conflict, now time.Time) error {
	return s.lease(ctx, l, "open conflicts", func(ctx context.Context, tx *sql.Tx) error {
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
			if err := exec(ctx, tx, `UPDATE conflict SET closed = ?2 WHERE id = ?1`, c.ID, now.UnixMilli()); err != nil {
				return err
			}
		}
		if err := exec(ctx, tx, `UPDATE entry SET listed = NULL WHERE num = ?1`, entry); err != nil {
			return err
		}
		if link == 0 {
			return nil
		}
		if err := unlistLink(ctx, tx, link); err != nil {
			return err
		}
		return linkState(ctx, tx, link)
	})
}

func sameQuestion(a, b record.Conflict) bool {
	return a.Left.Equal(b.Left) && a.Right.Equal(b.Right) && a.Base.Equal(b.Base) && a.Facts == b.Facts && a.Policy == b.Policy
}

func checkCase(ctx context.Context, tx *sql.Tx, b record.Binding, link record.LinkID, entry int64) error {
	if link != 0 {
		if err := checkLink(ctx, tx, b, link); err != nil {
			return err
		}
	}
	if entry != 0 {
		_, err := rowNum(ctx, tx, b, entry)
		return err
	}
	return nil
}

func openConflicts(ctx context.Context, q querier, link record.LinkID, entry int64) (map[string]record.Conflict, error) {
	found, err := collect(ctx, q, scanConflict, `SELECT `+conflictColumns+` FROM conflict
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
	values := []any{c.Left.Encode(), c.Right.Encode(), c.Base.Encode(), c.Policy, c.Why, l.Run, now.UnixMilli(), c.Facts}
	if id != 0 {
		return exec(ctx, tx, `UPDATE conflict SET left_value = ?1, right_value = ?2, base_value = ?3, policy = ?4, why = ?5,
			run = ?6, opened = ?7, facts = ?8, choice = '', value = '', chosen = NULL WHERE id = ?9`, append(values, id)...)
	}
	return exec(ctx, tx, `INSERT INTO conflict (left_value, right_value, base_value, policy, why, run, opened, facts,
		binding, link, entry, field) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`,
		append(values, l.Binding, link, entry, c.Field)...)
}

// Conflicts is the open (or the closed) conflicts of a binding, of all if b is
// empty, oldest first.
func (s *Store) Conflicts(ctx context.Context, b record.Binding, open bool) ([]record.Conflict, error) {
	cs, err := collect(ctx, s.reader, scanConflict, `SELECT `+conflictColumns+` FROM conflict
		WHERE (?1 = '' OR binding = ?1) AND (closed IS NULL) = ?2 ORDER BY id`, b, flag(open))
	return cs, s.explain("read conflicts", err)
}

// Conflict is the conflict of that number; false if there is none.
func (s *Store) Conflict(ctx context.Context, id int64) (record.Conflict, bool, error) {
	c, ok, err := first(collect(ctx, s.reader, scanConflict, `SELECT `+conflictColumns+` FROM conflict WHERE id = ?1`, id))
	return c, ok, s.explain("read conflict", err)
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
	return s.write(ctx, "choose", func(ctx context.Context, tx *sql.Tx) error {
		err := one(ctx, tx, unknown("open conflict %d", id),
			`UPDATE conflict SET choice = ?2, value = ?3, chosen = ?4 WHERE id = ?1 AND closed IS NULL`,
			id, choice, v.Encode(), now.UnixMilli())
		if err != nil {
			return err
		}
		return exec(ctx, tx, `UPDATE entry SET dirty = 1, listed = NULL
			WHERE link = (SELECT nullif(link, 0) FROM conflict WHERE id = ?1)
			OR num = (SELECT nullif(entry, 0) FROM conflict WHERE id = ?1)`, id)
	})
}

// LeftSo reports whether a person said last of a link's field that both sides keep what
// they have.
func (s *Store) LeftSo(ctx context.Context, link record.LinkID, field string) (bool, error) {
	c, ok, err := first(collect(ctx, s.reader, scanConflict, `SELECT `+conflictColumns+` FROM conflict
		WHERE link = ?1 AND field = ?2 AND closed IS NOT NULL ORDER BY id DESC LIMIT 1`, link, field))
	return ok && c.Choice == record.ChoiceLeave, s.explain("read what a person left as it is", err)
}

// AskAgain takes back what a person said to a question that is closed, and to those about the same
// record before it, and has the record, which has no link, looked at by the next plan.
func (s *Store) AskAgain(ctx context.Context, id int64) error {
	return s.write(ctx, "ask again", func(ctx context.Context, tx *sql.Tx) error {
		err := one(ctx, tx, unknown("closed conflict %d", id),
			`UPDATE conflict SET choice = '', value = '', chosen = NULL WHERE id = ?1 AND closed IS NOT NULL AND entry <> 0`, id)
		if err != nil {
			return err
		}
		err = exec(ctx, tx, `UPDATE conflict SET choice = '', value = '', chosen = NULL
			WHERE entry = (SELECT entry FROM conflict WHERE id = ?1) AND id < ?1 AND closed IS NOT NULL AND link = 0`, id)
		if err != nil {
			return err
		}
		return exec(ctx, tx, `UPDATE entry SET dirty = 1, listed = NULL
			WHERE link IS NULL AND num = (SELECT entry FROM conflict WHERE id = ?1)`, id)
	})
}

// Choices is a link's open conflicts by field, decided or not.
func (s *Store) Choices(ctx context.Context, link record.LinkID) (map[string]record.Conflict, error) {
	cs, err := collect(ctx, s.reader, scanConflict, `SELECT `+conflictColumns+` FROM conflict
		WHERE link = ?1 AND closed IS NULL`, link)
	return byField(cs), s.explain("read choices", err)
}
