package e2e

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/simulator"
	"nightporter/sync/engine"
)

const cardNumber = "4111111111111111" // a test card that passes the check

// spying syncs once and keeps all that was logged and, as they stand while the
// program still runs, the bytes of the state file and its log.
func (h *house) spying(traces *bytes.Buffer) []engine.Report {
	h.t.Helper()
	path := filepath.Join(h.dir, "nightporter.yaml")
	h.write(path, h.config)
	cfg, err := config.Load(path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(traces, &slog.HandlerOptions{Level: slog.LevelDebug}))
	a, err := app.Open(context.Background(), cfg, app.Options{Jobs: true, State: h.stateFile(), Log: log})
	if err != nil {
		h.t.Fatal(err)
	}
	defer a.Close()
	reports, err := a.Sync(context.Background(), nil, engine.Options{Yes: true})
	if err != nil {
		h.t.Fatal(err)
	}
	fmt.Fprintf(traces, "%+v", reports)
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(h.stateFile() + suffix)
		if err != nil {
			h.t.Fatal(err)
		}
		traces.Write(b)
	}
	return reports
}

// A payment card in a mapped text is in nothing that is kept, logged, reported or
// sent; where it stands it stays, whatever else of its record is written; and an
// edit of the text itself arrives.
func TestCardsAreKeptNowhere(t *testing.T) {
	for name, version := range map[string]string{"by version": "        version: version\n        version_bump: false\n", "by value": ""} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, simulator.Options{KeepRequests: 1000})
			h.exec(`ALTER TABLE guests ADD COLUMN remarks TEXT`)
			h.edit("to: platform }\n", "to: platform }\n      remarks:     { platform: notes, pms: remarks, conflict: pms }\n")
			h.edit("        version: version\n        version_bump: false\n", version)
			anna := h.sim.Put("contacts", map[string]any{
				"first_name": "Anna", "last_name": "Rossi", "phone_number": "+390550000001", "notes": "card 4111 1111 1111 1111, exp 12/29",
			})
			bruno := h.exec(`INSERT INTO guests (first_name, last_name, phone, remarks) VALUES ('Bruno', 'Bianchi', '055 0000002', 'pays with 4111-1111-1111-1111')`)
			traces := &bytes.Buffer{}
			h.spying(traces)

			// Another field of either record is written: the texts stay as they are.
			h.quiet()
			annaThere := h.one(`SELECT id FROM guests WHERE last_name = 'Rossi'`)
			brunoThere := h.contactOf("Bianchi")
			h.exec(`UPDATE guests SET first_name = 'Annamaria' WHERE id = ?`, annaThere)
			h.sim.Edit("contacts", brunoThere, map[string]any{"last_name": "Bianchini"})
			h.exec(`UPDATE guests SET first_name = 'Brunello' WHERE id = ?`, bruno)
			h.spying(traces)
			if c, _ := h.sim.Get("contacts", anna); c["first_name"] != "Annamaria" || c["notes"] != "card 4111 1111 1111 1111, exp 12/29" {
				t.Errorf("the platform's own text: got %v", c)
			}
			if got, want := h.one(`SELECT last_name || ': ' || remarks FROM guests WHERE id = ?`, bruno), "Bianchini: pays with 4111-1111-1111-1111"; got != want {
				t.Errorf("the PMS's own text: got %q, want %q", got, want)
			}
			if got, want := h.one(`SELECT remarks FROM guests WHERE id = ?`, annaThere), "card ****, exp 12/29"; got != want {
				t.Errorf("what the PMS was told: got %q, want %q", got, want)
			}

			// The text itself is edited across: it replaces the one with the card.
			h.sim.Edit("contacts", brunoThere, map[string]any{"notes": "pays at the desk"})
			h.exec(`UPDATE guests SET remarks = 'quiet room' WHERE id = ?`, annaThere)
			h.spying(traces)
			if got := h.one(`SELECT remarks FROM guests WHERE id = ?`, bruno); got != "pays at the desk" {
				t.Errorf("the edited text: got %q", got)
			}
			if c, _ := h.sim.Get("contacts", anna); c["notes"] != "quiet room" {
				t.Errorf("the edited text: got %v", c["notes"])
			}
			h.quiet()

			for _, r := range h.sim.Requests() {
				if r.Method != http.MethodGet {
					traces.WriteString(r.Body + r.Query)
				}
			}
			digits := strings.NewReplacer(" ", "", "-", "").Replace(traces.String())
			if i := strings.Index(digits, cardNumber); i >= 0 {
				t.Errorf("the card is kept: …%q…", digits[max(0, i-200):i+40])
			}
		})
	}
}

// contactOf is the id of the contact with that family name.
func (h *house) contactOf(family string) string {
	h.t.Helper()
	for _, c := range h.sim.All("contacts") {
		if c["last_name"] == family {
			return fmt.Sprint(c["id"])
		}
	}
	h.t.Fatalf("no contact %s", family)
	return ""
}
