package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const value = "hunter2"

func write(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	// The mode of WriteFile passes through the umask.
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func parse(t *testing.T, text string) Ref {
	t.Helper()
	ref, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func TestResolve(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain", value, value},
		{"newline", value + "\n", value},
		{"newline of Windows", value + "\r\n", value},
		{"letters beyond ASCII", "pässwörd\n", "pässwörd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parse(t, "file:"+write(t, tt.text, 0o600)).Resolve()
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
	t.Setenv("NP_TEST_KEY", value)
	if got, err := parse(t, "env:NP_TEST_KEY").Resolve(); err != nil || got != value {
		t.Errorf("from the environment: got %q, %v", got, err)
	}
}

func TestResolveUnusable(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "it is empty"},
		{"only a newline", "\n", "it is empty"},
		{"two newlines", value + "\n\n", "there is white space inside: put nothing but the secret in it"},
		{"blank", "my " + value, "there is white space inside: put nothing but the secret in it"},
		{"blank at the end", value + " \n", "there is white space inside: put nothing but the secret in it"},
		{"zero byte", value + "\x00", "there are control characters inside: put nothing but the secret in it"},
		{"not UTF-8", value + "\xff", "it is not UTF-8 text"},
		{"large", strings.Repeat(value, maxSize), "the file is too large to be a secret: put nothing but the secret in it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ref := parse(t, "file:"+write(t, tt.text, 0o600))
			got, err := ref.Resolve()
			if want := "read secret " + ref.String() + ": " + tt.want; err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
			if got != "" || strings.Contains(fmt.Sprint(err), value) {
				t.Errorf("the secret is out: %q, %v", got, err)
			}
		})
	}
	t.Setenv("NP_TEST_KEY", "")
	for text, want := range map[string]string{
		"env:NP_TEST_KEY":      "read secret env:NP_TEST_KEY: it is empty",
		"env:NP_TEST_UNSET":    "read secret env:NP_TEST_UNSET: the environment variable is not set",
		"file:/no/such/secret": "read secret file:/no/such/secret: no such file or directory",
	} {
		if _, err := parse(t, text).Resolve(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := parse(t, "file:"+t.TempDir()).Resolve(); err == nil || !strings.HasSuffix(err.Error(), "not a plain file") {
		t.Errorf("a folder: got %v", err)
	}
	if _, err := (Ref{}).Resolve(); err == nil {
		t.Error("the zero Ref was resolved")
	}
}

// A key that is replaced while the program runs is the one that counts.
func TestResolveAgain(t *testing.T) {
	path := write(t, "old", 0o600)
	ref := parse(t, "file:"+path)
	for _, want := range []string{"old", "new"} {
		if err := os.WriteFile(path, []byte(want+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ref.Resolve(); err != nil || got != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", value, "env:", "file:", "env:A=" + value, "env:A B", "file:a\nb", "http:x", "ENV:A"} {
		ref, err := Parse(text)
		if err == nil || !ref.IsZero() {
			t.Errorf("%q was accepted", text)
		}
		if strings.Contains(fmt.Sprint(err), value) {
			t.Errorf("the secret is in the error: %v", err)
		}
	}
}

func TestShown(t *testing.T) {
	t.Setenv("NP_TEST_KEY", value)
	ref := parse(t, "env:NP_TEST_KEY")
	if _, err := ref.Resolve(); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).InfoContext(t.Context(), "opened", "key", ref, "in", struct{ Key Ref }{ref})
	data, err := json.Marshal(struct{ Key Ref }{ref})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(data), `{"Key":"env:NP_TEST_KEY"}`; got != want {
		t.Errorf("as JSON: got %s, want %s", got, want)
	}
	all := fmt.Sprintf("%s %v %+v %#v %q", ref, ref, struct{ K Ref }{ref}, ref, ref) + log.String()
	if strings.Contains(all, value) {
		t.Errorf("the secret is shown: %s", all)
	}
	if !strings.Contains(log.String(), "key=env:NP_TEST_KEY") {
		t.Errorf("the log should name the reference: %s", log.String())
	}
	if got := (Ref{}).String(); got != "***" {
		t.Errorf("zero Ref: got %q", got)
	}
}

func TestWarning(t *testing.T) {
	for mode, careless := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o640: true, 0o604: true, 0o620: true} {
		path := write(t, value, mode)
		got := parse(t, "file:"+path).Warning()
		if (got != "") != careless {
			t.Errorf("mode %o: got %q", mode, got)
		}
		if careless && !strings.HasSuffix(got, "chmod 600 "+path) {
			t.Errorf("mode %o: no next step in %q", mode, got)
		}
	}
	for _, text := range []string{"env:HOME", "file:/no/such/secret"} {
		if got := parse(t, text).Warning(); got != "" {
			t.Errorf("%s: got %q", text, got)
		}
	}
}
