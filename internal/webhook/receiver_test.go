package webhook

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/internal/signature"
	"nightporter/sync/record"
)

const (
	listen = "127.0.0.1:8081"
	path   = "/hooks/platform"
	secret = "a secret of these tests"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// disk keeps hints, as long as it works.
type disk struct {
	mu     sync.Mutex
	kept   []record.Hint
	writes int
	fail   func([]record.Hint) error
}

func (d *disk) keep(_ context.Context, hs []record.Hint) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.writes++
	if d.fail != nil {
		if err := d.fail(hs); err != nil {
			return err
		}
	}
	d.kept = append(d.kept, hs...)
	return nil
}

// receiving is a receiver of one system, which runs until the test ends.
func receiving(t *testing.T, d *disk, scheme string) *Receiver {
	t.Helper()
	r := New(Options{Keep: d.keep, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return noon }})
	r.Receive([]Source{{
		System: "platform", Listen: listen, Paths: []string{path}, Scheme: signature.Presets[scheme], Secrets: func() ([]string, error) { return []string{"the new one", secret}, nil },
		Shape: AnyShape, Kinds: map[string]record.Kind{"contact": "contacts", "event": "reservations", "appointment": "reservations"},
		Places: map[record.Kind][]record.Place{
			"contacts":     {{Binding: "guests", Side: record.Right}, {Binding: "crm", Side: record.Left}},
			"reservations": {{Binding: "stays", Side: record.Right}},
		},
		MostBytes: 1000,
	}})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); r.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	return r
}

func platform(r *Receiver) *source { return (*r.doors.Load())[door{listen, path}] }

// request is a delivery, signed at a moment.
func request(t *testing.T, scheme, body string, when time.Time) *http.Request {
	t.Helper()
	req := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	signed := signature.Request{Method: req.Method, Header: req.Header, Body: []byte(body)}
	if err := signature.Presets[scheme].Sign(signed, "ev", []string{secret}, when); err != nil {
		t.Fatal(err)
	}
	return req
}

func answer(r *Receiver, req *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r.At(listen).ServeHTTP(w, req)
	return w
}

func TestAnswers(t *testing.T) {
	const good = `{"id":"ev1","type":"contact.updated","resource_id":"c1"}`
	for name, c := range map[string]struct {
		change func(*http.Request)
		body   string
		when   time.Time
		status int
		kept   int
	}{
		"signed":           {status: http.StatusAccepted, kept: 2},
		"of nothing known": {body: `{"id":"ev1","type":"dialer.finished"}`, status: http.StatusAccepted},
		"an array of both": {body: `[{"type":"contact.updated","id":"1"},{"type":"event.created","id":"2"},{"type":"x.y"}]`, status: http.StatusAccepted, kept: 3},
		"forged":           {change: func(r *http.Request) { r.Header.Set("X-Yourang-Signature", "sha256="+strings.Repeat("ab", 32)) }, status: http.StatusUnauthorized},
		"not signed":       {change: func(r *http.Request) { r.Header.Del("X-Yourang-Signature") }, status: http.StatusUnauthorized},
		"not ASCII":        {change: func(r *http.Request) { r.Header.Set("X-Yourang-Signature", "sha256=\xc3\xa9\xff") }, status: http.StatusUnauthorized},
		"another time":     {change: func(r *http.Request) { r.Header.Set("X-Yourang-Timestamp", strconv.FormatInt(noon.Unix()+1, 10)) }, status: http.StatusUnauthorized},
		"replayed later":   {when: noon.Add(-6 * time.Minute), status: http.StatusUnauthorized},
		"of times to come": {when: noon.Add(6 * time.Minute), status: http.StatusUnauthorized},
		"malformed":        {body: `{"id":`, status: http.StatusBadRequest},
		"too large":        {body: `{"id":"` + strings.Repeat("x", 1000) + `"}`, status: http.StatusRequestEntityTooLarge},
		"by GET":           {change: func(r *http.Request) { r.Method = http.MethodGet }, status: http.StatusMethodNotAllowed},
		"somewhere else":   {change: func(r *http.Request) { r.URL.Path = "/hooks/other" }, status: http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			d := &disk{}
			r := receiving(t, d, "yourang")
			body, when := c.body, c.when
			if body == "" {
				body = good
			}
			if when.IsZero() {
				when = noon
			}
			req := request(t, "yourang", body, when)
			if c.change != nil {
				c.change(req)
			}
			got := answer(r, req)
			text := got.Body.String()
			if got.Code != c.status || len(d.kept) != c.kept {
				t.Errorf("got %d (%s) and %d hints, want %d and %d", got.Code, text, len(d.kept), c.status, c.kept)
			}
			if strings.Contains(text, secret) {
				t.Errorf("the answer holds the secret: %s", text)
			}
		})
	}
}

