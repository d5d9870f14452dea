package file

import "strings"

// A spreadsheet takes a cell that begins with =, +, - or @ for a formula, and so one
// that begins with a tab or a line end before them. What a caller dictates as a name
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

func begins(text string) bool { return strings.ContainsRune("=+-@\t\r\n", rune(text[0])) }

// number reports whether a text is a sign and digits with what stands between them in
// phones and amounts.
func number(text string) bool {
	return (text[0] == '+' || text[0] == '-') && strings.Trim(text[1:], "0123456789 .,()-/\u00a0") == ""
}
