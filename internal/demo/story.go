package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"

	"nightporter/sync/record"
)

// The exit codes of the program that are no failure here: a plan that waits for a
// yes, a sync that left something for a person.
const waits = 3

// The jobs of the demo, as its configuration names them.
const (
	guests       record.Binding = "guests"
	reservations record.Binding = "reservations"
)

// story is the demo while it is told.
type story struct {
	*house
	o       Options
	w       io.Writer
	chapter int
	res     Result
	lost    int64 // the run that was killed
}

// before shows the two sides that know nothing of each other.
func (s *story) before(ctx context.Context) error {
	s.say("A hotel has a PMS, and a platform whose voice assistant answers its phone. Both know guests and")
	s.say("bookings, each in its own way, and neither knows of the other. Everything here is on this machine:")
	s.say("the platform is simulated, the PMS is the file %s. Names and numbers are invented.", s.path(pmsFile))
	s.title("The two sides before")
	n, err := s.ask(ctx, `SELECT (SELECT count(*) FROM guests), (SELECT count(*) FROM reservations), (SELECT count(*) FROM rooms)`)
	if err != nil {
		return err
	}
	s.table([]string{"", "guests", "bookings"}, [][]string{
		{"platform", fmt.Sprint(s.sim.Len("contacts")), fmt.Sprint(s.sim.Len("reservations"))},
		{"pms", n[0][0], n[0][1] + ", for " + n[0][2] + " rooms"},
	})
	s.say("  Some guests are on both sides, spelled as each side spells a phone:")
	same, err := s.ask(ctx, `SELECT first_name || ' ' || last_name, phone, country FROM guests WHERE id IN (1, 5, 10, 14)`)
	if err != nil {
		return err
	}
	for i, r := range same {
		first, last, _ := strings.Cut(r[0], " ")
		for _, c := range s.find("contacts", map[string]string{"first_name": first, "last_name": last}) {
			same[i] = append(r, text(c, "phone_number"))
		}
	}
	s.table([]string{"guest", "phone in the pms", "country", "on the platform"}, same)
	return nil
}

// plan shows what a first run would do.
func (s *story) plan(ctx context.Context) error {
	s.title("What the first run would do. Nothing is written")
	out, err := s.command(ctx, []string{"plan", "--all"}, waits)
	if err != nil {
		return err
	}
	s.show(excerpt(out, 1))
	s.say("  Whoever is on both sides gets linked, not made again; who calls by mistake stays outside the PMS; a")
	s.say("  company's name doesn't leave the house, and its room is taken all the same. The first run stops")
	s.say("  here, until somebody has looked at this and says yes.")
	return nil
}

// first brings both sides in step.
func (s *story) first(ctx context.Context) error {
	s.title("The first sync")
	out, err := s.sync(ctx)
	if err != nil {
		return err
	}
	s.say("  A company's booking shows as Occupied; whoever isn't a guest of the house stays outside the PMS.")
	if strings.Contains(out, "not sure to be new") {
		s.say("  Not sure to be new is Sergio Nuovo, a caller who booked: the PMS's list was read before he was seen,")
		s.say("  and proves nothing about him. The next sync's list does, and enters him with his booking.")
	}
	return nil
}

// sync runs a sync in this process.
func (s *story) sync(ctx context.Context) (string, error) {
	out, err := s.command(ctx, []string{"sync", "--yes"}, waits)
	s.show(out)
	return out, err
}

// edits changes both sides behind nightporter's back, in part the same things.
func (s *story) edits(ctx context.Context) error {
	s.title("Meanwhile people work on both sides")
	if err := s.editGuests(ctx); err != nil {
		return err
	}
	if err := s.editBookings(ctx); err != nil {
		return err
	}
	s.table([]string{"", "at the desk, in the pms", "on the platform"}, [][]string{
		{"Anna Rossi", "last name: Rossi Galli", "e-mail: anna.galli@example.com"},
		{"Bruno Bianchi", "e-mail: bruno@desk.example.com", "e-mail: bruno@voice.example.com"},
		{"Elena Gallo", "phone: 055 0000151", "phone: +390550000152"},
		{"Carla's booking", "a day later: " + s.day(6) + " to " + s.day(8), "cancelled"},
		{"Tina Prova", "", "books by phone: " + s.day(26) + " to " + s.day(28)},
		{"Nick Testwell", "", "books by phone: " + s.day(30) + " to " + s.day(32) + ", when all rooms are sold"},
		{"Dora Vitale", "booked at the desk: " + s.day(34) + " to " + s.day(36), ""},
	})
	out, err := s.command(ctx, []string{"plan", "--all"}, waits)
	if err != nil {
		return err
	}
	s.show(excerpt(out, 9))
	s.say("  Anna keeps both edits. Bruno's e-mail goes by `conflict: platform`; the value that loses is kept and")
	s.say("  shown. Elena's phone goes by `conflict: hold`: it waits for a person, and the rest of her doesn't.")
	s.say("  Carla's cancelling stands whatever else was edited.")
	return nil
}

