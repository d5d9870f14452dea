package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"nightporter/internal/pgtest"
	"nightporter/simulator"
)

// scaleSystems is the platform and a real PostgreSQL.
const scaleSystems = `
time_zone: Europe/Rome
settle: 1ms
systems:
  platform:
    preset: platform
    base_url: %s
    key: file:%s
  pms:
    type: postgres
    address: %s
    user: %s
    password: file:%s
    tables:
      guests:
        table: pms.guests
        key: id
        changed: updated_at
        version: version
        version_bump: false
        our_mark: external_ref
        private: [notes, code]
      reservations:
        table: pms.reservations
        key: id
        changed: updated_at
        version: version
        version_bump: false
        our_mark: external_ref
`

// scaleSize is how much of everything there is on a side at the beginning.
type scaleSize struct{ people, stays int }

// shared is how many of a side's people the other side has, too.
func (s scaleSize) shared() int { return s.people * 4 / 5 }

// all is how many different people there are.
func (s scaleSize) all() int { return 2*s.people - s.shared() }

// scalePerson is somebody of the seed. Those below shared are known to both sides,
// then come those of the platform alone, then those of the PMS alone.
type scalePerson struct {
	given, family, email string
	country              string
	phone                string // E.164
	spelt                string // as the PMS has it
	shown                string // country as the PMS has it
}

// scaleGuest makes the person of a number: every fifth is from abroad, and no two
// have the same phone.
func scaleGuest(n int) scalePerson {
	p := scalePerson{given: "Guest" + strconv.Itoa(n), family: "Example" + strconv.Itoa(n%97), country: "IT", shown: "IT"}
	if n%2 == 0 {
		p.email = fmt.Sprintf("guest%d@example.com", n)
	}
	if n%5 == 0 {
		p.abroad(n / 5)
		return p
	}
	local := fmt.Sprintf("%07d", 1000000+n)
	p.phone = "+39055" + local
	switch n % 6 {
	case 0:
		p.spelt = "055 " + local
	case 1:
		p.spelt = "055-" + local[:3] + "-" + local[3:]
	case 2:
		p.spelt, p.shown = "0039055"+local, ""
	case 3:
		p.spelt, p.shown = "+39 055 "+local[:3]+" "+local[3:], ""
	case 4:
		p.spelt = "(055) " + local[:3] + "." + local[3:]
	case 5:
		p.spelt = "0039 055-" + local
	}
	return p
}

// abroad gives a person a foreign number, which the PMS has in its national form
// beside the country.
func (p *scalePerson) abroad(n int) {
	switch n % 3 {
	case 0:
		p.country, p.phone, p.spelt = "GB", fmt.Sprintf("+44207946%04d", n/3), fmt.Sprintf("020 7946 %04d", n/3)
	case 1:
		p.country, p.phone, p.spelt = "DE", fmt.Sprintf("+493023125%03d", n/3), fmt.Sprintf("030/23125-%03d", n/3)
	case 2:
		p.country, p.phone = "FR", fmt.Sprintf("+33199%06d", n/3)
		d := fmt.Sprintf("%06d", n/3)
		p.spelt = "01.99." + d[:2] + "." + d[2:4] + "." + d[4:]
	}
	p.shown = p.country
}

// scaleHotel is a populated platform and a populated PMS that never met.
type scaleHotel struct {
	*house
	size     scaleSize
	pg       *sql.DB
	contacts map[int]string // person -> contact seeded
	booked   map[string]int // reservation of the platform -> person
}

func newScaleHotel(t *testing.T, size scaleSize) *scaleHotel {
	t.Helper()
	dsn := pgtest.Start(t).NewPMS(t)
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	h := &scaleHotel{
		house: &house{t: t, dir: t.TempDir(), sim: simulator.New(simulator.Options{})}, size: size,
		contacts: map[int]string{}, booked: map[string]int{},
	}
	srv := httptest.NewServer(h.sim)
	t.Cleanup(srv.Close)
	if h.pg, err = sql.Open("pgx", dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.pg.Close() })
	key, word := filepath.Join(h.dir, "platform.key"), filepath.Join(h.dir, "pms.password")
	h.write(key, simulator.DefaultKey)
	password, _ := u.User.Password()
	h.write(word, password)
	h.config = fmt.Sprintf(scaleSystems, srv.URL, key, u.Host+u.Path, u.User.Username(), word) +
		configText[strings.Index(configText, "jobs:"):]
	h.seedPlatform()
	h.seedPMS(dsn)
	return h
}

