package run

import (
	"fmt"

	"nightporter/sync/record"
)

// Loss is the linked records that a side's lists don't show. Records are left out that have left the
// window or are over, because many systems do not list such records.
type Loss struct {
	Nums []int64
	Some []record.Entry // some of them, to be read by id
}

// Add counts an entry that is not there any more.
func (l *Loss) Add(e record.Entry) {
	l.Nums = append(l.Nums, e.Num)
	if n := len(l.Nums); len(l.Some) < canaries {
		l.Some = append(l.Some, e)
	} else if n%7 == 0 { // so Some is drawn from all of them, and is the same each time
		l.Some[n/7%canaries] = e
	}
}

// Beside counts the records of a loss that a question does not cover.
func (l Loss) Beside(asked record.Rests) (n int) {
	for _, num := range l.Nums {
		if !asked.IsAbout(num) {
			n++
		}
	}
	return n
}

// canaries is how many of the records that are missing are read by id.
const canaries = 5

// Asked counts what reads by id of missing records showed. Unasked is set if they can't be read by id at all.
type Asked struct {
	There, Gone, Left, Closed int
	Others                    int // ids that show another record than we know, or one changed past recognition
	Unasked                   bool
}

// Against counts the reads that speak for another account, in which the ids name other records. If only one record
// was recognised, the account is ours: then records that were not recognised were changed a lot, and do not count.
func (a Asked) Against() int {
	if a.There > 0 {
		return a.Gone + a.Closed
	}
	return a.Gone + a.Closed + a.Others
}

// String says in a sentence what the reads showed.
func (a Asked) String() string {
	if a.Unasked {
		return "none of them can be read by its id"
	}
	n := a.There + a.Gone + a.Left + a.Closed + a.Others
	text := fmt.Sprintf("of %d that were read by id %d are not there", n, a.Gone)
	if a.Others > 0 {
		text += fmt.Sprintf(" and %d show another record", a.Others)
	}
	if a.Closed > 0 {
		text += fmt.Sprintf(" and %d may not be read", a.Closed)
	}
	return text
}
