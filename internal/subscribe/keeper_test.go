package subscribe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors"
	"nightporter/sync/record"
)

func TestWhatSomebodyDid(t *testing.T) {
	for name, c := range map[string]struct {
		means func(*connectors.SubscriptionMeans)
		did   func(p *platform, id string)
		done  map[string]int
		same  bool // the one that was there stays
		why   string
	}{
		"nothing":     {did: func(*platform, string) {}, done: map[string]int{}, same: true},
		"deleted it":  {did: func(p *platform, id string) { delete(p.list, id) }, done: map[string]int{"created": 1}, why: "somebody deleted it"},
		"disabled it": {did: func(p *platform, id string) { p.edit(id, func(s *connectors.Subscription) { s.Off = true }) }, done: map[string]int{"changed": 1}, same: true, why: "it was disabled"},
		"changed its address": {did: func(p *platform, id string) {
			p.edit(id, func(s *connectors.Subscription) { s.URL = "https://other.example.com" })
		}, done: map[string]int{"changed": 1}, same: true, why: "its address is another one"},
		"took an event out": {did: func(p *platform, id string) { p.edit(id, func(s *connectors.Subscription) { s.Events = s.Events[:1] }) }, done: map[string]int{"changed": 1}, same: true, why: "its events are contact.created"},
		"put them in order": {did: func(p *platform, id string) {
			p.edit(id, func(s *connectors.Subscription) { s.Events = []string{"event.created", "contact.created"} })
		}, done: map[string]int{}, same: true},
		"shows no events":      {did: func(p *platform, id string) { p.edit(id, func(s *connectors.Subscription) { s.Events = nil }) }, done: map[string]int{}, same: true},
		"took our mark off":    {did: func(p *platform, id string) { p.edit(id, func(s *connectors.Subscription) { s.Note = "mine now" }) }, done: map[string]int{"created": 1}, why: "somebody took our mark off it: it is left to them"},
		"no change, disabled":  {means: func(m *connectors.SubscriptionMeans) { m.Change = false }, did: func(p *platform, id string) { p.edit(id, func(s *connectors.Subscription) { s.Off = true }) }, done: map[string]int{"created": 1, "removed": 1}, why: "it was disabled"},
		"made another of ours": {did: func(p *platform, id string) { s := p.list[id]; s.ID = "we_x"; p.list["we_x"] = s }, done: map[string]int{"removed": 1}, same: true},
		"made one like ours":   {did: func(p *platform, id string) { s := p.list[id]; s.ID, s.Note = "we_x", ""; p.list["we_x"] = s }, done: map[string]int{}, same: true},
		"made one of a brother": {did: func(p *platform, id string) {
			s := p.list[id]
			s.ID, s.Note = "we_x", note(mark+"2")
			p.list["we_x"] = s
		}, done: map[string]int{}, same: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			if c.means != nil {
				c.means(&h.platform.means)
			}
			h.heard(h.check())
			id := h.one().ID
			c.did(h.platform, id)
			strangers := strangersOf(h.platform)
			h.now = h.now.Add(time.Hour)
			res := h.check()
			if diff := cmp.Diff(c.done, res.Done); diff != "" || res.State != record.Subscribed {
				t.Errorf("state %s (%s), done: %s", res.State, res.Why, diff)
			}
			if res.MendedOf != c.why || res.Repaired != map[bool]int64{true: 1}[c.why != ""] {
				t.Errorf("repaired %d times, of %q, want %q", res.Repaired, res.MendedOf, c.why)
			}
			if res.Unheard != (c.why != "") {
				t.Errorf("unheard: %t", res.Unheard)
			}
			if now := h.one().ID; (now == id) != c.same {
				t.Errorf("%s is there, and was %s", now, id)
			}
			if diff := cmp.Diff(strangers, strangersOf(h.platform)); diff != "" {
				t.Errorf("what is not ours was touched: %s", diff)
			}
			if again := h.check(); len(again.Done) > 0 || again.Unheard != res.Unheard {
				t.Errorf("looked at again: %v, unheard %t; want nothing done, and %t until it was asked for", again.Done, again.Unheard, res.Unheard)
			}
			h.heard(res)
			if h.check().Unheard {
				t.Error("unheard, after it was asked for")
			}
		})
	}
}

// strangersOf is what carries no mark of ours.
func strangersOf(p *platform) map[string]connectors.Subscription {
	out := map[string]connectors.Subscription{}
	for id, s := range p.list {
		if !ours(s, mark) {
			out[id] = s
		}
	}
	return out
}

