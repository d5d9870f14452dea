package file

import (
	"strings"
	"unicode"
)

// A spreadsheet takes a cell that begins with =, +, - or @ for a formula, and so one
// that begins with a tab or a line end before them. It takes their full-width forms for
// the same, passes over blanks, and where it splits a line at ; and not at , a cell that
// begins with ;= is an empty one and a formula. What a caller dictates as a name
// must not become one: such a cell is written with an apostrophe before it, which a
// spreadsheet takes for "this is text", and is read without it.
//
// A + or - before digits alone is left as it is: that is a phone or an amount. It can
// name no function and no cell, and an apostrophe would spoil it for everybody else
// who reads the file.

// neutral is a value as a cell is written. plain undoes it, whatever the value was.
func neutral(value string) string {
	rest := strings.TrimLeft(value, "'")
	if rest == "" || !begins(rest) || rest == value && number(rest) {
		return value
	}
	return "'" + value
}

// plain is the value of a cell: an apostrophe that only keeps a spreadsheet from
// reckoning is none of the value's.
func plain(cell string) string {
	rest := strings.TrimLeft(cell, "'")
	if rest == cell || rest == "" || !begins(rest) {
		return cell
	}
	return cell[1:]
}

// Formula reports whether a spreadsheet may take a text for a formula.
func Formula(text string) bool { return neutral(text) != text }

// passed is what may stand before a formula: blanks, what is not seen, and what other
// files split or quote their cells with.
func passed(r rune) bool {
	return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune(`;,|"`, r)
}

func begins(text string) bool {
	if strings.ContainsRune("\t\r\n", rune(text[0])) {
		return true
	}
	rest := strings.TrimLeftFunc(text, passed)
	first := strings.IndexFunc(rest, func(r rune) bool { return strings.ContainsRune("=+-@＝＋－＠﹢﹣﹦﹫", r) })
	return first == 0
}

// number reports whether a text is a sign and digits with what stands between them in
// phones and amounts.
func number(text string) bool {
	if text = strings.TrimLeft(text, " "); text == "" {
		return false
	}
	return (text[0] == '+' || text[0] == '-') && strings.Trim(text[1:], "0123456789 .,()-/\u00a0") == ""
}
