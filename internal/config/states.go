package config

// States is by which steps the words of one field move, and who may take them.
type States struct {
	Field string
	Line  int
	// Usual names the steps that are known by themselves, where the file gives none.
	Usual Usual
	// OfLeft says that the left side has the say. Unsaid: nobody wrote it, and it is the
	// job's own authority, over its bookings.
	OfLeft, Unsaid bool
	// Left and Right are the words that a side may move to; nil is what Usual lets it, or all.
	Left, Right []string
	Steps       []Step
	// Ends are the words that are left by the authority alone.
	Ends []string
}

// Step is one step from a word to another. Back ones are the authority's alone.
type Step struct {
	From, To string
	Back     bool
}

// Usual is a set of steps that needs no spelling out.
type Usual string

// The values of Usual. UsualNone is where the file gives the steps.
const (
	UsualNone    Usual = ""
	UsualStay    Usual = "stay"
	UsualOrder   Usual = "order"
	UsualPayment Usual = "payment"
)

// Words are those that the steps of an order, or of its payment, know.
func (u Usual) Words() []string {
	switch u {
	case UsualOrder:
		return []string{"draft", "confirmed", "in_preparation", "ready", "fulfilled", "cancelled", "refused"}
	case UsualPayment:
		return []string{"unpaid", "pending", "failed", "paid", "partially_refunded", "refunded"}
	case UsualNone, UsualStay:
	}
	return nil
}

// Clash is words of several fields that need a person where they would come together by
// one from each side.
type Clash struct {
	Line  int
	Words map[string][]string
}

// Sum says that an amount is the sum of the lines of a list.
type Sum struct {
	Line        int
	Of          string   // the list
	Times       []string // entries of each line that are multiplied
	Plus, Minus []string // fields of the record that go in as well
	// Else is what becomes of a record that shows otherwise.
	Else SumElse
}

// SumElse is what is done about a sum that is off.
type SumElse string

// The values of SumElse. SumHold, which writes nothing of it, is the default.
const (
	SumHold SumElse = "hold"
	SumWarn SumElse = "warn"
)

// StatesOf finds the steps of a field.
func (j *Job) StatesOf(field string) (States, bool) {
	for _, s := range j.States {
		if s.Field == field {
			return s, true
		}
	}
	return States{}, false
}
