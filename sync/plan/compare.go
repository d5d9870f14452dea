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
	Waits       Cause = "waiting"  // for another record, or for a side to show the field
	LeftOut     Cause = "left out" // by a rule
	OutOfWindow Cause = "out of window"
	GoneCause   Cause = "gone"        // a record is gone, or may be
	Unreadable  Cause = "unreadable"  // it can't be read or written as it is
	RefusedOnce Cause = "refused"     // a system said no to it
	NotWritten  Cause = "not written" // until a person mends something: a finding says what
	Guarded     Cause = "guarded"     // a guard holds it back
	Unsettled   Cause = "unsettled"   // a change was sent and not answered yet
	NotShown    Cause = "not shown"   // one side holds something, and the other has never shown that field
	OldCopy     Cause = "old copy"    // it keeps a copy from a record that it names, and which holds another value now
	Drifted     Cause = "drift"       // an edit on the receiving side of a one-way field
	UndoneCause Cause = "undone"      // an undo put it back on one side
	ByRule      Cause = "by rule"     // the configuration lets it stand
	Unexplained Cause = "unexplained"
)

// Difference is one field that two linked records do not hold the same.
type Difference struct {
	Field string
	Left  record.Value
	Right record.Value
	Cause Cause
	Why   string
	// Stands says that nobody caused the difference since the link was settled, and that no better reason is
	// known.
	Stands bool
}

// because gives a difference its cause, and why that is so.
func (x Difference) because(cause Cause, why string) Difference {
	x.Cause, x.Why, x.Stands = cause, why, false
	return x
}

// Compare says in which fields the two records of a link differ, and why as far as the
// rules tell. hidden is how many fields could not be compared, because a side did not
// show them, or only a digest of them is kept. It is pure.
func Compare(r Rules, c Case) (diffs []Difference, hidden int) {
	c = c.sameNamed(r)
	decisions := c.merge(r)
	c.hold(r, decisions)
	for _, d := range decisions {
		if x, differs := c.difference(r, d); differs {
			diffs = append(diffs, x)
		}
		if c.waitsFor(d.Field) == "" && isKeptApart(d) && (!d.Left.Observed() || !d.Right.Observed()) {
			hidden++
		}
	}
	return diffs, hidden
}

// difference returns how the two records differ in the field of a decision, false where they hold the same. The
// first cause that applies counts. So a reference waits first of all: it can't be compared before it is known
// whom it means.
func (c *Case) difference(r Rules, d merge.Decision) (x Difference, differs bool) {
	x = Difference{Field: d.Field, Left: d.Left, Right: d.Right, Why: Named(r, d.Reason.Text), Stands: d.Reason.Ground == merge.GroundStanding}
	cause, undecided := undecidedCauses[d.Act]
	switch why := c.waitsFor(d.Field); {
	case why != "":
		x = x.because(Waits, why)
	case isKeptApart(d):
		return c.keptApart(r, d, x)
	case undecided:
		x.Cause = cause
	case len(c.Astray) > 0: // nothing of the record is written
		x = x.because(Waits, c.Astray[0].Why)
	default:
		x.Cause = Changed
	}
	return x, true
}

// undecidedCauses is the cause of a difference that stays because its field is not decided, or may not be
// written.
var undecidedCauses = map[merge.Act]Cause{merge.Pending: Waits, merge.Hold: Held, merge.Drift: Drifted}

// waitsFor says why nobody knows yet what a field holds, or whom it means; "" if it is known.
func (c *Case) waitsFor(field string) string {
	if why := c.astray(field); why != "" {
		return why
	}
	return c.Blocked[field]
}

// isKeptApart reports whether both sides keep what they have.
func isKeptApart(d merge.Decision) bool { return d.Act == merge.Keep || d.Act == merge.Adopt }

// keptApart returns the difference in a field where both sides keep what they have, false where they hold the
// same.
func (c *Case) keptApart(r Rules, d merge.Decision, x Difference) (Difference, bool) {
	x, blind := c.blind(r, x)
	switch {
	case d.Act == merge.Adopt:
		x.Cause = ByRule
		return x, d.Reason.Ground != merge.GroundSame
	case blind:
		return x, true
	case d.Reason.Ground != merge.GroundStanding:
		return x, false
	}
	x.Cause = standing(r, d)
	if why := asKept(d); x.Cause == Unexplained && why != "" {
		x = x.because(ByRule, why)
	}
	return x, true
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

// asKept explains a difference by what a side's system made of the other side's value: it keeps only the
// beginning, or spells it in its own way. "" where neither can be seen.
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

// blind gives a difference its cause where one side holds a value and the other side can't be compared: it has
// never shown the field, or shows something that can't be read. It reports whether that is so. A field of which a
// digest is kept was shown before.
func (c *Case) blind(r Rules, x Difference) (Difference, bool) {
	value := [2]record.Value{x.Left, x.Right}
	for _, side := range record.Sides {
		here, there := c.Sides[side], value[side.Other()]
		inputs := r.Mapping.Inputs(side, x.Field)
		if value[side].Observed() || !there.Filled() || here.Settled[x.Field].Known() || len(inputs) == 0 {
			continue
		}
		sys := r.Kinds[side].System
		if slices.ContainsFunc(inputs, func(p string) bool { return here.Native[p].Observed() }) {
			return x.because(Unreadable, fmt.Sprintf("what %s holds there can't be read as it is", sys)), true
		}
		return x.because(NotShown, fmt.Sprintf("%s has never shown what it holds there: whether the value arrived is not known", sys)), true
	}
	return x, false
}
