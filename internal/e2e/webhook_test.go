package e2e

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nightporter/internal/nettest"
	"nightporter/internal/signature"
	"nightporter/internal/webhook"
	"nightporter/state"
	"nightporter/sync/record"
	"nightporter/sync/schedule"
)

const hookSecret = "a-secret-of-these-tests"

// hooked has the platform call the house about bookings, and gives where.
func (h *house) hooked() (url string) {
	h.t.Helper()
	url = h.listens()
	const between = "    between: { platform: reservations, pms: reservations }\n"
	h.edit(between, between+"    when: { webhook: platform }\n")
	return url
}

// listens has the house listen for the platform's webhooks, and gives where.
func (h *house) listens() (url string) {
	h.t.Helper()
	address := nettest.FreeAddress(h.t)
	secret := filepath.Join(h.dir, "hook.secret")
	h.write(secret, hookSecret)
	h.edit("    key: file:", fmt.Sprintf("    webhooks: { listen: %q, secret: %q }\n    key: file:", address, "file:"+secret))
	return "http://" + address + "/hooks/platform"
}

// deliver sends a delivery as the platform does, and gives the answer's status.
func deliver(ctx context.Context, client *http.Client, url, body string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	signed := signature.Request{Method: req.Method, Header: req.Header, Body: []byte(body)}
	if err := signature.Presets["yourang"].Sign(signed, "", []string{hookSecret}, time.Now()); err != nil {
		return 0, err
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

func eventOf(name, id string) string {
	return fmt.Sprintf(`{"id":"ev-%s","type":%q,"resource_id":%q}`, id, name, id)
}

// announce tells of a booking by a webhook.
func (s *service) announce(url string) func(id string) {
	return func(id string) {
		s.h.t.Helper()
		status, err := deliver(s.h.t.Context(), &http.Client{}, url, eventOf("event.created", id))
		if err != nil || status != http.StatusAccepted {
			s.h.t.Fatalf("a webhook was answered %d (%v), want 202", status, err)
		}
	}
}

// A booking that the platform announces is entered, once, however often it does.
func TestWebhookEntersABooking(t *testing.T) {
	h := linkedGuest(t)
	url := h.hooked()
	s := h.serve()
	id := aBooking(h)
	for range 3 {
		s.announce(url)(id)
	}
	h.await(10*time.Second, "the booking is entered", h.entered(1))
	h.await(10*time.Second, "all hints are heeded", h.heeded)
	s.stop()
	if !h.entered(1)() {
		t.Error("the booking was entered more than once")
	}
	h.quiet()
}

// BenchmarkWebhookToWrite is BenchmarkKick at rest, told by HTTP: verified, kept on the
// disk and answered before it is looked at.
func BenchmarkWebhookToWrite(b *testing.B) {
	h := throttledHouse(b, 200, throttled{})
	h.edit("time_zone:", "guards: { creates: 1000 }\ntime_zone:")
	url := h.hooked()
	s := h.serve()
	b.ResetTimer()
	for range b.N {
		took := s.kicks(500, 100, 50*time.Millisecond, s.announce(url))
		b.ReportMetric(float64(quantile(took, .5).Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(quantile(took, .99).Microseconds())/1000, "p99-ms")
		b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
	}
	b.StopTimer()
	s.stop()
}

// BenchmarkWebhooks is how many deliveries a second are verified, kept in a state file
// as it is used (every write is on the disk before it is answered) and answered, to
// senders on this machine that each wait for their answer; and how long one waits.
func BenchmarkWebhooks(b *testing.B) {
	const deliveries = 20_000
	for _, senders := range []int{1, 64} {
		b.Run(fmt.Sprintf("%d senders", senders), func(b *testing.B) {
			url := receiver(b)
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: senders}}
			n := deliveries
			if senders == 1 {
				n /= 20
			}
			b.ResetTimer()
			for round := range b.N {
				begun := time.Now()
				took := flood(b, client, url, senders, n, fmt.Sprint(round))
				b.ReportMetric(float64(n)/time.Since(begun).Seconds(), "deliveries/s")
				b.ReportMetric(float64(quantile(took, .5).Microseconds())/1000, "p50-ms")
				b.ReportMetric(float64(quantile(took, .99).Microseconds())/1000, "p99-ms")
			}
		})
	}
}

// receiver takes webhooks into a state file, and asks for a run as serve does.
func receiver(b *testing.B) (url string) {
	b.Helper()
	s, err := state.Open(b.Context(), filepath.Join(b.TempDir(), "state.db"), state.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	r := webhook.New(webhook.Options{Log: slog.New(slog.DiscardHandler), Keep: func(ctx context.Context, hs []record.Hint) error {
		if _, err := s.Hint(ctx, hs); err != nil {
			return err
		}
		_, err := s.Ledger().Call(ctx, "stays", int(schedule.Kick), time.Now())
		return err
	}})
	srv := httptest.NewServer(r.At("here"))
	b.Cleanup(srv.Close)
	r.Receive([]webhook.Source{{
		System: "platform", Listen: "here", Paths: []string{"/"}, Scheme: signature.Presets["yourang"],
		Secrets: func() ([]string, error) { return []string{hookSecret}, nil }, Shape: webhook.AnyShape,
		Kinds:     map[string]record.Kind{"event": "reservations"},
		Places:    map[record.Kind][]record.Place{"reservations": {{Binding: "stays"}}},
		PerSecond: 1e6,
	}})
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() { defer close(over); r.Run(ctx) }()
	b.Cleanup(func() { cancel(); <-over })
	return srv.URL + "/"
}

// flood sends n deliveries, each of another record, and gives how long each took, the
// shortest first.
func flood(b *testing.B, client *http.Client, url string, senders, n int, round string) []time.Duration {
	b.Helper()
	took := make([]time.Duration, n)
	var next atomic.Int64
	var all sync.WaitGroup
	for range senders {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				begun := time.Now()
				status, err := deliver(b.Context(), client, url, eventOf("event.updated", fmt.Sprint(round, "-", i)))
				if took[i] = time.Since(begun); err != nil || status != http.StatusAccepted {
					b.Errorf("delivery %d: got %d (%v), want 202", i, status, err)
					return
				}
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	return took
}
