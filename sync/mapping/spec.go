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
	Block     = "block"   // only for the elements of a list: a map of entries, each with a type
	Content   = "content" // bytes, such as a file: only their digest is kept, and only a create sends them
)

// The parts of a reference that have a type of their own. Other parts are texts.
const (
	PartID    = "id"
	PartName  = "name"
	PartPhone = "phone"
	PartEmail = "email"
	// PartUnsure takes the place of PartPhone where the number was read by the default region, and
	// the person may be from abroad. Such a number may be shown, but nobody is recognised by it.
	PartUnsure = "phone_unsure"
)

// Spec is a whole mapping as its author wrote it.
type Spec struct {
	Systems    [2]string           // the names of both systems, left and right
	Zone       *time.Location      // the house's time zone; needed by instants without an offset
	Fields     []FieldSpec         // in any order
	NotAValue  map[string][]string // field or type -> patterns of texts typed only because a form asked for one
	Match      [][]string          // rules: canonical fields by which two records are recognised as the same; best first
	BlankCards bool                // digits that pass as a payment card become **** in any text, both ways

	// Native returns, by side, how the side's connector makes a value of what stands at a native path: a
	// text that changes if the same would be made another value of. Nil, or an empty text: as it stands.
	Native [2]func(path string) string
}

// FieldSpec is one canonical field and where each side keeps it.
type FieldSpec struct {
	Name     string      // canonical name
	As       string      // type; empty is text
	Of       string      // type of a list's or set's elements; empty is text
	Sides    [2]SideSpec // left and right
	Region   []string    // to read a phone without +: paths ("pms.country") and a country ("IT"); the first known one counts
	Table    []EnumRow   // words of an enum; other names for the values of a bool, a language or a country
	Required bool        // it is never cleared
	Refer    string      // for a reference: the job of the record that it names
	Together string      // name of a group; the fields of a group change together
	MaxRunes int         // a longer text is a Problem, never cut; 0: no limit

	// Each describes the entries of a list's elements if the elements are maps (Of is Block). The path
	// of an entry is a key of the element. Only the currency of money is a path of the whole record.
	Each []FieldSpec `json:",omitempty"`
	// Key names the entries by which the elements are sorted and told apart. Then the order in which
	// a side lists the elements does not matter. Empty: the order counts.
	Key []string `json:",omitempty"`
}

// SideSpec says where one side keeps a field and in which form.
//
// Exactly one of None, Const, Path, Paths and Parts is given. A side with Read may go without,
// because the expression can name its own paths.
type SideSpec struct {
	None  bool              // this side has no such field
	Const *string           // this side has no such field: each of its records is taken to have this value
	Path  string            // native path. If several fields have the same Path and Split, each is a piece of its text
	Paths []string          // native paths; their texts, joined by Split, are the field
	Parts map[string]string // of a reference: part -> native path

	Split   string // separator of pieces, or of the elements of a list kept as one text. Paths: a space if empty
	Piece   int    // which piece of a shared Path this field is, from 1; 0: by the order of the fields
	Cut     string // where to cut a text that has more words than pieces: CutLast (also if empty) or CutFirst
	Element string // of a list of maps: the key that holds the element

	Format   string  // how the value is spelt: a Format constant, or a pattern of YYYY MM DD HH mm ss
	Unit     string  // of money: UnitDecimal (also if empty) or UnitMinor
	Currency string  // of money: a native path, or a currency ("EUR")
	Default  *string // canonical text: an empty value of this side is read as this
	Filler   string  // written in place of an empty value, and read as an empty value
	Empty    string  // how a cleared value is written: EmptyNull (also if empty) or EmptyText
	MaxRunes int     // a longer text can't be written here; 0: no limit

	// Whole says that the system refuses a number with a fraction at Path. The system itself tells
	// this in its description. It changes nothing about reading, so no fingerprint includes it.
	Whole bool `json:"-"`

	// Words are the native words of an enum that may be written here. Other words are only read.
	// Empty: all words of the table may be written.
	Words []string `json:",omitempty"`

	Read  string // expression on the native value; its result is read as a value of the field's type
	Write string // expression on the canonical value; its result is written unchanged
}

// EnumRow is one canonical word, and the native words that each side has for it. Every native word
// is read as the canonical one. The first is written, or the first that SideSpec.Words allows. A
// native word that stands in two rows is read by the upper row.
type EnumRow struct {
	Word  string
	Sides [2][]string
}

// How a cleared value is written (SideSpec.Empty).
const (
	EmptyNull = "null"
	EmptyText = "text"
)

// Where a text is cut that has more words than pieces (SideSpec.Cut).
const (
	CutLast  = "last"  // every piece but the first is one word: "Anna Maria | Rossi"
	CutFirst = "first" // every piece but the last is one word: "Maria | De Luca"
)

// Units of money (SideSpec.Unit).
const (
	UnitDecimal = "decimal"
	UnitMinor   = "minor" // cents: as many decimal digits as the currency has, none for JPY, three for KWD
)

// Formats (SideSpec.Format), each with the types that have it.
const (
	FormatText   = "text"   // number, money, bool, enum, id of a reference: written as text
	FormatNumber = "number" // the same types: written as a number

	FormatE164          = "e164"          // phone: +390551234567, also if empty
	FormatDigits        = "digits"        // phone: 390551234567; digits without + are also read like this
	FormatZeros         = "00"            // phone: 00390551234567
	FormatInternational = "international" // phone: +39 055 123 4567
	FormatNational      = "national"      // phone: 055 123 4567, if that is read back as the same number

	FormatInstant = "instant" // date: the instant at which the day begins in the house's zone

	FormatRFC3339 = "rfc3339"     // instant: with an offset, also if empty
	FormatLocal   = "local"       // instant, or midnight of a date: YYYY-MM-DD HH:MM:SS on the house's clock, in Spec.Zone
	FormatUTC     = "utc"         // instant, or midnight of a date: YYYY-MM-DD HH:MM:SS in UTC
	FormatEpoch   = "epoch"       // instant: seconds since 1970
	FormatMillis  = "epoch_ms"    // instant: milliseconds since 1970
	FormatFloat   = "epoch_float" // instant: seconds since 1970 with a fraction

	FormatAlpha3 = "alpha3" // country, language: the code of three letters

	FormatJSON = "json" // list of blocks: kept as a text that holds JSON
)

// SpecError is one mistake in a Spec. Text says what would be right.
type SpecError struct {
	Field string // canonical name; "match", "not_a_value" or "systems" for mistakes outside of Fields
	Side  string // the system's name, "" where the mistake does not belong to one side
	Text  string
}

// Error returns the mistake and where it is.
func (e *SpecError) Error() string {
	if e.Side == "" {
		return fmt.Sprintf("field %s: %s", e.Field, e.Text)
	}
	return fmt.Sprintf("field %s, %s: %s", e.Field, e.Side, e.Text)
}
