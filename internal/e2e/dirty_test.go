package e2e

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/simulator"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

const (
	dirtyGuests = 8000
	dirtyMarker = "Zwiebelfisch"        // stands only where nobody may look
	dirtyCard   = "4111 1111 1111 1111" // a test card that passes the check
)

// dirtyTruth is what a first run must come to.
type dirtyTruth struct {
	leftOut, held, attached, linked, createdLeft, createdRight int64
}

// dirtyGuest is a row of the PMS, and dirtyContact a record of the platform; nil is
// nothing. A person's family name says who it is.
type dirtyGuest struct {
	person, title         string
	email, phone, country any
	remarks               string
}

type dirtyContact struct {
	person, phone string
	email         any
	notes         string
}

// dirtyHouse is a population of which everything is known.
type dirtyHouse struct {
	rng       *rand.Rand
	represent bool // one record stands for all that share a phone
	n         int  // persons so far
	guests    []dirtyGuest
	contacts  []dirtyContact
	want      dirtyTruth
	party     map[string]string // person -> those who share the phone
	byContact map[string]string // contact -> person
	byGuest   map[string]string
	cards     [2]int64 // texts with a card, by the side they come from
}

// anybody is a person who is not known yet, with the seven digits of a number in
// Florence that nobody else has.
func (d *dirtyHouse) anybody() (person, digits string) {
	d.n++
	return fmt.Sprintf("Ospite%05d", d.n), fmt.Sprintf("%07d", 2000000+d.n)
}

func (d *dirtyHouse) guest(g dirtyGuest)     { d.guests = append(d.guests, g) }
func (d *dirtyHouse) contact(c dirtyContact) { d.contacts = append(d.contacts, c) }

// spelt is a number of Florence as somebody wrote it.
func (d *dirtyHouse) spelt(digits string) string {
	forms := []string{
		"055 " + digits, "055" + digits, "055/" + digits, "+39 055 " + digits, "0039055" + digits, "(055) " + digits,
		"055-" + digits[:3] + "." + digits[3:], " 055 " + digits[:3] + " " + digits[3:5] + " " + digits[5:] + " ", "tel:+39055" + digits,
	}
	return forms[d.rng.IntN(len(forms))]
}

func dirtyItalian(digits string) string { return "+39055" + digits }

func (d *dirtyHouse) italy() any {
	return []any{"IT", nil, "it", ""}[d.rng.IntN(4)]
}

func dirtyMail(person string) string { return strings.ToLower(person) + "@example.com" }

// foreign is a number from abroad: as it is dialled there, internationally, and
// whether it could pass as an Italian one.
func (d *dirtyHouse) foreign() (country, national, e164 string, italian bool) {
	d.n++
	n := d.n
	switch n % 4 {
	case 0:
		return "GB", fmt.Sprintf("020 79%02d 0%03d", n/1000%100, n%1000), fmt.Sprintf("+442079%02d0%03d", n/1000%100, n%1000), true
	case 1:
		return "FR", fmt.Sprintf("01 99 %02d %02d %02d", n/10000%100, n/100%100, n%100), fmt.Sprintf("+33199%06d", n), true
	case 2:
		return "DE", fmt.Sprintf("030 23%06d", n), fmt.Sprintf("+493023%06d", n), true
	}
	return "US", fmt.Sprintf("(202) 555-%04d", n%10000), fmt.Sprintf("+1202555%04d", n%10000), false
}

// newDirty makes a population of so many guests, of whom each dirty part is as large a
// share as it is of all. Every part says by itself what must become of it.
func newDirty(seed uint64, guests int, represent bool) *dirtyHouse {
	d := &dirtyHouse{
		rng: rand.New(rand.NewPCG(seed, 9)), represent: represent,
		party: map[string]string{}, byContact: map[string]string{}, byGuest: map[string]string{},
	}
	for _, part := range []struct {
		n   int
		add func(i int)
	}{
		{600, d.withoutPhone},
		{300, d.knownByMail},
		{200, d.houseNumber},
		{200, d.repeatedDigits},
		{200, d.coupleOnePhone},
		{150, d.coupleAndContact},
		{150, d.doubleGuest},
		{100, d.doubleUnknown},
		{200, d.coupleOneMail},
		{100, d.newNumber},
		{300, d.foreignWithCountry},
		{200, d.foreignWithout},
		{100, d.foreignTrap},
		{40, d.foreignClash},
		{40, d.contactNotANumber},
		{300, d.maskedMail},
		{400, d.company},
		{500, d.contactOnly},
		{50, d.contactWithoutNumber},
		{200, d.card},
		{700, d.guestOnly},
	} {
		for i := range part.n * guests / dirtyGuests {
			part.add(i)
		}
	}
	for len(d.guests) < guests {
		d.both(len(d.guests))
	}
	d.rng.Shuffle(len(d.guests), func(i, j int) { d.guests[i], d.guests[j] = d.guests[j], d.guests[i] })
	d.rng.Shuffle(len(d.contacts), func(i, j int) { d.contacts[i], d.contacts[j] = d.contacts[j], d.contacts[i] })
	return d
}

