package rest_test

import (
	"net/http"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// What changed is asked for without days: in one request, whatever a request may cover.
func TestWeakMovedOutOfTheWindowIsAskedForWithoutDays(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, []any{}) })
	since := record.Cursor(`{"t":"2026-03-01T12:00:00Z"}`)
	c := open(t, s.URL, listPreset(`{items: ., paging: none, since: {param: after}, window: {from: first, to: last, max_days: 10}}`))
	q := connectors.Query{Kind: "things", Mode: connectors.Since}
	page, err := c.Fetch(t.Context(), q, since)
	if err != nil || !page.End || page.Since != since {
		t.Fatalf("got %+v, %v", page, err)
	}
	want(t, "query", s.last().Query, "after=2026-03-01T11%3A59%3A00Z")
}

// An API that lists no changes without days says no to them, and the key to set is named. With
// it the connector asks for the days.
func TestWeakMovedOutOfTheWindowOfAnAPIThatNeedsDays(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("first") == "" {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		writeJSON(w, []any{})
	})
	q := connectors.Query{Kind: "things", Mode: connectors.Since}
	plain := open(t, s.URL, listPreset(`{items: ., paging: none, since: {param: after}, window: {from: first, to: last}}`))
	_, err := plain.Fetch(t.Context(), q, "")
	fails(t, err, connectors.Malformed, "list.since.window")
	c := open(t, s.URL, listPreset(`{items: ., paging: none, since: {param: after, window: true}, window: {from: first, to: last}}`))
	q.Scope = connectors.Scope{From: "2026-01-01", To: "2026-01-25"}
	if _, err := c.Fetch(t.Context(), q, ""); err != nil {
		t.Fatal(err)
	}
	for set, conn := range map[bool]connectors.Connector{true: c, false: plain} {
		d, err := conn.Describe(t.Context())
		if err != nil || d.Kinds["things"].SinceWindowed != set {
			t.Errorf("it is described as needing days: %t, %v", d.Kinds["things"].SinceWindowed, err)
		}
	}
}
