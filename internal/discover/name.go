package discover

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// dictionary finds what a name stands for.
type dictionary struct {
	concepts map[string]string // spelling -> concept
	roles    map[string]role
	words    map[string]string // spelling of a state -> our word
}

func newDictionary() *dictionary {
	d := &dictionary{concepts: map[string]string{}, roles: map[string]role{}, words: map[string]string{}}
	for concept, names := range synonyms() {
		for _, n := range names {
			d.concepts[n] = concept
		}
	}
	for r, names := range rolesByName() {
		for _, n := range names {
			d.roles[n] = r
		}
	}
	for word, names := range words() {
		for _, n := range names {
			d.words[n] = word
		}
	}
	return d
}

// concept is what a field's name stands for, "" where it says nothing. owner is the name
// of its kind: guest_name of guests is a name.
func (d *dictionary) concept(path, owner string) string {
	all := tokens(path)
	if c, ok := d.concepts[strings.Join(all, "")]; ok {
		return c
	}
	of := tokens(owner)
	rest := slices.DeleteFunc(slices.Clone(all), func(t string) bool {
		return slices.Contains(ofWhom, t) || slices.Contains(of, t) || slices.Contains(of, t+"s")
	})
	if len(rest) == 0 {
		return ""
	}
	if c, ok := d.concepts[strings.Join(rest, "")]; ok {
		return c
	}
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return ""
	}
	if c := d.concept(path[i+1:], owner); c != "" { // name.given
		return c
	}
	if c := d.concept(path[:i], owner); c == created || c == changed { // updated_at.utc
		return c
	}
	return ""
}

// role is what a kind's name stands for.
func (d *dictionary) role(kind string) role {
	all := tokens(kind)
	if r, ok := d.roles[strings.Join(all, "")]; ok {
		return r
	}
	if len(all) > 1 { // tbl_guests, hotel_guests
		return d.roles[all[len(all)-1]]
	}
	return other
}

// word is our word for a state of a booking, "" for one that is not in the dictionary.
func (d *dictionary) word(native string) string {
	return d.words[strings.Join(tokens(native), "")]
}

// tokens are the parts of a name in small letters without accents: firstName, first_name
// and FIRST-NAME are first and name. Digits stay with what stands before them.
func tokens(name string) []string {
	var out []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	last := rune(0)
	for _, r := range norm.NFD.String(name) {
		switch {
		case unicode.Is(unicode.Mn, r):
			continue
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && unicode.IsLower(last):
			flush()
			word.WriteRune(unicode.ToLower(r))
		case r == 'ß':
			word.WriteString("ss")
		default:
			word.WriteRune(unicode.ToLower(r))
		}
		last = r
	}
	flush()
	return out
}
