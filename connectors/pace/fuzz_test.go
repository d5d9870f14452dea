package pace

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// What a server asks for is a wait of between nothing and a year, whatever it says.
func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{
		"120", "1.5", "-1", "0", "NaN", "Inf", "-Inf", "1e308", "0x1p10", " 30 ", "soon", "", "99999999999999999999",
		"Sat, 21 Nov 2026 12:00:30 GMT", "Sat, 21 Nov 1926 12:00:30 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Saturday, 21-Nov-26 12:00:30 GMT",
		"2026-11-21T12:00:30Z", "1795262430", "1795262430000", "99999999999",
	} {
		f.Add(s, "", "")
		f.Add(s, "Sat, 21 Nov 2026 11:59:00 GMT", "")
		f.Add("", "Fri, 31 Dec 9999 23:59:59 GMT", s)
	}
	f.Fuzz(func(t *testing.T, after, date, millis string) {
		h := http.Header{}
		h["Retry-After"], h["Date"], h["Retry-After-Ms"], h["X-Quota"] = []string{after}, []string{date}, []string{millis}, []string{after}
		wait, asked := RetryAfter(h, noon)
		if wait < 0 || wait > mostWait || !asked && wait != 0 {
			t.Fatalf("asked: %v, to wait %s", asked, wait)
		}
		wait, asked = Reset(h, "X-Quota", noon)
		if wait < 0 || wait > mostWait || !asked && wait != 0 {
			t.Fatalf("a reset (%v) in %s", asked, wait)
		}
	})
}

// What headers tell of a quota is nothing, or numbers within range; and whatever they
// tell, the limiter lets a request go within a year.
func FuzzTells(f *testing.F) {
	for _, pair := range [][2]string{
		{"X-RateLimit-Remaining", "12"},
		{"X-RateLimit-Reset", "30"},
		{"X-RateLimit-Reset", "1795262430"},
		{"X-RateLimit-Limit", "100, 100;w=60"},
		{"RateLimit", "limit=100, remaining=0, reset=30"},
		{"RateLimit", `"burst";r=0;t=30, "day";r=9;t=3600`},
		{"RateLimit-Policy", `"burst";q=100;w=60`},
		{"X-RateLimit-Interval-Milliseconds", "10000"},
		{"X-HubSpot-RateLimit-Daily", "250000"},
		{"X-AircallApi-Reset", "1795262430"},
		{"X-Shopify-Shop-Api-Call-Limit", "32/40"},
		{"X-Shopify-Shop-Api-Call-Limit", "999999999999/999999999999"},
		{"X-Rate-Limit-Remaining", "NaN"},
		{"Ratelimit", `;;=;r=1e12;t=1e12;w=1e12`},
		{"X-RateLimit-Limit-Second-Day", "1e12"},
	} {
		f.Add(pair[0], pair[1], "5", "0", "10", 200, false)
		f.Add(pair[0], pair[1], "", "", "", 429, true)
	}
	f.Fuzz(func(t *testing.T, name, value, limit, remaining, reset string, status int, refused bool) {
		h := http.Header{}
		h[http.CanonicalHeaderKey(name)] = []string{value}
		for k, v := range map[string]string{"X-Ratelimit-Limit": limit, "X-Ratelimit-Remaining": remaining, "X-Ratelimit-Reset": reset} {
			if v != "" {
				h[k] = append(h[k], v)
			}
		}
		for _, told := range Tells(h, noon) {
			if told.Limit < -1 || told.Remaining < -1 || told.Reset < -1 || told.Reset > mostWait || told.Per < 0 || told.Per > mostWait {
				t.Fatalf("told of %+v", told)
			}
			if told.Remaining < 0 && told.Limit <= 0 {
				t.Fatalf("told of nothing: %+v", told)
			}
			if strings.HasSuffix(told.Name, "call-limit") && (told.Reset > 20*time.Second || told.Remaining > told.Limit) {
				t.Fatalf("a bucket that leaks away in twenty seconds: %+v", told)
			}
		}
		l := New(Config{Quotas: []Quota{{Requests: 5, Per: time.Minute, Window: Fixed}}, ResetHeader: http.CanonicalHeaderKey(name)})
		for range 3 {
			turn, err := l.Wait(t.Context(), Read, 0)
			if err != nil {
				break
			}
			if wait := turn.Done(status, h, refused); wait < 0 || wait > mostWait+2*time.Second {
				t.Fatalf("everybody waits %s", wait)
			}
			if at := l.ready(time.Now(), false); at.IsZero() || time.Until(at) > mostWait+time.Minute {
				t.Fatalf("the next request may go at %s", at)
			}
			if l.ready(time.Now(), false).After(time.Now()) {
				break
			}
		}
	})
}
