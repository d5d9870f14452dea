package e2e

import (
	"fmt"
	"strings"
	"testing"

	"nightporter/internal/app"
	"nightporter/simulator"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A platform that empties what an update does not send it is found out by one contact,
// which is put back; nothing is carried into the PMS, and with the key that is named all
// that waits goes over.
func TestOutside06APlatformThatReplaces(t *testing.T) {
	t.Parallel()
	h := newHouse(t, simulator.Options{})
	for i := range 6 {
		phone := fmt.Sprintf("+39055000000%d", i)
		h.sim.Put("contacts", map[string]any{
			"first_name": "Anna", "last_name": "Rossi", "phone_number": phone, "email": fmt.Sprintf("anna%d@example.com", i), "notes": "allergic to nuts", "language": "en",
			"custom_fields": map[string]any{"tier": "gold"},
		})
		h.exec(`INSERT INTO guests (first_name, last_name, phone, email, country) VALUES ('Anna', 'Rossi', ?, ?, 'IT')`, phone, fmt.Sprintf("anna%d@example.com", i))
	}
	h.sync()
	h.quiet()
	h.sim.AddFault(simulator.Fault{Kind: simulator.FaultReplace, Path: "/contacts"})
	h.exec(`UPDATE guests SET first_name = 'Anna Maria', version = version + 1`)
	unharmed := func(when string, renamed int) {
		t.Helper()
		n := 0
		for _, c := range h.sim.All("contacts") {
			if c["notes"] != "allergic to nuts" || c["last_name"] != "Rossi" || !strings.HasPrefix(fmt.Sprint(c["phone_number"]), "+3905500") || fmt.Sprint(c["custom_fields"]) != "map[tier:gold]" {
				t.Errorf("%s: the platform has %v", when, c)
			}
			if c["first_name"] == "Anna Maria" {
				n++
			}
		}
		if n != renamed {
			t.Errorf("%s: %d contacts are renamed, want %d", when, n, renamed)
		}
		if got := h.one(`SELECT count(*) FROM guests WHERE first_name = 'Anna Maria' AND last_name = 'Rossi' AND email LIKE 'anna%'`); got != "6" {
			t.Errorf("%s: %s guests are whole in the PMS, want 6", when, got)
		}
	}
	reports, err := h.trySync(engine.Options{Yes: true})
	if err != nil {
		t.Fatal(err)
	}
	if why := h.storyOf("guests", record.Left, record.Ref{Kind: "contacts", ID: strings.TrimPrefix(h.tried().Record, "contacts:")}).Sentence; !strings.Contains(why, "is a trial, and changed") || !strings.Contains(why, "counts as nobody's edit") {
		t.Errorf("explain says %s", why)
	}
	if reports[0].Counts["held"] == 0 || len(reports[0].Alerts) == 0 {
		t.Errorf("the run says %v, %v", reports[0].Counts, reports[0].Alerts)
	}
	for range 3 {
		h.syncWith(engine.Options{Yes: true, Full: true})
		unharmed("stopped", 1)
	}
	a := h.open()
	tried := app.TrialsOf(t.Context(), a.Config, h.stateFile())
	a.Close()
	if text := fmt.Sprint(tried); !strings.Contains(text, "custom_fields.tier") || !strings.Contains(text, "stopped") {
		t.Errorf("check --online shows %v", tried)
	}

	h.edit("  pms:\n    type", "    override:\n      kinds: { contacts: { update: { mode: rewrite } } }\n  pms:\n    type")
	h.sync()
	h.sync()
	unharmed("with the key", 6)
}

// tried is the first update of contacts.
func (h *house) tried() (t app.Tried) {
	h.t.Helper()
	a := h.open()
	defer a.Close()
	for _, x := range app.TrialsOf(h.t.Context(), a.Config, h.stateFile()) {
		if x.Op == record.Update.String() {
			t = x
		}
	}
	return t
}