// both is a guest whom both sides know, under other spellings.
func (d *dirtyHouse) both(i int) {
	p, digits := d.anybody()
	g := dirtyGuest{person: p, phone: d.spelt(digits), country: d.italy()}
	c := dirtyContact{person: p, phone: dirtyItalian(digits)}
	if i%3 > 0 {
		g.email = dirtyMail(p)
	}
	if i%2 > 0 {
		c.email = dirtyMail(p)
	}
	d.guest(g)
	d.contact(c)
	d.want.linked++
}

func (d *dirtyHouse) guestOnly(int) {
	p, digits := d.anybody()
	d.guest(dirtyGuest{person: p, phone: d.spelt(digits), country: d.italy(), email: dirtyMail(p)})
	d.want.createdLeft++
}

func (d *dirtyHouse) contactOnly(int) {
	p, digits := d.anybody()
	d.contact(dirtyContact{person: p, phone: dirtyItalian(digits), email: dirtyMail(p)})
	d.want.createdRight++
}

// withoutPhone is guests whom the platform can't take.
func (d *dirtyHouse) withoutPhone(i int) {
	p, _ := d.anybody()
	g := dirtyGuest{person: p, phone: []any{nil, "", "  ", "-", "chiedere alla moglie", "055", "n/a"}[i%7]}
	if i%2 == 0 {
		g.email = dirtyMail(p)
	}
	d.guest(g)
	d.want.leftOut++
}

// knownByMail is guests without a phone whom the platform knows by their mail.
func (d *dirtyHouse) knownByMail(i int) {
	p, digits := d.anybody()
	mail := dirtyMail(p)
	d.guest(dirtyGuest{person: p, email: []string{mail, strings.ToUpper(mail), " " + mail + " ", "<" + mail + ">"}[i%4]})
	d.contact(dirtyContact{person: p, phone: dirtyItalian(digits), email: mail})
	d.want.linked++
}

// houseNumber is guests who were given the hotel's own number.
func (d *dirtyHouse) houseNumber(i int) {
	p, digits := d.anybody()
	g := dirtyGuest{person: p, phone: []any{"055 123456", "+39055123456", "0039 055-123456", "055/123456"}[i%4], country: "IT"}
	if i%2 > 0 {
		d.guest(g)
		d.want.leftOut++
		return
	}
	g.email = dirtyMail(p)
	d.guest(g)
	d.contact(dirtyContact{person: p, phone: dirtyItalian(digits), email: g.email})
	d.want.linked++
}

func (d *dirtyHouse) repeatedDigits(i int) {
	p, _ := d.anybody()
	d.guest(dirtyGuest{person: p, phone: []any{"0000000000", "111 111 1111", "+39 333 3333333", "999999999"}[i%4], country: d.italy()})
	d.want.leftOut++
}

// coupleOnePhone is two guests with one phone, of whom the platform knows neither:
// it can have one of them only.
func (d *dirtyHouse) coupleOnePhone(int) {
	p, digits := d.anybody()
	q, _ := d.anybody()
	d.party[q] = p
	d.guest(dirtyGuest{person: p, phone: d.spelt(digits), email: dirtyMail(p)})
	d.guest(dirtyGuest{person: q, phone: d.spelt(digits), email: dirtyMail(q)})
	if d.represent {
		d.want.createdLeft++
		d.want.attached++
		return
	}
	d.want.held += 2
}

