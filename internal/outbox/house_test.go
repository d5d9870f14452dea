package outbox

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nightporter/internal/signature"
	"nightporter/state"
	"nightporter/sync/record"
)

// The secret and the address are in nothing that is logged or kept.
const (
	secretOf = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	capable  = "T00000/B00000/XXXXXXXX"
)

// lookAt is how often a test's outbox looks: it is to look over days.
const lookAt = 5 * time.Second

// delivery is one try as a receiver sees it.
type delivery struct {
	to, id, body string
	at           time.Time
	signed       bool
}

// receivers answer in place of the network.
type receivers struct {
	mu     sync.Mutex
	came   []delivery
	answer func(delivery) (status int, header http.Header) // nil: 200; status 0 hangs
}

func (r *receivers) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	d := delivery{to: req.URL.Host, id: req.Header.Get("webhook-id"), body: string(text), at: time.Now()}
	d.signed = signature.Presets["standard"].Verify(signature.Request{
		Method: req.Method, URL: req.URL.String(), Header: req.Header, Body: text,
	}, []string{secretOf}, time.Now()) == nil
	r.mu.Lock()
	answer := r.answer
	r.came = append(r.came, d)
	r.mu.Unlock()
	status, header := http.StatusOK, http.Header{}
	if answer != nil {
		status, header = answer(d)
	}
	if status == 0 {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(secretly)), Request: req}, nil
}

// at is the deliveries that came to a receiver.
func (r *receivers) at(to string) []delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.came), func(d delivery) bool { return d.to != to })
}

func (r *receivers) answers(with func(delivery) (int, http.Header)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = with
}

// house is a state with a job that things happen to.
type house struct {
	t     *testing.T
	store *state.Store
	lease record.Lease
	n     int
}

func newHouse(t *testing.T) *house {
	t.Helper()
	s, err := state.OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	h := &house{t: t, store: s}
	h.ok(s.Register(t.Context(), "stays", [2]record.System{"pms", "platform"}, [2]record.Kind{"reservations", "bookings"}, nil))
	h.lease, err = s.Begin(t.Context(), "stays", false, time.Now())
	h.ok(err)
	return h
}

func (h *house) ok(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// halts is n halts, one after the other.
func (h *house) halts(n int) {
	h.t.Helper()
	for range n {
		h.n++
		h.ok(h.store.Stand(h.t.Context(), h.lease, nil, []record.Question{{Cause: record.Cause(fmt.Sprintf("halt%03d", h.n)), Why: "why", Next: "nightporter sync stays"}}, time.Now()))
	}
}

// states checks what became of all events, in their order: "sent, 1 tries".
func (h *house) states(want ...string) {
	h.t.Helper()
	all, err := h.store.Events(h.t.Context(), state.EventFilter{})
	h.ok(err)
	var got []string
	for _, e := range all {
		got = append(got, fmt.Sprintf("%s, %d tries", e.State, e.Tries))
	}
	if !slices.Equal(got, want) {
		h.t.Fatalf("the events are %q, want %q", got, want)
	}
}

// to is a destination that is signed for.
func to(host string) Destination {
	return Destination{
		Name: strings.TrimSuffix(host, ".example.com"), Scheme: signature.Presets["standard"],
		URL:     func() (string, error) { return "https://" + host + "/" + capable, nil },
		Secrets: func() ([]string, error) { return []string{"whsec_b2xk", secretOf}, nil },
	}
}

// begin runs an outbox until the test, or stop, ends it.
func (h *house) begin(s Store, r *receivers, log io.Writer, ds ...Destination) (o *Outbox, stop func()) {
	h.t.Helper()
	o = New(s, Options{Look: lookAt, Transport: r, Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	h.ok(o.Use(h.t.Context(), Plan{Rules: Rules{Install: "abcdefgh"}, Destinations: ds}))
	ctx, cancel := context.WithCancel(h.t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		o.Run(ctx)
	}()
	return o, func() { cancel(); <-over }
}

// pass lets the time of a bubble pass.
func pass(d time.Duration) { <-time.NewTimer(d).C }

func ids(ds []delivery) []string {
	var out []string
	for _, d := range ds {
		out = append(out, d.id)
	}
	return out
}

// once is ids without those that came before.
func once(all []string) []string {
	var out []string
	for _, id := range all {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}