func (s *story) editGuests(ctx context.Context) error {
	for _, q := range []string{
		`UPDATE guests SET last_name = 'Rossi Galli' WHERE id = 1`,
		`UPDATE guests SET email = 'bruno@desk.example.com' WHERE id = 2`,
		`UPDATE guests SET phone = '055 0000151' WHERE id = 5`,
	} {
		if err := s.desk(ctx, q); err != nil {
			return err
		}
	}
	for _, e := range []struct{ phone, field, value string }{
		{"+390550000101", "email", "anna.galli@example.com"},
		{"+390550000102", "email", "bruno@voice.example.com"},
		{"+390550000105", "phone_number", "+390550000152"},
	} {
		if err := s.edit("contacts", map[string]string{"phone_number": e.phone}, map[string]any{e.field: e.value}); err != nil {
			return err
		}
	}
	return nil
}

func (s *story) editBookings(ctx context.Context) error {
	err := s.edit("reservations", map[string]string{"client_phone_number": "+390550000103"}, map[string]any{"status": "CANCELLED"})
	if err != nil {
		return err
	}
	if err := s.desk(ctx, `UPDATE reservations SET arrival = ?, departure = ? WHERE guest_id = 3`, s.day(6), s.day(8)); err != nil {
		return err
	}
	s.sim.Put("reservations", map[string]any{
		"client_full_name": "Tina Prova", "client_phone_number": "+390550000202", "details": "a cot, please",
		"starting_date": s.day(26), "ending_date": s.day(28), "status": "CONFIRMED",
	})
	s.sim.Put("reservations", map[string]any{
		"client_full_name": "Nick Testwell", "client_phone_number": "+12025550114",
		"starting_date": s.day(30), "ending_date": s.day(32), "status": "CONFIRMED",
	})
	return s.desk(ctx, `INSERT INTO reservations (guest_id, arrival, departure) VALUES (28, ?, ?)`, s.day(34), s.day(36))
}

// doras is the platform's bookings that are Dora's.
func (s *story) doras() []map[string]any {
	return s.find("reservations", map[string]string{"client_phone_number": "+390550000128", "starting_date": s.day(34)})
}

// killed runs a sync in a process of its own that dies in its middle.
func (s *story) killed(ctx context.Context) error {
	s.title("The second sync is killed in its middle")
	s.prompt([]string{"sync", "--yes"})
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, s.o.Binary) //nolint:gosec // it is this very program
	cmd.Args = []string{"nightporter", "sync", "--yes", "-c", s.path(configFile)}
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "NIGHTPORTER_") })
	cmd.Stdout, cmd.Stderr = &said, &said
	killed, err := s.plug.start(cmd, http.MethodPost, "/reservations")
	if err != nil {
		return fmt.Errorf("start %s: %w", s.o.Binary, err)
	}
	if !killed {
		return fmt.Errorf("the sync that was to be killed ended by itself: %s: %s", cmd.ProcessState, said.String())
	}
	s.res.Death = cmd.ProcessState.String()
	s.say("  This one ran as process %d, and ended so: %s. That was at the worst moment there is:", cmd.ProcessState.Pid(), s.res.Death)
	s.say("  it had sent Dora's booking, the platform had made it, and the answer never arrived. The platform")
	s.say("  takes the same booking twice without a word, so sending it again would double it.")
	rows := [][]string{}
	for _, r := range s.doras() {
		rows = append(rows, []string{text(r, "id"), text(r, "client_full_name"), text(r, "starting_date"), text(r, "ending_date")})
	}
	s.table([]string{"on the platform", "", "", ""}, rows)
	return s.remembered(ctx)
}

