package outbox

import (
	"net/http"
	"testing"
	"time"
)

// The delays are those that Standard Webhooks proposes, each up to a tenth longer, and
// their sum is how long a destination is waited for.
func TestSchedule(t *testing.T) {
	for _, draw := range []float64{0, 0.999} {
		s := &Schedule{Rand: func() float64 { return draw }}
		sum := time.Duration(0)
		for i, want := range append(delays, 24*time.Hour, 24*time.Hour) {
			d := s.NextBackOff()
			if most := time.Duration(float64(want) * (1 + jitter)); d < want || d > most {
				t.Errorf("after %d failed tries: %s, want %s to %s", i+1, d, want, most)
			}
			if i < len(delays) {
				sum += d
			}
		}
		if draw == 0 && sum != patience {
			t.Errorf("the delays come to %s, patience is %s", sum, patience)
		}
		if s.Reset(); s.NextBackOff() > 6*time.Second {
			t.Error("it does not begin anew")
		}
	}
	// What the receiver asks for holds once, and never shortens a delay.
	s := &Schedule{Asked: time.Minute}
	if d := s.NextBackOff(); d != time.Minute {
		t.Errorf("asked for a minute: %s", d)
	}
	s.Asked = time.Minute
	if d := s.NextBackOff(); d < 5*time.Minute {
		t.Errorf("asked for a minute where five are due: %s", d)
	}
	if d := (&Schedule{Asked: 1000 * time.Hour}).NextBackOff(); d != longest {
		t.Errorf("asked for six weeks: %s, want %s", d, longest)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "120": 2 * time.Minute, " 1 ": time.Second, "-5": 0, "soon": 0, "99999999999999999999": 0,
		"Sat, 21 Nov 2026 09:31:00 GMT": time.Minute, "Sat, 21 Nov 2026 09:00:00 GMT": 0,
	} {
		if got := asked(http.Header{"Retry-After": {text}}, now); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A clock that was set back keeps nobody waiting for years.
func TestRemaining(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	for _, tt := range []struct {
		next time.Time
		want time.Duration
	}{{time.Time{}, 0}, {now.Add(-time.Hour), 0}, {now.Add(time.Hour), time.Hour}, {now.Add(26 * time.Hour), 26 * time.Hour}, {now.AddDate(5, 0, 0), 0}} {
		if got := remaining(tt.next, now); got != tt.want {
			t.Errorf("next %s: %s, want %s", tt.next, got, tt.want)
		}
	}
}

// An event is given up once it waited long and its destination was tried often, never
// for one of them alone.
func TestOverdue(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	for _, tt := range []struct {
		fails int
		waits time.Duration
		want  bool
	}{{len(delays), patience, true}, {len(delays) + 5, 2 * patience, true}, {len(delays) - 1, patience, false}, {0, 10 * patience, false}, {len(delays), patience - time.Second, false}, {len(delays), -time.Hour, false}} {
		if got := overdue(tt.fails, now.Add(-tt.waits), now); got != tt.want {
			t.Errorf("after %d failed tries before this one, and %s: %t, want %t", tt.fails, tt.waits, got, tt.want)
		}
	}
}
