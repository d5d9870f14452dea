package mapping

import (
	"strings"
	"testing"

	"nightporter/sync/mapping/email"
	"nightporter/sync/record"
)

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
		if again, ok := email.Parse(addr); !ok || again != addr {
			t.Fatalf("%q read as %q, again as %q", s, addr, again)
		}
	})
}
