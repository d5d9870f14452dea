package mapping

import (
	"fmt"
	"time"
)

// The types a field can have (FieldSpec.As).
const (
	Text      = "text"
	Name      = "name"
	Phone     = "phone"
	Email     = "email"
	Date      = "date"
	Instant   = "instant"
	Money     = "money"
	Number    = "number"
	Bool      = "bool"
	Language  = "language"
	Country   = "country"
	Enum      = "enum"
	List      = "list"
	Set       = "set"
	Reference = "reference"
	Block     = "block"   // only of a list's elements: a map of entries, each with a type
	Content   = "content" // bytes that are kept by their digest alone, and given once: with a create
)

// The parts of a reference that have a type of their own. Other parts are texts.
const (
	PartID    = "id"
	PartName  = "name"
	PartPhone = "phone"
	PartEmail = "email"
	// PartUnsure takes the place of PartPhone where the number was read by the
	// default region and the record may be of someone from abroad: it is good to
	// show, and never to recognise a person by.
	PartUnsure = "phone_unsure"
)

// Spec is a whole mapping as its author wrote it.
type Spec struct {
	Systems    [2]string           // the names of both systems, left and right
	Zone       *time.Location      // the house's clock; needed by instants without an offset
	Fields     []FieldSpec         // in any order
	NotAValue  map[string][]string // field or type -> patterns of what was typed in only because a form wanted something
	Match      [][]string          // canonical fields by which records are recognised as the same, the first rule first
	BlankCards bool                // digits that pass as a payment card become **** in any text, both ways
}

// FieldSpec is one canonical field and where each side keeps it.
type FieldSpec struct {
	Name     string      // canonical name
	As       string      // type; empty is text
	Of       string      // type of a list's or set's elements; empty is text
	Sides    [2]SideSpec // left and right
	Region   []string    // of a phone written without +: paths ("pms.country") and a country ("IT"), the first that knows wins
	Table    []EnumRow   // words of an enum; names for a bool, a language or a country that are not understood by themselves
	Required bool        // it is never cleared
	Refer    string      // for a reference: the job of the record that it names
	Together string      // group of fields that change as one
	MaxRunes int         // a longer text is a Problem, never cut; 0: no limit

	// Each are the entries of a list's elements, where those are maps (Of is Block); their
	// paths are keys of the element, but for the currency of money, which is the record's.
	Each []FieldSpec `json:",omitempty"`
	// Key are entries by which the elements are sorted, and told from each other, so that
	// the order in which a side lists them is of no account. Empty: the order counts.
	Key []string `json:",omitempty"`
}

// SideSpec says where one side keeps a field and in which form.
//
// Exactly one of None, Const, Path, Paths and Parts is given, except that a side
// with Read may do without (the expression names its columns) or have a Path too.
type SideSpec struct {
	None  bool              // this side has no such field
	Const *string           // this side has no such field, and every record of it stands for this value
	Path  string            // native path. Fields that share one with Split are its pieces
	Paths []string          // native paths whose texts, joined by Split, are the field
	Parts map[string]string // of a reference: part -> native path

	Split   string // what stands between pieces; a list kept as one text has it too. Paths: a space if empty
	Piece   int    // which piece of a shared Path this field is, from 1; 0: by the order of the fields
	Cut     string // where a text of more words than pieces is cut: CutLast (also if empty) or CutFirst
	Element string // of a list of maps: the key whose value is the element

	Format   string  // how it is spelt, see the Format constants, or a pattern of YYYY MM DD HH mm ss
	Unit     string  // of money: UnitDecimal (also if empty) or UnitMinor
	Currency string  // of money: a native path, or a currency ("EUR")
	Default  *string // canonical text that this side's records without a value stand for
	Filler   string  // written where there is nothing, and read as nothing
	Empty    string  // how a cleared value is written: EmptyNull (also if empty) or EmptyText
	MaxRunes int     // a longer text can't be written here; 0: no limit

	// Whole says that the system refuses a number with a fraction at Path. It is found out by
	// asking, decides nothing about reading, and so is no part of any print.
	Whole bool `json:"-"`

	// Words are the native words of an enum that may be written here; others are read alone.
	// Empty: all of its table.
	Words []string `json:",omitempty"`

	Read  string // expression from the native value; its result is read as the type
	Write string // expression from the canonical value; its result is written as it is
}

// EnumRow is one canonical word and how each side says it. All native words are
// read, the first is written. A native word in two rows reads as the upper one.
type EnumRow struct {
	Word  string
	Sides [2][]string
}

// How a cleared value is written (SideSpec.Empty).
const (
	EmptyNull = "null"
	EmptyText = "text"
)

// Where a text of more words than pieces is cut (SideSpec.Cut).
const (
	CutLast  = "last"  // the last words are single: "Anna Maria | Rossi"
	CutFirst = "first" // the first words are single: "Maria | De Luca"
)

// Units of money (SideSpec.Unit).
const (
	UnitDecimal = "decimal"
	UnitMinor   = "minor" // cents, by the currency's own digits: none for JPY, three for KWD
)

// Formats (SideSpec.Format), by the types that know them.
const (
	FormatText   = "text"   // number, money, bool, enum, reference's id: written as text
	FormatNumber = "number" // the same: written as a number

	FormatE164          = "e164"          // phone: +390551234567, also if empty
	FormatDigits        = "digits"        // phone: 390551234567; read so as well
	FormatZeros         = "00"            // phone: 00390551234567
	FormatInternational = "international" // phone: +39 055 123 4567
	FormatNational      = "national"      // phone: 055 123 4567, where the region reads it back

	FormatInstant = "instant" // date: the instant at which the day begins in the house's zone

	FormatRFC3339 = "rfc3339"     // instant: with an offset, also if empty
	FormatLocal   = "local"       // instant: YYYY-MM-DD HH:MM:SS on the house's clock
	FormatUTC     = "utc"         // instant: the same, in UTC
	FormatEpoch   = "epoch"       // instant: seconds since 1970
	FormatMillis  = "epoch_ms"    // instant: milliseconds since 1970
	FormatFloat   = "epoch_float" // instant: seconds since 1970 with a fraction

	FormatAlpha3 = "alpha3" // country, language: the code of three letters

	FormatJSON = "json" // list of blocks: kept as a text with JSON in it
)

// SpecError is one mistake in a Spec. Text says what would be right.
type SpecError struct {
	Field string // canonical name; "match" and "not_a_value" for those
	Side  string // the system's name, "" where the mistake is not one side's
	Text  string
}

// Error is the mistake with its place.
func (e *SpecError) Error() string {
	if e.Side == "" {
		return fmt.Sprintf("field %s: %s", e.Field, e.Text)
	}
	return fmt.Sprintf("field %s, %s: %s", e.Field, e.Side, e.Text)
}
