//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"nightporter/simulator"
)

// patience is how long a test waits for what must come; wink is how often it looks.
const (
	patience = 20 * time.Second
	wink     = 20 * time.Millisecond
)

// turnstile lets requests through to the platform, but for one that it keeps waiting.
type turnstile struct {
	next http.Handler

	mu      sync.Mutex
	match   func(*http.Request) bool // nil: keep none
	release chan struct{}
	waiting bool
}

func (g *turnstile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	var wait chan struct{}
	if g.match != nil && g.match(r) {
		g.match, g.waiting, wait = nil, true, g.release
	}
	g.mu.Unlock()
	if wait != nil {
		<-wait
	}
	g.next.ServeHTTP(w, r)
}

// stop keeps the next request that matches; it gives what lets that go on.
func (g *turnstile) stop(match func(*http.Request) bool) (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	ch := make(chan struct{})
	g.match, g.waiting, g.release = match, false, ch
	return sync.OnceFunc(func() { close(ch) })
}

func (g *turnstile) stands() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.waiting
}

func listsContacts(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/contacts")
}

// served is a house that the program itself looks after.
type served struct {
	*house
	t       *testing.T
	program string
	path    string   // of the configuration
	env     []string // what the next processes get beside the environment of the tests
	gate    *turnstile
}

func newServed(t *testing.T, program string) *served {
	t.Helper()
	h := newHouse(t, simulator.Options{})
	gate := &turnstile{next: h.sim}
	srv := httptest.NewServer(gate)
	t.Cleanup(srv.Close)
	h.edit(h.url, srv.URL)
	// Due by the clock in hours only: what runs in these tests is asked for.
	at := time.Now().UTC().Add(6 * time.Hour).Format("15:04")
	h.edit("time_zone: Europe/Rome\n", fmt.Sprintf("time_zone: UTC\nstate: %s\ngrace: 10s\n", filepath.Join(h.dir, "state.db")))
	h.edit("    kind: contact\n", fmt.Sprintf("    kind: contact\n    when: { full: %q }\n", at))
	h.edit("    kind: stay\n", fmt.Sprintf("    kind: stay\n    when: { full: %q }\n", at))
	s := &served{house: h, t: t, program: program, path: filepath.Join(h.dir, "nightporter.yaml"), gate: gate}
	h.write(s.path, h.config)
	return s
}

// guest enters a guest in the PMS.
func (s *served) guest(name string, n int) {
	s.t.Helper()
	s.exec(`INSERT INTO guests (first_name, last_name, phone) VALUES (?, 'Example', ?)`, name, fmt.Sprintf("+3905500%05d", n))
}

// child is the program as it runs beside the test.
type child struct {
	t        *testing.T
	cmd      *exec.Cmd
	mu       sync.Mutex
	out, err bytes.Buffer
	over     chan struct{}
	code     int
}

type locked struct {
	mu *sync.Mutex
	b  *bytes.Buffer
}

func (l locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// begin starts a command of the program on the house's configuration.
func (s *served) begin(args ...string) *child {
	s.t.Helper()
	return s.beginWith(s.path, args...)
}

func (s *served) beginWith(config string, args ...string) *child {
	s.t.Helper()
	c := &child{t: s.t, over: make(chan struct{})}
	c.cmd = exec.Command(s.program, append(args, "--config", config)...)
	c.cmd.Env = append(os.Environ(), s.env...)
	c.cmd.Stdout, c.cmd.Stderr = locked{&c.mu, &c.out}, locked{&c.mu, &c.err}
	if err := c.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		defer close(c.over)
		if err := c.cmd.Wait(); err != nil {
			c.code = -1
			if exit, ok := errors.AsType[*exec.ExitError](err); ok {
				c.code = exit.ExitCode()
			}
		}
	}()
	s.t.Cleanup(func() {
		select {
		case <-c.over:
		default:
			_ = c.cmd.Process.Kill()
			<-c.over
		}
	})
	return c
}

func (c *child) stdout() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.String()
}

func (c *child) stderr() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err.String()
}

func (c *child) signal(sig os.Signal) {
	c.t.Helper()
	if err := c.cmd.Process.Signal(sig); err != nil {
		c.t.Fatal(err)
	}
}

// ends waits for a command and its exit code.
func (c *child) ends(code int) *child {
	c.t.Helper()
	select {
	case <-c.over:
	case <-time.After(patience):
		c.t.Fatalf("%q did not end in %s\n%s%s", c.cmd.Args[1:], patience, c.stdout(), c.stderr())
	}
	if c.code != code {
		c.t.Fatalf("%q ended with %d, want %d\n%s%s", c.cmd.Args[1:], c.code, code, c.stdout(), c.stderr())
	}
	return c
}

// says waits until a text is on stderr.
func (c *child) says(text string) *child {
	c.t.Helper()
	eventually(c.t, func() string { return fmt.Sprintf("%q says %q, but:\n%s", c.cmd.Args[1:], text, c.stderr()) },
		func() bool { return strings.Contains(c.stderr(), text) })
	return c
}

// printed fails unless a text is on stdout.
func (c *child) printed(texts ...string) *child {
	c.t.Helper()
	for _, text := range texts {
		if !strings.Contains(c.stdout(), text) {
			c.t.Errorf("%q printed no %q:\n%s", c.cmd.Args[1:], text, c.stdout())
		}
	}
	return c
}

// eventually waits until something holds.
func eventually(t *testing.T, what func() string, holds func() bool) {
	t.Helper()
	every := time.NewTicker(wink)
	defer every.Stop()
	late := time.After(patience)
	for !holds() {
		select {
		case <-every.C:
		case <-late:
			t.Fatalf("not in %s: %s", patience, what())
		}
	}
}

func words(text string) func() string { return func() string { return text } }

// do runs a command to its end.
func (s *served) do(code int, args ...string) *child {
	s.t.Helper()
	return s.begin(args...).ends(code)
}

// serve starts the service and waits until it runs jobs.
func (s *served) serve(args ...string) *child {
	s.t.Helper()
	return s.begin(append([]string{"serve"}, args...)...).says(`"msg":"jobs run"`)
}

// midRun has the service run a job, and keeps it in the middle of that.
func (s *served) midRun(args ...string) (asked *child, release func()) {
	s.t.Helper()
	release = s.gate.stop(listsContacts)
	s.t.Cleanup(release)
	asked = s.begin(append([]string{"sync", "guests"}, args...)...)
	eventually(s.t, func() string { return "the run reads contacts\n" + asked.stderr() }, s.gate.stands)
	return asked, release
}

// into decodes what a command printed as JSON.
func (c *child) into(v any) {
	c.t.Helper()
	if err := json.Unmarshal([]byte(c.stdout()), v); err != nil {
		c.t.Fatalf("%q: %v\n%s", c.cmd.Args[1:], err, c.stdout())
	}
}

func (s *served) contacts(n int) {
	s.t.Helper()
	eventually(s.t, func() string { return fmt.Sprintf("%d contacts, there are %d", n, s.sim.Len("contacts")) },
		func() bool { return s.sim.Len("contacts") == n })
}

var stopped, goOn = syscall.SIGSTOP, syscall.SIGCONT
