package rest_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/rest"
	"nightporter/sync/record"
)

func listPreset(list string) string {
	return "auth: {type: none}\nkinds:\n  things:\n    path: /things\n    changed: {path: at}\n    window_fields: [from, to]\n    list: " + list + "\n"
}

var things = connectors.Query{Kind: "things"}

// Each way of paging, over a list of 250 with pages of 100, of which the server
// returns at most 70.
func TestPaging(t *testing.T) {
	const total, clamp = 250, 70
	cut := func(from int) []any { return rows(min(from, total), min(from+clamp, total)) }
	number := func(r *http.Request, name string) int {
		n, _ := strconv.Atoi(r.URL.Query().Get(name))
		return n
	}
	tests := map[string]struct {
		list     string
		handler  func(w http.ResponseWriter, r *http.Request)
		requests int
	}{
		"offset without an end": {`{items: ., paging: offset, limit_param: limit}`, func(w http.ResponseWriter, r *http.Request) {
			writeJSON(w, cut(number(r, "offset")))
		}, 5},
		"offset with has_more": {`{items: data, paging: offset, offset_param: skip, has_more: meta.more}`, func(w http.ResponseWriter, r *http.Request) {
			o := number(r, "skip")
			writeJSON(w, map[string]any{"data": cut(o), "meta": map[string]any{"more": o+clamp < total}})
		}, 4},
		"pages from one": {`{items: data.rows, paging: page, first_page: 1}`, func(w http.ResponseWriter, r *http.Request) {
			writeJSON(w, map[string]any{"data": map[string]any{"rows": cut((number(r, "page") - 1) * clamp)}})
		}, 5},
		"pages from zero": {`{items: data, paging: page, page_param: p, has_more: more}`, func(w http.ResponseWriter, r *http.Request) {
			p := number(r, "p")
			writeJSON(w, map[string]any{"data": cut(p * clamp), "more": (p+1)*clamp < total})
		}, 4},
		"cursor": {`{items: data, paging: cursor, cursor_param: after, next: paging.next}`, func(w http.ResponseWriter, r *http.Request) {
			o := number(r, "after")
			body := map[string]any{"data": cut(o)}
			if o+clamp < total {
				body["paging"] = map[string]any{"next": strconv.Itoa(o + clamp)}
			}
			writeJSON(w, body)
		}, 4},
		"next link": {`{items: data, paging: next_link, next: next}`, func(w http.ResponseWriter, r *http.Request) {
			o := number(r, "o")
			next := any(fmt.Sprintf("?o=%d", o+clamp))
			if o+clamp >= total {
				next = nil
			}
			writeJSON(w, map[string]any{"data": cut(o), "next": next})
		}, 4},
		"link header": {`{items: ., paging: link_header}`, func(w http.ResponseWriter, r *http.Request) {
			o := number(r, "o")
			if o+clamp < total {
				w.Header().Add("Link", fmt.Sprintf(`<http://%s/things?o=0>; rel="first", <http://%s/things?o=%d>; title="a, b"; rel="next"`, r.Host, r.Host, o+clamp))
			}
			writeJSON(w, cut(o))
		}, 4},
		"everything at once": {`{items: ., paging: none}`, func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, rows(0, total))
		}, 1},
		"an end by status": {`{items: ., paging: offset, empty_status: [404]}`, func(w http.ResponseWriter, r *http.Request) {
			if o := number(r, "offset"); o < total {
				writeJSON(w, cut(o))
				return
			}
			w.WriteHeader(http.StatusNotFound)
		}, 5},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := serve(t, tt.handler)
			ids, _, err := walk(t.Context(), open(t, s.URL, listPreset(tt.list)), things)
			if err != nil {
				t.Fatal(err)
			}
			for i, id := range ids {
				if id != strconv.Itoa(i) {
					t.Fatalf("row %d is %s", i, id)
				}
			}
			want(t, "rows", len(ids), total)
			want(t, "requests", s.count(), tt.requests)
		})
	}
}

