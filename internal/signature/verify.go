package signature

import (
	"crypto/hmac"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Why a webhook is not believed.
var (
	ErrMissing  = errors.New("it is not signed")
	ErrMismatch = errors.New("its signature is not of a secret that is known here")
	ErrStale    = errors.New("its time is too far from now")
	// ErrSecret says nothing of the request: a secret here is none by which it could be known.
	ErrSecret = errors.New("a secret of webhooks can't be used")
)

// Request is what a signature covers.
type Request struct {
	Method string
	URL    string // as the sender called it: scheme, host, path and query
	Header http.Header
	Body   []byte // the bytes as they came, not as they were read
}

// Verify is nil if a request was signed with one of the secrets, and not too long before
// now or after. Otherwise the error is one of ErrMissing, ErrMismatch, ErrStale and
// ErrSecret; its text holds nothing of the request or the secrets. Several secrets are for
// the days in which one is being changed: one that can't be used spoils no other.
func (s Scheme) Verify(r Request, secrets []string, now time.Time) error {
	given := r.Header.Get(s.Header)
	if given == "" {
		return fmt.Errorf("%w: header %s is missing", ErrMissing, s.Header)
	}
	if s.Token {
		return s.verifyToken(given, secrets)
	}
	at := r.Header.Get(s.TimeIn)
	sigs, inside := s.split(given)
	if s.TimeKey != "" {
		at = inside
	}
	if len(sigs) == 0 || s.Timed() && at == "" {
		return fmt.Errorf("%w: header %s holds no signature of this kind, or no time stands with it", ErrMissing, s.Header)
	}
	known, unusable := false, error(nil)
	for _, secret := range secrets {
		want, err := s.sum(r, at, secret)
		if err != nil {
			unusable = err
			continue
		}
		for _, sig := range sigs {
			known = hmac.Equal(s.decode(sig), want) || known // all are looked at: how long it takes tells nothing
		}
	}
	switch {
	case known:
		return s.fresh(at, now)
	case unusable != nil:
		return fmt.Errorf("%w: %w", ErrSecret, unusable)
	}
	return ErrMismatch
}

// verifyToken compares the secret itself, whatever its length.
func (s Scheme) verifyToken(given string, secrets []string) error {
	given = strings.TrimPrefix(given, s.Prefix)
	known := 0
	for _, secret := range secrets {
		known |= subtle.ConstantTimeCompare([]byte(given), []byte(secret)) & min(len(secret), 1)
	}
	if known == 0 {
		return ErrMismatch
	}
	return nil
}

// split is the signatures in a header, and the time that stands among them.
func (s Scheme) split(given string) (sigs []string, at string) {
	all := []string{given}
	if s.Separator != "" {
		all = strings.Split(given, s.Separator)
	}
	for _, one := range all {
		one = strings.TrimSpace(one)
		if t, is := strings.CutPrefix(one, s.TimeKey); is && s.TimeKey != "" {
			at = t
			continue
		}
		if sig, is := strings.CutPrefix(one, s.Prefix); is && sig != "" {
			sigs = append(sigs, sig)
		}
	}
	return sigs, at
}

// sum is the signature that a secret makes.
func (s Scheme) sum(r Request, at, secret string) ([]byte, error) {
	key, err := s.key(secret)
	if err != nil {
		return nil, err
	}
	if len(key) == 0 {
		return nil, errors.New("a secret is empty: anybody could sign with it")
	}
	h := hmac.New(hashes[s.Hash], key)
	h.Write([]byte(fill(s.Signed, map[string]string{
		"body": string(r.Body), "time": at, "id": r.Header.Get(s.IDIn), "method": r.Method, "url": r.URL,
	})))
	return h.Sum(nil), nil
}

// fresh looks at the time last: of a request that nobody signed it says nothing.
func (s Scheme) fresh(at string, now time.Time) error {
	if !s.Timed() {
		return nil
	}
	n, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: it is no number", ErrStale)
	}
	sent := time.Unix(n, 0)
	if s.Millis {
		sent = time.UnixMilli(n)
	}
	most := s.Tolerance
	if most == 0 {
		most = tolerance
	}
	if off := now.Sub(sent).Abs(); off > most {
		return fmt.Errorf("%w: %s, and %s are allowed; if this goes on, look at the clock of this machine", ErrStale, off.Round(time.Second), most)
	}
	return nil
}

// Sign puts the headers of a scheme on a request: of each secret one signature, where the
// scheme allows several.
func (s Scheme) Sign(r Request, id string, secrets []string, now time.Time) error {
	if s.IDIn != "" {
		r.Header.Set(s.IDIn, id)
	}
	at := strconv.FormatInt(now.Unix(), 10)
	if s.Millis {
		at = strconv.FormatInt(now.UnixMilli(), 10)
	}
	if s.TimeIn != "" {
		r.Header.Set(s.TimeIn, at)
	}
	if s.Token {
		r.Header.Set(s.Header, s.Prefix+secrets[0])
		return nil
	}
	if s.Separator == "" {
		secrets = secrets[:1]
	}
	var all []string
	if s.TimeKey != "" {
		all = append(all, s.TimeKey+at)
	}
	for _, secret := range secrets {
		sum, err := s.sum(r, at, secret)
		if err != nil {
			return err
		}
		all = append(all, s.Prefix+s.encode(sum))
	}
	r.Header.Set(s.Header, strings.Join(all, s.Separator))
	return nil
}
