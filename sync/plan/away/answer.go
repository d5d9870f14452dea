package away

// heedAnswer lets what a person said go before the rule. The question they were asked may be another one by
// now: no other record of a side was there, and one is today. What they said of the record still counts.
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

// heedUnable asks a person what is to become of a record that its system can neither delete nor put aside. "It
// goes, too" is no answer then.
func heedUnable(x Existing, f Fate) Fate {
	switch {
	case f.Deed == Carry && x.Sides[f.Side].Unable:
		return Fate{Ask, f.Side.Other(), AskUnable}
	case f.Deed == Ask && f.Question != AskReturned && x.Sides[f.Side.Other()].Unable:
		f.Question = AskUnable
	}
	return f
}

// chosenGone returns what a person's choice makes of the question f. A choice that does not answer the question
// leaves it open.
func chosenGone(x Existing, f Fate) Fate {
	switch x.Choice {
	case ChooseLeave:
		return Fate{Deed: Part, Side: f.Side.Other()}
	case ChooseCarry:
		return choseCarry(x, f)
	case ChooseAnew:
		return choseAnew(x, f)
	case ChooseSame:
		return choseSame(x, f)
	case ChooseNone:
	}
	return f
}

// asksOfAbsence reports whether a question is about a record that is not there.
func (f Fate) asksOfAbsence() bool { return f.Question != AskReturned && f.Question != AskForeign }

// isThere reports whether the record across from the one that is asked about is there: only then something can
// be done to it.
func (f Fate) isThere(x Existing) bool { return x.Sides[f.Side.Other()].State == Present }

// choseCarry has the record across go, too, where its system can do that.
func choseCarry(x Existing, f Fate) Fate {
	if f.asksOfAbsence() && f.isThere(x) && f.Question != AskUnable {
		return Fate{Deed: Carry, Side: f.Side.Other()}
	}
	return f
}

// choseAnew begins again with one record. A stranger under the id of ours is split off. A record that was entered
// anew is joined where the person was told which one it is: it is joined as that one, though its keys may have
// changed since. Otherwise the missing one is made anew across.
func choseAnew(x Existing, f Fate) Fate {
	switch {
	case f.Question == AskForeign:
		return Fate{Deed: Split, Side: f.Side}
	case !f.asksOfAbsence() || !f.isThere(x):
		return f
	case x.Sides[f.Side].Known:
		return Fate{Deed: Rewire, Side: f.Side}
	}
	return Fate{Deed: Free, Side: f.Side.Other()}
}

// choseSame goes on with a record that came back, or that looked like a stranger. Its partner may be gone, often
// because we took it away. That is no reason to take this record away as well: it would go because of its own
// earlier absence. The record lives, and is made anew across like any record without a partner. While nobody
// knows about the partner, the answer waits.
func choseSame(x Existing, f Fate) Fate {
	switch other := x.Sides[f.Side.Other()]; {
	case f.asksOfAbsence():
		return f
	case proven(other) && !x.Sides[f.Side].Moved: // a record that was merged away itself is made nowhere
		return Fate{Deed: Free, Side: f.Side}
	case other.State == Absent && other.Proof == Unlisted:
		return Fate{Deed: Await}
	}
	return Fate{Deed: Resume, Side: f.Side}
}
