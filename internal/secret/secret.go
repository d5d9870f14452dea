// Package secret holds references to secrets. A Ref says where a secret is kept
// and can be printed, logged and stored; the secret itself only ever leaves
// Resolve.
package secret

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSize is far above any key or password: a larger file is the wrong file.
const maxSize = 64 << 10

// The two places a secret can be kept in.
const (
	envScheme  = "env:"
	fileScheme = "file:"
)

// Ref is where a secret is kept: "env:NAME" or "file:PATH". The zero Ref refers to
// nothing, and resolving it is an error.
type Ref struct {
	scheme, place string
}

// Error says why a secret can't be had: a mistake in the configuration, or in the place
// that it names, and nothing that a system answered.
type Error struct{ error }

// Unwrap is the error that it says.
func (e Error) Unwrap() error { return e.error }

// Parse reads a reference. Its error never repeats s, which may be a secret that
// somebody wrote where the reference belongs.
func Parse(s string) (Ref, error) {
	for _, scheme := range []string{envScheme, fileScheme} {
		place, ok := strings.CutPrefix(s, scheme)
		if !ok {
			continue
		}
		if place == "" || strings.ContainsAny(place, "\x00\r\n") || (scheme == envScheme && strings.ContainsAny(place, "= ")) {
			return Ref{}, Error{fmt.Errorf("parse secret reference: nothing usable after %q: write env:NAME or file:/path", scheme)}
		}
		return Ref{scheme: scheme, place: place}, nil
	}
	return Ref{}, Error{errors.New("parse secret reference: a secret is kept in a file or the environment: write file:/path or env:NAME")}
}

// IsZero reports whether r refers to nothing.
func (r Ref) IsZero() bool { return r.scheme == "" }

// String is the reference, never the secret.
func (r Ref) String() string {
	if r.IsZero() {
		return "***"
	}
	return r.scheme + r.place
}

// GoString is String, so that %#v shows no more than %s.
func (r Ref) GoString() string { return r.String() }

// LogValue is String, for slog.
func (r Ref) LogValue() slog.Value { return slog.StringValue(r.String()) }

// MarshalText is String; encoding/json uses it too.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Resolve reads the secret, anew each time, so that one which was replaced is
// used without a restart. One newline at the end is taken off. A secret that is
// missing, empty, or has white space or control characters inside is an error,
// which names the place and never what was found there.
func (r Ref) Resolve() (string, error) {
	var s string
	switch r.scheme {
	case envScheme:
		v, ok := os.LookupEnv(r.place)
		if !ok {
			return "", Error{fmt.Errorf("read secret %s: the environment variable is not set", r)}
		}
		s = v
	case fileScheme:
		b, err := readFile(r.place)
		if err != nil {
			return "", Error{fmt.Errorf("read secret %s: %w", r, err)}
		}
		s = string(b)
	default:
		return "", Error{errors.New("read secret: no place is given: write file:/path or env:NAME")}
	}
	s = strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
	if err := usable(s); err != nil {
		return "", Error{fmt.Errorf("read secret %s: %w", r, err)}
	}
	return s, nil
}

// Warning says in one sentence what is careless about where the secret is kept,
// or nothing. A file that isn't there is Resolve's to report.
func (r Ref) Warning() string {
	if r.scheme != fileScheme || runtime.GOOS == "windows" {
		return ""
	}
	info, err := os.Stat(r.place)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return ""
	}
	return fmt.Sprintf("%s can be read or changed by other users of this machine (mode %04o): chmod 600 %s",
		r, info.Mode().Perm(), r.place)
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, cause(err)
	}
	// A pipe or a device would be waited for, and a second read finds it empty.
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a plain file")
	}
	f, err := os.Open(path) //nolint:gosec // the path is the administrator's own
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, cause(err)
	}
	if len(b) > maxSize {
		return nil, errors.New("the file is too large to be a secret: put nothing but the secret in it")
	}
	return b, nil
}

// cause leaves out the path, which the reference has already named.
func cause(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

func usable(s string) error {
	if s == "" {
		return errors.New("it is empty")
	}
	if !utf8.ValidString(s) {
		return errors.New("it is not UTF-8 text")
	}
	for _, c := range s {
		if unicode.IsSpace(c) {
			return errors.New("there is white space inside: put nothing but the secret in it")
		}
		if unicode.IsControl(c) {
			return errors.New("there are control characters inside: put nothing but the secret in it")
		}
	}
	return nil
}
