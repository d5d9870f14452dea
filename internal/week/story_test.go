package week

import (
	"fmt"
	"time"

	"nightporter/simulator"
)

// monday is the first day of the week. On its Sunday clocks are put forward: the hour from
// two to three is missing, in which contacts are compared.
var monday = time.Date(2026, 3, 23, 0, 0, 0, 0, time.UTC)

const days = 7

// day is a civil day, n days from the first Monday.
func day(n int) string { return monday.AddDate(0, 0, n).Format(time.DateOnly) }

func phone(n int) string { return fmt.Sprintf("+39055%07d", n) }

// furnish puts in what was there before.
func (w *world) furnish() {
	w.sim.SetTexts(simulator.Texts{Transcript: 2 * time.Hour, Summary: 5 * time.Hour})
	w.sim.SetDocuments(simulator.Documents{Processing: 20 * time.Minute})
	w.exec(`INSERT INTO pms.rooms (number) VALUES (1), (2)`)
	for i, name := range []string{"Anna Rossi", "Bruno Bianchi", "Carla Conti", "Dino Costa"} {
		w.guest(name, i+1)
	}
	w.exec(`INSERT INTO pms.guests (title, last_name, phone) VALUES ('Company', 'Acme', '055 0000099')`)
	w.sim.Put("contacts", map[string]any{"first_name": "Anna", "last_name": "Rossi", "phone_number": phone(1)})
	w.sim.Put("contacts", map[string]any{"first_name": "Elena", "last_name": "Esposito", "phone_number": phone(5)})
	w.stay(1, 14, 16)
	w.booking("Anna Rossi", 1, 14, 16)
	w.stay(2, 2, 4)
	w.stay(3, 40, 42) // both rooms are sold
	w.stay(4, 40, 42)
	w.exec(`INSERT INTO pms.prices VALUES ('Bar', 'Spritz', 7), ('Bar', 'Coffee', 1.5), ('Spa', 'Sauna', 20)`)
}

// guest enters a guest at the desk, with the phone as it is spoken there.
func (w *world) guest(name string, n int) {
	var first, last string
	_, _ = fmt.Sscan(name, &first, &last)
	w.exec(`INSERT INTO pms.guests (first_name, last_name, phone, email, language) VALUES ($1, $2, $3, $4, 'it')`,
		first, last, fmt.Sprintf("055 %07d", n), fmt.Sprintf("guest%d@example.com", n))
}

// stay enters a reservation at the desk.
func (w *world) stay(guest, from, to int) {
	w.exec(`INSERT INTO pms.reservations (guest_id, arrival, departure) SELECT id, $2::date, $3::date FROM pms.guests WHERE phone = $1`,
		fmt.Sprintf("055 %07d", guest), day(from), day(to))
}

// booking is a reservation that the assistant takes.
func (w *world) booking(name string, guest, from, to int) (id string) {
	return w.sim.Put("reservations", map[string]any{
		"client_full_name": name, "client_phone_number": phone(guest),
		"starting_date": day(from), "ending_date": day(to), "status": "CONFIRMED", "details": "a quiet room",
	})
}

// tell changes the platform's record of which a field has a value.
func (w *world) tell(resource, field, value string, change map[string]any) {
	w.t.Helper()
	for _, r := range w.sim.All(resource) {
		if r[field] == value {
			w.sim.Edit(resource, r["id"].(string), change)
			return
		}
	}
	w.t.Errorf("the platform has no %s with %s %q", resource, field, value)
}

// week is all that happens.
func (w *world) week() {
	for d := range days {
		w.daily(d)
	}
	w.contacts()
	w.orders()
	w.prices()
	w.calls()
}

// daily is what each day brings: a guest with a reservation at the desk, a reservation and
// a call of the assistant's. What the desk entered is on the platform the next morning.
func (w *world) daily(d int) {
	name := fmt.Sprintf("Desk%d Guest", d)
	w.on(d, "08:00", func() { w.guest(name, 100+d); w.stay(100+d, d+1, d+3) })
	w.on(d+1, "06:30", func() { w.nightlyIn(d) })
	w.on(d, fmt.Sprintf("10:%02d", 7*d+2), func() {
		w.voice(fmt.Sprintf("Voice%d Caller", d), 200+d)
		at := time.Now().UTC()
		w.sim.Put("calls", map[string]any{
			"phone_number": phone(200 + d), "call_type": "Automated", "call_status": "Completed", "outcome": "answered", "is_outbound": false,
			"start_time": at.Add(-2 * time.Minute).Format(time.RFC3339), "end_time": at.Format(time.RFC3339), "duration": 120,
			"transcript": fmt.Sprintf("A room, please. (%d)", d), "summary": fmt.Sprintf("Booked. (%d)", d),
		})
	})
	w.on(d, "11:45", func() { w.callIn(d, "Completed", "") })
	w.on(d, "16:00", func() { w.callIn(d, "Completed", "A room, please.") })
	w.on(d, "20:30", func() { w.callIn(d, "Completed", "A room, please.", "Booked.") })
}

