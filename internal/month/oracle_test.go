package month

import (
	"database/sql"
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
	metAnew            bool // the state was put back since it was made
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
	met            time.Time // by then each record was met again on both sides
}

// meets is told of an edit that loses where both sides seem to have changed a value: as long
// as the state does not know what it forgot, it may be taken for that.
func (o *oracle) meets(v *value) {
	if time.Now().Before(o.met) {
		v.or = append(v.or, v.before)
	}
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

// sight is what both sides hold at one moment.
type sight struct {
	contacts     map[string][]map[string]any // by phone
	guests       map[string][]guestRow       // by phone
	reservations []map[string]any
	rows         []stayRow
	byID         map[string]map[string]any
	byRow        map[int64]*stayRow
}

type guestRow struct {
	id                                    int64
	phone, given, family, email, language string
}

type stayRow struct {
	id                                                     int64
	phone, arrival, departure, status, channel, notes, ref string
}

// see reads both sides whole.
func (w *world) see() *sight {
	w.t.Helper()
	s := &sight{
		contacts: map[string][]map[string]any{}, guests: map[string][]guestRow{}, reservations: w.sim.All("reservations"),
		byID: map[string]map[string]any{}, byRow: map[int64]*stayRow{},
	}
	for _, c := range w.sim.All("contacts") {
		phone := text(c["phone_number"])
		s.contacts[phone] = append(s.contacts[phone], c)
	}
	for _, r := range s.reservations {
		s.byID[text(r["id"])] = r
	}
	w.query(`SELECT id, coalesce(phone, ''), first_name, last_name, coalesce(email, ''), `+w.language+` FROM guests`, func(rows *sql.Rows) error {
		var g guestRow
		err := rows.Scan(&g.id, &g.phone, &g.given, &g.family, &g.email, &g.language)
		s.guests[g.phone] = append(s.guests[g.phone], g)
		return err
	})
	w.query(`SELECT r.id, coalesce(g.phone, ''), r.arrival, r.departure, r.status, r.channel, r.notes, coalesce(r.external_ref, '')
		FROM reservations r JOIN guests g ON g.id = r.guest_id`, func(rows *sql.Rows) error {
		var r stayRow
		err := rows.Scan(&r.id, &r.phone, &r.arrival, &r.departure, &r.status, &r.channel, &r.notes, &r.ref)
		s.rows = append(s.rows, r)
		return err
	})
	for i, r := range s.rows {
		s.byRow[r.id] = &s.rows[i]
	}
	return s
}

// query reads rows of the PMS.
func (w *world) query(query string, scan func(*sql.Rows) error) {
	w.t.Helper()
	rows, err := w.db.QueryContext(w.t.Context(), query)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
}

// comparePerson says what is not as it ought to be of a person.
func (at *sight) comparePerson(p *person) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, p.phone+": "+fmt.Sprintf(format, args...)) }
	check := func(where, field, got string, v *value) {
		if !v.allows(got) {
			say("%s has %s %q, want %q", where, field, got, v.want)
		}
	}
	contacts, guests := at.contacts[p.phone], at.guests[p.phone]
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

// find looks up what is not known yet of where a stay is kept: by guest and days, which
// no two stays share.
func (at *sight) find(s *stay) {
	if s.row == 0 {
		for _, r := range at.rows {
			if r.phone == s.who.phone && s.arrival.allows(r.arrival) && s.departure.allows(r.departure) {
				s.row = r.id
			}
		}
	}
	if s.id == "" {
		for _, r := range at.reservations {
			if r["client_phone_number"] == s.who.phone && s.arrival.allows(text(r["starting_date"])) && s.departure.allows(text(r["ending_date"])) {
				s.id = text(r["id"])
			}
		}
	}
}

// compareStay says what is not as it ought to be of a booking.
func (at *sight) compareStay(s *stay) (wrong []string) {
	at.find(s)
	say := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("%s of %s (%s): ", s.name, s.who.phone, s.id)+fmt.Sprintf(format, args...))
	}
	check := func(where, field, got, want string) {
		if got != want {
			say("%s has %s %q, want %q", where, field, got, want)
		}
	}
	r, ok := at.byID[s.id]
	if !ok {
		say("not on the platform, want %s to %s, %s", s.arrival.want, s.departure.want, s.status.want)
		return wrong
	}
	row := at.byRow[s.row]
	if s.refused {
		check("platform", "status", text(r["status"]), "REJECTED")
		if row != nil && row.status != "cancelled" {
			say("refused, and yet the PMS has it as %s", row.status)
		}
		return wrong
	}
	if row == nil {
		say("not in the PMS, want %s to %s, %s", s.arrival.want, s.departure.want, s.status.want)
		return wrong
	}
	for _, f := range []struct {
		name, left, right string
		v                 *value
	}{
		{"arrival", text(r["starting_date"]), row.arrival, &s.arrival},
		{"departure", text(r["ending_date"]), row.departure, &s.departure},
	} {
		if !f.v.allows(f.left) || f.left != f.right {
			say("%s is %s on the platform and %s in the PMS, want %s", f.name, f.left, f.right, f.v.want)
		}
	}
	if want := platformWords[s.status.want]; s.drifts && s.metAnew && text(r["status"]) == want {
		// after a restore both were decided as at a first meeting, and the desk's word counts
	} else if s.drifts {
		check("platform", "status", text(r["status"]), "CONFIRMED")
	} else {
		check("platform", "status", text(r["status"]), want)
	}
	check("PMS", "status", row.status, pmsWords[s.status.want])
	check("platform", "details", text(r["details"]), s.details.want)
	check("PMS", "notes", row.notes, s.notes.want)
	if s.voice != (row.channel == "voice") {
		say("the PMS has channel %s", row.channel)
	}
	return wrong
}

// compare says all that is not as it ought to be.
func (w *world) compare() (wrong []string) {
	at := w.see()
	for _, p := range w.people {
		wrong = append(wrong, at.comparePerson(p)...)
	}
	known, knownRows := map[string]string{}, map[int64]string{}
	for _, s := range w.stays {
		wrong = append(wrong, at.compareStay(s)...)
		if other := known[s.id]; s.id != "" && other != "" {
			wrong = append(wrong, fmt.Sprintf("%s and %s are one reservation of the platform", s.name, other))
		}
		if other := knownRows[s.row]; s.row != 0 && other != "" {
			wrong = append(wrong, fmt.Sprintf("%s and %s are one row of the PMS", s.name, other))
		}
		known[s.id], knownRows[s.row] = s.name, s.name
	}
	for _, r := range at.reservations {
		if known[text(r["id"])] == "" {
			wrong = append(wrong, fmt.Sprintf("the platform has a reservation that nobody made: %v", r))
		}
	}
	for _, r := range at.rows {
		if knownRows[r.id] == "" && r.status != "cancelled" {
			wrong = append(wrong, fmt.Sprintf("the PMS has a stay that nobody made: %+v", r))
		}
	}
	if got, want := len(at.contacts), len(w.people); got != want || w.sim.Len("contacts") != want {
		wrong = append(wrong, fmt.Sprintf("the platform has %d contacts with %d phones, want %d", w.sim.Len("contacts"), got, want))
	}
	return wrong
}

func list(wrong []string) string { return strings.Join(wrong, "\n\t") }
