package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/internal/nettest"
	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/record"
)

// slowAnswers answers POSTs of one path late, and does what they ask for at once.
type slowAnswers struct {
	next http.Handler
	path string
	late time.Duration
}

func (s slowAnswers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, s.path) {
		s.next.ServeHTTP(w, r)
		return
	}
	rec := httptest.NewRecorder()
	s.next.ServeHTTP(rec, r)
	select {
	case <-time.After(s.late):
	case <-r.Context().Done():
		return
	}
	for name := range rec.Header() {
		w.Header().Set(name, rec.Header().Get(name))
	}
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes())
}

// subscribed is a house that has the platform call it about bookings, by a subscription
// of its own; how says more about that. It gives the address.
func (h *house) subscribed(how string) (url string) {
	h.t.Helper()
	address := nettest.FreeAddress(h.t)
	url = "http://" + address + "/hooks/platform"
	h.edit("    key: file:", fmt.Sprintf("    webhooks: { listen: %q, public_url: %q, subscribe: { events: usual, check: 1s%s } }\n    key: file:", address, url, how))
	const between = "    between: { platform: reservations, pms: reservations }\n"
	h.edit(between, between+"    when: { webhook: platform }\n")
	return url
}

// ours is the subscriptions at an address, but for that of somebody else.
func (h *house) ours(url string) []simulator.Subscription {
	var out []simulator.Subscription
	for _, s := range h.sim.Subscriptions() {
		if s.URL == url && strings.Contains(s.Description, "np:") {
			out = append(out, s)
		}
	}
	return out
}

// well reports whether just one of ours is there and on, of which the secret is kept.
func (h *house) well(url string) bool {
	mine := h.ours(url)
	if len(mine) != 1 || !mine[0].Active || len(mine[0].Events) != 3 {
		return false
	}
	kept := h.subscription()
	secret, known := kept.SecretOf(mine[0].ID)
	return known && string(secret) == mine[0].Secret && kept.ID == mine[0].ID && kept.State == record.Subscribed
}

// subscription is what is kept of it.
func (h *house) subscription() record.Subscription {
	h.t.Helper()
	var all map[record.System]record.Subscription
	h.withState(func(s *state.Store) (err error) {
		all, err = s.Subscriptions(context.Background())
		return err
	})
	return all["platform"]
}

// tell has the platform send what it has to tell, and gives the answers.
func (h *house) told() []int {
	h.t.Helper()
	got, err := h.sim.Deliver(context.Background())
	if err != nil {
		h.t.Errorf("deliver: %v", err)
	}
	return got
}

// The subscription is made when the service begins, and what the platform then tells is
// believed and done.
func TestSubscriptionIsMade(t *testing.T) {
	h := linkedGuest(t)
	url := h.subscribed("")
	s := h.serve()
	h.await(10*time.Second, "the subscription is made", func() bool { return h.well(url) })
	aBooking(h)
	if got := h.told(); fmt.Sprint(got) != "[202]" {
		t.Errorf("the answers to the webhooks: %v, want one 202", got)
	}
	h.await(10*time.Second, "the booking is entered", h.entered(1))
	s.stop()
	first, before := h.ours(url)[0].ID, h.subscription().Checked
	s = h.serve()
	aBookingOn(h, 40)
	if got := h.told(); fmt.Sprint(got) != "[202]" {
		t.Errorf("after it was started again: %v, want one 202", got)
	}
	h.await(10*time.Second, "another one is entered", h.entered(2))
	h.await(10*time.Second, "it is looked at", func() bool { return h.subscription().Checked.After(before) })
	s.stop()
	if now := h.ours(url); len(now) != 1 || now[0].ID != first {
		t.Errorf("got %v, want the one that was there", now)
	}
	h.quiet()
}

// aBookingOn is a booking of the guest whom both sides know, some days from now.
func aBookingOn(h *house, in int) string {
	return h.sim.Put("reservations", map[string]any{
		"client_full_name": "Anna Rossi", "client_phone_number": "+390550000001",
		"starting_date": day(in), "ending_date": day(in + 1), "status": "CONFIRMED",
	})
}