// While a secret is changed both count, and the old one no longer than it is said.
func TestRotation(t *testing.T) {
	h := newHouse(t)
	h.heard(h.check())
	first := h.one().ID
	h.now = h.now.Add(90*24*time.Hour - time.Second)
	if res := h.check(); res.Rotated != 0 {
		t.Fatal("rotated before its time")
	}
	h.now = h.now.Add(time.Second)
	res := h.check()
	if res.Rotated != 1 || res.Repaired != 0 || res.Unheard {
		t.Errorf("rotated %d times, repaired %d, unheard %t; want 1, 0 and not", res.Rotated, res.Repaired, res.Unheard)
	}
	second := h.one().ID
	if second == first {
		t.Fatal("it is the same one")
	}
	h.now = h.now.Add(24*time.Hour - time.Second)
	if !h.knows(first) || !h.knows(second) {
		t.Error("within the overlap both secrets must count")
	}
	h.now = h.now.Add(time.Second)
	if h.knows(first) || !h.knows(second) {
		t.Error("after the overlap the new one alone must count")
	}
	h.check()
	if n := len(h.shelf.kept["platform"].Secrets); n != 1 {
		t.Errorf("%d secrets are kept, want 1", n)
	}
}

// A system that takes no two with the same address has the old one removed first.
func TestRotationWhereAnAddressIsTakenOnce(t *testing.T) {
	h := newHouse(t)
	h.platform.once = true
	h.heard(h.check())
	h.now = h.now.Add(91 * 24 * time.Hour)
	if res := h.check(); res.Rotated != 1 || !res.Unheard {
		t.Errorf("rotated %d times, unheard %t: for a moment nobody was told, and what happened then must be read", res.Rotated, res.Unheard)
	}
	h.one()
}

// What a system always shows in its own way is told it once, and then left alone for a
// while; what somebody does again is mended at once.
func TestShownOtherwise(t *testing.T) {
	h := newHouse(t)
	h.platform.shows = func(s connectors.Subscription) connectors.Subscription {
		s.URL = strings.ToUpper(s.URL)
		return s
	}
	if res := h.check(); res.State != record.Differs || res.Done["created"] != 1 {
		t.Fatalf("state %s, done %v", res.State, res.Done)
	}
	for range 5 {
		h.now = h.now.Add(time.Hour)
		if res := h.check(); len(res.Done) > 0 || res.State != record.Differs {
			t.Errorf("state %s, done %v, want it left alone", res.State, res.Done)
		}
	}
	h.now = h.now.Add(2 * time.Hour)
	if res := h.check(); res.Done["changed"] != 1 {
		t.Errorf("after hours: done %v, want one more try", res.Done)
	}
	h.platform.shows = nil
	h.check()
	for range 3 {
		h.platform.edit(h.one().ID, func(s *connectors.Subscription) { s.Off = true })
		h.now = h.now.Add(time.Minute)
		if res := h.check(); res.Done["changed"] != 1 {
			t.Errorf("disabled again: done %v, want it turned on", res.Done)
		}
	}
}

func TestWhatIsNotOffered(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want record.SubscriptionState
	}{
		"404":           {&connectors.Error{Class: connectors.Malformed, Status: 404}, record.NotOffered},
		"405":           {&connectors.Error{Class: connectors.Unsupported, Status: 405}, record.NotOffered},
		"403":           {&connectors.Error{Class: connectors.Forbidden, Status: 403}, record.NotOffered},
		"a web page":    {&connectors.Error{Class: connectors.Malformed, Status: 200}, record.Unsure},
		"503":           {&connectors.Error{Class: connectors.Transient, Status: 503}, record.Unsure},
		"its key is no": {&connectors.Error{Class: connectors.Unauthorized, Status: 401}, record.Unsure},
	} {
		for _, what := range []string{"list", "create"} {
			t.Run(name+" to "+what, func(t *testing.T) {
				h := newHouse(t)
				h.platform.fails = func(asked string, done bool) error {
					if asked == what && !done {
						return c.err
					}
					return nil
				}
				res, err := h.Check(t.Context())
				if !errors.Is(err, c.err) || res.State != c.want {
					t.Errorf("got %s (%v), want %s", res.State, err, c.want)
				}
				h.platform.fails = nil
				h.check()
				h.one()
			})
		}
	}
}

// A process that ends in between says nothing of how the subscription stands.
func TestEndedInBetween(t *testing.T) {
	h := newHouse(t)
	h.check()
	ctx, cancel := context.WithCancel(t.Context())
	h.platform.fails = func(string, bool) error {
		cancel()
		return connectors.Wrong(connectors.Transient, "list", "stopped: %w", context.Canceled)
	}
	if res, err := h.Check(ctx); err == nil || res.State != record.Subscribed || res.Why != "" {
		t.Errorf("got %s (%s), %v, want it to stand as before", res.State, res.Why, err)
	}
}

// Whatever request a process ends before or after, and whether what it knows was kept
// or not: the next one leaves one of ours, whose secret it knows, and all of others. It
// knows whether the system may have told nothing, whoever mended that.
func TestKilledAtEachStep(t *testing.T) {
	for _, means := range []connectors.SubscriptionMeans{
		{Note: true, Shows: true, Change: true}, {Note: true, Shows: true}, {Shows: true}, {Note: true, Takes: true},
	} {
		for _, begin := range []string{"there was none", "deleted", "disabled", "rotation", "rotation in its place"} {
			for at := 1; ; at++ {
				name := fmt.Sprintf("%+v, %s, step %d", means, begin, at)
				if !killedAt(t, name, means, begin, at) {
					break
				}
				if at > 20 {
					t.Fatalf("%s: there are too many steps", name)
				}
			}
		}
	}
}

