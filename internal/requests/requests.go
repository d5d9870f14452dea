// Package requests keeps what somebody asked for until a job takes it up: a small SQLite
// file beside the state, which the connector for SQLite reads and writes like any other
// database. A row is asked for by a command or by a delivery, once each.
package requests

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"
	"github.com/oklog/ulid/v2"
)

// Table and Key are where the calls that are asked for stand.
const (
	Table = "calls"
	Key   = "id"
)

const schema = `CREATE TABLE IF NOT EXISTS calls (
	id        TEXT NOT NULL PRIMARY KEY,
	event     TEXT UNIQUE,              -- of the delivery that asked for it
	number    TEXT NOT NULL,
	text      TEXT,
	asked_by  TEXT,
	asked_at  TEXT NOT NULL,
	call_id   TEXT,                     -- from here on: what came of it
	status    TEXT,
	outcome   TEXT,
	called_at TEXT,
	seconds   INTEGER,
	summary   TEXT
) STRICT`

// Call is a call that is asked for, and what came of it so far.
type Call struct {
	ID       string    `json:"id"`
	Number   string    `json:"number"`
	Text     string    `json:"text,omitempty"`
	By       string    `json:"asked_by,omitempty"`
	At       time.Time `json:"asked_at"`
	CallID   string    `json:"call_id,omitempty"`
	Status   string    `json:"status,omitempty"`
	Outcome  string    `json:"outcome,omitempty"`
	CalledAt string    `json:"called_at,omitempty"`
	Seconds  int64     `json:"seconds,omitempty"`
	Summary  string    `json:"summary,omitempty"`
}

// Store is a file of requests, open. Several processes may have it open.
type Store struct{ db *sql.DB }

// Open opens the file at path, and makes it where there is none.
func Open(ctx context.Context, path string) (*Store, error) {
	dsn := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: "_busy_timeout=5000&_synchronous=FULL&_txlock=immediate"}
	db, err := sql.Open("sqlite3", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("open requests at %s: %w", path, err)
	}
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return nil, errors.Join(fmt.Errorf("open requests at %s: %w; is it a file that this user may write, on a disk with room?", path, err), db.Close())
	}
	return &Store{db}, nil
}

// Close closes it.
func (s *Store) Close() error { return s.db.Close() }

// ErrNumber says that what is to be called is no number.
var ErrNumber = errors.New("no telephone number: write it like +39 055 0000001")

// ErrOther says that an id asked for a call to another number before.
var ErrOther = errors.New("the same id asked for a call to another number before: give what is new an id of its own")

// Add keeps a request; it is durable when Add returns. One of an event that asked before is
// not kept again: then id is that of the first, and known is true. If that was for another
// number the error is ErrOther.
func (s *Store) Add(ctx context.Context, c Call, event string) (id string, known bool, err error) {
	if !callable(c.Number) {
		return "", false, ErrNumber
	}
	c.ID = ulid.MustNew(ulid.Timestamp(c.At), rand.Reader).String()
	var number string
	err = s.db.QueryRowContext(ctx, `INSERT INTO calls (id, event, number, text, asked_by, asked_at) VALUES (?1, nullif(?2, ''), ?3, nullif(?4, ''), nullif(?5, ''), ?6)
		ON CONFLICT (event) DO UPDATE SET event = excluded.event RETURNING id, number`,
		c.ID, event, strings.TrimSpace(c.Number), c.Text, c.By, c.At.UTC().Format(time.RFC3339)).Scan(&id, &number)
	switch {
	case err != nil:
		return "", false, fmt.Errorf("keep the request: %w", err)
	case !same(number, c.Number):
		return id, true, ErrOther
	}
	return id, id != c.ID, nil
}

// same reports whether two numbers may be one: in another spelling, or without the country,
// which the job knows and this does not.
func same(a, b string) bool {
	digits := func(number string) string {
		return strings.TrimLeft(strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, number), "0")
	}
	a, b = digits(a), digits(b)
	return strings.HasSuffix(a, b) || strings.HasSuffix(b, a)
}

// callable reports whether a text may be a number; what it means where, the job says.
func callable(text string) bool {
	digits := 0
	for _, r := range strings.TrimSpace(text) {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case !strings.ContainsRune("+-/(). ", r):
			return false
		}
	}
	return digits >= 3 && digits <= 20
}

// List is the last n requests, the newest first.
func (s *Store) List(ctx context.Context, n int) ([]Call, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, number, coalesce(text, ''), coalesce(asked_by, ''), asked_at, coalesce(call_id, ''), coalesce(status, ''),
		coalesce(outcome, ''), coalesce(called_at, ''), coalesce(seconds, 0), coalesce(summary, '') FROM calls ORDER BY asked_at DESC, id DESC LIMIT ?`, n)
	if err != nil {
		return nil, fmt.Errorf("read requests: %w", err)
	}
	defer rows.Close()
	var out []Call
	for rows.Next() {
		var c Call
		var at string
		if err := rows.Scan(&c.ID, &c.Number, &c.Text, &c.By, &at, &c.CallID, &c.Status, &c.Outcome, &c.CalledAt, &c.Seconds, &c.Summary); err != nil {
			return nil, fmt.Errorf("read requests: %w", err)
		}
		if c.At, err = time.Parse(time.RFC3339, at); err != nil {
			return nil, fmt.Errorf("read requests: %s was asked for at %q: %w", c.ID, at, err)
		}
		out = append(out, c)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read requests: %w", err)
	}
	return out, nil
}