// remembered shows what the state file has of a change that was not answered.
func (s *story) remembered(ctx context.Context) (err error) {
	st, err := s.look(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	s.say("  What is remembered of it, written to disk before the request went out:")
	for _, b := range []record.Binding{guests, reservations} {
		open, err := st.Unsettled(ctx, b)
		if err != nil {
			return err
		}
		s.res.Open += len(open)
		for _, in := range open {
			s.lost = in.Run
			s.say("    change %s: %s %s in the platform, %s at %s, no answer", in.ID, in.Change.Op, in.Change.Ref.Kind, in.State,
				in.SentAt.Local().Format("15:04:05.000"))
			for _, f := range in.Change.Fields.Names() {
				s.say("      %s: %s", f, in.Change.Fields[f])
			}
		}
	}
	out, err := s.command(ctx, []string{"status"}, waits)
	s.show(out)
	return err
}

// second finds out what became of the change, and does the rest.
func (s *story) second(ctx context.Context) error {
	s.title("The next sync finds out what became of it")
	if _, err := s.sync(ctx); err != nil {
		return err
	}
	s.say("  It looked before it wrote: Dora's booking was found on the platform and taken for the one that was")
	s.say("  sent; the platform has %d of it. The house being full, Nick's was refused, and the platform told:", len(s.doras()))
	var rows [][]string
	for _, phone := range []string{"+390550000128", "+390550000202", "+390550000201", "+12025550114", "+390550000103"} {
		for _, r := range s.find("reservations", map[string]string{"client_phone_number": phone}) {
			in, err := s.ask(ctx, `SELECT r.id || ', ' || r.status FROM reservations r JOIN guests g ON g.id = r.guest_id
				WHERE g.first_name = substr(?1, 1, length(g.first_name)) AND r.arrival = ?2`, text(r, "client_full_name"), text(r, "starting_date"))
			if err != nil {
				return err
			}
			pms := "not entered"
			if len(in) > 0 {
				pms = in[0][0]
			}
			rows = append(rows, []string{
				text(r, "client_full_name"), text(r, "starting_date"), text(r, "ending_date"), text(r, "id") + ", " + text(r, "status"), pms,
			})
		}
	}
	s.table([]string{"guest", "arrival", "departure", "platform", "pms"}, rows)
	return nil
}

// third finds nothing to do.
func (s *story) third(ctx context.Context) error {
	s.title("A third sync finds nothing to do")
	before, err := s.pmsVersions(ctx)
	if err != nil {
		return err
	}
	s.sim.ResetCounts()
	if _, err := s.sync(ctx); err != nil {
		return err
	}
	c := s.sim.Counts()
	s.res.Requests, s.res.Writes = c.Total, c.Mutating
	after, err := s.pmsVersions(ctx)
	if err != nil {
		return err
	}
	s.say("  The platform was asked %d times, all of it reading, with %d writes.", c.Total, c.Mutating)
	s.good(fmt.Sprintf("%d writes to the platform", c.Mutating), "a sync with nothing to do writes nothing to the platform", c.Mutating == 0)
	s.good("another content", "and nothing to the PMS", before == after)
	return nil
}

// pmsVersions changes with any write to the PMS.
func (s *story) pmsVersions(ctx context.Context) (string, error) {
	rows, err := s.ask(ctx, `SELECT (SELECT count(*) || ' ' || sum(version) FROM guests), (SELECT count(*) || ' ' || sum(version) FROM reservations)`)
	return fmt.Sprint(rows), err
}

// goOn says how to go on playing.
func (s *story) goOn() {
	s.title("Go on by yourself")
	s.say("  All of it stays in %s. Start the platform again, with what it holds, in another terminal:", s.dir)
	s.say("  $ %s simulate --load %s --save %s --listen %s", s.o.Name, s.path(platformFile), s.path(platformFile), s.addr)
	s.say("  Then edit %s with any SQLite tool, or the platform through the control address that", s.path(pmsFile))
	s.say("  simulate prints, change a line of %s, and look:", s.path(configFile))
	s.prompt([]string{"plan"})
	s.prompt([]string{"sync"})
	s.prompt([]string{"runs", fmt.Sprint(s.lost)})
	s.say("  The last one is the run that was killed: each change of it, why, and what became of it.")
}
