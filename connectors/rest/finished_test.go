package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors"
	"nightporter/connectors/rest"
	"nightporter/sync/record"
)

const callsPreset = `auth: {type: none}
kinds:
  calls:
    path: /calls
    list: {items: data, paging: none}
    created: {path: created_at}
    get: {path: "/calls/{id}", item: data}
    sub_reads:
      transcript: {path: "/calls/{id}/transcript", item: data.text, not_yet: [425]}
      summary: {path: "/calls/{id}/summary", item: data.text}
    finished:
      fields: [transcript, summary]
      when: {status: [completed, transferred]}
      unless: {outcome: [unanswered], test: ["true"]}
      goes_on: {status: [in progress]}
      since: {path: end_time}
      within: 12h
`

// A record is unfinished while it goes on, or lacks what such a record will have; of a
// list that shows none of it nothing is known, and what it lacks is asked for by id alone.
func TestUnfinished(t *testing.T) {
	ended := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	made := ended.Add(-time.Hour)
	const times = `,"end_time":"2026-11-20T10:00:00Z","created_at":"2026-11-20T09:00:00Z"}`
	lacks := func(since time.Time, paths ...string) *record.Unfinished {
		return &record.Unfinished{Lacks: paths, Since: since, Within: 12 * time.Hour}
	}
	type reply struct {
		status int
		body   string
	}
	there, gone := reply{200, `{"data":{"text":"hello"}}`}, reply{404, `{"error":"no transcript"}`}
	for _, tt := range []struct {
		name                string
		item                string
		transcript, summary reply
		list, get           *record.Unfinished
		text                record.Fields
		asked               int // requests of one Get
	}{
		{"whole", `{"id":"1","status":"Completed"` + times, there, there, lacks(ended, "transcript", "summary"), nil, text("transcript", "hello", "summary", "hello"), 3},
		{"one is missing", `{"id":"1","status":"completed"` + times, there, gone, lacks(ended, "transcript", "summary"), lacks(ended, "summary"), text("transcript", "hello"), 3},
		{"one is accepted", `{"id":"1","status":"completed"` + times, reply{202, "soon"}, there, lacks(ended, "transcript", "summary"), lacks(ended, "transcript"), text("summary", "hello"), 3},
		{"one is of a status that the preset names", `{"id":"1","status":"completed"` + times, reply{425, "<html>"}, there, lacks(ended, "transcript", "summary"), lacks(ended, "transcript"), text("summary", "hello"), 3},
		{"one is null and one empty", `{"id":"1","status":"transferred"` + times, reply{200, `{"data":{"text":null}}`}, reply{200, `{"data":{"text":""}}`}, lacks(ended, "transcript", "summary"), lacks(ended, "transcript", "summary"), nil, 3},
		{"one is processed", `{"id":"1","status":"completed"` + times, reply{200, `{"data":{"status":"processing"}}`}, there, lacks(ended, "transcript", "summary"), lacks(ended, "transcript"), text("summary", "hello"), 3},
		{"the list shows one", `{"id":"1","status":"completed","summary":"short"` + times, there, gone, lacks(ended, "transcript"), nil, text("transcript", "hello", "summary", "short"), 3},
		{"the list shows an empty one", `{"id":"1","status":"completed","summary":""` + times, there, gone, lacks(ended, "transcript", "summary"), lacks(ended, "summary"), text("transcript", "hello"), 3},
		{"it goes on", `{"id":"1","status":"In Progress","created_at":"2026-11-20T09:00:00Z"}`, there, there, lacks(made), lacks(made), nil, 1},
		{"it failed", `{"id":"1","status":"Failed"` + times, there, there, nil, nil, nil, 1},
		{"nobody answered", `{"id":"1","status":"completed","outcome":"Unanswered"` + times, there, there, nil, nil, nil, 1},
		{"somebody did", `{"id":"1","status":"completed","outcome":"answered","test":false` + times, there, there, lacks(ended, "transcript", "summary"), nil, text("transcript", "hello", "summary", "hello"), 3},
		{"a test", `{"id":"1","status":"completed","test":true` + times, there, there, nil, nil, nil, 1},
		{"no status is shown", `{"id":"1"` + times, there, there, lacks(ended, "transcript", "summary"), nil, text("transcript", "hello", "summary", "hello"), 3},
		{"no time is shown", `{"id":"1","status":"completed"}`, gone, gone, lacks(time.Time{}, "transcript", "summary"), lacks(time.Time{}, "transcript", "summary"), nil, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				asked++
				answer := reply{200, `{"data":` + tt.item + `}`}
				switch {
				case r.URL.Path == "/calls":
					answer.body = `{"data":[` + tt.item + `]}`
				case strings.HasSuffix(r.URL.Path, "/transcript"):
					answer = tt.transcript
				case strings.HasSuffix(r.URL.Path, "/summary"):
					answer = tt.summary
				}
				w.WriteHeader(answer.status)
				fmt.Fprint(w, answer.body)
			})
			c := open(t, s.URL, callsPreset)
			page, err := c.Fetch(t.Context(), connectors.Query{Kind: "calls"}, "")
			if err != nil {
				t.Fatal(err)
			}
			listed, err := page.Read(page.Items[0])
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.list, listed.Unfinished); diff != "" {
				t.Errorf("listed (-want +got):\n%s", diff)
			}
			if asked != 1 {
				t.Errorf("%d requests for a list, want 1", asked)
			}
			asked = 0
			got, err := c.Get(t.Context(), record.Ref{Kind: "calls", ID: "1"}, connectors.Scope{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.get, got.Unfinished); diff != "" {
				t.Errorf("read by id (-want +got):\n%s", diff)
			}
			for _, name := range []string{"transcript", "summary"} {
				if v := got.Fields[name]; !v.Equal(tt.text[name]) {
					t.Errorf("%s: got %v, want %v", name, v, tt.text[name])
				}
			}
			if asked != tt.asked {
				t.Errorf("%d requests for a read by id, want %d", asked, tt.asked)
			}
		})
	}
}

