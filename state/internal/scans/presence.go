package scans

import (
	"context"
	"database/sql"
	"math/bits"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// chunkSize is how many entries one chunk of a presence bitmap covers.
const chunkSize = 4096

// bitmap marks the entries that a scan has shown, in chunks.
type bitmap map[int64][]byte

func (m bitmap) has(num int64) bool {
	chunk := m[num/chunkSize]
	return chunk != nil && chunk[num%chunkSize/8]&(1<<(num%8)) != 0
}

// count returns how many entries are marked.
func (m bitmap) count() (n int) {
	for _, chunk := range m {
		for _, b := range chunk {
			n += bits.OnesCount8(b)
		}
	}
	return n
}

// set marks an entry, and reports whether it was marked before.
func (m bitmap) set(num int64) bool {
	if m.has(num) {
		return true
	}
	chunk := m[num/chunkSize]
	if chunk == nil {
		chunk = make([]byte, chunkSize/8)
		m[num/chunkSize] = chunk
	}
	chunk[num%chunkSize/8] |= 1 << (num % 8)
	return false
}

// mark adds entries to the bitmap of a scan, and counts those that were marked already.
func mark(ctx context.Context, tx *sql.Tx, b record.Binding, scan int64, nums ...[]int64) (doubles int, err error) {
	m := bitmap{}
	touched := map[int64]bool{}
	for _, list := range nums {
		for _, num := range list {
			chunk := num / chunkSize
			if !touched[chunk] {
				if err := m.load(ctx, tx, scan, chunk); err != nil {
					return 0, err
				}
				touched[chunk] = true
			}
			if m.set(num) {
				doubles++
			}
		}
	}
	for chunk, bits := range m {
		err := sqlite.Exec(ctx, tx, `INSERT INTO presence (binding, scan, chunk, bits) VALUES (?1, ?2, ?3, ?4)
			ON CONFLICT (scan, chunk) DO UPDATE SET bits = excluded.bits`, b, scan, chunk, bits)
		if err != nil {
			return 0, err
		}
	}
	return doubles, nil
}

func (m bitmap) load(ctx context.Context, tx *sql.Tx, scan, chunk int64) error {
	var bits []byte
	err := tx.QueryRowContext(ctx, `SELECT bits FROM presence WHERE scan = ?1 AND chunk = ?2`, scan, chunk).Scan(&bits)
	if sqlite.IsNone(err) {
		return nil
	}
	if err == nil {
		m[chunk] = bits
	}
	return err
}

// presenceOf reads the whole bitmap of a scan.
func presenceOf(ctx context.Context, q sqlite.Querier, scan int64) (bitmap, error) {
	type part struct {
		chunk int64
		bits  []byte
	}
	parts, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (p part, err error) {
		err = rows.Scan(&p.chunk, &p.bits)
		return p, err
	}, `SELECT chunk, bits FROM presence WHERE scan = ?1`, scan)
	m := make(bitmap, len(parts))
	for _, p := range parts {
		m[p.chunk] = p.bits
	}
	return m, err
}
