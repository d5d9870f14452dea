// Package signature says whether a webhook was sent by somebody who knows the secret,
// and signs those that we send. A scheme is data: what a sender does that no preset
// names is written down, not programmed.
package signature

import (
	"crypto/sha1" //nolint:gosec // some senders sign with nothing better, and HMAC bears it
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"
	"time"
)

// Scheme is how a sender signs. The zero one signs nothing and fails Check.
type Scheme struct {
	Header string // that carries the signature, or several
	Prefix string // before each signature: "sha256=", "v1,"
	// Separator stands between several signatures of one header, "" where there is one.
	// With "," the time may be among them, under TimeKey.
	Separator string
	TimeKey   string // "t=" where the time stands in Header itself
	TimeIn    string // the header with the time, where it has one of its own
	Millis    bool   // the time is in milliseconds since 1970, not in seconds
	IDIn      string // the header with the id of the event
	// Signed is what is signed, with {body}, {time}, {id}, {method} and {url} for the
	// parts of the request. Text outside of braces stands for itself.
	Signed   string
	Hash     string // "sha256" (also ""), "sha1", "sha512"
	Encoding string // "hex" (also ""), "base64"
	// SecretPrefix marks a secret whose rest is base64 ("whsec_"). One without it is used as it is.
	SecretPrefix string
	Tolerance    time.Duration // how far the time may lie from now; 0: 5 minutes
	Token        bool          // nothing is signed: the header holds the secret itself
}

const tolerance = 5 * time.Minute

var hashes = map[string]func() hash.Hash{"": sha256.New, "sha256": sha256.New, "sha1": sha1.New, "sha512": sha512.New}

var encodings = []string{"", "hex", "base64"}

// parts is what may stand in braces in Signed.
var parts = []string{"body", "time", "id", "method", "url"}

// Check says what is wrong with a scheme, nil if nothing.
func (s Scheme) Check() error {
	if s.Header == "" {
		return fmt.Errorf("no header is named that carries the %s", s.what())
	}
	if s.Token {
		return nil
	}
	if hashes[s.Hash] == nil {
		return fmt.Errorf("hash %q is not known: sha256, sha1 and sha512 are", s.Hash)
	}
	if !slices.Contains(encodings, s.Encoding) {
		return fmt.Errorf("encoding %q is not known: hex and base64 are", s.Encoding)
	}
	names, err := namesIn(s.Signed)
	if err != nil {
		return err
	}
	switch {
	case !slices.Contains(names, "body"):
		return fmt.Errorf("what is signed must hold {body}, or anybody could change it: got %q", s.Signed)
	case slices.Contains(names, "time") && s.TimeIn == "" && s.TimeKey == "":
		return fmt.Errorf("{time} is signed, and no header is named that holds it")
	case !slices.Contains(names, "time") && s.TimeIn+s.TimeKey != "":
		return fmt.Errorf("a time that is not signed proves nothing: add {time} to what is signed, or name no header for it")
	case slices.Contains(names, "id") && s.IDIn == "":
		return fmt.Errorf("{id} is signed, and no header is named that holds it")
	case s.TimeKey != "" && s.Separator == "":
		return fmt.Errorf("the time stands among the signatures, and no separator is given")
	}
	return nil
}

func (s Scheme) what() string {
	if s.Token {
		return "token"
	}
	return "signature"
}

// Timed reports whether a replay is noticed by its time. Without one only the ids of
// events tell.
func (s Scheme) Timed() bool { return s.TimeIn+s.TimeKey != "" }

// CoversID reports whether nobody who caught a delivery can send it again under another id
// in that header: the signature covers it, or who caught the delivery holds the secret itself.
func (s Scheme) CoversID(header string) bool {
	return s.Token || strings.EqualFold(header, s.IDIn) && strings.Contains(s.Signed, "{id}")
}

// namesIn is the names in braces of a template.
func namesIn(template string) ([]string, error) {
	var names []string
	for rest := template; ; {
		_, after, found := strings.Cut(rest, "{")
		if !found {
			return names, nil
		}
		name, tail, closed := strings.Cut(after, "}")
		if !closed || !slices.Contains(parts, name) {
			return nil, fmt.Errorf("{%s in what is signed is not known: {%s} are", name, strings.Join(parts, "}, {"))
		}
		names, rest = append(names, name), tail
	}
}

// fill puts values into a template, in one pass: what a value holds is never read as a
// template.
func fill(template string, values map[string]string) string {
	pairs := make([]string, 0, 2*len(values))
	for _, name := range parts {
		pairs = append(pairs, "{"+name+"}", values[name])
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// key is the bytes of a secret.
func (s Scheme) key(secret string) ([]byte, error) {
	rest, marked := strings.CutPrefix(secret, s.SecretPrefix)
	if s.SecretPrefix == "" || !marked {
		return []byte(secret), nil
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding} {
		if b, err := enc.DecodeString(rest); err == nil {
			return b, nil
		}
	}
	return nil, fmt.Errorf("a secret that begins with %s goes on in base64, and this one does not", s.SecretPrefix)
}

func (s Scheme) encode(b []byte) string {
	if s.Encoding == "base64" {
		return base64.StdEncoding.EncodeToString(b)
	}
	return hex.EncodeToString(b)
}

// decode gives nothing where a text is no signature at all.
func (s Scheme) decode(text string) []byte {
	if s.Encoding != "base64" {
		b, err := hex.DecodeString(text)
		if err != nil {
			return nil
		}
		return b
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if b, err := enc.DecodeString(text); err == nil {
			return b
		}
	}
	return nil
}
