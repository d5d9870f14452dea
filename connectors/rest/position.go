package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

// position is what a cursor holds: where a reading goes on, and what it must
// remember on the way. Between two incremental readings only Since is left.
type position struct {
	Slice  int    `json:"s,omitempty"` // of the window
	Offset int    `json:"o,omitempty"` // rows of this slice that were really returned
	Page   int    `json:"p,omitempty"` // pages of this slice that were read
	Token  string `json:"c,omitempty"` // the next cursor
	Link   string `json:"l,omitempty"` // the next link
	Last   string `json:"d,omitempty"` // mark of the page before, to notice one that repeats
	More   bool   `json:"n,omitempty"` // that page said that more follows
	Told   bool   `json:"e,omitempty"` // a page of this slice told the total
	Rows   int    `json:"r,omitempty"` // and had so many rows, where pages name the one that follows

	Since string `json:"t,omitempty"` // what the reading asks for, RFC 3339
	Seen  string `json:"m,omitempty"` // the latest time of change seen
	Begun string `json:"b,omitempty"` // the server's time when the reading began
}

func (p position) cursor() record.Cursor {
	b, err := json.Marshal(p)
	if err != nil { // texts and numbers always encode
		return ""
	}
	return record.Cursor(b)
}

func readPosition(c record.Cursor) (position, error) {
	var p position
	if c == "" {
		return p, nil
	}
	if err := json.Unmarshal([]byte(c), &p); err != nil {
		return p, fmt.Errorf("the cursor is not one of this connector: %w", err)
	}
	const most = 1 << 40 // no list is longer
	for _, n := range []int{p.Slice, p.Offset, p.Page, p.Rows} {
		if n < 0 || n > most {
			return p, errors.New("the cursor stands outside of every list")
		}
	}
	return p, nil
}

// slice is the first page of the slice after p.
func (p position) slice() position {
	return position{Slice: p.Slice + 1, Since: p.Since, Seen: p.Seen, Begun: p.Begun}
}

// mark tells pages apart: their first id, how many rows they have, and their bytes.
func mark(rows []jsonx.Item) string {
	if len(rows) == 0 {
		return ""
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	var sum uint32
	for _, r := range rows {
		sum = crc32.Update(sum, table, r.Raw)
	}
	return rows[0].ID + "/" + strconv.Itoa(len(rows)) + "/" + strconv.FormatUint(uint64(sum), 16)
}

// days splits a scope into parts of at most n days.
func days(s connectors.Scope, n int) ([]connectors.Scope, error) {
	if n <= 0 || s.From == "" || s.To == "" {
		return []connectors.Scope{s}, nil
	}
	from, err := time.Parse(time.DateOnly, s.From)
	if err != nil {
		return nil, fmt.Errorf("the window begins with %q, which is no day", s.From)
	}
	to, err := time.Parse(time.DateOnly, s.To)
	if err != nil {
		return nil, fmt.Errorf("the window ends with %q, which is no day", s.To)
	}
	var parts []connectors.Scope
	for ; !from.After(to); from = from.AddDate(0, 0, n) {
		end := from.AddDate(0, 0, n-1)
		if end.After(to) {
			end = to
		}
		parts = append(parts, connectors.Scope{From: from.Format(time.DateOnly), To: end.Format(time.DateOnly)})
	}
	if parts == nil {
		return nil, fmt.Errorf("the window ends before it begins: %s", s)
	}
	return parts, nil
}