// What is not a list ends the reading with an error that says what came.
func TestBadLists(t *testing.T) {
	full := `{items: data, paging: offset, has_more: more, next: next}`
	tests := map[string]struct {
		list  string
		reply func(w http.ResponseWriter, r *http.Request)
		class connectors.ErrorClass
		words []string
	}{
		"a web page": {full, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>Anna</html>")
		}, connectors.Malformed, []string{"HTTP 200", "text/html", "web page", "base_url"}},
		"a web page that claims to be JSON": {full, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>Anna</html>") }, connectors.Malformed, []string{"not JSON at byte 0", "web page"}},
		"half a JSON":                       {full, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[{"id":"1","name":"Anna`) }, connectors.Malformed, []string{"ends in the middle", "31 bytes"}},
		"no list":                           {full, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"items":[]}`) }, connectors.Malformed, []string{`no list at "data"`, "list.items"}},
		"null":                              {full, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":null}`) }, connectors.Malformed, []string{"null", "null_is_empty"}},
		"nothing":                           {full, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, connectors.Malformed, []string{"HTTP 204", "empty_status"}},
		"no ids":                            {full, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[{"key":1},{"key":2}]}`) }, connectors.Malformed, []string{"none of 2 rows shows an id", "look at id"}},
		"offset ignored":                    {full, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, map[string]any{"data": rows(0, 3)}) }, connectors.Malformed, []string{"the server ignores OFFSET"}},
		"page ignored":                      {`{items: ., paging: page}`, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, rows(0, 3)) }, connectors.Malformed, []string{"the server ignores PAGE"}},
		"cursor in a circle": {`{items: data, paging: cursor, cursor_param: c, next: next}`, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"data":[{"id":%q}],"next":"x"}`, "n"+r.URL.RawQuery)
		}, connectors.Malformed, []string{"names itself"}},
		"an empty page with more": {full, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[],"more":true}`) }, connectors.Malformed, []string{"more follows"}},
		"more, and not where":     {`{items: data, paging: cursor, cursor_param: c, next: next, has_more: more}`, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[],"more":true}`) }, connectors.Malformed, []string{"nothing says where"}},
		"a cursor that is none":   {`{items: data, paging: cursor, cursor_param: c, next: next}`, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[],"next":{"a":1}}`) }, connectors.Malformed, []string{"no text"}},
		"a link to elsewhere": {`{items: data, paging: next_link, next: next}`, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"data":[],"next":"https://evil.example.test/"}`)
		}, connectors.Malformed, []string{"evil.example.test"}},
		"not there":              {full, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }, connectors.Malformed, []string{"HTTP 404", "prefix"}},
		"not known":              {full, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, connectors.Unauthorized, []string{"key"}},
		"not allowed":            {full, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, connectors.Forbidden, []string{"rights"}},
		"it says that it failed": {full, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"ok":false,"error":"down"}`) }, connectors.Transient, []string{"the body says that it failed: down"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := serve(t, tt.reply)
			_, _, err := walk(t.Context(), open(t, s.URL, "errors: {ok_flag: ok}\n"+listPreset(tt.list)), things)
			fails(t, err, tt.class, append(tt.words, "fetch things")...)
			if err != nil && strings.Contains(err.Error(), "Anna") {
				t.Errorf("a guest is shown: %v", err)
			}
		})
	}
}

func TestOneRowWithoutIDIsThePullersToJudge(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `[{"id":1},{"key":2}]`) })
	page, err := open(t, s.URL, listPreset(`{items: ., paging: none}`)).Fetch(t.Context(), things, "")
	if err != nil || len(page.Items) != 2 || page.Items[1].ID != "" || string(page.Items[1].Raw) != `{"key":2}` {
		t.Errorf("got %+v, %v", page, err)
	}
}

func TestAhead(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		o, _ := strconv.Atoi(r.URL.Query().Get("offset"))
		writeJSON(w, map[string]any{"data": rows(o, min(o+20, 90)), "total": 90})
	})
	preset := listPreset(`{items: data, paging: offset, total: total}`)
	if page, err := open(t, s.URL, preset).Fetch(t.Context(), things, ""); err != nil || len(page.Ahead) != 0 {
		t.Fatalf("got %d pages ahead and %v, want none: one request at a time is the default", len(page.Ahead), err)
	}
	c := open(t, s.URL, preset, func(cfg *rest.Config) { cfg.Concurrency = 8 })
	page, err := c.Fetch(t.Context(), things, "")
	if err != nil {
		t.Fatal(err)
	}
	want(t, "total", page.Total, 90)
	want(t, "pages ahead", len(page.Ahead), 3)
	seen := map[string]int{}
	cursors := append([]record.Cursor{page.Next}, page.Ahead...)
	for i, cur := range cursors {
		p, err := c.Fetch(t.Context(), things, cur)
		if err != nil {
			t.Fatal(err)
		}
		if i+1 < len(cursors) {
			want(t, "where a page goes on", p.Next, cursors[i+1])
		}
		for _, item := range p.Items {
			seen[item.ID]++
		}
	}
	want(t, "rows behind the first page", len(seen), 70)
	for id, n := range seen {
		want(t, "times that "+id+" was read", n, 1)
	}
}

func TestPageSizeAndParams(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "[]") })
	for size, limit := range map[int]string{0: "80", 50: "50", 500: "80"} {
		c := open(t, s.URL, listPreset(`{items: ., paging: offset, limit_param: limit, max_page_size: 80, params: {sort: id}}`), func(c *rest.Config) { c.PageSize = size })
		if _, err := c.Fetch(t.Context(), things, ""); err != nil {
			t.Fatal(err)
		}
		want(t, "query", s.last().Query, "limit="+limit+"&offset=0&sort=id")
	}
}

// A window of 25 days in parts of ten: every stay once, one over a border too.
func TestWindow(t *testing.T) {
	stays := []struct{ id, from, to string }{
		{"1", "2026-01-01", "2026-01-03"}, {"2", "2026-01-09", "2026-01-12"}, {"3", "2026-01-15", "2026-01-16"}, {"4", "2026-01-20", "2026-01-30"}, {"5", "2026-02-10", "2026-02-11"},
	}
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		list := []any{}
		for _, st := range stays {
			if st.from <= r.URL.Query().Get("until") && st.to >= r.URL.Query().Get("since") {
				list = append(list, map[string]any{"id": st.id, "from": st.from, "to": st.to})
			}
		}
		writeJSON(w, map[string]any{"d": map[string]any{"all": list}, "total": len(list)})
	})
	c := open(t, s.URL, listPreset(`{items: d.*, paging: none, total: total, window: {from: since, to: until, max_days: 10}}`))
	q := connectors.Query{Kind: "things", Scope: connectors.Scope{From: "2026-01-01", To: "2026-01-25"}}
	ids, last, err := walk(t.Context(), c, q)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "ids", ids, []string{"1", "2", "3", "4"})
	want(t, "total", last.Total, -1)
	want(t, "requests", s.count(), 3)
	want(t, "query of the last part", s.last().Query, "since=2026-01-21&until=2026-01-25")
	q.Scope.To = "2025-01-01"
	_, err = c.Fetch(t.Context(), q, "")
	fails(t, err, connectors.Unsupported, "ends before it begins")
}

func TestSince(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tests := map[string]struct{ since, changed, want string }{
		"the latest seen":      {`{param: after, overlap: 5m}`, "2026-03-01T10:30:00.25+01:00", "2026-03-01T09:25:00.25Z"},
		"later than the start": {`{param: after, overlap: 5m}`, "2026-03-01T12:00:03Z", "2026-03-01T11:55:00Z"},
		"the server's date":    {`{param: after, from: server_date, format: epoch_ms}`, "2026-01-01T00:00:00Z", strconv.FormatInt(now.Add(-time.Minute).UnixMilli(), 10)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Date", now.Format(http.TimeFormat))
				if r.URL.Query().Get("offset") != "0" {
					fmt.Fprint(w, "[]")
					return
				}
				fmt.Fprintf(w, `[{"id":1,"at":"2020-01-01T00:00:00Z"},{"id":2,"at":%q},{"id":3,"at":"never"}]`, tt.changed)
			})
			c := open(t, s.URL, listPreset(`{items: ., paging: offset, since: `+tt.since+`}`))
			_, last, err := walk(t.Context(), c, things)
			if err != nil || last.Since == "" {
				t.Fatalf("got %q, %v", last.Since, err)
			}
			q := connectors.Query{Kind: "things", Mode: connectors.Since}
			page, err := c.Fetch(t.Context(), q, last.Since)
			if err != nil {
				t.Fatal(err)
			}
			req := s.last()
			if !strings.HasPrefix(req.Query, "after="+strings.ReplaceAll(tt.want, ":", "%3A")+"&") {
				t.Errorf("asked %s, want after=%s", req.Query, tt.want)
			}
			if _, err := c.Fetch(t.Context(), q, page.Next); err != nil || !strings.HasPrefix(s.last().Query, "after="+strings.ReplaceAll(tt.want, ":", "%3A")+"&") {
				t.Errorf("the second page asked %s, %v", s.last().Query, err)
			}
		})
	}
	c := open(t, "https://api.example.com", listPreset(`{items: ., paging: none}`))
	_, err := c.Fetch(t.Context(), connectors.Query{Kind: "things", Mode: connectors.Since}, "")
	fails(t, err, connectors.Unsupported, "filter by time of change")
}

func TestSinceNeverGoesBack(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `[]`) })
	c := open(t, s.URL, listPreset(`{items: ., paging: none, since: {param: after}}`))
	since := record.Cursor(`{"t":"2026-03-01T12:00:00Z"}`)
	page, err := c.Fetch(t.Context(), connectors.Query{Kind: "things", Mode: connectors.Since}, since)
	if err != nil || page.Since != since {
		t.Errorf("nothing changed: got %s, %v", page.Since, err)
	}
}

func TestFetchWhatIsNot(t *testing.T) {
	c := open(t, "https://api.example.com", "platform")
	_, err := c.Fetch(t.Context(), connectors.Query{Kind: "guests"}, "")
	fails(t, err, connectors.Unsupported, `no kind "guests"`, "contacts, documents, orders, outbound_calls, reservations")
	_, err = c.Fetch(t.Context(), connectors.Query{Kind: "contacts"}, "page two")
	fails(t, err, connectors.Malformed, "cursor")
}

// Pages that can't be told apart by their places are not proposed: of a window in
// slices, behind a cursor, or where the next reading starts from what was seen.
func TestNothingAhead(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		o, _ := strconv.Atoi(r.URL.Query().Get("offset"))
		writeJSON(w, map[string]any{"data": rows(o, min(o+20, 90)), "total": 90, "next": "abc"})
	})
	for _, list := range []string{
		`{items: data, paging: offset}`,
		`{items: data, paging: cursor, next: next, cursor_param: after, total: total}`,
	} {
		c := open(t, s.URL, listPreset(list), func(cfg *rest.Config) { cfg.Concurrency = 8 })
		page, err := c.Fetch(t.Context(), things, "")
		if err != nil {
			t.Fatalf("%s: %v", list, err)
		}
		want(t, "pages ahead of "+list, len(page.Ahead), 0)
	}
}

// A server that stops counting is noticed by the page that comes again, also where
// pages are read side by side.
func TestOffsetIgnoredAhead(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, map[string]any{"data": rows(0, 20), "total": 90})
	})
	c := open(t, s.URL, listPreset(`{items: data, paging: offset, total: total}`), func(cfg *rest.Config) { cfg.Concurrency = 8 })
	page, err := c.Fetch(t.Context(), things, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = c.Fetch(t.Context(), things, page.Next); err == nil || !strings.Contains(err.Error(), "OFFSET") {
		t.Errorf("got %v, want that the server ignores OFFSET", err)
	}
}

// Several records bear the second at which the last reading ended, and some of them
// were written after it was served: the next reading shows these too.
func TestF15_SameSecondAcrossPolls(t *testing.T) {
	const second = "2026-03-01T09:30:00Z"
	have := 3
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		out := []map[string]any{}
		if after := r.URL.Query().Get("after"); r.URL.Query().Get("offset") == "0" && after <= second {
			for id := range have {
				out = append(out, map[string]any{"id": id + 1, "at": second})
			}
		}
		writeJSON(w, out)
	})
	for _, since := range []string{`{param: after}`, `{param: after, overlap: 5m}`} {
		have = 3
		c := open(t, s.URL, listPreset(`{items: ., paging: offset, since: `+since+`}`))
		_, last, err := walk(t.Context(), c, things)
		if err != nil {
			t.Fatal(err)
		}
		have = 5
		page, err := c.Fetch(t.Context(), connectors.Query{Kind: "things", Mode: connectors.Since}, last.Since)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, it := range page.Items {
			got[it.ID] = true
		}
		if !got["4"] || !got["5"] {
			t.Errorf("%s: the next reading shows %v, want those of the same second", since, got)
		}
	}
}
