package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/internal/signature"
)

// A preset names the scheme by which its system signs, or says it by its keys, as a
// configuration does.
func TestOutside37SignatureBlockInAPreset(t *testing.T) {
	own := signature.Presets["stripe"]
	own.Header, own.Tolerance, own.Prefix = "X-Club", time.Hour, ""
	for name, tt := range map[string]struct {
		signature string
		want      signature.Scheme
		wrong     string
	}{
		"a name":             {"github", signature.Presets["github"], ""},
		"a block":            {`{ header: X-Sig, signed: "{body}", hash: sha512, encoding: base64 }`, signature.Scheme{Header: "X-Sig", Signed: "{body}", Hash: "sha512", Encoding: "base64"}, ""},
		"over another":       {`{ preset: stripe, header: X-Club, prefix: "", tolerance: 1h }`, own, ""},
		"a token":            {"{ header: X-Key, token: true }", signature.Scheme{Header: "X-Key", Token: true}, ""},
		"an unknown name":    {"githup", signature.Scheme{}, `the preset of platform says "githup", which is not one of`},
		"an unknown preset":  {"{ preset: githup }", signature.Scheme{}, `the preset of platform says "githup"`},
		"nothing signed":     {"{ header: X-Sig }", signature.Scheme{}, "the preset of platform has webhooks.signature wrong: what is signed must hold {body}"},
		"a key that is none": {"{ heder: X-Sig }", signature.Scheme{}, `unknown key "webhooks.signature.heder"; did you mean "header"?`},
		"none at all":        {"{}", signature.Scheme{}, "the preset of platform does not say"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "club.yaml")
			text := "webhooks: { signature: " + tt.signature + ", kinds: { contact: contacts } }\nauth: { type: bearer }\nkinds:\n" +
				"  contacts: { path: /contacts, list: { items: data, paging: none } }\n  reservations: { path: /reservations, list: { items: data, paging: none } }\n"
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := Webhooks(hooked(t, "file:"+path, "", "a-secret"))
			if tt.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wrong) {
					t.Errorf("got %v, want %q", err, tt.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got[0].Scheme); d != "" {
				t.Error(d)
			}
		})
	}
}
