package questions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"time"

	"nightporter/state/internal/asked"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// ErrDecided says that a set can't be decided any more: it has been decided, or it is over.
var ErrDecided = errors.New("it is not open for a decision")

// StageColumns are the columns of a set of changes, as ScanStage reads them.
const StageColumns = asked.Columns + `, (SELECT count(*) FROM member m WHERE m.question = question.id),
	(SELECT count(*) FROM member m WHERE m.question = question.id AND m.state = '')`

// askedLast chooses the last question s about a set: a person may have been asked about the same set before.
const askedLast = `NOT EXISTS (SELECT 1 FROM question n WHERE n.held = s.held AND n.id > s.id)`

// ScanStage reads a row of StageColumns.
func ScanStage(rows *sql.Rows) (st record.Stage, err error) {
	st.Question, err = asked.ScanWith(rows, &st.Size, &st.Left)
	return st, err
}

// Stages returns the sets of changes of a binding that a guard held, oldest first; those of all bindings if b is
// empty. With over, sets that are over are included. Each set is as a person was last asked about it.
func (s *Store) Stages(ctx context.Context, b record.Binding, over bool) ([]record.Stage, error) {
	return sqlite.List(ctx, s.db, "read sets", ScanStage, `SELECT `+StageColumns+` FROM question
		WHERE id IN (SELECT id FROM question s WHERE held <> '' AND (?1 = '' OR binding = ?1) AND (?2 OR closed IS NULL) AND `+askedLast+`)
		ORDER BY opened, held`, b, over)
}

// StagedOf returns at most n changes of a set, as a person was last asked about it; all of them if n is 0.
func (s *Store) StagedOf(ctx context.Context, digest string, n int) ([]record.Staged, error) {
	if n <= 0 {
		n = -1
	}
	return sqlite.List(ctx, s.db, "read stage", func(rows *sql.Rows) (x record.Staged, err error) {
		var after, parts string
		if err := rows.Scan(&x.Action, &x.Link, &x.Entry, &x.Ref.Kind, &x.Ref.ID, &x.Text, &after, &x.State, &parts); err != nil {
			return x, err
		}
		err = errors.Join(sqlite.Decode(after, &x.After), sqlite.Decode(parts, &x.Parts))
		takeStood(&x)
		return x, sqlite.Garbled("held change "+x.Action, err)
	}, `SELECT action, link, entry, kind, id, text, after, state, parts FROM member
		WHERE question = (SELECT max(id) FROM question WHERE held = ?1 AND ?1 <> '') ORDER BY kind, id, action LIMIT ?2 + 0`, digest, n)
}

// stoodAt names the paths under which the fields of a held change keep what stood on each side before it. No
// system has such a path: it begins with an @.
var stoodAt = [2]string{"@left", "@right"} //nolint:gochecknoglobals // a fixed list

// withStood returns what a held change would write, and under the paths of stoodAt what stood there before.
func withStood(s sqlite.Seal, x record.Staged) record.Fields {
	out := maps.Clone(s.Fields(x.After))
	for side, stood := range x.Stood {
		if len(stood) == 0 {
			continue
		}
		if out == nil {
			out = record.Fields{}
		}
		kept := record.Fields{}
		for p, v := range stood {
			kept[p] = s.Keep(p, v).Value()
		}
		out[stoodAt[side]] = record.OfMap(kept)
	}
	return out
}

// takeStood undoes withStood: what stood before a held change goes from After to Stood.
func takeStood(x *record.Staged) {
	for side, at := range stoodAt {
		if v, ok := x.After[at]; ok {
			x.Stood[side] = record.Fields(v.Map())
			delete(x.After, at)
		}
	}
}

