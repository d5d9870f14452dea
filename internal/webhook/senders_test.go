package webhook

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/time/rate"
)

// Strangers who begin deliveries and end none of them, or send many, have none of those refused
// that come from an address whose deliveries were verified; be it behind a proxy of the house.
func TestWeakStrangersKeepNobodyOut(t *testing.T) {
	const good = `{"id":"ev1","type":"event.updated","resource_id":"c1"}`
	long := good + strings.Repeat(" ", 80_000-len(good))
	for name, comes := range map[string]func(*http.Request, string){
		"direct": func(req *http.Request, from string) { req.RemoteAddr = from + ":4711" },
		"behind a proxy": func(req *http.Request, from string) {
			req.RemoteAddr = "10.0.0.9:4711"
			req.Header.Set("X-Forwarded-For", "198.51.100.7, "+from)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := receiving(t, &disk{}, "bearer")
			platform(r).MostBytes, platform(r).bodies.most = 150_000, 200_000
			send := func(from, body string) int {
				req := request(t, "bearer", body, noon)
				comes(req, from)
				if body == "forged" {
					req.Header.Set("Authorization", "Bearer guessed")
				}
				return answer(r, req).Code
			}
			if got := send("198.51.100.7", good); got != http.StatusAccepted {
				t.Fatalf("the first one got %d", got)
			}
			done := make(chan *httptest.ResponseRecorder, 9)
			var bodies []*slowly
			for i := range 9 { // as many addresses, more than there is room for
				b := slow(long)
				req := request(t, "bearer", "", noon)
				req.Header.Set("Authorization", "Bearer guessed")
				comes(req, netip.AddrFrom4([4]byte{203, 0, 113, byte(i)}).String())
				req.Body, req.ContentLength = io.NopCloser(b), -1
				go func() { done <- answer(r, req) }()
				select {
				case <-b.stalled:
					bodies = append(bodies, b)
				case got := <-done:
					if got.Code != http.StatusServiceUnavailable {
						t.Errorf("a stranger got %d, want 503", got.Code)
					}
				}
			}
			if got := send("198.51.100.7", long); got != http.StatusAccepted {
				t.Errorf("while strangers send, one that is known got %d, want 202", got)
			}
			for _, b := range bodies {
				close(b.let)
				<-done
			}
			if p := platform(r); p.bodies.held.Load() != 0 || p.bodies.strange.Load() != 0 {
				t.Errorf("%d and %d bytes are held when all is over", p.bodies.held.Load(), p.bodies.strange.Load())
			}

			platform(r).limit, platform(r).strange = rate.NewLimiter(0, 20), rate.NewLimiter(0, 10)
			for range 100 {
				send("203.0.113.1", "forged")
			}
			for range 10 {
				if got := send("198.51.100.7", good); got != http.StatusAccepted {
					t.Fatalf("after many of a stranger, one that is known got %d, want 202", got)
				}
			}
		})
	}
}

// Whoever has a public address says nothing of whom it passes on; and few addresses are kept.
func TestSenders(t *testing.T) {
	req := request(t, "bearer", "", noon)
	for _, c := range []struct{ remote, said, want string }{
		{"203.0.113.1:80", "198.51.100.7", "203.0.113.1"},
		{"127.0.0.1:80", "198.51.100.7", "198.51.100.7"},
		{"[::1]:80", "203.0.113.1, ::ffff:198.51.100.7", "198.51.100.7"},
		{"192.168.1.2:80", "unknown", "192.168.1.2"},
		{"192.168.1.2:80", "", "192.168.1.2"},
	} {
		req.RemoteAddr = c.remote
		req.Header.Set("X-Forwarded-For", c.said)
		if got := senderOf(req); got.String() != c.want {
			t.Errorf("%s for %q: %s, want %s", c.remote, c.said, got, c.want)
		}
	}
	s := &senders{}
	for i := range 3 * mostKnown {
		s.verified(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), noon)
	}
	if len(s.known) != mostKnown {
		t.Errorf("%d addresses are kept, want %d", len(s.known), mostKnown)
	}
	if from := netip.AddrFrom4([4]byte{10, 0, 0, 0}); s.strange(from, noon.Add(2*knownFor)) {
		t.Error("where nobody is known any more somebody is strange")
	}
}
