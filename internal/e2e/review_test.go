package e2e

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// reviewKick gives one kick, once, when it is due.
func reviewKick(due func() bool, k engine.Kick) func() []engine.Kick {
	done := false
	return func() []engine.Kick {
		if done || !due() {
			return nil
		}
		done = true
		return []engine.Kick{k}
	}
}

// A record that is taken first may stand in the plan already: that ends no run.
func TestReviewKickOfWhatIsPlanned(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.sync()
	aContact(h)
	second := h.sim.Put("contacts", map[string]any{"first_name": "Zoe", "last_name": "Last", "phone_number": "+390550000077"})
	reports, err := h.trySync(engine.Options{Yes: true, Kicked: reviewKick(
		func() bool { return h.one(`SELECT count(*) FROM guests`) == "1" },
		engine.Kick{Side: record.Left, Ref: record.Ref{Kind: "contacts", ID: second}},
	)})
	if err != nil {
		t.Fatalf("the run ended: %v", err)
	}
	if got := h.one(`SELECT count(*) FROM guests`); got != "2" {
		h.tell(reports)
		t.Errorf("guests: got %s, want 2", got)
	}
	h.quiet()
}

// Until somebody agreed to the first plan nothing is written, kicked or not.
func TestReviewKickBeforeTheFirstYes(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.edit("    key: file:", "    page_size: 1\n    key: file:")
	id := aContact(h)
	h.sim.Put("contacts", map[string]any{"first_name": "Zoe", "last_name": "Last", "phone_number": "+390550000077"})
	if _, err := h.trySync(engine.Options{}); err == nil {
		t.Fatal("the first run did not stop to ask")
	}
	a := h.open()
	_, err := a.Engine.Run(t.Context(), "guests", engine.Options{Kicked: reviewKick(
		func() bool { return true }, engine.Kick{Side: record.Left, Ref: record.Ref{Kind: "contacts", ID: id}},
	)})
	a.Close()
	if !errors.Is(err, engine.ErrHalted) {
		t.Errorf("got %v, want a halt", err)
	}
	if got := h.one(`SELECT count(*) FROM guests`); got != "0" {
		t.Errorf("guests before anybody agreed: got %s, want none", got)
	}
}

// What was approved is done or dropped; nothing else is done in its place.
func TestReviewApprovedPlanIsNotReplaced(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	contact, guest := h.pair("Anna", "anna@example.com")
	h.exec(`UPDATE guests SET last_name = 'Bianchi' WHERE id = ?`, guest)
	a := h.open()
	rep, err := a.Engine.Run(t.Context(), "guests", engine.Options{Dry: true})
	a.Close()
	if err != nil || len(rep.Actions) != 1 {
		t.Fatalf("plan: %v, %v", rep.Actions, err)
	}
	approved := map[string]bool{rep.Actions[0].Digest(): true}
	edited := false
	h.step = func(name string) {
		if name == "before get" && !edited { // somebody edits it right before the write
			edited = true
			h.sim.Edit("contacts", contact, map[string]any{"last_name": "Verdi", "email": "new@example.com"})
		}
	}
	a = h.open()
	rep, err = a.Engine.Run(t.Context(), "guests", engine.Options{Plan: approved})
	a.Close()
	h.step = nil
	if err != nil {
		t.Fatal(err)
	}
	if got := h.contact(contact, "last_name"); got != "Verdi" {
		t.Errorf("last name on the platform: got %q, which nobody approved", got)
	}
	if got := h.one(`SELECT email FROM guests WHERE id = ?`, guest); got != "anna@example.com" {
		t.Errorf("email in the PMS: got %q, which nobody approved", got)
	}
	if len(rep.Dropped) != 1 {
		t.Errorf("dropped: got %v, want the action that no longer holds", rep.Dropped)
	}
}

var reviewNoGet = func(h *house) {
	h.edit("    key: file:", `    override: { kinds: { contacts: { get: null } } }
    key: file:`)
}

// A system without a read by id: what became of an update is told by its list.
func TestReviewLostUpdateWithoutGet(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	reviewNoGet(h)
	contact, guest := h.pair("Anna", "anna@example.com")
	h.exec(`UPDATE guests SET last_name = 'Bianchi' WHERE id = ?`, guest)
	h.sim.AddFault(simulator.Fault{Kind: simulator.FaultDropAfter, Method: "PUT", Times: 1})
	h.tell(h.sync())
	for range 3 {
		if _, err := h.trySync(engine.Options{Yes: true}); err != nil {
			t.Fatal(err)
		}
	}
	h.sim.Edit("contacts", contact, map[string]any{"email": "new@example.com"})
	h.tell(h.sync())
	if got := h.one(`SELECT email FROM guests WHERE id = ?`, guest); got != "new@example.com" {
		t.Errorf("a later edit never arrived: %q", got)
	}
	h.quiet()
}

