package subscribe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

const mark = "np:0000cafe/platform"

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// platform is a system's list of subscriptions.
type platform struct {
	means  connectors.SubscriptionMeans
	list   map[string]connectors.Subscription
	secret map[string]string
	made   int
	// fails is asked before each request, and after it was done.
	fails func(what string, done bool) error
	// shows is how the list spells an entry.
	shows func(connectors.Subscription) connectors.Subscription
	// once refuses a second entry with the same address.
	once bool
}

func newPlatform() *platform {
	return &platform{
		means: connectors.SubscriptionMeans{Note: true, Shows: true, Change: true},
		list:  map[string]connectors.Subscription{}, secret: map[string]string{},
	}
}

func (p *platform) failing(what string, done bool) error {
	if p.fails == nil {
		return nil
	}
	return p.fails(what, done)
}

func (p *platform) Means() connectors.SubscriptionMeans { return p.means }

func (p *platform) List(context.Context) ([]connectors.Subscription, error) {
	if err := p.failing("list", false); err != nil {
		return nil, err
	}
	var out []connectors.Subscription
	for _, id := range slices.Sorted(maps.Keys(p.list)) {
		s := p.list[id]
		if p.shows != nil {
			s = p.shows(s)
		}
		out = append(out, s)
	}
	return out, nil
}

func (p *platform) Create(_ context.Context, s connectors.Subscription) (connectors.Subscription, error) {
	if err := p.failing("create", false); err != nil {
		return connectors.Subscription{}, err
	}
	for _, other := range p.list {
		if p.once && other.URL == s.URL {
			return connectors.Subscription{}, connectors.Wrong(connectors.Exists, "create", "HTTP 409")
		}
	}
	p.made++
	s.ID = fmt.Sprintf("we_%d", p.made)
	switch {
	case p.means.Takes:
		p.secret[s.ID], s.Secret = s.Secret, ""
	case p.means.Shows:
		p.secret[s.ID] = fmt.Sprintf("secret %d", p.made)
	}
	p.list[s.ID] = s
	if err := p.failing("create", true); err != nil {
		return connectors.Subscription{}, err
	}
	if p.means.Shows {
		s.Secret = p.secret[s.ID]
	}
	return s, nil
}

func (p *platform) Change(_ context.Context, s connectors.Subscription) error {
	if err := p.failing("change", false); err != nil {
		return err
	}
	if !p.means.Change {
		return connectors.Wrong(connectors.Unsupported, "change", "HTTP 405")
	}
	s.Off, s.Secret = false, ""
	p.list[s.ID] = s
	return p.failing("change", true)
}

func (p *platform) Remove(_ context.Context, id string) error {
	if err := p.failing("remove", false); err != nil {
		return err
	}
	delete(p.list, id)
	return p.failing("remove", true)
}

// edit changes an entry behind our back.
func (p *platform) edit(id string, change func(*connectors.Subscription)) {
	s := p.list[id]
	change(&s)
	p.list[id] = s
}

// shelf keeps what is known in memory.
type shelf struct {
	kept  map[record.System]record.Subscription
	fails func() error
}

func (s *shelf) Subscriptions(context.Context) (map[record.System]record.Subscription, error) {
	return maps.Clone(s.kept), nil
}

func (s *shelf) KeepSubscription(_ context.Context, sub record.Subscription) error {
	if s.fails != nil {
		if err := s.fails(); err != nil {
			return err
		}
	}
	sub.Secrets = slices.Clone(sub.Secrets)
	s.kept[sub.System] = sub
	return nil
}

func (s *shelf) ForgetSubscription(_ context.Context, system record.System) error {
	delete(s.kept, system)
	return nil
}

// house is a Keeper with all around it.
type house struct {
	*Keeper
	t        *testing.T
	platform *platform
	shelf    *shelf
	now      time.Time
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, platform: newPlatform(), shelf: &shelf{kept: map[record.System]record.Subscription{}}, now: noon}
	h.Keeper = &Keeper{
		System: "platform", API: h.platform, Mark: mark, Store: h.shelf, Ring: &Ring{}, Log: slog.New(slog.DiscardHandler),
		Want: &Want{URL: "https://h.example.com/hooks/platform", Events: []string{"contact.created", "event.created"}, Mark: mark, Rotate: 90 * 24 * time.Hour, Overlap: 24 * time.Hour},
		Now:  func() time.Time { return h.now },
	}
	return h
}

// check checks, and fails the test if that can't be done.
func (h *house) check() Result {
	h.t.Helper()
	res, err := h.Check(h.t.Context())
	if err != nil {
		h.t.Fatalf("check: %v", err)
	}
	return res
}

// heard says that what the system may not have told was asked for.
func (h *house) heard(res Result) {
	h.t.Helper()
	if err := h.Heard(h.t.Context(), res); err != nil {
		h.t.Fatalf("heard: %v", err)
	}
}

// one fails the test unless just one of ours is there, on and as declared, of which the
// secret is known; it gives it.
func (h *house) one() connectors.Subscription {
	h.t.Helper()
	var mine []connectors.Subscription
	for _, s := range h.platform.list {
		if ours(s, mark) {
			mine = append(mine, s)
		}
	}
	if len(mine) != 1 {
		h.t.Fatalf("%d of ours are there, want 1: %v", len(mine), mine)
	}
	if wrong := differs(*h.Want, mine[0]); wrong != "" {
		h.t.Errorf("%s", wrong)
	}
	if !h.knows(mine[0].ID) {
		h.t.Errorf("its secret is not known")
	}
	return mine[0]
}

// knows reports whether what is signed by a subscription is believed.
func (h *house) knows(id string) bool {
	secrets, coming := h.Ring.Secrets("platform", h.now)
	return coming == nil && slices.Contains(secrets, h.platform.secret[id])
}

// errKilled ends a process.
var errKilled = errors.New("killed")
