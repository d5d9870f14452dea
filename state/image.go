package state

import (
	"context"
	"errors"
	"fmt"

	sqlite3 "github.com/mattn/go-sqlite3"
)

// Image is all that a database in memory holds, for Options.Image of another Store. A
// Store in a file has CopyTo.
func (s *Store) Image(ctx context.Context) ([]byte, error) {
	if s.path != Memory {
		return nil, fmt.Errorf("take an image of %s: it is a file: copy it", s.path)
	}
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return nil, s.explain("take an image", err)
	}
	defer conn.Close()
	var image []byte
	err = conn.Raw(func(c any) (err error) {
		sqlite, err := sqliteOf(c)
		if err != nil {
			return err
		}
		image, err = sqlite.Serialize("main")
		return err
	})
	return image, s.explain("take an image", err)
}

// copyImage fills an empty database. What SQLite makes of an image by itself can't
// grow, so it is copied from there.
func copyImage(to *sqlite3.SQLiteConn, image []byte) (err error) {
	d := sqlite3.SQLiteDriver{}
	c, err := d.Open("file::memory:")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	from, ok := c.(*sqlite3.SQLiteConn)
	if !ok {
		return ErrDriver
	}
	if err := from.Deserialize(image, "main"); err != nil {
		return err
	}
	b, err := to.Backup("main", from, "main")
	if err != nil {
		return err
	}
	_, err = b.Step(-1)
	return errors.Join(err, b.Finish())
}
