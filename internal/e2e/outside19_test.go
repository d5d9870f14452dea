//go:build unix

package e2e

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

// A sync that waits for a system says for which, until when and why, and status says
// what that system told.
func TestOutside19SyncSaysForWhomItWaits(t *testing.T) {
	s := newServed(t, binary(t))
	next := s.gate.next
	s.gate.next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-RateLimit-Limit", "100")
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset", "60000")
		next.ServeHTTP(w, r)
	})
	s.guest("Ada", 1)
	sync := s.begin("sync", "guests", "--yes").says("platform: its limits let the next request go at").
		says("its answers tell (x-ratelimit) that nothing may be sent before")
	eventually(t, words("status says what is told"), func() bool {
		return strings.Contains(s.do(0, "status").stdout(), "no refusal says so, and one request is sent at")
	})
	sync.signal(os.Interrupt)
	<-sync.over
}