// What somebody does to the subscription is mended, what is another's stays, and what
// nobody told meanwhile is found all the same.
func TestSubscriptionIsMended(t *testing.T) {
	for name, c := range map[string]struct {
		did func(*simulator.Subscription)
		why string
	}{
		"deleted":         {func(s *simulator.Subscription) { s.ID = "" }, "somebody deleted it"},
		"disabled":        {func(s *simulator.Subscription) { s.Active = false }, "it was disabled"},
		"another address": {func(s *simulator.Subscription) { s.URL = "http://127.0.0.1:1/" }, "its address is another one"},
		"other events":    {func(s *simulator.Subscription) { s.Events = []string{"order.created"} }, "its events are order.created"},
	} {
		t.Run(name, func(t *testing.T) {
			h := linkedGuest(t)
			url := h.subscribed("")
			other := simulator.Subscription{URL: url, Events: []string{"contact.created"}, Description: "somebody else's", Active: false}
			h.sim.Subscribe(other)
			s := h.serve()
			h.await(10*time.Second, "the subscription is made", func() bool { return h.well(url) })
			mine := h.ours(url)[0]
			h.sim.EditSubscription(mine.ID, c.did)
			aBooking(h)
			if _, err := h.sim.Deliveries(context.Background()); err != nil { // to nobody, or to nowhere
				t.Fatal(err)
			}
			h.await(15*time.Second, "the subscription is mended", func() bool { return h.well(url) })
			h.await(10*time.Second, "what nobody told is found", h.entered(1))
			if got := h.subscription(); got.MendedOf != c.why || got.Repaired != 1 {
				t.Errorf("mended %d times, of %q, want once, of %q", got.Repaired, got.MendedOf, c.why)
			}
			aBookingOn(h, 40)
			if got := h.told(); fmt.Sprint(got) != "[202]" {
				t.Errorf("after it was mended: %v, want one 202", got)
			}
			h.await(10*time.Second, "what was told is entered", h.entered(2))
			if all := h.sim.Subscriptions(); len(all) != 2 || all[0].Active || all[0].Description != other.Description {
				t.Errorf("got %v, want another's as it was and one of ours", all)
			}
			s.stop()
			h.quiet()
		})
	}
}

// Secrets are changed while bookings come in, and the answer that shows a new one is
// late: no delivery is refused and no booking is lost.
func TestSubscriptionRotatesWhileEventsArrive(t *testing.T) {
	t.Parallel()
	h := linkedGuest(t)
	srv := httptest.NewServer(slowAnswers{h.sim, "/webhooks", 200 * time.Millisecond})
	t.Cleanup(srv.Close)
	h.edit(h.url, srv.URL)
	h.edit("time_zone:", "guards: { creates: 1000 }\ntime_zone:")
	url := h.subscribed(", rotate: 2s, overlap: 1900ms")
	s := h.serve()
	h.await(10*time.Second, "the subscription is made", func() bool { return h.well(url) })
	made := 0
	answers := map[int]int{}
	every := time.NewTicker(50 * time.Millisecond)
	defer every.Stop()
	for begun := time.Now(); time.Since(begun) < 9*time.Second; made++ {
		<-every.C
		aBookingOn(h, 2+made)
		for _, status := range h.told() {
			answers[status]++
		}
	}
	if answers[http.StatusAccepted] < made || len(answers) != 1 {
		t.Errorf("%d bookings were told, and answered by %v: want 202 alone", made, answers)
	}
	h.await(20*time.Second, "all bookings are entered", h.entered(made))
	if n := h.subscription().Rotated; n < 2 {
		t.Errorf("the secret was changed %d times, want it to be while they came", n)
	}
	h.await(10*time.Second, "one is left", func() bool { return len(h.ours(url)) == 1 })
	s.stop()
	h.quiet()
}

