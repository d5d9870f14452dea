package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/internal/serve"
	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/record"
)

// overheard is serve, running in this process on the house's configuration.
type overheard struct {
	h      *house
	d      *serve.Daemon
	log    logged
	told   logged       // the service manager
	stop   func()       // may be called more than once
	asking *state.Store // as a command beside it has it open
}

// logged is a log that can be read while it is written.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// serving runs serve until the test ends, logging all it can. wire, if there is one,
// stands between it and the platform.
func (h *house) serving(wire http.RoundTripper) *overheard {
	h.t.Helper()
	s := &overheard{h: h}
	path := filepath.Join(h.dir, "nightporter.yaml")
	h.write(path, h.config)
	o := app.Options{State: h.stateFile(), Log: slog.New(slog.NewJSONHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	if wire != nil {
		o.Transport = func(string) http.RoundTripper { return wire }
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, over := make(chan struct{}), make(chan error, 1)
	go func() {
		over <- serve.Run(ctx, serve.Options{
			Load: func() (*config.Config, error) { return config.Load(path, nil) },
			App:  o, Log: o.Log, Ready: func(d *serve.Daemon) { s.d = d; close(ready) },
			Watchdog: 300 * time.Millisecond, Notify: func(state string) { fmt.Fprintln(&s.told, state) },
		})
	}()
	select {
	case <-ready:
	case err := <-over:
		cancel()
		h.t.Fatalf("serve: %v", err)
	}
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-over; err != nil {
			h.t.Errorf("serve: %v", err)
		}
	})
	h.t.Cleanup(s.stop)
	var err error
	if s.asking, err = state.Open(h.t.Context(), h.stateFile(), state.Options{}); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { s.asking.Close() })
	return s
}

// run has all jobs run, compared whole, and gives how that ended.
func (s *overheard) run() record.Request {
	s.h.t.Helper()
	id, err := serve.Ask(s.h.t.Context(), s.asking, "", serve.Wish{Yes: true, Full: true}, "a test", time.Now())
	if err != nil {
		s.h.t.Fatal(err)
	}
	return s.ended(id)
}

// ended is a request that has come to its end.
func (s *overheard) ended(id int64) record.Request {
	s.h.t.Helper()
	tick, late := time.NewTicker(10*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-late:
			s.h.t.Fatalf("no end of a run within a minute; the log:\n%s", s.log.String())
		}
		r, err := s.asking.Followed(s.h.t.Context(), id)
		if err != nil {
			s.h.t.Fatal(err)
		}
		if r.Done() {
			return r
		}
	}
}