// A create that meets a record which came meanwhile, where a key is honoured.
func TestReviewMetWhereAKeyIsHonoured(t *testing.T) {
	h := newHouse(t, simulator.Options{Idempotency: true})
	idempotent(h)
	h.sync()
	aGuest(h)
	put := false
	h.step = func(name string) {
		if name == "before send" && !put {
			put = true
			h.sim.Put("contacts", map[string]any{"first_name": "Bruno", "last_name": "Bianchi", "phone_number": "+390550000002"})
		}
	}
	if _, err := h.trySync(engine.Options{Yes: true}); err != nil {
		t.Fatalf("the run ended: %v", err)
	}
	h.step = nil
	for range 2 {
		if _, err := h.trySync(engine.Options{Yes: true}); err != nil {
			t.Fatal(err)
		}
	}
	if n := h.sim.Len("contacts"); n != 1 {
		t.Errorf("contacts: got %d, want 1", n)
	}
	h.quiet()
}

// A person who leaves out a stay that waited for too long is heard.
func TestReviewChoiceAboutAStayThatWaited(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.edit("        if_left_out: Occupied\n", "        wait: 1ms\n        then: hold\n")
	one := h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Anna', 'Rossi', '055 0000001', 'IT')`)
	h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Aldo', 'Rossi', '055 0000001', 'IT')`)
	h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, ?, ?)`, one, day(3), day(5))
	h.sync()
	h.sync()
	a := h.open()
	conflicts, err := a.Store.Questions(t.Context(), "reservations", true)
	if err != nil || len(conflicts) != 1 {
		t.Fatalf("open questions: %v, %v; want one", conflicts, err)
	}
	if err := a.Store.Choose(t.Context(), conflicts[0].ID, "value", record.OfText("leave"), time.Now()); err != nil {
		t.Fatal(err)
	}
	a.Close()
	reports := h.sync()
	if n := total(reports, "reservations", "held"); n != 0 {
		h.tell(reports)
		t.Errorf("held after the person left it out: got %d, want 0", n)
	}
}

// A booking that the PMS can't store is told about: the guest thinks it is booked.
func TestReviewBookingThatThePMSRejectsIsTold(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.edit("    platform_may:", "    answer_within: 1ms\n    platform_may:")
	h.exec(`CREATE TRIGGER no_voice BEFORE INSERT ON reservations WHEN new.channel = 'voice' BEGIN SELECT RAISE(ABORT, 'closed'); END`)
	aContact(h)
	aBooking(h)
	alerts := 0
	for range 3 {
		time.Sleep(2 * time.Millisecond) //nolint:forbidigo // the promise is real and one millisecond
		reports := h.sync()
		h.tell(reports)
		for _, r := range reports {
			alerts += len(r.Alerts)
		}
	}
	if alerts != 1 {
		t.Errorf("alerts: got %d, want 1", alerts)
	}
}

// A booking without a day can't be entered: somebody must be told.
func TestReviewBookingWithoutADayIsTold(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.edit("    platform_may:", "    answer_within: 1ms\n    platform_may:")
	aContact(h)
	h.sim.Put("reservations", map[string]any{
		"client_full_name": "Anna Rossi", "client_phone_number": "+390550000001",
		"starting_date": day(3), "ending_date": "2031-02-31", "status": "CONFIRMED",
	})
	alerts := 0
	for range 3 {
		time.Sleep(2 * time.Millisecond) //nolint:forbidigo // the promise is real and one millisecond
		reports := h.sync()
		h.tell(reports)
		for _, r := range reports {
			alerts += len(r.Alerts)
		}
	}
	if alerts != 1 {
		t.Errorf("alerts: got %d, want 1", alerts)
	}
}

// What was left out by a rule comes back by itself when the rule changes.
func TestReviewLeftOutComesBackWithAnotherRule(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.edit("create: { platform: always, pms: always }\n    not_a_value", "create: { platform: always, pms: never }\n    not_a_value")
	aContact(h)
	h.sync()
	h.quiet()
	h.edit("create: { platform: always, pms: never }\n    not_a_value", "create: { platform: always, pms: always }\n    not_a_value")
	h.sync()
	if got := h.one(`SELECT count(*) FROM guests`); got != "1" {
		t.Errorf("guests: got %s, want 1", got)
	}
}

// One record that can't be read by id stops nothing else.
func TestReviewOneUnreadableRecordStopsNothing(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	contact, _ := h.pair("Anna", "anna@example.com")
	for _, phone := range []string{"055 0000021", "055 0000022", "055 0000023"} { // by whom the platform is known
		h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Bea', 'Neri', ?, 'IT')`, phone)
	}
	h.sync()
	h.sim.Remove("contacts", contact)
	h.sim.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Status: 500, Method: "GET", Path: "/contacts/" + contact})
	h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Zoe', 'Last', '055 0000077', 'IT')`)
	_, err := h.trySync(engine.Options{Yes: true})
	if err != nil {
		t.Error(err)
	}
	if n := h.sim.Len("contacts"); n != 4 {
		t.Errorf("contacts: got %d, want the three and the new one", n)
	}
}