// seedPlatform fills the platform. Its stays last three nights, the PMS's two: no
// stay of one side is that of the other.
func (h *scaleHotel) seedPlatform() {
	for n := range h.size.people {
		p := scaleGuest(n)
		c := map[string]any{"first_name": p.given, "last_name": p.family, "phone_number": p.phone, "language": "it"}
		if p.email != "" {
			c["email"] = p.email
		}
		h.contacts[n] = h.sim.Put("contacts", c)
	}
	for k := range h.size.stays {
		n := h.size.people - 1 - k*2 // from those whom the PMS lacks, every second
		p := scaleGuest(n)
		id := h.sim.Put("reservations", map[string]any{
			"client_full_name": p.given + " " + p.family, "client_phone_number": p.phone,
			"starting_date": day(1 + k%300), "ending_date": day(4 + k%300), "status": "CONFIRMED",
		})
		h.booked[id] = n
	}
}

// seedPMS fills the PMS. Column code, which the program is told never to read,
// names the person.
func (h *scaleHotel) seedPMS(dsn string) {
	h.t.Helper()
	ctx := h.t.Context()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		h.t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	people := make([][]any, 0, h.size.people)
	for n := range h.size.all() {
		if n >= h.size.shared() && n < h.size.people {
			continue
		}
		p := scaleGuest(n)
		people = append(people, []any{strconv.Itoa(n), p.given, p.family, scaleNull(p.email), p.spelt, scaleNull(p.shown), "it"})
	}
	h.copyIn(conn, "guests", []string{"code", "first_name", "last_name", "email", "phone", "country", "language"}, people)
	id := map[string]int64{}
	rows, err := conn.Query(ctx, `SELECT code, id FROM pms.guests`)
	if err != nil {
		h.t.Fatal(err)
	}
	for rows.Next() {
		var code string
		var n int64
		if err := rows.Scan(&code, &n); err != nil {
			h.t.Fatal(err)
		}
		id[code] = n
	}
	if err := rows.Err(); err != nil {
		h.t.Fatal(err)
	}
	stays := make([][]any, h.size.stays)
	for k := range stays {
		n := h.size.all() - 1 - k*2 // those whom the platform lacks first
		if n < h.size.people {
			n -= h.size.people - h.size.shared()
		}
		first := scaleDay(h.t, 1+k%300)
		stays[k] = []any{strconv.Itoa(n), id[strconv.Itoa(n)], first, first.AddDate(0, 0, 2)}
	}
	h.copyIn(conn, "reservations", []string{"number", "guest_id", "arrival", "departure"}, stays)
	if _, err := conn.Exec(ctx, `ANALYZE`); err != nil {
		h.t.Fatal(err)
	}
}

func (h *scaleHotel) copyIn(conn *pgx.Conn, table string, columns []string, rows [][]any) {
	h.t.Helper()
	if _, err := conn.CopyFrom(h.t.Context(), pgx.Identifier{"pms", table}, columns, pgx.CopyFromRows(rows)); err != nil {
		h.t.Fatalf("fill %s: %v", table, err)
	}
}

func scaleNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func scaleDay(t testing.TB, n int) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, day(n))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// print is what the PMS's own change counters say: it moves with every row made
// or changed, by whomever.
func (h *scaleHotel) print() string {
	h.t.Helper()
	var s string
	err := h.pg.QueryRowContext(h.t.Context(), `SELECT concat_ws(' ', count(*), sum(version), max(updated_at),
		(SELECT concat_ws(' ', count(*), sum(version), max(updated_at)) FROM pms.reservations)) FROM pms.guests`).Scan(&s)
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}
