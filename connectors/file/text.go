package file

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

const bom = "\ufeff"

// decode is the text of a file's bytes, without the mark at its beginning.
func decode(b []byte, enc Encoding) (string, error) {
	if bytes.HasPrefix(b, []byte{0xff, 0xfe}) || bytes.HasPrefix(b, []byte{0xfe, 0xff}) {
		return "", errors.New("it is UTF-16: have it written as UTF-8")
	}
	if enc == Windows1252 && !bytes.HasPrefix(b, []byte(bom)) {
		if line := utf8Line(b); line > 0 {
			return "", fmt.Errorf("line %d is UTF-8, and so is all of it, but encoding says windows-1252: its letters would be spoilt; if its program writes UTF-8 now, say encoding: utf-8", line)
		}
		return from1252(b), nil
	}
	if !utf8.Valid(b) {
		return "", fmt.Errorf("line %d is not UTF-8: if a program for Windows writes it, say encoding: windows-1252", badLine(b))
	}
	return strings.TrimPrefix(string(b), bom), nil
}

// utf8Line is the first line with a letter beyond ASCII of bytes that are all UTF-8; 0 for other
// bytes. What is written in Windows-1252 is next to never valid as UTF-8.
func utf8Line(b []byte) int {
	first := bytes.IndexFunc(b, func(r rune) bool { return r >= utf8.RuneSelf })
	if first < 0 || !utf8.Valid(b) {
		return 0
	}
	return 1 + bytes.Count(b[:first], []byte("\n"))
}

func badLine(b []byte) int {
	line := 1
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		b = b[n:]
	}
	return line
}

// encode is the bytes of a text for a file that begins as the bytes of old do.
func encode(text string, enc Encoding, old []byte) ([]byte, error) {
	marked := bytes.HasPrefix(old, []byte(bom))
	if enc == Windows1252 && !marked {
		return to1252(text)
	}
	return []byte(text), nil
}

// from1252 is the text of bytes in Windows-1252. The five that it leaves open are taken
// for the control characters of their number, as browsers do, so that a file that is
// written again keeps them.
func from1252(b []byte) string {
	var text strings.Builder
	for _, c := range b {
		r := charmap.Windows1252.DecodeByte(c)
		if r == utf8.RuneError {
			r = rune(c)
		}
		text.WriteRune(r)
	}
	return text.String()
}

func to1252(text string) ([]byte, error) {
	b := make([]byte, 0, len(text))
	for _, r := range text {
		c, ok := charmap.Windows1252.EncodeRune(r)
		if !ok && r >= 0x80 && r <= 0x9f {
			c, ok = byte(r), true
		}
		if !ok {
			return nil, errors.New("a character of it does not exist in windows-1252")
		}
		b = append(b, c)
	}
	return b, nil
}

// sniff tells the separator from a header line: the one that stands there most often
// outside of quotes.
func sniff(line string) (rune, error) {
	count := map[rune]int{}
	quoted := false
	for _, r := range line {
		switch {
		case r == '"':
			quoted = !quoted
		case !quoted && strings.ContainsRune(",;\t|", r):
			count[r]++
		}
	}
	best, most, tie := ',', 0, false
	for _, r := range ",;\t|" {
		if n := count[r]; n > most {
			best, most, tie = r, n, false
		} else if n == most && n > 0 {
			tie = true
		}
	}
	if tie {
		return 0, errors.New("the header line has as many commas as semicolons: say separator")
	}
	return best, nil
}

// lineOf is the first line of a text that isn't blank, as far as it goes.
func lineOf(text string) string {
	text = strings.TrimLeft(text, "\r\n")
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r")
}

// separatorName is how a separator is called in the configuration and by check.
func separatorName(r rune) string {
	switch r {
	case ',':
		return "comma"
	case ';':
		return "semicolon"
	case '\t':
		return "tab"
	}
	return string(r)
}
