package questions

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// HaltColumns are the columns of a halt, as ScanHalt reads them.
const HaltColumns = `id, binding, side, name, text, resume, rests, run, at, answer, who, ended`

// ScanHalt reads a row of HaltColumns.
func ScanHalt(rows *sql.Rows) (h record.Halt, err error) {
	var rests string
	err = rows.Scan(&h.ID, &h.Binding, &h.Side, &h.Name, &h.Text, &h.Resume, &rests, &h.Run, sqlite.AsTime(&h.At), &h.Answer, &h.Who, sqlite.AsTime(&h.Ended))
	if err == nil {
		h.Rests, err = record.DecodeRests(rests)
	}
	return h, sqlite.Garbled(fmt.Sprintf("halt %d", h.ID), err)
}

// Halt makes these the open halts of the lease's binding among those of the names
// given: each that is open already keeps its beginning and, if it is about the same
// thing, its answer; those that are not among them are over.
func (s *Store) Halt(ctx context.Context, l record.Lease, names []string, halts []record.Halt, now time.Time) error {
	return s.db.Lease(ctx, l, "note halts", func(ctx context.Context, tx *sql.Tx) error {
		for _, h := range halts {
			err := sqlite.Exec(ctx, tx, `INSERT INTO halt (binding, side, name, text, resume, rests, run, at)
				VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
				ON CONFLICT (binding, side, name) WHERE ended IS NULL DO UPDATE SET text = excluded.text,
				resume = excluded.resume, run = excluded.run, rests = excluded.rests,
				answer = CASE WHEN rests = excluded.rests THEN answer ELSE '' END,
				who = CASE WHEN rests = excluded.rests THEN who ELSE '' END`,
				l.Binding, h.Side, h.Name, h.Text, h.Resume, h.Rests.Encode(), l.Run, now.UnixMilli())
			if err != nil {
				return fmt.Errorf("halt %s: %w", h.Name, err)
			}
		}
		open, err := sqlite.Collect(ctx, tx, ScanHalt, `SELECT `+HaltColumns+` FROM halt WHERE binding = ?1 AND ended IS NULL`, l.Binding)
		if err != nil {
			return err
		}
		for _, o := range open {
			stands := slices.ContainsFunc(halts, func(h record.Halt) bool { return h.Side == o.Side && h.Name == o.Name })
			if stands || !slices.Contains(names, o.Name) {
				continue
			}
			if err := sqlite.Exec(ctx, tx, `UPDATE halt SET ended = ?2 WHERE id = ?1`, o.ID, now.UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Halts is the open halts of a binding, of all where it is empty, oldest first.
func (s *Store) Halts(ctx context.Context, b record.Binding) ([]record.Halt, error) {
	return sqlite.List(ctx, s.db, "read halts", ScanHalt, `SELECT `+HaltColumns+` FROM halt
		WHERE ended IS NULL AND (?1 = '' OR binding = ?1) ORDER BY at, id`, b)
}

// AnswerHalts notes what a person says to the open halts of a binding that have one of these names, to all
// where there are none, and returns them as they stand then. It needs no lease: the next run takes it up.
func (s *Store) AnswerHalts(ctx context.Context, b record.Binding, answer record.Answer, who string, names ...string) ([]record.Halt, error) {
	var halts []record.Halt
	err := s.db.Write(ctx, "answer halts", func(ctx context.Context, tx *sql.Tx) (err error) {
		halts, err = sqlite.Collect(ctx, tx, ScanHalt, `UPDATE halt SET answer = ?2, who = ?3 WHERE binding = ?1 AND ended IS NULL
			AND (json_array_length(?4) = 0 OR name IN (SELECT value FROM json_each(?4)))
			RETURNING `+HaltColumns, b, answer, who, sqlite.JSON(append([]string{}, names...)))
		return err
	})
	return halts, err
}
