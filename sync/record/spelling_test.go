package record

import "testing"

func TestRespells(t *testing.T) {
	for _, c := range []struct {
		a, b Value
		want bool
	}{
		{OfText("Mario Rossi"), OfText("MARIO  ROSSI "), true},
		{OfText("Mario"), OfText("Maria"), false},
		{OfText("1.5"), OfText("15"), false},
		{OfText("-5"), OfText("5"), false},
		{OfText(""), OfText(" "), false},
		{OfText("x"), Nothing(), false},
		{Nothing(), Nothing(), false},
	} {
		if got := c.a.Respells(c.b); got != c.want || c.b.Respells(c.a) != got {
			t.Errorf("%v and %v: got %t, want %t both ways", c.a, c.b, got, c.want)
		}
	}
}