// Stage keeps a set of changes that a guard held. An open set of the same side and risk that has other changes,
// and that nobody has decided, is closed: this set takes its place. If the same set is open already, it is left as
// it is. If the same set is over, a person is asked about it anew.
func (s *Store) Stage(ctx context.Context, l record.Lease, st record.Stage, rows []record.Staged) error {
	return s.db.Lease(ctx, l, "stage changes", func(ctx context.Context, tx *sql.Tx) error {
		err := sqlite.Exec(ctx, tx, `UPDATE question SET closed = ?5 WHERE binding = ?1 AND side = ?2 AND field = ?3 AND held <> ?4
			AND held <> '' AND closed IS NULL AND choice = ''`, l.Binding, st.Side, st.Risk, st.Set, st.Opened.UnixMilli())
		if err != nil {
			return err
		}
		if is, err := isOpen(ctx, tx, st.Set); err != nil || is {
			return err
		}
		if err := asked.Put(ctx, tx, l, st.Question, st.Opened); err != nil {
			return err
		}
		for _, x := range rows {
			if err := addMember(ctx, tx, st.Set, x); err != nil {
				return err
			}
		}
		return nil
	})
}

func isOpen(ctx context.Context, tx *sql.Tx, set string) (is bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM question WHERE held = ?1 AND closed IS NULL)`, set).Scan(&is)
	return is, err
}

// addMember adds a change to the set with this digest, as a person was last asked about it.
func addMember(ctx context.Context, tx *sql.Tx, set string, x record.Staged) error {
	after, err := sqlite.Encode(withStood(sqlite.SealOf(ctx), x))
	if err != nil {
		return err
	}
	parts, err := sqlite.Encode(append([]string{}, x.Parts...))
	if err != nil {
		return err
	}
	return sqlite.Exec(ctx, tx, `INSERT INTO member (question, action, link, entry, kind, id, text, after, parts)
		VALUES ((SELECT max(id) FROM question WHERE held = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
		set, x.Action, x.Link, x.Entry, x.Ref.Kind, x.Ref.ID, x.Text, after, parts)
}

// NoteStaged notes what became of changes of a decided set. The set is over once no change of it is left. If a
// change was put back, the set is not over: the same change may be made again.
func (s *Store) NoteStaged(ctx context.Context, l record.Lease, digest string, actions []string, became string, now time.Time) error {
	return s.db.Lease(ctx, l, "note staged changes", func(ctx context.Context, tx *sql.Tx) error {
		for _, a := range actions {
			err := sqlite.Exec(ctx, tx, `UPDATE member SET state = ?3
				WHERE question = (SELECT max(id) FROM question WHERE held = ?1) AND action = ?2`, digest, a, became)
			if err != nil {
				return err
			}
		}
		return sqlite.Exec(ctx, tx, `UPDATE question SET closed = ?3 WHERE held = ?1 AND binding = ?2 AND closed IS NULL
			AND NOT EXISTS (SELECT 1 FROM member m WHERE m.question = question.id AND m.state IN ('', ?4))`, digest, l.Binding, now.UnixMilli(), record.StagedBack)
	})
}

// EndStage closes a set that has expired, or of which no change is wanted any more. If a person has decided it
// meanwhile, it stays as long as the decision counts.
func (s *Store) EndStage(ctx context.Context, l record.Lease, digest string, now time.Time) error {
	return s.db.Lease(ctx, l, "end stage", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.Exec(ctx, tx, `UPDATE question SET closed = ?3 WHERE held = ?1 AND binding = ?2 AND closed IS NULL
			AND (choice = '' OR expires <= ?3)`, digest, l.Binding, now.UnixMilli())
	})
}

// DecideStage notes what a person said of a set, and until when that counts; a zero until leaves the time that the
// set has. digest is the begin of the digest of the set. If a larger set took its place, the set can still be
// decided: the decision is about just the changes in it. It needs no lease: a person decides while jobs run.
func (s *Store) DecideStage(ctx context.Context, digest string, choice record.Choice, who string, until, now time.Time) (st record.Stage, err error) {
	if choice != record.Approved && choice != record.Refusal {
		return st, fmt.Errorf("decide %s: %q is neither of %s and %s", digest, choice, record.Approved, record.Refusal)
	}
	err = s.db.Write(ctx, "decide stage", func(ctx context.Context, tx *sql.Tx) error {
		if st, err = openStage(ctx, tx, digest, now); err != nil {
			return err
		}
		st.Choice, st.Who, st.Chosen, st.Closed = choice, who, now, time.Time{}
		if !until.IsZero() {
			st.Expires = until
		}
		return sqlite.Exec(ctx, tx, `UPDATE question SET choice = ?2, who = ?3, chosen = ?4, expires = ?5, closed = NULL
			WHERE id = ?1`, st.ID, choice, who, now.UnixMilli(), st.Expires.UnixMilli())
	})
	return st, err
}