// coupleAndContact is two guests with one phone, of whom the platform knows one.
func (d *dirtyHouse) coupleAndContact(int) {
	p, digits := d.anybody()
	q, _ := d.anybody()
	d.party[q] = p
	d.guest(dirtyGuest{person: p, phone: d.spelt(digits)})
	d.guest(dirtyGuest{person: q, phone: d.spelt(digits)})
	d.contact(dirtyContact{person: q, phone: dirtyItalian(digits)})
	if d.represent {
		d.want.linked++
		d.want.attached++
		return
	}
	d.want.held += 3
}

// doubleGuest is one person entered twice, whom the platform has once.
func (d *dirtyHouse) doubleGuest(i int) {
	p, digits := d.anybody()
	d.guest(dirtyGuest{person: p, phone: d.spelt(digits), email: dirtyMail(p), country: "IT"})
	g := dirtyGuest{person: p, phone: d.spelt(digits)}
	if i%2 == 0 {
		g.email = dirtyMail(p)
	}
	d.guest(g)
	d.contact(dirtyContact{person: p, phone: dirtyItalian(digits), email: dirtyMail(p)})
	if d.represent {
		d.want.linked++
		d.want.attached++
		return
	}
	d.want.held += 3
}

// doubleUnknown is one person entered twice, whom the platform doesn't have.
func (d *dirtyHouse) doubleUnknown(int) {
	p, digits := d.anybody()
	for range 2 {
		d.guest(dirtyGuest{person: p, phone: d.spelt(digits), email: dirtyMail(p)})
	}
	if d.represent {
		d.want.createdLeft++
		d.want.attached++
		return
	}
	d.want.held += 2
}

// coupleOneMail is two guests with one mail and a phone each, of whom the platform
// knows one.
func (d *dirtyHouse) coupleOneMail(int) {
	p, digits := d.anybody()
	q, others := d.anybody()
	d.guest(dirtyGuest{person: p, phone: d.spelt(digits), email: dirtyMail(p)})
	d.guest(dirtyGuest{person: q, phone: d.spelt(others), email: dirtyMail(p)})
	d.contact(dirtyContact{person: p, phone: dirtyItalian(digits), email: dirtyMail(p)})
	d.want.linked++
	d.want.createdLeft++
}

// newNumber is the same mail under two phones: a person must say.
func (d *dirtyHouse) newNumber(int) {
	p, digits := d.anybody()
	_, others := d.anybody()
	d.guest(dirtyGuest{person: p, phone: d.spelt(digits), email: dirtyMail(p)})
	d.contact(dirtyContact{person: p, phone: dirtyItalian(others), email: dirtyMail(p)})
	d.want.held += 2
}

// foreignWithCountry is a guest from abroad whose country the PMS knows.
func (d *dirtyHouse) foreignWithCountry(int) {
	p, _ := d.anybody()
	country, national, e164, _ := d.foreign()
	d.guest(dirtyGuest{person: p, phone: national, country: country})
	d.contact(dirtyContact{person: p, phone: e164})
	d.want.linked++
}

// foreignWithout is a guest from abroad of whom nobody knows it. He isn't linked to
// himself, and with an Italian number made of his own he is somebody new.
func (d *dirtyHouse) foreignWithout(int) {
	p, _ := d.anybody()
	_, national, e164, italian := d.foreign()
	d.guest(dirtyGuest{person: p, phone: national})
	d.contact(dirtyContact{person: p, phone: e164})
	d.want.createdRight++
	if italian {
		d.want.createdLeft++
	} else {
		d.want.leftOut++
	}
}

// foreignTrap is a guest from abroad with a number that is none over there but reads
// like that of an Italian whom the platform knows. Nothing else tells who it is.
func (d *dirtyHouse) foreignTrap(int) {
	p, _ := d.anybody()
	q, digits := d.anybody()
	d.guest(dirtyGuest{person: p, phone: "055 " + digits, country: "GB"})
	d.contact(dirtyContact{person: q, phone: dirtyItalian(digits), email: dirtyMail(q)})
	d.want.leftOut++
	d.want.createdRight++
}

// foreignClash is the same guest with a mail: he would be somebody new, were it not
// for the number, which the platform can have only once.
func (d *dirtyHouse) foreignClash(int) {
	p, _ := d.anybody()
	q, digits := d.anybody()
	d.guest(dirtyGuest{person: p, phone: "055 " + digits, country: "GB", email: dirtyMail(p)})
	d.contact(dirtyContact{person: q, phone: dirtyItalian(digits), email: dirtyMail(q)})
	d.want.held++
	d.want.createdRight++
}

