package month

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// value is one field of one thing, as it ought to stand in the end.
type value struct {
	want   string
	at     time.Time // of the last edit
	before string
	then   time.Time // of the edit before
	or     []string  // what it may be as well: an edit met a state that had been put back to before the last
}

func (v *value) set(to string) {
	v.before, v.then = v.want, v.at
	v.want, v.at = to, time.Now()
}

func (v *value) allows(got string) bool { return got == v.want || slices.Contains(v.or, got) }

// person is a guest of the house, a caller, or both.
type person struct {
	phone                string
	given, family, email value
	language             value
	caller, guest        bool // it is to be on the platform, in the PMS
	guestMaybe           bool // it asked for a booking that was refused
	asked                bool // it was a caller before it was a guest
}

// stay is a booking, from one day to another.
type stay struct {
	name               string // stands in its notes, if it has any
	who                *person
	arrival, departure value
	status             value
	details, notes     value // what the platform and the PMS hold
	voice, refused     bool
	drifts             bool // the platform shows a step that it may not take: it is not carried over, and not put back
	born               time.Time
	id                 string // on the platform
	row                int64  // in the PMS
}

// oracle knows what ought to be: it is told of every event and applies the rules of the
// configuration by itself, and never asks the daemon.
type oracle struct {
	people []*person
	stays  []*stay
	// A state was put back to what it was at backup; until healed, what changed since
	// then is left alone.
	backup, healed time.Time
}

// The words of each status.
var (
	platformWords = map[string]string{
		"confirmed": "CONFIRMED", "checked_in": "CONFIRMED", "completed": "COMPLETED", "cancelled": "CANCELLED",
		"no_show": "CANCELLED", "rejected": "REJECTED",
	}
	pmsWords = map[string]string{
		"confirmed": "confirmed", "checked_in": "checked_in", "completed": "checked_out", "cancelled": "cancelled",
		"no_show": "no_show",
	}
)

// editable says that an edit of a value now has one outcome that anybody could tell.
func (o *oracle) editable(vs ...*value) bool {
	for _, v := range vs {
		if len(v.or) > 0 || time.Now().Before(o.healed) && v.at.After(o.backup) {
			return false
		}
	}
	return true
}

// contactOf and guestOf are what both sides hold of a person, nil for nothing.
func (w *world) contactsOf(p *person) []map[string]any {
	var out []map[string]any
	for _, c := range w.sim.All("contacts") {
		if c["phone_number"] == p.phone {
			out = append(out, c)
		}
	}
	return out
}

type guestRow struct {
	id                             int64
	given, family, email, language string
}

func (w *world) guestsOf(p *person) []guestRow {
	w.t.Helper()
	rows, err := w.db.QueryContext(w.t.Context(), `SELECT id, first_name, last_name, coalesce(email, ''), `+w.language+` FROM guests WHERE phone = ?`, p.phone)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	var out []guestRow
	for rows.Next() {
		var g guestRow
		if err := rows.Scan(&g.id, &g.given, &g.family, &g.email, &g.language); err != nil {
			w.t.Fatal(err)
		}
		out = append(out, g)
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	return out
}

// compare says what is not as it ought to be of a person.
func (w *world) comparePerson(p *person) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, p.phone+": "+fmt.Sprintf(format, args...)) }
	check := func(where, field, got string, v *value) {
		if !v.allows(got) {
			say("%s has %s %q, want %q", where, field, got, v.want)
		}
	}
	contacts, guests := w.contactsOf(p), w.guestsOf(p)
	if want := count(p.caller); len(contacts) != want {
		say("%d contacts, want %d", len(contacts), want)
	}
	if want := count(p.guest); len(guests) != want && (!p.guestMaybe || len(guests) != 1) {
		say("%d guests, want %d", len(guests), want)
	}
	for _, c := range contacts {
		check("platform", "first_name", text(c["first_name"]), &p.given)
		check("platform", "last_name", text(c["last_name"]), &p.family)
		check("platform", "email", text(c["email"]), &p.email)
		if len(guests) > 0 && !p.asked {
			check("platform", "language", text(c["language"]), &p.language)
		}
	}
	for _, g := range guests {
		check("PMS", "first_name", g.given, &p.given)
		check("PMS", "last_name", g.family, &p.family)
		check("PMS", "email", g.email, &p.email)
		check("PMS", "language", g.language, &p.language)
	}
	if len(contacts) == 1 && len(guests) == 1 {
		c, g := contacts[0], guests[0]
		left := []string{text(c["first_name"]), text(c["last_name"]), text(c["email"]), text(c["language"])}
		right := []string{g.given, g.family, g.email, g.language}
		if p.asked { // the language is the PMS's own, which nobody chose
			left, right = left[:3], right[:3]
		}
		if !slices.Equal(left, right) {
			say("platform has %q, PMS %q", left, right)
		}
	}
	return wrong
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

type stayRow struct {
	id                                                     int64
	phone, arrival, departure, status, channel, notes, ref string
}

