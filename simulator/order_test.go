package simulator

import (
	"fmt"
	"testing"
)

// Reading pages beside a few edits must not sort all rows again: sorting 20,000 rows
// takes some 250,000 comparisons, which would be 500 million here.
func TestReadsDoNotSortAgain(t *testing.T) {
	const records, reads = 20_000, 2_000
	for _, order := range []Order{IDAsc, ByName, UpdatedDesc} {
		rows, compared := map[string]*row{}, 0
		compare := order.compare()
		o := &orderedRows{stale: true, compare: func(a, b *row) int { compared++; return compare(a, b) }}
		for n := range int64(records) {
			r := &row{id: fmt.Sprint(n), seq: n, stamp: n, name: fmt.Sprint("N", n*7919%records)}
			rows[r.id] = r
		}
		o.read(rows)
		compared = 0
		for n := range int64(reads) {
			before := rows[fmt.Sprint(n)]
			after := *before
			after.stamp, after.name = records+n, fmt.Sprint("Moved", n)
			rows[before.id] = &after
			o.note(change{before: before, after: &after})
			if got := len(o.read(rows)); got != records {
				t.Fatalf("order %s: got %d rows, want %d", order, got, records)
			}
		}
		if limit := reads * 50; compared > limit {
			t.Errorf("order %s: got %d comparisons in %d reads, want at most %d", order, compared, reads, limit)
		}
	}
}