// contactNotANumber is a guest of whom the platform has the mail and one digit again and again.
func (d *dirtyHouse) contactNotANumber(i int) {
	p, digits := d.anybody()
	d.guest(dirtyGuest{person: p, phone: d.spelt(digits), email: dirtyMail(p)})
	d.contact(dirtyContact{person: p, phone: strings.Repeat(fmt.Sprint(i%10), 7+i/10), email: dirtyMail(p)})
	d.want.linked++
}

// maskedMail is guests behind the address of a booking site, which two of them share.
func (d *dirtyHouse) maskedMail(i int) {
	p, digits := d.anybody()
	q, others := d.anybody()
	mail := fmt.Sprintf("guest.%d@guest.booking.com", i)
	g := dirtyGuest{person: p, email: mail}
	if i%3 == 0 {
		d.want.leftOut++
	} else {
		g.phone = d.spelt(digits)
		d.want.createdLeft++
	}
	d.guest(g)
	d.contact(dirtyContact{person: q, phone: dirtyItalian(others), email: mail})
	d.want.createdRight++
}

// company never leaves the house; a contact with its phone is somebody new to us.
func (d *dirtyHouse) company(i int) {
	p, digits := d.anybody()
	d.guest(dirtyGuest{
		person: dirtyMarker + " " + p, title: []string{"Company", "Agency"}[i%2], phone: d.spelt(digits),
		email: strings.ToLower(dirtyMarker) + "." + dirtyMail(p), remarks: dirtyMarker,
	})
	if i%4 == 0 {
		q, _ := d.anybody()
		d.contact(dirtyContact{person: q, phone: dirtyItalian(digits)})
		d.want.createdRight++
	}
}

// contactWithoutNumber is what the assistant noted of callers who hid their number.
func (d *dirtyHouse) contactWithoutNumber(i int) {
	p, _ := d.anybody()
	d.contact(dirtyContact{person: p, phone: []string{"anonymous", "000000000000", "+39 055 123456", "unknown"}[i%4]})
	d.want.leftOut++
}

// card is remarks with a payment card in them, on either side.
func (d *dirtyHouse) card(i int) {
	p, digits := d.anybody()
	text := []string{"card " + dirtyCard + " exp 12/29", "carta:" + strings.ReplaceAll(dirtyCard, " ", "-"), "pays with " + strings.ReplaceAll(dirtyCard, " ", "")}[i%3]
	if i%2 == 0 {
		d.guest(dirtyGuest{person: p, phone: d.spelt(digits), remarks: text})
		d.cards[1]++
		d.want.createdLeft++
		return
	}
	d.contact(dirtyContact{person: p, phone: dirtyItalian(digits), notes: text})
	d.cards[0]++
	d.want.createdRight++
}

// fill puts the population into both systems.
func (d *dirtyHouse) fill(h *house) {
	h.t.Helper()
	h.exec(`ALTER TABLE guests ADD COLUMN remarks TEXT`)
	tx, err := h.db.BeginTx(h.t.Context(), nil)
	if err != nil {
		h.t.Fatal(err)
	}
	defer tx.Rollback()
	for i, g := range d.guests {
		_, err := tx.ExecContext(h.t.Context(), `INSERT INTO guests (id, title, first_name, last_name, email, phone, country, notes, remarks)
			VALUES (?, ?, 'Nome', ?, ?, ?, ?, ?, ?)`, i+1, g.title, g.person, g.email, g.phone, g.country, dirtyMarker+" the guest", g.remarks)
		if err != nil {
			h.t.Fatal(err)
		}
		d.byGuest[fmt.Sprint(i+1)] = g.person
	}
	if err := tx.Commit(); err != nil {
		h.t.Fatal(err)
	}
	for _, c := range d.contacts {
		r := map[string]any{
			"first_name": "Nome", "last_name": c.person, "phone_number": c.phone, "language": "en",
			"custom_fields": map[string]any{"private": dirtyMarker + " the contact"},
		}
		if c.email != nil {
			r["email"] = c.email
		}
		if c.notes != "" {
			r["notes"] = c.notes
		}
		d.byContact[h.sim.Put("contacts", r)] = c.person
	}
}