// killedAt kills the check at its step, and reports whether there was one.
func killedAt(t *testing.T, name string, means connectors.SubscriptionMeans, begin string, at int) bool {
	t.Helper()
	h := newHouse(t)
	h.platform.means = means
	if !means.Note {
		h.Want.URL = Marked(h.Want.URL, mark)
	}
	other := connectors.Subscription{ID: "we_other", URL: "https://h.example.com/hooks/platform", Note: "somebody else's"}
	if h.platform.once = begin == "rotation in its place"; h.platform.once {
		other.URL += "/other"
	}
	h.platform.list[other.ID] = other
	if begin != "there was none" {
		h.heard(h.check())
		id := h.one().ID
		switch begin {
		case "deleted":
			delete(h.platform.list, id)
		case "disabled":
			h.platform.edit(id, func(s *connectors.Subscription) { s.Off = true })
		case "rotation", "rotation in its place":
			h.now = h.now.Add(100 * 24 * time.Hour)
		}
	}
	steps := 0
	step := func() error {
		if steps++; steps == at {
			return errKilled
		}
		if steps > at { // it is dead
			return errKilled
		}
		return nil
	}
	h.platform.fails = func(what string, _ bool) error {
		if what == "list" {
			return nil
		}
		return step()
	}
	h.shelf.fails = step
	_, err := h.Check(context.Background())
	h.platform.fails, h.shelf.fails = nil, nil
	h.Ring = &Ring{} // of the next process
	for _, sub := range h.shelf.kept {
		h.Ring.Put(sub.System, sub.Secrets)
	}
	h.now = h.now.Add(time.Minute)
	res, next := h.Check(context.Background())
	if next != nil {
		t.Fatalf("%s: the next check: %v", name, next)
	}
	if res.Unheard != (begin != "rotation") {
		t.Errorf("%s: the next check: unheard %t", name, res.Unheard)
	}
	h.one()
	if _, ok := h.platform.list["we_other"]; !ok {
		t.Errorf("%s: another's is gone", name)
	}
	if t.Failed() {
		t.Fatalf("this was %s", name)
	}
	return err != nil
}

// What is declared no more is taken away, and its secrets are forgotten.
func TestDeclaredNoMore(t *testing.T) {
	h := newHouse(t)
	h.platform.list["we_other"] = connectors.Subscription{ID: "we_other", URL: h.Want.URL}
	h.check()
	h.Want = nil
	h.check()
	if len(h.platform.list) != 1 || len(h.shelf.kept) != 0 {
		t.Errorf("%v and %v are left, want another's alone and nothing kept", h.platform.list, h.shelf.kept)
	}
	if secrets, _ := h.Ring.Secrets("platform", h.now); len(secrets) != 0 {
		t.Error("its secret counts still")
	}
}

// One of which the id is kept and no secret, as of a preset that knew of none, can't be
// verified either.
func TestSecretThatIsNotKnown(t *testing.T) {
	h := newHouse(t)
	h.check()
	kept := h.shelf.kept["platform"]
	kept.Secrets = nil
	h.shelf.kept["platform"] = kept
	if res := h.check(); res.MendedOf != "its secret is not known any more" || res.Done["created"] != 1 || res.Done["removed"] != 1 {
		t.Errorf("mended of %q, done %v", res.MendedOf, res.Done)
	}
	h.one()
}

// One whose secret the answer doesn't show can't be verified, and does not stay.
func TestNoSecretShown(t *testing.T) {
	h := newHouse(t)
	h.API = forgetful{h.platform}
	res, err := h.Check(t.Context())
	if err == nil || res.State != record.Unsure || len(h.platform.list) != 0 {
		t.Errorf("got %s (%v) and %v, want an error and nothing left", res.State, err, h.platform.list)
	}
}

type forgetful struct{ *platform }

func (f forgetful) Create(ctx context.Context, s connectors.Subscription) (connectors.Subscription, error) {
	s, err := f.platform.Create(ctx, s)
	s.Secret = ""
	return s, err
}

// While a create is on its way receivers are told that a secret is coming, until it is
// kept.
func TestComing(t *testing.T) {
	h := newHouse(t)
	var coming <-chan struct{}
	h.platform.fails = func(what string, done bool) error {
		if what == "create" && done {
			_, coming = h.Ring.Secrets("platform", h.now)
		}
		return nil
	}
	kept := 0
	h.shelf.fails = func() error {
		if kept++; kept > 1 {
			return nil
		}
		select {
		case <-coming:
			return errors.New("it is said to have come before it is kept")
		default:
			return nil
		}
	}
	h.check()
	select {
	case <-coming:
	default:
		t.Error("nobody is told that it has come")
	}
	h.one()
}

// No secret is in what is printed, logged or kept as text by accident.
func TestSecretsAreNotPrinted(t *testing.T) {
	h := newHouse(t)
	res := h.check()
	text := fmt.Sprintf("%v %+v %#v", res, res, res)
	if strings.Contains(text, "secret 1") {
		t.Errorf("the secret is in %s", text)
	}
}
