package config

import (
	"errors"
	"net/url"
	"slices"
	"strings"
)

// proxySchemes are the ways of speaking with a proxy.
var proxySchemes = []string{"http", "https", "socks5"}

// ParseProxy reads the address of a proxy, which may have a user and a password. The
// error does not repeat it.
func ParseProxy(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil || u.Host == "" || !slices.Contains(proxySchemes, u.Scheme):
		return nil, errors.New("must be an address such as http://proxy.example.com:3128")
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("must end after the port")
	}
	return u, nil
}

// elsewhere reports whether a text says where an address is kept, in place of it.
func elsewhere(text string) bool {
	return strings.HasPrefix(text, "file:") || strings.HasPrefix(text, "env:")
}

// proxy is the address of a proxy, or where it is kept.
func (b *builder) proxy(text string, path []string) string {
	if text == "" || elsewhere(text) {
		return b.place(text, path)
	}
	switch u, err := ParseProxy(text); {
	case err != nil:
		b.bad(path, "%v, or env:HTTPS_PROXY or file:/path of where it stands", err)
	case u.User != nil:
		b.bad(path, "has a user or password in it: put the whole address into a file and write file:/path of it")
	}
	return text
}
