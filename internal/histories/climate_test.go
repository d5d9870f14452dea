package histories

import (
	"fmt"
	"math/rand/v2"
	"time"

	"nightporter/connectors"
	"nightporter/sync/merge"
	"nightporter/sync/plan/away"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// settle is how long a system may take to apply or to show something, as its job is
// told. No system here takes longer.
const settle = 10 * time.Second

// weather is what one system is like.
type weather struct {
	class    connectors.Class // what it offers for creates
	unique   bool             // it keeps phones unique
	keyset   bool             // its lists can't be shifted
	order    int              // of its lists
	pageSize int
	total    bool // pages say how many rows there are
	endEmpty bool // only an empty page ends a list
	versions bool // records have versions, and a stale one is refused
	counting bool // and these are numbers that count upwards
	guarded  bool // an update of what has changed is refused
	silent   bool // a write is answered with the id alone
	since    bool // lists can be read from a time of change on
	action   bool // a status is changed by a request of its own
	lossy    bool // notes are kept in small letters, and six of them
	lag      time.Duration
	getLag   time.Duration // of reads by id: odd
}

// lies reports whether a list may be cut short, and whether it may show nothing. One that
// is believed at once never lies where nothing else tells: its total tells that it is
// short, but an empty one gives a total of none, and while no record of it is known it
// takes a system that can be asked for records to tell.
func (w weather) lies() (short, empty bool) {
	doubted := !w.keyset || w.order > 1
	return doubted || w.total, doubted || w.total && w.class != connectors.ClassE
}

// climate is what holds for a whole history.
type climate struct {
	sides    [2]weather
	stays    bool // there are bookings beside contacts
	policies map[string]merge.Policy
	clear    map[string]merge.Clear
	guards   guard.Guards
	tight    bool               // guards let so little go that sets of changes wait for a person
	rejects  int                // what a person says at rest of such sets
	gone     [2]away.GonePolicy // what becomes of a side's record when the one across is gone
	askFirst bool               // the first plan waits for a yes
}

// climateOf draws the climate of a seed.
func climateOf(seed uint64) climate {
	rng := rand.New(rand.NewPCG(seed, 1))
	c := climate{
		stays:    rng.IntN(3) == 0,
		policies: map[string]merge.Policy{}, clear: map[string]merge.Clear{},
		askFirst: rng.IntN(5) == 0,
	}
	if rng.IntN(5) == 0 {
		c.guards.Creates = guard.Limit{Run: guard.Amount{Count: 1 + rng.IntN(2)}}
	}
	classes := []connectors.Class{"A", "A", "B", "B", "B", "C", "C", "C", "D", "D", "D", "D", "E"}
	for i := range c.sides {
		w := &c.sides[i]
		*w = weather{
			class: classes[rng.IntN(len(classes))], unique: rng.IntN(4) == 0, keyset: rng.IntN(2) == 0, order: rng.IntN(4),
			pageSize: 2 + rng.IntN(4), total: rng.IntN(2) == 0, endEmpty: rng.IntN(4) == 0,
			silent: rng.IntN(6) == 0, since: rng.IntN(4) == 0, action: rng.IntN(2) == 0, lossy: rng.IntN(4) == 0,
		}
		switch rng.IntN(5) {
		case 0:
			w.versions = true
		case 1:
			w.guarded = true
		}
		if rng.IntN(3) == 0 {
			w.lag = time.Duration(1+rng.IntN(4)) * time.Second
		}
	}
	pick := func(ps ...merge.Policy) merge.Policy { return ps[rng.IntN(len(ps))] }
	for _, f := range []string{"phone", "full_name", "note", "mail"} {
		c.policies[f] = pick(merge.LeftWins, merge.RightWins, merge.LeftWins, merge.RightWins, merge.Person, merge.FillEmpty)
		c.clear[f] = []merge.Clear{merge.Propagate, merge.Propagate, merge.IgnoreClear, merge.HoldClear}[rng.IntN(4)]
	}
	c.policies["arrival"] = pick(merge.LeftWins, merge.RightWins, merge.Person)
	rng = rand.New(rand.NewPCG(seed, 4))
	for side := range c.gone {
		c.gone[side] = []away.GonePolicy{away.GoneHold, away.GoneDelete, away.GoneArchive, away.GoneUnlink, away.GoneIgnore}[rng.IntN(5)]
	}
	c.tighten(rand.New(rand.NewPCG(seed, 5)))
	rng = rand.New(rand.NewPCG(seed, 6))
	for i := range c.sides {
		c.sides[i].counting = rng.IntN(2) == 0
	}
	return c
}

// What a person says at rest of the sets that guards hold.
const (
	rejectsNone = iota
	rejectsSome
	rejectsAll
)

// tighten draws guards that let one change go, or two, each of its own risk: in a run,
// or in a day and a week as well. Users seldom empty, end or remove two things before
// a run: of that the second of a day is held mostly.
func (c *climate) tighten(rng *rand.Rand) {
	if rng.IntN(3) > 0 {
		return
	}
	c.tight, c.rejects = true, rng.IntN(3)
	g := &c.guards
	for _, l := range []*guard.Limit{&g.Updates, &g.Creates, &g.Fills} {
		n, kind := 1+rng.IntN(2), rng.IntN(4)
		switch {
		case kind == 1:
			*l = guard.AtMost(n)
		case kind > 1:
			*l = guard.Limit{Run: guard.Amount{Count: n}}
		}
	}
	for _, l := range []*guard.Limit{&g.Clears, &g.Cancels, &g.Deletes} {
		switch rng.IntN(4) {
		case 0:
		case 1:
			*l = guard.Limit{Run: guard.Amount{Count: 1}}
		default:
			*l = guard.AtMost(1)
		}
	}
}

// free reports whether no guard holds anything.
func (c climate) free() bool { return c.guards == guard.Guards{} }

// String is the climate in a line.
func (c climate) String() string {
	return fmt.Sprintf("left %+v, right %+v, stays %t, policies %v, clear %v, guards %+v, tight %t rejects %d, ask first %t, gone %q",
		c.sides[record.Left], c.sides[record.Right], c.stays, c.policies, c.clear, c.guards, c.tight, c.rejects, c.askFirst, c.gone)
}
