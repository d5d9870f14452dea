package webhook

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"nightporter/internal/signature"
	"nightporter/sync/record"
)

// Source is a system that sends webhooks.
type Source struct {
	System record.System
	// Listen is the address that it calls, and Paths are those on it that are its own.
	Listen string
	Paths  []string
	// Scheme is how it signs. Secrets is asked at each delivery: a secret may be replaced
	// while both the old and the new one count. With an error it gives those that can be
	// read: what they don't verify may be signed by another, and is to come again. With a
	// *ComingError it is kept waiting for that.
	Scheme  signature.Scheme
	Secrets func() ([]string, error)
	Shape   Shape
	// Kinds says what the resource of an event is to us, by its name in lower case.
	Kinds map[string]record.Kind
	// Places is whom a kind of the system concerns.
	Places map[record.Kind][]record.Place
	// Ask, where it is set, keeps what a delivery asks for before it is answered, and gives
	// the id of the record, of the kind Asked, that stands for it then. An error that is a
	// MalformedError is the sender's.
	Ask   func(ctx context.Context, h http.Header, body []byte, now time.Time) (id string, err error)
	Asked record.Kind
	// PublicURL is what the sender calls, for schemes that sign it.
	PublicURL string
	PerSecond float64 // deliveries a second that are taken; 0: 5,000
	MostBytes int64   // of a body; 0: 1 MiB
}

const (
	perSecond = 5000
	mostBytes = 1 << 20
)

// tellEvery is how long refusals of one system must keep away for the next to be told, and
// how often the same failure here is.
const tellEvery = 10 * time.Second

// Options are what a Receiver stands on.
type Options struct {
	// Keep makes hints durable and has them looked at. An error of it is answered by 503.
	Keep func(context.Context, []record.Hint) error
	Log  *slog.Logger
	Now  func() time.Time // nil: time.Now
}

// Receiver takes the deliveries of several systems, each at addresses and paths of its
// own. Run must be running.
type Receiver struct {
	Options
	keeper *keeper
	doors  atomic.Pointer[map[door]*source]

	mu     sync.Mutex
	counts map[record.System]*Counts
}

// door is where a system calls.
type door struct{ listen, path string }

type source struct {
	Source
	limit   *rate.Limiter
	strange *rate.Limiter // of strangers, while others are known
	senders senders
	bodies  *bodies
	failed  sometimes
	*Counts
}

// New is a receiver that receives from nobody yet.
func New(o Options) *Receiver {
	if o.Now == nil {
		o.Now = time.Now
	}
	r := &Receiver{Options: o, keeper: newKeeper(o.Keep), counts: map[record.System]*Counts{}}
	r.Receive(nil)
	return r
}

// Receive takes the deliveries of sources from now on, and of nobody else. What a system
// has sent so far stays counted.
func (r *Receiver) Receive(sources []Source) {
	doors := map[door]*source{}
	for _, s := range sources {
		if s.PerSecond == 0 {
			s.PerSecond = perSecond
		}
		if s.MostBytes == 0 {
			s.MostBytes = mostBytes
		}
		one := &source{
			Source: s, limit: rate.NewLimiter(rate.Limit(s.PerSecond), int(s.PerSecond)+1),
			strange: rate.NewLimiter(rate.Limit(s.PerSecond/2), int(s.PerSecond/2)+1),
			bodies:  &bodies{most: max(mostHeld, 4*s.MostBytes)}, Counts: r.countsOf(s.System),
		}
		for _, path := range s.Paths {
			doors[door{s.Listen, path}] = one
		}
	}
	r.doors.Store(&doors)
}

// Run keeps what is delivered until ctx ends.
func (r *Receiver) Run(ctx context.Context) { r.keeper.run(ctx) }

// At takes what is delivered at an address. Answers: 202 when it is kept, also if it
// names nothing we know; 401 if it is not signed by a secret we know, or too long ago;
// 400 for what is no JSON, 413 for too much of it; 429 and 503 with Retry-After for what
// should come again.
func (r *Receiver) At(listen string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		s, ok := (*r.doors.Load())[door{listen, req.URL.Path}]
		if !ok {
			http.Error(w, "nothing is received here", http.StatusNotFound)
			return
		}
		r.serve(s, w, req)
	})
}

func (r *Receiver) serve(s *source, w http.ResponseWriter, req *http.Request) {
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
	// Nothing of the delivery: its headers and its body may hold a secret or a guest. And
	// not a line for each: anybody may call.
	level, now := slog.LevelWarn, r.Now()
	if before := instant(s.refused.Swap(now.UnixMilli())); now.Sub(before).Abs() < tellEvery {
		level = slog.LevelDebug
	}
	r.Log.Log(req.Context(), level, "webhook refused", "system", string(s.System), "status", status, "why", text)
	http.Error(w, text, status)
}

