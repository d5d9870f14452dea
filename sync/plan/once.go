package plan

import "time"

// OnceSkew is how far the clock of a system and ours may be apart, where the times of its records are to tell
// which request made which record.
const OnceSkew = 2 * time.Minute

// Once is what is known of a create that got no answer, where the creates of its kind reach a person and can't be
// taken back: a call, a message.
type Once struct {
	Young    bool // the system may still apply it, or not yet show it
	Marked   int  // new records that bear the mark that was sent with it
	Unmarked int  // new records without a mark that are, or may be, for the same person
	Echoes   bool // the system was seen to show our marks: what this create made would bear one
	Near     bool // the one of Unmarked was made, by its own time, when this create was sent
	Rivals   int  // other requests without an answer that may have made the one of Unmarked
	Listed   bool // the lists that were read since are whole, and there are enough of them
	Later    bool // the last of these lists shows a record that was asked for after this one, and answered
}

// OnceVerdict is what becomes of such a create.
type OnceVerdict uint8

// The verdicts. With OnceWait a later list may tell. With OnceAsk a person is asked; later lists are still looked at,
// and may answer the question.
const (
	OnceWait  OnceVerdict = iota
	OnceAdopt             // the create made the one new record
	OnceNever             // it is proven that nothing was made: it may be sent again
	OnceAsk
)

// Decide says what became of the create, and why. It is sent again only upon a proof: whole lists, begun when the
// create could neither arrive any more nor be hidden, that show no record that may be it, and do show one that
// was asked for later. A list that is empty, that lags or that leaves records out proves nothing.
func (o Once) Decide() (OnceVerdict, string) {
	switch {
	case o.Marked == 1:
		return OnceAdopt, ""
	case o.Marked > 1:
		return OnceAsk, "it was made more than once"
	case o.Young:
		return OnceWait, "it may still be on its way"
	case o.Unmarked > 1:
		return OnceAsk, "several new records may be it, and none bears our mark"
	case o.Unmarked == 1 && o.Echoes:
		return OnceAsk, "a new record is for the same person and does not bear our mark: somebody else may have made it"
	case o.Unmarked == 1 && o.Rivals > 0:
		return OnceAsk, "a new record may be what this or another request made"
	case o.Unmarked == 1 && !o.Near:
		return OnceAsk, "a new record for the same person was not made when this was sent, or does not say when"
	case !o.Listed:
		return OnceWait, "no list that was begun since was read whole, and once more"
	case o.Unmarked == 1:
		return OnceAdopt, ""
	case !o.Later:
		return OnceWait, "the list does not show it, nor anything that was asked for after it: it may be late"
	}
	return OnceNever, ""
}