// A platform without the API, or one that does not let our key at it, is asked once and
// told of once; what happens is found by lists.
func TestSubscriptionIsNotOffered(t *testing.T) {
	for _, status := range []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusForbidden} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			h := linkedGuest(t)
			url := h.subscribed("")
			fault := h.sim.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Path: "/webhooks", Status: status})
			s := h.serve()
			h.await(10*time.Second, "it is known", func() bool { return h.subscription().State == record.NotOffered })
			aBooking(h)
			s.hint("reservations", "reservations", "") // as its cadence would
			h.await(20*time.Second, "the booking is found by a list", h.entered(1))
			s.stop()
			if n := h.sim.FaultHits(fault); n != 1 {
				t.Errorf("it was asked %d times, want once", n)
			}
			if len(h.ours(url)) != 0 {
				t.Error("one is there")
			}
			h.quiet()
		})
	}
}

// What a list finds before a webhook told of it is counted; what a webhook told of is
// not, nor what we write ourselves.
func TestWhatIsPolledFirst(t *testing.T) {
	h := linkedGuest(t)
	url := h.subscribed("")
	s := h.serve()
	h.await(10*time.Second, "the subscription is made", func() bool { return h.well(url) })
	polled := func() (n int64) {
		h.withState(func(st *state.Store) error {
			all, err := st.PolledFirst(context.Background())
			if len(all) != 1 {
				t.Errorf("counted at %v, want at the bookings of the platform alone", all)
			}
			n = all[record.Place{Binding: "reservations", Side: record.Left}].Count
			return err
		})
		return n
	}
	aBooking(h)
	h.told()
	h.await(10*time.Second, "a booking that was told is entered", h.entered(1))
	h.await(10*time.Second, "the hint is heeded", h.heeded) // what is found while it is open counts as told
	whole := func(n int) {
		t.Helper()
		var id int64
		h.withState(func(st *state.Store) (err error) {
			id, err = st.Request(context.Background(), record.Request{Binding: "reservations", Options: `{"full":true}`, Asked: time.Now()})
			return err
		})
		h.await(20*time.Second, "both sides are read whole", func() (done bool) {
			h.withState(func(st *state.Store) error {
				r, err := st.Followed(context.Background(), id)
				done = r.Done()
				return err
			})
			return done
		})
		h.await(20*time.Second, fmt.Sprintf("%d bookings are entered", n), h.entered(n))
	}
	if n := polled(); n != 0 {
		t.Errorf("%d polled first, want none", n)
	}
	aBookingOn(h, 40)
	whole(2)
	if n := polled(); n != 1 {
		t.Errorf("%d polled first, want 1", n)
	}
	h.told() // late
	h.await(10*time.Second, "the late hint is heeded", h.heeded)
	aStay(h, 1)
	whole(3)
	h.await(10*time.Second, "our own create is on the platform", func() bool { return h.sim.Len("reservations") == 3 })
	whole(3)
	if n := polled(); n != 1 {
		t.Errorf("%d polled first, want 1 still", n)
	}
	s.stop()
}

// What is declared no more is taken away; what a pause keeps from being written waits.
func TestSubscriptionIsTakenAway(t *testing.T) {
	h := linkedGuest(t)
	before := h.config
	url := h.subscribed("")
	with := h.config
	s := h.serve()
	h.await(10*time.Second, "the subscription is made", func() bool { return h.well(url) })
	if err := s.reloadWith(before); err != nil {
		t.Fatal(err)
	}
	h.await(10*time.Second, "it is taken away", func() bool { return len(h.sim.Subscriptions()) == 0 && h.subscription().ID == "" })
	h.withState(func(st *state.Store) error {
		return st.Pause(context.Background(), record.Pause{Scope: record.PauseSystem, Name: "platform", Since: time.Now(), Until: time.Now().Add(time.Hour)})
	})
	if err := s.reloadWith(with); err != nil {
		t.Fatal(err)
	}
	h.await(10*time.Second, "the pause is seen", func() bool { return strings.Contains(h.subscription().Why, "paused") })
	if n := len(h.sim.Subscriptions()); n != 0 {
		t.Errorf("%d were made during the pause", n)
	}
	s.stop()
}

// reloadWith has the service take up another configuration.
func (s *service) reloadWith(text string) error {
	s.h.t.Helper()
	s.h.config = text
	s.h.write(filepath.Join(s.h.dir, "nightporter.yaml"), text)
	return s.Reload(context.Background())
}
