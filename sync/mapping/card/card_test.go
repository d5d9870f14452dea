package card

import (
	"runtime"
	"strings"
	"testing"
)

func TestBlankCards(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"4111111111111111", "****"},
		{"card 4111 1111 1111 1111, exp 12/27", "card ****, exp 12/27"},
		{"4111-1111-1111-1111 12/27 123", "**** 12/27 123"},
		{"4111.1111.1111.1111", "****"},
		{"4111\u00a01111\u00a01111\u00a01111", "****"},
		{"4111 1111\n1111 1111", "****"},
		{"378282246310005", "****"},
		{"3782 822463 10005", "****"},
		{"4222222222222", "****"},
		{"6304000000000000000", "****"},
		{"4111111111111111 4012888888881881", "**** ****"},
		{"４１１１１１１１１１１１１１１１", "****"},
		{"a4111111111111111b", "a****b"},
		{"4111111111111112", "4111111111111112"},         // wrong check digit
		{"411111111111", "411111111111"},                 // too short
		{"41111111111111111111", "41111111111111111111"}, // too long
		{"0000 0000 0000 0000", "0000 0000 0000 0000"},   // no card begins so
		{"4111 1111 ----- 1111 1111", "4111 1111 ----- 1111 1111"},
		{"call +4915123456704", "call +4915123456704"}, // passes the check, but is a phone
		{"+4111111111111111", "+****"},
		{"room 12, 3 nights", "room 12, 3 nights"},
		{"", ""},
	} {
		if got := Blank(tt.in); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
	for _, s := range []string{"4915123456704", "1774706400008"} {
		if !luhn(s) {
			t.Errorf("%s is in tables, here and of Mapping.Blank, because its check digit is right, and it is not", s)
		}
	}
}

// Digits of a range under which no payment card is issued are none, whatever their check digit: moments
// in milliseconds, ids that are numbered by them, what is not as long as a card of its range.
func TestOnlyIssuedRangesAreCards(t *testing.T) {
	for _, s := range []string{
		"1795538170006", "1774706400008", // milliseconds
		"41111111111112", "4111111111111111110000"[:18], // Visa has 13, 16 and 19 digits
		"7012345678904", "8945678901234567892", "34000000000000000"[:16],
	} {
		for c := range byte(10) { // one of these passes the check
			n := s[:len(s)-1] + string('0'+c)
			if got := Blank(n); got != n {
				t.Errorf("%s became %q", n, got)
			}
		}
	}
	for _, s := range []string{
		"4111111111111111", "4222222222222", "5555555555554444", "2223003122003222", "378282246310005", "341111111111111",
		"6011111111111117", "6445644564456445", "30569309025904", "38520000023237", "36227206271667", "3530111333300000",
		"6200000000000005", "6759649826438453", "5018000000000009", "6304000000000000000", "2200000000000004",
	} {
		if got := Blank(s); got != Mark {
			t.Errorf("%s became %q, want it blanked", s, got)
		}
	}
}

// A text may be nothing but digits, by the million: what it costs grows with it, and
// not with its square.
func TestBlankCardsOfALongText(t *testing.T) {
	s := strings.Repeat("4111111111", 1<<15)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out := Blank(s + " 4111 1111 1111 1111")
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > uint64(50*len(s)) {
		t.Errorf("%d MB for a text of %d KB", got>>20, len(s)>>10)
	}
	if want := s + " " + Mark; out != want {
		t.Errorf("the card behind %d digits is left, or they are not", len(s))
	}
}

// No number of a payment card is left in a text, and a second look changes nothing.
func FuzzCards(f *testing.F) {
	for _, s := range []string{"card 4111 1111 1111 1111, ok", "4111111111111111", "4111-1111-1111-11114111111111111111", "0000000000000000", "٤١١١١١١١١١١١١١١١", "5500 0000 0000 0004 5500 0000 0000 0004", "4.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Blank(s)
		if again := Blank(once); again != once {
			t.Fatalf("%q became %q, and that %q", s, once, again)
		}
		if len(once) > len(s) {
			t.Fatalf("%q became %q", s, once)
		}
	})
}
