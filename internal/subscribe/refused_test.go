package subscribe

import (
	"context"
	"strings"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// A secret of ours that a system was never seen to take takes the place of none: for as
// long as no new subscription can be made the old one signs by its own.
func TestRotationThatFails(t *testing.T) {
	h := newHouse(t)
	h.platform.means.Shows, h.platform.means.Takes = false, true
	h.check()
	first := h.one().ID
	h.now = h.now.Add(91 * 24 * time.Hour)
	h.platform.fails = func(asked string, _ bool) error {
		if asked == "create" {
			return connectors.Wrong(connectors.Ambiguous, "create", "HTTP 500")
		}
		return nil
	}
	for range 30 {
		if _, err := h.Check(t.Context()); err == nil {
			t.Fatal("it was made")
		}
		if h.now = h.now.Add(time.Hour); !h.knows(first) {
			t.Fatalf("after %s what it sends is not believed any more", h.now.Sub(noon))
		}
	}
	if n := len(h.shelf.kept["platform"].Secrets); n > 30 {
		t.Errorf("%d secrets are kept", n)
	}
	h.platform.fails = nil
	if res := h.check(); res.Rotated != 1 || h.one().ID == first {
		t.Errorf("rotated %d times", res.Rotated)
	}
	if h.now = h.now.Add(24 * time.Hour); h.knows(first) {
		t.Error("after the overlap the new one alone must count")
	}
}

// A list that never shows our mark can't be kept: it would get one more at each look.
func TestMarkThatIsNeverShown(t *testing.T) {
	for name, late := range map[string]bool{"": false, "in a list that lags": true} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.platform.shows = func(s connectors.Subscription) connectors.Subscription {
				s.Note = ""
				return s
			}
			lagging := listed{platform: h.platform}
			if late {
				h.API = &lagging
			}
			for range 10 {
				res, err := h.Check(t.Context())
				if !late && (res.State != record.NotOffered || !strings.Contains(res.Why, "webhooks.subscriptions.note")) {
					t.Errorf("got %s, %q (%v), want what to change", res.State, res.Why, err)
				}
				if len(h.platform.list) > 1 {
					t.Fatalf("%d are there", len(h.platform.list))
				}
				h.now = h.now.Add(time.Hour)
			}
		})
	}
}

// listed is a platform whose list shows what is there one look late.
type listed struct {
	*platform
	last []connectors.Subscription
}

func (l *listed) List(ctx context.Context) ([]connectors.Subscription, error) {
	now, err := l.platform.List(ctx)
	shown := l.last
	l.last = now
	return shown, err
}

// What is refused mends nothing, and nothing is read for it. What nobody answered may be
// carried out after it was read: that is read once more when it is known.
func TestUnheardOfAMendThatFails(t *testing.T) {
	for name, c := range map[string]struct {
		class       connectors.ErrorClass
		asked       bool // what nobody told before was asked for
		then, later bool
	}{
		"refused":                   {connectors.Rejected, true, false, false},
		"refused, and there is old": {connectors.Rejected, false, true, false},
		"not answered":              {connectors.Ambiguous, true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			if res := h.check(); c.asked {
				h.heard(res)
			}
			id := h.one().ID
			h.platform.edit(id, func(s *connectors.Subscription) { s.Off = true })
			h.platform.fails = func(asked string, _ bool) error {
				if asked == "change" {
					return connectors.Wrong(c.class, "change", "it says no, or nothing")
				}
				return nil
			}
			res, err := h.Check(t.Context())
			if err == nil || res.Unheard != c.then {
				t.Errorf("unheard %t (%v), want %t", res.Unheard, err, c.then)
			}
			h.heard(res)
			h.platform.fails = nil
			h.platform.edit(id, func(s *connectors.Subscription) { s.Off = false }) // late, or by somebody
			if res = h.check(); len(res.Done) > 0 || res.Unheard != c.later {
				t.Errorf("found right: done %v, unheard %t, want %t", res.Done, res.Unheard, c.later)
			}
			h.heard(res)
			if h.check().Unheard {
				t.Error("unheard, after it was asked for")
			}
		})
	}
}
