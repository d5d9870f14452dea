package e2e

import (
	"fmt"
	"strings"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/simulator"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// removes lets the platform delete, and the PMS's rows be deleted; gone is what each job
// says of records that are gone.
func removes(guests, reservations string) func(*house) {
	return func(h *house) {
		h.edit("    key: file:", `    override: { kinds: { contacts: { delete: { path: "/contacts/{id}" }, merged: notes }, reservations: { delete: { path: "/reservations/{id}" } } } }
    key: file:`)
		h.config = strings.ReplaceAll(h.config, "        our_mark: external_ref\n", "        our_mark: external_ref\n        may_delete: true\n")
		h.edit("    not_a_value", "    gone: "+guests+"\n    not_a_value")
		h.edit("    on_create", "    gone: "+reservations+"\n    on_create")
	}
}

// strangersToo is bothNew and three more people of each side, without a booking.
func strangersToo(h *house) {
	bothNew(h)
	for i := range 3 {
		h.exec(`INSERT INTO guests (first_name, last_name, phone, email, country) VALUES (?, 'Verdi', ?, ?, 'IT')`,
			fmt.Sprint("Carla", i), fmt.Sprintf("055 000010%d", i), fmt.Sprintf("carla%d@example.com", i))
		h.sim.Put("contacts", map[string]any{
			"first_name": fmt.Sprint("Dario", i), "last_name": "Gallo", "phone_number": fmt.Sprintf("+39055000020%d", i),
			"email": fmt.Sprintf("dario%d@example.com", i),
		})
	}
	aStay(h, aGuestNamed(h, "Elio", "055 0000300"))
}

func aGuestNamed(h *house, name, phone string) int64 {
	return h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES (?, 'Conti', ?, 'IT')`, name, phone)
}

// someAreRemoved takes people and bookings away on both sides, one of whom the other
// side edits meanwhile.
func someAreRemoved(h *house) {
	h.exec(`DELETE FROM guests WHERE first_name = 'Carla0'`)
	h.exec(`DELETE FROM guests WHERE first_name = 'Dario0'`)
	h.sim.Remove("contacts", idOf(h, "contacts", "first_name", "Carla1"))
	h.sim.Remove("contacts", idOf(h, "contacts", "first_name", "Dario1"))
	h.exec(`DELETE FROM guests WHERE first_name = 'Carla2'`)
	h.sim.Edit("contacts", idOf(h, "contacts", "first_name", "Carla2"), map[string]any{"email": "edited@example.com"})
	h.sim.Remove("reservations", idOf(h, "reservations", "client_full_name", "Elio Conti"))
	h.exec(`DELETE FROM reservations WHERE channel = 'voice'`)
}

// goneScenes is scenes in which records go.
func goneScenes() []scene {
	offer := simulator.Options{Deletes: true}
	return []scene{
		{
			name: "deletes both ways", sim: offer, given: strangersToo, when: someAreRemoved,
			config: removes("{ platform: delete, pms: delete }", "{ platform: delete, pms: delete }"),
		},
		{
			name: "records are put aside", sim: offer, given: strangersToo, when: someAreRemoved,
			config: removes("{ platform: { archive: { title: left } }, pms: { archive: { email: gone@example.com } } }",
				"{ platform: { archive: { status: cancelled } }, pms: { archive: { status: CANCELLED, details: gone } } }"),
		},
		{
			name: "links that end", sim: offer, given: strangersToo, when: someAreRemoved,
			config: removes("{ platform: unlink, pms: ignore }", "{ platform: hold, pms: unlink }"),
		},
		{
			name: "the answer of a delete is lost", sim: offer, given: strangersToo, when: someAreRemoved,
			config: removes("{ platform: delete, pms: delete }", "{ platform: delete, pms: delete }"),
			fault:  simulator.Fault{Kind: simulator.FaultDropAfter, Method: "write", Times: 2},
		},
		{
			name: "a delete is applied late", sim: offer, settle: lateSettle, given: strangersToo, when: someAreRemoved,
			config: removes("{ platform: delete, pms: delete }", "{ platform: delete, pms: delete }"),
			fault:  simulator.Fault{Kind: simulator.FaultLateDrop, Method: "write", Times: 2, Delay: lateBy},
		},
		{
			name: "contacts that are merged", sim: offer, given: strangersToo,
			config: removes("{ platform: delete, pms: delete }", "{ platform: delete, pms: delete }"),
			when: func(h *house) {
				into := h.sim.Put("contacts", map[string]any{"first_name": "Dario", "last_name": "Gallo", "phone_number": "+390550000900"})
				for _, name := range []string{"Dario0", "Carla0"} {
					h.sim.Edit("contacts", idOf(h, "contacts", "first_name", name), map[string]any{"notes": into})
				}
			},
		},
	}
}

// duoGone is duoScenes of records that go: each side deletes because of the other, and
// one is merged.
func duoGone(to record.Side, inFile bool) duoScene {
	return duoScene{
		name: fmt.Sprintf("deletes and merges, to the %s, state in a file: %t", to, inFile), class: connectors.ClassD,
		to: to, inFile: inFile,
		gone: engine.GoneRule{Policy: away.GoneDelete},
		kind: func(k memory.Kind) memory.Kind { k.Delete = true; return k },
		given: func(d *duo) {
			for i := range 4 {
				d.systems[to.Other()].Put(duoKind, text("name", fmt.Sprint("Carla", i), "phone", fmt.Sprintf("+39055000010%d", i),
					"mail", fmt.Sprintf("carla%d@example.com", i), "status", "new"))
			}
		},
		when: func(d *duo) {
			from := d.systems[to.Other()]
			all := from.All(duoKind)
			from.Remove(duoKind, all[1].Ref.ID)
			into := from.Put(duoKind, text("name", "Dario", "phone", "+390550000900", "mail", "dario@example.com", "status", "new"))
			from.Merge(duoKind, all[2].Ref.ID, into)
			from.Remove(duoKind, all[3].Ref.ID)
			d.systems[to].Edit(duoKind, d.systems[to].All(duoKind)[3].Ref.ID, text("name", "Edited"))
		},
	}
}
