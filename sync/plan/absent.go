package plan

import (
	"fmt"

	"nightporter/sync/record"
)

// Proof is how sure it is that a record is not there.
type Proof uint8

// The proofs, weakest first. Below ReadAway nothing is ever done.
const (
	Unseen   Proof = iota // not looked for, or outside of what is looked at
	Unlisted              // a complete list did not show it, or a read by id found nothing; it is looked for again
	ReadAway              // a read by id found nothing, late enough after our last write to be believed
	ToldAway              // its system says so itself
)

// Existence is how a record of a link stands.
type Existence uint8

// The ways in which it can stand.
const (
	Present  Existence = iota
	Absent             // by Proof
	Merged             // it is another record of its system now
	Returned           // it was gone, something was done because of that, and it is there again
	Foreign            // its id names another record than the one that was linked
	Replaced           // a newer version, which is another record, stands in its place
)

// GonePolicy says what becomes of a record when the one across is gone.
type GonePolicy string

// The policies. GoneHold, which asks a person, is the default.
const (
	GoneHold    GonePolicy = "hold"
	GoneDelete  GonePolicy = "delete"
	GoneArchive GonePolicy = "archive"
	GoneUnlink  GonePolicy = "unlink"
	GoneIgnore  GonePolicy = "ignore"
)

// Standing is what is known of one record of a link, and what its absence means.
type Standing struct {
	State   Existence
	Proof   Proof      // for Absent
	Changed bool       // it was edited since the link was last in step, or that can't be known
	Taken   bool       // for Merged: the record that it is now belongs to another link
	Moved   bool       // for Foreign: it was merged into another record, and nobody has said whether it was ours
	Unsure  bool       // for Merged: nobody knows yet whether the record that it is now has a counterpart. For Replaced: the newer one is not in its place across yet
	Fixed   bool       // it never changes: what is there again is just what was there before
	Lone    bool       // no other linked record of its side is there: it may be the system that is another
	Known   bool       // which record it is, entered anew: a person was told of one, and said so
	Anew    bool       // another record of its side has no link and agrees with the one across by a match rule: it may be the same, entered anew
	Lost    bool       // its system was put back to an older copy, and is to get once more what the other holds
	Policy  GonePolicy // what is done to the record across when this one is gone; "" is GoneHold
	Refused bool       // its system refused to have done to it what the policy says
	Given   bool       // it was gone, and another one has its id since
	Unable  bool       // its system has no such thing
	NamedBy NamedBy    // what goes by it in other jobs, where it may go
}

// GoneChoice is what a person decided about a record that is gone.
type GoneChoice string

// The choices. ChooseCarry carries the absence over, ChooseLeave leaves the other
// record alone for good, ChooseAnew has the missing one made anew, or says that what has its
// id is another record, and ChooseSame says that a record which came back, or looks like a
// stranger, is the same.
const (
	ChooseNone  GoneChoice = ""
	ChooseCarry GoneChoice = "delete"
	ChooseLeave GoneChoice = "leave"
	ChooseAnew  GoneChoice = "create"
	ChooseSame  GoneChoice = "same"
)

// Known reports whether a choice is one of these. Where a person is told of several that may be what is gone,
// entered anew, they may also name one.
func (c GoneChoice) Known() bool {
	switch c {
	case ChooseNone, ChooseCarry, ChooseLeave, ChooseAnew, ChooseSame:
		return true
	}
	return false
}

// Existing is one link of which a record may be gone.
type Existing struct {
	Sides  [2]Standing
	Parted bool       // the link is only remembered
	Over   bool       // and both its records were gone
	Choice GoneChoice // what a person said
}

// Deed is what is to be done about a link of which a record is gone.
type Deed uint8

