package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/simulator"
)

// What doctor proposes for an API, put into the configuration of a house, brings every
// record into the PMS, each once, and nothing is written to the API.
func TestDoctorsOverride(t *testing.T) {
	const many = 23 // no size of a page divides it
	for _, name := range simulator.Dialects() {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			traits, _ := simulator.TraitsOf(name)
			traits.Quotas = nil // how long a house waits is told elsewhere
			h := newHouse(t, simulator.Options{Traits: &traits})
			for n := range many {
				phone := fmt.Sprintf("+390550001%03d", n)
				first := n/3 + 14*(n%2) // some day is after the 12th in every month: else nothing tells a day from a month
				guest := map[string]any{"first_name": "Nome", "last_name": fmt.Sprint("Cognome", n), "phone_number": phone}
				stay := map[string]any{
					"client_full_name": fmt.Sprint("Nome Cognome", n), "client_phone_number": phone, "status": "CONFIRMED",
					"starting_date": day(first), "ending_date": day(first + 3),
				}
				if n%2 == 0 {
					guest["email"], stay["details"] = fmt.Sprintf("ospite%d@example.com", n), "tardi"
				}
				h.sim.Put("contacts", guest)
				h.sim.Put("reservations", stay)
			}
			h.consult()
			for range 2 {
				h.sync()
			}
			for query, want := range map[string]string{
				`SELECT count(*) || '/' || count(DISTINCT phone) || '/' || count(email) FROM guests`:                                     "23/23/12",
				`SELECT count(*) || '/' || count(DISTINCT guest_id) FROM reservations`:                                                   "23/23",
				`SELECT count(*) FROM reservations WHERE julianday(departure) - julianday(arrival) = 3`:                                  "23",
				`SELECT count(*) FROM reservations r JOIN guests g ON g.id = r.guest_id WHERE r.notes = 'tardi' AND g.email IS NOT NULL`: "12",
			} {
				if got := h.one(query); got != want {
					t.Errorf("%s: got %s, want %s", query, got, want)
				}
			}
			if n := h.sim.Counts().Mutating; n != 0 {
				t.Errorf("%d requests wrote to the API", n)
			}
		})
	}
}

// consult asks doctor about the platform, and puts what it proposes into the
// configuration.
func (h *house) consult() {
	h.t.Helper()
	path := filepath.Join(h.dir, "nightporter.yaml")
	h.write(path, h.config)
	cfg, err := config.Load(path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	r, err := app.Doctor(h.t.Context(), cfg, "platform", app.Options{})
	if err != nil {
		h.t.Fatal(err)
	}
	if r.Override == "" {
		return
	}
	text := "    " + strings.ReplaceAll(strings.TrimSpace(r.Override), "\n", "\n    ") + "\n"
	h.edit("    base_url:", text+"    base_url:")
}
