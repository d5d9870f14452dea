package state

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"nightporter/sync/record"
)

func isNone(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// millis is a time as a column holds it, rounded down; NULL for the zero time.
func millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// ceil rounds a time up to a whole millisecond.
func ceil(t time.Time) time.Time {
	if down := t.Truncate(time.Millisecond); !down.Equal(t) {
		return down.Add(time.Millisecond)
	}
	return t
}

// instant reads a column that millis wrote.
func instant(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64).UTC()
}

// moment is a time inside JSON: milliseconds, 0 for none.
type moment int64

func momentOf(t time.Time) moment {
	if t.IsZero() {
		return 0
	}
	return moment(t.UnixMilli())
}

func (m moment) time() time.Time {
	if m == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(m)).UTC()
}

// observation is a record.Observation as the column seen holds it.
type observation struct {
	Fields  record.Fields  `json:"f"`
	Version record.Version `json:"v,omitempty"`
	Changed moment         `json:"c,omitempty"`
	Created moment         `json:"n,omitempty"`
	Stamp   string         `json:"s,omitempty"`
	At      moment         `json:"a"`
	View    string         `json:"w,omitempty"`
	Untaken untaken        `json:"u,omitempty"`
	Earlier []string       `json:"e,omitempty"`
}

func encodeSeen(o *record.Observation) (any, error) {
	if o == nil {
		return nil, nil //nolint:nilnil // NULL is a value here
	}
	return encode(observation{
		Fields: o.Fields, Version: o.Version, Changed: momentOf(o.Changed), Created: momentOf(o.Created),
		Stamp: o.Stamp, At: momentOf(o.At), View: o.View, Untaken: untaken(o.Untaken), Earlier: o.Earlier,
	})
}

func decodeSeen(text string) (*record.Observation, error) {
	var o observation
	if err := decode(text, &o); err != nil {
		return nil, err
	}
	return &record.Observation{
		Fields: o.Fields, Version: o.Version, Changed: o.Changed.time(), Created: o.Created.time(),
		Stamp: o.Stamp, At: o.At.time(), View: o.View, Untaken: o.Untaken.of(o.Fields), Earlier: o.Earlier,
	}, nil
}

func encode(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// errText is that a text of the file can't be read as what it is. Who explains it says that the
// file is damaged.
var errText = errors.New("a value in it can't be read")

// decode reads a text of the file. Its error is errText.
func decode(text string, v any) (err error) {
	if own, ok := v.(json.Unmarshaler); ok { // asked without a first reading by encoding/json
		err = own.UnmarshalJSON([]byte(text))
	} else {
		err = json.Unmarshal([]byte(text), v)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errText, err)
	}
	return nil
}

// encodeBase and encodeFields keep nil and empty apart: nil is NULL.
func encodeBase(b record.Base) (any, error) {
	if b == nil {
		return nil, nil //nolint:nilnil // NULL is a value here
	}
	return encode(b)
}

func encodeFields(f record.Fields) (any, error) {
	if f == nil {
		return nil, nil //nolint:nilnil // NULL is a value here
	}
	return encode(f)
}

func decodeValue(text string) (record.Value, error) {
	if text == "" {
		return record.Value{}, nil
	}
	var v record.Value
	err := v.UnmarshalJSON([]byte(text))
	return v, err
}

// blob is a digest as a column holds it; NULL for none.
func blob(d record.Digest) any {
	if d == "" {
		return nil
	}
	return []byte(d)
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// orNull is a number as a reference holds it; NULL for 0.
func orNull(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}