// That a text can't be read keeps nothing else of its record from being known; that the
// system is not to be read does.
func TestUnfinishedThatFails(t *testing.T) {
	for _, tt := range []struct {
		status int
		class  connectors.ErrorClass // of the whole read
	}{
		{http.StatusForbidden, ""}, {http.StatusBadRequest, ""}, {http.StatusInternalServerError, ""}, {http.StatusUnauthorized, connectors.Unauthorized},
	} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/transcript"):
				w.WriteHeader(tt.status)
				fmt.Fprint(w, `{}`)
			case strings.HasSuffix(r.URL.Path, "/summary"):
				fmt.Fprint(w, `{"data":{"text":"hello"}}`)
			default:
				fmt.Fprint(w, `{"data":{"id":"1","status":"completed"}}`)
			}
		})
		got, err := open(t, s.URL, callsPreset).Get(t.Context(), record.Ref{Kind: "calls", ID: "1"}, connectors.Scope{})
		if class := connectors.ClassOf(err); err != nil && class != tt.class || err == nil && tt.class != "" {
			t.Errorf("%d: got %v, want class %q", tt.status, err, tt.class)
		}
		if tt.class != "" {
			continue
		}
		u := got.Unfinished
		if u == nil || len(u.Lacks) != 1 || !strings.Contains(u.Failed, fmt.Sprint(tt.status)) || got.Fields["summary"].Text() != "hello" {
			t.Errorf("%d: got %+v, %v", tt.status, u, got.Fields)
		}
	}
}

// What is not mapped is neither asked for nor waited for.
func TestUnfinishedOfMappedFields(t *testing.T) {
	var asked []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		fmt.Fprint(w, `{"data":{"id":"1","status":"completed","text":"hello"}}`)
	})
	for _, tt := range []struct {
		fields []string
		lacks  *record.Unfinished
		asked  []string
	}{
		{[]string{"id", "status"}, nil, []string{"/calls/1"}},
		{[]string{"id", "summary"}, nil, []string{"/calls/1", "/calls/1/summary"}},
	} {
		asked = nil
		c := open(t, s.URL, callsPreset, func(c *rest.Config) { c.Fields = map[record.Kind][]string{"calls": tt.fields} })
		got, err := c.Get(t.Context(), record.Ref{Kind: "calls", ID: "1"}, connectors.Scope{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.lacks, got.Unfinished); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.fields, diff)
		}
		if diff := cmp.Diff(tt.asked, asked); diff != "" {
			t.Errorf("%v: requests (-want +got):\n%s", tt.fields, diff)
		}
	}
}

func TestFinishedIsChecked(t *testing.T) {
	const kind = "auth: {type: none}\nkinds:\n  calls:\n    path: /calls\n    list: {items: data, paging: none}\n"
	for _, tt := range []struct{ text, want string }{
		{"    get: {path: \"/calls/{id}\"}\n    finished: {within: 2h}\n", "neither fields that come later nor what goes_on"},
		{"    finished: {fields: [transcript]}\n", "finished needs get"},
		{"    get: {path: \"/calls/{id}\"}\n    finished: {fields: [transcript], when: {status: []}}\n", "finished.when.status names no value"},
		{"    get: {path: \"/calls/{id}\"}\n    finished: {fields: [transcript], since: {path: x, format: soon}}\n", "unknown format"},
	} {
		if _, err := rest.Load("test", []byte(kind+tt.text), nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.text, err, tt.want)
		}
	}
}