// A delivery is kept for each job that has the kind, under its own name.
func TestWhatIsKept(t *testing.T) {
	d := &disk{}
	r := receiving(t, d, "yourang_body")
	answer(r, request(t, "yourang_body", `{"event":"contact.created","event_id":"ev9","data":{"id":"c1"}}`, noon))
	answer(r, request(t, "yourang_body", `{"event":"appointment.booked"}`, noon))
	want := []record.Hint{
		{Place: record.Place{Binding: "guests", Side: record.Right}, Ref: record.Ref{Kind: "contacts", ID: "c1"}, Event: "ev9", At: noon},
		{Place: record.Place{Binding: "crm", Side: record.Left}, Ref: record.Ref{Kind: "contacts", ID: "c1"}, Event: "ev9", At: noon},
		{Place: record.Place{Binding: "stays", Side: record.Right}, Ref: record.Ref{Kind: "reservations"}, At: noon},
	}
	if diff := cmp.Diff(want, d.kept); diff != "" {
		t.Error(diff)
	}
	if n := r.Counts()["platform"].Kept.Load(); n != 2 {
		t.Errorf("%d deliveries are counted, want 2", n)
	}
	answer(r, request(t, "yourang_body", `[{"event":"contact.created"},{"event":"order.created"},{"event":"dialer.ended"}]`, noon))
	answer(r, request(t, "yourang_body", `{"event":"order.created"}`, noon))
	if c := r.Counts()["platform"]; c.Strange.Load() != 3 || c.Unknown.Load() != 1 {
		t.Errorf("%d strange events and %d deliveries of nothing else are counted, want 3 and 1", c.Strange.Load(), c.Unknown.Load())
	}
}

// What can't be kept is to come again, and costs no other delivery that is kept with it.
func TestWhatCannotBeKept(t *testing.T) {
	full := errors.New("the disk is full")
	d := &disk{fail: func(hs []record.Hint) error {
		if slices.ContainsFunc(hs, func(h record.Hint) bool { return h.Ref.ID == "bad" }) {
			return full
		}
		return nil
	}}
	k := newKeeper(d.keep)
	var all []delivery
	for _, id := range []string{"1", "bad", "2", "3"} {
		all = append(all, delivery{hints: []record.Hint{{Ref: record.Ref{ID: id}}}, done: make(chan error, 1)})
	}
	for _, d := range all[1:] {
		k.queue <- d
	}
	k.together(t.Context(), all[0])
	for i, want := range []error{nil, full, nil, nil} {
		if got := <-all[i].done; !errors.Is(got, want) {
			t.Errorf("delivery %d: got %v, want %v", i, got, want)
		}
	}
	if len(d.kept) != 3 {
		t.Errorf("%d hints are kept, want 3", len(d.kept))
	}
}

// Its sender is asked to send again what could not be kept.
func TestSentAgain(t *testing.T) {
	d := &disk{fail: func([]record.Hint) error { return errors.New("the disk is full") }}
	got := answer(receiving(t, d, "bearer"), request(t, "bearer", `{"type":"event.updated","id":"1"}`, noon))
	if got.Code != http.StatusServiceUnavailable || got.Header().Get("Retry-After") == "" {
		t.Errorf("got %d with %v, want 503 with Retry-After", got.Code, got.Header())
	}
}

// A secret that can't be read believes nobody, and asks to come again.
func TestSecretThatCannotBeRead(t *testing.T) {
	d := &disk{}
	r := receiving(t, d, "bearer")
	platform(r).Secrets = func() ([]string, error) { return nil, errors.New("no such file") }
	if got := answer(r, request(t, "bearer", `{}`, noon)); got.Code != http.StatusServiceUnavailable {
		t.Errorf("got %d, want 503", got.Code)
	}
	platform(r).Secrets = func() ([]string, error) { return []string{secret}, errors.New("no such file") }
	if got := answer(r, request(t, "bearer", `{}`, noon)); got.Code != http.StatusAccepted {
		t.Errorf("signed by the secret that can be read: got %d, want 202", got.Code)
	}
	unsigned := request(t, "bearer", `{}`, noon)
	unsigned.Header.Del("Authorization")
	if got := answer(r, unsigned); got.Code != http.StatusUnauthorized {
		t.Errorf("not signed at all: got %d, want 401", got.Code)
	}
}

