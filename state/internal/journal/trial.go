package journal

import (
	"context"
	"database/sql"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Trials returns the last trial of each operation on each side of a binding, and the trials that were put aside;
// those of all bindings if b is empty.
func (s *Store) Trials(ctx context.Context, b record.Binding) ([]record.Trial, error) {
	return sqlite.List(ctx, s.db, "read trials", func(rows *sql.Rows) (t record.Trial, err error) {
		var op, sent, found, left, proved, listed string
		var original sql.NullString
		err = rows.Scan(&t.Place.Binding, &t.Place.Side, &op, &t.Described, &t.Ref.Kind, &t.Ref.ID, &sent, &original, &t.State, &found, &left, sqlite.AsTime(&t.At), sqlite.AsTime(&t.Ended), &proved, &listed, &t.Looks)
		if err != nil {
			return t, err
		}
		t.Op = record.OpNamed(op)
		texts := [5]string{sent, found, left, proved, listed}
		for i, into := range [5]*[]string{&t.Sent, &t.Found, &t.Left, &t.Proved, &t.Listed} {
			if err := sqlite.Decode(texts[i], into); err != nil {
				return t, err
			}
		}
		if original.Valid {
			return t, sqlite.Decode(original.String, &t.Original)
		}
		return t, nil
	}, `SELECT binding, side, op, described, kind, ref, sent, original, state, found, left_so, at, ended, proved, listed, looks FROM trial
		WHERE ?1 = '' OR binding = ?1 ORDER BY binding, side, op, at, kind, ref`, b)
}

// KeepTrial stores the trial of an operation in place of the one before it. A trial that is put aside takes no
// other's place. Where values are kept as digests, the original is kept so too, without its empty fields.
func (s *Store) KeepTrial(ctx context.Context, l record.Lease, t record.Trial) error {
	return s.db.Lease(ctx, l, "keep a trial", func(ctx context.Context, tx *sql.Tx) error {
		original := t.Original
		if seal := sqlite.SealOf(ctx); seal.On && original != nil {
			original = record.Fields{}
			for p, v := range t.Original {
				if !v.Empty() {
					original[p] = seal.Value(v)
				}
			}
		}
		whole, err := sqlite.EncodeFields(original)
		if err != nil {
			return err
		}
		texts := [5]any{}
		for i, paths := range [5][]string{t.Sent, t.Found, t.Left, t.Proved, t.Listed} {
			if texts[i], err = sqlite.Encode(append([]string{}, paths...)); err != nil {
				return err
			}
		}
		if t.State != record.TrialAside {
			if err := sqlite.Exec(ctx, tx, `DELETE FROM trial WHERE binding = ?1 AND side = ?2 AND op = ?3 AND state <> ?4`,
				l.Binding, t.Place.Side, t.Op.String(), record.TrialAside); err != nil {
				return err
			}
		}
		return sqlite.Exec(ctx, tx, `INSERT OR REPLACE INTO trial (binding, side, op, described, kind, ref, sent, original, state, found, left_so, at, ended, proved, listed, looks)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)`,
			l.Binding, t.Place.Side, t.Op.String(), t.Described, t.Ref.Kind, t.Ref.ID, texts[0], whole, t.State, texts[1], texts[2], t.At.UnixMilli(), sqlite.Millis(t.Ended), texts[3], texts[4], t.Looks)
	})
}

// DropTrial forgets a trial that was not carried out.
func (s *Store) DropTrial(ctx context.Context, l record.Lease, t record.Trial) error {
	return s.db.Lease(ctx, l, "drop a trial", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.Exec(ctx, tx, `DELETE FROM trial WHERE binding = ?1 AND side = ?2 AND op = ?3 AND kind = ?4 AND ref = ?5`,
			l.Binding, t.Place.Side, t.Op.String(), t.Ref.Kind, t.Ref.ID)
	})
}
