package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/sync/record"
)

// scene is one thing that happens between two systems in step. Each is run once
// undisturbed, to count its steps, and then killed at them.
type scene struct {
	name   string
	sim    simulator.Options
	settle time.Duration   // in place of a millisecond
	fault  simulator.Fault // what goes wrong in the run that is killed
	config func(h *house)  // changes to the usual configuration
	given  func(h *house)  // what is there, brought in step before
	when   func(h *house)  // what happens then
	loses  bool            // what became of a create can't always be known: then it is held
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

// updates edits records on both sides.
func updates(h *house) {
	h.sim.Edit("contacts", idOf(h, "contacts", "first_name", "Anna"), map[string]any{"email": "other@example.com"})
	h.exec(`UPDATE guests SET last_name = 'Neri'`)
	h.exec(`UPDATE reservations SET departure = date(departure, '+1 day')`)
}

// idOf is the platform's record that holds a value.
func idOf(h *house, resource, field, value string) string {
	h.t.Helper()
	for _, r := range h.sim.All(resource) {
		if r[field] == value {
			id, _ := r["id"].(string)
			return id
		}
	}
	h.t.Fatalf("the platform has no %s with %s %q", resource, field, value)
	return ""
}

var ifMatch = func(h *house) {
	h.edit("    key: file:", `    override: { kinds: { contacts: { version: { etag: true }, update: { if_match: true } }, reservations: { version: { etag: true }, update: { if_match: true } } } }
    key: file:`)
}

// A write that comes late comes well before what its system shows is believed.
const (
	lateBy     = 20 * time.Millisecond
	lateSettle = 120 * time.Millisecond
)

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
		{name: "updates both ways", given: bothNew, when: updates},
		{name: "a status with a request of its own", sim: simulator.Options{StatusAction: true}, config: statusAction, given: bothNew, when: func(h *house) {
			h.exec(`UPDATE reservations SET status = 'cancelled', departure = date(departure, '+1 day') WHERE channel = 'direct'`)
		}},
		{name: "a booking that waits for its guest", config: func(h *house) {
			h.edit("create: { platform: always, pms: always }\n    not_a_value", "create: { platform: always, pms: when_referenced }\n    not_a_value")
		}, given: func(h *house) { aContact(h) }, when: func(h *house) { aBooking(h) }},
		{name: "a refusal written back", config: full, given: nothing, when: func(h *house) { aContact(h); aBooking(h) }},
		{name: "updates where the platform checks the version", sim: simulator.Options{Versions: true}, config: ifMatch, given: bothNew, when: updates},
		{name: "records that are gone on one side", given: bothNew, when: func(h *house) {
			h.sim.Remove("reservations", idOf(h, "reservations", "client_full_name", "Anna Rossi"))
			h.exec(`DELETE FROM reservations WHERE channel = 'direct'`)
			h.exec(`DELETE FROM guests WHERE first_name = 'Bruno'`)
			h.sim.Edit("contacts", idOf(h, "contacts", "first_name", "Anna"), map[string]any{"email": "other@example.com"})
		}},
		{
			name: "an answer is lost", given: nothing, when: bothNew,
			fault: simulator.Fault{Kind: simulator.FaultDropAfter, Method: "write", Times: 2},
		},
		{
			name: "an update's answer is lost", given: bothNew, when: updates,
			fault: simulator.Fault{Kind: simulator.FaultDropAfter, Method: "write", Times: 2},
		},
		{
			name: "a create is applied late", settle: lateSettle, given: nothing, when: bothNew,
			fault: simulator.Fault{Kind: simulator.FaultLateDrop, Method: "write", Times: 2, Delay: lateBy},
		},
		{
			name: "an update is applied late", settle: lateSettle, given: bothNew, when: updates,
			fault: simulator.Fault{Kind: simulator.FaultLate504, Method: "write", Times: 2, Delay: lateBy},
		},
		{
			name: "nothing tells (E): no reference, and values come back garbled", loses: true,
			sim:   simulator.Options{Normalise: simulator.Normalise{Phone: simulator.PhoneSpaced, Truncate: map[string]int{"client_full_name": 4, "client_phone_number": 6}}},
			given: nothing, when: func(h *house) { aStay(h, aGuest(h)) },
		},
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

// Killed at any step, the next runs bring both sides to where an undisturbed run
// brings them: nothing lost, nothing doubled. Where a system offers nothing by which
// a record could be told, an intent may end held for a person; that is all.
func TestCrashMatrix(t *testing.T) {
	for n, s := range slices.Concat(scenes(), goneScenes()) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			st := s.set(t)
			steps := st.run(0, killed)
			st.settleAll()
			want := st.picture()
			if len(steps) < 20 {
				t.Fatalf("only %d steps: is the run doing anything?", len(steps))
			}
			ks := chosen(t, steps, uint64(n))
			lost := 0
			for _, k := range ks {
				st.run(k, death(k%2))
				st.settleAll()
				if got := st.picture(); got != want {
					t.Errorf("killed at step %d of %d, %s:\n%s\nwant\n%s", k, len(steps), steps[k-1], got, want)
				}
				lost += st.lost()
			}
			t.Logf("killed at %d of %d steps, %d intents held\n%s", len(ks), len(steps), lost, want)
			if s.loses != (lost > 0) {
				t.Errorf("%d intents were held for a person, want some: %t", lost, s.loses)
			}
		})
	}
}

// lost is how many intents wait for a person because nobody can know what became
// of them.
func (h *house) lost() int {
	h.t.Helper()
	a := h.open()
	defer a.Close()
	n := 0
	for _, b := range a.Order {
		in, err := a.Store.Lost(h.t.Context(), b)
		if err != nil {
			h.t.Fatal(err)
		}
		for _, i := range in {
			if i.State == record.Lost {
				n++
			}
		}
	}
	return n
}
