package simulator

import (
	"net/http"
	"slices"
	"time"
)

// DialForm is how a call is asked for.
type DialForm string

// The forms: not at all, by POST at the path of calls, or by POST at
// /actions/{configuration}/execute.
const (
	DialNone    DialForm = ""
	DialCalls   DialForm = "calls"
	DialActions DialForm = "actions"
)

// Outbound says what is shown of calls that were asked for. The zero value echoes the
// context that came with them in the history, and answers with their id.
type Outbound struct {
	HideContext bool   `json:"hide_context"` // the history does not show the context
	HideID      bool   `json:"hide_id"`      // the answer is a message without an id
	Summary     string `json:"summary"`      // of each call; "" is "They will come."
}

// Placement is one call that was placed: somebody's phone rang.
type Placement struct {
	ID      string         `json:"id"`
	To      string         `json:"to"`
	Context map[string]any `json:"context"`
	At      time.Time      `json:"at"`
}

// SetOutbound replaces what is shown of calls that are asked for from now on.
func (s *Sim) SetOutbound(o Outbound) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outbound = o
}

// Placed is every call that was placed, whatever the history shows of it, in order.
func (s *Sim) Placed() []Placement {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.placed)
}

// dialled routes a request for a call.
func (s *Sim) dialled(c *call, parts []string) bool {
	i := slices.IndexFunc(s.api.resources, func(r *resource) bool { return r.name == "calls" })
	if i < 0 || c.method != http.MethodPost {
		return false
	}
	calls := s.api.resources[i]
	switch s.api.traits.Dial {
	case DialCalls:
		c.dials = len(parts) == 1 && parts[0] == calls.segment
		c.route = "/" + calls.segment
	case DialActions:
		c.dials = len(parts) == 3 && parts[0] == "actions" && parts[1] != "" && parts[2] == "execute"
		c.route = "/actions/{id}/execute"
	case DialNone:
	}
	if !c.dials {
		c.route = "other"
		return false
	}
	c.res = calls
	return true
}

// dial places a call: it rings, is answered, and is in the history.
func (s *Sim) dial(c *call, t *table) answer {
	body, no := s.bodyOf(c)
	if no != nil {
		return s.refuse(*no)
	}
	to, _ := body["to_number"].(string)
	if !validPhone(cleanPhone(to)) || cleanPhone(to) == "" {
		return s.refuse(problem{s.api.traits.Invalid, "invalid", "to_number is not a phone number"})
	}
	about, _ := body["custom_context"].(map[string]any)
	now := s.now().UTC().Format(time.RFC3339)
	summary := s.outbound.Summary
	if summary == "" {
		summary = "They will come."
	}
	fields := map[string]any{
		"phone_number": s.opt.Normalise.Phone.stored(to), "call_type": "Automated", "call_status": "Completed", "outcome": "answered",
		"is_outbound": true, "start_time": now, "end_time": now, "duration": 30, "transcript": "Good morning.", "summary": summary,
	}
	if !s.outbound.HideContext && about != nil {
		fields["custom_context"] = about
	}
	r := s.put(t, s.newID(t), nil, plain(fields))
	s.placed = append(s.placed, Placement{ID: r.id, To: cleanPhone(to), Context: about, At: s.now()})
	if s.outbound.HideID {
		return answer{status: http.StatusAccepted, header: jsonHeader(), body: s.api.traits.single(t.res.one, []byte(`{"message":"queued"}`))}
	}
	return s.one(http.StatusCreated, t, r)
}

func (s *Sim) controlOutbound(r *http.Request) (any, error) {
	var in Outbound
	if err := readStrict(r, &in); err != nil {
		return nil, err
	}
	s.SetOutbound(in)
	return done{}, nil
}

// overrideOutbound is what a client has to be told of calls that are asked for; nil where
// none can be.
func (t Traits) overrideOutbound() any {
	o, ok := t.overrideCalls().(map[string]any)
	if !ok || t.Dial == DialNone {
		return nil
	}
	item := map[SingleForm]string{SingleData: "data", SingleBare: ".", SingleNamed: "call"}[t.Single]
	path := map[DialForm]string{DialCalls: "/" + t.Calls, DialActions: "/actions/{configuration_id}/execute"}[t.Dial]
	o["create"] = map[string]any{"path": path, "item": item}
	return o
}
