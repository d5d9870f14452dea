package rest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/pace"
	"nightporter/connectors/rest"
	"nightporter/sync/record"
)

// said is a server that is a function: no socket, no wait.
type said func(r *http.Request) (status int, header http.Header, body []byte)

// RoundTrip answers.
func (s said) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	status, h, body := s(r)
	if h == nil {
		h = http.Header{"Content-Type": {"application/json"}}
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}

var pagings = []string{
	`{items: data, paging: offset, total: total, has_more: more}`,
	`{items: data.rows, paging: page, first_page: 1, limit_param: n}`,
	`{items: data, paging: cursor, cursor_param: after, next: next, has_more: more}`,
	`{items: data, paging: next_link, next: next}`,
	`{items: ., paging: link_header}`,
	`{items: ., paging: none, null_is_empty: true}`,
	`{items: data, paging: offset, since: {param: since, overlap: 1m}, window: {from: from, to: to, max_days: 100}}`,
}

// presets are one by each of the pagings.
func presets(f *testing.F) []rest.Preset {
	list := make([]rest.Preset, len(pagings))
	for i, paging := range pagings {
		var err error
		if list[i], err = rest.Load("test", []byte("errors: {ok_flag: ok}\n"+listPreset(paging)), nil); err != nil {
			f.Fatal(err)
		}
	}
	return list
}

