package month

import (
	"fmt"
	"math/rand/v2"
	"time"

	"nightporter/sync/record"
)

// event is something that happens in the house; it says whether it did.
type event struct {
	name   string
	weight int
	do     func(*world) bool
}

var events = []event{
	{"a new guest at the desk", 6, (*world).newGuest},
	{"a new caller", 4, (*world).newCaller},
	{"the same person entered on both sides", 2, (*world).newOnBoth},
	{"a guest edited at the desk", 12, func(w *world) bool { return w.editPerson(record.Right) }},
	{"a contact edited on the platform", 12, func(w *world) bool { return w.editPerson(record.Left) }},
	{"a person edited on both sides at once", 8, (*world).collide},
	{"a booking by voice", 14, (*world).voice},
	{"a booking by voice for a night that is sold", 3, (*world).voiceSold},
	{"a booking at the desk", 10, (*world).desk},
	{"the same booking entered on both sides", 3, (*world).stayOnBoth},
	{"a booking moved on the platform", 6, func(w *world) bool { return w.move(record.Left) }},
	{"a booking moved at the desk", 6, func(w *world) bool { return w.move(record.Right) }},
	{"a booking moved on both sides at once", 4, (*world).moveBoth},
	{"a booking cancelled on the platform", 4, func(w *world) bool { return w.status("cancelled", record.Left, "confirmed") }},
	{"a booking cancelled at the desk", 4, func(w *world) bool { return w.status("cancelled", record.Right, "confirmed") }},
	{"a guest checked in", 4, func(w *world) bool { return w.status("checked_in", record.Right, "confirmed") }},
	{"a guest checked out", 4, func(w *world) bool { return w.status("completed", record.Right, "checked_in") }},
	{"a guest who did not come", 2, func(w *world) bool { return w.status("no_show", record.Right, "confirmed") }},
	{"a cancelled booking confirmed again on the platform", 3, (*world).resurrect},
	{"cancelled at the desk, moved on the platform", 3, (*world).cancelAndMove},
	{"the caller's wishes", 4, (*world).wishes},
	{"the desk's notes", 3, (*world).deskNotes},
}

