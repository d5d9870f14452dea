package rest

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"nightporter/connectors"
	"nightporter/connectors/jsonx"
)

// tellsNext is what a shorter page told of how a list names its next page.
type tellsNext int

const (
	tellsNothing tellsNext = iota // it was not shorter
	namesNext                     // it names the rows that it leaves out
	namesNoNext                   // it leaves rows out, and names nothing
)

// doubtsEnd reports whether nothing but silence says that this page is the last one: it
// names no next one, and says neither that it is the last one nor how many records there are.
func (l *listing) doubtsEnd(total int) bool {
	switch l.k.List.Paging {
	case byCursor, byNextLink, byLinkHeader:
		return total < 0 && !l.saysEnd()
	}
	return false
}

// silence says why a page that ends its list by silence alone is not believed to end it.
// A full page may be one of many. A first page that isn't full may be one of many too, where
// the system shows fewer rows than are asked for: then the key that names the next page is
// called otherwise, and has named none yet. Both are asked for again with a row less. A list
// that names the row left out would have named what follows here.
func (l *listing) silence(ctx context.Context) (string, error) {
	full := l.full()
	if !full && (l.at.Page > 0 || l.q.Mode != connectors.Full || l.c.named.has(l.k)) {
		return "", nil
	}
	told, err := l.shorter(ctx)
	switch {
	case err != nil:
		return "", err
	case told == namesNext:
		l.c.named.add(l.k)
		return "", nil
	case told == namesNoNext && !full:
		return fmt.Sprintf("of a page with fewer rows nothing names the next one: %s", l.wrongNext()), nil
	case !full:
		return "", nil
	case l.k.List.Paging == byLinkHeader:
		return "the last page is full and has no Link header: it may go on; another page_size would tell", nil
	}
	return fmt.Sprintf("the last page is full, and there is nothing at %q: is list.next in the preset still called so? It may go on; another page_size would tell", l.k.List.Next), nil
}

func (l *listing) wrongNext() string {
	if l.k.List.Paging == byLinkHeader {
		return "there is no Link header; look at list.paging in the preset"
	}
	return fmt.Sprintf("there is nothing at %q; is list.next in the preset still called so?", l.k.List.Next)
}

// shorter asks for the page again, with a row less.
func (l *listing) shorter(ctx context.Context) (tellsNext, error) {
	rows := len(l.list.Items)
	address, ok := l.addressOf(rows - 1)
	if rows < 2 || !ok || l.k.List.LimitEach {
		return tellsNothing, nil
	}
	again := &listing{c: l.c, k: l.k, q: l.q, at: l.at, parts: l.parts, r: l.r}
	again.r.URL = address
	var err error
	if again.a, err = l.c.client.Do(ctx, again.r); err != nil {
		return tellsNothing, err
	}
	if err := again.split(); err != nil {
		return tellsNothing, err
	}
	if len(again.list.Items) != rows-1 {
		return tellsNothing, nil
	}
	if again.namesNext() {
		return namesNext, nil
	}
	return namesNoNext, nil
}

// addressOf is the page's address with another page size. A link that leaves the page size
// out has none.
func (l *listing) addressOf(rows int) (string, bool) {
	u, err := url.Parse(l.r.URL)
	if err != nil || l.k.List.LimitParam == "" {
		return "", false
	}
	q := u.Query()
	if !q.Has(l.k.List.LimitParam) {
		return "", false
	}
	q.Set(l.k.List.LimitParam, strconv.Itoa(rows))
	u.RawQuery = q.Encode()
	return u.String(), true
}

// namesNext reports whether the page names another one.
func (l *listing) namesNext() bool {
	if l.k.List.Paging == byLinkHeader {
		return nextLink(l.a.Header.Values("Link")) != ""
	}
	return jsonx.Text(l.list.Values[atNext]) != ""
}
