package e2e

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/internal/serve"
	"nightporter/simulator"
	"nightporter/sync/record"
)

// service is the daemon of a house, in this process.
type service struct {
	*serve.Daemon
	h    *house
	stop func()
}

// serve starts the daemon. It is stopped with the test, if not before.
func (h *house) serve() *service {
	h.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	path := filepath.Join(h.dir, "nightporter.yaml")
	h.write(path, h.config)
	level := slog.LevelError + 1
	if testing.Verbose() {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	ready, over := make(chan *serve.Daemon, 1), make(chan error, 1)
	go func() {
		over <- serve.Run(ctx, serve.Options{
			Load:  func() (*config.Config, error) { return config.Load(path, nil) },
			App:   app.Options{State: h.stateFile(), Step: h.step, Log: log},
			Log:   log,
			Ready: func(d *serve.Daemon) { ready <- d },
		})
	}()
	s := &service{h: h}
	stopped := false
	s.stop = func() {
		h.t.Helper()
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-over; err != nil {
			h.t.Errorf("the daemon ended with %v", err)
		}
	}
	select {
	case s.Daemon = <-ready:
	case err := <-over:
		cancel()
		h.t.Fatalf("the daemon did not start: %v", err)
	}
	h.t.Cleanup(s.stop)
	return s
}

// hint says that a record of the platform changed; without an id, any of them.
func (s *service) hint(job record.Binding, kind record.Kind, id string) {
	s.h.t.Helper()
	err := s.Hint(context.Background(), []record.Hint{{
		Place: record.Place{Binding: job, Side: record.Left}, Ref: record.Ref{Kind: kind, ID: id}, At: time.Now(),
	}})
	if err != nil {
		s.h.t.Fatalf("hint at %s/%s: %v", kind, id, err)
	}
}

// errLate says that something did not come to pass.
var errLate = errors.New("it did not come to pass")

// within waits until something holds.
func within(d time.Duration, holds func() bool) error {
	every := time.NewTicker(time.Millisecond)
	defer every.Stop()
	late := time.NewTimer(d)
	defer late.Stop()
	for !holds() {
		select {
		case <-every.C:
		case <-late.C:
			return errLate
		}
	}
	return nil
}

func (h *house) await(d time.Duration, what string, holds func() bool) {
	h.t.Helper()
	if err := within(d, holds); err != nil {
		h.t.Fatalf("%s: %v within %v", what, err, d)
	}
}

// isPage reports whether a request asks for a page of the contacts.
func isPage(r simulator.Request) bool {
	return r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/contacts") && !strings.Contains(r.Query, "phone_number=")
}

// pages is how many pages of contacts the platform was asked for.
func (h *house) pages() int {
	n := 0
	for _, r := range h.sim.Requests() {
		if isPage(r) {
			n++
		}
	}
	return n
}

// many is how many contacts a pull goes through: enough for it to take its time, and
// what is promised where there is time for it.
func many() int {
	if os.Getenv("NIGHTPORTER_FULL") != "" {
		return 10_000
	}
	return 300
}

// throttled is how a platform makes a pull take long.
type throttled struct {
	name      string
	perSecond int           // requests that it takes
	answers   time.Duration // how long it takes to answer with a page
}

var throttles = []throttled{{name: "a limit", perSecond: 2}, {name: "slow answers", answers: 200 * time.Millisecond}}

// throttledHouse has n guests on both sides in step and a platform that is slow.
func throttledHouse(t testing.TB, n int, slow throttled) *house {
	h := newHouse(t, simulator.Options{})
	for i := range n {
		h.sim.Put("contacts", map[string]any{"first_name": "Guest", "last_name": fmt.Sprintf("Nr%05d", i), "phone_number": driftPhone(i)})
	}
	h.exec(`WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
		INSERT INTO guests (first_name, last_name, phone) SELECT 'Guest', printf('Nr%05d', i), printf('+3905500%05d', i) FROM n`, n)
	h.sync()
	if slow.perSecond > 0 {
		h.edit("    key: file:", fmt.Sprintf("    limits: { per_second: %d }\n    key: file:", slow.perSecond))
	}
	if slow.answers > 0 {
		h.sim.AddFault(simulator.Fault{Kind: simulator.FaultLatency, Method: "GET", Path: "/contacts", Delay: slow.answers})
	}
	h.edit("    key: file:", fmt.Sprintf("    page_size: %d\n    key: file:", max(n/100, 15)))
	h.edit("settle: 1ms", "settle: 1ms\ngrace: 1s")
	return h
}

// midPull has the daemon read all contacts and returns in the middle of it.
func (s *service) midPull() {
	s.h.t.Helper()
	before := s.h.pages()
	s.hint("guests", "contacts", "")
	s.h.await(20*time.Second, "the pull of contacts begins", func() bool { return s.h.pages() >= before+4 })
}

func bookingOf(h *house, phone string) string {
	return h.sim.Put("reservations", map[string]any{
		"client_full_name": "Nora Neri", "client_phone_number": phone,
		"starting_date": day(3), "ending_date": day(5), "status": "CONFIRMED",
	})
}

// While a throttled pull of contacts goes on, a booking of a known guest that is hinted
// at stands in the PMS before the pull's next two requests.
func TestKickedBookingGoesBeforeTheNextTwoPages(t *testing.T) {
	for _, slow := range throttles {
		t.Run(slow.name, func(t *testing.T) {
			h := throttledHouse(t, many(), slow)
			s := h.serve()
			s.midPull()
			id := bookingOf(h, driftPhone(7))
			before := h.pages()
			s.hint("reservations", "reservations", id)
			h.await(10*time.Second, "the booking is entered", func() bool { return h.one(`SELECT count(*) FROM reservations`) == "1" })
			between := h.pages() - before
			t.Logf("%d pages before it was entered", between)
			if between >= 2 {
				t.Errorf("got %d pages asked for before the booking was entered, want less than 2", between)
			}
			s.goesOn()
			s.stop()
			h.quiet()
		})
	}
}

// goesOn fails the test unless the pull is still under way.
func (s *service) goesOn() {
	s.h.t.Helper()
	pages := s.h.pages()
	s.h.await(10*time.Second, "the pull goes on", func() bool { return s.h.pages() > pages })
}

// The same for a caller whom nobody knows: the platform made the contact a moment ago.
// The contact is found by its phone and made in the PMS, and the booking is entered,
// while the pull goes on.
func TestKickedBookingOfANewCaller(t *testing.T) {
	for _, slow := range throttles {
		t.Run(slow.name, func(t *testing.T) {
			h := throttledHouse(t, many(), slow)
			s := h.serve()
			s.midPull()
			h.sim.Put("contacts", map[string]any{"first_name": "Nora", "last_name": "Neri", "phone_number": "+390559999999"})
			id := bookingOf(h, "+390559999999")
			before := h.pages()
			s.hint("reservations", "reservations", id)
			h.await(10*time.Second, "the booking is entered", func() bool { return h.one(`SELECT count(*) FROM reservations`) == "1" })
			between := h.pages() - before
			t.Logf("%d pages before it was entered", between)
			// One that was under way, one while the booking is decided anew, and as many again
			// for a machine that is busy with other tests.
			if between > 4 {
				t.Errorf("got %d pages asked for before the booking was entered, want 4 at most", between)
			}
			if got := h.one(`SELECT first_name FROM guests g JOIN reservations r ON r.guest_id = g.id`); got != "Nora" {
				t.Errorf("the booking's guest: got %q, want Nora", got)
			}
			s.goesOn()
			s.stop()
			h.quiet()
		})
	}
}
