package discover

import (
	"fmt"
	"slices"
)

// LikelyKey is the one of some columns that is called as if it told rows apart, "" for none:
// an id, or the number of what the table holds.
func LikelyKey(table string, columns []string) string {
	d := newDictionary()
	var ids []string
	for _, c := range columns {
		if d.concept(c, table) == identifier {
			ids = append(ids, c)
		}
	}
	if len(ids) != 1 {
		return ""
	}
	return ids[0]
}

// TellsApart is the column by which the rows of a sample are best told apart, with why;
// "" where none is always filled, and never the same.
func TellsApart(s Sample) (path, why string) {
	d := newDictionary()
	k := &kind{Sample: s}
	k.columns = d.columnsOf(k)
	var out []*column
	for _, c := range k.columns {
		if n := len(s.Rows); n >= few && c.filled == n && c.various == n {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b *column) int { return worth(b) - worth(a) })
	if len(out) == 0 || worth(out[0]) == 0 {
		return "", ""
	}
	return out[0].Path, fmt.Sprintf("no two of %d rows share one", len(s.Rows))
}

// worth is how good a column is to tell rows apart by what it is called.
func worth(c *column) int {
	switch c.concept {
	case identifier:
		return 3
	case emailName:
		return 1
	case phoneName, mobileName:
		return 2
	}
	return 0
}

// KindName is a table's or a file's name as the name of a kind.
func KindName(name string) string { return worded(name) }

// Changing are the columns that are called as if they moved at every change of a row.
func Changing(table string, columns []string) []string {
	d := newDictionary()
	return slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return d.concept(c, table) != changed })
}
