package plan

import (
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/record"
)

// NamedBy is what names a record in other jobs of its system, as bookings name their guest. A
// booking that is over names him like any other: without him its row would lead nowhere.
type NamedBy struct {
	By    []record.Ref // what is there, and goes on naming it as far as anybody knows
	Await string       // what is known only later of what names it, "" for nothing
}

// heedNamed is the one place that decides about a record that others name: it is not deleted
// or put aside because the one across is gone. While what names it is about to be moved, or to
// go, or may not be known yet, it waits, whatever a person said. As long as somebody names it
// then, a person is asked, and told who does.
func heedNamed(x Existing, f Fate) Fate {
	if f.Deed != Carry {
		return f
	}
	n := x.Sides[f.Side].NamedBy
	switch {
	case n.Await != "":
		return Fate{Deed: Await}
	case len(n.By) == 0, x.Choice == ChooseCarry: // who chose it was told of them all: see CountsStill
		return f
	}
	f = Fate{Ask, f.Side.Other(), AskNamed}
	if x.Choice != ChooseNone {
		return chosenGone(x, f)
	}
	return f
}

// Facts is what a question about a record rests on that others name.
func (n NamedBy) Facts() string {
	var names []string
	for _, ref := range n.By {
		names = append(names, ref.String())
	}
	return strings.Join(names, "\n")
}

// CountsStill reports whether an answer that was given for some facts counts now: nobody names
// the record of whom was not told.
func (n NamedBy) CountsStill(facts string) bool {
	told := strings.Split(facts, "\n")
	return !slices.ContainsFunc(n.By, func(ref record.Ref) bool { return !slices.Contains(told, ref.String()) })
}

// MayGo is the record of a link that is deleted or put aside by this, or once a person says so;
// false where none is.
func MayGo(x Existing) (record.Side, bool) {
	f := judgeGone(x)
	switch {
	case f.Deed == Carry:
		return f.Side, true
	case f.Deed == Ask && f.Question != AskReturned:
		return f.Side.Other(), true
	}
	return 0, false
}

// shownNames is how many records a sentence names.
const shownNames = 5

// NamedReason is the sentence that says which records name one.
func NamedReason(of record.Ref, by []record.Ref) string {
	var names []string
	for _, ref := range by[:min(len(by), shownNames)] {
		names = append(names, ref.String())
	}
	more := ""
	if n := len(by) - shownNames; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%s is named by %s%s", of, strings.Join(names, ", "), more)
}

// Carries reports whether what stands across in a field is written to a side.
func (r Rules) Carries(field string, to record.Side) bool {
	return mayWrite(directionOf(r, field), to)
}