// voice is a new caller who books; the fourth one a night that is sold.
func (w *world) voice(name string, n int) {
	var first, last string
	_, _ = fmt.Sscan(name, &first, &last)
	w.sim.Put("contacts", map[string]any{"first_name": first, "last_name": last, "phone_number": phone(n)})
	from := n - 200 + 20
	if n == 203 {
		from = 40
	}
	w.booking(name, n, from, from+2)
	if n == 203 {
		w.promptly(func() bool { return w.bookingOf(n) == "REJECTED" })
		return
	}
	w.promptly(func() bool {
		return w.one(`SELECT channel FROM pms.reservations WHERE arrival = $1`, day(from)) == "voice"
	})
}

// contacts are edits of either side, and of both at once.
func (w *world) contacts() {
	w.on(1, "11:00", func() { w.exec(`UPDATE pms.guests SET first_name = 'Annamaria' WHERE last_name = 'Rossi'`) })
	w.on(2, "11:00", func() { w.tell("contacts", "last_name", "Bianchi", map[string]any{"email": "bruno@example.com"}) })
	w.on(3, "11:00", func() {
		w.exec(`UPDATE pms.guests SET last_name = 'Conti-Neri' WHERE last_name = 'Conti'`)
		w.tell("contacts", "last_name", "Conti", map[string]any{"email": "carla@example.com"})
	})
	w.on(2, "15:00", func() { w.status(2, "checked_in") })
	w.on(4, "10:00", func() { w.status(2, "checked_out") })
	w.on(3, "17:00", func() { w.exec(`UPDATE pms.reservations SET departure = departure + 1 WHERE arrival = $1`, day(14)) })
	w.on(4, "12:00", func() { // the caller of Monday cancels
		w.tell("reservations", "client_phone_number", phone(200), map[string]any{"status": "CANCELLED"})
	})
}

func (w *world) status(guest int, status string) {
	w.exec(`UPDATE pms.reservations r SET status = $2 FROM pms.guests g WHERE g.id = r.guest_id AND g.phone = $1`, fmt.Sprintf("055 %07d", guest), status)
}

// orders are four of the shop: three that are paid, and one that is refused.
func (w *world) orders() {
	const lines = `[{"sku": "A", "name": "Wine", "qty": 2, "price": 12.50}, {"sku": "B", "name": "Oil", "qty": 1, "price": "0.5"}]`
	paid := func(n int) map[string]any {
		return map[string]any{"payment_status": "paid", "paid_at": time.Now().UTC().Format(time.RFC3339), "payment_reference": fmt.Sprint("pi_", n)}
	}
	w.on(0, "09:00", func() {
		for n := range 4 {
			w.exec(`INSERT INTO shop.orders (number, customer, phone, lines, total) VALUES ($1, 'Anna Rossi', '055 0000001', $2, 25.5)`, fmt.Sprint("S", n+1), lines)
		}
	})
	w.on(1, "10:00", func() { w.exec(`UPDATE shop.orders SET status = 'refused', reason = 'sold out' WHERE number = 'S4'`) })
	w.on(1, "11:30", func() { w.tell("orders", "external_reference", "S1", map[string]any{"payment_status": "pending"}) })
	w.on(2, "10:00", func() {
		w.tell("orders", "external_reference", "S1", paid(1))
		w.tell("orders", "external_reference", "S2", paid(2))
		w.exec(`UPDATE shop.orders SET status = 'in_preparation' WHERE number = 'S3'`)
	})
	w.on(3, "10:00", func() { w.tell("orders", "external_reference", "S3", paid(3)) })
	w.on(4, "10:30", func() { w.exec(`UPDATE shop.orders SET status = 'fulfilled' WHERE number IN ('S1', 'S2', 'S3')`) })
}

// prices change twice.
func (w *world) prices() {
	w.on(1, "14:05", func() { w.exec(`UPDATE pms.prices SET price = 8 WHERE item = 'Spritz'`) })
	w.on(3, "14:05", func() {
		w.exec(`UPDATE pms.prices SET price = 9 WHERE item = 'Spritz'`)
		w.exec(`INSERT INTO pms.prices VALUES ('Spa', 'Massage', 45)`)
	})
}

// calls are wanted by day, by night, of somebody who is never called, twice of one number,
// and at noon; the last one comes when nothing is killed any more.
func (w *world) calls() {
	want := func(d int, clock string, numbers ...string) {
		w.on(d, clock, func() {
			for _, n := range numbers {
				w.exec(`INSERT INTO pms.call_requests (number, text) VALUES ($1, 'your table is ready')`, n)
			}
		})
	}
	want(0, "10:00", "055 0000001")
	want(1, "22:00", "055 0000002")
	want(2, "11:00", "055 9000000")
	want(4, "16:00", "055 0000003", "055 0000004", "055 0000003")
	want(5, "12:45", "055 0000100")
	want(days, "09:30", "055 0000001")
}
