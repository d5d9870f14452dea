package restkit

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"nightporter/connectors"
	"nightporter/connectors/jsonx"
	"nightporter/connectors/pace"
)

// Goal says what a request is for; a refusal is read by it.
type Goal uint8

// The goals. Only the first three read.
const (
	ReadList Goal = iota
	ReadOne       // by its id
	ReadFind
	WriteNew
	WriteOld // a record that has an id
)

func (g Goal) reads() bool { return g <= ReadFind }

// byID reports whether a request is on one record that has an id.
func (r Request) byID() bool { return r.Goal == ReadOne || r.Goal == WriteOld }

// priority says who waits for a request: its context does, but of a list, which is
// read for itself.
func (r Request) priority(ctx context.Context) pace.Priority {
	switch r.Goal {
	case ReadList:
		return pace.Scan
	case ReadOne, ReadFind:
		return pace.From(ctx, pace.Read)
	case WriteNew, WriteOld:
	}
	return pace.From(ctx, pace.Write)
}

// Match recognises an answer by its status and its message.
type Match struct {
	Status []int
	Text   *regexp.Regexp // nil: whatever the message
}

func (m *Match) is(status int, message string) bool {
	return m != nil && slices.Contains(m.Status, status) && (m.Text == nil || m.Text.MatchString(message))
}

// Rules is how a system words its refusals.
type Rules struct {
	Message  []jsonx.Path   // where the message may be, in order
	Exists   *Match         // a create met a record that is the same
	NotFound *Match         // a request on one record met none
	NoRoom   *Match         // a create is a booking for which nothing is free
	Quota    *regexp.Regexp // the message of a 403 that means 429
}

// unread is the class of an answer of success that can't be read.
func (c *Client) unread(r Request) connectors.ErrorClass {
	if r.Goal.reads() {
		return connectors.Malformed
	}
	return connectors.Ambiguous
}

func (c *Client) wrong(r Request, class connectors.ErrorClass, status int, hint string, err error) *connectors.Error {
	return &connectors.Error{Class: class, Op: r.Op, Host: c.base.Host, Ref: r.Ref, Status: status, Hint: hint, Err: err}
}

// Malformed is the error for an answer of success that isn't what it should be:
// Malformed for a read, Ambiguous for a write.
func (c *Client) Malformed(r Request, a *Answer, hint, format string, args ...any) *connectors.Error {
	err := fmt.Errorf(format, args...)
	return c.wrong(r, c.unread(r), a.Status, hint, fmt.Errorf("%w (received: %s)", err, received(a)))
}

// isPage reports whether an answer is a web page: a proxy's, or that of an address at which
// there is no API. It says nothing about a record.
func isPage(a *Answer) bool {
	media, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	return media == "text/html" || media == "application/xhtml+xml" || strings.HasPrefix(strings.TrimSpace(string(a.Body[:min(len(a.Body), 512)])), "<")
}

// received describes an answer without showing any of it.
func received(a *Answer) string {
	kind := a.Header.Get("Content-Type")
	if kind == "" {
		kind = "no content type"
	}
	text := strings.TrimSpace(string(a.Body[:min(len(a.Body), 512)]))
	looks := ""
	switch {
	case len(a.Body) == 0:
		looks = ", empty"
	case strings.HasPrefix(text, "<"):
		looks = ", looks like a web page"
	case strings.HasPrefix(text, "{"):
		looks = ", begins like a JSON object"
	case strings.HasPrefix(text, "["):
		looks = ", begins like a JSON list"
	}
	return fmt.Sprintf("HTTP %d, %s, %d bytes%s", a.Status, kind, len(a.Body), looks)
}

// judge is what an answer's status means, nil for a success.
func (c *Client) judge(r Request, a *Answer) *failure {
	if slices.Contains(r.Empty, a.Status) {
		a.Empty = true
		return nil
	}
	if a.Status >= 200 && a.Status < 300 {
		return c.success(r, a)
	}
	message := c.message(a.Body)
	class, hint := c.class(r, a.Status, message)
	if class == connectors.NotFound && isPage(a) && !c.cfg.Rules.NotFound.is(a.Status, message) {
		class, hint = connectors.Malformed, "a web page answers in place of the API: look at path in the preset, and at what stands between; "+
			"if this is how the system says that a record is not there, set errors.not_found"
	}
	if hint == "" {
		hint = c.passing(class)
	}
	said := fmt.Errorf("HTTP %d", a.Status)
	if message != "" {
		said = fmt.Errorf("HTTP %d: %s", a.Status, c.redact.text(message, c.known(r)))
	}
	f := &failure{err: c.wrong(r, class, a.Status, hint, said)}
	c.pauses(f, a)
	if r.Once && mayBeDone(f.err.Class, a.Status) {
		f.err.Class, f.err.RetryAfter = connectors.Ambiguous, 0
	}
	if a.Status >= 300 && a.Status < 400 {
		f.err.Hint = "the address has moved" + whereto(a) + ": correct base_url or the preset's prefix"
	}
	f.again = f.err.Class == connectors.Throttled || f.err.Class == connectors.Transient && r.Goal.reads()
	return f
}

