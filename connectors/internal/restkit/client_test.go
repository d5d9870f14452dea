package restkit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors"
	"nightporter/connectors/jsonx"
	"nightporter/connectors/pace"
)

// wire answers requests in memory.
type wire func(n int, r *http.Request) (*http.Response, error)

type script struct {
	wire wire
	n    atomic.Int32
	at   []time.Time
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	s.at = append(s.at, time.Now())
	return s.wire(int(s.n.Add(1)), r)
}

func answer(status int, body string, header ...string) *http.Response {
	h := http.Header{"Content-Type": {"application/json"}}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}
}

func client(t *testing.T, base string, rt http.RoundTripper, change ...func(*Config)) *Client {
	t.Helper()
	cfg := Config{
		Base: base, Auth: Auth{Type: Bearer}, Secret: func() (string, error) { return "k-123456", nil },
		Timeout: 30 * time.Second, MaxBody: 1 << 20, Transport: rt, Now: time.Now,
		Rules: Rules{
			Message: []jsonx.Path{{"error"}, {"errors"}}, Quota: regexp.MustCompile("quota"),
			Exists: &Match{Status: []int{400, 409}, Text: regexp.MustCompile("already exists")},
		},
	}
	for _, c := range change {
		c(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func read(c *Client) Request {
	return Request{Op: "fetch contacts", Goal: ReadList, Method: http.MethodGet, URL: c.URL("/contacts", nil)}
}

func write(c *Client) Request {
	return Request{Op: "create contacts", Goal: WriteNew, Method: http.MethodPost, URL: c.URL("/contacts", nil), Body: []byte(`{"a":1}`)}
}

func TestF45_RetryAfterIsNeverCutShort(t *testing.T) {
	tests := map[string]struct {
		header func(now time.Time) []string
		status int
		least  time.Duration
		most   time.Duration
	}{
		"seconds": {func(time.Time) []string { return []string{"Retry-After", "20"} }, 429, 20 * time.Second, 21 * time.Second},
		"date": {func(now time.Time) []string {
			return []string{"Retry-After", now.Add(25 * time.Second).UTC().Format(http.TimeFormat)}
		}, 429, 25 * time.Second, 26 * time.Second},
		"date by a clock that is ten minutes behind": {func(now time.Time) []string {
			now = now.Add(-10 * time.Minute).UTC()
			return []string{"Retry-After", now.Add(25 * time.Second).Format(http.TimeFormat), "Date", now.Format(http.TimeFormat)}
		}, 429, 25 * time.Second, 26 * time.Second},
		"503":    {func(time.Time) []string { return []string{"Retry-After", "3"} }, 503, 3 * time.Second, 4 * time.Second},
		"no say": {func(time.Time) []string { return nil }, 429, time.Minute, 61 * time.Second},
		"reset header": {func(now time.Time) []string {
			return []string{"X-Reset", fmt.Sprint(now.Add(15 * time.Second).Unix())}
		}, 429, 15 * time.Second, 16 * time.Second},
	}
	for name, tt := range tests {
		for _, goal := range []Goal{ReadList, WriteNew} {
			t.Run(fmt.Sprintf("%s/%d", name, goal), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := &script{wire: func(n int, _ *http.Request) (*http.Response, error) {
						if n == 1 {
							return answer(tt.status, "{}", tt.header(time.Now())...), nil
						}
						return answer(200, "[]"), nil
					}}
					c := client(t, "https://api.example.com", s, func(c *Config) { c.Pace = pace.New(pace.Config{ResetHeader: "X-Reset"}) })
					r := read(c)
					if goal == WriteNew {
						r = write(c)
					}
					began := time.Now()
					if _, err := c.Do(t.Context(), r); err != nil {
						t.Fatal(err)
					}
					if took := time.Since(began); took < tt.least || took > tt.most || s.n.Load() != 2 {
						t.Errorf("took %s for %d requests, want %s to %s for 2", took, s.n.Load(), tt.least, tt.most)
					}
				})
			})
		}
	}
}

func TestALongPauseIsToldAndKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{wire: func(n int, _ *http.Request) (*http.Response, error) {
			if n == 1 {
				return answer(429, "{}", "Retry-After", "3600"), nil
			}
			return answer(200, "[]"), nil
		}}
		c := client(t, "https://api.example.com", s)
		for range 2 { // the second finds the pause and sends nothing
			_, err := c.Do(t.Context(), read(c))
			e, ok := errors.AsType[*connectors.Error](err)
			if !ok || e.Class != connectors.Throttled || e.RetryAfter < 3590*time.Second {
				t.Fatalf("got %v, %+v", err, e)
			}
			time.Sleep(5 * time.Second) //nolint:forbidigo // virtual time
		}
		if n := s.n.Load(); n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
		time.Sleep(3590 * time.Second) //nolint:forbidigo // virtual time
		if _, err := c.Do(t.Context(), read(c)); err != nil {
			t.Errorf("after the pause: %v", err)
		}
	})
}

