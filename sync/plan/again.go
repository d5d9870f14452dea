package plan

import "time"

// A system may accept later what it refuses today: a code was missing there, a form was being rebuilt. A refused
// change is sent again after firstWait. Each further wait is waitGrows times as long, and at most lastWait. After
// tries refusals of just the same change, it is left to a person.
const (
	firstWait = time.Minute
	waitGrows = 4
	lastWait  = 24 * time.Hour
	tries     = 8
)

// Seldom is the wait after tries refusals, where nobody here can help. Example: another record of the system has
// the key of the new one.
const Seldom = 7 * 24 * time.Hour

// unansweredWait is the longest wait before a change is sent again that got no answer. What was wrong may be
// mended in the system, or by another value, and nobody tells us.
const unansweredWait = time.Hour

// AgainUnanswered returns when a change is sent again that its system did not answer and that was not made. since
// is the first time that it got no answer, asked is the last. After the first time it is sent again at once.
// Later the wait is three times as long as the change has been without an answer: at least firstWait, at most
// unansweredWait.
func AgainUnanswered(since, asked time.Time) time.Time {
	without := asked.Sub(since)
	if without <= 0 {
		return asked
	}
	return asked.Add(min(max(3*without, firstWait), unansweredWait))
}

// Again returns when a change is sent again that was refused fails times in a row, the last time at last. It
// returns false where the change is left to a person.
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
