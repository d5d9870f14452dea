package files

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"

	"nightporter/state/internal/sqlite"
)

// Stats is how big the state is and what waits in it.
type Stats struct {
	FileBytes int64
	WALBytes  int64
	FreeBytes int64 // free in the file, left by deleted rows
	// Rows is the number of rows by table name. The rows of link, entry, run, alert and scan are not counted, but
	// computed from their numbers: the result is too high by as many rows as were pruned in the middle.
	Rows map[string]int64
	// Open is how many things are not done yet, by name: "intents" without a receipt and "lost" ones, "conflicts",
	// "requests", "hints", "calls".
	Open map[string]int64
}

const (
	rowsQuery = `SELECT 'link', coalesce(max(id), 0) FROM link
		UNION ALL SELECT 'entry', coalesce(max(num), 0) FROM entry
		UNION ALL SELECT 'run', coalesce((SELECT max(id) FROM run) - (SELECT min(id) FROM run) + 1, 0)
		UNION ALL SELECT 'alert', coalesce((SELECT max(id) FROM alert) - (SELECT min(id) FROM alert) + 1, 0)
		UNION ALL SELECT 'scan', coalesce((SELECT max(id) FROM scan) - (SELECT min(id) FROM scan) + 1, 0)
		UNION ALL SELECT 'intent', count(*) FROM intent`
	openQuery = `SELECT 'intents', count(*) FROM intent WHERE state IN ` + sqlite.IntentsOpen + ` AND state <> ` + sqlite.IntentLost + `
		UNION ALL SELECT 'lost', count(*) FROM intent WHERE state IN ` + sqlite.IntentsOpen + ` AND state = ` + sqlite.IntentLost + `
		UNION ALL SELECT 'conflicts', count(*) FROM question WHERE closed IS NULL AND (link <> 0 OR entry <> 0)
		UNION ALL SELECT 'requests', count(*) FROM request WHERE ended IS NULL
		UNION ALL SELECT 'hints', count(*) FROM hint WHERE done IS NULL
		UNION ALL SELECT 'calls', count(*) FROM call WHERE answered < seq`
)

// Stats measures the state. It is cheap enough to be asked for every few seconds: it reads no records, and counts the
// journal by an index.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	var out Stats
	var pages, free, size int64
	err := s.db.Reader.QueryRowContext(ctx, `SELECT p.page_count, f.freelist_count, s.page_size
		FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s`).Scan(&pages, &free, &size)
	if err != nil {
		return Stats{}, s.db.Explain("measure state", err)
	}
	out.FileBytes, out.FreeBytes = pages*size, free*size
	if s.db.Path != sqlite.Memory {
		info, err := os.Stat(s.db.Path + "-wal")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Stats{}, s.db.Explain("measure state", err)
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
	found, err := sqlite.Collect(ctx, s.db.Reader, func(rows *sql.Rows) (c number, err error) {
		err = rows.Scan(&c.name, &c.n)
		return c, err
	}, query)
	out := make(map[string]int64, len(found))
	for _, c := range found {
		out[c.name] = c.n
	}
	return out, s.db.Explain("count", err)
}
