package outbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/record"
)

// errDead is what everything answers once the process is dead.
var errDead = errors.New("the process is dead")

// mortal is a store of a process that is killed before or after its nth step.
type mortal struct {
	Store
	mu    sync.Mutex
	steps int // left
}

// step reports whether a step is made, and whether anybody lives to hear of it.
func (m *mortal) step(do func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.steps--; m.steps < 0 {
		return errDead
	}
	err := do()
	if m.steps--; m.steps < 0 {
		return errDead
	}
	return err
}

func (m *mortal) Tell(ctx context.Context, t record.Told, now time.Time) error {
	return m.step(func() error { return m.Store.Tell(ctx, t, now) })
}

func (m *mortal) EventSent(ctx context.Context, e record.Event, now time.Time) error {
	return m.step(func() error { return m.Store.EventSent(ctx, e, now) })
}

func (m *mortal) EventFailed(ctx context.Context, e record.Event, why string, next, dead, now time.Time) (n int64, err error) {
	err = m.step(func() error {
		n, err = m.Store.EventFailed(ctx, e, why, next, dead, now)
		return err
	})
	return n, err
}

func (m *mortal) EventRefused(ctx context.Context, e record.Event, why string, now time.Time) (n int64, err error) {
	err = m.step(func() error {
		n, err = m.Store.EventRefused(ctx, e, why, now)
		return err
	})
	return n, err
}

// Killed before and after each step, nothing is lost, the order stays, and what comes
// twice comes under the same id with the same words.
func TestKilledAtEachStep(t *testing.T) {
	const events = 4
	for steps := range 2 * (events + 4) {
		t.Run(fmt.Sprint(steps), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, r := newHouse(t), &receivers{}
				tries := 0
				r.answers(func(delivery) (int, http.Header) {
					if tries++; tries == 2 {
						return 500, nil
					}
					return 200, nil
				})
				o, stop := h.begin(&mortal{Store: h.store, steps: steps}, r, io.Discard, to("n8n.example.com"))
				h.halts(events)
				o.Kick()
				synctest.Wait()
				stop()
				_, stop = h.begin(h.store, r, io.Discard, to("n8n.example.com"))
				pass(time.Minute)
				stop()
				came, bodies := r.at("n8n.example.com"), map[string]string{}
				if got := once(ids(came)); len(got) != events {
					t.Fatalf("%d of %d events arrived", len(got), events)
				}
				for i, d := range came {
					if bodies[d.id] == "" && !strings.Contains(d.body, fmt.Sprintf("halt%03d", len(bodies)+1)) {
						t.Errorf("out of order: %d is %s", i, d.body)
					}
					if was := bodies[d.id]; was != "" && was != d.body {
						t.Errorf("%s is another thing the second time: %s, %s", d.id, was, d.body)
					}
					bodies[d.id] = d.body
				}
			})
		})
	}
}
