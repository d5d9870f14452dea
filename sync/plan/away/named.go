package away

import (
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/record"
)

// NamedBy is what depends on a record in other jobs: its partners in those jobs, and the records of its own
// system that name it, as bookings name their guest. A booking that is over counts like any other: without the
// guest, its row would lead nowhere.
type NamedBy struct {
	By    []record.Ref // records that are there, and that go on naming it as far as anybody knows
	With  []string     // its partners in other jobs that are there, each with its system
	Await string       // what must be known first about who names it, "" for nothing
}

// None reports whether nothing depends on the record.
func (n NamedBy) None() bool { return len(n.By)+len(n.With) == 0 }

// heedNamed keeps a record that others name from being deleted or put aside because the one across is gone. The
// record waits while those others may still move or go, or are not all known yet, whatever a person said. If
// somebody still names it after that, a person is asked, and told who: guest 17 is named by booking 40.
func heedNamed(x Existing, f Fate) Fate {
	if f.Deed != Carry {
		return f
	}
	n := x.Sides[f.Side].NamedBy
	switch {
	case n.Await != "":
		return Fate{Deed: Await}
	case n.None(), x.Choice == ChooseCarry: // the person who chose it was told of them all: see record.Rests.Covers
		return f
	}
	f = Fate{Ask, f.Side.Other(), AskNamed}
	if x.Choice != ChooseNone {
		return chosenGone(x, f)
	}
	return f
}

// All names everything that depends on the record, as a person reads it.
func (n NamedBy) All() []string { return slices.Concat(RefTexts(n.By), n.With) }

// RefTexts returns the texts by which a person knows records.
func RefTexts(refs []record.Ref) []string {
	out := make([]string, len(refs))
	for i, ref := range refs {
		out[i] = ref.String()
	}
	return out
}

// shownNames is how many records a sentence names.
const shownNames = 5

// Reason is the sentence that says what depends on a record.
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

// some names the first few, and says how many more there are.
func some(names []string) string {
	more := ""
	if n := len(names) - shownNames; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names[:min(len(names), shownNames)], ", ") + more
}