func (w *world) stayRows() []stayRow {
	w.t.Helper()
	rows, err := w.db.QueryContext(w.t.Context(), `SELECT r.id, coalesce(g.phone, ''), r.arrival, r.departure, r.status, r.channel, r.notes,
		coalesce(r.external_ref, '') FROM reservations r JOIN guests g ON g.id = r.guest_id`)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	var out []stayRow
	for rows.Next() {
		var s stayRow
		if err := rows.Scan(&s.id, &s.phone, &s.arrival, &s.departure, &s.status, &s.channel, &s.notes, &s.ref); err != nil {
			w.t.Fatal(err)
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	return out
}

// find looks up what is not known yet of where a stay is kept: by guest and days, which
// no two stays share.
func (w *world) find(s *stay, rows []stayRow, platform []map[string]any) {
	if s.row == 0 {
		for _, r := range rows {
			if r.phone == s.who.phone && s.arrival.allows(r.arrival) && s.departure.allows(r.departure) {
				s.row = r.id
			}
		}
	}
	if s.id == "" {
		for _, r := range platform {
			if r["client_phone_number"] == s.who.phone && s.arrival.allows(text(r["starting_date"])) && s.departure.allows(text(r["ending_date"])) {
				s.id = text(r["id"])
			}
		}
	}
}

// compareStay says what is not as it ought to be of a booking.
func (w *world) compareStay(s *stay, rows []stayRow) (wrong []string) {
	say := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("%s of %s (%s): ", s.name, s.who.phone, s.id)+fmt.Sprintf(format, args...))
	}
	check := func(where, field, got, want string) {
		if got != want {
			say("%s has %s %q, want %q", where, field, got, want)
		}
	}
	r, ok := w.sim.Get("reservations", s.id)
	if !ok {
		say("not on the platform, want %s to %s, %s", s.arrival.want, s.departure.want, s.status.want)
		return wrong
	}
	i := slices.IndexFunc(rows, func(r stayRow) bool { return r.id == s.row })
	if s.refused {
		check("platform", "status", text(r["status"]), "REJECTED")
		if i >= 0 && rows[i].status != "cancelled" {
			say("refused, and yet the PMS has it as %s", rows[i].status)
		}
		return wrong
	}
	if i < 0 {
		say("not in the PMS, want %s to %s, %s", s.arrival.want, s.departure.want, s.status.want)
		return wrong
	}
	for _, f := range []struct {
		name, left, right string
		v                 *value
	}{
		{"arrival", text(r["starting_date"]), rows[i].arrival, &s.arrival},
		{"departure", text(r["ending_date"]), rows[i].departure, &s.departure},
	} {
		if !f.v.allows(f.left) || f.left != f.right {
			say("%s is %s on the platform and %s in the PMS, want %s", f.name, f.left, f.right, f.v.want)
		}
	}
	if want := platformWords[s.status.want]; s.drifts {
		check("platform", "status", text(r["status"]), "CONFIRMED")
	} else {
		check("platform", "status", text(r["status"]), want)
	}
	check("PMS", "status", rows[i].status, pmsWords[s.status.want])
	check("platform", "details", text(r["details"]), s.details.want)
	check("PMS", "notes", rows[i].notes, s.notes.want)
	if s.voice != (rows[i].channel == "voice") {
		say("the PMS has channel %s", rows[i].channel)
	}
	return wrong
}

// compare says all that is not as it ought to be.
func (w *world) compare() (wrong []string) {
	for _, p := range w.people {
		wrong = append(wrong, w.comparePerson(p)...)
	}
	rows, platform := w.stayRows(), w.sim.All("reservations")
	known, knownRows := map[string]string{}, map[int64]string{}
	refused := 0
	for _, s := range w.stays {
		w.find(s, rows, platform)
		wrong = append(wrong, w.compareStay(s, rows)...)
		if other := known[s.id]; s.id != "" && other != "" {
			wrong = append(wrong, fmt.Sprintf("%s and %s are one reservation of the platform", s.name, other))
		}
		if other := knownRows[s.row]; s.row != 0 && other != "" {
			wrong = append(wrong, fmt.Sprintf("%s and %s are one row of the PMS", s.name, other))
		}
		known[s.id], knownRows[s.row] = s.name, s.name
		refused += count(s.refused)
	}
	for _, r := range platform {
		if known[text(r["id"])] == "" {
			wrong = append(wrong, fmt.Sprintf("the platform has a reservation that nobody made: %v", r))
		}
	}
	for _, r := range rows {
		if knownRows[r.id] == "" && r.status != "cancelled" {
			wrong = append(wrong, fmt.Sprintf("the PMS has a stay that nobody made: %+v", r))
		}
	}
	phones := map[string]bool{}
	for _, c := range w.sim.All("contacts") {
		phones[text(c["phone_number"])] = true
	}
	if got, want := len(phones), len(w.people); got != want || w.sim.Len("contacts") != want {
		wrong = append(wrong, fmt.Sprintf("the platform has %d contacts with %d phones, want %d", w.sim.Len("contacts"), got, want))
	}
	return wrong
}

// settled says that both sides show what is wanted of a stay.
func (w *world) settled(s *stay) bool {
	rows := w.stayRows()
	w.find(s, rows, w.sim.All("reservations"))
	return len(w.compareStay(s, rows)) == 0
}

func list(wrong []string) string { return strings.Join(wrong, "\n\t") }