// An answer that was lost and a record that can't be read stop nothing else.
func TestReviewOneUnreadableIntentStopsNothing(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	for _, phone := range []string{"+390550000031", "+390550000032", "+390550000033"} {
		h.sim.Put("contacts", map[string]any{"first_name": "Known", "last_name": "Guest", "phone_number": phone})
	}
	contact, guest := h.pair("Anna", "anna@example.com")
	h.exec(`UPDATE guests SET last_name = 'Bianchi' WHERE id = ?`, guest)
	h.sim.AddFault(simulator.Fault{Kind: simulator.FaultDropAfter, Method: "PUT", Times: 1})
	h.sync()
	h.sim.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Status: 422, Method: "GET", Path: "/contacts/" + contact})
	h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Zoe', 'Last', '055 0000077', 'IT')`)
	_, err := h.trySync(engine.Options{Yes: true})
	if err != nil {
		t.Error(err)
	}
	if n := h.sim.Len("contacts"); n != 5 {
		t.Errorf("contacts: got %d, want 5", n)
	}
}

// A guest who is waited for and can't be read keeps nobody else waiting.
func TestReviewOneUnreadableGuestKeepsNobodyWaiting(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.edit("create: { platform: always, pms: always }\n    not_a_value", "create: { platform: always, pms: when_referenced }\n    not_a_value")
	bad := h.sim.Put("contacts", map[string]any{"first_name": "Zoe", "last_name": "Last", "phone_number": "+390550000077"})
	aContact(h)
	h.sync()
	for _, phone := range []string{"+390550000077", "+390550000001"} {
		h.sim.Put("reservations", map[string]any{
			"client_full_name": "Somebody", "client_phone_number": phone,
			"starting_date": day(3), "ending_date": day(5), "status": "CONFIRMED",
		})
	}
	h.sim.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Status: 422, Method: "GET", Path: "/contacts/" + bad})
	reports, err := h.trySync(engine.Options{Yes: true})
	h.tell(reports)
	if err != nil {
		t.Error(err)
	}
	if got := h.one(`SELECT count(*) FROM reservations`); got != "1" {
		t.Errorf("reservations in the PMS: got %s, want the one of the other guest", got)
	}
}

// What a person typed is brought to both sides, also where the second was away.
func TestReviewTypedValueReachesBothSides(t *testing.T) {
	for _, away := range []string{"platform", "pms"} {
		t.Run(away, func(t *testing.T) {
			h := newHouse(t, simulator.Options{})
			contact, guest := h.pair("Anna", "anna@example.com")
			h.sim.Edit("contacts", contact, map[string]any{"phone_number": "+390550000008"})
			h.exec(`UPDATE guests SET phone = '055 0000009' WHERE id = ?`, guest)
			h.sync()
			a := h.open()
			cs, err := a.Store.Questions(t.Context(), "guests", true)
			if err != nil || len(cs) != 1 {
				t.Fatalf("open questions: %v, %v; want one", cs, err)
			}
			if err := a.Store.Choose(t.Context(), cs[0].ID, "value", record.OfText("+390550000010"), time.Now()); err != nil {
				t.Fatal(err)
			}
			a.Close()
			if away == "platform" {
				h.sim.AddFault(simulator.Fault{Kind: simulator.FaultDropBefore, Method: "PUT", Times: 1})
				_, err = h.trySync(engine.Options{Yes: true})
			} else {
				h.exec(`CREATE TRIGGER stop BEFORE UPDATE ON guests BEGIN SELECT RAISE(ABORT, 'closed'); END`)
				h.sync()
				for range 2 {
					h.tell(h.sync())
				}
				if l := h.contact(contact, "phone_number"); l != "+390550000010" {
					t.Errorf("phone on the platform: got %q, want what was typed", l)
				}
				return // what the PMS refused is not sent again as it is
			}
			if err != nil {
				t.Error(err)
			}
			for range 2 {
				h.sync()
			}
			l, r := h.contact(contact, "phone_number"), h.one(`SELECT phone FROM guests WHERE id = ?`, guest)
			if l != "+390550000010" || !strings.Contains(strings.ReplaceAll(r, " ", ""), "0550000010") {
				t.Errorf("phones: got %q and %q, want what was typed", l, r)
			}
		})
	}
}