// opened is a connection to a server in memory, by one of the presets.
func opened(t *testing.T, list []rest.Preset, paging uint8, s said) *rest.Conn {
	t.Helper()
	c, err := rest.Open(rest.Config{System: "crm", Preset: list[int(paging)%len(list)], BaseURL: "https://api.example.com/v1", Transport: s, Pace: pace.New(pace.Config{Concurrency: 4})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Whatever a server answers with, a page is refused with one of the errors that mean
// it, or its rows are read as what they were listed as, and the next page is somewhere
// else at the same server.
func FuzzPage(f *testing.F) {
	for _, s := range []string{
		`{"data":[{"id":"1","at":"2026-11-21T12:00:00Z"},{"id":2}],"total":2,"more":false}`, `{"data":[],"more":true}`, `{"data":{"rows":[{"id":1e2}]}}`,
		`{"data":[{"id":"a"}],"next":"b"}`, `{"data":[{"id":"a"}],"next":"?o=1"}`, `{"data":[],"next":"x/"}`, `{"data":[],"next":"https://evil.example.com/"}`,
		`{"data":[],"next":"//evil.example.com"}`, `{"data":[],"next":{"a":1}}`, `{"data":null,"ok":false}`, `[]`, `null`, `[{"id":"a","id":"b"}]`, `[{"id":null},{"id":[]}]`,
		`{"data":[1,"x",null]}`, `<html>`, ``, `{"data":[{"id":"1","from":"2026-11-21","to":17},{"id":"1"}],"total":"7"}`, `{"data":[{"id":"\ud800"}]}`, "{\"data\":[{\"id\":\"\xff\"}]}",
	} {
		for paging := range pagings {
			f.Add([]byte(s), `<?o=1>; rel="next"`, "application/json", uint8(paging), "")
		}
	}
	f.Add([]byte(`[{"id":1}]`), `<http://api.example.com/v1/things>; rel=next`, "text/json; charset=x", uint8(4), `{"o":1,"d":"1/1/0"}`)
	list := presets(f)
	f.Fuzz(func(t *testing.T, body []byte, link, kind string, paging uint8, cursor string) {
		asked := ""
		c := opened(t, list, paging, func(r *http.Request) (int, http.Header, []byte) {
			if r.URL.Scheme != "https" || r.URL.Host != "api.example.com" || r.Method != http.MethodGet {
				t.Fatalf("asked %s %s", r.Method, r.URL)
			}
			if asked == r.URL.String() {
				t.Fatalf("asked twice for %s", r.URL)
			}
			asked = r.URL.String()
			return 200, http.Header{"Content-Type": {kind}, "Link": {link}}, body
		})
		after := record.Cursor(cursor)
		for range 4 {
			p, err := c.Fetch(t.Context(), things, after)
			if err != nil {
				if class := connectors.ClassOf(err); class != connectors.Malformed && class != connectors.Transient {
					t.Fatalf("%s: %v", class, err)
				}
				return
			}
			for _, item := range p.Items {
				r, err := p.Read(item)
				if err != nil {
					fails(t, err, connectors.Malformed)
				} else if r.Ref.ID != item.ID || r.Ref.Kind != "things" || !json.Valid(item.Raw) {
					t.Fatalf("row %q is read as %q: %s", item.ID, r.Ref.ID, item.Raw)
				}
			}
			if p.Total < -1 || p.End != (p.Next == "") || !p.End && p.Next == after {
				t.Fatalf("behind %q: total %d, end %v, next %q", after, p.Total, p.End, p.Next)
			}
			if p.End {
				return
			}
			after = p.Next
		}
	})
}

// A cursor is text that was kept for long and may be anybody's: whatever it is, the
// list of a sound server is refused or read to its end.
func FuzzCursor(f *testing.F) {
	for _, s := range []string{
		"", "{}", `{"o":70,"p":1,"d":"69/70/0"}`, `{"o":-1}`, `{"p":-1}`, `{"s":-1}`, `{"s":1}`, `{"s":99}`, `{"c":"140"}`, `{"l":"https://api.example.com/v1/things?at=70"}`,
		`{"l":"https://evil.example.com/"}`, `{"l":"//evil.example.com/"}`, `{"l":"http://api.example.com/"}`, `{"l":"\u0000"}`, `{"o":9223372036854775807}`, `{"t":"2026-11-21T12:00:00Z"}`,
		`{"t":"soon"}`, `{"t":"0000-01-01T00:00:00Z","m":"x","b":"y"}`, `null`, `[]`, `{"o":1e400}`, "\xff",
	} {
		for paging := range pagings {
			f.Add(s, uint8(paging), true)
			f.Add(s, uint8(paging), false)
		}
	}
	const total, size = 25, 7
	list := presets(f)
	f.Fuzz(func(t *testing.T, cursor string, paging uint8, since bool) {
		c := opened(t, list, paging, func(r *http.Request) (int, http.Header, []byte) {
			if r.URL.Scheme != "https" || r.URL.Host != "api.example.com" {
				t.Fatalf("asked %s", r.URL)
			}
			q := r.URL.Query()
			at := 0
			for _, name := range []string{"offset", "after", "at"} {
				if n, err := strconv.Atoi(q.Get(name)); err == nil {
					at = n
				}
			}
			if n, err := strconv.Atoi(q.Get("page")); err == nil {
				at = min(n-1, total) * size
			}
			at = min(max(at, 0), total)
			end := min(at+size, total)
			h := http.Header{"Content-Type": {"application/json"}}
			answer := any(rows(at, end))
			if strings.Contains(pagings[int(paging)%len(pagings)], "items: .,") {
				if end < total && strings.Contains(pagings[int(paging)%len(pagings)], "link_header") {
					h.Set("Link", `</v1/things?at=`+strconv.Itoa(end)+`>; rel="next"`)
				}
			} else {
				body := map[string]any{"data": answer, "total": total}
				if strings.Contains(pagings[int(paging)%len(pagings)], "data.rows") {
					body["data"] = map[string]any{"rows": answer}
				}
				if end < total {
					body["next"] = strconv.Itoa(end)
					if strings.Contains(pagings[int(paging)%len(pagings)], "next_link") {
						body["next"] = "/v1/things?at=" + strconv.Itoa(end)
					}
				}
				answer = body
			}
			b, err := json.Marshal(answer)
			if err != nil {
				t.Fatal(err)
			}
			return 200, h, b
		})
		q := things
		if since {
			q.Mode = connectors.Since
		}
		after := record.Cursor(cursor)
		for page := 0; ; page++ {
			p, err := c.Fetch(t.Context(), q, after)
			if err != nil {
				if class := connectors.ClassOf(err); !slices.Contains([]connectors.ErrorClass{connectors.Malformed, connectors.Unsupported}, class) {
					t.Fatalf("page %d: %s: %v", page, class, err)
				}
				return
			}
			if p.End {
				if p.Since != "" {
					if _, err := c.Fetch(t.Context(), connectors.Query{Kind: "things", Mode: connectors.Since}, p.Since); connectors.ClassOf(err) == connectors.Malformed {
						t.Fatalf("ends with the cursor %q, which is refused: %v", p.Since, err)
					}
				}
				return
			}
			if page > total || p.Next == after {
				t.Fatalf("page %d goes on at %q", page, p.Next)
			}
			after = p.Next
		}
	})
}

// A record that was read by id is the one that was asked for, or an error says that it
// isn't; a list of found ones never panics.
func FuzzRecord(f *testing.F) {
	for _, s := range []string{
		`{"id":"7","at":1795262400}`, `{"id":7.0}`, `{"id":"8"}`, `{}`, `null`, `[]`, `{"id":{"id":7}}`, `{"data":{"id":"7"}}`, `{"id":"7","at":"2026-11-21T12:00:00+25:00"}`,
		`{"id":"7","a":{"b":{"c":1}},"from":"2026-11-21T23:00:00Z"}`, `{"id":"7","id":"8"}`, `{"id":"7"} {"id":"7"}`, ``, `{"id":"7","x":1e999}`,
	} {
		f.Add([]byte(s), "7")
		f.Add([]byte(s), "a/../b")
	}
	p, err := rest.Load("test", []byte("auth: {type: none}\nkinds:\n  things:\n    path: /things\n    changed: {path: at}\n    get: {path: \"/things/{id}\"}\n    list: {items: data, paging: none}\n"), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte, id string) {
		c, err := rest.Open(rest.Config{System: "crm", Preset: p, BaseURL: "https://api.example.com/v1", Pace: pace.New(pace.Config{}), Transport: said(func(r *http.Request) (int, http.Header, []byte) {
			rest, ok := strings.CutPrefix(r.URL.EscapedPath(), "/v1/things/")
			if r.URL.Host != "api.example.com" || !ok || strings.Contains(rest, "/") {
				t.Fatalf("asked %s for the record %q", r.URL, id)
			}
			return 200, nil, body
		})})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		rec, err := c.Get(t.Context(), record.Ref{Kind: "things", ID: id}, connectors.Scope{})
		if err != nil {
			e, ok := errors.AsType[*connectors.Error](err)
			if !ok || e.Class == connectors.NotFound {
				t.Fatalf("an answer of success is no absence: %v", err)
			}
			return
		}
		if rec.Ref.ID != id || rec.Ref.Kind != "things" {
			t.Fatalf("asked for %q and got %q: %s", id, rec.Ref.ID, body)
		}
		text, err := rec.Fields.MarshalJSON()
		var back record.Fields
		if err == nil {
			err = back.UnmarshalJSON(text)
		}
		if err != nil || !back.Equal(rec.Fields) {
			t.Fatalf("%s is kept as %s (%v)", body, text, err)
		}
		if rec.Changed.After(time.Unix(1<<50, 0)) {
			t.Fatalf("changed at %s", rec.Changed)
		}
	})
}
