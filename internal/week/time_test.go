package week

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"time"
)

// deed is something that is done in the week, at its time.
type deed struct {
	at time.Time
	do func()
}

// on puts a deed on the timeline: day 0 is the first Monday.
func (w *world) on(day int, clock string, do func()) {
	w.t.Helper()
	at, err := time.Parse("15:04", clock)
	if err != nil {
		w.t.Fatal(err)
	}
	y, m, d := monday.Date()
	w.todo = append(w.todo, deed{time.Date(y, m, d+day, at.Hour(), at.Minute(), 0, 0, w.zone), do})
}

// play lets the week pass until a time, with all that is on the timeline.
func (w *world) play(until time.Time) {
	w.t.Helper()
	slices.SortStableFunc(w.todo, func(a, b deed) int { return a.at.Compare(b.at) })
	for len(w.todo) > 0 && !w.todo[0].at.After(until) {
		d := w.todo[0]
		w.todo = w.todo[1:]
		w.pass(d.at)
		d.do()
		w.post()
	}
	w.pass(until)
}

// tick is how far the clock goes on before the world looks around.
const tick = 2 * time.Minute

// pass lets time pass. What is killed is started again, and what nobody took is brought
// once more.
func (w *world) pass(until time.Time) {
	for {
		now := time.Now()
		w.exec(`UPDATE clock.hands SET at = $1`, now)
		if w.life == nil && !w.back.IsZero() && !w.back.After(now) {
			w.start()
		}
		w.post()
		left := time.Until(until)
		if left <= 0 {
			return
		}
		if w.life == nil {
			w.sleep(min(tick, left))
			continue
		}
		select {
		case <-w.life.Killed():
			w.bury()
		case <-time.After(min(tick, left)):
		}
	}
}

// post brings the platform's webhooks, in their order; one that is not taken comes again.
func (w *world) post() {
	w.t.Helper()
	more, err := w.sim.Deliveries(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range more {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.t.Fatal(err)
		}
		w.posts, w.bodies = append(w.posts, r), append(w.bodies, body)
	}
	for len(w.posts) > 0 && w.life != nil {
		r := w.posts[0].Clone(context.Background())
		r.URL.Scheme = "http" // as the proxy with the certificate passes it on
		r.Body = io.NopCloser(bytes.NewReader(w.bodies[0]))
		resp, err := w.street.client(hookAt).Do(r)
		if err != nil {
			return
		}
		_ = resp.Body.Close()
		switch resp.StatusCode {
		case http.StatusAccepted:
		case http.StatusServiceUnavailable:
			return
		default:
			if w.every == 0 {
				w.t.Errorf("a webhook was answered %d", resp.StatusCode)
			}
		}
		w.posts, w.bodies = w.posts[1:], w.bodies[1:]
	}
}

// heard notes an event that the program sent.
func (w *world) heard(body []byte) {
	var e struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		e.Type = err.Error()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, e.Type)
}
