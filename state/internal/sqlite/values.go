package sqlite

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"nightporter/sync/record"
)

// IsNone reports whether err says that a query gave no row.
func IsNone(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// Millis is a time as a column holds it, rounded down. The zero time is NULL.
func Millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// Ceil rounds a time up to a whole millisecond.
func Ceil(t time.Time) time.Time {
	if down := t.Truncate(time.Millisecond); !down.Equal(t) {
		return down.Add(time.Millisecond)
	}
	return t
}

// Instant reads a column that Millis wrote.
func Instant(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64).UTC()
}

// AsTime reads a column that Millis wrote into t.
func AsTime(t *time.Time) sql.Scanner { return (*column)(t) }

// column is a time that AsTime reads.
type column time.Time

// Scan reads the column.
func (c *column) Scan(from any) error {
	var ms sql.NullInt64
	err := ms.Scan(from)
	*c = column(Instant(ms))
	return err
}

// Moment is a time inside JSON: milliseconds, 0 for none.
type Moment int64

// MomentOf is a time as a Moment.
func MomentOf(t time.Time) Moment {
	if t.IsZero() {
		return 0
	}
	return Moment(t.UnixMilli())
}

// Time is the time of a Moment.
func (m Moment) Time() time.Time {
	if m == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(m)).UTC()
}

// Encode returns a value as a text of the file: its JSON.
func Encode(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// JSON makes a value a parameter of a statement, as JSON.
func JSON(v any) driver.Valuer { return jsonValue{v} }

type jsonValue struct{ of any }

// Value is what SQLite is given.
func (j jsonValue) Value() (driver.Value, error) { return Encode(j.of) }

// errText says that a text of the file can't be decoded. Explain makes ErrCorrupt of it.
var errText = errors.New("a value in it can't be read")

// Decode reads a text of the file into v. Its error is errText.
func Decode(text string, v any) (err error) {
	if own, ok := v.(json.Unmarshaler); ok { // asked at once: encoding/json would read the text a first time before it asks
		err = own.UnmarshalJSON([]byte(text))
	} else {
		err = json.Unmarshal([]byte(text), v)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errText, err)
	}
	return nil
}

// EncodeFields returns fields as a column holds them. It keeps nil and empty apart: nil is NULL.
func EncodeFields(f record.Fields) (any, error) {
	if f == nil {
		return nil, nil //nolint:nilnil // NULL is a value here
	}
	return Encode(f)
}

// DecodeValue reads a value as a column holds it; "" is a value that was not observed.
func DecodeValue(text string) (record.Value, error) {
	if text == "" {
		return record.Value{}, nil
	}
	var v record.Value
	err := v.UnmarshalJSON([]byte(text))
	return v, err
}

// Blob is a digest as a column holds it. No digest is NULL.
func Blob(d record.Digest) any {
	if d == "" {
		return nil
	}
	return []byte(d)
}

// Flag is a truth value as a column holds it.
func Flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// OrNull is a number as a column that refers to a row holds it: 0 is NULL.
func OrNull(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// Usable reports whether an id can name a record here and in a request.
func Usable(id string) bool {
	return id != "" && utf8.ValidString(id) && !strings.ContainsRune(id, 0)
}
