package record

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Word is an answer of a person that a change rests on, as it was when the change was decided. Before the change is
// sent, the answer must still stand like that.
type Word struct {
	Question int64
	Choice   Choice
	Chosen   time.Time
}

// WordsOf returns the answers to these questions.
func WordsOf(asked map[string]Question) (words []Word) {
	for _, q := range asked {
		if q.Choice != Undecided {
			words = append(words, Word{q.ID, q.Choice, q.Chosen})
		}
	}
	slices.SortFunc(words, func(a, b Word) int { return int(a.Question - b.Question) })
	return words
}

// ErrWordGone says that a change is not sent: the answer that it rests on was taken back or changed since.
var ErrWordGone = errors.New("the answer that it rests on was taken back or changed")

// SentError says that an answer can't be taken back: a change that rests on it was sent already.
type SentError struct{ Run int64 }

func (e SentError) Error() string { return fmt.Sprintf("run %d has sent it", e.Run) }
