package sql

import (
	"encoding/json"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/internal/dbkit"
	"nightporter/sync/record"
)

// phase is the part of a scan that a cursor stands in. Rows that can't be sorted
// come first: those without a key, then, in an incremental scan, those without a
// time of change.
type phase uint8

const (
	keyless phase = iota
	timeless
	sorted
)

// cursor is a place in a list: behind the row of Key, or, where Key is empty, at
// the beginning of its phase.
type cursor struct {
	Since bool         `json:"since,omitempty"` // of an incremental scan
	Phase phase        `json:"phase,omitempty"`
	Key   []dbkit.Cell `json:"key,omitempty"`
	Last  *dbkit.Cell  `json:"last,omitempty"`  // time of change of that row, in an incremental scan
	From  *dbkit.Cell  `json:"from,omitempty"`  // where an incremental scan starts, before its overlap
	Mark  *dbkit.Cell  `json:"mark,omitempty"`  // where the next incremental scan is to start
	Clock string       `json:"clock,omitempty"` // the database's own, when the scan began
}

// encode is the cursor as the engine keeps it.
func (c cursor) encode() (record.Cursor, error) {
	b, err := json.Marshal(c)
	return record.Cursor(b), err
}

// readCursor reads a cursor of a scan of q. The empty one is the beginning.
func readCursor(op string, t *table, q connectors.Query, after record.Cursor) (cursor, error) {
	c := cursor{Since: q.Mode == connectors.Since}
	if after == "" {
		return c, nil
	}
	var got cursor
	err := json.Unmarshal([]byte(after), &got)
	if err != nil || got.Since != c.Since || got.Phase > sorted ||
		len(got.Key) != 0 && len(got.Key) != len(t.Key) || got.Phase == sorted && got.Since && len(got.Key) > 0 && got.Last == nil {
		return c, connectors.Wrong(connectors.Malformed, op, "the cursor is not one of a scan like this: begin again")
	}
	return got, nil
}

// begun reports whether the scan's first page is behind.
func (c cursor) begun() bool { return c.Clock != "" }

// now is the database's clock when the scan began.
func (c cursor) now() time.Time {
	t, err := time.Parse(time.RFC3339Nano, c.Clock)
	if err != nil {
		return time.Time{}
	}
	return t
}
