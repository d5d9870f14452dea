//go:build unix

package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nightporter/state"
	"nightporter/sync/record"
)

// Killed with SIGKILL at random moments while webhooks pour in, the program has kept every
// one that it said yes to: it is heeded, or still to be.
func TestWebhooksKilled(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 6))
	s := newServed(t, binary(t))
	url := s.listens()
	s.edit("    kind: stay\n    when: { ", "    kind: stay\n    when: { webhook: platform, ")
	s.write(s.path, s.config)
	var taken []string
	for n := range numberFrom("NIGHTPORTER_CRASH_N", 4) {
		c := s.serve()
		some, done := s.pour(url, fmt.Sprint("life", n), 16)
		eventually(t, words("a webhook is taken"), func() bool { return some() > 0 })
		time.Sleep(time.Duration(rng.IntN(400)) * time.Millisecond) //nolint:forbidigo // the moment of the kill
		if err := c.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-c.over
		taken = append(taken, done()...)
	}
	st, err := state.Open(t.Context(), filepath.Join(s.dir, "state.db"), state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var again []record.Hint
	for _, id := range taken {
		again = append(again, record.Hint{
			Place: record.Place{Binding: "reservations", Side: record.Left}, Ref: record.Ref{Kind: "reservations", ID: id}, Event: "ev-" + id, At: time.Now(),
		})
	}
	fresh, err := st.Hint(t.Context(), again)
	if err != nil {
		t.Fatal(err)
	}
	if fresh > 0 {
		t.Errorf("of %d webhooks that were answered 202 the state does not know %d", len(taken), fresh)
	}
	t.Logf("%d webhooks were taken", len(taken))
}

// pour sends deliveries from so many senders, each of another record, until nobody answers
// any more; it gives how many were taken so far, and what waits for the end and gives the
// records whose deliveries were.
func (s *served) pour(url, life string, senders int) (some func() int, done func() []string) {
	var all sync.WaitGroup
	var next atomic.Int64
	var mu sync.Mutex
	var taken []string
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: senders}}
	for range senders {
		all.Go(func() {
			for {
				id := fmt.Sprintf("%s-%d", life, next.Add(1))
				status, err := deliver(s.t.Context(), client, url, eventOf("event.updated", id))
				if err != nil {
					return
				}
				if status == http.StatusAccepted {
					mu.Lock()
					taken = append(taken, id)
					mu.Unlock()
				}
			}
		})
	}
	some = func() int { mu.Lock(); defer mu.Unlock(); return len(taken) }
	return some, func() []string { all.Wait(); return taken }
}