func TestWhatIsTriedAgain(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connect: connection refused")}
	tests := map[string]struct {
		wire        wire
		reads       connectors.ErrorClass
		readTries   int32
		writes      connectors.ErrorClass
		writesTries int32
	}{
		"500":      {status(500, nil), connectors.Transient, 3, connectors.Ambiguous, 1},
		"502":      {status(502, nil), connectors.Transient, 3, connectors.Ambiguous, 1},
		"bare 503": {status(503, nil), connectors.Transient, 3, connectors.Ambiguous, 1},
		"408":      {status(408, nil), connectors.Transient, 3, connectors.Ambiguous, 1},
		"425":      {status(425, nil), connectors.Transient, 3, connectors.Ambiguous, 1},
		"dial":     {func(int, *http.Request) (*http.Response, error) { return nil, refused }, connectors.Transient, 3, connectors.Transient, 3},
		"reset":    {func(int, *http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }, connectors.Transient, 3, connectors.Ambiguous, 1},
		"silence": {func(_ int, r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, connectors.Transient, 2, connectors.Ambiguous, 1},
		"unknown": {func(int, *http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true, Name: "api.example.com"}}
		}, connectors.Transient, 1, connectors.Transient, 1},
		"401":    {status(401, nil), connectors.Unauthorized, 1, connectors.Unauthorized, 1},
		"403":    {status(403, nil), connectors.Forbidden, 1, connectors.Forbidden, 1},
		"404":    {status(404, nil), connectors.Malformed, 1, connectors.Malformed, 1},
		"405":    {status(405, nil), connectors.Unsupported, 1, connectors.Unsupported, 1},
		"501":    {status(501, nil), connectors.Unsupported, 1, connectors.Unsupported, 1},
		"422":    {status(422, nil), connectors.Malformed, 1, connectors.Rejected, 1},
		"301":    {status(301, []string{"Location", "https://other.example.com/x?key=1"}), connectors.Malformed, 1, connectors.Malformed, 1},
		"302":    {status(302, nil), connectors.Malformed, 1, connectors.Ambiguous, 1},
		"303":    {status(303, nil), connectors.Malformed, 1, connectors.Ambiguous, 1},
		"a page": {status(200, []string{"Content-Type", "text/html; charset=utf-8"}), connectors.Malformed, 1, connectors.Ambiguous, 1},
		"half": {func(int, *http.Request) (*http.Response, error) {
			r := answer(200, "[")
			r.Body = io.NopCloser(broken{})
			return r, nil
		}, connectors.Transient, 3, connectors.Ambiguous, 1},
		"too large": {func(int, *http.Request) (*http.Response, error) { return answer(200, strings.Repeat(" ", 2<<20)), nil }, connectors.Malformed, 1, connectors.Ambiguous, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{wire: tt.wire}
				c := client(t, "https://api.example.com", s)
				_, err := c.Do(t.Context(), read(c))
				if connectors.ClassOf(err) != tt.reads || s.n.Load() != tt.readTries {
					t.Errorf("read: %d tries, %s: %v; want %d, %s", s.n.Load(), connectors.ClassOf(err), err, tt.readTries, tt.reads)
				}
				s.n.Store(0)
				_, err = c.Do(t.Context(), write(c))
				if connectors.ClassOf(err) != tt.writes || s.n.Load() != tt.writesTries {
					t.Errorf("write: %d tries, %s: %v; want %d, %s", s.n.Load(), connectors.ClassOf(err), err, tt.writesTries, tt.writes)
				}
			})
		})
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func status(code int, header []string) wire {
	return func(int, *http.Request) (*http.Response, error) {
		return answer(code, `{"error":"no"}`, header...), nil
	}
}

