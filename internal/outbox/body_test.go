package outbox

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/record"
)

func TestBody(t *testing.T) {
	e := record.Event{ID: "evt_1", Type: record.HaltedEvent, At: at, Data: []byte(`{"text":"a \"b\" <c>","run":9007199254740993}`)}
	for name, tt := range map[string]struct{ template, want string }{
		"as Standard Webhooks has it": {"", `{"type":"halt","timestamp":"2026-11-21T09:30:00.123Z","data":{"text":"a \"b\" \u003cc\u003e","run":9007199254740993}}`},
		"of the receiver's own":       {`{"text": {{json .data.text}}, "n": {{.data.run}}, "id": {{json .id}}}`, `{"text": "a \"b\" <c>", "n": 9007199254740993, "id": "evt_1"}`},
		"all of it":                   {`{{json .}}`, `{"data":{"run":9007199254740993,"text":"a \"b\" <c>"},"id":"evt_1","timestamp":"2026-11-21T09:30:00.123Z","type":"halt"}`},
		"only if":                     {`{"halt": {{if eq .type "halt"}}true{{else}}false{{end}}}`, `{"halt": true}`},
	} {
		var tmpl *Template
		if tt.template != "" {
			var err error
			if tmpl, err = ParseTemplate(tt.template); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if got, err := body(tmpl, e); err != nil || string(got) != tt.want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, tt.want)
		}
	}
}

// What would fail at night is found by a check, with the place and the type of event.
func TestTemplatesThatDontFit(t *testing.T) {
	halts, pushes := Topic{About: []record.EventType{record.HaltedEvent}}, Topic{About: []record.EventType{record.Pushed}, Fields: []string{"status"}}
	for template, tt := range map[string]struct {
		topic Topic
		want  string // "": it fits
	}{
		`{"text": {{json .data.text}}}`:  {Topic{}, ""},
		`{{json .}}`:                     {pushes, ""},
		`{"go": {{json .data.command}}}`: {halts, ""},
		`{"s": {{with index .data.fields "status"}}{{json .}}{{else}}null{{end}}}`: {pushes, ""},
		`{"go": {{json .data.command}} }`:                                          {Topic{}, `for an event of type pushed: 1:19: at <.data.command>: no event of this type has "command"`},
		`{"s": {{json .data.fields.status}}}`:                                      {pushes, `no event of this type has "status"`},
		`{"text": "{{.data.text}}}`:                                                {halts, "the body is no JSON: write values with {{json .data.text}}"},
		`{"text": {{.data.text}}}`:                                                 {halts, "the body is no JSON"},
		`{{range .data}}`:                                                          {halts, "1: unexpected EOF"},
		`{{nope .data}}`:                                                           {halts, `1: function "nope" not defined`},
		`{{define "x"}}{{template "x"}}{{end}}{{template "x"}}`:                    {halts, "exceeded maximum template depth"},
		`"{{range .data}}{{range $.data}}{{printf "%100000d" 1}}{{end}}{{end}}"`:   {halts, "the body is larger than 262144 bytes"},
		"{\n\"text\": {{json .dat.text}}}":                                         {halts, `2:19: at <.dat.text>: no event of this type has "dat"`},
	} {
		tmpl, err := ParseTemplate(template)
		if err == nil {
			err = tmpl.Check(tt.topic)
		}
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", template, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: got %v, want it to say %s", template, err, tt.want)
		}
	}
}

// An incoming webhook of another's own is posted to as it wants it; what proves who
// sends it can't be overridden.
func TestMethodAndHeaders(t *testing.T) {
	d := Destination{
		URL: func() (string, error) { return "https://in.example.com/x", nil }, Method: http.MethodPut,
		Headers: map[string]string{"X-Source": "nightporter", "Content-Type": "application/vnd.x+json", "User-Agent": "house"},
	}
	req, err := d.request(t.Context(), "https://in.example.com/x", record.Event{ID: "evt_1"}, []byte("{}"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	got := []string{req.Method, req.Header.Get("X-Source"), req.Header.Get("Content-Type"), req.Header.Get("User-Agent"), req.Header.Get("webhook-id")}
	if diff := cmp.Diff([]string{"PUT", "nightporter", "application/vnd.x+json", "house", "evt_1"}, got); diff != "" {
		t.Error(diff)
	}
	d.Method, d.Headers = "", nil
	if req, err = d.request(t.Context(), "https://in.example.com/x", record.Event{}, nil, time.Now()); err != nil || req.Method != http.MethodPost || req.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %v, %v, want a POST of JSON", req, err)
	}
}
