package run

import (
	"fmt"

	"nightporter/sync/record"
)

// Loss is the linked records that a side's lists don't show, without those that have left
// the window, and those that are over: many systems list no such record.
type Loss struct {
	Nums []int64
	Some []record.Entry // of them, to be read by id
}

func (l *Loss) Add(e record.Entry) {
	l.Nums = append(l.Nums, e.Num)
	if n := len(l.Nums); len(l.Some) < canaries {
		l.Some = append(l.Some, e)
	} else if n%7 == 0 { // some of them all, the same ones each time
		l.Some[n/7%canaries] = e
	}
}

// Beside counts the records of a loss that a question is not about.
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

// Asked is what came of asking for missing records by id. unasked is set where nothing can be.
type Asked struct {
	There, Gone, Left, Closed int
	Others                    int // that show another record than the one we know, or one changed past recognition
	Unasked                   bool
}

// Against counts what speaks for another account. In one, ids name other records; of a single one that is
// recognised the account is ours, and those that are not were changed a lot.
func (a Asked) Against() int {
	if a.There > 0 {
		return a.Gone + a.Closed
	}
	return a.Gone + a.Closed + a.Others
}

// String says it.
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