// The deeds. Only Carry writes to a system.
const (
	GoOn   Deed = iota // nothing is proven: the link is decided as always
	Await              // nothing is done before more is known
	Carry              // the policy is carried out on the record of Side
	Part               // the link is only remembered from now on
	Ignore             // the record across stays as it is, and so does the link
	Ask                // a person is asked
	Rewire             // the link goes on with the record that the one of Side is now
	End                // both are gone: the link ends
	Break              // nothing flows over the link before a person says
	Free               // the link ends, and the record of Side is as if it had never had one
	Resume             // the link goes on
	Split              // the record of Side is another one: the link ends, and what becomes of the one across is asked
	Begin              // the id of Side, whose record is gone, names a new one: that begins with nothing
)

// Question is what a person is asked about a link.
type Question string

// The questions.
const (
	AskGone     Question = "gone"     // one is gone: is the other one to go too?
	AskEdited   Question = "edited"   // one is gone, the other was edited since
	AskAnew     Question = "anew"     // one is gone, and what may be the same was entered anew
	AskAlone    Question = "alone"    // no linked record of that side is there
	AskRefused  Question = "refused"  // the system refused to delete it
	AskUnable   Question = "unable"   // one is gone, and the system of the other can't delete it
	AskMerged   Question = "merged"   // it was merged into a record that is linked to another
	AskReturned Question = "returned" // it is there again
	AskForeign  Question = "stranger" // its id names another record
	AskNamed    Question = "named"    // one is gone, and records of other jobs name the other one, or are linked with it
)

// Fate is what is decided about a link of which a record is gone.
type Fate struct {
	Deed     Deed
	Side     record.Side // the record that is acted upon; for Rewire, Ask and Break the one that is the cause
	Question Question    // for Ask and Break
}

// Gone decides a link by how its two records stand. It is pure and the same for both
// sides. An absence that is not proven is no absence, and what can't be taken back is
// done only where both records are known.
func Gone(x Existing) Fate {
	return heedNamed(x, heedAnswer(x, heedUnable(x, judgeGone(x))))
}

// heedAnswer has what a person said go before the rule. What they were asked may be answered
// otherwise by now, as where no other record of a side was there and one is: what they said of the
// record stands.
func heedAnswer(x Existing, f Fate) Fate {
	if x.Choice == ChooseNone {
		return f
	}
	if f.Deed == Ask || f.Deed == Break {
		return chosenGone(x, f)
	}
	if f.Deed == Carry || f.Deed == Part || f.Deed == Ignore {
		asked := Fate{Ask, f.Side.Other(), AskGone}
		if said := chosenGone(x, asked); said != asked {
			return said
		}
	}
	return f
}

// heedUnable has a person asked what is to become of a record that its system can't delete or put
// aside. That it goes, too, is no answer then.
func heedUnable(x Existing, f Fate) Fate {
	switch {
	case f.Deed == Carry && x.Sides[f.Side].Unable:
		return Fate{Ask, f.Side.Other(), AskUnable}
	case f.Deed == Ask && f.Question != AskReturned && x.Sides[f.Side.Other()].Unable:
		f.Question = AskUnable
	}
	return f
}

func judgeGone(x Existing) Fate {
	for _, side := range record.Sides {
		if x.Sides[side].State == Foreign && !x.Parted {
			return Fate{Break, side, AskForeign}
		}
	}
	for _, side := range record.Sides {
		if s := x.Sides[side]; s.State == Foreign && (x.Over || x.Parted && s.Given) {
			return Fate{Deed: Begin, Side: side}
		}
	}
	gone := [2]bool{proven(x.Sides[0]), proven(x.Sides[1])}
	for _, side := range record.Sides {
		if gone[side] && (gone[side.Other()] || x.Sides[side.Other()].State == Replaced) {
			return Fate{Deed: End} // nothing is left that could wait for a newer version
		}
	}
	for _, side := range record.Sides {
		switch s := x.Sides[side]; {
		case s.State == Returned && s.Fixed:
			return Fate{Deed: Free, Side: side}
		case s.State == Returned:
			return Fate{Ask, side, AskReturned}
		}
	}
	if x.Parted {
		return Fate{Deed: Await}
	}
	for _, side := range record.Sides {
		switch s := x.Sides[side]; {
		case s.State == Merged && s.Taken:
			return Fate{Ask, side, AskMerged}
		case s.State == Merged && s.Unsure:
			return Fate{Deed: Await}
		case s.State == Merged:
			return Fate{Deed: Rewire, Side: side}
		}
	}
	for _, side := range record.Sides {
		if s := x.Sides[side]; s.State == Replaced && s.Unsure {
			return Fate{Deed: Await}
		}
	}
	for _, side := range record.Sides {
		if gone[side] {
			return oneGone(x.Sides[side], x.Sides[side.Other()], side)
		}
	}
	return Fate{Deed: GoOn}
}

