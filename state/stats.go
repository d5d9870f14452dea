package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Stats is how big the state is and what waits in it.
type Stats struct {
	FileBytes int64
	WALBytes  int64
	FreeBytes int64 // of the file's: what deleted rows left
	// Rows is the number of rows by table name. Those of link, entry, run, alert and
	// scan are counted by their numbers, which is at most too high by what was pruned
	// in their middle.
	Rows map[string]int64
	// Open is what is not done yet: "intents" without a receipt and those "lost",
	// "conflicts", "requests", "hints", "calls".
	Open map[string]int64
}

const (
	rowsQuery = `SELECT 'link', coalesce(max(id), 0) FROM link
		UNION ALL SELECT 'entry', coalesce(max(num), 0) FROM entry
		UNION ALL SELECT 'run', coalesce((SELECT max(id) FROM run) - (SELECT min(id) FROM run) + 1, 0)
		UNION ALL SELECT 'alert', coalesce((SELECT max(id) FROM alert) - (SELECT min(id) FROM alert) + 1, 0)
		UNION ALL SELECT 'scan', coalesce((SELECT max(id) FROM scan) - (SELECT min(id) FROM scan) + 1, 0)
		UNION ALL SELECT 'intent', count(*) FROM intent`
	openQuery = `SELECT 'intents', count(*) FROM intent WHERE state IN ('prepared', 'sent', 'held') AND state <> 'held'
		UNION ALL SELECT 'lost', count(*) FROM intent WHERE state IN ('prepared', 'sent', 'held') AND state = 'held'
		UNION ALL SELECT 'conflicts', count(*) FROM conflict WHERE closed IS NULL
		UNION ALL SELECT 'requests', count(*) FROM request WHERE ended IS NULL
		UNION ALL SELECT 'hints', count(*) FROM hint WHERE done IS NULL
		UNION ALL SELECT 'calls', count(*) FROM call WHERE answered < seq`
)

// Stats is cheap enough to be asked for every few seconds: nothing in it grows with
// the number of records.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	var out Stats
	var pages, free, size int64
	err := s.reader.QueryRowContext(ctx, `SELECT p.page_count, f.freelist_count, s.page_size
		FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s`).Scan(&pages, &free, &size)
	if err != nil {
		return Stats{}, s.explain("measure state", err)
	}
	out.FileBytes, out.FreeBytes = pages*size, free*size
	if s.path != Memory {
		info, err := os.Stat(s.path + "-wal")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Stats{}, s.explain("measure state", err)
		}
		if err == nil {
			out.WALBytes = info.Size()
		}
	}
	if out.Rows, err = s.numbers(ctx, rowsQuery); err != nil {
		return Stats{}, err
	}
	out.Open, err = s.numbers(ctx, openQuery)
	return out, err
}

func (s *Store) numbers(ctx context.Context, query string) (map[string]int64, error) {
	type number struct {
		name string
		n    int64
	}
	found, err := collect(ctx, s.reader, func(rows *sql.Rows) (c number, err error) {
		err = rows.Scan(&c.name, &c.n)
		return c, err
	}, query)
	out := make(map[string]int64, len(found))
	for _, c := range found {
		out[c.name] = c.n
	}
	return out, s.explain("count", err)
}

// Checkpoint moves what the write-ahead log holds into the file and empties it. It is
// for a moment when nothing runs: a reader in its way makes it give up at once, and
// false says so.
func (s *Store) Checkpoint(ctx context.Context) (bool, error) {
	if s.path == Memory {
		return true, nil
	}
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return false, s.explain("empty log", err)
	}
	defer conn.Close()
	ctx = context.WithoutCancel(ctx)
	if _, err := conn.ExecContext(ctx, `PRAGMA busy_timeout = 0`); err != nil {
		return false, s.explain("empty log", err)
	}
	var busy, log, moved int64
	err = conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &log, &moved)
	_, reset := conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout = %d`, busyTimeoutMS))
	return busy == 0 && err == nil, s.explain("empty log", errors.Join(err, reset))
}
