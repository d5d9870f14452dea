package e2e

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/sync/engine"
)

// crash is what a killed run panics with.
type crash struct{ step int }

// scene is one thing that happens between two systems in step. Each is run once
// undisturbed, to count its steps, and then killed at every one of them.
type scene struct {
	name   string
	sim    simulator.Options
	config func(h *house) // changes to the usual configuration
	given  func(h *house) // what is there, brought in step before
	when   func(h *house) // what happens then
}

var reference = func(h *house) {
	h.edit("    key: file:", `    override: { kinds: { contacts: { stamp: { field: external_id, find: true }, find: [{ by: [external_id], params: { external_id: external_id } }] }, reservations: { stamp: { field: external_id, find: true }, find: [{ by: [external_id], params: { external_id: external_id } }] } } }
    key: file:`)
}

var uniqueReference = func(h *house) {
	h.edit("    key: file:", `    override: { kinds: { contacts: { stamp: { field: external_id, find: true, unique: true }, find: [{ by: [external_id], params: { external_id: external_id } }] }, reservations: { stamp: { field: external_id, find: true, unique: true }, find: [{ by: [external_id], params: { external_id: external_id } }] } } }
    key: file:`)
}

var idempotent = func(h *house) {
	h.edit("    key: file:", `    override: { kinds: { contacts: { idempotency: { header: Idempotency-Key } }, reservations: { idempotency: { header: Idempotency-Key } } } }
    key: file:`)
}

var noMark = func(h *house) {
	h.config = strings.ReplaceAll(h.config, "        our_mark: external_ref\n", "")
}

func aGuest(h *house) int64 {
	return h.exec(`INSERT INTO guests (first_name, last_name, phone, email, country) VALUES ('Bruno', 'Bianchi', '055 0000002', 'bruno@example.com', 'IT')`)
}

func aContact(h *house) string {
	return h.sim.Put("contacts", map[string]any{"first_name": "Anna", "last_name": "Rossi", "phone_number": "+390550000001", "email": "anna@example.com"})
}

func aBooking(h *house) string {
	return h.sim.Put("reservations", map[string]any{
		"client_full_name": "Anna Rossi", "client_phone_number": "+390550000001",
		"starting_date": day(3), "ending_date": day(5), "status": "CONFIRMED",
	})
}

