package record

import (
	"encoding/json"
	"slices"
	"time"
)

// Rests is what a question rests on. An answer counts as long as the question rests on the same. It holds nothing of
// a guest: what would name one is kept as a digest.
type Rests struct {
	On     []string  `json:"on,omitempty"`     // what it names: of records digests, of a side what it shows of itself
	At     time.Time `json:"at,omitzero"`      // since when what it is about was so
	Nums   []byte    `json:"nums,omitempty"`   // the records that are missing: a bit for each number of an entry
	It     string    `json:"it,omitempty"`     // a digest of who the record was that it is about
	Said   string    `json:"said,omitempty"`   // what a person said before of that record: the id of the one across that it is, or a word
	Named  []string  `json:"named,omitempty"`  // of a record that may go: who goes by it, as a person reads it
	Anew   []Entered `json:"anew,omitempty"`   // what may be the record that is gone, entered anew
	Beside []Ref     `json:"beside,omitempty"` // what else that may be
}

// Entered is a record that may be one that is gone, entered anew. Its id may go to another record, which is there since
// another time.
type Entered struct {
	Ref   Ref   `json:"ref"`
	Since int64 `json:"since"` // in milliseconds
}

// EnteredOf is a record that is there since a moment.
func EnteredOf(ref Ref, since time.Time) Entered { return Entered{ref, since.UnixMilli()} }

// RefsOf is the references of records.
func RefsOf(of []Entered) (refs []Ref) {
	for _, e := range of {
		refs = append(refs, e.Ref)
	}
	return refs
}

// RestsOn is what a question rests on that rests on some texts alone.
func RestsOn(texts ...string) Rests { return Rests{On: texts} }

// IsOn reports whether a question rests on these texts alone.
func (r Rests) IsOn(texts ...string) bool { return r.Equal(RestsOn(texts...)) }

// RestsOnEntries is what a question rests on that is about entries, by their numbers.
func RestsOnEntries(nums []int64) Rests {
	bits := make([]byte, slices.Max(nums)/8+1)
	for _, num := range nums {
		bits[num/8] |= 1 << (num % 8)
	}
	return Rests{Nums: bits}
}

// IsAbout reports whether an entry is one of those that the question is about.
func (r Rests) IsAbout(num int64) bool {
	return num/8 < int64(len(r.Nums)) && r.Nums[num/8]&(1<<(num%8)) != 0
}

// Encode is r as text, "" for a question that rests on nothing but the values it shows.
func (r Rests) Encode() string {
	b, err := json.Marshal(r)
	if err != nil || string(b) == "{}" { // texts alone always have a form
		return ""
	}
	return string(b)
}

// DecodeRests reads what Encode wrote.
func DecodeRests(text string) (r Rests, err error) {
	if text != "" {
		err = json.Unmarshal([]byte(text), &r)
	}
	return r, err
}

// Equal reports whether both are the same.
func (r Rests) Equal(o Rests) bool { return r.Encode() == o.Encode() }

// Names reports whether a person was told of a record, as what is gone or as what else that may be.
func (r Rests) Names(e Entered) bool {
	return slices.Contains(r.Anew, e) || slices.Contains(r.Beside, e.Ref)
}

// Covers reports whether a person who was told of r was told of all that goes by a record, and of all that is like it.
func (r Rests) Covers(now Rests) bool {
	return within(now.Named, r.Named) && within(now.Anew, r.Anew) && within(now.Beside, r.Beside)
}

// CoversAnew is Covers of what may be the record that is gone, entered anew, alone. Who was told of several said that it is
// none of them: where one alone is left, the same answer would have it joined with that one.
func (r Rests) CoversAnew(now Rests) bool {
	return within(now.Anew, r.Anew) && (len(now.Anew) != 1 || len(r.Anew) == 1)
}

func within[T comparable](some, all []T) bool {
	return !slices.ContainsFunc(some, func(x T) bool { return !slices.Contains(all, x) })
}
