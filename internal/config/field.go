package config

import "time"

// As is the type of a field's canonical value.
type As string

// The values of As. Where the file says nothing it follows from the field's name:
//
//	name      given_name family_name full_name middle_name
//	phone     phone mobile
//	email     email
//	date      arrival departure birth_date
//	instant   start end created_at updated_at cancelled_at last_contacted_at
//	money     price total balance deposit
//	number    adults children persons nights
//	bool      marketing_consent consent
//	language  language
//	country   country nationality
//	enum      status, and every other field that has a table of words
//	set       tags
//	content   content
//	text      any other
//
// A field with "job" is AsReference, and nothing else can be said of it.
const (
	AsText      As = "text"
	AsName      As = "name"
	AsPhone     As = "phone"
	AsEmail     As = "email"
	AsDate      As = "date"
	AsInstant   As = "instant"
	AsMoney     As = "money"
	AsNumber    As = "number"
	AsBool      As = "bool"
	AsLanguage  As = "language"
	AsCountry   As = "country"
	AsEnum      As = "enum"
	AsList      As = "list"
	AsSet       As = "set"
	AsReference As = "reference"
	AsBlock     As = "block" // of a list's elements alone: entries, each with a type
	AsContent   As = "content"
)

// Policy says which value stays when both sides changed a field.
type Policy string

// The values of Policy. In the file PolicyLeft and PolicyRight are the name of
// the system that wins. PolicyHold, which asks a person, is the default.
const (
	PolicyLeft      Policy = "left"
	PolicyRight     Policy = "right"
	PolicyNewest    Policy = "newest"
	PolicyUnion     Policy = "union"
	PolicyMax       Policy = "max"
	PolicyMin       Policy = "min"
	PolicyFillEmpty Policy = "fill_empty"
	PolicyRules     Policy = "rules"
	PolicyConsent   Policy = "consent"
	PolicyHold      Policy = "hold"
)

// Clear says what happens when one side empties a field.
type Clear string

// The values of Clear. ClearPropagate is the default, ClearHold that of a
// reference and of a field that is required or part of a match key.
const (
	ClearPropagate Clear = "propagate"
	ClearIgnore    Clear = "ignore"
	ClearHold      Clear = "hold"
)

// Field is one canonical field of a job and where each side has it.
type Field struct {
	Name        string
	Line        int
	Left, Right FieldSide
	// ToLeft and ToRight say which sides the field is written to: both, unless
	// the file says "to".
	ToLeft, ToRight bool
	Conflict        Policy
	// Initial decides where two records that were just found to be the same
	// differ: PolicyLeft, PolicyRight or PolicyHold. Without one in the file it is
	// Conflict where that names a side, and else PolicyHold.
	Initial Policy
	As      As
	// Of is the type of the elements of a list or a set; AsText if not given.
	Of As
	// Together is the name of a group that is merged and written as one value;
	// empty if the field stands alone.
	Together string
	// Region says which country a phone without + is of, tried in order.
	Region []Region
	Clear  Clear
	// Enforce puts back an edit on the receiving side of a one-way field.
	Enforce bool
	// Required leaves a record out that has nothing here.
	Required bool
	// Max is the longest text, in characters, that is taken; 0 is no limit.
	Max int
	// Each are the entries of a list's elements, and Key those by which elements are told
	// from each other.
	Each []Field
	Key  []string
	// AddsUp is set if the amount is the sum of a list's lines.
	AddsUp *Sum
	// Reference is set if the field refers to a record of another job.
	Reference *Reference
}

// FieldSide is where one side has a field, and in what shape.
type FieldSide struct {
	Line int
	// Path is the native name: a column, or a path with dots into the JSON.
	Path string
	// Paths are several native names whose texts make one value, put together
	// with Join and taken apart at it.
	Paths []string
	Join  string
	// Split is what separates the elements of a list in one text, or the pieces of
	// a text that several fields share: those have the same Path and the same Split.
	Split string
	// Piece is which piece of a shared text this field is, from 1; 0 goes by the
	// order of the fields.
	Piece int
	// Cut says where a text of more words than pieces is cut: last, first, or empty.
	Cut string
	// Element is the key of each element of a list of blocks whose value is meant.
	Element string
	// Format is how the value is spelt here, in words of its type.
	Format string
	// Unit of a money here: minor for cents.
	Unit string
	// Currency is a code of three letters, or the native path that holds one.
	Currency string
	// Const is written and read here whatever the record holds.
	Const *Scalar
	// Default is read where the record holds nothing.
	Default *Scalar
	// Read and Write are expressions, native to canonical and back.
	Read, Write string
	// Empty is how a cleared value is written: EmptyNull, unless the file says
	// otherwise.
	Empty Empty
	// Filler is written where there is nothing, and read as nothing.
	Filler string
	// ByKey is set where a reference is held here as texts and not as an id.
	ByKey *KeyPaths
}

// Empty is how nothing is written.
type Empty string

// The values of Empty.
const (
	EmptyNull Empty = "null"
	EmptyText Empty = "text" // a text without letters
)

// KeyPaths are the native paths by which a side that has no id names the record
// it refers to; empty ones are not used.
type KeyPaths struct {
	Phone, Name, Email, ID string
}

// NativePaths are all native names that the side of the field touches, in a
// fixed order. Expressions are not looked into.
func (s FieldSide) NativePaths() []string {
	var all []string
	if s.Path != "" {
		all = append(all, s.Path)
	}
	all = append(all, s.Paths...)
	if s.ByKey != nil {
		for _, p := range []string{s.ByKey.ID, s.ByKey.Phone, s.ByKey.Email, s.ByKey.Name} {
			if p != "" {
				all = append(all, p)
			}
		}
	}
	return all
}

// Region is one place that tells the country of a phone: a native path of a side,
// or a fixed code of two letters. Exactly one of Path and Code is set.
type Region struct {
	// OfLeft says that Path is one of the left side's; meaningless with Code.
	OfLeft bool
	Path   string
	Code   string
}

// Reference says that a field holds a record of another job.
type Reference struct {
	Job string
	// IfLeftOut is what is written where the record is left out by a rule; empty
	// if nothing is said.
	IfLeftOut string
	// Wait is how long to wait for a record that is held; 24 hours if not given.
	Wait time.Duration
	// Then is what happens after that.
	Then Then
}

// Then says what happens when the wait for a referenced record is over.
type Then string

// The values of Then. ThenHold, which asks a person, is the default.
const (
	ThenHold     Then = "hold"
	ThenSnapshot Then = "snapshot" // written with the texts that are known now
)
