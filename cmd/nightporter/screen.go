package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"nightporter/internal/config"
)

// Names, ids and errors are written by others. Whatever they hold, it must not move the
// cursor of a terminal, turn the direction of a text, or look like a line of ours. All
// that is printed goes through a screen, and what a line is made of through show or tell.

// screen writes a text without what a terminal would obey: of each such character stands
// its number, as \u001b. It is the same in JSON, where that is how it is spelt.
type screen struct{ w io.Writer }

// Write writes p, which ends with whole characters.
func (s screen) Write(p []byte) (int, error) {
	out := p
	if !utf8.Valid(p) || bytes.ContainsFunc(p, obeyed) {
		out = []byte(spelt(string(p), obeyed))
	}
	if _, err := s.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// obeyed reports whether a terminal does not show a character but does what it says:
// controls, marks that end lines, and those that turn the direction of what follows.
func obeyed(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return r >= 0xe0000 && r <= 0xe007f // letters that nobody sees
}

// breaks reports whether a character may not be within a line.
func breaks(r rune) bool { return r == '\n' || obeyed(r) }

// spelt is a text with the numbers of the characters that are to be spelt, and marks for
// bytes that are no text.
func spelt(s string, which func(rune) bool) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case !which(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// oneLine is a text within a line.
func oneLine(s string) string {
	if strings.ContainsFunc(s, breaks) {
		return spelt(s, breaks)
	}
	return s
}

// shown is a value that is part of a line, however it is formatted.
type shown struct{ v any }

// Format writes the value as it is formatted otherwise, within the line.
func (s shown) Format(f fmt.State, verb rune) {
	_, _ = io.WriteString(f, oneLine(fmt.Sprintf(fmt.FormatString(f, verb), s.v)))
}

// ours is a text of several lines that this program made; what others wrote in it is
// within its lines.
type ours string

// tell prints what a format makes. No argument makes another line of it.
func tell(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintf(w, format, parts(args)...)
	return err
}

// show is tell for where nobody could do anything about an error.
func show(w io.Writer, format string, args ...any) {
	fmt.Fprintf(w, format, parts(args)...)
}

// showln prints its arguments as a line.
func showln(w io.Writer, args ...any) {
	fmt.Fprintln(w, parts(args)...)
}

func parts(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		switch arg.(type) {
		case ours, int, int64, bool, float64:
			out[i] = arg
		default:
			out[i] = shown{arg}
		}
	}
	return out
}

// errorLines is an error, a line for each of those that it joins.
func errorLines(err error) []string {
	if _, ok := errors.AsType[*config.Errors](err); ok {
		return strings.Split(err.Error(), "\n")
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var lines, texts []string
		for _, e := range joined.Unwrap() {
			lines, texts = append(lines, errorLines(e)...), append(texts, e.Error())
		}
		if err.Error() == strings.Join(texts, "\n") {
			return lines
		}
	}
	return []string{oneLine(err.Error())}
}
