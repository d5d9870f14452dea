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

// lined answers with so many records on a line each.
func lined(w http.ResponseWriter, from, to int) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	for i := from; i < to; i++ {
		fmt.Fprintf(w, "{\"id\":%d}\n", i)
	}
}

// Lines that stop early look like lines that end: only a total, or offsets, show that
// they are all.
func TestLines(t *testing.T) {
	whole := func(w http.ResponseWriter, _ *http.Request) { lined(w, 0, 7) }
	counted := func(total string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Total-Count", total)
			lined(w, 0, 7)
		}
	}
	for name, tt := range map[string]struct {
		list    string
		handler http.HandlerFunc
		rows    int
		total   int
		flaw    string // or error
	}{
		"all at once":                 {"{items: ., body: lines, paging: none}", whole, 7, -1, "nothing shows that these lines are all"},
		"none":                        {"{items: ., body: lines, paging: none}", func(w http.ResponseWriter, _ *http.Request) { lined(w, 0, 0) }, 0, -1, "nothing shows"},
		"none, and a status says so":  {"{items: ., body: lines, paging: none, empty_status: [204]}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, 0, -1, ""},
		"with a total":                {"{items: ., body: lines, paging: none, total_header: X-Total-Count}", counted("7"), 7, 7, ""},
		"with a total that is no use": {"{items: ., body: lines, paging: none, total_header: X-Total-Count}", counted("-1"), 7, -1, "nothing shows"},
		"by offset": {"{items: ., body: lines, paging: offset, limit_param: limit}", func(w http.ResponseWriter, r *http.Request) {
			from, _ := strconv.Atoi(r.URL.Query().Get("offset"))
			lined(w, from, min(7, from+3)) // fewer than were asked for
		}, 7, -1, ""},
		"by links": {"{items: ., body: lines, paging: link_header}", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery == "" {
				w.Header().Set("Link", `<?p=2>; rel="next"`)
				lined(w, 0, 3)
				return
			}
			lined(w, 3, 5)
		}, 5, -1, "nothing shows"},
		"by links, with a total on a page before the last": {"{items: ., body: lines, paging: link_header, total_header: X-Total-Count, empty_status: [204]}", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery == "" {
				w.Header().Set("Link", `<?p=2>; rel="next"`)
				w.Header().Set("X-Total-Count", "3")
				lined(w, 0, 3)
				return
			}
			w.WriteHeader(http.StatusNoContent)
		}, 3, 3, ""},
		"not JSON": {"{items: ., body: lines, paging: none}", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "{\"id\":1}\n{\"id\":")
		}, 0, -1, "ends in the middle"},
		"a list": {"{items: ., body: lines, paging: none}", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, rows(0, 2)) }, 0, -1, "there is a list on one"},
		"empty, and not called lines": {"{items: ., body: lines, paging: none}", func(_ http.ResponseWriter, _ *http.Request) {
		}, 0, -1, "the answer is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, tt.handler)
			c := open(t, s.URL, listPreset(tt.list), func(c *rest.Config) { c.PageSize = 5 })
			n, total, said := 0, -1, ""
			for after, end := record.Cursor(""), false; !end && said == ""; {
				page, err := c.Fetch(t.Context(), things, after)
				if err != nil {
					said = err.Error()
					break
				}
				n, total, said = n+len(page.Items), max(total, page.Total), page.Flaw
				after, end = page.Next, page.End
			}
			want(t, "rows and total", fmt.Sprint(n, total), fmt.Sprint(tt.rows, tt.total))
			if (said != "") != (tt.flaw != "") || !strings.Contains(said, tt.flaw) {
				t.Errorf("got %q, want %q", said, tt.flaw)
			}
			if accept := s.last().Header.Get("Accept"); !strings.Contains(accept, "application/x-ndjson") {
				t.Errorf("got Accept %q", accept)
			}
		})
	}
}