func TestRefusals(t *testing.T) {
	tests := map[string]struct {
		status int
		body   string
		goal   Goal
		cond   bool
		want   connectors.ErrorClass
	}{
		"a double":                {400, `{"error":"A contact already exists"}`, WriteNew, false, connectors.Exists},
		"the same on an update":   {400, `{"error":"A contact already exists"}`, WriteOld, false, connectors.Rejected},
		"another 400":             {400, `{"error":"phone missing"}`, WriteNew, false, connectors.Rejected},
		"409 without a version":   {409, `{"error":"x"}`, WriteOld, false, connectors.Rejected},
		"409 with a version":      {409, `{"error":"x"}`, WriteOld, true, connectors.Stale},
		"412 with a version":      {412, ``, WriteOld, true, connectors.Stale},
		"get of nothing":          {404, ``, ReadOne, false, connectors.NotFound},
		"update of nothing":       {410, ``, WriteOld, false, connectors.NotFound},
		"quota in a 403":          {403, `{"error":"quota used up"}`, WriteOld, false, connectors.Throttled},
		"get with a malformed id": {400, `{"error":"not a uuid"}`, ReadOne, false, connectors.Rejected},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{wire: status(tt.status, nil)}
				s.wire = func(int, *http.Request) (*http.Response, error) { return answer(tt.status, tt.body), nil }
				c := client(t, "https://api.example.com", s)
				r := write(c)
				r.Goal, r.Conditional = tt.goal, tt.cond
				if _, err := c.Do(t.Context(), r); connectors.ClassOf(err) != tt.want {
					t.Errorf("got %s (%v), want %s", connectors.ClassOf(err), err, tt.want)
				}
			})
		})
	}
}

func TestMessagesShowNoGuest(t *testing.T) {
	red := newRedactor()
	tests := map[string]struct {
		message string
		known   []string
		want    string
	}{
		"what was sent":  {"The guest Anna Example is known", []string{"Anna", "Example", "Anna Example"}, "The guest … is known"},
		"another case":   {"ANNA is known", []string{"Anna"}, "… is known"},
		"a phone":        {"number +39 055-000 0001 is taken", nil, "number … is taken"},
		"a mail":         {"mail <anna.e@example.com> is taken", nil, "mail <…> is taken"},
		"quoted":         {`value "Via Prova 1" of 'street' is bad`, nil, "value '…' of '…' is bad"},
		"an apostrophe":  {"can't find the guest's room", nil, "can't find the guest's room"},
		"lines":          {"a\r\n\x00b", nil, "a b"},
		"short and kept": {"field 12 is bad", []string{"12"}, "field 12 is bad"},
	}
	for name, tt := range tests {
		if got := red.text(tt.message, tt.known); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
	if got := red.text(strings.Repeat("é ", 4000), nil); len(got) > mostMessage+3 {
		t.Errorf("%d bytes are kept", len(got))
	}
	s := &script{wire: func(int, *http.Request) (*http.Response, error) {
		return answer(422, `{"errors":{"phone":["k-123456 is no number"],"name":[{"msg":"too long"}]}}`), nil
	}}
	c := client(t, "https://api.example.com", s)
	_, err := c.Do(t.Context(), write(c))
	if err == nil || strings.Contains(err.Error(), "k-123456") || !strings.Contains(err.Error(), "name: msg: too long; phone: … is no number") {
		t.Errorf("got %v", err)
	}
}

func TestAddressesAreNotShown(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	base := srv.URL
	srv.Close()
	c := client(t, base, nil, func(c *Config) { c.Auth = Auth{Type: Query, Param: "key"} })
	r := read(c)
	r.URL += "?phone=%2B3905500001"
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, errors.New("enough"))
	defer cancel()
	_, err := c.Do(ctx, r)
	if err == nil || strings.Contains(err.Error(), "05500001") || strings.Contains(err.Error(), "k-123456") {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(err.Error(), "nothing answers at") || connectors.ClassOf(err) != connectors.Transient {
		t.Errorf("refused: got %v", err)
	}
}

func TestTLS(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for name, tt := range map[string]struct{ base, want string }{
		"unknown authority": {secure.URL, "nobody this machine trusts has signed"},
		"no TLS at all":     {strings.Replace(plain.URL, "http", "https", 1), "does not speak TLS"},
	} {
		c := client(t, tt.base, nil)
		for _, r := range []Request{read(c), write(c)} {
			_, err := c.Do(t.Context(), r)
			if connectors.ClassOf(err) != connectors.Transient || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: got %s: %v", name, connectors.ClassOf(err), err)
			}
		}
	}
}

