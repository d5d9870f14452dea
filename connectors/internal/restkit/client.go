package restkit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v4"

	"nightporter/connectors"
	"nightporter/connectors/pace"
	"nightporter/sync/record"
)

// Config is what a Client needs.
type Config struct {
	Base        string // without a slash at its end
	Auth        Auth
	Secret      func() (string, error) // asked for each request, so that a new key is taken up at once
	Headers     map[string]string
	Timeout     time.Duration // of one try, from dialling to the last byte
	MaxBody     int64         // bytes of an answer
	Concurrency int           // connections that are kept
	Pace        *pace.Limiter // of the credential; nil: one of its own, which knows no quota
	AnyType     bool          // take answers whatever content type they claim
	Rules       Rules
	Transport   http.RoundTripper // nil: one of its own
	Proxy       Proxy             // what its own goes through; nil: straight
	Log         *slog.Logger
	Now         func() time.Time
}

// Client sends requests to one system under one key.
type Client struct {
	cfg    Config
	base   *url.URL
	http   *http.Client
	own    *http.Transport
	pace   *pace.Limiter
	redact redactor
	log    *slog.Logger
}

// Request is one request.
type Request struct {
	Op          string // for errors: "fetch contacts"
	Ref         record.Ref
	Goal        Goal
	Method      string
	URL         string // from Client.URL or Client.Follow
	Header      http.Header
	Body        []byte   // JSON
	Conditional bool     // it names a version
	Empty       []int    // statuses that mean: there is nothing
	Lines       bool     // the answer is a record on each line
	Known       []string // values that an error may not show
	Exists      *Match   // in place of the rules' own, as is
	NoRoom      *Match
	// Once says that what is asked for can't be taken back: whatever does not say that
	// nothing was done leaves it unknown.
	Once bool
}

// Answer is what came back, of a status of success or one of Request.Empty.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Empty  bool
}

