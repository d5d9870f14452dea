package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDifference(t *testing.T) {
	for name, tt := range map[string]struct {
		was, now string
		want     []string
	}{
		"the first":   {"", "a\nb\n", []string{"+ a", "+ b"}},
		"nothing":     {"a\nb\n", "a\nb\n", nil},
		"one changed": {"a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nX\ne\nf\ng\nh\n", []string{"  b", "  c", "- d", "+ X", "  e", "  f", "  …"}},
		"far apart": {
			"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "X\n2\n3\n4\n5\n6\n7\n8\nY\n",
			[]string{"- 1", "+ X", "  2", "  3", "  …", "  7", "  8", "- 9", "+ Y"},
		},
	} {
		if diff := cmp.Diff(tt.want, difference(tt.was, tt.now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Both texts can be read out of what is compared.
func TestCompareLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 12)
		a, b := text.Draw(t, "was"), text.Draw(t, "now")
		var was, now []string
		for _, l := range compare(a, b) {
			mark, line, _ := strings.Cut(l, " ")
			if mark == "" {
				line = strings.TrimPrefix(line, " ")
			}
			if mark != "+" {
				was = append(was, line)
			}
			if mark != "-" {
				now = append(now, line)
			}
		}
		if strings.Join(was, "") != strings.Join(a, "") || strings.Join(now, "") != strings.Join(b, "") {
			t.Errorf("%v and %v: got %v", a, b, compare(a, b))
		}
	})
}
