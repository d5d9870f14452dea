package simulator

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"
)

// spent counts the requests of a key in the current window of each quota.
type spent struct {
	began time.Time
	n     int
}

// allowance is what is left of the quota that has least left.
type allowance struct {
	quota Quota
	left  int           // of it, this request taken off; below zero: it is one too many
	reset time.Duration // until its window ends
}

// spend takes a request off the quotas of a key; ok is false where there are none.
func (s *Sim) spend(key string) (least allowance, ok bool) {
	now := s.now()
	for i, q := range s.api.traits.Quotas {
		name := key + "\x00" + strconv.Itoa(i)
		w := s.windows[name]
		if began := now.Truncate(q.Per); !w.began.Equal(began) {
			w = spent{began: began}
		}
		w.n++
		s.windows[name] = w
		a := allowance{q, q.Requests - w.n, w.began.Add(q.Per).Sub(now)}
		if !ok || a.left < 0 && (least.left >= 0 || a.reset > least.reset) || least.left >= 0 && a.left < least.left {
			least, ok = a, true
		}
	}
	return least, ok
}

// tell adds to an answer what the API says of its limits.
func (t Traits) tell(h map[string]string, a allowance, now time.Time) {
	limit, left := strconv.Itoa(a.quota.Requests), strconv.Itoa(max(a.left, 0))
	seconds := seconds(a.reset)
	at := now.Add(a.reset + time.Second - time.Nanosecond).Truncate(time.Second)
	reset := seconds
	switch t.Rate {
	case RateNone:
		return
	case RateInterval:
		h["X-RateLimit-Max"], h["X-RateLimit-Remaining"] = limit, left
		h["X-RateLimit-Interval-Milliseconds"] = strconv.FormatInt(a.quota.Per.Milliseconds(), 10)
		return
	case RateDraft6:
		h["RateLimit-Limit"], h["RateLimit-Remaining"], h["RateLimit-Reset"] = limit, left, seconds
		return
	case RateDraft11:
		h["RateLimit"] = fmt.Sprintf(`"default";r=%s;t=%s`, left, seconds)
		h["RateLimit-Policy"] = fmt.Sprintf(`"default";q=%s;w=%d`, limit, int(a.quota.Per.Seconds()))
		return
	case RateDraft7:
		h["RateLimit"] = fmt.Sprintf("limit=%s, remaining=%s, reset=%s", limit, left, seconds)
		return
	case RateNamed:
		window := cmp.Or(map[time.Duration]string{time.Second: "Second", time.Hour: "Hour", 24 * time.Hour: "Day"}[a.quota.Per], "Minute")
		h["X-RateLimit-Limit-"+window], h["X-RateLimit-Remaining-"+window] = limit, left
		return
	case RateVendor:
		h["X-AircallApi-Limit"], h["X-AircallApi-Remaining"] = limit, left
		h["X-AircallApi-Reset"] = strconv.FormatInt(at.Unix(), 10)
		return
	case RateEpoch:
		reset = strconv.FormatInt(at.Unix(), 10)
	case RateEpochMS:
		reset = strconv.FormatInt(at.UnixMilli(), 10)
	case RateDate:
		reset = at.UTC().Format(http.TimeFormat)
	case RateDelta:
	}
	h["X-RateLimit-Limit"], h["X-RateLimit-Remaining"], h["X-RateLimit-Reset"] = limit, left, reset
}

// tooMany is the answer to a request that is one too many.
func (s *Sim) tooMany(form RetryForm, a allowance) answer {
	t := s.api.traits
	status := t.Throttled
	if status == 0 {
		status = http.StatusTooManyRequests
	}
	ans := s.refuse(problem{status, "rate_limited", "rate limit exceeded"})
	if form == RetryNone {
		form = t.Retry
	}
	now := s.now()
	if v := form.text(a.reset, now); v != "" {
		ans.header["Retry-After"] = v
	}
	t.tell(ans.header, a, now)
	return ans
}

// text is the value of Retry-After, "" for none.
func (f RetryForm) text(wait time.Duration, now time.Time) string {
	switch f {
	case RetrySeconds:
		return seconds(wait)
	case RetryDate:
		return now.Add(wait + time.Second - time.Nanosecond).UTC().Truncate(time.Second).Format(http.TimeFormat)
	case RetryNone:
	}
	return ""
}

// seconds is a length in whole seconds, rounded up.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }
