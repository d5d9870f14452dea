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
	BadShape      Code = "bad_shape"       // a value of another type than expected: a list in place of a text
	BadPhone      Code = "bad_phone"       // not a number that can be called
	NoRegion      Code = "no_region"       // a national number, and no country to read it by
	HasExtension  Code = "has_extension"   // read without its extension, and not used as a match key
	BadEmail      Code = "bad_email"       // not one address
	BadDate       Code = "bad_date"        // not a day
	BadInstant    Code = "bad_instant"     // not a point in time
	BadNumber     Code = "bad_number"      // not a decimal number
	BadMoney      Code = "bad_money"       // not an amount, or without a known currency
	BadExpression Code = "bad_expression"  // an expression failed on the value
	UnknownWord   Code = "unknown_word"    // not in the table
	OnlyRead      Code = "only_read"       // a word that this side shows, but does not accept
	TooLong       Code = "too_long"        // longer than the field may be
	Fraction      Code = "fraction"        // not a whole number, and this side keeps only whole numbers
	NotAValue     Code = "not_a_value"     // not a real value: never sent
	Required      Code = "required"        // never cleared
	Blanked       Code = "blanked"         // may be a payment card, which nobody may see
	OtherTime     Code = "other_time"      // its form on this side is read as another time
	NotWritable   Code = "not_writable"    // the field can only be read on this side
	Lossy         Code = "does_not_return" // only in a Loss: written and read again, it is another value
)

// Problem says that a field can't be read or written as it is. Text contains no value of the record, except for
// OtherTime: it says which time stands for two.
type Problem struct {
	Field string
	Side  record.Side
	Code  Code
	Text  string
}

// note goes with a value that was read or written. It says what is wrong with the value; the zero note
// says that nothing is wrong.
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