func aStay(h *house, guest int64) int64 {
	return h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, ?, ?)`, guest, day(7), day(9))
}

func bothNew(h *house) { aStay(h, aGuest(h)); aContact(h); aBooking(h) }

func scenes() []scene {
	nothing := func(*house) {}
	full := func(h *house) {
		h.edit("create: { platform: always, pms: always }\n    on_create", acceptNever+"\n    on_create")
	}
	return []scene{
		{name: "creates both ways, phone unique (B) and natural key (D)", given: nothing, when: bothNew},
		{name: "creates both ways, idempotency key (A)", sim: simulator.Options{Idempotency: true}, config: idempotent, given: nothing, when: bothNew},
		{name: "creates both ways, unique reference (B)", sim: simulator.Options{Reference: "unique"}, config: uniqueReference, given: nothing, when: bothNew},
		{name: "creates both ways, reference that can be found (C)", sim: simulator.Options{Reference: "field"}, config: reference, given: nothing, when: bothNew},
		{name: "creates both ways, no mark in the PMS (D)", config: noMark, given: nothing, when: bothNew},
		{name: "updates both ways", given: bothNew, when: func(h *house) {
			id := h.sim.All("contacts")[0]["id"].(string)
			h.sim.Edit("contacts", id, map[string]any{"email": "other@example.com"})
			h.exec(`UPDATE guests SET last_name = 'Neri'`)
			h.exec(`UPDATE reservations SET departure = date(departure, '+1 day')`)
		}},
		{name: "a status with a request of its own", sim: simulator.Options{StatusAction: true}, config: statusAction, given: bothNew, when: func(h *house) {
			h.exec(`UPDATE reservations SET status = 'cancelled', departure = date(departure, '+1 day') WHERE channel = 'direct'`)
		}},
		{name: "a booking that waits for its guest", config: func(h *house) {
			h.edit("create: { platform: always, pms: always }\n    not_a_value", "create: { platform: always, pms: when_referenced }\n    not_a_value")
		}, given: nothing, when: func(h *house) { aContact(h); aBooking(h) }},
		{name: "a refusal written back", config: full, given: nothing, when: func(h *house) { aContact(h); aBooking(h) }},
	}
}

const acceptNever = `create: { platform: always, pms: always }
    accept_if: "select 'free' where 1 = 2"`

var statusAction = func(h *house) {
	h.edit("    key: file:", `    override: { kinds: { reservations: { status: { field: status, requests: {
      CONFIRMED: { method: PATCH, path: "/reservations/{id}/status", body: { status: CONFIRMED } },
      CANCELLED: { method: PATCH, path: "/reservations/{id}/status", body: { status: CANCELLED } },
      PENDING: { method: PATCH, path: "/reservations/{id}/status", body: { status: PENDING } } } } } } }
    key: file:`)
}

// stage sets a scene.
func (s scene) stage(t *testing.T) *house {
	h := newHouse(t, s.sim)
	if s.config != nil {
		s.config(h)
	}
	s.given(h)
	h.settleAll()
	s.when(h)
	return h
}

// settleAll runs until nothing is left to do.
func (h *house) settleAll() {
	h.t.Helper()
	for range 6 {
		reports := h.sync()
		l, r := writes(reports)
		unsettled := int64(0)
		for _, rep := range reports {
			unsettled += rep.Counts["unsettled"]
		}
		if l+r+unsettled == 0 {
			return
		}
		time.Sleep(3 * time.Millisecond) //nolint:forbidigo // the settle time of these tests is real and one millisecond
	}
	h.t.Fatal("six runs were not enough to come to rest")
}

// picture is what both sides hold in the end, without the ids that a retry may
// deal out differently.
func (h *house) picture() string {
	var lines []string
	for _, res := range []string{"contacts", "reservations"} {
		for _, r := range h.sim.All(res) {
			delete(r, "id")
			delete(r, "external_id")
			var parts []string
			for _, k := range slices.Sorted(maps.Keys(r)) {
				parts = append(parts, fmt.Sprintf("%s=%v", k, r[k]))
			}
			lines = append(lines, res+" "+strings.Join(parts, " "))
		}
	}
	for _, q := range []string{
		`SELECT 'guest ' || first_name || last_name || coalesce(phone,'') || coalesce(email,'') FROM guests`,
		`SELECT 'stay ' || g.first_name || r.arrival || r.departure || r.status || r.channel FROM reservations r JOIN guests g ON g.id = r.guest_id`,
	} {
		rows, err := h.db.Query(q)
		if err != nil {
			h.t.Fatal(err)
		}
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				h.t.Fatal(err)
			}
			lines = append(lines, s)
		}
		rows.Close()
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// runKilled runs once and dies at step k. The state file is left as the disk had it
// at that moment; with power, what was not synced is gone too. It reports how many
// steps there were.
func (h *house) runKilled(k int, power bool) (steps int) {
	dead := false
	h.step = func(string) {
		steps++
		if steps == k && !dead {
			dead = true
			h.copyState(power)
			panic(crash{k})
		}
	}
	defer func() {
		h.step = nil
		if p := recover(); p != nil {
			if _, ok := p.(crash); !ok {
				panic(p)
			}
		}
		if dead {
			h.lives++
		}
	}()
	_, err := h.trySync(engine.Options{Yes: true})
	if err != nil && !dead {
		h.t.Fatalf("sync: %v", err)
	}
	return steps
}

// copyState leaves the state file as the disk has it now under a new name, which
// the next runs use. What the killed run still does to the old one is of no account.
func (h *house) copyState(power bool) string {
	from := h.stateFile()
	h.lives++
	to := h.stateFile()
	h.lives--
	for _, f := range []string{"", "-wal"} {
		data, err := os.ReadFile(from + f)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			h.t.Fatal(err)
		}
		if power && f == "-wal" {
			data = append(data, make([]byte, 4096+24)...) // a frame that was on its way, torn
			copy(data[len(data)-2000:], "torn by the power cut")
		}
		h.write(to+f, string(data))
	}
	return to
}

// Killed at every step, the next runs bring both sides to where an undisturbed run
// brings them: nothing lost, nothing doubled.
func TestCrashMatrix(t *testing.T) {
	for _, s := range scenes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			undisturbed := s.stage(t)
			steps := undisturbed.runKilled(-1, false)
			undisturbed.settleAll()
			want := undisturbed.picture()
			t.Logf("%d steps\n%s", steps, want)
			if steps < 20 {
				t.Fatalf("only %d steps: is the run doing anything?", steps)
			}
			for k := 1; k <= steps; k++ {
				h := s.stage(t)
				h.runKilled(k, k%3 == 0)
				h.settleAll()
				if got := h.picture(); got != want {
					t.Errorf("killed at step %d of %d:\n%s\nwant\n%s", k, steps, got, want)
				}
			}
		})
	}
}