// mayBeDone reports whether behind an answer that is an error a request may have been
// carried out all the same: a 503 is often said by what stands before the system, many
// systems redirect who has just made something, and what "exists already" may be what
// this very request made.
func mayBeDone(class connectors.ErrorClass, status int) bool {
	return status >= 500 || status >= 300 && status < 400 || class == connectors.Exists
}

// passing is what to do about what mostly goes by itself.
func (c *Client) passing(class connectors.ErrorClass) string {
	switch class {
	case connectors.Transient, connectors.Ambiguous:
		return "if this lasts, ask the people of " + c.base.Host
	case connectors.Throttled:
		return c.base.Host + " asks for fewer requests: if this lasts, write its limits into the configuration"
	case connectors.Stale, connectors.Rejected, connectors.Refused, connectors.Unauthorized, connectors.Forbidden, connectors.NotFound,
		connectors.OutOfScope, connectors.Moved, connectors.Exists, connectors.Unsupported, connectors.Malformed:
	}
	return ""
}

// pauses notes how long the server wants to be left alone. How long a refusal lasts
// is the pace's to say.
func (c *Client) pauses(f *failure, a *Answer) {
	wait, asked := pace.RetryAfter(a.Header, c.cfg.Now())
	switch {
	case !asked:
	case a.Status == http.StatusServiceUnavailable:
		f.err.Class = connectors.Throttled
	case f.err.Class == connectors.Transient:
		f.err.RetryAfter = wait
	}
}

func whereto(a *Answer) string {
	u, err := url.Parse(a.Header.Get("Location"))
	if err != nil || u.Path+u.Host == "" {
		return ""
	}
	if u.Host == "" {
		return " to " + u.EscapedPath()
	}
	return " to " + u.Scheme + "://" + u.Host
}

// worded is what the words of a refusal mean where the preset names them, whatever its
// status would mean without them. False where they mean nothing of their own.
func (c *Client) worded(r Request, status int, message string) (connectors.ErrorClass, bool) {
	is := func(own, general *Match) bool {
		if own == nil {
			own = general
		}
		return own.is(status, message)
	}
	switch {
	case r.byID() && c.cfg.Rules.NotFound.is(status, message):
		return connectors.NotFound, true
	case r.Goal == WriteNew && is(r.NoRoom, c.cfg.Rules.NoRoom):
		return connectors.Refused, true
	case r.Goal == WriteNew && is(r.Exists, c.cfg.Rules.Exists):
		return connectors.Exists, true
	}
	return "", false
}

func (c *Client) class(r Request, status int, message string) (connectors.ErrorClass, string) {
	writes := !r.Goal.reads()
	said, worded := c.worded(r, status, message)
	switch {
	case status == http.StatusUnauthorized:
		return connectors.Unauthorized, "the system does not know the key: look at the key of " + c.base.Host + ", or make a new one"
	case status == http.StatusForbidden && c.cfg.Rules.Quota != nil && c.cfg.Rules.Quota.MatchString(message):
		return connectors.Throttled, ""
	case worded:
		return said, ""
	case status == http.StatusForbidden:
		return connectors.Forbidden, "the key is known and may not do this: look at its rights at " + c.base.Host
	case status == http.StatusProxyAuthRequired && c.cfg.Proxy != nil && c.base.Scheme == "http":
		return connectors.Transient, "the proxy wants a user and a password: look at proxy"
	case status == http.StatusTooManyRequests:
		return connectors.Throttled, ""
	case r.Conditional && (status == http.StatusConflict || status == http.StatusPreconditionFailed):
		return connectors.Stale, ""
	case status == http.StatusNotFound || status == http.StatusGone:
		if r.byID() {
			return connectors.NotFound, ""
		}
		return connectors.Malformed, "there is nothing at this address: look at base_url, and at prefix and path in the preset"
	case status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented:
		return connectors.Unsupported, "the system does not do this: look at method and path in the preset"
	case status >= 500 || status == http.StatusRequestTimeout || status == http.StatusTooEarly:
		if writes {
			return connectors.Ambiguous, ""
		}
		return connectors.Transient, ""
	case status >= 400 && r.Goal == ReadList:
		return connectors.Malformed, "the system refuses the question: look at the parameters of the list in the preset"
	case status >= 400:
		return connectors.Rejected, ""
	case writes && (status == http.StatusSeeOther || status == http.StatusFound):
		return connectors.Ambiguous, "" // many systems redirect who has just made something
	}
	return connectors.Malformed, ""
}

// success looks at an answer of status 2xx.
func (c *Client) success(r Request, a *Answer) *failure {
	kind := a.Header.Get("Content-Type")
	if len(a.Body) == 0 {
		if r.Lines && isLines(kind) { // no line is no record
			a.Empty = true
			return nil
		}
		if r.Goal.reads() {
			return &failure{err: c.Malformed(r, a, "look at path in the preset; if this means an empty list, set empty_status there", "the answer is empty")}
		}
		return nil
	}
	if c.cfg.AnyType || kind == "" || isJSON(kind) || r.Lines && isLines(kind) {
		return nil
	}
	return &failure{err: c.Malformed(r, a, "look at base_url, prefix and path: is this the API, and not its web page or a proxy?", "the answer is not JSON")}
}

