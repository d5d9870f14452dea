// Package email reads one e-mail address as people write it.
package email

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// The limits of RFC 5321, in bytes.
const (
	localMost = 64
	most      = 254
)

// Parse reads one addr-spec: a dot-atom (RFC 5322, with the letters of RFC 6531), @, and a
// domain name of at least two labels. The local part stays unchanged, because only its mail server
// knows which spellings mean the same mailbox. The domain becomes lower-case ASCII. A leading mailto:
// and angle brackets are removed. Quoted local parts, address literals and lists of addresses are
// refused: no guest has such an address. s has no space at its ends.
func Parse(s string) (string, bool) {
	if len(s) > 4*most {
		return "", false
	}
	if t, ok := strings.CutPrefix(s, "<"); ok {
		if s, ok = strings.CutSuffix(t, ">"); !ok {
			return "", false
		}
	}
	if len(s) > 7 && strings.EqualFold(s[:7], "mailto:") {
		s = s[7:]
	}
	at := strings.LastIndexByte(s, '@')
	if at < 1 {
		return "", false
	}
	local, domain := s[:at], s[at+1:]
	if len(local) > localMost || !dotAtom(local) {
		return "", false
	}
	host, ok := parseHost(domain)
	if !ok || len(local)+1+len(host) > most {
		return "", false
	}
	return local + "@" + host, true
}

// dotAtom reports whether s consists of atoms with single dots between them.
func dotAtom(s string) bool {
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" {
			return false
		}
		for _, r := range atom {
			if !atext(r) {
				return false
			}
		}
	}
	return true
}

func atext(r rune) bool {
	if r >= utf8.RuneSelf {
		return r != utf8.RuneError && unicode.IsGraphic(r) && !unicode.IsSpace(r)
	}
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r)
}

// parseHost reads a domain name of at least two labels, in lower-case ASCII.
func parseHost(s string) (string, bool) {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return "", false
	}
	host, err := idna.Lookup.ToASCII(s)
	if err != nil || len(host) > 253 {
		return "", false
	}
	host = strings.ToLower(host)
	labels := strings.Split(host, ".")
	if len(labels) < 2 || strings.Trim(labels[len(labels)-1], "0123456789") == "" {
		return "", false
	}
	for _, l := range labels {
		if l == "" || len(l) > 63 {
			return "", false
		}
	}
	return host, true
}
