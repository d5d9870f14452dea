package mapping

import (
	"strings"
	"testing"

	"nightporter/sync/record"
)

func TestParseEmail(t *testing.T) {
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
		got, ok := parseEmail(tt.in)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%q: got %q %v, want %q", tt.in, got, ok, tt.want)
		}
	}
}

func FuzzEmail(f *testing.F) {
	for _, s := range []string{"anna@example.com", "a@xn--mller-kva.example", "ß@ß.example", "<a@b.c>", "mailto:", "a@İ.example"} {
		f.Add(s)
	}
	m := guests(f)
	f.Fuzz(func(t *testing.T, s string) {
		v, problems := m.Read(left, record.Fields{"email": text(s)})
		if len(problems) > 0 || !v["email"].Observed() || v["email"].Empty() {
			return
		}
		addr := v["email"].Text()
		local, domain, ok := strings.Cut(addr, "@")
		if !ok || local == "" || domain != strings.ToLower(domain) || len(addr) > 254 || strings.ContainsAny(addr, " \r\n,;<>") {
			t.Fatalf("%q read as %q", s, addr)
		}
		if again, ok := parseEmail(addr); !ok || again != addr {
			t.Fatalf("%q read as %q, again as %q", s, addr, again)
		}
	})
}