// proven reports whether a record is known not to be there. One of which a newer version
// is not in its place across yet counts as there: nothing is taken away before.
func proven(s Standing) bool {
	return s.State == Absent && s.Proof >= ReadAway || s.State == Replaced && !s.Unsure
}

// oneGone decides a link of which the record of side is gone and the other is not
// known to be.
func oneGone(gone, other Standing, side record.Side) Fate {
	switch {
	case other.State != Present:
		return Fate{Deed: Await}
	case gone.Lone:
		return Fate{Ask, side, AskAlone}
	case gone.Lost:
		return Fate{Deed: Free, Side: side.Other()}
	case gone.Policy == GoneIgnore:
		return Fate{Deed: Ignore, Side: side.Other()}
	case gone.Policy == GoneUnlink:
		return Fate{Deed: Part, Side: side.Other()}
	case other.Changed && gone.State != Replaced: // what was edited in an old version is of no account
		return Fate{Ask, side, AskEdited}
	case other.Refused:
		return Fate{Ask, side, AskRefused}
	case gone.Policy != GoneDelete && gone.Policy != GoneArchive:
		return Fate{Ask, side, AskGone}
	case gone.Anew && gone.State == Absent:
		return Fate{Ask, side, AskAnew}
	}
	return Fate{Deed: Carry, Side: side.Other()}
}

// chosenGone is what a person said in place of a question. What does not answer the
// question leaves it open.
func chosenGone(x Existing, f Fate) Fate {
	other := f.Side.Other()
	there := x.Sides[other].State == Present
	absent := f.Question != AskReturned && f.Question != AskForeign
	switch {
	case x.Choice == ChooseSame && !absent:
		return goesOn(x, f.Side)
	case x.Choice == ChooseAnew && f.Question == AskForeign:
		return Fate{Deed: Split, Side: f.Side}
	case x.Choice == ChooseLeave:
		return Fate{Deed: Part, Side: other}
	case x.Choice == ChooseCarry && absent && there && f.Question != AskUnable:
		return Fate{Deed: Carry, Side: other}
	case x.Choice == ChooseAnew && absent && there && x.Sides[f.Side].Known:
		return Fate{Deed: Rewire, Side: f.Side}
	case x.Choice == ChooseAnew && absent && there:
		return Fate{Deed: Free, Side: other}
	}
	return f
}

// GoneReason is the sentence for what is done to the record of a side, or asked about
// it, because the one across is gone.
func GoneReason(r Rules, side record.Side, q Question) string {
	here, there := r.Kinds[side].System, r.Kinds[side.Other()].System
	switch q {
	case AskGone:
		return fmt.Sprintf("%s does not have it any more: is it to go from %s too?", there, here)
	case AskEdited:
		return fmt.Sprintf("%s does not have it any more, and it was edited in %s since", there, here)
	case AskAnew:
		return fmt.Sprintf("%s does not have it any more, and has a new record that may be the same", there)
	case AskAlone:
		return fmt.Sprintf("%s does not have it any more, nor any other record that was linked: is it another account?", there)
	case AskRefused:
		return fmt.Sprintf("%s does not have it any more, and %s refused to let it go", there, here)
	case AskUnable:
		return fmt.Sprintf("%s does not have it any more, and it can't go from %s", there, here)
	case AskMerged:
		return fmt.Sprintf("%s merged it into a record that is linked to another one of %s: are the two of %s the same?", there, here, here)
	case AskReturned:
		return fmt.Sprintf("%s did not have it any more, and has it again", there)
	case AskNamed:
		return fmt.Sprintf("%s does not have it any more, and it is in use in %s: is it to go all the same?", there, here)
	case AskForeign:
		return fmt.Sprintf("under its id %s has another record now", there)
	}
	return fmt.Sprintf("%s does not have it any more", there)
}

