package webhook

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// slowly gives the last byte of a text once it is let.
type slowly struct {
	io.Reader
	stalled, let chan struct{}
	last         io.Reader
}

func slow(text string) *slowly {
	n := len(text) - 1
	return &slowly{strings.NewReader(text[:n]), make(chan struct{}), make(chan struct{}), strings.NewReader(text[n:])}
}

func (s *slowly) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err == io.EOF && s.last != nil {
		close(s.stalled)
		<-s.let
		s.Reader, s.last, err = s.last, nil, nil
	}
	return n, err
}

// Deliveries that are begun and not ended hold no more than is set, and what comes
// meanwhile comes again. Small ones find room for longer.
func TestBodiesHeldAtOnce(t *testing.T) {
	const good = `{"id":"ev1","type":"event.updated","resource_id":"c1"}`
	long := func(size int) string { return good + strings.Repeat(" ", size-len(good)) }
	for _, c := range []struct {
		name     string
		stalled  []int // how long those are that are under way
		body     string
		status   int
		declared bool
	}{
		{"a large one alone", nil, long(100_000), http.StatusAccepted, true},
		{"a large one", []int{100_000}, long(100_000), http.StatusServiceUnavailable, true},
		{"a large one, of a length that is not said", []int{100_000}, long(100_000), http.StatusServiceUnavailable, false},
		{"one that is too large", []int{100_000}, long(200_000), http.StatusRequestEntityTooLarge, true},
		{"a small one", []int{100_000, 60_000, 60_000}, good, http.StatusAccepted, true},
		{"a small one too many", []int{100_000, 60_000, 60_000}, long(60_000), http.StatusServiceUnavailable, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &disk{}
			r := receiving(t, d, "bearer")
			platform(r).MostBytes, platform(r).bodies.most = 150_000, 120_000
			var bodies []*slowly
			done := make(chan *httptest.ResponseRecorder, 3)
			for _, size := range c.stalled {
				b := slow(long(size))
				req := request(t, "bearer", "", noon)
				req.Body, req.ContentLength = io.NopCloser(b), -1
				go func() { done <- answer(r, req) }()
				<-b.stalled
				bodies = append(bodies, b)
			}
			send := func() *httptest.ResponseRecorder {
				req := request(t, "bearer", c.body, noon)
				if !c.declared {
					req.ContentLength = -1
				}
				return answer(r, req)
			}
			got := send()
			again := got.Code == http.StatusServiceUnavailable
			if got.Code != c.status || (got.Header().Get("Retry-After") != "") != again {
				t.Errorf("got %d (%s) with %v, want %d", got.Code, got.Body, got.Header(), c.status)
			}
			for _, b := range bodies {
				close(b.let)
			}
			for range bodies {
				<-done
			}
			if held := platform(r).bodies.held.Load(); held != 0 {
				t.Errorf("%d bytes are held when all is over", held)
			}
			if again {
				if got := send(); got.Code != http.StatusAccepted {
					t.Errorf("sent again: got %d (%s), want 202", got.Code, got.Body)
				}
			}
		})
	}
}
