package pace

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mostWait keeps sums of times within range; no system means more.
const mostWait = 366 * 24 * time.Hour

// Told is what an answer says of one quota. What it doesn't say is negative, or
// zero for Per.
type Told struct {
	Name      string // of the quota: the header's, or the system's own
	Limit     int
	Remaining int
	Reset     time.Duration // from now
	Per       time.Duration // length of the window
}

// RetryAfter reads how long an answer asks to wait, in either form of the header,
// or in milliseconds as some systems say it. A date is measured against the
// answer's own Date where it has one, so that a clock that is off doesn't shorten
// the wait.
func RetryAfter(h http.Header, now time.Time) (wait time.Duration, asked bool) {
	for _, name := range []string{"X-Ms-Retry-After-Ms", "Retry-After-Ms"} {
		if n, err := strconv.ParseFloat(strings.TrimSpace(h.Get(name)), 64); err == nil && n >= 0 {
			return lasting(n, time.Millisecond), true
		}
	}
	s := strings.TrimSpace(h.Get("Retry-After"))
	if s == "" {
		return 0, false
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil && n >= 0 {
		return lasting(n, time.Second), true
	}
	at, err := http.ParseTime(s)
	if err != nil {
		return 0, false
	}
	return until(at, h, now), true
}

// lasting is n units of time, within range.
func lasting(n float64, unit time.Duration) time.Duration {
	if n*float64(unit) > float64(mostWait) {
		return mostWait
	}
	return time.Duration(n * float64(unit))
}

// Reset reads a header that tells when a quota starts anew: seconds from now, a
// unix time in seconds or milliseconds, told apart by their size, or a date.
func Reset(h http.Header, name string, now time.Time) (wait time.Duration, asked bool) {
	if name == "" {
		return 0, false
	}
	return resets(h.Get(name), h, now)
}

func resets(s string, h http.Header, now time.Time) (time.Duration, bool) {
	s = strings.TrimSpace(s)
	n, err := strconv.ParseFloat(s, 64)
	switch {
	case err == nil && !(n >= 0):
		return 0, false
	case err == nil && n < 1e8:
		return lasting(n, time.Second), true
	case err == nil && n < 1e11:
		return until(time.Unix(int64(n), 0), h, now), true
	case err == nil && n < 1e14:
		return until(time.UnixMilli(int64(n)), h, now), true
	case err == nil:
		return 0, false
	}
	at, err := http.ParseTime(s)
	if err != nil {
		at, err = time.Parse(time.RFC3339, s)
	}
	if err != nil {
		return 0, false
	}
	return until(at, h, now), true
}

func until(at time.Time, h http.Header, now time.Time) time.Duration {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return min(max(at.Sub(now), 0), mostWait)
}

// Tells reads what an answer says of the system's quotas, sorted by their names:
// X-RateLimit-* in its dialects (with or without hyphens, with a prefix of one's
// own, one set for each window, a reset in seconds, as a unix time or as a date),
// the drafts of RateLimit and RateLimit-Policy, and used/size of a leaky bucket. A
// quota of which neither what remains nor its size is said is left out.
func Tells(h http.Header, now time.Time) []Told {
	var r reader
	for key, values := range h {
		if len(values) == 0 || len(key) < len("Ratelimit") {
			continue
		}
		if name, rest, ok := family(key); ok {
			r.read(name, rest, values, h, now)
		}
	}
	if len(r.told) == 0 {
		return nil
	}
	out := r.told
	for i := range out {
		p := policy(r.policies, out[i].Name)
		if out[i].Limit < 0 {
			out[i].Limit = p.Limit
		}
		out[i].Per = cmp.Or(out[i].Per, p.Per)
	}
	out = slices.DeleteFunc(out, func(t Told) bool { return t.Remaining < 0 && t.Limit <= 0 })
	slices.SortFunc(out, func(a, b Told) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// policy is the declared size of a quota: the one of that name, or the only one.
func policy(all []Told, name string) Told {
	for _, p := range all {
		if p.Name == name {
			return p
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return Told{Limit: -1}
}

// family splits the name of a header into the words that name a family and the rest.
func family(key string) (name, rest string, ok bool) {
	low := strings.ToLower(key)
	for _, mark := range []string{"ratelimit", "rate-limit", "aircallapi", "call-limit"} {
		if before, after, found := strings.Cut(low, mark); found {
			return before + mark, strings.TrimPrefix(after, "-"), true
		}
	}
	return "", "", false
}

// reader gathers what the headers of one answer say.
type reader struct{ told, policies []Told }

func (r *reader) at(name string) *Told {
	for i := range r.told {
		if r.told[i].Name == name {
			return &r.told[i]
		}
	}
	r.told = append(r.told, Told{Name: name, Limit: -1, Remaining: -1, Reset: -1})
	return &r.told[len(r.told)-1]
}

func (r *reader) read(name, rest string, values []string, h http.Header, now time.Time) {
	switch {
	case strings.HasSuffix(name, "call-limit"):
		r.bucket(name, values[0])
		return
	case rest == "policy":
		for _, item := range items(values) {
			r.policies = append(r.policies, structured(name, item))
		}
		return
	case rest == "":
		r.structured(name, values)
		return
	}
	field, window, per := words(rest)
	if field == "" {
		return
	}
	t := r.at(name + window)
	if per > 0 {
		t.Per = per
	}
	value := strings.TrimSpace(values[0])
	switch field {
	case "limit":
		first, params, _ := strings.Cut(value, ",") // "100, 100;w=60" has the policy in it
		t.Limit = whole(strings.TrimSpace(first))
		if s := structured("", params); s.Per > 0 {
			t.Per = s.Per
		}
	case "remaining":
		t.Remaining = whole(value)
	case "interval":
		if n := whole(value); n > 0 {
			t.Per = lasting(float64(n), time.Millisecond)
		}
	case "reset":
		if d, ok := resets(value, h, now); ok {
			t.Reset = d
		}
	}
}

// words reads what a header of a family is about.
func words(rest string) (field, window string, per time.Duration) {
	for word := range strings.SplitSeq(rest, "-") {
		switch word {
		case "limit", "max":
			field = "limit"
		case "remaining", "reset", "interval":
			field = word
		case "after", "milliseconds", "requests":
		case "second", "secondly":
			window, per = "-second", time.Second
		case "minute":
			window, per = "-minute", time.Minute
		case "hour", "hourly":
			window, per = "-hour", time.Hour
		case "day", "daily":
			window, per = "-day", 24*time.Hour
		default: // tokens, a resource's name: not a quota of requests
			return "", "", 0
		}
	}
	if field == "" && window != "" { // X-HubSpot-RateLimit-Daily is the limit itself
		field = "limit"
	}
	return field, window, per
}

// structured reads the newer drafts: `"default";r=50;t=30`, or one answer's
// `limit=100, remaining=50, reset=30`.
func (r *reader) structured(name string, values []string) {
	if !strings.Contains(strings.Join(values, ","), ";") {
		t := r.at(name)
		for _, item := range items(values) {
			t.merge(structured(name, item))
		}
		return
	}
	for _, item := range items(values) {
		s := structured(name, item)
		r.at(s.Name).merge(s)
	}
}

func (t *Told) merge(s Told) {
	if s.Limit >= 0 {
		t.Limit = s.Limit
	}
	if s.Remaining >= 0 {
		t.Remaining = s.Remaining
	}
	if s.Reset >= 0 {
		t.Reset = s.Reset
	}
	t.Per = cmp.Or(s.Per, t.Per)
}

// items are the members of a list.
func items(values []string) []string {
	return strings.Split(strings.Join(values, ","), ",")
}

// structured reads one member: a name or a number, and parameters.
func structured(name, item string) Told {
	t := Told{Name: name, Limit: -1, Remaining: -1, Reset: -1}
	for i, part := range strings.Split(item, ";") {
		key, value, pair := strings.Cut(strings.TrimSpace(part), "=")
		n := whole(value)
		switch {
		case !pair && i == 0 && whole(key) >= 0:
			t.Limit = whole(key)
		case !pair && i == 0 && key != "":
			t.Name = name + " " + strings.Trim(key, `"`)
		case key == "q" || key == "limit":
			t.Limit = n
		case key == "r" || key == "remaining":
			t.Remaining = n
		case (key == "t" || key == "reset") && n >= 0:
			t.Reset = lasting(float64(n), time.Second)
		case key == "w" && n > 0:
			t.Per = lasting(float64(n), time.Second)
		}
	}
	return t
}

// bucket reads used/size of a bucket that leaks away within twenty seconds, as
// Shopify's does at any size.
func (r *reader) bucket(name, value string) {
	const leaks = 20 * time.Second
	used, size, ok := strings.Cut(value, "/")
	u, s := whole(strings.TrimSpace(used)), whole(strings.TrimSpace(size))
	if !ok || u < 0 || s <= 0 {
		return
	}
	t := r.at(name)
	full := float64(min(u, s)) / float64(s)
	t.Limit, t.Remaining, t.Reset = s, max(s-u, 0), time.Duration(full*float64(leaks))
}

// whole is a number of requests, or -1.
func whole(s string) int {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n >= 0) || n > 1e12 {
		return -1
	}
	return int(n)
}
