package subscribe

import (
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// A copy of our state has our name, and so our mark. Where it runs with another address, it
// takes our subscription for its own, and brings it to that address, as often as we bring it
// back. Of one time nobody can tell who it was: a person may have changed the address. What
// is changed again and again within a day is left alone for the rest of it.
const (
	mostMoves = 3
	movesLast = 24 * time.Hour
)

// rivalry is what is wrong then.
const rivalry = "it is set to another address again and again, and is left so for a day: if another Nightporter runs on a copy of this state, " +
	"stop it, or give it a state of its own (nightporter rebuild)"

// moved reports whether one that carries our mark has an address that was never ours.
func moved(want *Want, mine []connectors.Subscription, kept record.Subscription) bool {
	return want != nil && kept.Address != "" && slices.ContainsFunc(mine, func(s connectors.Subscription) bool {
		return s.URL != want.URL && s.URL != kept.Address
	})
}

// contested reports whether it was brought back so often that it is left alone.
func contested(kept record.Subscription, now time.Time) bool {
	since := now.Sub(kept.MovesSince)
	return kept.Moves >= mostMoves && since >= 0 && since < movesLast
}

// countMove counts that it is brought back from an address that was never ours. What a
// system itself shows otherwise does not count: it was never found as declared.
func (c *checking) countMove() {
	if c.State != record.Subscribed {
		return
	}
	if since := c.Now().Sub(c.MovesSince); c.MovesSince.IsZero() || since < 0 || since >= movesLast {
		c.Moves, c.MovesSince = 0, c.Now()
	}
	c.Moves++
}
