package pace

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i+1 < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

func TestTells(t *testing.T) {
	const secs = time.Second
	tests := map[string]struct {
		h    http.Header
		want []Told
	}{
		"nothing": {h: headers("Content-Type", "application/json", "X-Request-Id", "7")},
		"seconds": {
			headers("X-RateLimit-Limit", "50", "X-RateLimit-Remaining", "12", "X-RateLimit-Reset", "30"),
			[]Told{{"x-ratelimit", 50, 12, 30 * secs, 0}},
		},
		"unix time, as GitHub": {
			headers("X-RateLimit-Limit", "5000", "X-RateLimit-Remaining", "4999", "X-RateLimit-Reset", "1795262430", "X-RateLimit-Used", "1",
				"Date", "Sat, 21 Nov 2026 12:00:00 GMT", "X-RateLimit-Resource", "core"),
			[]Told{{"x-ratelimit", 5000, 4999, 30 * secs, 0}},
		},
		"unix time of a server that is an hour behind": {
			headers("X-RateLimit-Limit", "5", "X-RateLimit-Remaining", "1", "X-RateLimit-Reset", "1795258830", "Date", "Sat, 21 Nov 2026 11:00:00 GMT"),
			[]Told{{"x-ratelimit", 5, 1, 30 * secs, 0}},
		},
		"milliseconds": {
			headers("X-Rate-Limit-Limit", "5", "X-Rate-Limit-Remaining", "1", "X-Rate-Limit-Reset", "1795262430000"),
			[]Told{{"x-rate-limit", 5, 1, 30 * secs, 0}},
		},
		"a date": {
			headers("X-RateLimit-Limit", "5", "X-RateLimit-Remaining", "1", "X-RateLimit-Reset", "2026-11-21T12:00:30Z"),
			[]Told{{"x-ratelimit", 5, 1, 30 * secs, 0}},
		},
		"a date that is over": {
			headers("X-RateLimit-Limit", "5", "X-RateLimit-Remaining", "1", "X-RateLimit-Reset", "Sat, 21 Nov 2026 11:00:00 GMT"),
			[]Told{{"x-ratelimit", 5, 1, 0, 0}},
		},
		"after": {
			headers("X-RateLimit-Limit", "5", "X-RateLimit-Remaining", "1", "X-RateLimit-Reset-After", "1.5"),
			[]Told{{"x-ratelimit", 5, 1, 1500 * time.Millisecond, 0}},
		},
		"draft 6, three headers": {
			headers("RateLimit-Limit", "100, 100;w=60", "RateLimit-Remaining", "50", "RateLimit-Reset", "30"),
			[]Told{{"ratelimit", 100, 50, 30 * secs, time.Minute}},
		},
		"draft 7, one header": {
			headers("RateLimit", "limit=100, remaining=50, reset=30", "RateLimit-Policy", "100;w=60"),
			[]Told{{"ratelimit", 100, 50, 30 * secs, time.Minute}},
		},
		"draft 11": {
			headers("RateLimit", `"burst";r=50;t=30, "day";r=9;t=3600`, "RateLimit-Policy", `"burst";q=100;w=60, "day";q=1000;w=86400`),
			[]Told{{"ratelimit burst", 100, 50, 30 * secs, time.Minute}, {"ratelimit day", 1000, 9, time.Hour, aDay}},
		},
		"draft 11 without a policy": {
			headers("RateLimit", `"default";r=50;t=30`),
			[]Told{{"ratelimit default", -1, 50, 30 * secs, 0}},
		},
		"a window's and a day's, as GoHighLevel": {
			headers("X-RateLimit-Limit-Daily", "200000", "X-RateLimit-Daily-Remaining", "199000", "X-RateLimit-Interval-Milliseconds", "10000",
				"X-RateLimit-Max", "100", "X-RateLimit-Remaining", "98"),
			[]Told{{"x-ratelimit", 100, 98, -1, 10 * secs}, {"x-ratelimit-day", 200000, 199000, -1, aDay}},
		},
		"the same with a name of its own": {
			headers("X-HubSpot-RateLimit-Daily", "250000", "X-HubSpot-RateLimit-Daily-Remaining", "249000",
				"X-HubSpot-RateLimit-Secondly", "10", "X-HubSpot-RateLimit-Secondly-Remaining", "9"),
			[]Told{{"x-hubspot-ratelimit-day", 250000, 249000, -1, aDay}, {"x-hubspot-ratelimit-second", 10, 9, -1, secs}},
		},
		"one for each window": {
			headers("X-RateLimit-Limit-Minute", "20", "X-RateLimit-Remaining-Minute", "19", "X-RateLimit-Limit-Hour", "300", "X-RateLimit-Remaining-Hour", "2"),
			[]Told{{"x-ratelimit-hour", 300, 2, -1, time.Hour}, {"x-ratelimit-minute", 20, 19, -1, time.Minute}},
		},
		"as Aircall": {
			headers("X-AircallApi-Limit", "60", "X-AircallApi-Remaining", "59", "X-AircallApi-Reset", "1795262430"),
			[]Told{{"x-aircallapi", 60, 59, 30 * secs, 0}},
		},
		"a leaky bucket, as Shopify": {
			headers("X-Shopify-Shop-Api-Call-Limit", "32/40"),
			[]Told{{"x-shopify-shop-api-call-limit", 40, 8, 16 * secs, 0}},
		},
		"a bucket larger than any": {
			headers("X-Shopify-Shop-Api-Call-Limit", "900000000000/1000000000000"),
			[]Told{{"x-shopify-shop-api-call-limit", 1e12, 1e11, 18 * secs, 0}},
		},
		"tokens are no requests": {h: headers("X-RateLimit-Limit-Tokens", "9000", "X-RateLimit-Remaining-Tokens", "1")},
		"nonsense": {
			h: headers("X-RateLimit-Limit", "many", "X-RateLimit-Remaining", "-4", "X-RateLimit-Reset", "soon", "X-Shopify-Shop-Api-Call-Limit", "a/b"),
		},
		"a reset in the year 50000": {
			headers("X-RateLimit-Limit", "5", "X-RateLimit-Remaining", "1", "X-RateLimit-Reset", "99999999999"),
			[]Told{{"x-ratelimit", 5, 1, mostWait, 0}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Tells(tt.h, noon), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	tests := map[string]struct {
		h     http.Header
		want  time.Duration
		asked bool
	}{
		"none":        {headers(), 0, false},
		"seconds":     {headers("Retry-After", "120"), 2 * time.Minute, true},
		"fraction":    {headers("Retry-After", "1.5"), 1500 * time.Millisecond, true},
		"a date":      {headers("Retry-After", "Sat, 21 Nov 2026 12:01:00 GMT"), time.Minute, true},
		"behind":      {headers("Retry-After", "Sat, 21 Nov 2026 09:01:00 GMT", "Date", "Sat, 21 Nov 2026 09:00:00 GMT"), time.Minute, true},
		"ahead":       {headers("Retry-After", "Sat, 21 Nov 2026 15:01:00 GMT", "Date", "Sat, 21 Nov 2026 15:00:00 GMT"), time.Minute, true},
		"passed":      {headers("Retry-After", "Sat, 21 Nov 2026 11:59:00 GMT"), 0, true},
		"negative":    {headers("Retry-After", "-5"), 0, false},
		"forever":     {headers("Retry-After", "1e300"), mostWait, true},
		"no number":   {headers("Retry-After", "NaN"), 0, false},
		"a word":      {headers("Retry-After", "soon"), 0, false},
		"ms":          {headers("Retry-After-Ms", "250", "Retry-After", "1"), 250 * time.Millisecond, true},
		"ms, x-ms":    {headers("X-Ms-Retry-After-Ms", "250"), 250 * time.Millisecond, true},
		"infinite ms": {headers("Retry-After-Ms", "+Inf"), mostWait, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got, asked := RetryAfter(tt.h, noon); got != tt.want || asked != tt.asked {
				t.Errorf("got %s, %v, want %s, %v", got, asked, tt.want, tt.asked)
			}
		})
	}
}

// Whatever a server says, nothing is negative and nothing lasts for ever.
func TestHeadersFromAnywhere(t *testing.T) {
	names := []string{
		"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit", "RateLimit-Policy", "Retry-After", "Date",
		"X-RateLimit-Interval-Milliseconds", "X-Shopify-Shop-Api-Call-Limit", "Retry-After-Ms",
	}
	rapid.Check(t, func(t *rapid.T) {
		h := http.Header{}
		for range rapid.IntRange(0, 6).Draw(t, "headers") {
			value := rapid.OneOf(rapid.String(), rapid.StringMatching(`[0-9.eE+,;=rtqw"/ -]{0,20}`), rapid.StringMatching(`-?[0-9]{1,25}`)).Draw(t, "value")
			h.Add(rapid.SampledFrom(names).Draw(t, "name"), value)
		}
		for _, told := range Tells(h, noon) {
			if told.Limit < -1 || told.Remaining < -1 || told.Reset < -1 || told.Reset > mostWait || told.Per < 0 || told.Per > mostWait {
				t.Fatalf("told %+v by %v", told, h)
			}
		}
		if wait, _ := RetryAfter(h, noon); wait < 0 || wait > mostWait {
			t.Fatalf("wait %s by %v", wait, h)
		}
		// A limiter that has heard it still lets a request go within the time said.
		l := New(Config{})
		turn, err := l.Wait(t.Context(), Scan, 0)
		if err != nil {
			t.Fatal(err)
		}
		turn.Done(http.StatusTooManyRequests, h, true)
		if s := l.Snapshot(); s.Waiting.IsZero() {
			t.Fatalf("not waiting after %v", h)
		}
	})
}
