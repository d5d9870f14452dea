package simulator

import (
	"cmp"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// call is one request, read and routed.
type call struct {
	method   string
	host     string // scheme and host
	path     string
	below    string // path below the prefix, escaped
	rawQuery string
	query    url.Values
	header   http.Header
	body     []byte
	unread   error // why the body could not be read
	res      *resource
	id       string
	byKey    bool // id is a phone number
	action   string
	part     string // of the record, read on its own
	hooks    bool   // it is about subscriptions to webhooks
	dials    bool   // it asks for a call to be placed
	route    string
	entry    *Request
}

func (c *call) lists() bool  { return c.method == http.MethodGet && c.res != nil && c.id == "" }
func (c *call) writes() bool { return c.method != http.MethodGet && c.method != http.MethodHead }

// updates tells whether it changes fields of a record that there is.
func (c *call) updates() bool {
	return c.res != nil && c.id != "" && c.action == "" && (c.method == http.MethodPut || c.method == http.MethodPatch)
}

// answer is what a request gets.
type answer struct {
	status int
	header map[string]string
	body   []byte
	// between is set on a page of a list that others may change things after.
	between int
}

// ServeHTTP answers as the platform would. A dropped connection is a closed one, or
// a panic with http.ErrAbortHandler where w can't be hijacked.
func (s *Sim) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := s.read(w, r)
	s.mu.Lock()
	s.record(c)
	sh := s.befall(c)
	left, limited := s.spend(s.api.traits.key(c))
	s.mu.Unlock()

	if sh.latency > 0 {
		timer := time.NewTimer(sh.latency)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			drop(w)
			return
		}
	}
	ans, dropped := answer{}, false
	if limited && left.left < 0 {
		s.mu.Lock()
		ans = s.tooMany(RetryNone, left)
		s.mu.Unlock()
	} else if ans, dropped = s.meet(c, sh); dropped {
		drop(w)
		return
	}
	s.mu.Lock()
	c.entry.Status = ans.status
	if limited {
		s.api.traits.tell(ans.header, left, s.now())
	}
	s.mu.Unlock()
	for _, headers := range []map[string]string{ans.header, sh.headers} {
		for name, v := range headers {
			w.Header().Set(name, v)
		}
	}
	w.WriteHeader(ans.status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(ans.body) // a client that hung up is its own affair
	}
}

func (s *Sim) read(w http.ResponseWriter, r *http.Request) *call {
	c := &call{
		method: r.Method, path: r.URL.Path, rawQuery: r.URL.RawQuery, query: r.URL.Query(),
		header: r.Header, route: "other", host: "http://" + cmp.Or(r.Host, r.URL.Host),
	}
	if r.TLS != nil || r.URL.Scheme == "https" {
		c.host = "https://" + cmp.Or(r.Host, r.URL.Host)
	}
	if r.Body != nil {
		c.body, c.unread = io.ReadAll(http.MaxBytesReader(w, r.Body, s.maxBody(r.URL.Path)))
	}
	below, ok := strings.CutPrefix(r.URL.EscapedPath(), s.opt.Prefix)
	if !ok || !strings.HasPrefix(below, "/") {
		return c
	}
	c.below = below
	parts := strings.Split(below[1:], "/")
	if parts[0] == hookSegment {
		c.routeToHooks(parts[1:])
	}
	if s.dialled(c, parts) {
		return c
	}
	for _, res := range s.api.resources {
		if parts[0] == res.segment {
			s.routeTo(c, res, parts[1:])
		}
	}
	return c
}

