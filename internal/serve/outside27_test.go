package serve

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/state"
)

// On a full disk nothing is sent: the service says that it is not ready, and why.
func TestOutside27NotReadyOnAFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := state.Open(t.Context(), path, state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Lock(t.Context(), "nightporter serve", time.Now()); err != nil {
		t.Fatal(err)
	}
	d := &Daemon{store: s, seen: newNumbers()}
	ask := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		d.handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		return w
	}
	if w := ask(); w.Code != http.StatusOK {
		t.Fatalf("with room: got %d %s", w.Code, w.Body)
	}
	if err := s.LimitGrowth(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path + ".reserve"); err != nil {
		t.Fatal(err)
	}
	if w := ask(); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "disk is full") {
		t.Errorf("on a full disk: got %d %s", w.Code, w.Body)
	}
}
