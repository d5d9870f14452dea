package file

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// alike are column names that mean the same: those of the platform's own import of
// contacts, in Italian and English. A file that has one of them can be asked for the
// other.
var alike = [][]string{
	{"nome", "first_name"},
	{"cognome", "last_name"},
	{"telefono", "phone"},
	{"lingua", "language"},
	{"note", "notes"},
}

// header is the columns of a CSV file.
type header struct {
	names  []string       // as they stand there, without blanks around
	folded map[string]int // in small letters → its place
	twice  map[string][]int
}

func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// columns takes the header in.
func (p *part) columns(cells []string) error {
	h := header{folded: map[string]int{}, twice: map[string][]int{}}
	for i, c := range cells {
		name := strings.TrimSpace(c)
		h.names = append(h.names, name)
		if name == "" {
			continue
		}
		low := fold(name)
		if first, ok := h.folded[low]; ok {
			if h.twice[low] == nil {
				h.twice[low] = []int{first + 1}
			}
			h.twice[low] = append(h.twice[low], i+1)
			continue
		}
		h.folded[low] = i
	}
	if slices.ContainsFunc(cells, isValue) {
		// It is not shown: what stands there may be a guest.
		return errors.New("its first line looks like a row: the names of the columns belong there")
	}
	if len(h.folded) == 0 {
		return errors.New("the header names no column")
	}
	p.header = h
	return nil
}

// at is the place of a column: by its name, in any case, or by the name that means the
// same.
func (h header) at(name string) (int, error) {
	for _, low := range synonyms(fold(name)) {
		if places := h.twice[low]; places != nil {
			return 0, fmt.Errorf("column %q stands in the header %d times (%s): nobody can say which is meant", name, len(places), joined(places))
		}
		if i, ok := h.folded[low]; ok {
			return i, nil
		}
	}
	return 0, fmt.Errorf("there is no column %q; there are: %s", name, strings.Join(h.known(), ", "))
}

// synonyms is a name and what means the same, the name first.
func synonyms(low string) []string {
	out := []string{low}
	for _, set := range alike {
		if slices.Contains(set, low) {
			for _, other := range set {
				if other != low {
					out = append(out, other)
				}
			}
		}
	}
	return out
}

// known is the names of the columns, each once.
func (h header) known() []string {
	var out []string
	for _, low := range slices.SortedFunc(maps.Keys(h.folded), func(a, b string) int { return h.folded[a] - h.folded[b] }) {
		out = append(out, h.names[h.folded[low]])
	}
	return out
}

// isValue reports whether a cell of the header is more likely somebody's phone, e-mail
// or date.
func isValue(cell string) bool {
	digits := 0
	for _, r := range cell {
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	return digits > 5 || strings.Contains(cell, "@")
}

func joined(places []int) string {
	var out []string
	for _, n := range places {
		out = append(out, fmt.Sprintf("column %d", n))
	}
	return strings.Join(out, ", ")
}