// A server that applies a POST and hangs up on the connection it was sent on,
// which an earlier request had used: exactly one POST may arrive.
func TestF04_AWriteIsNeverReplayed(t *testing.T) {
	var ln net.ListenConfig
	l, err := ln.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var posts, conns atomic.Int32
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns.Add(1)
			go hangUpOnPost(conn, &posts)
		}
	}()
	for _, header := range []string{"", "Idempotency-Key", "X-Idempotency-Key"} {
		posts.Store(0)
		conns.Store(0)
		c := client(t, "http://"+l.Addr().String(), nil)
		if _, err := c.Do(t.Context(), read(c)); err != nil {
			t.Fatal(err)
		}
		r := write(c)
		if header != "" {
			r.Header = http.Header{header: {"01"}}
		}
		_, err := c.Do(t.Context(), r)
		if connectors.ClassOf(err) != connectors.Ambiguous {
			t.Errorf("%s: got %v", header, err)
		}
		if posts.Load() != 1 || conns.Load() != 1 {
			t.Errorf("%s: %d POSTs on %d connections, want one on one", header, posts.Load(), conns.Load())
		}
	}
}

func hangUpOnPost(conn net.Conn, posts *atomic.Int32) {
	defer conn.Close()
	br := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return
		}
		if req.Method == http.MethodPost {
			posts.Add(1)
			return
		}
		if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]"); err != nil {
			return
		}
	}
}

func TestPaceAndPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		s := &script{wire: func(int, *http.Request) (*http.Response, error) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			time.Sleep(time.Second) //nolint:forbidigo // virtual time
			return answer(200, "[]"), nil
		}}
		c := client(t, "https://api.example.com", s, func(c *Config) {
			c.Pace = pace.New(pace.Config{Quotas: []pace.Quota{{Requests: 2, Per: 6 * time.Second}}})
		})
		done := make(chan error)
		began := time.Now()
		for range 4 {
			go func() {
				_, err := c.Do(t.Context(), read(c))
				done <- err
			}()
		}
		for range 4 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(began); took < 6*time.Second || most.Load() != 1 {
			t.Errorf("four requests at two in six seconds took %s, %d at once", took, most.Load())
		}
	})
}

// Every try of every kind of request passes the limiter, at its priority.
func TestEveryTryIsPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{wire: func(n int, _ *http.Request) (*http.Response, error) {
			switch n {
			case 1:
				return answer(500, "{}"), nil
			case 3:
				return nil, errors.New("cut off")
			}
			return answer(200, "[]", "X-RateLimit-Limit", "70", "X-RateLimit-Remaining", "60", "X-RateLimit-Reset", "50"), nil
		}}
		limiter := pace.New(pace.Config{})
		shared := func(c *Config) { c.Pace = limiter }
		c, other := client(t, "https://api.example.com", s, shared), client(t, "https://api.example.com", s, shared)
		one, create := read(c), write(other)
		one.Goal = ReadOne
		for _, r := range []Request{read(c), one} { // two tries each
			if _, err := c.Do(t.Context(), r); err != nil {
				t.Error(err)
			}
		}
		for _, ctx := range []context.Context{t.Context(), pace.With(t.Context(), pace.Booking)} {
			if _, err := other.Do(ctx, create); err != nil {
				t.Error(err)
			}
		}
		if _, err := c.Do(pace.With(t.Context(), pace.Booking), read(c)); err != nil { // a list is a list
			t.Error(err)
		}
		got := limiter.Snapshot()
		want := map[pace.Priority]int{pace.Scan: 3, pace.Read: 2, pace.Write: 1, pace.Booking: 1}
		if diff := cmp.Diff(want, got.Sent); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		if got.Flying != 0 || len(got.Quotas) != 1 || got.Quotas[0].Limit != 70 {
			t.Errorf("flying %d, quotas %+v", got.Flying, got.Quotas)
		}
	})
}

// What was waited for a turn doesn't use up the time a request is tried for.
func TestWaitingIsNotTrying(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{wire: func(n int, _ *http.Request) (*http.Response, error) {
			if n == 2 {
				return answer(500, "{}"), nil
			}
			return answer(200, "[]"), nil
		}}
		c := client(t, "https://api.example.com", s, func(c *Config) {
			c.Pace = pace.New(pace.Config{Quotas: []pace.Quota{{Requests: 1, Per: 10 * time.Minute}}})
		})
		for range 2 {
			if _, err := c.Do(t.Context(), read(c)); err != nil {
				t.Error(err)
			}
		}
		if n := s.n.Load(); n != 3 {
			t.Errorf("%d requests, want 3", n)
		}
	})
}