// LinesType is the usual type of a record on each line.
const LinesType = "application/x-ndjson"

func isLines(kind string) bool {
	media, _, _ := mime.ParseMediaType(kind)
	return slices.Contains([]string{LinesType, "application/ndjson", "application/jsonl", "application/x-jsonlines"}, media)
}

func isJSON(kind string) bool {
	media, _, err := mime.ParseMediaType(kind)
	if err != nil && media == "" {
		return false
	}
	return media == "application/json" || media == "text/json" || strings.HasSuffix(media, "+json")
}

// Refusal is the error of an answer of success whose body says that it is none.
func (c *Client) Refusal(r Request, a *Answer) *connectors.Error {
	message := c.message(a.Body)
	exists := r.Exists
	if exists == nil {
		exists = c.cfg.Rules.Exists
	}
	class := connectors.Rejected
	meant, worded := c.worded(r, a.Status, message)
	switch {
	case worded && meant != connectors.Exists:
		class = meant
	case r.Goal == WriteNew && exists != nil && exists.Text != nil && exists.Text.MatchString(message):
		class = connectors.Exists
		if r.Once {
			class = connectors.Ambiguous
		}
	case r.Goal.reads():
		class = connectors.Transient
	}
	said := c.redact.text(message, c.known(r))
	if said == "" {
		said = "no message"
	}
	return c.wrong(r, class, a.Status, "", fmt.Errorf("HTTP %d, but the body says that it failed: %s", a.Status, said))
}

// known is what no message may show: the values sent, and the key.
func (c *Client) known(r Request) []string {
	key, err := c.key()
	if err != nil || key == "" {
		return r.Known
	}
	return append(slices.Clone(r.Known), key)
}

// message is the system's own words for its refusal.
func (c *Client) message(body []byte) string {
	a, err := jsonx.Decode(body)
	if err != nil {
		return ""
	}
	for _, p := range c.cfg.Rules.Message {
		if v, ok := jsonx.At(a, p); ok {
			if s := words(v, 0); s != "" {
				return s
			}
		}
	}
	if list, ok := a.([]any); ok { // some answer with a bare list of errors
		return words(list, 0)
	}
	return ""
}

// words is the texts of a message, however it is built.
func words(a any, depth int) string {
	const most = 4
	if depth > most {
		return ""
	}
	var parts []string
	switch a := a.(type) {
	case string:
		return a
	case []any:
		for _, e := range a[:min(len(a), 20)] {
			parts = append(parts, words(e, depth+1))
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(a)) {
			if w := words(a[k], depth+1); w != "" {
				parts = append(parts, k+": "+w)
			}
		}
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return strings.Join(parts, "; ")
}

// lost is the error of a request that got no answer. done is the caller's context,
// tried that of the try.
func (c *Client) lost(done, tried context.Context, r Request, err error, unsent bool) *failure {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // its text has the whole address in it
	}
	class := connectors.Transient
	if !r.Goal.reads() && !unsent {
		class = connectors.Ambiguous
	}
	hint, hopeless := c.why(err)
	switch {
	case done.Err() != nil:
		err, hint = fmt.Errorf("stopped while waiting for the answer: %w", context.Cause(done)), ""
	case tried.Err() != nil:
		err, hint = fmt.Errorf("%w: %s", context.Cause(tried), c.cfg.Timeout), "is "+c.base.Host+" slow, or the line? timeout can be raised"
	}
	return &failure{err: c.wrong(r, class, 0, hint, err), again: class == connectors.Transient && !hopeless}
}

// why explains an error of the network. hopeless ones are not tried again at once.
func (c *Client) why(err error) (hint string, hopeless bool) {
	host := c.base.Host
	if hint, is := atProxy(err); is {
		return hint, false
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return "the name " + c.base.Hostname() + " can't be resolved: look at base_url and at this machine's name servers", dns.IsNotFound
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return "nothing answers at " + host + ": look at base_url, and whether the system is up", false
	}
	if cert, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return certificate(host, cert.Err), true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || strings.Contains(err.Error(), "HTTP response to HTTPS client") {
		return host + " does not speak TLS: should base_url begin with http:// or name another port?", true
	}
	if strings.Contains(err.Error(), "tls: ") {
		return "no secure connection to " + host + ": look at base_url, and at what stands between", false
	}
	return "look at the line to " + host, false
}

func certificate(host string, err error) string {
	if bad, ok := errors.AsType[x509.CertificateInvalidError](err); ok && bad.Reason == x509.Expired {
		return "the certificate of " + host + " is not valid at this time: look at this machine's clock, then tell the system's people"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "the certificate is not for " + host + ": look at base_url"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "nobody this machine trusts has signed the certificate of " + host + ": install the authority's certificate, or look at what stands between"
	}
	return "the certificate of " + host + " can't be trusted"
}
