package plan

import (
	"fmt"
	"slices"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Cause is why two linked records do not hold the same, or why a record has no partner.
type Cause string

// The causes. Changed is what the next run writes; ByRule is a difference that the
// configuration lets stand; Unexplained is what nobody knows a reason for.
const (
	Changed     Cause = "changed"  // since the last run: the next one carries it over
	Held        Cause = "held"     // a person decides
	Waits       Cause = "waiting"  // for another record, or to be shown
	LeftOut     Cause = "left out" // by a rule
	OutOfWindow Cause = "out of window"
	GoneCause   Cause = "gone"        // it is not there any more, or may not be
	Unreadable  Cause = "unreadable"  // it can't be read or written as it is
	RefusedOnce Cause = "refused"     // a system said no to it
	NotWritten  Cause = "not written" // until a person mends something: what is found is kept
	Guarded     Cause = "guarded"     // a guard holds it back
	Unsettled   Cause = "unsettled"   // a change was sent and not answered yet
	NotShown    Cause = "not shown"   // one side holds something, and the other has never shown that field
	OldCopy     Cause = "old copy"    // it keeps what was written there of a record that it names, which holds another value
	Drifted     Cause = "drift"       // an edit on the receiving side of a one-way field
	UndoneCause Cause = "undone"      // an undo put it back on one side
	ByRule      Cause = "by rule"     // the configuration lets it stand
	Unexplained Cause = "unexplained"
)

// StandingWhy is the reason of a difference that nobody caused since the link was
// settled.
const StandingWhy = merge.Standing

// Difference is one field that two linked records do not hold the same.
type Difference struct {
	Field string
	Left  record.Value
	Right record.Value
	Cause Cause
	Why   string
}

// Compare says in which fields the two records of a link differ, and why as far as the
// rules tell. hidden is how many fields could not be compared, because a side did not
// show them, or only a digest of them is kept. It is pure.
func Compare(r Rules, c Case) (diffs []Difference, hidden int) {
	c = c.sameNamed(r)
	decisions := c.merge(r)
	c.hold(r, decisions)
	for _, d := range decisions {
		x := Difference{Field: d.Field, Left: d.Left, Right: d.Right, Why: Named(r, d.Reason)}
		switch astray := c.astray(d.Field); {
		case astray != "":
			x.Cause, x.Why = Waits, astray
		case c.Blocked[d.Field]:
			x.Cause, x.Why = Waits, "the record that it names is not linked yet"
		case d.Act == merge.Keep || d.Act == merge.Adopt:
			if !d.Left.Observed() || !d.Right.Observed() {
				hidden++
			}
			blind := c.blind(r, &x)
			switch {
			case blind && d.Act == merge.Keep:
			case d.Act == merge.Adopt && d.Reason != merge.BothSame:
				x.Cause = ByRule
			case d.Act == merge.Keep && d.Reason == merge.Standing:
				x.Cause = standing(r, d)
				if why := asKept(d); x.Cause == Unexplained && why != "" {
					x.Cause, x.Why = ByRule, why
				}
			default:
				continue
			}
		case d.Act == merge.Pending:
			x.Cause = Waits
		case d.Act == merge.Hold:
			x.Cause = Held
		case d.Act == merge.Drift:
			x.Cause = Drifted
		case len(c.Astray) > 0:
			x.Cause, x.Why = Waits, c.Astray[0].Why
		default:
			x.Cause = Changed
		}
		diffs = append(diffs, x)
	}
	return diffs, hidden
}

// standing is the cause of a difference that stands since the link was settled.
func standing(r Rules, d merge.Decision) Cause {
	for _, rule := range r.Merge {
		if rule.Field != d.Field {
			continue
		}
		switch {
		case rule.Policy == merge.FillEmpty || rule.Initial == merge.FillEmpty, rule.Policy == merge.Consent, rule.To != merge.Both:
			return ByRule
		case rule.Clear == merge.IgnoreClear && (d.Left.Empty() || d.Right.Empty()):
			return ByRule
		}
	}
	return Unexplained
}

// asKept says what a side's system made of what the other holds, where that can be seen: it spells it in
// its own way, or keeps the beginning alone.
func asKept(d merge.Decision) string {
	for _, side := range record.Sides {
		v, w := d.Left, d.Right
		if side == record.Right {
			v, w = w, v
		}
		if v.Cuts(w) {
			return the(side) + " keeps the beginning of it alone"
		}
	}
	if d.Left.Respells(d.Right) {
		return "the two spell it in their own ways"
	}
	return ""
}

// blind reports whether one side holds a value of a field and the other never showed what it
// holds there, or shows what can't be read, and gives the difference its cause. Of what is
// known by its digest alone neither is so.
func (c *Case) blind(r Rules, x *Difference) bool {
	value := [2]record.Value{x.Left, x.Right}
	for _, side := range record.Sides {
		here, there := c.Sides[side], value[side.Other()]
		if value[side].Observed() || !there.Observed() || there.Empty() || here.Settled[x.Field].Known() {
			continue
		}
		inputs := r.Mapping.Inputs(side, x.Field)
		if len(inputs) == 0 {
			continue
		}
		sys := r.Kinds[side].System
		x.Cause, x.Why = NotShown, fmt.Sprintf("%s has never shown what it holds there: whether the value arrived is not known", sys)
		if slices.ContainsFunc(inputs, func(p string) bool { return here.Native[p].Observed() }) {
			x.Cause, x.Why = Unreadable, fmt.Sprintf("what %s holds there can't be read as it is", sys)
		}
		return true
	}
	return false
}
