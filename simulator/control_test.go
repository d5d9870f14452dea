package simulator_test

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
)

// control makes one call of the control API and decodes the answer into out.
func control(t *testing.T, s *simulator.Sim, status int, method, path, body string, out any) string {
	t.Helper()
	w := httptest.NewRecorder()
	s.Control().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body)))
	if w.Code != status {
		t.Fatalf("%s %s: got status %d, want %d; body %s", method, path, w.Code, status, w.Body)
	}
	raw := w.Body.String()
	if out != nil {
		if err := json.NewDecoder(bytes.NewBufferString(raw)).Decode(out); err != nil {
			t.Fatalf("%s %s: decode %q: %v", method, path, raw, err)
		}
	}
	return raw
}

func TestControlRecords(t *testing.T) {
	s := simulator.New(simulator.Options{IDs: simulator.Sequential})
	var put object
	control(t, s, 200, "POST", "/records/contacts", `{"first_name":"Ada"}`, &put)
	same(t, "id", put, object{"id": "c000001"})
	control(t, s, 204, "PATCH", "/records/contacts/c000001", `{"notes":"x"}`, nil)
	var got object
	control(t, s, 200, "GET", "/records/contacts/c000001", "", &got)
	want := object{"id": "c000001", "first_name": "Ada", "notes": "x"}
	same(t, "record", got, want)
	var all []object
	control(t, s, 200, "GET", "/records/contacts", "", &all)
	same(t, "records", all, []object{want})

	control(t, s, 204, "POST", "/snapshot", "", nil)
	control(t, s, 204, "DELETE", "/records/contacts/c000001", "", nil)
	control(t, s, 404, "DELETE", "/records/contacts/c000001", "", nil)
	control(t, s, 404, "GET", "/records/contacts/c000001", "", nil)
	control(t, s, 404, "PATCH", "/records/contacts/c000001", "{}", nil)
	control(t, s, 204, "POST", "/restore", "", nil)
	same(t, "records after the restore", s.Len("contacts"), 1)

	state := control(t, s, 200, "GET", "/state", "", nil)
	control(t, s, 204, "POST", "/account", `{"name":"other"}`, nil)
	same(t, "records of another account", s.Len("contacts"), 0)
	other := simulator.New(simulator.Options{})
	control(t, other, 204, "PUT", "/state", state, nil)
	same(t, "imported", other.All("contacts"), []map[string]any{want})

	control(t, s, 404, "GET", "/records/people", "", nil)
	control(t, s, 404, "POST", "/records/people", "{}", nil)
	control(t, s, 400, "POST", "/records/contacts", "[]", nil)
	control(t, s, 400, "PATCH", "/records/contacts/c000001", "x", nil)
	control(t, s, 400, "POST", "/account", `{"title":"other"}`, nil)
	control(t, s, 400, "PUT", "/state", `{"main":{"people":[]}}`, nil)
	control(t, other, 400, "POST", "/restore", "", nil)
	control(t, s, 404, "GET", "/nothing", "", nil)
}

func TestControlFaults(t *testing.T) {
	s := simulator.New(simulator.Options{})
	var ids map[string][]int
	control(t, s, 200, "POST", "/faults", `{"kind":"throttle","retry_form":"seconds","retry_after":"90s","times":1}`, &ids)
	same(t, "one id", ids["ids"], []int{1})
	control(t, s, 200, "POST", "/faults", `[{"kind":"latency","delay":"1ms"},{"kind":"clamp","limit":2,"method":"GET","path":"/contacts"}]`, &ids)
	same(t, "two ids", ids["ids"], []int{2, 3})
	same(t, "Retry-After", call(t, s).want(429, "GET", "/contacts", nil).header.Get("Retry-After"), "90")
	var armed []object
	control(t, s, 200, "GET", "/faults", "", &armed)
	same(t, "armed", armed, []object{
		{"id": 1.0, "hits": 1.0, "kind": "throttle", "retry_form": "seconds", "retry_after": "1m30s", "times": 1.0},
		{"id": 2.0, "hits": 1.0, "kind": "latency", "delay": "1ms"},
		{"id": 3.0, "hits": 1.0, "kind": "clamp", "limit": 2.0, "method": "GET", "path": "/contacts"},
	})
	for _, bad := range []string{``, `{"kind":"nonsense"}`, `{"kid":"clamp"}`, `{"kind":"latency","delay":"long"}`, `[{"kind":"clamp"},{"kind":"x"}]`} {
		control(t, s, 400, "POST", "/faults", bad, nil)
	}
	control(t, s, 204, "DELETE", "/faults", "", nil)
	same(t, "armed after the clearing", strings.TrimSpace(control(t, s, 200, "GET", "/faults", "", nil)), "[]")
}

func TestControlCountsLogAndWriter(t *testing.T) {
	s := simulator.New(simulator.Options{})
	s.SetNow(func() time.Time { return time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) })
	call(t, s).want(201, "POST", "/contacts", `{"first_name":"Marker","phone_number":"+999100"}`)
	same(t, "counts", control(t, s, 200, "GET", "/counts", "", nil),
		`{"routes":{"POST /contacts":1},"lists":0,"mutating":1,"total":1}`)
	line := `[{"at":"2030-01-01T00:00:00Z","method":"POST","path":"/external/v1/contacts","status":201`
	same(t, "log", control(t, s, 200, "GET", "/log", "", nil), line+"}]")
	same(t, "log with bodies", control(t, s, 200, "GET", "/log?bodies=1", "", nil),
		line+`,"body":"{\"first_name\":\"Marker\",\"phone_number\":\"+999100\"}"}]`)
	control(t, s, 204, "POST", "/reset-counts", "", nil)
	same(t, "counts after the reset", s.Counts().Total, 0)

	before := s.Export()
	control(t, s, 204, "POST", "/writer", `{"resource":"contacts","rate":1,"seed":3,"move_names":true}`, nil)
	call(t, s).want(200, "GET", "/contacts", nil)
	after := s.Export()
	if len(after["main"]["contacts"]) == 1 && before["main"]["contacts"][0]["notes"] == after["main"]["contacts"][0]["notes"] {
		t.Error("the writer wrote nothing")
	}
	control(t, s, 204, "DELETE", "/writer", "", nil)
	call(t, s).want(200, "GET", "/contacts", nil)
	same(t, "records after it stopped", s.Export(), after)
	control(t, s, 400, "POST", "/writer", `{"resource":"people"}`, nil)
}
