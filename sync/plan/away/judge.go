package away

import (
	"nightporter/sync/record"
)

// Gone decides a link by how its two records stand. It is pure and the same for both sides. An absence that is
// not proven does not count. What can't be taken back is done only where it is known how both records stand.
func Gone(x Existing) Fate {
	return heedNamed(x, heedAnswer(x, heedUnable(x, judgeGone(x))))
}

// judgeGone decides a link by its two records alone, before any answer of a person. The first rule that
// applies decides. Each rule looks at the left record first, and then at the right one.
func judgeGone(x Existing) Fate {
	for _, rule := range judgements {
		for _, side := range record.Sides {
			if f, applies := rule.judge(x, side); applies {
				return f
			}
		}
	}
	return Fate{Deed: GoOn}
}

// judgements is the rules of judgeGone in their order. A record that may be another one comes first: nothing
// else that is known of it counts.
var judgements = []struct {
	name  string
	judge func(x Existing, side record.Side) (f Fate, applies bool)
}{
	{"its id names another record", judgeForeign},
	{"the id of a record that is gone was given to a new one", judgeBegun},
	{"both are gone", judgeBothGone},
	{"it is there again", judgeReturned},
	{"what we deleted was edited across since", judgeUndone},
	{"the link is only remembered", judgeParted},
	{"it was merged into another record", judgeMerged},
	{"a newer version is not in place yet", judgeUnreplaced},
	{"one is gone", judgeOneGone},
}

// judgeForeign stops a link whose id names another record now. A person says which one it is: guest 17 was
// Anna Rossi, and is Otto Berg today.
func judgeForeign(x Existing, side record.Side) (Fate, bool) {
	return Fate{Break, side, AskForeign}, x.Sides[side].State == Foreign && !x.Parted
}

// judgeBegun lets a new record begin with nothing. Its system gave it the id of one that is gone, whose link
// is over, or whose partner was left to itself.
func judgeBegun(x Existing, side record.Side) (Fate, bool) {
	s := x.Sides[side]
	return Fate{Deed: Begin, Side: side}, s.State == Foreign && (x.Over || x.Parted && s.Given)
}

// judgeBothGone ends a link that has no record left. If one record is gone, nobody waits for a newer version of
// the other.
func judgeBothGone(x Existing, side record.Side) (Fate, bool) {
	other := x.Sides[side.Other()]
	return Fate{Deed: End}, proven(x.Sides[side]) && (proven(other) || other.State == Replaced)
}

// judgeReturned asks a person about a record that is there again, because something was done when it was gone.
// One that never changes is taken up without a question: it is just what it was, say a call of last week.
func judgeReturned(x Existing, side record.Side) (Fate, bool) {
	s := x.Sides[side]
	if s.Fixed {
		return Fate{Deed: Free, Side: side}, s.State == Returned
	}
	return Fate{Ask, side, AskReturned}, s.State == Returned
}

// judgeUndone ends a link of which we deleted one record and left the other alone, as an undo does with what a run
// made: once somebody edits the record that is left, it goes across again like any new one.
func judgeUndone(x Existing, side record.Side) (Fate, bool) {
	gone, other := x.Sides[side], x.Sides[side.Other()]
	undone := x.Parted && !x.Over && gone.Ours && proven(gone)
	return Fate{Deed: Free, Side: side.Other()}, undone && other.State == Present && other.Changed
}

// judgeParted leaves a link alone that is only remembered: the record that is left goes its own way.
func judgeParted(x Existing, _ record.Side) (Fate, bool) {
	return Fate{Deed: Await}, x.Parted
}

// judgeMerged goes on with the record that this one is now. A person is asked where that one is linked already:
// the PMS merged guest 17 into guest 4, and the platform has two records for them.
func judgeMerged(x Existing, side record.Side) (Fate, bool) {
	s := x.Sides[side]
	switch {
	case s.Taken:
		return Fate{Ask, side, AskMerged}, s.State == Merged
	case s.Unsure:
		return Fate{Deed: Await}, s.State == Merged
	}
	return Fate{Deed: Rewire, Side: side}, s.State == Merged
}

// judgeUnreplaced waits until the newer version of a record is in its place across. The record across would be
// taken away first otherwise, and its system would have neither version for a while.
func judgeUnreplaced(x Existing, side record.Side) (Fate, bool) {
	s := x.Sides[side]
	return Fate{Deed: Await}, s.State == Replaced && s.Unsure
}

// judgeOneGone decides a link if the record of side is gone, and the other one is not known to be gone.
func judgeOneGone(x Existing, side record.Side) (Fate, bool) {
	if !proven(x.Sides[side]) {
		return Fate{}, false
	}
	return oneGone(x.Sides[side], x.Sides[side.Other()], side), true
}

// oneGone returns what the first case that applies says. A deed is done to the record across, and a question
// names the record that is gone.
func oneGone(gone, other Standing, side record.Side) Fate {
	for _, c := range oneGoneCases {
		if !c.applies(gone, other) {
			continue
		}
		if c.deed == Ask {
			return Fate{Ask, side, c.question}
		}
		if c.deed == Await {
			return Fate{Deed: Await}
		}
		return Fate{Deed: c.deed, Side: side.Other()}
	}
	return Fate{Deed: Carry, Side: side.Other()}
}

// oneGoneCases has the cases in their order: first what casts doubt on the absence itself, then a rule that
// leaves the record across alone, then what a person has to know before that record goes.
var oneGoneCases = []struct {
	applies  func(gone, other Standing) bool
	deed     Deed
	question Question
}{
	// Nothing is taken away because of a record that may not be there itself.
	{func(_, other Standing) bool { return other.State != Present }, Await, ""},
	// A system that was put back to an older copy, as a person said, gets once more what it lost.
	{func(gone, _ Standing) bool { return gone.Lost }, Free, ""},
	// A system that has none of our records any more may be another account.
	{func(gone, _ Standing) bool { return gone.Lone }, Ask, AskAlone},
	{func(gone, _ Standing) bool { return gone.Policy == GoneIgnore }, Ignore, ""},
	{func(gone, _ Standing) bool { return gone.Policy == GoneUnlink }, Part, ""},
	// Somebody still works with the record across. An edit of an old version does not count.
	{func(gone, other Standing) bool { return other.Changed && gone.State != Replaced }, Ask, AskEdited},
	{func(_, other Standing) bool { return other.Refused }, Ask, AskRefused},
	{func(gone, _ Standing) bool { return gone.Policy != GoneDelete && gone.Policy != GoneArchive }, Ask, AskGone},
	// The record may be there under another id: its partner would be deleted and made again.
	{func(gone, _ Standing) bool { return gone.Anew && gone.State == Absent }, Ask, AskAnew},
}

// MayGo returns the record of a link that would be deleted or put aside, by the rules alone or once a person says
// so. It returns false where there is none.
func MayGo(x Existing) (record.Side, bool) {
	f := judgeGone(x)
	switch {
	case f.Deed == Carry:
		return f.Side, true
	case f.Deed == Ask && f.Question != AskReturned:
		return f.Side.Other(), true
	case (f.Deed == Ignore || f.Deed == Part) && x.Choice == ChooseCarry: // a person was asked before the rule left it
		return f.Side, true
	}
	return 0, false
}
