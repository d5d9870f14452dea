package events

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"nightporter/state/internal/asked"
	"nightporter/state/internal/journal"
	"nightporter/state/internal/questions"
	"nightporter/state/internal/runs"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Happened returns what happened and nobody was told of, at most n rows, in the order in which it was committed.
// What happened before the first destination was there is not among it.
func (s *Store) Happened(ctx context.Context, n int) ([]record.Happening, error) {
	all, err := sqlite.Collect(ctx, s.db.Reader, func(rows *sql.Rows) (h record.Happening, err error) {
		err = rows.Scan(&h.Seq, &h.Binding, &h.What, &h.Key, sqlite.AsTime(&h.At), &h.Systems[record.Left], &h.Systems[record.Right])
		return h, err
	}, `SELECT h.seq, h.binding, h.what, h.ref, h.at, b.left_system, b.right_system
		FROM happening h JOIN binding b ON b.binding = h.binding ORDER BY h.seq LIMIT ?1 + 0`, n)
	for i := range all {
		if err == nil {
			err = s.fillHappening(ctx, &all[i])
		}
	}
	return all, s.db.Explain("read what happened", err)
}

// fillHappening adds the row of the journal that tells what happened, and the records that it is about.
func (s *Store) fillHappening(ctx context.Context, h *record.Happening) error {
	var err error
	switch h.What {
	case "change":
		h.Change, err = row1(sqlite.Collect(ctx, s.db.Reader, journal.ScanIntent, `SELECT `+journal.Columns+` FROM intent i WHERE i.id = ?1`, h.Key))
		if err != nil || h.Change == nil {
			return err
		}
		h.Refs[h.Change.Place.Side] = h.Change.Change.Ref
		return s.refsOf(ctx, h, h.Change.Link, h.Change.From)
	case "question":
		h.Question, err = row1(sqlite.Collect(ctx, s.db.Reader, asked.Scan, `SELECT `+asked.Columns+` FROM question WHERE id = ?1`, numberOf(h.Key)))
		if err != nil || h.Question == nil {
			return err
		}
		return s.refsOf(ctx, h, h.Question.Link, h.Question.Entry)
	case "held":
		h.Held, err = row1(sqlite.Collect(ctx, s.db.Reader, questions.ScanStage, `SELECT `+questions.StageColumns+` FROM question WHERE id = (SELECT max(id) FROM question WHERE held = ?1)`, h.Key))
	case "run":
		h.Ended, err = row1(sqlite.Collect(ctx, s.db.Reader, runs.ScanRun, `SELECT `+runs.RunColumns+` FROM run WHERE id = ?1`, numberOf(h.Key)))
	}
	return err
}

// refsOf adds the records of a link or, without one, of the one entry.
func (s *Store) refsOf(ctx context.Context, h *record.Happening, link record.LinkID, entry int64) error {
	if link != 0 {
		entry = 0
	}
	type at struct {
		side record.Side
		ref  record.Ref
	}
	found, err := sqlite.Collect(ctx, s.db.Reader, func(rows *sql.Rows) (x at, err error) {
		err = rows.Scan(&x.side, &x.ref.Kind, &x.ref.ID)
		return x, err
	}, `SELECT side, kind, id FROM entry WHERE link = nullif(?1, 0) OR num = nullif(?2, 0)`, link, entry)
	for _, x := range found {
		h.Refs[x.side] = x.ref
	}
	return err
}

// row1 returns the only row of an answer, nil if there is none.
func row1[T any](all []T, err error) (*T, error) {
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// failingSetting names the setting that keeps the failed runs of a job.
const failingSetting = "failing"

// Failing returns, by job, the failed runs in a row that no good run has ended, as others were told of them.
func (s *Store) Failing(ctx context.Context) (map[record.Binding]*record.Failing, error) {
	type kept struct {
		binding record.Binding
		failing record.Failing
	}
	found, err := sqlite.Collect(ctx, s.db.Reader, func(rows *sql.Rows) (k kept, err error) {
		var text string
		if err := rows.Scan(&k.binding, &text); err != nil {
			return k, err
		}
		return k, sqlite.Decode(text, &k.failing)
	}, `SELECT binding, value FROM setting WHERE name = ?1 AND binding <> ''`, failingSetting)
	out := make(map[record.Binding]*record.Failing, len(found))
	for _, k := range found {
		out[k.binding] = &k.failing
	}
	return out, s.db.Explain("read failed runs", err)
}

// Tell keeps the events that were made of what happened up to t.Through, and forgets what happened in the same
// transaction. Events for a destination that is not there any more are dropped. Events for one that said that
// it is gone are dead.
func (s *Store) Tell(ctx context.Context, t record.Told, now time.Time) error {
	return s.db.AsHolder(ctx, "keep events", func(ctx context.Context, tx *sql.Tx) error {
		for _, e := range t.Events {
			err := sqlite.Exec(ctx, tx, `INSERT INTO event (id, destination, binding, type, at, data, since, subject, state, error, ended)
				SELECT ?1, name, ?3, ?4, ?5, ?6, ?7, ?8, iif(gone IS NULL, 'waiting', 'dead'), iif(gone IS NULL, '', error), iif(gone IS NULL, NULL, ?7)
				FROM destination WHERE name = ?2 ON CONFLICT (id, destination) DO NOTHING`,
				e.ID, e.Destination, e.Binding, e.Type, e.At.UnixMilli(), string(e.Data), now.UnixMilli(), e.Subject)
			if err != nil {
				return err
			}
		}
		for b, f := range t.Failing {
			if err := keepFailing(ctx, tx, b, f); err != nil {
				return err
			}
		}
		return sqlite.Exec(ctx, tx, `DELETE FROM happening WHERE seq <= ?1`, t.Through)
	})
}

func keepFailing(ctx context.Context, tx *sql.Tx, b record.Binding, f *record.Failing) error {
	if f == nil {
		return sqlite.Exec(ctx, tx, `DELETE FROM setting WHERE binding = ?1 AND name = ?2`, b, failingSetting)
	}
	return sqlite.PutSetting(ctx, tx, b, failingSetting, sqlite.JSON(f))
}

// numberOf returns the number that a key stands for, 0 if it stands for none.
func numberOf(key string) int64 {
	n, err := strconv.ParseInt(key, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
