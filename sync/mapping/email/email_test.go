package email

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"anna@example.com", "anna@example.com"},
		{" Anna.Rossi+Hotel@Example.COM ", "Anna.Rossi+Hotel@example.com"},
		{"mailto:anna@example.com", "anna@example.com"},
		{"<anna@example.com>", "anna@example.com"},
		{"anna@müller.example", "anna@xn--mller-kva.example"},
		{"anna@MÜLLER.example", "anna@xn--mller-kva.example"},
		{"anna@xn--mller-kva.example", "anna@xn--mller-kva.example"},
		{"jörg@example.com", "jörg@example.com"},
		{"o'neil/x=y@sub.example.com", "o'neil/x=y@sub.example.com"},
		{strings.Repeat("a", 64) + "@example.com", strings.Repeat("a", 64) + "@example.com"},
		{strings.Repeat("a", 65) + "@example.com", ""},
		{"a@" + strings.Repeat("b", 64) + ".com", ""},
		{"a@" + strings.Repeat("bcdefghi.", 30) + "com", ""},
		{"", ""},
		{"anna", ""},
		{"anna@", ""},
		{"@example.com", ""},
		{"anna@localhost", ""},
		{"anna@192.0.2.1", ""},
		{"anna@[192.0.2.1]", ""},
		{"anna.@example.com", ""},
		{".anna@example.com", ""},
		{"an..na@example.com", ""},
		{"anna rossi@example.com", ""},
		{"anna@exam ple.com", ""},
		{"anna@example..com", ""},
		{"anna@-example.com", ""},
		{"a@example.com, b@example.com", ""},
		{"a@example.com;b@example.com", ""},
		{"a@b@example.com", ""},
		{`"anna rossi"@example.com`, ""},
		{"<anna@example.com", ""},
		{"Anna <anna@example.com>", ""},
		{"anna@example.com.", ""},
		{"anna\n@example.com", ""},
	} {
		got, ok := Parse(strings.TrimSpace(tt.in))
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%q: got %q %v, want %q", tt.in, got, ok, tt.want)
		}
	}
}
