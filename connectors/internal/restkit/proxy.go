package restkit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Proxy gives the address of what requests go through. It is asked for each request, so
// that a new password is taken up at once; a Proxy that is nil is none.
type Proxy func() (*url.URL, error)

// Transport is what requests are sent by: through a proxy or straight, whatever the
// environment says. It keeps so many connections and lets idle ones go before a server
// is likely to: a request sent just as the server hangs up may or may not have arrived.
func Transport(proxy Proxy, conns int) *http.Transport {
	dialer := net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	t := &http.Transport{
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: conns,
		IdleConnTimeout:     4 * time.Second,
		ForceAttemptHTTP2:   true,
	}
	if proxy == nil {
		return t
	}
	t.Proxy = func(*http.Request) (*url.URL, error) {
		u, err := proxy()
		if err != nil {
			return nil, &proxyError{err: err}
		}
		return u, nil
	}
	t.OnProxyConnectResponse = func(_ context.Context, at *url.URL, _ *http.Request, res *http.Response) error {
		if res.StatusCode != http.StatusOK {
			return &proxyError{err: fmt.Errorf("the proxy %s answered HTTP %d", at.Host, res.StatusCode), answered: true}
		}
		return nil
	}
	return t
}

// proxyError says that the proxy let nothing through, or is not known.
type proxyError struct {
	err      error
	answered bool
}

// Error is its cause.
func (e *proxyError) Error() string { return e.err.Error() }

// Unwrap is its cause.
func (e *proxyError) Unwrap() error { return e.err }

// atProxy explains an error that is about the proxy, and not about the system.
func atProxy(err error) (hint string, is bool) {
	if p, ok := errors.AsType[*proxyError](err); ok {
		if p.answered {
			return "look at proxy: does it want a user and a password, and does it let this machine out?", true
		}
		return "look at proxy", true
	}
	op, ok := errors.AsType[*net.OpError](err)
	if ok && strings.HasPrefix(op.Op, "socks ") { // it may be the proxy's refusal
		return "look at proxy: is its address right, and does it let this machine out?", true
	}
	if ok && op.Op == "proxyconnect" {
		return "no way through the proxy: is its address right, and is it up?", true
	}
	return "", false
}
