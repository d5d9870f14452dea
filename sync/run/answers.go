package run

import (
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Asks is a question about a record without a link: what the question rests on, and what a person can answer.
type Asks struct {
	Rests   record.Rests
	Answers plan.Answers
}

// Ask notes what a person is asked about a record without a link.
func (d *Draft) Ask(entry int64, rests record.Rests, answers plan.Answers) {
	if d.Asks == nil {
		d.Asks = map[int64]Asks{}
	}
	d.Asks[entry] = Asks{rests, answers}
}

// BornOf is when a system says that it made a record, in Unix milliseconds; 0 where it does not say.
func BornOf(e record.Entry) int64 {
	if e.Seen == nil || e.Seen.Created.IsZero() {
		return 0
	}
	return e.Seen.Created.UnixMilli()
}
