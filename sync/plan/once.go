package plan

import "time"

// OnceSkew is how far the clock of a system and ours may be apart for the times of its
// records to tell which request made which.
const OnceSkew = 2 * time.Minute

// Once is what is known of a create of which no answer came, of a kind whose creates reach
// a person and can't be taken back: a call, a message.
type Once struct {
	Young    bool // the system may still apply it, or not yet show it
	Marked   int  // new records that bear the mark that was sent with it
	Unmarked int  // new records for the same person, and those of which that is not known, without a mark
	Echoes   bool // the system was seen to show our marks: ours would bear one
	Near     bool // the one of Unmarked was made when this was sent, by its own time
	Rivals   int  // other requests without an answer that the one of Unmarked may be of
	Listed   bool // the lists that were read since are whole, and as many as it takes
	Later    bool // the last of them shows a record that was asked for after this one, and answered
}

// OnceVerdict is what becomes of such a create.
type OnceVerdict uint8

// The verdicts. OnceAsk leaves it to a person, whatever later lists show; so does
// OnceWait, for as long as they show nothing more.
const (
	OnceWait  OnceVerdict = iota
	OnceAdopt             // the one new record is what it made
	OnceNever             // it is proven that nothing was made: it may be sent
	OnceAsk
)

// Decide says what became of the create, and why. That it is sent again has to be proven:
// by whole lists, begun when it could neither come nor be hidden any more, that show
// nothing that may be it and do show what was asked for later. A list that is empty, that
// lags or that leaves records out shows no such thing.
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
