package rest_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/rest"
)

// shortened is a list that honours the page size up to a most, and names its next page
// only where one follows.
type shortened struct {
	total, most int
	key         string // what names the next page; "Link" is the header
	link        bool   // the key holds an address
	deaf        bool   // it ignores the page size
}

func (s shortened) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	from, _ := strconv.Atoi(r.URL.Query().Get("after"))
	size, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	if size = min(size, s.most); s.deaf {
		size = s.most
	}
	to := min(from+size, s.total)
	if s.key == "Link" {
		if to < s.total {
			w.Header().Set("Link", fmt.Sprintf(`<?after=%d&limit=%d>; rel="next"`, to, size))
		}
		writeJSON(w, rows(from, to))
		return
	}
	body := map[string]any{"data": rows(from, to)}
	if next := strconv.Itoa(to); to < s.total && s.link {
		body[s.key] = fmt.Sprintf("?after=%s&limit=%d", next, size)
	} else if to < s.total {
		body[s.key] = next
	}
	writeJSON(w, body)
}

// A page that ends its list by silence alone is asked for again with a row less: a list
// that names the row left out is whole, one that doesn't has another key for it.
func TestWeakSilenceAtTheEndOfAList(t *testing.T) {
	const (
		cursor = `{items: data, paging: cursor, cursor_param: after, next: next, limit_param: limit}`
		link   = `{items: data, paging: next_link, next: next, limit_param: limit}`
		header = `{items: ., paging: link_header, limit_param: limit}`
	)
	for name, tt := range map[string]struct {
		list     string
		server   shortened
		rows     int
		flaw     string
		requests int
	}{
		"full pages to the end, by cursor":          {cursor, shortened{total: 10, most: 5, key: "next"}, 10, "", 3},
		"by link":                                   {link, shortened{total: 10, most: 5, key: "next", link: true}, 10, "", 3},
		"by header":                                 {header, shortened{total: 10, most: 5, key: "Link"}, 10, "", 3},
		"one full page":                             {cursor, shortened{total: 5, most: 5, key: "next"}, 5, "", 2},
		"a full page under another name":            {cursor, shortened{total: 10, most: 5, key: "next_v2"}, 5, `nothing at "next"`, 2},
		"a full page of a list that is deaf":        {cursor, shortened{total: 5, most: 5, key: "next", deaf: true}, 5, `nothing at "next"`, 2},
		"fewer than asked for, under another name":  {cursor, shortened{total: 10, most: 3, key: "next_v2"}, 3, `nothing at "next"`, 2},
		"the same, by link":                         {link, shortened{total: 10, most: 3, key: "next_v2", link: true}, 3, `nothing at "next"`, 2},
		"the same, and the list is a Link header's": {strings.Replace(header, "items: .", "items: data", 1), shortened{total: 10, most: 3, key: "next"}, 3, "no Link header", 2},
		"fewer than asked for, and that is all":     {cursor, shortened{total: 3, most: 5, key: "next"}, 3, "", 2},
		"fewer, and more pages":                     {cursor, shortened{total: 8, most: 3, key: "next"}, 8, "", 3},
		"one record":                                {cursor, shortened{total: 1, most: 5, key: "next"}, 1, "", 1},
		"none":                                      {cursor, shortened{total: 0, most: 5, key: "next"}, 0, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, tt.server.ServeHTTP)
			c := open(t, s.URL, listPreset(tt.list), func(c *rest.Config) { c.PageSize = 5 })
			n, said, err := flaws(t, c, things)
			if err != nil {
				t.Fatal(err)
			}
			want(t, "rows", n, tt.rows)
			want(t, "requests", s.count(), tt.requests)
			if (said != "") != (tt.flaw != "") || !strings.Contains(said, tt.flaw) {
				t.Errorf("got %q, want %q", said, tt.flaw)
			}
		})
	}
}

// A list whose key is known to be right is not asked twice for a page that isn't full, and
// neither is one of what changed.
func TestWeakAKnownKeyIsNotAskedAbout(t *testing.T) {
	s := serve(t, shortened{total: 3, most: 5, key: "next"}.ServeHTTP)
	c := open(t, s.URL, listPreset(`{items: data, paging: cursor, cursor_param: after, next: next, limit_param: limit, since: {param: since, overlap: 1m}}`),
		func(c *rest.Config) { c.PageSize = 5 })
	since := things
	since.Mode = connectors.Since
	for _, q := range []connectors.Query{since, things, things} {
		if _, _, err := flaws(t, c, q); err != nil {
			t.Fatal(err)
		}
	}
	want(t, "requests", s.count(), 4)
}
