package sqlite

import (
	"errors"

	sqlite3 "github.com/mattn/go-sqlite3"
)

// copyImage fills an empty database from an image. A database that SQLite makes of an image can't grow, so its
// content is copied.
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
