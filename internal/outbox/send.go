package outbox

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"nightporter/internal/signature"
	"nightporter/sync/record"
)

// timeout is how long a destination may take to answer. Receivers that have much to do
// answer first.
const timeout = 15 * time.Second

// Destination is where events are sent.
type Destination struct {
	Name  string
	Topic Topic
	// URL and Secrets are read anew for each event: what was replaced counts at once.
	URL     func() (string, error)
	Secrets func() ([]string, error) // nil: it is not signed
	Scheme  signature.Scheme
	Body    *Template
	Method  string            // POST if empty
	Headers map[string]string // sent as well
}

// address is a digest of where it is now: what was noted of another one does not count.
// It is "" if that can't be read.
func (d Destination) address() string {
	to, err := d.URL()
	if err != nil {
		return ""
	}
	return digestOf(to)
}

// digestOf tells one address from another without saying which.
func digestOf(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:8])
}

// outcome is what came of one try.
type outcome struct {
	took    bool
	gone    bool          // the receiver is no more (410)
	refused bool          // it answered, and may take other events
	never   bool          // whatever is tried, this event can't be sent as it is
	asked   time.Duration // Retry-After
	why     string        // without what was answered, and without the address
	status  int           // 0: it did not answer
	address string        // a digest of where it was sent
}

// newClient is a client that follows no redirect: events go where the configuration
// says, and nowhere else. A transport that is nil is the network.
func newClient(rt http.RoundTripper) *http.Client {
	return &http.Client{
		Transport: rt, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ofReceiver is the answers that say something of the receiver, whatever it is sent: it is not
// there, does not know us, or has too much to do. Any other may be about the one event.
var ofReceiver = []int{
	http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
	http.StatusProxyAuthRequired, http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusUnavailableForLegalReasons,
	http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
}

// send makes one try.
func (d Destination) send(ctx context.Context, client *http.Client, e record.Event) outcome {
	text, err := body(d.Body, e)
	if err != nil {
		return outcome{never: true, why: "make its body: " + err.Error()}
	}
	to, err := d.URL()
	if err != nil {
		return outcome{why: err.Error()}
	}
	req, err := d.request(ctx, to, e, text, time.Now())
	if err != nil {
		return outcome{why: err.Error()}
	}
	res, err := client.Do(req)
	if err != nil {
		return outcome{why: withoutAddress(err)}
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, 64<<10) // so that the connection can be used again
	o := outcome{status: res.StatusCode, address: digestOf(to), why: fmt.Sprintf("it answered HTTP %d", res.StatusCode), asked: asked(res.Header, time.Now())}
	switch {
	case res.StatusCode >= 200 && res.StatusCode < 300:
		o.took, o.why = true, ""
	case res.StatusCode >= 300 && res.StatusCode < 400:
		o.why += ": redirects are not followed, name the address that it leads to"
	case res.StatusCode == http.StatusGone:
		o.gone = true
		o.why += ": it wants no more events"
	default:
		o.refused = o.asked == 0 && !slices.Contains(ofReceiver, res.StatusCode)
	}
	return o
}

// request is an event on its way to an address, signed if it is to be.
func (d Destination) request(ctx context.Context, to string, e record.Event, text []byte, now time.Time) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, cmp.Or(d.Method, http.MethodPost), to, bytes.NewReader(text))
	if err != nil {
		return nil, errors.New("its address is none: " + withoutAddress(err))
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "nightporter")
	for name, value := range d.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("webhook-id", e.ID)
	if d.Secrets == nil {
		return req, nil
	}
	secrets, err := d.Secrets()
	if err != nil {
		return nil, err
	}
	r := signature.Request{Method: req.Method, URL: to, Header: req.Header, Body: text}
	if err := d.Scheme.Sign(r, e.ID, secrets, now); err != nil {
		return nil, fmt.Errorf("sign it: %w", err)
	}
	return req, nil
}

// withoutAddress is why a request came to nothing, without where it went: the address
// of a receiver may be all that keeps others from calling it.
func withoutAddress(err error) string {
	if e, ok := errors.AsType[*url.Error](err); ok {
		if e.Timeout() {
			return fmt.Sprintf("it did not answer within %s", timeout)
		}
		err = e.Err
	}
	return err.Error()
}