// Of a list in groups the page size is that of the whole, or of each group: one that
// is full may have more.
func TestLimitEach(t *testing.T) {
	for name, tt := range map[string]struct {
		each string
		days map[string]any
		flaw string
	}{
		"no group is full":           {"true", map[string]any{"2026-01-01": rows(0, 4), "2026-01-02": rows(4, 8)}, ""},
		"one is":                     {"true", map[string]any{"2026-01-01": rows(0, 1), "2026-01-02": rows(4, 9), "2026-01-03": rows(9, 10)}, "as many records as were asked for (5)"},
		"as many as a page in all":   {"false", map[string]any{"2026-01-01": rows(0, 3), "2026-01-02": rows(3, 5)}, "as many records as were asked for (5)"},
		"fewer than a page, in all":  {"false", map[string]any{"2026-01-01": rows(0, 3), "2026-01-02": rows(3, 4)}, ""},
		"nothing, and no group":      {"true", map[string]any{}, ""},
		"more in all than in a page": {"true", map[string]any{"1": rows(0, 4), "2": rows(4, 8), "3": rows(8, 12)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, map[string]any{"data": tt.days}) })
			c := open(t, s.URL, listPreset("{items: data.*, paging: none, limit_param: per_day, limit_each: "+tt.each+"}"),
				func(c *rest.Config) { c.PageSize = 5 })
			_, said, err := flaws(t, c, things)
			if err != nil || (said != "") != (tt.flaw != "") || !strings.Contains(said, tt.flaw) {
				t.Errorf("got %q, %v, want %q", said, err, tt.flaw)
			}
		})
	}
}

// A record that isn't there may be told otherwise than by a 404; what the preset does
// not name as that is no absence.
func TestNotFoundByWords(t *testing.T) {
	const preset = `auth: {type: none}
errors: {ok_flag: ok, message: [error], not_found: {status: [200, 400], match: "(?i)not found"}}
kinds:
  things:
    path: /things
    list: {items: data, paging: offset}
    get: {path: "/things/{id}"}
    find: [{by: [phone], path: "/things/by-phone/{phone}", item: .}]
    update: {}
    sub_reads: {notes: {path: "/things/{id}/notes", item: text}}
`
	status, body := 200, ""
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	})
	c := open(t, s.URL, preset)
	for _, tt := range []struct {
		status int
		body   string
		read   connectors.ErrorClass
		write  connectors.ErrorClass
		list   connectors.ErrorClass
	}{
		{200, `{"ok":false,"error":"thing not found"}`, connectors.NotFound, connectors.NotFound, connectors.Transient},
		{400, `{"ok":false,"error":"Thing Not Found"}`, connectors.NotFound, connectors.NotFound, connectors.Malformed},
		{200, `{"ok":false,"error":"come back later"}`, connectors.Transient, connectors.Rejected, connectors.Transient},
		{422, `{"ok":false,"error":"thing not found"}`, connectors.Rejected, connectors.Rejected, connectors.Malformed},
	} {
		status, body = tt.status, tt.body
		ref := record.Ref{Kind: "things", ID: "1"}
		_, err := c.Get(t.Context(), ref, connectors.Scope{})
		want(t, fmt.Sprint("get, ", tt.status, " ", tt.body, ": ", err), connectors.ClassOf(err), tt.read)
		_, err = c.Apply(t.Context(), record.Change{Op: record.Update, Ref: ref, Fields: text("a", "b")})
		want(t, fmt.Sprint("update, ", tt.status, " ", tt.body, ": ", err), connectors.ClassOf(err), tt.write)
		_, err = c.Fetch(t.Context(), things, "")
		want(t, fmt.Sprint("list, ", tt.status, " ", tt.body, ": ", err), connectors.ClassOf(err), tt.list)
		found, err := c.Find(t.Context(), "things", text("phone", "+999100"), connectors.Scope{})
		if none := tt.read == connectors.NotFound; none && (err != nil || len(found) > 0) || !none && connectors.ClassOf(err) != tt.read {
			t.Errorf("find, %d %s: got %v, %v", tt.status, tt.body, found, err)
		}
	}
}

// A field that is read on its own and isn't there is no record that isn't there.
func TestSubReadNotFound(t *testing.T) {
	for status, body := range map[int]string{404: `{}`, 410: `{}`, 200: `{"ok":false,"error":"no notes"}`} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/notes") {
				w.WriteHeader(status)
				fmt.Fprint(w, body)
				return
			}
			fmt.Fprint(w, `{"id":"1","name":"Anna"}`)
		})
		c := open(t, s.URL, `auth: {type: none}
errors: {ok_flag: ok, message: [error], not_found: {status: [200], match: no notes}}
kinds:
  things:
    path: /things
    list: {items: data, paging: offset}
    get: {path: "/things/{id}"}
    sub_reads: {notes: {path: "/things/{id}/notes", item: text}}
`)
		got, err := c.Get(t.Context(), record.Ref{Kind: "things", ID: "1"}, connectors.Scope{})
		if _, shown := got.Fields["notes"]; err != nil || shown || got.Fields["name"].Text() != "Anna" {
			t.Errorf("%d: got %v, %v", status, got.Fields, err)
		}
	}
}
