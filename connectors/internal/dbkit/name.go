package dbkit

import (
	"errors"
	"strings"
)

// Quote is a name as SQL takes it without a second thought.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// QuoteAll is names quoted and joined by commas.
func QuoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = Quote(n)
	}
	return strings.Join(quoted, ", ")
}

// SplitName cuts "schema.table" or "table"; a part that holds a dot stands in
// double quotes.
func SplitName(name string) (schema, table string, err error) {
	var parts []string
	for rest := name; ; {
		part := rest
		if strings.HasPrefix(rest, `"`) {
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				return "", "", errors.New("a quote is not closed")
			}
			part, rest = rest[1:1+end], rest[end+2:]
		} else if i := strings.IndexByte(rest, '.'); i >= 0 {
			part, rest = rest[:i], rest[i:]
		} else {
			rest = ""
		}
		parts = append(parts, part)
		if rest == "" {
			break
		}
		if rest[0] != '.' {
			return "", "", errors.New("write it as schema.table")
		}
		rest = rest[1:]
	}
	if len(parts) > 2 || parts[len(parts)-1] == "" || parts[0] == "" {
		return "", "", errors.New("write it as schema.table")
	}
	if len(parts) == 2 {
		return parts[0], parts[1], nil
	}
	return "", parts[0], nil
}

// Nearest is the one of names that was probably meant by name, or "".
func Nearest(name string, names []string) string {
	best, least := "", max(2, len(name)/3)+1
	for _, n := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d < least {
			best, least = n, d
		}
	}
	return best
}

// distance is the number of letters to add, drop or change to make b of a.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