// GoneRule stands for the rule by which a record is taken away.
const GoneRule = "gone"

// Delete is the change that removes the record of a side because the one across is
// gone. It is made upon all that is known of the record: edited since, it stays.
func Delete(r Rules, c Case, side record.Side, gone record.Ref) Action {
	a := goneAction(r, c, side, gone, record.Delete)
	a.Reason = GoneReason(r, side, "")
	before := c.Sides[side].Now
	for _, f := range r.Merge {
		if v := before[f.Field]; v.Observed() && !v.Empty() {
			a.Fields = append(a.Fields, record.FieldReason{Field: f.Field, Policy: GoneRule, Before: v, After: record.Nothing(), Reason: a.Reason})
		}
	}
	return a
}

// Archive is the changes that put the record of a side aside by values of its own,
// because the one across is gone: none where it holds them already.
func Archive(r Rules, c Case, side record.Side, gone record.Ref, values record.Fields) []Action {
	s := c.Sides[side]
	status := r.Kinds[side].Status
	plain, moved := differing(values, s.Native), record.Fields{}
	if v, ok := plain[status]; ok && status != "" {
		moved[status] = v
		delete(plain, status)
		for _, p := range r.Kinds[side].Carries[v.Text()] {
			if v, ok := plain[p]; ok {
				moved[p] = v
				delete(plain, p)
			}
		}
	}
	var steps []Action
	for _, step := range []struct {
		op     record.Op
		values record.Fields
	}{{record.Update, plain}, {record.Action, moved}} {
		if len(step.values) == 0 {
			continue
		}
		a := goneAction(r, c, side, gone, step.op)
		a.Step, a.Change.Fields = len(steps), step.values
		a.Reason = GoneReason(r, side, "") + ": it is put aside"
		for _, p := range step.values.Names() {
			a.Fields = append(a.Fields, record.FieldReason{Field: p, Policy: GoneRule, Before: s.Native[p], After: step.values[p], Reason: a.Reason})
		}
		SentAlong(r.Kinds[side], s, a.Change)
		steps = append(steps, a)
	}
	return steps
}

// Succeed says of changes by which an old version goes that a newer one is in its place
// across: nothing is lost by them, so that they count as changes and not as deletions.
func Succeed(actions []Action, newer record.Ref, there record.System) []Action {
	for i := range actions {
		a := &actions[i]
		a.Risk = RiskUpdate
		a.Reason = fmt.Sprintf("%s of %s took its place", newer, there)
		for n := range a.Fields {
			a.Fields[n].Reason = a.Reason
		}
	}
	return actions
}

// goneAction is a change of a record because the one across is gone. To put it aside is
// as grave as to delete it.
func goneAction(r Rules, c Case, side record.Side, gone record.Ref, op record.Op) Action {
	s := c.Sides[side]
	return Action{
		Side: side, Link: c.Link, Entity: c.Entity, Source: gone, Priority: r.Urgent, Day: dayOf(r, c), Risk: RiskDelete,
		Change: record.Change{Op: op, Ref: s.Ref, Version: s.Version, Fields: record.Fields{}, Before: s.Native.Clone()},
		Bases:  [2]record.Fields{{}, {}},
	}
}
