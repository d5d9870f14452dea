package e2e

import (
	"strings"
	"testing"
	"time"
)

// Where the platform can be asked for the latest calls alone, a run lists no others. What
// leaves the window stays in the house, is asked for once by its id, and is nobody's question.
func TestWeakLatestCallsAlone(t *testing.T) {
	t.Parallel()
	h := newCallsHouse(t, "SELECT, INSERT")
	var override string
	for _, b := range fenced(t, "calls.md", "yaml") {
		if strings.Contains(b, "started_after") {
			override = b
		}
	}
	h.edit("  pms:\n    type", strings.TrimPrefix(override, "  platform:\n")+"  pms:\n    type")
	h.edit("    match: [call_id]\n", "    match: [call_id]\n    window: { from: -30d, to: 0d }\n")
	ended := time.Now().UTC().Truncate(24 * time.Hour).Add(-12 * time.Hour) // a day that is the same in UTC and in the house's zone
	for n := range 12 {
		h.call(n, ended.AddDate(0, 0, -n), nil)
	}
	h.sync()
	first := h.calls()
	if got := strings.Count(first, "\n") + 1; got != 12 {
		t.Fatalf("the table holds %d calls, want 12:\n%s", got, first)
	}
	h.edit("from: -30d", "from: -4d")
	h.sync()
	for range 3 {
		h.later()
		listed, read := h.callRequests(func() { h.sync() })
		if read > 0 || listed != 1 {
			t.Errorf("a further run sends %d lists and %d reads by id, want one list", listed, read)
		}
	}
	if got := h.calls(); got != first {
		t.Errorf("the table changed:\n%s\nwas\n%s", got, first)
	}
	h.call(20, ended, nil)
	h.sync()
	if got := strings.Count(h.calls(), "\n") + 1; got != 13 {
		t.Errorf("the table holds %d calls, want 13", got)
	}
}

// callRequests is how many lists of calls, and reads of one, are sent meanwhile. Each list
// must say its days.
func (h *callsHouse) callRequests(during func()) (lists, reads int) {
	h.t.Helper()
	before := len(h.sim.Requests())
	during()
	for _, r := range h.sim.Requests()[before:] {
		switch {
		case strings.HasSuffix(r.Path, "/calls"):
			lists++
			if !strings.Contains(r.Query, "started_after=") {
				h.t.Errorf("a list of all calls: %s", r.Query)
			}
		case strings.Contains(r.Path, "/calls/"):
			reads++
		}
	}
	return lists, reads
}
