package questions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// ErrDecided says that a stage can't be decided any more: it was, or it is over.
var ErrDecided = errors.New("it is not open for a decision")

// StageColumns are the columns of a stage s, as ScanStage reads them.
const StageColumns = `s.digest, s.binding, s.side, s.risk, s.guard, s.why, s.run, s.at, s.expires, s.decision, s.who,
	s.decided, s.ended, (SELECT count(*) FROM staged d WHERE d.stage = s.digest),
	(SELECT count(*) FROM staged d WHERE d.stage = s.digest AND d.state = '')`

// ScanStage reads a row of StageColumns.
func ScanStage(rows *sql.Rows) (s record.Stage, err error) {
	err = rows.Scan(&s.Digest, &s.Binding, &s.Side, &s.Risk, &s.Guard, &s.Why, &s.Run, sqlite.AsTime(&s.At), sqlite.AsTime(&s.Expires), &s.Decision, &s.Who,
		sqlite.AsTime(&s.Decided), sqlite.AsTime(&s.Ended), &s.Size, &s.Left)
	return s, err
}

// Stages is the stages of a binding, of all if b is empty, oldest first: those that are
// not over, or with over those that are, too.
func (s *Store) Stages(ctx context.Context, b record.Binding, over bool) ([]record.Stage, error) {
	return sqlite.List(ctx, s.db, "read stages", ScanStage, `SELECT `+StageColumns+` FROM stage s
		WHERE (?1 = '' OR s.binding = ?1) AND (?2 OR s.ended IS NULL) ORDER BY s.at, s.digest`, b, over)
}

// StagedOf is the changes of a stage: at most n of them, all with n 0.
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
	}, `SELECT action, link, entry, kind, id, text, after, state, parts FROM staged WHERE stage = ?1 ORDER BY kind, id, action LIMIT ?2 + 0`, digest, n)
}

// stoodAt is where the fields of a held change keep what stood on each side before it. No system
// has such a path: it begins with an @.
var stoodAt = [2]string{"@left", "@right"} //nolint:gochecknoglobals // a fixed list

// withStood is what a held change would write, and what stood there before it.
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

// takeStood parts what stood before a held change from what it would write.
func takeStood(x *record.Staged) {
	for side, at := range stoodAt {
		if v, ok := x.After[at]; ok {
			x.Stood[side] = record.Fields(v.Map())
			delete(x.After, at)
		}
	}
}

