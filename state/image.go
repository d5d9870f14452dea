package state

import (
	"context"
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
		sqlite, ok := c.(*sqlite3.SQLiteConn)
		if !ok {
			return ErrDriver
		}
		image, err = sqlite.Serialize("main")
		return err
	})
	return image, s.explain("take an image", err)
}
