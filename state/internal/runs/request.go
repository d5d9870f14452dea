package runs

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Request files a run for the process that runs jobs, and returns the number by which it can be followed. It needs
// no lease: a person asks while jobs run.
func (s *Store) Request(ctx context.Context, r record.Request) (int64, error) {
	var id int64
	err := s.db.Write(ctx, "ask for a run", func(ctx context.Context, tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `INSERT INTO request (binding, options, asked, asker) VALUES (?1, ?2, ?3, ?4)
			RETURNING id`, r.Binding, r.Options, r.Asked.UnixMilli(), r.By).Scan(&id)
	})
	return id, err
}

const requestColumns = `id, binding, options, asked, asker, taken, run, ended, outcome, error`

func scanRequest(rows *sql.Rows) (r record.Request, err error) {
	err = rows.Scan(&r.ID, &r.Binding, &r.Options, sqlite.AsTime(&r.Asked), &r.By, sqlite.AsTime(&r.Taken), &r.Run, sqlite.AsTime(&r.Ended), &r.Outcome, &r.Error)
	return r, err
}

// OpenRequests reads the requests that are to be taken up. Its index answers it, because it is asked each second.
const OpenRequests = `SELECT ` + requestColumns + ` FROM request
	WHERE ended IS NULL AND (taken IS NULL OR term IS NOT ?1) ORDER BY id`

// TakeRequests takes up the open requests, oldest first. Among them is what an earlier process took up and did not
// end. What this process took up is not returned twice. If none waits, nothing is written.
func (s *Store) TakeRequests(ctx context.Context, now time.Time) ([]record.Request, error) {
	waiting, err := sqlite.Collect(ctx, s.db.Reader, scanRequest, OpenRequests, s.db.Term.Load())
	if err != nil || len(waiting) == 0 {
		return nil, s.db.Explain("read requests", err)
	}
	var taken []record.Request
	err = s.db.AsHolder(ctx, "take requests", func(ctx context.Context, tx *sql.Tx) error {
		taken, err = sqlite.Collect(ctx, tx, scanRequest, OpenRequests, s.db.Term.Load())
		if err != nil {
			return err
		}
		for i := range taken {
			taken[i].Taken = time.UnixMilli(now.UnixMilli()).UTC()
			err := sqlite.Exec(ctx, tx, `UPDATE request SET taken = ?2, term = ?3 WHERE id = ?1`, taken[i].ID, now.UnixMilli(), s.db.Term.Load())
			if err != nil {
				return err
			}
		}
		return nil
	})
	return taken, err
}

// ServeRequest notes the run that was begun for a request, so that the asker can
// follow it.
func (s *Store) ServeRequest(ctx context.Context, id, run int64) error {
	return s.db.AsHolder(ctx, "serve request", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.One(ctx, tx, sqlite.Unknown("open request %d", id), `UPDATE request SET run = ?2 WHERE id = ?1 AND ended IS NULL`, id, run)
	})
}

// EndRequest notes how a request ended.
func (s *Store) EndRequest(ctx context.Context, id int64, outcome record.Outcome, errText string, now time.Time) error {
	return s.db.AsHolder(ctx, "end request", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.One(ctx, tx, sqlite.Unknown("open request %d", id),
			`UPDATE request SET ended = ?2, outcome = ?3, error = ?4 WHERE id = ?1 AND ended IS NULL`,
			id, now.UnixMilli(), outcome, errText)
	})
}

// Withdraw takes back a request that nobody took up yet. It returns false if somebody did, or if
// the request is over.
func (s *Store) Withdraw(ctx context.Context, id int64, now time.Time) (bool, error) {
	var n int64
	err := s.db.Write(ctx, "withdraw request", func(ctx context.Context, tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `UPDATE request SET ended = ?2, outcome = ?3
			WHERE id = ?1 AND taken IS NULL AND ended IS NULL`, id, now.UnixMilli(), record.Withdrawn)
		if err == nil {
			n, err = res.RowsAffected()
		}
		return err
	})
	return n > 0, err
}

// Followed returns a request as it stands now: whether it was taken up, its run, its end.
func (s *Store) Followed(ctx context.Context, id int64) (record.Request, error) {
	r, ok, err := sqlite.First(sqlite.Collect(ctx, s.db.Reader, scanRequest, `SELECT `+requestColumns+` FROM request WHERE id = ?1`, id))
	if err == nil && !ok {
		err = sqlite.Unknown("request %d", id)
	}
	return r, s.db.Explain("follow request", err)
}
