package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"nightporter/state"
	"nightporter/sync/record"
)

// irma is the guest who shares a phone with her husband.
const irma = "33"

// good notes a sentence that must be true. got says what was found instead.
func (s *story) good(got, text string, is bool) {
	s.res.Checks = append(s.res.Checks, Check{Text: text, Got: got, Good: is})
}

// equal notes that two things must be the same.
func (s *story) equal(text string, got, want any) {
	s.good(fmt.Sprintf("%v, want %v", got, want), text, fmt.Sprint(got) == fmt.Sprint(want))
}

// check compares both sides with what they must hold, by the back doors of both and
// not by what nightporter says.
func (s *story) check(ctx context.Context) (err error) {
	s.title("Both sides, counted by their back doors")
	st, err := s.look(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	for _, f := range []func(context.Context, *state.Store) error{s.checkGuests, s.checkBookings, s.checkEdits, s.checkOpen} {
		if err := f(ctx, st); err != nil {
			return err
		}
	}
	for _, c := range s.res.Checks {
		if c.Good {
			s.say("  yes  %s", c.Text)
		} else {
			s.say("  NO   %s: %s", c.Text, c.Got)
		}
	}
	return s.questions(ctx)
}

// linked is the ids of the PMS's records that are linked, with the platform's.
func linked(ctx context.Context, st *state.Store, b record.Binding, kind string, rows [][]string) (map[string]string, error) {
	out := map[string]string{}
	for _, r := range rows {
		pair, ok, err := st.PairOf(ctx, record.Place{Binding: b, Side: record.Right}, record.Ref{Kind: record.Kind(kind), ID: r[0]})
		if err != nil {
			return nil, err
		}
		if ok && pair.Link != 0 {
			out[r[0]] = pair.Sides[record.Left].Ref.ID
		}
	}
	return out, nil
}

// doubled is the keys that more than one record has.
func doubled(keys []string) []string {
	var out []string
	slices.Sort(keys)
	for i := 1; i < len(keys); i++ {
		if keys[i] == keys[i-1] {
			out = append(out, keys[i])
		}
	}
	return slices.Compact(out)
}

// checkGuests wants each guest that may leave the house to be one contact, and the
// same person.
func (s *story) checkGuests(ctx context.Context, st *state.Store) error {
	rows, err := s.ask(ctx, `SELECT id, first_name, last_name FROM guests
		WHERE title NOT IN ('Company', 'Agency') AND phone IS NOT NULL AND id NOT IN (33, 34)`)
	if err != nil {
		return err
	}
	links, err := linked(ctx, st, guests, "guests", rows)
	if err != nil {
		return err
	}
	differ := []string{}
	var ids []string
	for _, r := range rows {
		id := links[r[0]]
		ids = append(ids, id)
		c, _ := s.sim.Get("contacts", id)
		if text(c, "first_name") != r[1] || text(c, "last_name") != r[2] {
			differ = append(differ, r[0])
		}
	}
	s.equal(fmt.Sprintf("each of the %d guests whom the platform may know is linked to one contact of its own", len(rows)),
		fmt.Sprint(len(links), doubled(ids)), fmt.Sprint(len(rows), []string{}))
	s.equal("and has the same name there", differ, []string{})
	var phones []string
	for _, c := range s.sim.All("contacts") {
		phones = append(phones, text(c, "phone_number"))
	}
	s.equal("no two contacts have one phone", doubled(phones), []string{})
	n, err := s.ask(ctx, `SELECT count(*) FROM guests`)
	if err != nil {
		return err
	}
	s.equal("the PMS got two new guests, the callers who booked, and no wrong number", n[0][0], 42)
	s.equal("no company or agency is on the platform", len(s.find("contacts", map[string]string{"phone_number": "+390550000136"}))+
		len(s.find("contacts", map[string]string{"phone_number": "+442079460137"})), 0)
	return nil
}

// checkBookings wants each booking to be once on both sides, on the same days.
func (s *story) checkBookings(ctx context.Context, st *state.Store) error {
	rows, err := s.ask(ctx, `SELECT r.id, r.arrival, r.departure, r.guest_id FROM reservations r
		WHERE r.departure >= ? AND (r.status <> 'cancelled' OR r.guest_id = 3)`, s.day(-1))
	if err != nil {
		return err
	}
	links, err := linked(ctx, st, reservations, "reservations", rows)
	if err != nil {
		return err
	}
	differ := []string{}
	var ids, stays []string
	for _, r := range rows {
		id := links[r[0]]
		ids, stays = append(ids, id), append(stays, strings.Join(r[1:], " "))
		x, _ := s.sim.Get("reservations", id)
		if text(x, "starting_date") != r[1] || text(x, "ending_date") != r[2] {
			differ = append(differ, r[0])
		}
	}
	s.equal(fmt.Sprintf("each of the %d bookings from today on, but one cancelled long before, is linked to one of the platform's", len(rows)),
		fmt.Sprint(len(links), doubled(ids)), fmt.Sprint(len(rows), []string{}))
	s.equal("and is on the same days there", differ, []string{})
	s.equal("no booking is in the PMS twice", doubled(stays), []string{})
	s.equal("the platform has those, and the one that was refused", s.sim.Len("reservations"), len(rows)+1)
	s.equal("the booking that was sent and never answered is there once", len(s.doras()), 1)
	return nil
}

// checkEdits wants the edits to have come to what the rules say.
func (s *story) checkEdits(ctx context.Context, _ *state.Store) error {
	rows, err := s.ask(ctx, `SELECT last_name, email FROM guests WHERE id IN (1, 2) ORDER BY id`)
	if err != nil {
		return err
	}
	rows = append(rows, s.of("contacts", "+390550000101", "last_name", "email"), s.of("contacts", "+390550000102", "last_name", "email"))
	anna, bruno := []string{"Rossi Galli", "anna.galli@example.com"}, []string{"Bianchi", "bruno@voice.example.com"}
	s.equal("Anna has both edits, and Bruno the e-mail of the platform, on both sides", rows, [][]string{anna, bruno, anna, bruno})
	rows, err = s.ask(ctx, `SELECT status, arrival FROM reservations WHERE guest_id = 3`)
	if err != nil {
		return err
	}
	rows = append(rows, s.of("reservations", "+390550000103", "status", "starting_date"))
	s.equal("Carla's booking is cancelled on both sides, on its new days", rows,
		[][]string{{"cancelled", s.day(6)}, {"CANCELLED", s.day(6)}})
	rows, err = s.ask(ctx, `SELECT g.first_name, r.status, r.channel, r.notes FROM reservations r JOIN guests g ON g.id = r.guest_id
		WHERE r.arrival IN (?, ?) ORDER BY r.arrival`, s.day(26), s.day(34))
	if err != nil {
		return err
	}
	s.equal("Tina's booking by phone is in the PMS", rows,
		[][]string{{"Tina", "confirmed", "voice", "a cot, please"}, {"Dora", "confirmed", "direct", ""}})
	s.equal("Nick's was refused", s.of("reservations", "+12025550114", "status", "starting_date")[0], "CONFIRMED REJECTED")
	return nil
}

// of is fields of the platform's records with that phone; several records' values
// stand beside each other.
func (s *story) of(kind, phone string, fields ...string) []string {
	by := "phone_number"
	if kind == "reservations" {
		by = "client_phone_number"
	}
	out := make([]string, len(fields))
	for _, r := range s.find(kind, map[string]string{by: phone}) {
		for i, f := range fields {
			out[i] = strings.TrimSpace(out[i] + " " + text(r, f))
		}
	}
	return out
}

// checkOpen wants no change without an answer, and the questions that are asked.
func (s *story) checkOpen(ctx context.Context, st *state.Store) error {
	open := 0
	for _, b := range []record.Binding{guests, reservations} {
		un, err := st.Unsettled(ctx, b)
		if err != nil {
			return err
		}
		lost, err := st.Lost(ctx, b)
		if err != nil {
			return err
		}
		open += len(un) + len(lost)
	}
	s.equal("every request that was ever sent has an answer", open, 0)
	asked, err := st.Questions(ctx, "", true)
	if err != nil {
		return err
	}
	var fields []string
	for _, x := range asked {
		fields = append(fields, x.Field)
	}
	slices.Sort(fields)
	fields = slices.Compact(fields)
	s.equal("what waits for a person is Elena's phone, and who of two guests a contact is", fields, []string{"match", "phone"})
	return nil
}

// questions shows what waits for a person, and the command that answers it.
func (s *story) questions(ctx context.Context) (err error) {
	s.say("  What no rule could decide waits for a person, and holds up nothing else:")
	out, err := s.command(ctx, []string{"conflicts"}, waits)
	if err != nil {
		return err
	}
	s.show(out)
	st, err := s.look(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	asked, err := st.Questions(ctx, "", true)
	if err != nil {
		return err
	}
	s.say("  An answer is one command, and the next sync does what it says. For example:")
	for _, x := range asked {
		e, _, err := st.EntryNum(ctx, x.Entry)
		if err != nil {
			return err
		}
		switch {
		case x.Field == "phone":
			s.prompt([]string{"conflicts", "resolve", fmt.Sprint(x.ID), "pms"})
		case e.Ref.ID == irma:
			s.prompt([]string{"conflicts", "show", fmt.Sprint(x.ID)})
			c := s.find("contacts", map[string]string{"phone_number": "+390550000133"})
			s.prompt([]string{"conflicts", "resolve", fmt.Sprint(x.ID), "--with", text(c[0], "id")})
		}
	}
	return nil
}
