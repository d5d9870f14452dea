package away

import "nightporter/sync/record"

// goesOn decides a link of which a person says that the record of a side is the one that was
// linked. That one across is gone, by our own deed as often as not, is no evidence against it:
// it would be taken away because of its own absence. It lives, and is made anew across like
// any record without a partner. As long as nobody knows, the answer waits.
func goesOn(x Existing, side record.Side) Fate {
	switch other := x.Sides[side.Other()]; {
	case proven(other) && !x.Sides[side].Moved: // what was merged away itself is made of nowhere
		return Fate{Deed: Free, Side: side}
	case other.State == Absent && other.Proof == Unlisted:
		return Fate{Deed: Await}
	}
	return Fate{Deed: Resume, Side: side}
}
