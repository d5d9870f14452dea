package simulator

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Hook is where a Sim tells of changes, and what it signs them with.
type Hook struct {
	URL    string   `json:"url"`
	Secret string   `json:"secret"`
	Sign   SignForm `json:"sign"`
}

// mostEvents bounds what is noted for nobody.
const mostEvents = 10_000

// event is one change as a webhook tells it.
type event struct {
	at   time.Time
	what string // created, updated, deleted; of an order also paid, status_changed
	res  *resource
	id   string
	json []byte // the record; of one that is gone, as it was
	to   Hook
}

// SetHook notes each change from now on, until it is delivered, beside those for
// subscriptions; nil stops that, and drops what is noted.
func (s *Sim) SetHook(h *Hook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hook, s.events = h, nil
}

// note keeps a change for the hook. The lock is held.
func (s *Sim) note(t *table, before, after *row) {
	if s.hook == nil && len(s.subs) == 0 {
		return
	}
	e := event{at: s.now(), what: "updated", res: t.res}
	r := after
	switch {
	case before == nil:
		e.what = "created"
	case after == nil:
		e.what, r = "deleted", before
	}
	if e.what == "updated" && t.res.told != nil {
		e.what = t.res.told(before.fields, after.fields)
	}
	e.id, e.json = r.id, t.render(r, nil)
	for _, e.to = range s.told(e) {
		if len(s.events) < mostEvents {
			s.events = append(s.events, e)
		}
	}
}

// Deliveries is a signed request for each change that was noted and not delivered, in
// order, for the hook and for each subscription to its event. Whoever takes them sends
// them, late, twice or not at all.
func (s *Sim) Deliveries(ctx context.Context) ([]*http.Request, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*http.Request
	for _, e := range s.events {
		r, err := s.delivery(ctx, e)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	s.events = nil
	return out, nil
}

// Deliver sends them, each once, and returns the statuses of the answers.
func (s *Sim) Deliver(ctx context.Context) ([]int, error) {
	requests, err := s.Deliveries(ctx)
	statuses := []int{}
	client := http.Client{Timeout: 10 * time.Second}
	for _, r := range requests {
		resp, sent := client.Do(r)
		if sent != nil {
			return statuses, fmt.Errorf("deliver: %w", sent)
		}
		_, _ = io.Copy(io.Discard, resp.Body) // the status says it all
		_ = resp.Body.Close()
		statuses = append(statuses, resp.StatusCode)
	}
	return statuses, err
}

func (s *Sim) delivery(ctx context.Context, e event) (*http.Request, error) {
	body := e.thin(s.uuid())
	if e.to.Sign == SignBody {
		body = e.fat(s.uuid())
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.to.URL, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("deliver: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	mac := hmac.New(sha256.New, []byte(e.to.Secret))
	if e.to.Sign == SignTimed {
		now := strconv.FormatInt(s.now().Unix(), 10)
		r.Header.Set("X-Yourang-Timestamp", now)
		mac.Write([]byte(now + "."))
	}
	mac.Write(body)
	r.Header.Set("X-Yourang-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	return r, nil
}

// about is what an event calls the record.
func (e event) about() string {
	if e.res.window != nil {
		return "event"
	}
	return e.res.one
}

// thin tells that a record changed, and which.
func (e event) thin(id string) []byte {
	name := encode(e.thinName())
	return concat(`{"id":`, encode(id), `,"type":`, name, `,"resource":`, encode(e.about()), `,"resource_id":`, encode(e.id),
		`,"organization_id":`, encode(DefaultAccount), "}")
}

func (e event) thinName() string { return e.about() + "." + e.what }

func (e event) fatName() string {
	switch {
	case e.res.told != nil, e.res.name == documentsName:
		return e.about() + "." + e.what
	case e.res.parts != nil:
		return "call.ended"
	case e.res.window != nil:
		return "appointment." + map[string]string{"created": "booked", "updated": "updated", "deleted": "cancelled"}[e.what]
	}
	return "contact." + e.what
}

// fat has the record in it.
func (e event) fat(id string) []byte {
	return concat(`{"event":`, encode(e.fatName()), `,"event_id":`, encode(id), `,"occurred_at":`, encode(stampText(e.at)),
		`,"organization_id":`, encode(DefaultAccount), `,"data":`, e.json, "}")
}
