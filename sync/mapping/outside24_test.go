package mapping

import (
	"strings"
	"testing"
)

// A card is found in whatever numerals it is written, and with whatever people put
// between its groups.
func TestOutside24CardsInOtherNumerals(t *testing.T) {
	const card = "4111111111111111"
	in := func(zero rune) string {
		return strings.Map(func(r rune) rune { return r - '0' + zero }, card)
	}
	for name, text := range map[string]string{
		"arabic": in(0x0660), "persian": in(0x06f0), "devanagari": in(0x0966), "bengali": in(0x09e6), "thai": in(0x0e50),
		"full width": in('０'), "bold": in(0x1d7ce), "monospace": in(0x1d7f6), "subscript": in(0x2080), "osmanya": in(0x104a0),
		"han": "四一一一一一一一一一一一一一一一", "circled": "④①①①①①①①①①①①①①①①", "superscript": "⁴¹¹¹¹¹¹¹¹¹¹¹¹¹¹¹",
		"mixed": "4111١١١١११११１１１１", "commas": "4111,1111,1111,1111", "commas and blanks": "4111, 1111, 1111, 1111",
		"arabic commas": "٤١١١،١١١١،١١١١،١١١١", "full-width commas": "4111，1111，1111，1111", "nothing seen": "4111\u200b1111\u200b1111\u200b1111",
		"points": "4111·1111·1111·1111", "semicolons": "4111;1111;1111;1111", "apostrophes": "4111'1111'1111'1111",
	} {
		if got := blankCards("card " + text + " thanks"); got != "card "+CardMark+" thanks" {
			t.Errorf("%s: got %q", name, got)
		}
	}
	for _, text := range []string{
		"+39 055 1234567", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10", "一二三", "4111,1111,1111,1112", "2026-11-22, 2026-11-25", "Zimmer ⑤",
	} {
		if got := blankCards(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
