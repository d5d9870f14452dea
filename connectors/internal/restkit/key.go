package restkit

import (
	"fmt"
	"net/http"

	"nightporter/connectors"
)

// key is the key as it is kept now. It is read anew for each request, which costs
// some microseconds beside a request's milliseconds: a key that was replaced serves
// from the next request on, and nothing has to notice that it was.
func (c *Client) key() (string, error) {
	if c.cfg.Secret == nil {
		return "", nil
	}
	key, err := c.cfg.Secret()
	if err != nil {
		return "", fmt.Errorf("read the key: %w", err)
	}
	return key, nil
}

// keyless is the failure of a request that can't be signed. Nothing was sent.
func (c *Client) keyless(r Request, err error) *failure {
	return &failure{err: c.wrong(r, connectors.Unauthorized, 0, "look at the key of "+c.base.Host+" in the configuration", err)}
}

// renewed reports whether the system refused a key (401) in place of which another
// is kept by now. Such a request did nothing, writes too, and may be sent once more.
func (c *Client) renewed(f *failure) bool {
	if f == nil || f.err.Status != http.StatusUnauthorized {
		return false
	}
	key, err := c.key()
	return err == nil && key != f.key
}
