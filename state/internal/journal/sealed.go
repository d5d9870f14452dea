package journal

import (
	"context"
	"database/sql"
	"fmt"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// sealedToSetting names a setting of a binding: in changes that ended before that time, the values have been
// replaced by digests.
const sealedToSetting = "sealed_to"

// Seal turns the values of changes that have ended into digests.
func Seal(ctx context.Context, tx *sql.Tx, b record.Binding) error {
	var from int64
	err := tx.QueryRowContext(ctx, `SELECT CAST(value AS INTEGER) FROM setting WHERE binding = ?1 AND name = ?2`, b, sealedToSetting).Scan(&from)
	if err != nil && !sqlite.IsNone(err) {
		return err
	}
	ended, err := sqlite.Collect(ctx, tx, scanChange, `SELECT `+Columns+` FROM intent i
		WHERE i.ended_at >= ?2 AND i.binding = ?1`, b, from)
	if err != nil || len(ended) == 0 {
		return err
	}
	for _, c := range ended {
		if err := sealIntent(ctx, tx, c); err != nil {
			return err
		}
		from = max(from, c.EndedAt.UnixMilli())
	}
	return sqlite.PutSetting(ctx, tx, b, sealedToSetting, fmt.Sprint(from))
}

func sealIntent(ctx context.Context, tx *sql.Tx, c Change) error {
	s := sqlite.SealOf(ctx)
	ch := c.Change
	what, err := sqlite.Encode(change{
		Op: ch.Op.String(), Ref: ch.Ref, Fields: s.Fields(ch.Fields), Before: s.Fields(ch.Before), Version: ch.Version, Stamp: ch.Stamp,
	})
	if err != nil {
		return err
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		f.Before, f.After, f.Loser = s.Value(f.Before), s.Value(f.After), s.Value(f.Loser)
	}
	fields, err := sqlite.Encode(c.Fields)
	if err != nil {
		return err
	}
	var answer any
	if r := c.Receipt; r != nil {
		answer, err = sqlite.Encode(receipt{
			Ref: r.Ref, Version: r.Version, Fields: s.Fields(r.Fields), Provisional: r.Provisional, Changed: sqlite.MomentOf(r.Changed), Created: sqlite.MomentOf(r.Created),
			At: sqlite.MomentOf(r.At), SettleUntil: sqlite.MomentOf(r.SettleUntil), Adopted: r.Adopted, Note: r.Note,
		})
		if err != nil {
			return err
		}
	}
	return sqlite.Exec(ctx, tx, `UPDATE intent SET change = ?2, fields = ?3, bases = '[null,null]', receipt = ?4 WHERE id = ?1`,
		c.ID, what, fields, answer)
}
