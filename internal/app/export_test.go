package app

import (
	"strings"
	"testing"

	"nightporter/connectors"
)

// A file has a header, and no more rows and bytes than the system takes.
func TestCutCSV(t *testing.T) {
	rows := func(n int, text string) [][]string {
		var out [][]string
		for range n {
			out = append(out, []string{text, "+391"})
		}
		return out
	}
	can := &connectors.Import{Columns: []connectors.ImportColumn{{Header: "name"}, {Header: "phone"}}, MaxRows: 3, MaxMB: 1}
	for name, tt := range map[string]struct {
		rows [][]string
		want []int // lines of each file, with its header
	}{
		"none":         {nil, nil},
		"just full":    {rows(3, "Anna"), []int{4}},
		"one too many": {rows(7, "Anna"), []int{4, 4, 2}},
		"too large":    {rows(3, strings.Repeat("a", 400_000)), []int{3, 2}},
	} {
		parts, err := cutCSV(can, tt.rows)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, p := range parts {
			got = append(got, strings.Count(string(p), "\n"))
			if !strings.HasPrefix(string(p), "name,phone\n") || len(p) > 1<<20 {
				t.Errorf("%s: a file of %d bytes begins with %.12q", name, len(p), p)
			}
		}
		if len(got) != len(tt.want) {
			t.Errorf("%s: files of %v lines, want %v", name, got, tt.want)
			continue
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%s: files of %v lines, want %v", name, got, tt.want)
			}
		}
	}
}
