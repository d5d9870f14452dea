package simulator

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Subscription is somebody whom the platform tells what changes, as its API for
// webhooks has it: GET and POST /webhooks, GET, PATCH and DELETE /webhooks/{id}.
type Subscription struct {
	ID          string   `json:"id"`
	URL         string   `json:"webhook_url"`
	Events      []string `json:"events"`
	Description string   `json:"description"`
	Active      bool     `json:"active"`
	// Secret is shown by the answer to POST alone.
	Secret string `json:"secret,omitempty"`
}

// hookSegment is the path of subscriptions.
const hookSegment = "webhooks"

// Subscriptions is all of them with their secrets, in the order in which they were made.
func (s *Sim) Subscriptions() []Subscription {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []Subscription{}
	for _, sub := range s.subs {
		sub.Events = slices.Clone(sub.Events)
		out = append(out, sub)
	}
	return out
}

// Subscribe adds a subscription as if somebody had made it at the platform, and gives
// its id.
func (s *Sim) Subscribe(sub Subscription) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.subscribe(sub).ID
}

// EditSubscription changes one behind the back of its owner, and tells whether it is
// there. One whose id change empties is deleted.
func (s *Sim) EditSubscription(id string, change func(*Subscription)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.subscribed(id)
	if i < 0 {
		return false
	}
	if change(&s.subs[i]); s.subs[i].ID == "" {
		s.subs = slices.Delete(s.subs, i, i+1)
	}
	return true
}

func (s *Sim) subscribed(id string) int {
	return slices.IndexFunc(s.subs, func(sub Subscription) bool { return sub.ID == id })
}

func (s *Sim) subscribe(sub Subscription) Subscription {
	s.hooksMade++
	sub.ID = "wh_" + strconv.Itoa(s.hooksMade)
	if sub.Secret == "" {
		sub.Secret = "simulated-" + s.uuid()
	}
	s.subs = append(s.subs, sub)
	return sub
}

// told is whom a change is told: who was set as the one hook, and the subscriptions to
// its event, under either of the names that it has. The lock is held.
func (s *Sim) told(e event) []Hook {
	var out []Hook
	if s.hook != nil {
		out = append(out, *s.hook)
	}
	for _, sub := range s.subs {
		if sub.Active && (slices.Contains(sub.Events, e.thinName()) || slices.Contains(sub.Events, e.fatName())) {
			out = append(out, Hook{URL: sub.URL, Secret: sub.Secret, Sign: s.api.traits.Sign})
		}
	}
	return out
}

// routeToHooks reads the path of a request for subscriptions.
func (c *call) routeToHooks(rest []string) {
	switch len(rest) {
	case 0:
		c.hooks, c.route = true, "/"+hookSegment
	case 1:
		if id, err := url.PathUnescape(rest[0]); err == nil && id != "" {
			c.hooks, c.id, c.route = true, id, "/"+hookSegment+"/{id}"
		}
	}
}

// handleHooks answers a request for subscriptions. The lock is held.
func (s *Sim) handleHooks(c *call, sh *shape) answer {
	switch {
	case c.id == "" && c.method == http.MethodGet:
		return s.listHooks(c, sh)
	case c.id == "" && c.method == http.MethodPost:
		return s.changeHook(c, Subscription{Active: true}, func(sub Subscription) answer {
			return s.oneHook(http.StatusCreated, s.subscribe(sub))
		})
	case c.id == "":
		return s.refuse(problem{http.StatusMethodNotAllowed, "method_not_allowed", "method not allowed"})
	}
	i := s.subscribed(c.id)
	if i < 0 {
		return s.refuse(problem{http.StatusNotFound, "not_found", "webhook not found"})
	}
	quiet := func(sub Subscription) answer {
		sub.Secret = ""
		return s.oneHook(http.StatusOK, sub)
	}
	switch c.method {
	case http.MethodGet:
		return quiet(s.subs[i])
	case http.MethodPatch:
		return s.changeHook(c, s.subs[i], func(sub Subscription) answer {
			s.subs[i] = sub
			return quiet(sub)
		})
	case http.MethodDelete:
		s.subs = slices.Delete(s.subs, i, i+1)
		return answer{status: http.StatusNoContent, header: map[string]string{}}
	}
	return s.refuse(problem{http.StatusMethodNotAllowed, "method_not_allowed", "method not allowed"})
}

func (s *Sim) oneHook(status int, sub Subscription) answer {
	return answer{status: status, header: jsonHeader(), body: s.api.traits.single("webhook", encode(sub))}
}

// listHooks shows all, in pages only where those are asked for by offset.
func (s *Sim) listHooks(c *call, sh *shape) answer {
	t := s.api.traits
	p := page{limit: t.DefaultLimit, total: len(s.subs), shape: sh}
	if n, err := strconv.Atoi(c.query.Get(t.LimitParam)); err == nil && n > 0 {
		p.limit = min(n, t.MaxLimit)
	}
	rows := s.subs
	if t.Paging == ByOffset {
		if n, err := strconv.Atoi(c.query.Get(t.PlaceParam)); err == nil && n > 0 {
			p.offset = n
		}
		rows = rows[min(p.offset, len(rows)):]
		p.more = len(rows) > p.limit
		rows = rows[:min(p.limit, len(rows))]
	}
	for _, sub := range rows {
		sub.Secret = ""
		p.items = append(p.items, encode(sub))
	}
	return answer{status: http.StatusOK, header: jsonHeader(), body: t.body(t.Body, hookSegment, p)}
}

// changeHook lays a body over a subscription, if it makes a good one.
func (s *Sim) changeHook(c *call, sub Subscription, do func(Subscription) answer) answer {
	var in struct {
		URL         *string   `json:"webhook_url"`
		Events      *[]string `json:"events"`
		Description *string   `json:"description"`
		Active      *bool     `json:"active"`
	}
	if err := strict(c.body, &in); err != nil {
		return s.refuse(problem{http.StatusBadRequest, "bad_request", "the body is no webhook"})
	}
	if in.URL != nil {
		sub.URL = *in.URL
	}
	if in.Events != nil {
		sub.Events = *in.Events
	}
	if in.Description != nil {
		sub.Description = *in.Description
	}
	if in.Active != nil {
		sub.Active = *in.Active
	}
	u, err := url.Parse(sub.URL)
	switch {
	case err != nil || u.Host == "" || !strings.HasPrefix(u.Scheme, "http"):
		return s.refuse(problem{s.api.traits.Invalid, "invalid", "webhook_url is no address"})
	case len(sub.Events) == 0:
		return s.refuse(problem{s.api.traits.Invalid, "invalid", "events is required"})
	}
	return do(sub)
}
