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
// meanwhile comes again.
func TestBodiesHeldAtOnce(t *testing.T) {
	const good = `{"id":"ev1","type":"event.updated","resource_id":"c1"}`
	d := &disk{}
	r := receiving(t, d, "bearer")
	platform(r).bodies.most = 1000
	long := slow(`{"type":"event.updated","id":"2"}` + strings.Repeat(" ", 960))
	first := request(t, "bearer", "", noon)
	first.Body = io.NopCloser(long)
	done := make(chan *httptest.ResponseRecorder, 1)
	go func() { done <- answer(r, first) }()
	<-long.stalled
	got := answer(r, request(t, "bearer", good, noon))
	if got.Code != http.StatusServiceUnavailable || got.Header().Get("Retry-After") == "" || len(d.kept) != 0 {
		t.Errorf("while much is held: got %d with %v and %d kept, want 503 with Retry-After and none", got.Code, got.Header(), len(d.kept))
	}
	if n := platform(r).Busy.Load(); n != 1 {
		t.Errorf("%d deliveries are counted as busy, want 1", n)
	}
	close(long.let)
	if got := <-done; got.Code != http.StatusAccepted {
		t.Errorf("the long one: got %d (%s), want 202", got.Code, got.Body)
	}
	if got := answer(r, request(t, "bearer", good, noon)); got.Code != http.StatusAccepted || platform(r).bodies.held.Load() != 0 {
		t.Errorf("sent again: got %d with %d bytes held, want 202 and none", got.Code, platform(r).bodies.held.Load())
	}
}
