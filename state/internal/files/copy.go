package files

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	"nightporter/state/internal/sqlite"
)

// Image returns all that a database in memory holds, for Options.Image of another Store. For a Store in a
// file there is CopyTo.
func (s *Store) Image(ctx context.Context) ([]byte, error) {
	if s.db.Path != sqlite.Memory {
		return nil, fmt.Errorf("take an image of %s: it is a file: copy it", s.db.Path)
	}
	conn, err := s.db.Writer.Conn(ctx)
	if err != nil {
		return nil, s.db.Explain("take an image", err)
	}
	defer conn.Close()
	var image []byte
	err = conn.Raw(func(c any) (err error) {
		sqlite, err := sqlite.DriverConn(c)
		if err != nil {
			return err
		}
		image, err = sqlite.Serialize("main")
		return err
	})
	return image, s.db.Explain("take an image", err)
}

// CopyTo writes a copy of the whole state to file, which must not exist yet. The copy is consistent and whole
// even while jobs run.
func (s *Store) CopyTo(ctx context.Context, file string) error {
	doing := "copy state to " + file
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the path is the user's own
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	db := s.db.Writer
	if s.db.Path != sqlite.Memory { // a connection beside the writer, because a reader's may only query
		db = sql.OpenDB(sqlite.Connector{DSN: sqlite.CopyDSN(s.db.Path), ReadOnly: true})
		defer db.Close()
	}
	_, err = db.ExecContext(ctx, `VACUUM INTO ?1`, file)
	return s.db.Explain(doing, err)
}