func TestStopped(t *testing.T) {
	why := errors.New("the house sleeps")
	synctest.Test(t, func(t *testing.T) {
		s := &script{wire: func(_ int, r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}}
		c := client(t, "https://api.example.com", s)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(why) })
		_, err := c.Do(ctx, write(c))
		if !errors.Is(err, why) || connectors.ClassOf(err) != connectors.Ambiguous {
			t.Errorf("stopped on its way: %s, %v", connectors.ClassOf(err), err)
		}
		_, err = c.Do(ctx, write(c))
		if !errors.Is(err, why) || connectors.ClassOf(err) != connectors.Transient || s.n.Load() != 1 {
			t.Errorf("stopped before: %s, %v, %d requests", connectors.ClassOf(err), err, s.n.Load())
		}
		// Stopped in a pause: the cause is told, and what was the matter.
		s.wire = status(429, []string{"Retry-After", "20"})
		ctx, cancel = context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(why) })
		began := time.Now()
		_, err = c.Do(ctx, read(c))
		if !errors.Is(err, why) || !strings.Contains(err.Error(), "429") || time.Since(began) > 2*time.Second {
			t.Errorf("stopped in a pause: %v after %s", err, time.Since(began))
		}
	})
}

func TestAuth(t *testing.T) {
	tests := map[string]struct {
		auth Auth
		key  string
		want string // of the header X, or of the query; "" is an error
	}{
		"bearer":               {Auth{Type: Bearer}, "abc", "Authorization: Bearer abc"},
		"header":               {Auth{Type: Header, Header: "X-Api-Key"}, "abc", "X-Api-Key: abc"},
		"header with a prefix": {Auth{Type: Header, Prefix: "Token "}, "abc", "Authorization: Token abc"},
		"basic":                {Auth{Type: Basic}, "u:p", "Authorization: Basic dTpw"},
		"basic with a user":    {Auth{Type: Basic, User: "u"}, "p", "Authorization: Basic dTpw"},
		"query":                {Auth{Type: Query, Param: "key"}, "a b", "?key=a+b"},
		"none":                 {Auth{Type: NoAuth}, "", "?"},
		"empty":                {Auth{Type: Bearer}, "", ""},
		"two lines":            {Auth{Type: Bearer}, "a\nb", ""},
		"basic without colon":  {Auth{Type: Basic}, "p", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := "?"
			s := &script{wire: func(_ int, r *http.Request) (*http.Response, error) {
				for _, h := range []string{"Authorization", "X-Api-Key"} {
					if v := r.Header.Get(h); v != "" {
						got = h + ": " + v
					}
				}
				if r.URL.RawQuery != "" {
					got = "?" + r.URL.RawQuery
				}
				return answer(200, "[]"), nil
			}}
			c := client(t, "https://api.example.com", s, func(c *Config) {
				c.Auth, c.Secret = tt.auth, func() (string, error) { return tt.key, nil }
			})
			_, err := c.Do(t.Context(), read(c))
			if tt.want == "" {
				if connectors.ClassOf(err) != connectors.Unauthorized || s.n.Load() != 0 {
					t.Errorf("got %v, %d requests", err, s.n.Load())
				}
				return
			}
			if err != nil || got != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestBase(t *testing.T) {
	for _, base := range []string{"", "api.example.com", "ftp://api.example.com", "https://", "https://u:p@api.example.com", "https://api.example.com?key=1"} {
		if _, err := New(Config{Base: base}); err == nil {
			t.Errorf("%q is taken", base)
		}
	}
}

func TestFollow(t *testing.T) {
	c := client(t, "https://api.example.com/v1", nil)
	for link, want := range map[string]string{
		"?page=2": "https://api.example.com/v1/contacts?page=2", "/v1/contacts?p=2": "https://api.example.com/v1/contacts?p=2",
		"https://api.example.com/v1/x": "https://api.example.com/v1/x", "https://evil.example.test/": "", "http://api.example.com/": "", "//evil.example.test/": "", ":": "",
	} {
		got, err := c.Follow("https://api.example.com/v1/contacts?page=1", link)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %s, %v", link, got, err)
		}
	}
}

// What one person has to do something about names the system that it is of.
func TestErrorsNameTheirHost(t *testing.T) {
	for name, s := range map[string]int{"a key that is not known": 401, "a key that may not": 403, "its own trouble": 500, "too often": 429} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := client(t, "https://api.example.com/v1", &script{wire: func(int, *http.Request) (*http.Response, error) {
					return answer(s, `{"error":"no"}`), nil
				}})
				_, err := c.Do(t.Context(), Request{Op: "create contact", Goal: WriteNew, Method: http.MethodPost, URL: c.URL("/contacts", nil), Body: []byte("{}")})
				e, ok := errors.AsType[*connectors.Error](err)
				if !ok || e.Host != "api.example.com" || !strings.Contains(e.Hint, e.Host) {
					t.Errorf("got %+v, want it to name api.example.com, in its hint too", e)
				}
			})
		})
	}
}
