package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"nightporter/connectors/jsonx"
	"nightporter/connectors/pace"
	"nightporter/connectors/rest"
)

// The bounds of an examination.
const (
	MostEntry = 36 // requests until the way in is found
	MostKind  = 40 // requests a kind, after that

	patience = 2 * time.Minute // a longer pause that the system asks for ends the examination
	mostBody = 32 << 20
)

// request is one question: always a GET.
type request struct {
	path  string // below the base, encoded
	query url.Values
	link  string // a whole address that an answer gave, in place of path and query
	shown string // as evidence names it; made from path and query where empty
}

// observation is what came back.
type observation struct {
	shown  string
	url    string
	status int // 0: no answer
	header http.Header
	body   any    // decoded; nil where it is no JSON
	lines  []any  // of a body that has a record on each line
	failed string // why there is no answer
	sent   time.Time
	took   time.Duration
}

// ok reports whether the answer is a success.
func (o observation) ok() bool { return o.status >= 200 && o.status < 300 }

// page reports whether the answer is a web page.
func (o observation) page() bool {
	media, _, _ := mime.ParseMediaType(o.header.Get("Content-Type"))
	return media == "text/html" || media == "application/xhtml+xml"
}

// answered reports whether the answer is one to the question: not that nobody is asked,
// knows the key or has the time.
func (o observation) answered() bool {
	switch o.status {
	case 0, http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	}
	return o.status < 500
}

// refuses reports whether the answer refuses the question itself.
func (o observation) refuses() bool {
	return o.answered() && o.status >= 400 || o.ok() && flagged(o)
}

// said is the status in words.
func (o observation) said() string {
	if o.status == 0 {
		return o.failed
	}
	return fmt.Sprintf("HTTP %d", o.status)
}

// asker sends questions in their turn and counts them.
type asker struct {
	cfg     Config
	base    string
	auth    rest.Auth
	http    *http.Client
	left    int    // of the current part
	sent    int    // in all
	dead    string // why nothing is asked any more
	failing int    // answers that did not come, one after the other
	lost    int    // questions without an answer of any worth
}

func newAsker(cfg Config) *asker {
	return &asker{
		cfg: cfg, auth: cfg.Preset.Auth,
		http: &http.Client{
			Transport: cfg.Transport,
			// A followed redirect can carry the key away.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// ask sends a question, once more where no answer came. It never fails: why there is no
// answer is an observation, too.
func (a *asker) ask(ctx context.Context, r request) observation {
	if r.shown == "" {
		r.shown = "GET " + r.path
		if len(r.query) > 0 {
			r.shown += "?" + spelt(r.query)
		}
	}
	o := a.once(ctx, r)
	if a.dead == "" && a.left > 0 && (o.status == 0 || o.status >= 500 || o.status == http.StatusTooManyRequests) {
		o = a.once(ctx, r)
	}
	if !o.answered() {
		a.lost++
	}
	return o
}

// spelt is the names of a query: its values may be those of a record, or hold some.
func spelt(q url.Values) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(q)) {
		parts = append(parts, name+"=…")
	}
	return strings.Join(parts, "&")
}

func (a *asker) once(ctx context.Context, r request) observation {
	o := observation{shown: r.shown, url: a.address(r)}
	switch {
	case a.dead != "":
		o.failed = a.dead
		return o
	case a.left <= 0:
		o.failed = "not asked: the requests for this part are used up"
		return o
	}
	turn, err := a.cfg.Pace.Wait(ctx, pace.Read, patience)
	if err != nil {
		a.dead = "not asked: " + err.Error()
		if later, ok := errors.AsType[*pace.Later](err); ok {
			a.dead = fmt.Sprintf("not asked: the system wants to be left alone for %s; run doctor again then", later.Wait.Round(time.Second))
		}
		o.failed = a.dead
		return o
	}
	a.left--
	a.sent++
	o.sent = time.Now()
	a.send(ctx, &o)
	o.took = time.Since(o.sent)
	turn.Done(o.status, o.header, throttled(o))
	if o.status != 0 && o.status < 500 {
		a.failing = 0
	} else if a.failing++; a.failing >= 4 {
		a.dead = "not asked: the system gave no answer four times (" + o.said() + "); is it up, and is base_url right?"
	}
	return o
}

// throttled reports whether an answer means: too many requests.
func throttled(o observation) bool {
	switch o.status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusForbidden, http.StatusServiceUnavailable:
		return o.header.Get("Retry-After") != ""
	}
	return false
}