// dirtyHotel is a house with that population and everything that is written about it.
func dirtyHotel(t *testing.T, d *dirtyHouse) (*house, *bytes.Buffer) {
	t.Helper()
	h := newHouse(t, simulator.Options{})
	h.edit(`not_a_value: { email: ["*@guest.booking.com"] }`, `not_a_value: { email: ["*@guest.booking.com"], phone: ["+39 055 123456"] }`)
	h.edit("      language:    { platform: language,     pms: language,   to: platform }\n",
		"      language:    { platform: language,     pms: language,   to: platform }\n      remarks:     { platform: notes, pms: remarks, conflict: pms }\n")
	if d.represent {
		h.edit("    match: [phone, email]\n", "    match: [phone, email]\n    if_several: represent\n    represent_by: lowest_id\n")
	}
	d.fill(h)
	return h, &bytes.Buffer{}
}

// dirtyRun runs the guests once, with all that there is to log.
func dirtyRun(h *house, log *bytes.Buffer) engine.Report {
	h.t.Helper()
	path := filepath.Join(h.dir, "nightporter.yaml")
	h.write(path, h.config)
	cfg, err := config.Load(path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	a, err := app.Open(context.Background(), cfg, app.Options{
		Jobs: true, State: h.stateFile(), Log: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		h.t.Fatal(err)
	}
	defer a.Close()
	reports, err := a.Sync(h.t.Context(), []record.Binding{"guests"}, engine.Options{Yes: true})
	if err != nil || len(reports) != 1 {
		h.t.Fatalf("sync: %d runs, %v", len(reports), err)
	}
	return reports[0]
}

// check holds the first run against the truth.
func (d *dirtyHouse) check(h *house, rep engine.Report) {
	h.t.Helper()
	c := rep.Counts
	got := dirtyTruth{c["left_out"], c["held"], c["attached"], c["linked"], c["left.created"], c["right.created"]}
	if got != d.want {
		h.t.Errorf("first run:\n got %+v\nwant %+v\nall counts: %v", got, d.want, c)
	}
	for _, name := range []string{"refused", "quarantined", "unsettled", "lost", "stale", "unproven"} {
		if c[name] != 0 {
			h.t.Errorf("%s: got %d, want 0", name, c[name])
		}
	}
	if got, want := int64(h.sim.Len("contacts")), int64(len(d.contacts))+d.want.createdLeft; got != want {
		h.t.Errorf("contacts: got %d, want %d", got, want)
	}
	if got, want := h.one(`SELECT count(*) FROM guests`), fmt.Sprint(int64(len(d.guests))+d.want.createdRight); got != want {
		h.t.Errorf("guests: got %s, want %s", got, want)
	}
	d.checkLinks(h)
}

// checkLinks looks at every link: both ends are one person.
func (d *dirtyHouse) checkLinks(h *house) {
	h.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+h.stateFile()+"?mode=ro")
	if err != nil {
		h.t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(h.t.Context(), `SELECT l.id, r.id FROM entry l JOIN entry r ON r.link = l.link AND r.side = 1 AND l.side = 0 WHERE l.binding = 'guests'`)
	if err != nil {
		h.t.Fatal(err)
	}
	defer rows.Close()
	n, wrong := int64(0), 0
	for rows.Next() {
		var contact, guest string
		if err := rows.Scan(&contact, &guest); err != nil {
			h.t.Fatal(err)
		}
		n++
		left, right := d.byContact[contact], d.byGuest[guest]
		if left == "" {
			left = h.contact(contact, "last_name")
		}
		if right == "" {
			right = h.one(`SELECT last_name FROM guests WHERE id = ?`, guest)
		}
		if d.represent {
			left, right = d.partyOf(left), d.partyOf(right)
		}
		if left != right {
			if wrong++; wrong < 5 {
				h.t.Errorf("linked to the wrong person: %s and %s", left, right)
			}
		}
	}
	if want := d.want.linked + d.want.createdLeft + d.want.createdRight; n != want || rows.Err() != nil {
		h.t.Errorf("links: got %d, want %d (%v)", n, want, rows.Err())
	}
}

func (d *dirtyHouse) partyOf(person string) string {
	if p := d.party[person]; p != "" {
		return p
	}
	return person
}

// checkSecrets looks for what nobody may see in everything that was written.
func (d *dirtyHouse) checkSecrets(h *house, log *bytes.Buffer) {
	h.t.Helper()
	texts := map[string][]byte{"log": log.Bytes()}
	files, err := filepath.Glob(h.stateFile() + "*")
	if err != nil || len(files) == 0 {
		h.t.Fatalf("state files: %v %v", files, err)
	}
	for _, f := range files {
		if texts[filepath.Base(f)], err = os.ReadFile(f); err != nil {
			h.t.Fatal(err)
		}
	}
	var sent bytes.Buffer
	requests := h.sim.Requests()
	for _, r := range requests {
		fmt.Fprintln(&sent, r.Method, r.Path, r.Query, r.Body)
	}
	texts["requests"] = sent.Bytes()
	if int64(bytes.Count(texts["requests"], []byte("Ospite"))) < d.want.createdLeft {
		h.t.Fatalf("the log of %d requests is not whole", len(requests))
	}
	if !bytes.Contains(texts[filepath.Base(h.stateFile())], []byte("Ospite00001")) {
		h.t.Fatal("the state file holds no guest: is it the right one?")
	}
	for name, text := range texts {
		for _, secret := range []string{dirtyMarker, strings.ToLower(dirtyMarker)} {
			if bytes.Contains(text, []byte(secret)) {
				h.t.Errorf("the marker is in the %s", name)
			}
		}
		if name == "log" && bytes.Contains(text, []byte("Ospite")) {
			h.t.Error("a guest's name is in the log")
		}
	}
	for _, form := range []string{" ", "-", ""} {
		card := []byte(strings.ReplaceAll(dirtyCard, " ", form))
		for _, name := range []string{"requests", "log"} {
			if bytes.Contains(texts[name], card) {
				h.t.Errorf("a card is in the %s", name)
			}
		}
	}
}

// checkCards looks at the texts with a card in them: blanked where they went, and
// as they were where they came from.
func (d *dirtyHouse) checkCards(h *house) {
	h.t.Helper()
	var blanked, own int64
	for _, c := range h.sim.All("contacts") {
		notes, _ := c["notes"].(string)
		card := strings.Contains(notes, "4111")
		switch _, seeded := d.byContact[fmt.Sprint(c["id"])]; {
		case seeded && card:
			own++
		case !seeded && (card || notes != "" && !strings.Contains(notes, "****")):
			h.t.Errorf("notes on the platform: %q", notes)
		case !seeded && notes != "":
			blanked++
		}
	}
	if blanked != d.cards[1] || own != d.cards[0] {
		h.t.Errorf("on the platform: %d texts came without their card, %d of its own have it; want %d and %d", blanked, own, d.cards[1], d.cards[0])
	}
	came := fmt.Sprintf(` FROM guests WHERE id > %d AND coalesce(remarks, '') <> ''`, len(d.guests))
	want := fmt.Sprintf("%d %[1]d 0", d.cards[0])
	if got := h.one(`SELECT count(*) || ' ' || sum(remarks LIKE '%****%') || ' ' || sum(remarks LIKE '%4111%')` + came); got != want {
		h.t.Errorf("texts that came to the PMS, without their card, with it: got %s, want %s", got, want)
	}
	if got := h.one(`SELECT count(*) FROM guests WHERE remarks LIKE '%4111%'`); got != fmt.Sprint(d.cards[1]) {
		h.t.Errorf("the PMS's own texts with a card: got %s, want %d as they were", got, d.cards[1])
	}
}

// Eight thousand guests as hotels have them. Who is left out, held, linked and made
// anew is exactly who must be; nothing private is anywhere; a second run is quiet.
func TestF32_DirtyGuests(t *testing.T) {
	testDirty(t, newDirty(1, dirtyGuests, false))
}

// The same, where one record stands for all that share a phone.
func TestDirtyGuestsRepresented(t *testing.T) {
	testDirty(t, newDirty(2, dirtyGuests/4, true))
}

func testDirty(t *testing.T, d *dirtyHouse) {
	t.Parallel()
	h, log := dirtyHotel(t, d)
	d.check(h, dirtyRun(h, log))
	d.checkCards(h)
	before := h.sim.Counts().Mutating
	rep := dirtyRun(h, log)
	if l, r := writes([]engine.Report{rep}); l+r != 0 || h.sim.Counts().Mutating != before {
		rep.Actions, rep.Notes = rep.Actions[:min(10, len(rep.Actions))], nil
		h.tell([]engine.Report{rep})
		t.Errorf("a second run wrote %d to the platform and %d to the PMS, want none", l, r)
	}
	d.checkSecrets(h, log)
}
