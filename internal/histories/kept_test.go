package histories

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	sqlite3 "github.com/mattn/go-sqlite3"
)

// keeps is what is asked of a state of which a dry run must change nothing: links,
// bases, intents and conflicts. A dry run keeps what it read: a record without a link that
// is gone is known to be gone from then on, and a question about what it is the same as
// ends with it. Whatever else ends such a question also makes a link. And it notes what an answer
// has shown, "@", and a read shows now.
var keeps = []string{
	`SELECT id || entity || state FROM link ORDER BY id`,
	`SELECT num || ' ' || link || base ||
		(SELECT coalesce(group_concat(value), '') FROM json_each(provisional) WHERE value NOT LIKE '@%') FROM entry WHERE link IS NOT NULL ORDER BY num`,
	`SELECT id || state || change || tries || coalesce(receipt, '') FROM intent ORDER BY id`,
	`SELECT id || link || ' ' || entry || field || left_value || right_value || iif(link = 0, '', coalesce(closed, 'open')) FROM question WHERE link <> 0 OR entry <> 0 ORDER BY id`,
}

const bases, intents = 1, 2

// keptIn reads an image of a state. The bases of a system are left out that does not show all of
// what it was sent, for it is silent or shows some of it late: the first read that does says what
// it made of it.
//
// Of a state that keeps digests the intents are left out, and the values of conflicts that are
// over: any run puts digests in the place of values that are needed no more.
func keptIn(image []byte, unshown, sealed bool) (text string, err error) {
	d := sqlite3.SQLiteDriver{}
	c, err := d.Open("file::memory:")
	if err != nil {
		return "", fmt.Errorf("open a database: %w", err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	conn, ok := c.(*sqlite3.SQLiteConn)
	if !ok {
		return "", errCan
	}
	if err := conn.Deserialize(image, "main"); err != nil {
		return "", fmt.Errorf("read an image: %w", err)
	}
	var b strings.Builder
	for i, q := range keeps {
		if i == bases && unshown || i == intents && sealed {
			continue
		}
		if sealed {
			q = strings.Replace(q, "left_value || right_value", "iif(closed IS NULL, left_value || right_value, '')", 1)
		}
		rows, err := conn.Query(q, nil)
		if err != nil {
			return "", fmt.Errorf("read an image: %w", err)
		}
		row := make([]driver.Value, 1)
		for err = rows.Next(row); err == nil; err = rows.Next(row) {
			fmt.Fprintln(&b, row[0])
		}
		if err := rows.Close(); err != nil {
			return "", fmt.Errorf("read an image: %w", err)
		}
		if !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read an image: %w", err)
		}
	}
	return b.String(), nil
}