// openStage returns the set with a digest that begins with this text, if it can be decided; ErrDecided if it can't
// any more.
func openStage(ctx context.Context, tx *sql.Tx, digest string, now time.Time) (st record.Stage, err error) {
	found, err := sqlite.Collect(ctx, tx, ScanStage, `SELECT `+StageColumns+` FROM question
		WHERE id IN (SELECT id FROM question s WHERE held <> '' AND substr(held, 1, length(?1)) = ?1 AND ?1 <> '' AND `+askedLast+`)
		ORDER BY opened DESC`, digest)
	switch {
	case err != nil:
		return st, err
	case len(found) == 0:
		return st, sqlite.Unknown("set of changes %s", digest)
	case len(found) > 1 && found[0].Set != digest:
		return st, fmt.Errorf("%d sets of changes begin with %s: type more of it", len(found), digest)
	}
	switch st = found[0]; {
	case st.Choice == record.Approved && st.Closed.IsZero():
		return st, fmt.Errorf("%s was approved by %s, and the next run makes what is left of it: %w", st.Set, st.Who, ErrDecided)
	case st.Choice != record.Undecided:
		return st, fmt.Errorf("%s was %s by %s: %w", st.Set, st.Choice, st.Who, ErrDecided)
	case !st.Expires.After(now):
		return st, fmt.Errorf("%s has expired, and is asked anew by the next run: %w", st.Set, ErrDecided)
	}
	return st, nil
}

// Mapped returns the fingerprints of a binding's fields as they were last agreed to, by a person or by a run that
// found nothing to ask; nil for a binding that has none yet.
func (s *Store) Mapped(ctx context.Context, b record.Binding) (map[string]string, error) {
	var out map[string]string
	err := sqlite.Setting(ctx, s.db.Reader, b, "mapped", &out)
	return out, s.db.Explain("read fields", err)
}

// KeepMapped keeps the fingerprints of a binding's fields as agreed to. From now on no field counts as read in
// another way than it was when that was done.
func (s *Store) KeepMapped(ctx context.Context, l record.Lease, prints map[string]string) error {
	return s.db.Lease(ctx, l, "note fields", func(ctx context.Context, tx *sql.Tx) error {
		if err := sqlite.Exec(ctx, tx, `DELETE FROM setting WHERE binding = ?1 AND name = 'reread'`, l.Binding); err != nil {
			return err
		}
		return sqlite.PutSetting(ctx, tx, l.Binding, "mapped", sqlite.JSON(prints))
	})
}

// Asking returns which change of a binding's fields a person is asked about, and since when; "" if there is none.
func (s *Store) Asking(ctx context.Context, b record.Binding) (fields string, since time.Time, err error) {
	var text string
	var x asking
	err = s.db.Reader.QueryRowContext(ctx, `SELECT value FROM setting WHERE binding = ?1 AND name = 'asking'`, b).Scan(&text)
	if sqlite.IsNone(err) {
		return "", since, nil
	}
	if err == nil {
		err = sqlite.Decode(text, &x)
	}
	return x.Fields, time.UnixMilli(x.Since), s.db.Explain("read which fields are asked about", err)
}

// asking is the change of fields that a person is asked about.
type asking struct {
	Fields string `json:"fields"`
	Since  int64  `json:"since"` // in milliseconds, as sets are dated
}

// KeepAsking keeps which change of a binding's fields a person is asked about.
func (s *Store) KeepAsking(ctx context.Context, l record.Lease, fields string, since time.Time) error {
	return s.db.Lease(ctx, l, "note which fields are asked about", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.PutSetting(ctx, tx, l.Binding, "asking", sqlite.JSON(asking{fields, since.UnixMilli()}))
	})
}