// happen makes one event happen, whichever can.
func (w *world) happen() {
	total := 0
	for _, e := range events {
		total += e.weight
	}
	for range 20 {
		n := w.rng.IntN(total)
		for _, e := range events {
			if n -= e.weight; n >= 0 {
				continue
			}
			w.whom = ""
			if e.do(w) {
				w.events++
				w.said("%s: %s", e.name, w.whom)
				return
			}
			break
		}
	}
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

func (w *world) next() int { w.serial++; return w.serial }

func (w *world) addPerson(caller, guest bool) *person {
	n := w.next()
	p := &person{phone: fmt.Sprintf("+39055%07d", n), caller: caller, guest: guest}
	p.given.set(fmt.Sprint("Given", n))
	p.family.set(fmt.Sprint("Family", n))
	p.email.set(fmt.Sprintf("person%d@example.com", n))
	p.language.set("en")
	w.people, w.whom = append(w.people, p), p.phone
	return p
}

func (w *world) putContact(p *person, given string) {
	w.sim.Put("contacts", map[string]any{
		"first_name": given, "last_name": p.family.want, "phone_number": p.phone, "email": p.email.want,
	})
}

func (w *world) putGuest(p *person) int64 {
	return w.exec(`INSERT INTO guests (first_name, last_name, phone, email) VALUES (?, ?, ?, ?)`, p.given.want, p.family.want, p.phone, p.email.want)
}

func (w *world) newGuest() bool {
	w.putGuest(w.addPerson(true, true))
	return true
}

func (w *world) newCaller() bool {
	p := w.addPerson(true, false)
	w.putContact(p, p.given.want)
	w.hint("contacts", w.contactOf(p))
	return true
}

// newOnBoth has a person entered on both sides with another first name: the PMS is
// right.
func (w *world) newOnBoth() bool {
	p := w.addPerson(true, true)
	w.putContact(p, "Nick"+p.given.want)
	w.putGuest(p)
	return true
}

// somebody is a person whose records on both sides are as they ought to be.
func (w *world) somebody(ok func(*person) bool) *person {
	at := w.see()
	for range 10 {
		if p := pick(w.rng, w.people); ok(p) && len(at.comparePerson(p)) == 0 {
			w.whom = p.phone
			return p
		}
	}
	return nil
}

// contactOf and guestOf are where a person is kept that is on that side.
func (w *world) contactOf(p *person) string { return text(w.see().contacts[p.phone][0]["id"]) }
func (w *world) guestOf(p *person) int64    { return w.see().guests[p.phone][0].id }

func (w *world) onPlatform(p *person, field, to string) {
	id := w.contactOf(p)
	w.sim.Edit("contacts", id, map[string]any{field: to})
	w.hint("contacts", id)
}

func (w *world) atDesk(p *person, field, to string) {
	w.exec(`UPDATE guests SET `+field+` = ? WHERE phone = ?`, to, p.phone)
}

// fresh is a new text for a field.
func (w *world) fresh(field string) string {
	if field == "email" {
		return fmt.Sprintf("mail%d@example.com", w.next())
	}
	return fmt.Sprint("Name", w.next())
}

func (p *person) field(n int) (v *value, platform, pms string) {
	switch n {
	case 0:
		return &p.given, "first_name", "first_name"
	case 1:
		return &p.family, "last_name", "last_name"
	case 2:
		return &p.email, "email", "email"
	}
	return &p.language, "language", "language"
}

func (w *world) editPerson(side record.Side) bool {
	p := w.somebody(func(p *person) bool {
		return side == record.Right && p.guest || side == record.Left && p.caller && !p.guestMaybe
	})
	if p == nil {
		return false
	}
	fields := 3 + count(side == record.Right)
	v, left, right := p.field(w.rng.IntN(fields))
	if !w.editable(v) {
		return false
	}
	to := w.fresh(left)
	if v == &p.language {
		for to = v.want; to == v.want; { // typed again it would be no edit
			to = pick(w.rng, []string{"en", "de", "it", "fr", "es"})
		}
		right, p.asked = w.language, false
	}
	v.set(to)
	if v != &p.language && (side == record.Right) == (v == &p.email) { // the other side wins
		w.meets(v)
	}
	if side == record.Left {
		w.onPlatform(p, left, to)
	} else {
		w.atDesk(p, right, to)
	}
	return true
}

// collide has one field, or two, edited on both sides before anybody sees either.
func (w *world) collide() bool {
	p := w.somebody(func(p *person) bool { return p.guest && p.caller })
	if p == nil || !w.editable(&p.given, &p.family, &p.email) || time.Now().Before(w.met) {
		return false
	}
	a, b := w.rng.IntN(3), w.rng.IntN(3)
	va, left, _ := p.field(a)
	vb, _, right := p.field(b)
	toLeft, toRight := w.fresh(left), w.fresh(right)
	switch {
	case va != vb:
		va.set(toLeft)
		vb.set(toRight)
	case va == &p.email:
		va.set(toLeft)
	default:
		va.set(toRight)
	}
	w.atDesk(p, right, toRight)
	w.onPlatform(p, left, toLeft)
	return true
}

func (w *world) day(n int) string {
	return time.Now().In(w.zone).AddDate(0, 0, n).Format(time.DateOnly)
}

// addStay is a new booking on days that its guest has no other.
func (w *world) addStay(p *person, voice bool) *stay {
	s := &stay{name: fmt.Sprint("stay ", w.next()), who: p, voice: voice, born: time.Now()}
	from, to := w.days(p)
	s.arrival.set(from)
	s.departure.set(to)
	s.status.set("confirmed")
	w.stays, w.whom = append(w.stays, s), s.name+" of "+p.phone
	return s
}

// days are days far enough off for an outage to be over, at which a guest has no other
// stay, old or new.
func (w *world) days(p *person) (from, to string) {
	for {
		n := 6 + w.rng.IntN(25)
		if w.rng.IntN(3) > 0 {
			n = 45 + w.rng.IntN(300)
		}
		from, to = w.day(n), w.day(n+1+w.rng.IntN(4))
		if w.taken[p.phone+from] || from < soldTo && to > soldFrom {
			continue
		}
		w.taken[p.phone+from] = true
		return from, to
	}
}

func (w *world) putReservation(s *stay) {
	r := map[string]any{
		"client_full_name": s.who.given.want + " " + s.who.family.want, "client_phone_number": s.who.phone,
		"starting_date": s.arrival.want, "ending_date": s.departure.want, "status": "CONFIRMED",
	}
	if s.details.want != "" {
		r["details"] = s.details.want
	}
	s.id = w.sim.Put("reservations", r)
}

// asker is somebody who books by voice: a known one, or a new one.
func (w *world) asker() *person {
	if w.rng.IntN(3) > 0 {
		if p := w.somebody(func(p *person) bool { return p.caller }); p != nil {
			return p
		}
	}
	return w.stranger()
}

// stranger is a caller whom nobody knew.
func (w *world) stranger() *person {
	p := w.addPerson(true, false)
	w.putContact(p, p.given.want)
	return p
}

func (w *world) voice() bool { return w.voiceOf(w.asker()) }

func (w *world) voiceOf(p *person) bool {
	p.asked = p.asked || !p.guest
	p.guest = true
	s := w.addStay(p, true)
	if w.rng.IntN(2) == 0 {
		s.details.set("wishes of " + s.name)
		s.notes.set(s.details.want)
	}
	w.putReservation(s)
	w.hint("reservations", s.id)
	return true
}

// The nights that the house has sold to the last room.
const (
	soldFrom = "2011-10-01"
	soldTo   = "2011-10-05"
	rooms    = 12
)

func (w *world) voiceSold() bool {
	p := w.asker()
	if !p.guest {
		p.guestMaybe, p.asked = true, true
	}
	n := w.next()
	s := &stay{name: fmt.Sprint("stay ", n), who: p, voice: true, refused: true, born: time.Now()}
	from := fmt.Sprint("2011-10-0", 1+w.rng.IntN(3))
	if w.taken[p.phone+from] {
		return false
	}
	w.taken[p.phone+from] = true
	s.arrival.set(from)
	s.departure.set("2011-10-05")
	s.status.set("rejected")
	w.stays, w.whom = append(w.stays, s), s.name+" of "+p.phone
	w.putReservation(s)
	w.hint("reservations", s.id)
	return true
}

func (w *world) putRow(s *stay) {
	s.row = w.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, ?, ?)`, w.guestOf(s.who), s.arrival.want, s.departure.want)
}

func (w *world) desk() bool {
	p := w.somebody(func(p *person) bool { return p.guest })
	if p == nil {
		return false
	}
	w.putRow(w.addStay(p, false))
	return true
}

// stayOnBoth has the desk and the assistant enter one booking: it stays one.
func (w *world) stayOnBoth() bool {
	if w.lagging {
		return false
	}
	p := w.somebody(func(p *person) bool { return p.guest && p.caller })
	if p == nil {
		return false
	}
	s := w.addStay(p, false)
	w.putRow(s)
	w.putReservation(s)
	w.hint("reservations", s.id)
	return true
}

// booking is one in step whose status is one of those given, and which is still to come.
func (w *world) booking(status string, ok func(*stay) bool) *stay {
	soon, at := w.day(4), w.see()
	for range 12 {
		s := pick(w.rng, w.stays)
		if s.refused || s.status.want != status || s.arrival.want < soon || ok != nil && !ok(s) ||
			!s.voice && !w.log.knows("reservations", s.born) || // entered on both sides it may be two bookings yet
			!w.editable(&s.arrival, &s.departure, &s.status, &s.notes) || len(at.compareStay(s)) > 0 {
			continue
		}
		w.whom = fmt.Sprintf("%s of %s, %s to %s", s.name, s.who.phone, s.arrival.want, s.departure.want)
		return s
	}
	return nil
}

func movable(s *stay) bool { return s.arrival.want < soldFrom || s.arrival.want >= soldTo }

func (w *world) moveLeft(s *stay, from, to string) {
	if time.Now().Before(w.healed) { // until both were compared again after a restore, the desk's dates count
		s.arrival.or, s.departure.or = append(s.arrival.or, s.arrival.before), append(s.departure.or, s.departure.before)
	}
	w.sim.Edit("reservations", s.id, map[string]any{"starting_date": from, "ending_date": to})
	w.hint("reservations", s.id)
}

func (w *world) moveRight(s *stay, from, to string) {
	w.exec(`UPDATE reservations SET arrival = ?, departure = ? WHERE id = ?`, from, to, s.row)
}

func (w *world) move(side record.Side) bool {
	s := w.booking("confirmed", movable)
	if s == nil {
		return false
	}
	from, to := w.days(s.who)
	s.arrival.set(from)
	s.departure.set(to)
	if side == record.Left {
		w.moveLeft(s, from, to)
	} else {
		w.moveRight(s, from, to)
	}
	return true
}

func (w *world) moveBoth() bool {
	s := w.booking("confirmed", movable)
	if s == nil {
		return false
	}
	from, to := w.days(s.who)
	s.arrival.set(from)
	s.departure.set(to)
	w.moveRight(s, from, to)
	from, to = w.days(s.who)
	w.moveLeft(s, from, to)
	return true
}

func (w *world) status(to string, side record.Side, from string) bool {
	s := w.booking(from, movable)
	if s == nil {
		return false
	}
	s.status.set(to)
	if side == record.Left {
		w.sim.Edit("reservations", s.id, map[string]any{"status": platformWords[to]})
		w.hint("reservations", s.id)
	} else {
		w.exec(`UPDATE reservations SET status = ? WHERE id = ?`, pmsWords[to], s.row)
	}
	return true
}

// resurrect confirms a cancelled booking where nobody may: the PMS has it cancelled
// for ever.
func (w *world) resurrect() bool {
	s := w.booking("cancelled", nil)
	if s == nil || !w.editable(&s.status) {
		return false
	}
	s.drifts = true
	w.sim.Edit("reservations", s.id, map[string]any{"status": "CONFIRMED"})
	w.hint("reservations", s.id)
	return true
}

func (w *world) cancelAndMove() bool {
	s := w.booking("confirmed", movable)
	if s == nil {
		return false
	}
	s.status.set("cancelled")
	w.exec(`UPDATE reservations SET status = 'cancelled' WHERE id = ?`, s.row)
	from, to := w.days(s.who)
	s.arrival.set(from)
	s.departure.set(to)
	w.moveLeft(s, from, to)
	return true
}

// wishes come in where the desk has noted nothing.
func (w *world) wishes() bool {
	s := w.booking("confirmed", movable)
	if s == nil {
		return false
	}
	s.details.set(fmt.Sprint("wish ", w.next()))
	if s.notes.want == "" {
		s.notes.set(s.details.want)
	}
	w.sim.Edit("reservations", s.id, map[string]any{"details": s.details.want})
	w.hint("reservations", s.id)
	return true
}

// deskNotes never go out.
func (w *world) deskNotes() bool {
	s := w.booking("confirmed", movable)
	if s == nil {
		return false
	}
	s.notes.set(fmt.Sprint("note ", w.next()))
	w.exec(`UPDATE reservations SET notes = ? WHERE id = ?`, s.notes.want, s.row)
	return true
}

// hint has the platform call, or not: once, twice, late, or never.
func (w *world) hint(kind, id string) {
	binding := record.Binding("reservations")
	if kind == "contacts" {
		binding = "guests"
	}
	at := func(after time.Duration) {
		w.hints = append(w.hints, hint{time.Now().Add(after), record.Hint{Place: record.Place{Binding: binding, Side: record.Left}, Ref: record.Ref{Kind: record.Kind(kind), ID: id}}})
	}
	switch w.rng.IntN(6) {
	case 0: // lost
	case 1:
		at(0)
		at(0)
	case 2:
		at(time.Second)
		at(time.Duration(w.rng.IntN(300)) * time.Second)
	case 3:
		at(time.Duration(w.rng.IntN(30*3600)) * time.Second)
	default:
		at(time.Duration(w.rng.IntN(1000)) * time.Millisecond)
	}
}

type hint struct {
	at time.Time
	is record.Hint
}
