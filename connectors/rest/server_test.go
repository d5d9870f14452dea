package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/rest"
	"nightporter/sync/record"
)

// recorded is a request that a server was sent.
type recorded struct {
	Method, Path, Query, Body string
	Header                    http.Header
}

// server answers with a function and remembers what it was asked.
type server struct {
	*httptest.Server
	mu   sync.Mutex
	seen []recorded
}

func serve(t *testing.T, h http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.seen = append(s.seen, recorded{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, string(body), r.Header})
		s.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) last() recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.seen) == 0 {
		return recorded{}
	}
	return s.seen[len(s.seen)-1]
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

func open(t *testing.T, base, preset string, change ...func(*rest.Config)) *rest.Conn {
	t.Helper()
	var file []byte
	name := preset
	if strings.Contains(preset, "\n") {
		name, file = "test", []byte(preset)
	}
	p, err := rest.Load(name, file, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg := rest.Config{System: "crm", Preset: p, BaseURL: base, Secret: func() (string, error) { return "key", nil }}
	for _, c := range change {
		c(&cfg)
	}
	c, err := rest.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// walk reads a list to its end and gives the ids and the last page.
func walk(ctx context.Context, c *rest.Conn, q connectors.Query) (ids []string, last connectors.Page, err error) {
	return walkFrom(ctx, c, q, "")
}

// walkFrom is walk from a cursor on.
func walkFrom(ctx context.Context, c *rest.Conn, q connectors.Query, after record.Cursor) (ids []string, last connectors.Page, err error) {
	for range 100 {
		if last, err = c.Fetch(ctx, q, after); err != nil {
			return ids, last, err
		}
		for _, item := range last.Items {
			ids = append(ids, item.ID)
		}
		if last.End {
			return ids, last, nil
		}
		after = last.Next
	}
	return ids, last, fmt.Errorf("no end after 100 pages")
}

func writeJSON(w http.ResponseWriter, a any) {
	if err := json.NewEncoder(w).Encode(a); err != nil {
		panic(err)
	}
}

// rows is n records beginning with number from.
func rows(from, to int) []any {
	list := []any{}
	for i := from; i < to; i++ {
		list = append(list, map[string]any{"id": fmt.Sprint(i), "n": i})
	}
	return list
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// fails checks an error's class and that its text holds each of the words.
func fails(t *testing.T, err error, class connectors.ErrorClass, words ...string) {
	t.Helper()
	if connectors.ClassOf(err) != class {
		t.Errorf("got class %q (%v), want %q", connectors.ClassOf(err), err, class)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("got %q, want it to say %q", err, w)
		}
	}
}