// take verifies a delivery and keeps what it names.
func (r *Receiver) take(s *source, w http.ResponseWriter, req *http.Request) (status int, text string) {
	from := senderOf(req)
	stranger := s.senders.strange(from, r.Now())
	if stranger && !s.strange.Allow() || !s.limit.Allow() {
		s.Busy.Add(1)
		return http.StatusTooManyRequests, "more deliveries come than are taken"
	}
	if req.ContentLength > s.MostBytes {
		return s.unread(&http.MaxBytesError{Limit: s.MostBytes})
	}
	read := s.bodies.open(http.MaxBytesReader(w, req.Body, s.MostBytes), stranger)
	defer read.drop()
	body, err := io.ReadAll(read)
	if err != nil {
		return s.unread(err)
	}
	if status, text := r.verify(s, req, body); status != http.StatusAccepted {
		return status, text
	}
	now := r.Now()
	s.senders.verified(from, now)
	s.came.Store(now.UnixMilli())
	if s.Ask != nil {
		return r.ask(s, req, body, now)
	}
	events, err := s.Shape.Events(req.Header, body)
	if err != nil {
		s.Malformed.Add(1)
		return http.StatusBadRequest, err.Error()
	}
	hints, strange := s.hints(events, now)
	status, text = r.store(req.Context(), s, hints, len(events))
	if status == http.StatusAccepted {
		s.Strange.Add(strange)
	}
	return status, text
}

// unread is the answer to a delivery that could not be read whole.
func (s *source) unread(err error) (status int, text string) {
	if errors.Is(err, errFull) {
		s.Busy.Add(1)
		return http.StatusServiceUnavailable, "more is being received than can be held"
	}
	s.Malformed.Add(1)
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return http.StatusRequestEntityTooLarge, "the body is too large"
	}
	return http.StatusBadRequest, "the body was cut off"
}

// ComingError is the error of secrets of which one is on its way: the system may sign by it
// before we know it.
type ComingError struct{ Done <-chan struct{} }

// Error says so.
func (*ComingError) Error() string { return "a new secret is being agreed on" }

// longestComing is how long a delivery waits for a secret that is on its way. Those that
// send mostly wait for ten seconds or more.
const longestComing = 5 * time.Second

// await waits for a secret that is on its way, and reports whether there was one.
func await(ctx context.Context, unread error) bool {
	coming, ok := errors.AsType[*ComingError](unread)
	if !ok {
		return false
	}
	late := time.NewTimer(longestComing)
	defer late.Stop()
	select {
	case <-coming.Done:
	case <-late.C:
	case <-ctx.Done():
	}
	return true
}

// verify answers 202 to what one of the secrets signed, lately.
func (r *Receiver) verify(s *source, req *http.Request, body []byte) (status int, text string) {
	secrets, unread := s.Secrets()
	signed := signature.Request{Method: req.Method, URL: s.PublicURL, Header: req.Header, Body: body}
	err := s.Scheme.Verify(signed, secrets, r.Now())
	if errors.Is(err, signature.ErrMismatch) && await(req.Context(), unread) {
		secrets, unread = s.Secrets()
		err = s.Scheme.Verify(signed, secrets, r.Now())
	}
	switch {
	case err == nil:
		return http.StatusAccepted, ""
	case errors.Is(err, signature.ErrStale):
		s.Stale.Add(1)
	case unread != nil && !errors.Is(err, signature.ErrMissing) || errors.Is(err, signature.ErrSecret):
		s.Busy.Add(1)
		r.fails(req.Context(), s, "a secret can't be had", cmp.Or(unread, err))
		return http.StatusServiceUnavailable, "deliveries can't be verified now"
	default:
		s.Forged.Add(1)
	}
	return http.StatusUnauthorized, err.Error()
}

// fails says what is wrong here, and not for each delivery: anybody may call.
func (r *Receiver) fails(ctx context.Context, s *source, what string, err error) {
	level := slog.LevelDebug
	if s.failed.is(what, r.Now()) {
		level = slog.LevelError
	}
	r.Log.Log(ctx, level, "webhooks fail here", "system", string(s.System), "what", what, "error", err)
}

// sometimes is when something was told last, by what was told.
type sometimes struct {
	mu   sync.Mutex
	last map[string]time.Time
}

// is reports whether it is to be told again.
func (t *sometimes) is(what string, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if last, told := t.last[what]; told && now.Sub(last).Abs() < tellEvery {
		return false
	}
	if t.last == nil {
		t.last = map[string]time.Time{}
	}
	t.last[what] = now
	return true
}

func (r *Receiver) store(ctx context.Context, s *source, hints []record.Hint, events int) (status int, text string) {
	if len(hints) > 0 {
		if err := r.keeper.put(ctx, hints); err != nil {
			s.Busy.Add(1)
			r.fails(ctx, s, "a delivery can't be kept", err)
			return http.StatusServiceUnavailable, "the delivery could not be kept"
		}
	}
	s.Kept.Add(1)
	if len(hints) == 0 {
		s.Unknown.Add(1)
		r.Log.InfoContext(ctx, "webhook names nothing that is kept in step", "system", string(s.System), "events", events)
	}
	return http.StatusAccepted, ""
}

// hints is what events say is to be looked at. An event of a kind that names no record
// is a hint at the whole kind; one of no kind that a job waits for is strange.
func (s *source) hints(events []Event, now time.Time) (out []record.Hint, strange int64) {
	for _, e := range events {
		kind := s.Kinds[strings.ToLower(e.Resource)]
		if len(s.Places[kind]) == 0 {
			strange++
		}
		for _, p := range s.Places[kind] {
			out = append(out, record.Hint{Place: p, Ref: record.Ref{Kind: kind, ID: e.ID}, Event: e.Delivery, At: now})
		}
	}
	return out, strange
}
