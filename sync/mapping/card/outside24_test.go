package card

import (
	"strings"
	"testing"
)

// A card is found in whatever numerals it is written, and with whatever people put
// between its groups.
func TestOutside24CardsInOtherNumerals(t *testing.T) {
	in := func(zero rune) string { // a card with each of the ten digits
		return strings.Map(func(r rune) rune { return r - '0' + zero }, "4539028671504531")
	}
	drawn := strings.NewReplacer("0", "⓪", "1", "①", "2", "②", "3", "③", "4", "④", "5", "⑤", "6", "⑥", "7", "⑦", "8", "⑧", "9", "⑨")
	raised := strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")
	han := strings.NewReplacer("0", "〇", "1", "一", "2", "二", "3", "三", "4", "四", "5", "五", "6", "六", "7", "七", "8", "八", "9", "九")
	for name, text := range map[string]string{
		"arabic": in(0x0660), "persian": in(0x06f0), "devanagari": in(0x0966), "bengali": in(0x09e6), "thai": in(0x0e50),
		"full width": in('０'), "bold": in(0x1d7ce), "monospace": in(0x1d7f6), "subscript": in(0x2080), "osmanya": in(0x104a0),
		"han": han.Replace(in('0')), "circled": drawn.Replace(in('0')), "superscript": raised.Replace(in('0')),
		"mixed": "4111١١١١११११１１１１", "commas": "4111,1111,1111,1111", "commas and blanks": "4111, 1111, 1111, 1111",
		"arabic commas": "٤١١١،١١١١،١١١١،١١١١", "full-width commas": "4111，1111，1111，1111", "nothing seen": "4111\u200b1111\u200b1111\u200b1111",
		"points": "4111·1111·1111·1111", "semicolons": "4111;1111;1111;1111", "apostrophes": "4111'1111'1111'1111",
	} {
		if got := Blank("card " + text + " thanks"); got != "card "+Mark+" thanks" {
			t.Errorf("%s: got %q", name, got)
		}
	}
	for _, text := range []string{
		"+39 055 1234567", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10", "一二三", "4111,1111,1111,1112", "2026-11-22, 2026-11-25", "Zimmer ⑤",
	} {
		if got := Blank(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
