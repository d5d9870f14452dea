package card

import (
	"strings"
	"unicode"
)

// Mark is written in the place of a payment card.
const Mark = "****"

// HeldMark stands in what is kept of a system's own text, in the place of a payment card that the system holds
// there. A word joiner follows the asterisks: nobody sees or types it. So it is known which asterisks hide digits,
// and which ones the system holds itself, because somebody typed them or we wrote them.
const HeldMark = Mark + "\u2060"

// Held reports whether a text contains HeldMark: the system holds a payment card in it.
func Held(s string) bool { return strings.Contains(s, HeldMark) }

// Shown returns a text with Mark in the place of each HeldMark.
func Shown(s string) string { return strings.ReplaceAll(s, HeldMark, Mark) }

// Traced reports whether a text may have been made from one with a blanked card. A user who edits such a text may
// spoil Mark, so two asterisks in a row are enough.
func Traced(s string) bool { return strings.Contains(s, Mark[:2]) }

// Marked reports whether a text contains Mark. More than four asterisks in a row are not a mark: a person
// typed them.
func Marked(s string) bool {
	for i := strings.Index(s, Mark); i >= 0; {
		end := i
		for end < len(s) && s[end] == Mark[0] {
			end++
		}
		if end-i == len(Mark) {
			return true
		}
		next := strings.Index(s[end:], Mark)
		if next < 0 {
			return false
		}
		i = end + next
	}
	return false
}

// Only reports whether a text is a blanked payment card without a word beside it. Nobody can tell what
// stood there, so two such texts must not be taken for the same value.
func Only(s string) bool {
	if !Marked(s) {
		return false
	}
	for _, word := range strings.FieldsFunc(s, betweenWords) {
		if !Marked(word) && strings.ContainsFunc(word, isWordRune) {
			return false
		}
	}
	return true
}

// betweenWords reports whether a rune separates words: "card:4111…" is two words. Letters that another
// rune joins to the digits belong to the same word as the digits, so they are not a word beside the card.
func betweenWords(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(":,;()", r) }

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