func (a *asker) address(r request) string {
	if r.link != "" {
		return r.link
	}
	u := a.base + r.path
	if len(r.query) > 0 {
		u += "?" + r.query.Encode()
	}
	return u
}

// follow is the address of a link that an answer to from gave. One that leads to another
// host would carry the key there, and is no address.
func follow(from, link string) (string, bool) {
	base, err := url.Parse(from)
	if err != nil {
		return "", false
	}
	u, err := base.Parse(link)
	return u.String(), err == nil && u.Host == base.Host && u.Scheme == base.Scheme
}

func (a *asker) send(ctx context.Context, o *observation) {
	timeout := a.cfg.Preset.Timeout
	if timeout <= 0 {
		timeout = 30 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url, http.NoBody)
	if err != nil {
		o.failed = "the address can't be built: look at base_url"
		return
	}
	for name, v := range a.cfg.Preset.Headers {
		req.Header.Set(name, v)
	}
	req.Header.Set("Accept", "application/json, application/x-ndjson;q=0.9")
	if err := a.sign(req); err != nil {
		o.failed = err.Error()
		a.dead = o.failed
		return
	}
	resp, err := a.http.Do(req)
	if err != nil {
		o.failed = why(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostBody+1))
	if err != nil || len(body) > mostBody {
		o.failed = "the answer broke off, or is larger than 32 MB"
		return
	}
	o.status, o.header = resp.StatusCode, resp.Header
	o.read(body)
}

// why is the reason of an error of net/http without its address, which may hold the key.
func why(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return "no answer: " + err.Error()
}

func (a *asker) sign(req *http.Request) error {
	if a.auth.Type == "none" || a.cfg.Secret == nil {
		return nil
	}
	key, err := a.cfg.Secret()
	if err != nil {
		return fmt.Errorf("the key can't be read: %w", err)
	}
	header := a.auth.Header
	if header == "" {
		header = "Authorization"
	}
	switch a.auth.Type {
	case "bearer":
		prefix := a.auth.Prefix
		if prefix == "" {
			prefix = "Bearer "
		}
		req.Header.Set(header, prefix+key)
	case "header":
		req.Header.Set(header, a.auth.Prefix+key)
	case "basic":
		user, password := a.auth.User, key
		if user == "" {
			user, password, _ = strings.Cut(key, ":")
		}
		req.SetBasicAuth(user, password)
	case "query":
		q := req.URL.Query()
		q.Set(a.auth.Param, key)
		req.URL.RawQuery = q.Encode()
	}
	return nil
}

// read decodes a body: JSON, or JSON on each line.
func (o *observation) read(body []byte) {
	text := strings.TrimSpace(string(body))
	typ, _, _ := mime.ParseMediaType(o.header.Get("Content-Type"))
	if v, err := jsonx.Decode(body); err == nil && !linesType(typ) {
		o.body = v
		return
	}
	var lines []any
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		v, err := jsonx.Decode([]byte(line))
		if err != nil {
			return
		}
		lines = append(lines, v)
	}
	if len(lines) > 1 || linesType(typ) {
		if lines == nil {
			lines = []any{}
		}
		o.lines = lines
	}
}

// linesType reports whether a content type says: a record on each line.
func linesType(typ string) bool {
	return slices.Contains([]string{"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines", "application/jsonlines"}, typ)
}