// until waits for a text in what is written.
func (s *overheard) until(where *logged, text string) {
	s.h.t.Helper()
	tick, late := time.NewTicker(10*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for !strings.Contains(where.String(), text) {
		select {
		case <-tick.C:
		case <-late:
			s.h.t.Fatalf("no %q within a minute in:\n%s", text, where.String())
		}
	}
}

// wireFunc answers in place of a system, or passes a request on.
type wireFunc func(r *http.Request, pass func(*http.Request) (*http.Response, error)) (*http.Response, error)

func (f wireFunc) RoundTrip(r *http.Request) (*http.Response, error) {
	return f(r, http.DefaultTransport.RoundTrip)
}

func spoken(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// A key that is replaced while serve runs is taken up by the request that the old one
// was refused for: no run fails, nothing is reloaded.
func TestServeTakesANewKey(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.sim.Put("contacts", map[string]any{"first_name": "Ada", "last_name": "Example", "phone_number": "+39055000111"})
	key, refused, both := filepath.Join(h.dir, "platform.key"), 0, true
	s := h.serving(wireFunc(func(r *http.Request, pass func(*http.Request) (*http.Response, error)) (*http.Response, error) {
		a, err := pass(r)
		if err == nil && a.StatusCode == http.StatusUnauthorized {
			if refused++; both {
				h.write(key, "new-key-0002") // just in time
			}
		}
		return a, err
	}))
	if r := s.run(); r.Outcome != record.Done {
		t.Fatalf("first load: %s %s", r.Outcome, r.Error)
	}
	h.sim.SetKeys(map[string]simulator.Key{"new-key-0002": {}})
	if r := s.run(); r.Outcome != record.Done || refused != 1 {
		t.Fatalf("rotated meanwhile: %s %s after %d refusals, want done after one", r.Outcome, r.Error, refused)
	}

	both = false
	h.sim.SetKeys(map[string]simulator.Key{"new-key-0003": {}})
	if r := s.run(); r.Outcome != record.Failed || !strings.Contains(r.Error, "401") {
		t.Fatalf("revoked: %s %q, want failed for its 401", r.Outcome, r.Error)
	}
	h.write(key, "new-key-0003")
	if r := s.run(); r.Outcome != record.Done {
		t.Fatalf("replaced later: %s %s", r.Outcome, r.Error)
	}
	if log := s.log.String(); strings.Contains(log, "new-key") || strings.Contains(log, simulator.DefaultKey) {
		t.Errorf("the log shows a key:\n%s", log)
	}
}

// What the service manager is told: that it is ready, regularly that all is well, how
// a reload went, and that it stops.
func TestServeTellsTheServiceManager(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	s := h.serving(nil)
	s.until(&s.told, "READY=1\nSTATUS=jobs run\nWATCHDOG=1\nWATCHDOG=1\n")
	if err := s.d.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.until(&s.told, "RELOADING=1\n")
	s.until(&s.told, "READY=1\nSTATUS=jobs run; reloaded at ")
	h.edit("time_zone: Europe/Rome", "time_zone: Nowhere")
	h.write(filepath.Join(h.dir, "nightporter.yaml"), h.config)
	if err := s.d.Reload(t.Context()); err == nil {
		t.Fatal("a mistake was loaded")
	}
	s.until(&s.told, "READY=1\nSTATUS=jobs run; the last reload was refused at ")
	if id, err := serve.Ask(t.Context(), s.asking, "", serve.Wish{Reload: true}, "a test", time.Now()); err != nil {
		t.Fatal(err)
	} else if r := s.ended(id); r.Outcome != record.Failed || !strings.Contains(r.Error, "Nowhere") {
		t.Errorf("reload that a command asked for: %s %q, want failed for the time zone", r.Outcome, r.Error)
	}
	s.stop()
	if told := s.told.String(); !strings.HasSuffix(told, "STOPPING=1\n") || strings.Count(told, "STOPPING=1") != 1 {
		t.Errorf("told %q, want STOPPING=1 at the end", told)
	}
}

// marked is guests' data that no log may hold, in any spelling that a system gives it.
var marked = []string{"zanzibarowna", "quetzalberg", "55019", "550 19", "plantedmail", "geheimnotiz"}

// Nothing of a guest is in serve's log, at its most talkative: over a first load, a
// conflict, refusals and errors whose texts repeat what was sent, and other records.
func TestServeLogsNothingOfAGuest(t *testing.T) {
	t.Parallel()
	h := newHouse(t, simulator.Options{})
	names := func(n int) map[string]any {
		return map[string]any{
			"first_name": "Zanzibarowna", "last_name": fmt.Sprint("Quetzalberg", n), "phone_number": fmt.Sprintf("+39055550190%02d", n),
			"email": fmt.Sprintf("plantedmail%d@example.com", n),
		}
	}
	for n := range 5 {
		h.sim.Put("contacts", names(n))
		h.exec(`INSERT INTO guests (first_name, last_name, phone, email, country, notes) VALUES (?, ?, ?, ?, 'IT', 'geheimnotiz')`,
			"Zanzibarowna", fmt.Sprint("Quetzalberg", 20+n), fmt.Sprintf("055 550 190 %02d", 20+n), fmt.Sprintf("plantedmail%d@example.com", 20+n))
	}
	h.sim.Put("reservations", map[string]any{
		"client_phone_number": "+3905555019001", "client_full_name": "Zanzibarowna Quetzalberg1", "status": "CONFIRMED",
		"starting_date": day(3), "ending_date": day(5), "details": "geheimnotiz",
	})
	echo := func(body string) string {
		return fmt.Sprintf(`{"error":"contact Zanzibarowna Quetzalberg99 of plantedmail99@example.com, 055 550 190 99 (geheimnotiz) is in the way of %s"}`,
			strings.ReplaceAll(body, `"`, `\"`))
	}
	var mu sync.Mutex
	refuse := map[string]int{} // method to status, answered with an echo
	s := h.serving(wireFunc(func(r *http.Request, pass func(*http.Request) (*http.Response, error)) (*http.Response, error) {
		mu.Lock()
		status := refuse[r.Method]
		mu.Unlock()
		if status == 0 {
			return pass(r)
		}
		body := ""
		if r.Body != nil {
			b, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			body = string(b)
		}
		return spoken(status, echo(body)), nil
	}))
	var ends []string
	run := func(what string, method string, status int) {
		t.Helper()
		mu.Lock()
		clear(refuse)
		refuse[method] = status
		mu.Unlock()
		before := len(s.log.String())
		r := s.run()
		ends = append(ends, fmt.Sprintf("%s: %s %s", what, r.Outcome, r.Error))
		if len(s.log.String()) == before {
			t.Errorf("%s: not a line in the log", what)
		}
	}
	run("first load", "", 0)
	h.exec(`UPDATE guests SET phone = '055 550 191 77', first_name = 'Zanzibarowna II' WHERE id = 1`)
	for n, c := range h.sim.All("contacts") {
		h.sim.Edit("contacts", fmt.Sprint(c["id"]), map[string]any{"phone_number": fmt.Sprintf("+39055550193%02d", n)})
	}
	for _, status := range []int{400, 409, 422, 500, 200} {
		h.exec(`UPDATE guests SET first_name = first_name || 'x'`)
		run(fmt.Sprint("conflict, and updates answered ", status), http.MethodPut, status)
		run(fmt.Sprint("lists answered ", status), http.MethodGet, status)
	}
	for i, status := range []int{400, 409, 500} {
		h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Zanzibarowna', 'Quetzalberg', ?, 'IT')`, fmt.Sprintf("055 550 194 %02d", i))
		run(fmt.Sprint("creates answered ", status), http.MethodPost, status)
	}
	h.exec(`INSERT INTO guests (first_name, last_name, phone) VALUES ('Zanzibarowna', 'Quetzalberg', 'call plantedmail@example.com')`)
	h.exec(`ALTER TABLE guests RENAME COLUMN first_name TO quetzal_name`)
	run("a column that is gone", "", 0)
	if !strings.Contains(ends[len(ends)-1], "failed") {
		t.Errorf("a column that is gone: %s, want failed", ends[len(ends)-1])
	}
	mu.Lock()
	refuse[http.MethodGet] = 400
	mu.Unlock()
	err := s.d.Hint(t.Context(), []record.Hint{{Place: record.Place{Binding: "reservations"}, Ref: record.Ref{Kind: "reservations"}, At: time.Now()}})
	if err != nil {
		t.Fatal(err)
	}
	s.until(&s.log, "run failed")
	log := s.log.String()
	clocks := regexp.MustCompile(`"time":"[^"]*",|"(took|wait)":\d+`) // their digits may be anything
	for _, m := range marked {
		for line := range strings.Lines(log) {
			if strings.Contains(strings.ToLower(clocks.ReplaceAllString(line, "")), m) {
				t.Errorf("%s is in the log: %s", m, line)
			}
		}
	}
	for _, wanted := range []string{
		`"error":"fetch reservations: malformed (HTTP 400): the system refuses the question`, `"msg":"run ended"`, `"msg":"request answered"`, `"level":"DEBUG"`, `"conflicts":`, `"refused":`,
	} {
		if !strings.Contains(log, wanted) {
			t.Errorf("the log has no line with %s", wanted)
		}
	}
}
