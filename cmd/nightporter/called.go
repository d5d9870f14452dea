package main

import (
	"context"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
)

// hookJSON is when a system that sends webhooks called last.
type hookJSON struct {
	System  string  `json:"system"`
	Last    instant `json:"last,omitempty"`    // that proved who it is
	Refused instant `json:"refused,omitempty"` // that was answered by an error
	called  record.Called

	Subscription *subscriptionJSON `json:"subscription,omitempty"` // ours, where one is declared
	PolledFirst  []polledJSON      `json:"polled_first,omitempty"`
}

// hooksOf is when the systems of a configuration called last, in its order.
func hooksOf(ctx context.Context, cfg *config.Config, s *state.Store) ([]hookJSON, error) {
	called, err := s.Called(ctx)
	if err != nil {
		return nil, err
	}
	subs, err := s.Subscriptions(ctx)
	if err != nil {
		return nil, err
	}
	polled, err := s.PolledFirst(ctx)
	out := []hookJSON{}
	for _, sys := range cfg.Systems {
		if sys.Webhooks != nil {
			c := called[record.System(sys.Name)]
			out = append(out, hookJSON{
				System: sys.Name, Last: timeJSON(c.Came), Refused: timeJSON(c.Refused), called: c,
				Subscription: subscriptionOf(sys, subs[record.System(sys.Name)]), PolledFirst: polledOf(cfg, sys.Name, polled),
			})
		}
	}
	return out, err
}

// String says when it called, and what to look at if that was not believed.
func (h hookJSON) String() string {
	text := "webhooks of " + h.System + ": none came yet"
	if h.Last != "" {
		text = "webhooks of " + h.System + ": the last came at " + moment(h.called.Came)
	}
	if h.called.Refused.After(h.called.Came) {
		text += "; one was refused at " + moment(h.called.Refused) + ", the log says why"
	}
	if h.Subscription != nil {
		text += "\n  " + oneLine(h.Subscription.String())
	}
	for _, p := range h.PolledFirst {
		text += "\n  " + oneLine(p.String())
	}
	return text
}
