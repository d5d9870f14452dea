package rest_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/rest"
	"nightporter/sync/record"
)

// flaws reads a list to its end and gives how many rows it showed, and what its pages
// found wrong with it.
func flaws(t *testing.T, c *rest.Conn, q connectors.Query) (rows int, all string, err error) {
	t.Helper()
	after := record.Cursor("")
	for range 100 {
		page, err := c.Fetch(t.Context(), q, after)
		if err != nil {
			return rows, all, err
		}
		rows += len(page.Items)
		all += page.Flaw
		if page.End {
			return rows, all, nil
		}
		after = page.Next
	}
	return rows, all, fmt.Errorf("no end after 100 pages")
}

// A list of so many rows, in pages of five, that ends in every way that is no proof
// that nothing follows, and in those that are.
func TestF16_CutShort(t *testing.T) {
	const (
		cursor = `{items: data, paging: cursor, cursor_param: after, next: next, limit_param: limit}`
		link   = `{items: ., paging: link_header, limit_param: limit}`
		offset = `{items: data, paging: offset, limit_param: limit, has_more: more, total: total}`
		none   = `{items: data, paging: none, limit_param: limit, has_more: more}`
	)
	at := func(r *http.Request, name string) int {
		n, _ := strconv.Atoi(r.URL.Query().Get(name))
		return n
	}
	page := func(from, total int, more map[string]any) map[string]any {
		more["data"] = rows(min(from, total), min(from+5, total))
		return more
	}
	byCursor := func(total int, end map[string]any) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			env := map[string]any{"next": strconv.Itoa(at(r, "after") + 5)}
			if at(r, "after")+5 >= total {
				env = end
			}
			writeJSON(w, page(at(r, "after"), total, env))
		}
	}
	byLink := func(total int, last string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if o := at(r, "o"); o+5 < total {
				w.Header().Set("Link", fmt.Sprintf(`<?o=%d>; rel="next"`, o+5))
			} else if last != "" {
				w.Header().Set("Link", last)
			}
			writeJSON(w, rows(at(r, "o"), min(at(r, "o")+5, total)))
		}
	}
	for name, tt := range map[string]struct {
		list    string
		handler http.HandlerFunc
		rows    int
		flaw    string // or error
	}{
		"a full last page that names nothing":   {cursor, byCursor(10, map[string]any{}), 10, `nothing at "next"`},
		"the next one has another name":         {cursor, byCursor(5, map[string]any{"next_v2": "5"}), 5, `nothing at "next"`},
		"a last page as full as the one before": {strings.Replace(cursor, ", limit_param: limit", "", 1), byCursor(10, map[string]any{}), 10, `nothing at "next"`},
		"a last page that is not full":          {cursor, byCursor(8, map[string]any{}), 8, ""},
		"a full last page that says it is":      {cursor, byCursor(10, map[string]any{"next": nil}), 10, ""},
		"the same, by has_more":                 {strings.Replace(cursor, "next: next", "next: next, has_more: more", 1), byCursor(10, map[string]any{"more": false}), 10, ""},
		"the same, by a total":                  {strings.Replace(cursor, "next: next", "next: next, total: total", 1), byCursor(10, map[string]any{"total": 10}), 10, ""},
		"an empty page behind the full one": {cursor, func(w http.ResponseWriter, r *http.Request) {
			env := map[string]any{}
			if at(r, "after") < 10 {
				env["next"] = strconv.Itoa(at(r, "after") + 5)
			}
			writeJSON(w, page(at(r, "after"), 10, env))
		}, 10, ""},
		"a full last page without a Link":             {link, byLink(10, ""), 10, "no Link header"},
		"a last page without a Link that is not full": {link, byLink(9, ""), 9, ""},
		"a full last page with a Link to the first":   {link, byLink(10, `<?o=0>; rel="first"`), 10, ""},
		"more was said, and an empty page": {offset, func(w http.ResponseWriter, r *http.Request) {
			writeJSON(w, page(at(r, "offset"), 10, map[string]any{"more": at(r, "offset") < 10}))
		}, 10, `"more" that more follows, and the next one is empty`},
		"nothing was said, and an empty page": {offset, func(w http.ResponseWriter, r *http.Request) {
			writeJSON(w, page(at(r, "offset"), 10, map[string]any{}))
		}, 10, ""},
		"all at once, and as many as were asked for": {none, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, page(0, 9, map[string]any{})) }, 5, "as many records as were asked for (5)"},
		"all at once, and more":                      {none, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, page(0, 3, map[string]any{"more": true})) }, 0, "names no paging"},
		"all at once":                                {none, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, page(0, 3, map[string]any{})) }, 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, tt.handler)
			c := open(t, s.URL, listPreset(tt.list), func(c *rest.Config) { c.PageSize = 5 })
			n, said, err := flaws(t, c, things)
			if err != nil {
				said = err.Error()
			}
			want(t, "rows", n, tt.rows)
			if (said != "") != (tt.flaw != "") || !strings.Contains(said, tt.flaw) {
				t.Errorf("got %q, want %q", said, tt.flaw)
			}
		})
	}
}

// A part of a window that shows fewer records than it says is noticed, though the total
// of one part is not the list's.
func TestF16_PartOfAWindowCutShort(t *testing.T) {
	for total, flaw := range map[int]string{1: "", 2: "a part of the window"} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			day := r.URL.Query().Get("since")
			writeJSON(w, map[string]any{"all": []any{map[string]any{"id": day, "from": day, "to": day}}, "total": total})
		})
		c := open(t, s.URL, listPreset(`{items: all, paging: none, total: total, window: {from: since, to: until, max_days: 10}}`))
		_, said, err := flaws(t, c, connectors.Query{Kind: "things", Scope: connectors.Scope{From: "2026-01-01", To: "2026-01-25"}})
		if err != nil || (said != "") != (flaw != "") || !strings.Contains(said, flaw) {
			t.Errorf("total %d: got %q, %v, want %q", total, said, err, flaw)
		}
	}
}
