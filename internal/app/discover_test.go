package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"nightporter/internal/config"
)

// However an API answers, no more is sent than was said before, and GET alone.
func TestDiscoverIsBounded(t *testing.T) {
	t.Parallel() // an API that fails is asked again, after a while
	for name, answer := range map[string]func(w http.ResponseWriter){
		"it fails":        func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) },
		"it never ends":   func(w http.ResponseWriter) { page(w, `{"data":[{"id":"1"}],"meta":{"has_next":true}}`) },
		"it has nothing":  func(w http.ResponseWriter) { page(w, `{"data":[],"meta":{"has_next":false}}`) },
		"it is a stopper": func(w http.ResponseWriter) { page(w, `<html>`) },
	} {
		t.Run(name, func(t *testing.T) {
			var sent, other atomic.Int64
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent.Add(1)
				if r.Method != http.MethodGet {
					other.Add(1)
				}
				answer(w)
			}))
			defer srv.Close()
			cfg := twoSystems(t, srv.URL)
			var said []string
			d, err := Discover(t.Context(), cfg, "a", "b", Options{}, func(text string) {
				if sent.Load() > 0 {
					t.Errorf("%d requests were sent before it was said", sent.Load())
				}
				said = append(said, text)
			})
			var most, pages, kinds int
			if len(said) == 2 {
				_, _ = fmt.Sscanf(said[0], "a: at most %d requests, all of them GET: %d pages of each of %d kinds", &most, &pages, &kinds)
			}
			if kinds < 3 || pages != MostPages || most != kinds*pages {
				t.Errorf("said %q", said)
			}
			if sent.Load() == 0 || sent.Load() > int64(2*most) || other.Load() > 0 {
				t.Errorf("%d requests were sent, %d of them not GET", sent.Load(), other.Load())
			}
			if err == nil && int64(d.Requests["a"]+d.Requests["b"]) != sent.Load() {
				t.Errorf("reported %v of %d requests", d.Requests, sent.Load())
			}
			if err == nil && !strings.Contains(d.Config, "# not known: the clock on the house's wall") {
				t.Errorf("nothing says that the clock is not known:\n%s", d.Config)
			}
		})
	}
}

// A key that is not known is not shown once more for each kind.
func TestDiscoverStopsAtAnUnknownKey(t *testing.T) {
	var sent atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		sent.Add(1)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer srv.Close()
	_, err := Discover(t.Context(), twoSystems(t, srv.URL), "a", "b", Options{}, func(string) {})
	if err == nil || !strings.Contains(err.Error(), "does not know the key") || sent.Load() != 1 {
		t.Errorf("%d requests, %v; want one, and that the key is not known", sent.Load(), err)
	}
}

// twoSystems is a configuration of two systems at an address, and of nothing else.
func twoSystems(t *testing.T, address string) *config.Config {
	t.Helper()
	dir := t.TempDir()
	path, key := filepath.Join(dir, "bare.yaml"), filepath.Join(dir, "key")
	system := "{ preset: platform, base_url: " + address + ", key: \"file:" + key + "\" }\n"
	for name, text := range map[string]string{path: "systems:\n  a: " + system + "  b: " + system, key: "k"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := config.LoadSystems(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func page(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(text))
}
