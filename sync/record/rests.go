package record

import (
	"encoding/json"
	"slices"
	"time"
)

// Rests is what a question rests on. An answer counts as long as the question rests on the same. Rests holds nothing
// that would name a guest: that is kept as a digest.
type Rests struct {
	On     []string  `json:"on,omitempty"`     // what it names: digests of records, or what a side shows of itself
	At     time.Time `json:"at,omitzero"`      // when what the question is about was found
	Nums   []byte    `json:"nums,omitempty"`   // the missing records: bit n is set for the entry of number n
	It     string    `json:"it,omitempty"`     // a digest of who the record in question was
	Said   string    `json:"said,omitempty"`   // what a person said before: the id of the same record across, or a word
	Named  []string  `json:"named,omitempty"`  // of a record that may go: what names it or is linked with it, for a person
	Anew   []Entered `json:"anew,omitempty"`   // records that may be the one that is gone, entered anew
	Beside []Ref     `json:"beside,omitempty"` // records across that may be the partner of those
}

// Entered is a record that may be the one that is gone, entered anew. If its id is given to another record later, that
// record has another Since.
type Entered struct {
	Ref   Ref   `json:"ref"`
	Since int64 `json:"since"` // in milliseconds
}

// EnteredOf returns the record with this reference that is there since a moment.
func EnteredOf(ref Ref, since time.Time) Entered { return Entered{ref, since.UnixMilli()} }

// RefsOf returns the references of records.
func RefsOf(of []Entered) (refs []Ref) {
	for _, e := range of {
		refs = append(refs, e.Ref)
	}
	return refs
}

// RestsOn is for a question that rests on some texts alone.
func RestsOn(texts ...string) Rests { return Rests{On: texts} }

// IsOn reports whether the question rests on these texts and nothing else.
func (r Rests) IsOn(texts ...string) bool { return r.Equal(RestsOn(texts...)) }

// RestsOnEntries is for a question about entries, by their numbers. There must be at least one.
func RestsOnEntries(nums []int64) Rests {
	bits := make([]byte, slices.Max(nums)/8+1)
	for _, num := range nums {
		bits[num/8] |= 1 << (num % 8)
	}
	return Rests{Nums: bits}
}

// IsAbout reports whether the question is about the entry of this number.
func (r Rests) IsAbout(num int64) bool {
	return num/8 < int64(len(r.Nums)) && r.Nums[num/8]&(1<<(num%8)) != 0
}

// Encode returns r as text, "" for a question that rests on nothing but the values that it shows.
func (r Rests) Encode() string {
	b, err := json.Marshal(r)
	if err != nil || string(b) == "{}" { // err is always nil: texts and numbers have a form
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

// Equal reports whether r and o are the same.
func (r Rests) Equal(o Rests) bool { return r.Encode() == o.Encode() }

// Names reports whether a person was told of a record, either in Anew or in Beside.
func (r Rests) Names(e Entered) bool {
	return slices.Contains(r.Anew, e) || slices.Contains(r.Beside, e.Ref)
}

// Covers reports whether a person who was told of r was told of all that now holds: all names in Named, and all
// records in Anew and Beside.
func (r Rests) Covers(now Rests) bool {
	return within(now.Named, r.Named) && within(now.Anew, r.Anew) && within(now.Beside, r.Beside)
}

// CoversAnew is Covers for Anew alone. It is also false if a person was told of several records, and only one of them
// is left now. For several, the answer --create says that it is none of them; for one, the same answer joins that one.
func (r Rests) CoversAnew(now Rests) bool {
	return within(now.Anew, r.Anew) && (len(now.Anew) != 1 || len(r.Anew) == 1)
}

func within[T comparable](some, all []T) bool {
	return !slices.ContainsFunc(some, func(x T) bool { return !slices.Contains(all, x) })
}
