package card

import (
	"strings"
	"unicode"
)

// Mark is what stands in the place of a payment card.
const Mark = "****"

// Marked reports whether a text has the mark of a card in it. More asterisks in a row
// are no mark: a person typed them.
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

// Only reports whether a text is a payment card that was blanked, without a word beside
// it. Nobody can tell what stood there. Two such texts are not the same for that.
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

// betweenWords reports whether a rune stands between words: "card:4111…" is two words.
// Text that is joined to digits by another rune is part of one number.
func betweenWords(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(":,;()", r) }

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
