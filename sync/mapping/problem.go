package mapping

import (
	"errors"

	"nightporter/sync/mapping/expression"
	"nightporter/sync/record"
)

// Code names a kind of problem. Codes are stable: they are counted and queried.
type Code string

// The codes of problems.
const (
	BadShape      Code = "bad_shape"       // a list where a text is expected, and the like
	BadPhone      Code = "bad_phone"       // not a number that can be called
	NoRegion      Code = "no_region"       // a national number, and no country to read it by
	HasExtension  Code = "has_extension"   // read without its extension, and no match key
	BadEmail      Code = "bad_email"       // not one address
	BadDate       Code = "bad_date"        // not a day
	BadInstant    Code = "bad_instant"     // not a point in time
	BadNumber     Code = "bad_number"      // not a decimal number
	BadMoney      Code = "bad_money"       // not an amount, or of no known currency
	BadExpression Code = "bad_expression"  // an expression failed on the value
	UnknownWord   Code = "unknown_word"    // not in the table
	OnlyRead      Code = "only_read"       // a word that this side shows and does not take
	TooLong       Code = "too_long"        // longer than the field may be
	Fraction      Code = "fraction"        // not a whole number, where no others are kept
	NotAValue     Code = "not_a_value"     // never sent: stands for nothing
	Required      Code = "required"        // never cleared
	Blanked       Code = "blanked"         // it may be a payment card, which nobody is shown
	NotWritable   Code = "not_writable"    // this side can only be read
	Lossy         Code = "does_not_return" // only in a Loss: written and read again it is another value
)

// Problem says that a field can't be read or written as it is. Text has no value
// of the record in it.
type Problem struct {
	Field string
	Side  record.Side
	Code  Code
	Text  string
}

// note is what reading or writing one value has to say beside the value.
type note struct {
	code   Code
	text   string
	unsure []string // phones that must not be match keys
}

func (n note) bad() bool { return n.code != "" }

func (n note) problem(f *field, side record.Side) Problem {
	return Problem{Field: f.Name, Side: side, Code: n.code, Text: n.text}
}

// run evaluates an expression of a field.
func run(e *expression.Expression, value record.Value, native record.Fields) (record.Value, note) {
	v, err := e.Run(value, native)
	switch {
	case errors.Is(err, expression.ErrTooLarge):
		return record.Value{}, note{code: TooLong, text: err.Error()}
	case err != nil:
		return record.Value{}, note{code: BadExpression, text: err.Error()}
	}
	return v, note{}
}
