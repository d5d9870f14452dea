// Package dbkit holds what connectors to databases share and no driver is needed
// for: the bytes of a row, ids of composite keys, named parameters, names and
// their quoting, and times as columns show them.
package dbkit

import (
	"encoding/binary"
	"errors"
)

// The tags of a cell. They are part of the bytes of a row, so that NULL, an empty
// text and the digits of a number are never the same bytes.
const (
	Null byte = 'n'
	Text byte = 't'
	Int  byte = 'i'
	Real byte = 'r'
	Blob byte = 'b'
	Big  byte = 'x' // larger than is read; Text is its size in bytes
)

// Cell is one column of one row.
type Cell struct {
	Tag  byte
	Text string // digits for Int and Real, the bytes of a Blob, "" for Null
}

// errCell is a row whose bytes were not written by Append.
var errCell = errors.New("read row: its bytes are cut off")

// Append appends the cell to a row: tag, length, bytes. Equal rows are equal
// bytes and different rows are different ones.
func (c Cell) Append(dst []byte) []byte {
	dst = append(dst, c.Tag)
	dst = binary.AppendUvarint(dst, uint64(len(c.Text)))
	return append(dst, c.Text...)
}

// Cells reads back the first n cells of a row, copied out of raw.
func Cells(raw []byte, n int) ([]Cell, error) {
	out := make([]Cell, 0, n)
	for range n {
		if len(raw) < 2 {
			return nil, errCell
		}
		size, used := binary.Uvarint(raw[1:])
		if used <= 0 || size > uint64(len(raw)-1-used) { //nolint:gosec // used is at most len(raw)-1
			return nil, errCell
		}
		end := 1 + used + int(size) //nolint:gosec // size was compared with a slice's length
		out = append(out, Cell{Tag: raw[0], Text: string(raw[1+used : end])})
		raw = raw[end:]
	}
	return out, nil
}
