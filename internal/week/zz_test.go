package week

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

func (w *world) histogram() string {
	n := map[string]int{}
	re := regexp.MustCompile(`\d+`)
	for _, s := range w.names {
		n[re.ReplaceAllString(s, "#")]++
	}
	keys := slices.SortedFunc(maps.Keys(n), func(a, b string) int { return n[b] - n[a] })
	var b strings.Builder
	for _, k := range keys[:min(40, len(keys))] {
		fmt.Fprintf(&b, "%6d %s\n", n[k], k)
	}
	return b.String()
}
