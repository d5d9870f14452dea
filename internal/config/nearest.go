package config

import (
	"fmt"
	"strings"
)

// nearest is the word that the writer probably meant, or nothing if none is near.
// Letters that swapped places count once, as they do under the fingers.
func nearest(word string, among []string) string {
	best, least := "", max(1, (len(word)+1)/3)+1
	for _, w := range among {
		if d := distance(strings.ToLower(word), strings.ToLower(w)); d < least && d < len(w) {
			best, least = w, d
		}
	}
	return best
}

// didYouMean is the end of a message, with a blank before it, or nothing.
func didYouMean(word string, among []string) string {
	if n := nearest(word, among); n != "" {
		return fmt.Sprintf("; did you mean %q?", n)
	}
	return ""
}

// distance counts the letters to insert, drop, change or swap. Words much longer
// than any of ours are not worth the time.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	if len(s) > 64 || len(t) > 64 {
		return max(len(s), len(t))
	}
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
