//go:build unix

package state_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nightporter/state"
)

// A process that stands still in the middle of a run keeps its lock of the file.
// Another takes over all the same, and when the first goes on, nothing that it had
// in hand is committed, sent or begun.
func TestStalledHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path, state.Options{})
	register(t, s)
	p := start(t, path)
	if got := p.line(); got != "runs" {
		t.Fatal(got)
	}
	p.tell("write before")
	p.tell("send")
	for range 2 {
		if got := p.line(); !strings.Contains(got, "error: <nil>") {
			t.Fatalf("before it was stopped: %s", got)
		}
	}
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus // the signal is sent; it counts once the process stands still
	if _, err := syscall.Wait4(p.cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("got status %v, %v; want it stopped", status, err)
	}
	for _, what := range []string{"send", "write late", "begin", "write later", "beat", "take"} {
		p.tell(what) // what it is about to do when it goes on
	}
	now := time.Now()
	if err := s.TakeOver(t.Context(), "nightporter serve --take-over", 5*time.Minute, now); err == nil {
		t.Fatal("a holder that gave a sign of life was taken over")
	}
	if err := s.TakeOver(t.Context(), "nightporter serve --take-over", 5*time.Minute, now.Add(6*time.Minute)); err != nil {
		t.Fatal(err)
	}
	l, err := s.Begin(t.Context(), "guests", false, now)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for range 6 {
		if got := p.line(); !strings.Contains(got, "fenced: true") {
			t.Errorf("after it went on: %s", got)
		}
	}
	if err := s.See(t.Context(), l, guests, "m", seen("mine", 10)); err != nil {
		t.Errorf("the one that took over: %v", err)
	}
	if c, err := s.Counts(t.Context(), "guests"); err != nil || c["left.entries"] != 2 {
		t.Errorf("got %d entries, %v; want that from before and mine", c["left.entries"], err)
	}
	third := open(t, path, state.Options{})
	if err := third.Lock(t.Context(), "nightporter sync", now); err == nil || !strings.Contains(err.Error(), "--take-over") {
		t.Errorf("got error %v, want that the second holds it", err)
	}
}
