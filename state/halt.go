package state

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/record"
)

const haltColumns = `id, binding, side, name, text, resume, detail, run, at, answer, who, ended`

func scanHalt(rows *sql.Rows) (h record.Halt, err error) {
	var at, ended sql.NullInt64
	err = rows.Scan(&h.ID, &h.Binding, &h.Side, &h.Name, &h.Text, &h.Resume, &h.Detail, &h.Run, &at, &h.Answer, &h.Who, &ended)
	h.At, h.Ended = instant(at), instant(ended)
	return h, err
}

// Halt makes these the open halts of the lease's binding among those of the names
// given: each that is open already keeps its beginning and, if it is about the same
// detail, its answer; those that are not among them are over.
func (s *Store) Halt(ctx context.Context, l record.Lease, names []string, halts []record.Halt, now time.Time) error {
	return s.lease(ctx, l, "note halts", func(ctx context.Context, tx *sql.Tx) error {
		for _, h := range halts {
			err := exec(ctx, tx, `INSERT INTO halt (binding, side, name, text, resume, detail, run, at)
				VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
				ON CONFLICT (binding, side, name) WHERE ended IS NULL DO UPDATE SET text = excluded.text,
				resume = excluded.resume, run = excluded.run, detail = excluded.detail,
				answer = CASE WHEN detail = excluded.detail THEN answer ELSE '' END,
				who = CASE WHEN detail = excluded.detail THEN who ELSE '' END`,
				l.Binding, h.Side, h.Name, h.Text, h.Resume, h.Detail, l.Run, now.UnixMilli())
			if err != nil {
				return fmt.Errorf("halt %s: %w", h.Name, err)
			}
		}
		open, err := collect(ctx, tx, scanHalt, `SELECT `+haltColumns+` FROM halt WHERE binding = ?1 AND ended IS NULL`, l.Binding)
		if err != nil {
			return err
		}
		for _, o := range open {
			stands := slices.ContainsFunc(halts, func(h record.Halt) bool { return h.Side == o.Side && h.Name == o.Name })
			if stands || !slices.Contains(names, o.Name) {
				continue
			}
			if err := exec(ctx, tx, `UPDATE halt SET ended = ?2 WHERE id = ?1`, o.ID, now.UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Halts is the open halts of a binding, of all where it is empty, oldest first.
func (s *Store) Halts(ctx context.Context, b record.Binding) ([]record.Halt, error) {
	halts, err := collect(ctx, s.reader, scanHalt, `SELECT `+haltColumns+` FROM halt
		WHERE ended IS NULL AND (?1 = '' OR binding = ?1) ORDER BY at, id`, b)
	return halts, s.explain("read halts", err)
}

// HaltsBeside is the open halts of a name that stop other jobs of a system, and that nobody has answered, oldest first. None are
// given while the place has an open halt of that name. Later, a halt that began before that one ended is left out: a
// person has answered it.
func (s *Store) HaltsBeside(ctx context.Context, p record.Place, system record.System, name string) ([]record.Halt, error) {
	halts, err := collect(ctx, s.reader, scanHalt, `SELECT `+haltColumns+` FROM halt
		WHERE ended IS NULL AND answer = '' AND name = ?4 AND binding <> ?1
		AND (SELECT iif(halt.side = 0, left_system, right_system) FROM binding b WHERE b.binding = halt.binding) = ?3
		AND NOT EXISTS (SELECT 1 FROM halt mine WHERE mine.binding = ?1 AND mine.side = ?2 AND mine.name = ?4
			AND coalesce(mine.ended, halt.at) >= halt.at)
		ORDER BY at, id`, p.Binding, p.Side, system, name)
	return halts, s.explain("read halts of other jobs", err)
}

// AnswerHalts notes what a person says to the open halts of a binding that have one of these names, to all
// where there are none, and returns them as they stand then. It needs no lease: the next run takes it up.
func (s *Store) AnswerHalts(ctx context.Context, b record.Binding, answer record.Answer, who string, names ...string) ([]record.Halt, error) {
	of, err := encode(append([]string{}, names...))
	if err != nil {
		return nil, err
	}
	var halts []record.Halt
	err = s.write(ctx, "answer halts", func(ctx context.Context, tx *sql.Tx) (err error) {
		halts, err = collect(ctx, tx, scanHalt, `UPDATE halt SET answer = ?2, who = ?3 WHERE binding = ?1 AND ended IS NULL
			AND (json_array_length(?4) = 0 OR name IN (SELECT value FROM json_each(?4)))
			RETURNING `+haltColumns, b, answer, who, of)
		return err
	})
	return halts, err
}

// Witnessed is what a place was last seen to be.
func (s *Store) Witnessed(ctx context.Context, p record.Place) (map[string]record.Witness, error) {
	list, err := collect(ctx, s.reader, func(rows *sql.Rows) (w record.Witness, err error) {
		var at sql.NullInt64
		err = rows.Scan(&w.Name, &w.Value, &at)
		w.At = instant(at)
		return w, err
	}, `SELECT name, value, at FROM witnessed WHERE binding = ?1 AND side = ?2`, p.Binding, p.Side)
	out := make(map[string]record.Witness, len(list))
	for _, w := range list {
		out[w.Name] = w
	}
	return out, s.explain("read what a side was seen to be", err)
}

// Witness keeps what a place of the lease's binding is seen to be.
func (s *Store) Witness(ctx context.Context, l record.Lease, side record.Side, name, value string, now time.Time) error {
	return s.lease(ctx, l, "note what a side is", func(ctx context.Context, tx *sql.Tx) error {
		return exec(ctx, tx, `INSERT INTO witnessed (binding, side, name, value, at) VALUES (?1, ?2, ?3, ?4, ?5)
			ON CONFLICT (binding, side, name) DO UPDATE SET value = excluded.value, at = excluded.at`,
			l.Binding, side, name, value, now.UnixMilli())
	})
}