// Of several secrets one that can't be used, as one that was pasted wrong, spoils
// no other; what none of them signed may have been signed by it, and is to come again. The
// cause is told here, once, and to no caller.
func TestSecretThatCannotBeUsed(t *testing.T) {
	const whole, wrong = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2La%"
	for _, secrets := range [][]string{{whole, wrong}, {wrong, whole}, {wrong}} {
		var log strings.Builder
		d := &disk{}
		r := receiving(t, d, "standard")
		r.Log = slog.New(slog.NewTextHandler(&log, nil))
		platform(r).Secrets = func() ([]string, error) { return secrets, nil }
		send := func(by string) int {
			req := httptest.NewRequest(http.MethodPost, path, strings.NewReader(`{"type":"event.updated","id":"1"}`))
			signed := signature.Request{Method: req.Method, Header: req.Header, Body: []byte(`{"type":"event.updated","id":"1"}`)}
			if err := signature.Presets["standard"].Sign(signed, "ev", []string{by}, noon); err != nil {
				t.Fatal(err)
			}
			got := answer(r, req)
			if strings.Contains(got.Body.String(), "whsec") {
				t.Errorf("the answer says how our secrets look: %s", got.Body)
			}
			return got.Code
		}
		want := http.StatusAccepted
		if len(secrets) == 1 {
			want = http.StatusServiceUnavailable
		}
		if got := send(whole); got != want {
			t.Errorf("secrets %d long: signed by the whole one: got %d, want %d", len(secrets), got, want)
		}
		for range 3 {
			if got := send("whsec_c3RyYW5nZXI="); got != http.StatusServiceUnavailable {
				t.Errorf("signed by another: got %d, want 503", got)
			}
		}
		if n := strings.Count(log.String(), "level=ERROR"); n != 1 {
			t.Errorf("%d lines of errors, want 1:\n%s", n, log.String())
		}
	}
}

// What is signed by a secret that is on its way waits until that is known, and is
// believed then; what is forged is not, and none waits for ever.
func TestSecretThatComes(t *testing.T) {
	for name, c := range map[string]struct {
		comes, forged bool
		want          int
	}{
		"it comes":             {comes: true, want: http.StatusAccepted},
		"it comes, and not by": {comes: true, forged: true, want: http.StatusUnauthorized},
		"it never comes":       {want: http.StatusServiceUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &disk{}
				r := New(Options{Keep: d.keep, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return noon }})
				r.Receive([]Source{{
					System: "platform", Listen: listen, Paths: []string{path}, Scheme: signature.Presets["yourang_body"], Shape: AnyShape,
					Kinds: map[string]record.Kind{"event": "reservations"}, Places: map[record.Kind][]record.Place{"reservations": {{Binding: "stays"}}},
				}})
				ctx, cancel := context.WithCancel(t.Context())
				var all sync.WaitGroup
				all.Go(func() { r.Run(ctx) })
				var known atomic.Bool
				done := make(chan struct{})
				platform(r).Secrets = func() ([]string, error) {
					if known.Load() {
						return []string{secret}, nil
					}
					return []string{"the old one"}, &ComingError{done}
				}
				all.Go(func() {
					time.Sleep(2 * time.Second) //nolint:forbidigo // of the bubble's own time
					if c.comes {
						known.Store(true)
						close(done)
					}
				})
				req := request(t, "yourang_body", `{"event":"event.created","id":"1"}`, noon)
				if c.forged {
					req.Header.Set("X-Yourang-Signature", "sha256="+strings.Repeat("ab", 32))
				}
				begun := time.Now()
				if got := answer(r, req); got.Code != c.want || time.Since(begun) > longestComing {
					t.Errorf("got %d after %v, want %d", got.Code, time.Since(begun), c.want)
				}
				cancel()
				all.Wait()
			})
		})
	}
}

// More than are taken are to come again.
func TestMoreThanAreTaken(t *testing.T) {
	d := &disk{}
	r := receiving(t, d, "bearer")
	platform(r).limit.SetBurst(1)
	platform(r).limit.SetLimit(0)
	for _, want := range []int{http.StatusAccepted, http.StatusTooManyRequests} {
		if got := answer(r, request(t, "bearer", `{"type":"event.updated","id":"1"}`, noon)); got.Code != want {
			t.Errorf("got %d, want %d", got.Code, want)
		}
	}
}

// From another address, or once it is not received from any more, a system is nobody.
// What it sent stays counted over that.
func TestReceiveAnew(t *testing.T) {
	d := &disk{}
	r := receiving(t, d, "bearer")
	send := func(listen string) int {
		w := httptest.NewRecorder()
		r.At(listen).ServeHTTP(w, request(t, "bearer", `{"type":"event.updated","id":"1"}`, noon))
		return w.Code
	}
	s := platform(r).Source
	got := []int{send(listen), send("127.0.0.1:8082")}
	s.Listen = "127.0.0.1:8082"
	r.Receive([]Source{s})
	got = append(got, send(listen), send("127.0.0.1:8082"))
	r.Receive(nil)
	got = append(got, send("127.0.0.1:8082"))
	if diff := cmp.Diff([]int{202, 404, 404, 202, 404}, got); diff != "" {
		t.Error(diff)
	}
	c := r.Counts()["platform"]
	if c.Kept.Load() != 2 || !c.Came().Equal(noon) || !c.Refused().IsZero() {
		t.Errorf("%d deliveries are counted, the last at %v (refused %v), want 2, the last at noon", c.Kept.Load(), c.Came(), c.Refused())
	}
}
