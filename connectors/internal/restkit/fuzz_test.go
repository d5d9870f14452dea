package restkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"nightporter/connectors"
)

// What a system says of a refusal is kept without the values that were sent, mail
// addresses and long numbers, on one line, cut where it is too long, however it is
// written.
func FuzzRedact(f *testing.F) {
	for _, s := range []string{
		"phone +39 333 123 4567 exists", "Anna\nRossi exists", "Anna  Rossi", "anna@example.com", `"Anna" and 'Rossi'`, "12\x0034 567\t89", "a«b»c`d`e", "key k-123456", "\xff\xfe",
		"ANNA ROSSI", strings.Repeat("x", mostMessage) + "é", "''\"", "5 . 5 . 5 . 5 . 5", "12345@example.com", "ſilvia",
	} {
		f.Add(s, "Anna Rossi")
		f.Add(s, "k-123456")
		f.Add(s, "Silvia")
	}
	r := newRedactor()
	f.Fuzz(func(t *testing.T, s, known string) {
		out := r.text(s, []string{known})
		if !utf8.ValidString(out) || len(out) > mostMessage+len("…") || strings.ContainsFunc(out, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			t.Fatalf("%q became %q", s, out)
		}
		if strings.ContainsAny(known, "…'") || !utf8.ValidString(known) {
			return
		}
		if utf8.RuneCountInString(known) >= 3 && strings.TrimSpace(known) == known && strings.Contains(out, known) {
			t.Fatalf("%q became %q, which holds %q", s, out, known)
		}
		if m := r.mail.FindString(out); m != "" {
			t.Fatalf("%q became %q, which holds %q", s, out, m)
		}
		if m := r.digits.FindString(out); m != "" {
			t.Fatalf("%q became %q, which holds %q", s, out, m)
		}
	})
}

// Any answer has one meaning: a success that can be read, or an error of a class that
// fits what was asked. A write is never tried again by itself where it may have been
// applied, and no error shows the key.
func FuzzAnswer(f *testing.F) {
	for _, status := range []int{200, 204, 301, 303, 400, 401, 403, 404, 405, 408, 409, 410, 412, 422, 425, 500, 501, 502} {
		f.Add(status, "application/json", `{"error":"k-123456 already exists"}`, "", uint8(status))
	}
	f.Add(200, "text/html", "<html>", "", uint8(0))
	f.Add(403, "", `{"error":"quota"}`, "https://k-123456.example.com/", uint8(3))
	f.Add(200, "application/problem+json; a=", `[{"errors":[["x",{"y":"z"}]]}]`, "::", uint8(4))
	f.Fuzz(func(t *testing.T, status int, kind, body, location string, ask uint8) {
		if status < 200 || status > 599 {
			return
		}
		c, err := New(Config{
			Base: "https://api.example.com", Auth: Auth{Type: Bearer}, Secret: func() (string, error) { return "k-123456", nil }, Timeout: time.Second, MaxBody: 1 << 16, Now: time.Now,
			Rules: Rules{Exists: &Match{Status: []int{400, 409}, Text: regexp.MustCompile("already exists")}, Quota: regexp.MustCompile("quota")},
		})
		if err != nil {
			t.Fatal(err)
		}
		r := Request{Op: "op", Goal: Goal(ask % 5), Method: http.MethodPost, URL: c.URL("/x", nil), Conditional: ask&8 != 0}
		a := &Answer{Status: status, Header: http.Header{"Content-Type": {kind}, "Location": {location}}, Body: []byte(body)}
		fail := c.judge(r, a)
		if fail == nil {
			if status >= 300 {
				t.Fatalf("a status of %d is a success", status)
			}
			return
		}
		e := fail.err
		classes := []connectors.ErrorClass{
			connectors.Transient, connectors.Throttled, connectors.Stale, connectors.Rejected, connectors.Unauthorized, connectors.Forbidden,
			connectors.NotFound, connectors.Exists, connectors.Ambiguous, connectors.Unsupported, connectors.Malformed,
		}
		if !slices.Contains(classes, e.Class) || e.RetryAfter < 0 {
			t.Fatalf("%d is %+v", status, e)
		}
		if r.Goal.reads() && slices.Contains([]connectors.ErrorClass{connectors.Ambiguous, connectors.Exists}, e.Class) {
			t.Fatalf("%d to a read is %s", status, e.Class)
		}
		if !r.Goal.reads() && (e.Class == connectors.Transient || status < 300 && e.Class != connectors.Ambiguous || fail.again && e.Class != connectors.Throttled) {
			t.Fatalf("%d to a write is %s, again: %v", status, e.Class, fail.again)
		}
		if e.Class == connectors.NotFound && status != http.StatusNotFound && status != http.StatusGone {
			t.Fatalf("%d says that there is no such record", status)
		}
		if strings.Contains(e.Err.Error(), "k-123456") {
			t.Fatalf("the key is in the error: %v", e)
		}
	})
}

// A link is followed to the system's own host by its own scheme, or not at all.
func FuzzFollow(f *testing.F) {
	for _, s := range []string{"?o=1", "/x", "x/", "//evil.example.com/", "https://api.example.com@evil.example.com/", "https:api.example.com", "\\\\evil.example.com", "http://api.example.com/", "https://api.example.com:443/", "", "javascript:x", "https://api.example.com\t.evil.example.com/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, link string) {
		sent := ""
		c, err := New(Config{
			Base: "https://api.example.com/v1", Auth: Auth{Type: Bearer}, Secret: func() (string, error) { return "k-123456", nil }, Timeout: time.Second, MaxBody: 1 << 16, Now: time.Now,
			Transport: &script{wire: func(_ int, r *http.Request) (*http.Response, error) {
				sent = r.URL.Scheme + "://" + r.URL.Host
				return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader([]byte("[]")))}, nil
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		u, err := c.Follow(c.URL("/things", nil), link)
		if err != nil {
			return
		}
		if again, err := c.Follow(u, u); err != nil || again != u {
			t.Fatalf("%q leads to %q, and that to %q (%v)", link, u, again, err)
		}
		_, err = c.Do(t.Context(), Request{Op: "op", Goal: ReadList, Method: http.MethodGet, URL: u})
		if e, ok := errors.AsType[*connectors.Error](err); err != nil && (!ok || sent != "") {
			t.Fatalf("%q: %v, %v", link, e, err)
		}
		if sent != "" && sent != "https://api.example.com" {
			t.Fatalf("%q was sent to %s", link, sent)
		}
	})
}

// words is bounded in depth and breadth, and holds nothing but what the body does.
func FuzzMessage(f *testing.F) {
	for _, s := range []string{`{"error":"x"}`, `{"errors":{"a":["b",{"c":"d"}]}}`, `[[[[[["deep"]]]]]]`, `["a","b"]`, `{"error":1}`, `null`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c := client(t, "https://api.example.com", nil)
		message := c.message(body)
		if message != "" && !json.Valid(body) {
			t.Fatalf("%q says %q", body, message)
		}
		if len(message) > 2*len(body)+64 && !bytes.ContainsRune(body, '\\') {
			t.Fatalf("%d bytes say %d", len(body), len(message))
		}
	})
}