// Stage keeps a set of changes that a guard held. Another set of the same side and risk
// that nobody decided is over: this one took its place. A set that was there before is
// asked anew if it was over, and otherwise left as it is.
func (s *Store) Stage(ctx context.Context, l record.Lease, st record.Stage, rows []record.Staged) error {
	return s.db.Lease(ctx, l, "stage changes", func(ctx context.Context, tx *sql.Tx) error {
		err := sqlite.Exec(ctx, tx, `UPDATE stage SET ended = ?5 WHERE binding = ?1 AND side = ?2 AND risk = ?3 AND digest <> ?4
			AND ended IS NULL AND decision = ''`, l.Binding, st.Side, st.Risk, st.Digest, st.At.UnixMilli())
		if err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, `INSERT INTO stage (digest, binding, side, risk, guard, why, run, at, expires)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (digest) DO UPDATE SET guard = excluded.guard,
			why = excluded.why, run = excluded.run, at = excluded.at, expires = excluded.expires, decision = '', who = '',
			decided = NULL, ended = NULL WHERE stage.ended IS NOT NULL`, st.Digest, l.Binding, st.Side, st.Risk, st.Guard,
			st.Why, l.Run, st.At.UnixMilli(), st.Expires.UnixMilli())
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		for _, x := range rows {
			after, err := sqlite.Encode(withStood(sqlite.SealOf(ctx), x))
			if err != nil {
				return err
			}
			parts, err := sqlite.Encode(append([]string{}, x.Parts...))
			if err != nil {
				return err
			}
			err = sqlite.Exec(ctx, tx, `INSERT INTO staged (stage, action, link, entry, kind, id, text, after, parts)
				VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT DO UPDATE SET state = '', parts = excluded.parts`,
				st.Digest, x.Action, x.Link, x.Entry, x.Ref.Kind, x.Ref.ID, x.Text, after, parts)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// NoteStaged notes what became of changes of a decided stage. A stage of which none is
// left is over; one of which some were put back is not: the same may be done again.
func (s *Store) NoteStaged(ctx context.Context, l record.Lease, digest string, actions []string, became string, now time.Time) error {
	return s.db.Lease(ctx, l, "note staged changes", func(ctx context.Context, tx *sql.Tx) error {
		for _, a := range actions {
			if err := sqlite.Exec(ctx, tx, `UPDATE staged SET state = ?3 WHERE stage = ?1 AND action = ?2`, digest, a, became); err != nil {
				return err
			}
		}
		return sqlite.Exec(ctx, tx, `UPDATE stage SET ended = ?3 WHERE digest = ?1 AND binding = ?2 AND ended IS NULL
			AND NOT EXISTS (SELECT 1 FROM staged WHERE stage = ?1 AND state IN ('', ?4))`, digest, l.Binding, now.UnixMilli(), record.StagedBack)
	})
}

// EndStage says that a stage is over: it expired, or nothing of it is wanted any more.
// One that a person has decided meanwhile stays as long as that counts.
func (s *Store) EndStage(ctx context.Context, l record.Lease, digest string, now time.Time) error {
	return s.db.Lease(ctx, l, "end stage", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.Exec(ctx, tx, `UPDATE stage SET ended = ?3 WHERE digest = ?1 AND binding = ?2 AND ended IS NULL
			AND (decision = '' OR expires <= ?3)`, digest, l.Binding, now.UnixMilli())
	})
}

// DecideStage notes what a person said of the stage whose digest begins so, and until
// when that counts; zero leaves the time that the stage has. A set that a larger one
// took the place of can still be decided: it says just what is in it. It needs no lease:
// a person decides while jobs run.
func (s *Store) DecideStage(ctx context.Context, digest string, d record.Decision, who string, until, now time.Time) (st record.Stage, err error) {
	if d != record.Approved && d != record.Refusal {
		return st, fmt.Errorf("decide %s: %q is neither of %s and %s", digest, d, record.Approved, record.Refusal)
	}
	err = s.db.Write(ctx, "decide stage", func(ctx context.Context, tx *sql.Tx) error {
		found, err := sqlite.Collect(ctx, tx, ScanStage, `SELECT `+StageColumns+` FROM stage s
			WHERE substr(s.digest, 1, length(?1)) = ?1 AND ?1 <> '' ORDER BY s.at DESC`, digest)
		switch {
		case err != nil:
			return err
		case len(found) == 0:
			return sqlite.Unknown("set of changes %s", digest)
		case len(found) > 1 && found[0].Digest != digest:
			return fmt.Errorf("%d sets of changes begin with %s: type more of it", len(found), digest)
		}
		switch st = found[0]; {
		case st.Decision == record.Approved && st.Ended.IsZero():
			return fmt.Errorf("%s was approved by %s, and the next run makes what is left of it: %w", st.Digest, st.Who, ErrDecided)
		case st.Decision != record.Undecided:
			return fmt.Errorf("%s was %s by %s: %w", st.Digest, st.Decision, st.Who, ErrDecided)
		case !st.Expires.After(now):
			return fmt.Errorf("%s has expired, and is asked anew by the next run: %w", st.Digest, ErrDecided)
		}
		st.Decision, st.Who, st.Decided, st.Ended = d, who, now, time.Time{}
		if !until.IsZero() {
			st.Expires = until
		}
		return sqlite.Exec(ctx, tx, `UPDATE stage SET decision = ?2, who = ?3, decided = ?4, expires = ?5, ended = NULL
			WHERE digest = ?1`, st.Digest, d, who, now.UnixMilli(), st.Expires.UnixMilli())
	})
	return st, err
}

// Mapped is the fingerprints of a binding's fields as they were when a person, or a run
// that found nothing to ask, last agreed to them; nil for a binding that has none yet.
func (s *Store) Mapped(ctx context.Context, b record.Binding) (map[string]string, error) {
	var out map[string]string
	err := sqlite.Setting(ctx, s.db.Reader, b, "fields", &out)
	return out, s.db.Explain("read fields", err)
}

// KeepMapped keeps the fingerprints of a binding's fields as agreed to: none is read in another
// way than that.
func (s *Store) KeepMapped(ctx context.Context, l record.Lease, prints map[string]string) error {
	return s.db.Lease(ctx, l, "note fields", func(ctx context.Context, tx *sql.Tx) error {
		if err := sqlite.Exec(ctx, tx, `DELETE FROM setting WHERE binding = ?1 AND name = 'reread'`, l.Binding); err != nil {
			return err
		}
		return sqlite.PutSetting(ctx, tx, l.Binding, "fields", sqlite.JSON(prints))
	})
}

// Asking is the change of a binding's fields that a person is asked about, and since when; "" for
// none.
func (s *Store) Asking(ctx context.Context, b record.Binding) (guard string, since time.Time, err error) {
	var text string
	var x asking
	err = s.db.Reader.QueryRowContext(ctx, `SELECT value FROM setting WHERE binding = ?1 AND name = 'asking'`, b).Scan(&text)
	if sqlite.IsNone(err) {
		return "", since, nil
	}
	if err == nil {
		err = sqlite.Decode(text, &x)
	}
	return x.Guard, time.UnixMilli(x.Since), s.db.Explain("read which fields are asked about", err)
}

// asking is the change of fields that a person is asked about.
type asking struct {
	Guard string `json:"guard"`
	Since int64  `json:"since"` // in milliseconds, as stages are dated
}

// KeepAsking keeps which change of a binding's fields a person is asked about.
func (s *Store) KeepAsking(ctx context.Context, l record.Lease, guard string, since time.Time) error {
	return s.db.Lease(ctx, l, "note which fields are asked about", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.PutSetting(ctx, tx, l.Binding, "asking", sqlite.JSON(asking{guard, since.UnixMilli()}))
	})
}
