package file_test

import (
	"testing"

	"nightporter/connectors/file"
)

// What a spreadsheet would take for a formula is told, in whatever form; what is none
// stays as it is, and every text is read as it was written.
func TestOutside22Formulas(t *testing.T) {
	for _, text := range []string{
		"=1+1", "+cmd", "-cmd|x", "@SUM(1)", "\t=1", "\r=1", "\tAnna", "\rAnna", "\nAnna", ";=1+1", ",=1", "|=1", " =1", "\u00a0=1", "\ufeff=1", "\u200b=1",
		`";=1`, "; ;=1", "＝1+1", "＋cmd", "－cmd", "＠SUM(1)", ";＝1", "﹦1", " +cmd",
	} {
		if got := file.Neutral(text); got != "'"+text || !file.Formula(text) {
			t.Errorf("%q: written as %q, want an apostrophe before it", text, got)
		}
	}
	for _, text := range []string{"", "Anna", "+39 055 1", "-12.50", "-", " +39 055", "a=b", "a;b", "; b", "O'Neill", "'", "(=)", "x ＝ y"} {
		if got := file.Neutral(text); got != text || file.Formula(text) {
			t.Errorf("%q: written as %q, want as it is", text, got)
		}
	}
}
