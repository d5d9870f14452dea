package plan

import "time"

// A change that a system refused as it is may be taken later: a code was missing there,
// a form was being rebuilt. It is asked for again after firstWait, each time waitGrows
// times as long, at most lastWait; after tries refusals of just the same it is left to a
// person.
const (
	firstWait = time.Minute
	waitGrows = 4
	lastWait  = 24 * time.Hour
	tries     = 8
)

// Seldom is how often what is in nobody's hands here is asked for after that.
const Seldom = 7 * 24 * time.Hour

// unansweredWait is the longest wait for a change that gets no answer: what was wrong with it may be
// mended there, or by another value, and nobody says so.
const unansweredWait = time.Hour

// AgainUnanswered says when a change is sent again that its system did not answer, and that was not
// made: at once after the first time, and then three times as long as it was without an answer.
func AgainUnanswered(since, asked time.Time) time.Time {
	without := asked.Sub(since)
	if without <= 0 {
		return asked
	}
	return asked.Add(min(max(3*without, firstWait), unansweredWait))
}

// Again says when a change is asked for again that was refused so many times in a
// row, the last time at a moment; false: not by itself any more.
func Again(fails int, last time.Time) (time.Time, bool) {
	if fails >= tries {
		return time.Time{}, false
	}
	wait := firstWait
	for range fails - 1 {
		wait = min(wait*waitGrows, lastWait)
	}
	return last.Add(wait), true
}