// Killed between any two writes of the state file, a stay that was published
// without its guest still gets the name once the guest is known.
func TestReviewWaitingSurvivesAKill(t *testing.T) {
	for k := 1; k < 60; k += 8 {
		h := newHouse(t, simulator.Options{})
		guest := h.exec(`INSERT INTO guests (first_name, last_name) VALUES ('Nino', 'Senzanumero')`)
		stay := h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, ?, ?)`, guest, day(3), day(5))
		h.sync()
		id := idOf(h, "reservations", "client_full_name", "Occupied")
		// The same edit on both sides: the link is looked at, and nothing is written.
		h.exec(`UPDATE reservations SET departure = ? WHERE id = ?`, day(6), stay)
		h.sim.Edit("reservations", id, map[string]any{"ending_date": day(6)})
		n, running, killedAt := 0, false, ""
		ctx, cancel := context.WithCancel(t.Context())
		h.step = func(name string) {
			if n++; running && n == k {
				killedAt = name
				cancel()
				panic("killed")
			}
		}
		a := h.open()
		n, running = 0, true
		func() {
			defer func() { _ = recover() }()
			_, _ = a.Engine.Run(ctx, "reservations", engine.Options{Yes: true})
		}()
		running = false
		a.Close()
		h.step = nil
		cancel()
		if killedAt == "" {
			t.Logf("%d steps", n)
			return
		}
		h.sync()
		h.exec(`UPDATE guests SET phone = '055 0000009' WHERE id = ?`, guest)
		h.sync()
		h.sync()
		if r, _ := h.sim.Get("reservations", id); r["client_full_name"] != "Nino Senzanumero" {
			t.Errorf("killed at step %d (%s): the stay shows %v", k, killedAt, r["client_full_name"])
		}
	}
}

// A guest becomes known while the stay changes alike on both sides, and the
// platform is away: the name is still written once it is back.
func TestReviewNameIsWrittenOnceThePlatformIsBack(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	guest := h.exec(`INSERT INTO guests (first_name, last_name) VALUES ('Nino', 'Senzanumero')`)
	stay := h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, ?, ?)`, guest, day(3), day(5))
	h.sync()
	id := idOf(h, "reservations", "client_full_name", "Occupied")
	h.exec(`UPDATE reservations SET departure = ? WHERE id = ?`, day(6), stay)
	h.sim.Edit("reservations", id, map[string]any{"ending_date": day(6)})
	h.exec(`UPDATE guests SET phone = '055 0000009' WHERE id = ?`, guest)
	fault := h.sim.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Status: 405, Method: "PUT", Path: "/reservations"})
	h.tell(h.sync())
	h.sim.RemoveFault(fault)
	h.tell(h.sync())
	if r, _ := h.sim.Get("reservations", id); r["client_full_name"] != "Nino Senzanumero" {
		t.Errorf("the stay shows %v", r["client_full_name"])
	}
	h.quiet()
}

// The platform takes no for no answer: the PMS is not asked about the same booking
// at each run, and the desk is told once.
func TestReviewRefusalThatCannotBeToldIsNotRepeated(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.edit("create: { platform: always, pms: always }\n    on_create", acceptNever+"\n    on_create")
	aContact(h)
	aBooking(h)
	h.sim.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Status: 422, Method: "PUT", Path: "/reservations"})
	refused, alerts := int64(0), 0
	for range 3 {
		reports := h.sync()
		refused += total(reports, "reservations", "refused")
		for _, r := range reports {
			alerts += len(r.Alerts)
		}
	}
	if refused != 2 || alerts != 1 {
		t.Errorf("refusals and alerts: got %d and %d, want 2 (the PMS's and the platform's) and 1", refused, alerts)
	}
}

// Killed right after the refusal, the desk is told all the same.
func TestReviewRefusalIsToldAfterAKill(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.edit("create: { platform: always, pms: always }\n    on_create", acceptNever+"\n    on_create")
	aContact(h)
	h.sync()
	aBooking(h)
	alerts := func() (n int) {
		a := h.open()
		defer a.Close()
		all, err := a.Store.Alerts(t.Context(), time.Time{}, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range all {
			if x.Kind == "booking_refused" {
				n++
			}
		}
		return n
	}
	killed := false
	h.step = func(name string) {
		if name == "before keep alert" && !killed {
			killed = true
			panic("killed")
		}
	}
	a := h.open()
	func() {
		defer func() { _ = recover() }()
		_, _ = a.Engine.Run(t.Context(), "reservations", engine.Options{Yes: true})
	}()
	a.Close()
	h.step = nil
	if !killed || alerts() != 0 {
		t.Fatalf("killed %t with %d alerts", killed, alerts())
	}
	h.sync()
	h.sync()
	if n := alerts(); n != 1 {
		t.Errorf("alerts: got %d, want 1", n)
	}
}