// New opens a client.
func New(cfg Config) (*Client, error) {
	base, err := url.Parse(cfg.Base)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" || base.User != nil || base.RawQuery != "" {
		return nil, errors.New("base_url must be an address like https://api.example.com, without user, key or question mark")
	}
	c := &Client{cfg: cfg, base: base, redact: newRedactor(), pace: cfg.Pace, log: cfg.Log}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.pace == nil {
		c.pace = pace.New(pace.Config{Concurrency: cfg.Concurrency})
	}
	transport := cfg.Transport
	if transport == nil {
		c.own = Transport(cfg.Proxy, max(cfg.Concurrency, 1))
		transport = c.own
	}
	c.http = &http.Client{
		Transport: transport,
		// A followed redirect turns a POST into a GET and can carry the key away.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

// Close lets idle connections go.
func (c *Client) Close() {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}

// Host is the system's host name, for messages.
func (c *Client) Host() string { return c.base.Host }

// URL is an address below the base. path is encoded already.
func (c *Client) URL(path string, q url.Values) string {
	u := strings.TrimRight(c.cfg.Base, "/") + path
	if len(q) == 0 {
		return u
	}
	if strings.Contains(path, "?") {
		return u + "&" + q.Encode()
	}
	return u + "?" + q.Encode()
}

// Follow resolves a link that an answer to a request for from gave. One that
// leads to another host, or from TLS out of it, is refused: it would carry the key
// there.
func (c *Client) Follow(from, link string) (string, error) {
	base, err := url.Parse(from)
	if err != nil {
		return "", errors.New("the address of the page can't be read")
	}
	u, err := base.Parse(link)
	if err != nil {
		return "", errors.New("the link to the next page is no address")
	}
	if u.Host != c.base.Host || u.Scheme != c.base.Scheme {
		return "", fmt.Errorf("the link to the next page leads to %s://%s, and base_url is %s://%s", u.Scheme, u.Host, c.base.Scheme, c.base.Host)
	}
	return u.String(), nil
}

// Do sends a request, again where that is safe and promises something: at most
// three tries in a minute, or two where the server asked to wait, and never sooner
// than it asked. Waiting for its turn counts for nothing. Every error is a
// *connectors.Error.
func (c *Client) Do(ctx context.Context, r Request) (*Answer, error) {
	var answer *Answer
	var last *failure
	began := time.Now()
	p := newPolicy()
	renewed := false
	tryOnce := func() error {
		answer, last = c.try(ctx, r)
		if !renewed && c.renewed(last) {
			renewed = true
			answer, last = c.try(ctx, r)
		}
		if last == nil {
			return nil
		}
		began = began.Add(last.waited)
		if !last.again || ctx.Err() != nil || time.Since(began)+last.err.RetryAfter > atMost(last.err.Class) {
			return backoff.Permanent(last.err)
		}
		p.asked = last.err.RetryAfter
		return last.err
	}
	notify := func(_ error, wait time.Duration) {
		c.log.LogAttrs(ctx, slog.LevelWarn, "request will be tried again", slog.String("op", r.Op), slog.String("host", c.base.Host),
			slog.String("class", string(last.err.Class)), slog.Int("status", last.err.Status), slog.Int64("wait_ms", wait.Milliseconds()))
	}
	err := backoff.RetryNotify(tryOnce, backoff.WithContext(p, ctx), notify)
	if err == nil {
		return answer, nil
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(last.err, cause) {
		last.err.Err = fmt.Errorf("%w: %w", cause, last.err.Err)
	}
	return nil, last.err
}

// failure is an error and whether another try is safe and of use.
type failure struct {
	err    *connectors.Error
	again  bool
	waited time.Duration // for its turn
	key    string        // that the system was shown
}

// traced is what is known of a try's way to the server.
type traced struct{ asked, got atomic.Bool }

// unsent reports whether no connection was there to send the request on.
func (t *traced) unsent(err error) bool {
	if t.asked.Load() {
		return !t.got.Load()
	}
	if _, ok := errors.AsType[*proxyError](err); ok {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// try sends a request once, in its turn.
func (c *Client) try(ctx context.Context, r Request) (*Answer, *failure) {
	began := time.Now()
	turn, err := c.pace.Wait(ctx, r.priority(ctx), patience)
	waited := time.Since(began)
	if err != nil {
		return nil, c.kept(r, err)
	}
	given := false
	defer func() {
		if !given { // a panic ends one run: it must not keep the turn from all others
			turn.Done(0, nil, false)
		}
	}()
	if !r.Goal.reads() { // it may have waited for long
		if err := connectors.PassGate(ctx); err != nil {
			return nil, &failure{err: c.wrong(r, connectors.Transient, 0, "", err)}
		}
	}
	a, f := c.send(ctx, r)
	status, header := 0, http.Header(nil)
	if a != nil {
		status, header = a.Status, a.Header
	}
	refused := f != nil && f.err.Class == connectors.Throttled
	given = true
	wait := turn.Done(status, header, refused)
	if f == nil {
		return a, nil
	}
	if f.waited = waited; refused {
		f.err.RetryAfter = wait
	}
	return nil, f
}

// kept is the failure of a request that never got its turn.
func (c *Client) kept(r Request, err error) *failure {
	if later, ok := errors.AsType[*pace.Later](err); ok {
		e := c.wrong(r, connectors.Throttled, 0, "nothing was sent to "+c.base.Host, errors.New("the system asked to wait"))
		e.RetryAfter = later.Wait
		return &failure{err: e}
	}
	return &failure{err: c.wrong(r, connectors.Transient, 0, "", fmt.Errorf("not sent: %w", err))}
}

// send sends a request now. An answer comes along with a failure that is read from
// it.
func (c *Client) send(ctx context.Context, r Request) (*Answer, *failure) {
	var t traced
	tctx, cancel := context.WithTimeoutCause(ctx, c.cfg.Timeout, errTimeout)
	defer cancel()
	tctx = httptrace.WithClientTrace(tctx, &httptrace.ClientTrace{
		GetConn: func(string) { t.asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { t.got.Store(true) },
	})
	key, err := c.key()
	if err != nil {
		return nil, c.keyless(r, err)
	}
	req, err := c.request(tctx, r, key)
	if err != nil {
		return nil, c.keyless(r, err)
	}
	if key != "" { // it may be another by the time that an answer repeats it
		r.Known = append(slices.Clone(r.Known), key)
	}
	began := time.Now()
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.lost(ctx, tctx, r, err, t.unsent(err))
	}
	defer resp.Body.Close()
	body, err := c.read(resp)
	c.log.LogAttrs(ctx, slog.LevelDebug, "request answered", slog.String("op", r.Op), slog.String("host", c.base.Host),
		slog.Int("status", resp.StatusCode), slog.Int("bytes", len(body)), slog.Int64("ms", time.Since(began).Milliseconds()))
	if err != nil && resp.StatusCode < 300 {
		if errors.Is(err, errTooLong) {
			return nil, &failure{err: c.wrong(r, c.unread(r), resp.StatusCode, "set a smaller page_size, or a larger max_answer_mb", err)}
		}
		return nil, c.lost(ctx, tctx, r, fmt.Errorf("read the answer: %w", err), false)
	}
	a := &Answer{Status: resp.StatusCode, Header: resp.Header, Body: body}
	f := c.judge(r, a)
	if f != nil {
		f.key = key
	}
	return a, f
}

func (c *Client) request(ctx context.Context, r Request, key string) (*http.Request, error) {
	var body io.Reader
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, body)
	if err != nil {
		return nil, errors.New("the request's address can't be built")
	}
	// Without GetBody net/http can't send a body a second time by itself on another
	// connection, which it does for some requests when a server hangs up.
	req.GetBody = nil
	for name, v := range c.cfg.Headers {
		req.Header.Set(name, v)
	}
	req.Header.Set("Accept", "application/json")
	if r.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(req.Header, r.Header)
	if err := c.cfg.Auth.sign(req, key); err != nil {
		return nil, err
	}
	return req, nil
}

// errTooLong says that an answer is larger than the cap.
var errTooLong = errors.New("the answer is too long")

// errTimeout is why a try ended that took too long.
var errTimeout = errors.New("no answer in time")

func (c *Client) read(resp *http.Response) ([]byte, error) {
	most := c.cfg.MaxBody
	if resp.StatusCode >= 300 {
		most = 64 << 10
	}
	var b bytes.Buffer
	if n := resp.ContentLength; n > 0 && n <= most {
		b.Grow(int(n) + bytes.MinRead)
	}
	n, err := b.ReadFrom(io.LimitReader(resp.Body, most+1))
	if n > most && resp.StatusCode < 300 {
		return nil, fmt.Errorf("%w: more than %d bytes", errTooLong, most)
	}
	return b.Bytes(), err
}
