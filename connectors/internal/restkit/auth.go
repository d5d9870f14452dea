package restkit

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// AuthType says where a key goes.
type AuthType string

// The ways to show a key.
const (
	Bearer AuthType = "bearer" // Authorization: Bearer KEY
	Header AuthType = "header" // a header of its own, or another word before the key
	Basic  AuthType = "basic"  // HTTP Basic; the key is "user:password", or the password of User
	Query  AuthType = "query"  // a query parameter
	NoAuth AuthType = "none"
)

// Auth is how requests show the key.
type Auth struct {
	Type   AuthType
	Header string // default Authorization
	Prefix string // what stands before the key, default "Bearer " for Bearer
	User   string // for Basic, where the key is the password alone
	Param  string // for Query
}

// errKey says that a key can't be what it should be. The key is not shown.
var errKey = errors.New("the key is empty or holds a line break or another control character")

func (a Auth) sign(req *http.Request, key string) error {
	if a.Type == NoAuth {
		return nil
	}
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return errKey
	}
	name := a.Header
	if name == "" {
		name = "Authorization"
	}
	switch a.Type {
	case Bearer:
		prefix := a.Prefix
		if prefix == "" {
			prefix = "Bearer "
		}
		req.Header.Set(name, prefix+key)
	case Header:
		req.Header.Set(name, a.Prefix+key)
	case Basic:
		user, password := a.User, key
		if user == "" {
			var ok bool
			if user, password, ok = strings.Cut(key, ":"); !ok {
				return errors.New("basic authentication needs a key of the form user:password")
			}
		}
		req.SetBasicAuth(user, password)
	case Query:
		q := req.URL.Query()
		q.Set(a.Param, key)
		req.URL.RawQuery = q.Encode()
	case NoAuth:
	default:
		return fmt.Errorf("unknown auth type %q", a.Type)
	}
	return nil
}