func (s *Sim) routeTo(c *call, res *resource, rest []string) {
	switch {
	case len(rest) == 0:
		c.res, c.route = res, "/"+res.segment
		return
	case len(rest) == 2 && rest[0] == "by-phone" && s.api.traits.Find == FindByPhone && res.unique != "":
		// A plus that isn't encoded is a blank to many servers, and the number another.
		if phone, err := url.QueryUnescape(rest[1]); err == nil && phone != "" {
			c.res, c.id, c.byKey, c.route = res, phone, true, "/"+res.segment+"/by-phone/{phone}"
		}
		return
	case len(rest) > 2, len(rest) == 2 && !res.isPart(rest) && (!s.opt.StatusAction || res.window == nil || rest[1] != "status"):
		return
	}
	id, err := url.PathUnescape(rest[0])
	if err != nil || id == "" {
		return
	}
	c.res, c.id, c.route = res, id, "/"+res.segment+"/{id}"
	if len(rest) < 2 {
		return
	}
	c.route += "/" + rest[1]
	if res.isPart(rest) {
		c.part = rest[1]
	} else {
		c.action = rest[1]
	}
}

// meet answers a request under its faults; dropped means that it gets no answer.
func (s *Sim) meet(c *call, sh *shape) (ans answer, dropped bool) {
	if sh.end == nil {
		return s.page(c, sh), false
	}
	f := sh.end
	switch f.Kind { //nolint:exhaustive // the kinds that don't end a request are no sh.end
	case FaultDropBefore:
		return answer{}, true
	case FaultDropAfter:
		s.page(c, sh)
		return answer{}, true
	case FaultLateDrop:
		s.later(c, sh, f.Delay)
		return answer{}, true
	case FaultLate504:
		s.later(c, sh, f.Delay)
		return s.refuse(problem{http.StatusGatewayTimeout, "gateway_timeout", "gateway timeout"}), false
	case FaultTruncated:
		ans = s.page(c, sh)
		ans.body = ans.body[:len(ans.body)/2]
		return ans, false
	default:
		if f.Applied {
			s.page(c, sh)
		}
		return s.instead(c, f), false
	}
}

// instead is the answer that a fault gives in place of the handler's.
func (s *Sim) instead(c *call, f *armed) answer {
	if f.Kind == FaultHTML {
		return answer{
			status: cmp.Or(f.Status, http.StatusOK),
			header: map[string]string{"Content-Type": "text/html; charset=utf-8"},
			body:   []byte("<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body>Please sign in to the network.</body></html>\n"),
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.Kind == FaultThrottle {
		return s.tooMany(f.RetryForm, allowance{Quota{1, f.RetryAfter}, 0, f.RetryAfter})
	}
	if f.Kind == FaultRefused {
		return s.refuseVerb(c, cmp.Or(f.Status, http.StatusMethodNotAllowed))
	}
	p := problem{f.Status, "server_error", "the server could not answer"}
	if p.status == 0 {
		p.status = http.StatusServiceUnavailable
	}
	ans := s.refuse(p)
	if v := f.RetryForm.text(f.RetryAfter, s.now()); v != "" {
		ans.header["Retry-After"] = v
	}
	return ans
}

// refuseVerb is the answer of an API that does not take such a request.
func (s *Sim) refuseVerb(c *call, status int) answer {
	if status != http.StatusMethodNotAllowed {
		return s.refuse(problem{status, "invalid", "this can't be written here"})
	}
	var allowed []string
	if c.res != nil {
		allowed = slices.DeleteFunc(s.methods(c), func(m string) bool { return m == c.method })
	}
	return s.notAllowed(allowed)
}

// page handles a request, and lets the writer and the hook at the records after
// each page of a list, before the client can ask for the next one.
func (s *Sim) page(c *call, sh *shape) answer {
	s.mu.Lock()
	ans := s.handle(c, sh)
	hook := s.onList
	if ans.between > 0 {
		s.write(c)
	}
	s.mu.Unlock()
	if ans.between > 0 && hook != nil {
		hook(ans.between)
	}
	return ans
}

// later applies a write after a while, under the keys and rules of then.
func (s *Sim) later(c *call, sh *shape, delay time.Duration) {
	s.mu.Lock()
	s.pending++
	s.mu.Unlock()
	time.AfterFunc(delay, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.handle(c, sh)
		s.pending--
	})
}

func drop(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	_ = conn.Close()
}

func (s *Sim) refuse(p problem) answer {
	return s.api.fail(p)
}

func jsonHeader() map[string]string { return map[string]string{"Content-Type": "application/json"} }
