package webhook

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"nightporter/internal/signature"
	"nightporter/sync/record"
)

// Source is a system that sends webhooks.
type Source struct {
	System record.System
	// Scheme is how it signs. Secrets is asked at each delivery: a secret may be replaced
	// while both the old and the new one count.
	Scheme  signature.Scheme
	Secrets func() ([]string, error)
	Shape   Shape
	// Kinds says what the resource of an event is to us, by its name in lower case.
	Kinds map[string]record.Kind
	// Places is whom a kind of the system concerns.
	Places map[record.Kind][]record.Place
	// PublicURL is what the sender calls, for schemes that sign it.
	PublicURL string
	PerSecond float64 // deliveries a second that are taken; 0: 5,000
	MostBytes int64   // of a body; 0: 1 MiB
}

const (
	perSecond = 5000
	mostBytes = 1 << 20
)

// Options are what a Receiver stands on.
type Options struct {
	// Keep makes hints durable and has them looked at. An error of it is answered by 503.
	Keep func(context.Context, []record.Hint) error
	Log  *slog.Logger
	Now  func() time.Time // nil: time.Now
}

// Receiver is an http.Handler that takes the deliveries of several systems, each on a
// path of its own. Run must be running.
type Receiver struct {
	Options
	keeper  *keeper
	sources map[string]*source
}

type source struct {
	Source
	limit *rate.Limiter
	Counts
}

// Counts is what became of the deliveries of one system since the start.
type Counts struct {
	Kept      atomic.Int64 // deliveries that were verified and kept
	Unknown   atomic.Int64 // of them those that name nothing we know
	Forged    atomic.Int64 // not signed, or not by a secret that is known here
	Stale     atomic.Int64 // signed too long ago, or for a time to come
	Malformed atomic.Int64 // too large, cut off, or no JSON
	Busy      atomic.Int64 // more than are taken, or than could be kept
}

// New is a receiver of sources, each on its path.
func New(o Options, sources map[string]Source) *Receiver {
	if o.Now == nil {
		o.Now = time.Now
	}
	r := &Receiver{Options: o, keeper: newKeeper(o.Keep), sources: map[string]*source{}}
	for path, s := range sources {
		if s.PerSecond == 0 {
			s.PerSecond = perSecond
		}
		if s.MostBytes == 0 {
			s.MostBytes = mostBytes
		}
		r.sources[path] = &source{Source: s, limit: rate.NewLimiter(rate.Limit(s.PerSecond), int(s.PerSecond)+1)}
	}
	return r
}

// Run keeps what is delivered until ctx ends.
func (r *Receiver) Run(ctx context.Context) { r.keeper.run(ctx) }

// ServeHTTP answers a delivery: 202 when it is kept, also if it names nothing we know;
// 401 if it is not signed by a secret we know, or too long ago; 400 for what is no JSON,
// 413 for too much of it; 429 and 503 with Retry-After for what should come again.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	s, ok := r.sources[req.URL.Path]
	if !ok {
		http.Error(w, "nothing is received here", http.StatusNotFound)
		return
	}
	if req.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "webhooks are sent by POST", http.StatusMethodNotAllowed)
		return
	}
	status, text := r.take(s, w, req)
	if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "5")
	}
	if status == http.StatusAccepted {
		w.WriteHeader(status)
		return
	}
	// Nothing of the delivery: its headers and its body may hold a secret or a guest.
	r.Log.WarnContext(req.Context(), "webhook refused", "system", string(s.System), "status", status, "why", text)
	http.Error(w, text, status)
}

// take verifies a delivery and keeps what it names.
func (r *Receiver) take(s *source, w http.ResponseWriter, req *http.Request) (status int, text string) {
	if !s.limit.Allow() {
		s.Busy.Add(1)
		return http.StatusTooManyRequests, "more deliveries come than are taken"
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, s.MostBytes))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		s.Malformed.Add(1)
		return http.StatusRequestEntityTooLarge, "the body is too large"
	}
	if err != nil {
		s.Malformed.Add(1)
		return http.StatusBadRequest, "the body was cut off"
	}
	secrets, err := s.Secrets()
	if err != nil {
		s.Busy.Add(1)
		r.Log.ErrorContext(req.Context(), "the secret of webhooks can't be read", "system", string(s.System), "error", err)
		return http.StatusServiceUnavailable, "deliveries can't be verified now"
	}
	signed := signature.Request{Method: req.Method, URL: s.PublicURL, Header: req.Header, Body: body}
	switch err := s.Scheme.Verify(signed, secrets, r.Now()); {
	case errors.Is(err, signature.ErrStale):
		s.Stale.Add(1)
		return http.StatusUnauthorized, err.Error()
	case err != nil:
		s.Forged.Add(1)
		return http.StatusUnauthorized, err.Error()
	}
	events, err := s.Shape.Events(req.Header, body)
	if err != nil {
		s.Malformed.Add(1)
		return http.StatusBadRequest, err.Error()
	}
	return r.store(req.Context(), s, events)
}

func (r *Receiver) store(ctx context.Context, s *source, events []Event) (status int, text string) {
	hints := s.hints(events, r.Now())
	if len(hints) > 0 {
		if err := r.keeper.put(ctx, hints); err != nil {
			s.Busy.Add(1)
			r.Log.ErrorContext(ctx, "a webhook can't be kept", "system", string(s.System), "error", err)
			return http.StatusServiceUnavailable, "the delivery could not be kept"
		}
	}
	s.Kept.Add(1)
	if len(hints) == 0 {
		s.Unknown.Add(1)
		r.Log.InfoContext(ctx, "webhook names nothing that is kept in step", "system", string(s.System), "events", len(events))
	}
	return http.StatusAccepted, ""
}

// hints is what events say is to be looked at. An event of a kind that names no record
// is a hint at the whole kind.
func (s *source) hints(events []Event, now time.Time) []record.Hint {
	var out []record.Hint
	for _, e := range events {
		kind, ok := s.Kinds[strings.ToLower(e.Resource)]
		if !ok {
			continue
		}
		for _, p := range s.Places[kind] {
			out = append(out, record.Hint{Place: p, Ref: record.Ref{Kind: kind, ID: e.ID}, Event: e.Delivery, At: now})
		}
	}
	return out
}

// Counts is what became of a system's deliveries, by the path they come to.
func (r *Receiver) Counts(path string) *Counts {
	if s := r.sources[path]; s != nil {
		return &s.Counts
	}
	return nil
}
