package away

import (
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/record"
)

// NamedBy is what goes by a record in other jobs: what names it in its own system, as bookings name
// their guest, and the partners that it has in others. A booking that is over names him like any
// other: without him its row would lead nowhere.
type NamedBy struct {
	By    []record.Ref // what is there, and goes on naming it as far as anybody knows
	With  []string     // its partners in other jobs that are there, each with its system
	Await string       // what is known only later of what names it, "" for nothing
}

// None reports whether nothing goes by the record.
func (n NamedBy) None() bool { return len(n.By)+len(n.With) == 0 }

// heedNamed keeps a record that others name from being deleted or put aside because the one across is gone. It
// waits while those others may still move or go, or are not all known yet, whatever a person said. If
// somebody still names it after that, a person is asked, and told who: guest 17 is named by booking 40.
func heedNamed(x Existing, f Fate) Fate {
	if f.Deed != Carry {
		return f
	}
	n := x.Sides[f.Side].NamedBy
	switch {
	case n.Await != "":
		return Fate{Deed: Await}
	case n.None(), x.Choice == ChooseCarry: // who chose it was told of them all: see record.Rests.Covers
		return f
	}
	f = Fate{Ask, f.Side.Other(), AskNamed}
	if x.Choice != ChooseNone {
		return chosenGone(x, f)
	}
	return f
}

// All is whoever goes by the record, as a person reads it.
func (n NamedBy) All() []string { return slices.Concat(RefTexts(n.By), n.With) }

// RefTexts is records as a person reads them.
func RefTexts(refs []record.Ref) []string {
	out := make([]string, len(refs))
	for i, ref := range refs {
		out[i] = ref.String()
	}
	return out
}

// shownNames is how many records a sentence names.
const shownNames = 5

// Reason is the sentence that says what goes by a record.
func (n NamedBy) Reason(of record.Ref) string {
	var parts []string
	if len(n.By) > 0 {
		parts = append(parts, "is named by "+some(RefTexts(n.By)))
	}
	if len(n.With) > 0 {
		parts = append(parts, "is linked with "+some(n.With))
	}
	return fmt.Sprintf("%s %s", of, strings.Join(parts, " and "))
}

// some is the first of some names, and how many more there are.
func some(names []string) string {
	more := ""
	if n := len(names) - shownNames; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names[:min(len(names), shownNames)], ", ") + more
}
