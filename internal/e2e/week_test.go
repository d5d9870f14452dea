//go:build unix

package e2e

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nightporter/internal/nettest"
	"nightporter/internal/pgtest"
	"nightporter/simulator"
)

// hotel is the configuration of examples/hotel-week, with the program as its users have it.
type hotel struct {
	*served
	hook string // where the platform calls
}

func newHotel(t *testing.T, program string) *hotel {
	t.Helper()
	u, err := url.Parse(pgtest.Start(t).NewDB(t))
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, dir: t.TempDir(), sim: simulator.New(simulator.Options{IDs: simulator.Sequential})}
	srv := httptest.NewServer(h.sim)
	t.Cleanup(srv.Close)
	if h.db, err = sql.Open("pgx", u.String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.db.Close() })
	s := &hotel{served: &served{house: h, t: t, program: program, path: filepath.Join(h.dir, "nightporter.yaml")}}
	porter := "porter_" + strings.TrimPrefix(u.Path, "/") // roles are the whole server's
	s.do2(`CREATE ROLE ` + porter + ` LOGIN PASSWORD 'porter'`)
	s.do2(strings.ReplaceAll(example(t, "hotel-week/schema.sql"), "TO nightporter", "TO "+porter))
	for file, text := range map[string]string{
		"platform.key": simulator.DefaultKey, "pms.password": "porter",
		"never.txt": example(t, "hotel-week/never.txt"), "newsletter.csv": example(t, "hotel-week/newsletter.csv"),
	} {
		h.write(filepath.Join(h.dir, file), text)
	}
	address := nettest.FreeAddress(t)
	s.hook = "http://" + address + "/hooks/platform"
	h.config = example(t, "hotel-week/nightporter.yaml")
	h.config = h.config[:strings.Index(h.config, "\nevents:")] + "\n"
	h.config = strings.ReplaceAll(h.config, "/etc/nightporter/", h.dir+"/")
	h.edit("https://api.example.com", srv.URL)
	h.edit("127.0.0.1:8081", address)
	h.edit("https://hotel.example.com/hooks/platform", s.hook)
	h.edit("192.0.2.10:5432/hotel", u.Host+u.Path)
	h.edit("user: nightporter", "user: "+porter+"\n    tls: off")
	h.edit("/srv/newsletter", h.dir)
	h.edit("listen: 127.0.0.1:8390\n", "")
	h.edit("settle: 10m", "settle: 1s\nstate: "+filepath.Join(h.dir, "state.db"))
	h.edit("    send_hours: ", "    # ") // these tests run at any hour
	h.write(s.path, h.config)
	s.do2(`INSERT INTO pms.rooms SELECT generate_series(1, 50)`)
	s.do2(`INSERT INTO pms.prices VALUES ('Bar', 'Spritz', 7)`)
	return s
}

func (s *hotel) do2(query string, args ...any) {
	s.t.Helper()
	if _, err := s.db.Exec(query, args...); err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
}

// voice is a new caller who books.
func (s *hotel) voice(n int) {
	s.sim.Put("contacts", map[string]any{"first_name": fmt.Sprint("Voice", n), "last_name": "Caller", "phone_number": voicePhone(n)})
	s.books(n, 3+n)
}

func voicePhone(n int) string { return fmt.Sprintf("+3905510%05d", n) }

// books is a reservation of a caller.
func (s *hotel) books(n, in int) {
	s.sim.Put("reservations", map[string]any{
		"client_full_name": fmt.Sprintf("Voice%d Caller", n), "client_phone_number": voicePhone(n),
		"starting_date": day(in), "ending_date": day(in + 2), "status": "CONFIRMED",
	})
}

// The service, on that configuration, has a reservation of the assistant's in PostgreSQL
// within a second of its webhook, by the clock on the wall: of somebody new, and of the same
// caller again while the room of the first is asked for once more.
func TestHotelReservationWithinASecond(t *testing.T) {
	s := newHotel(t, binary(t))
	s.do(0, "check")
	s.do(0, "sync", "--yes")
	daemon := s.serve()
	eventually(t, words("the subscription is made"), func() bool { return len(s.ours(s.hook)) == 1 })
	for n := range 3 {
		s.voice(n)
		s.prompt(2*n + 1)
		s.books(n, 30+n)
		s.prompt(2*n + 2)
		time.Sleep(1500 * time.Millisecond) //nolint:forbidigo // a new caller right after a booking waits until that was asked for again
	}
	daemon.signal(syscall.SIGTERM)
	daemon.ends(0)
}

// prompt brings the webhooks, and waits until there are so many reservations by voice.
func (s *hotel) prompt(n int) {
	s.t.Helper()
	begun := time.Now()
	for _, status := range s.told() {
		if status != http.StatusAccepted {
			s.t.Errorf("a webhook was answered %d", status)
		}
	}
	s.await(patience, "the reservation is in PostgreSQL", func() bool {
		return s.one(`SELECT count(*) FROM pms.reservations WHERE channel = 'voice'`) == fmt.Sprint(n)
	})
	s.t.Logf("reservation %d: %s", n, time.Since(begun)) // BenchmarkWebhookToWrite measures how long that takes
}

// Killed with SIGKILL at random moments while there is something to do in each area, it
// ends with all of it done once.
func TestHotelKill9(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 5))
	s := newHotel(t, binary(t))
	begun := time.Now()
	s.do(0, "sync", "--yes")
	whole := time.Since(begun)
	kills := 0
	lives := numberFrom("NIGHTPORTER_CRASH_N", 6)
	for n := range lives {
		s.happens(n)
		c := s.begin("sync", "--yes")
		select {
		case <-c.over:
		case <-time.After(time.Duration(rng.Float64() * 2 * float64(whole))):
			kills++
			_ = c.cmd.Process.Kill() // it may just have ended
			<-c.over
		}
	}
	for n := range 3 { // what was placed is known by what is placed later
		time.Sleep(1100 * time.Millisecond) //nolint:forbidigo // what was sent must have settled
		s.do2(`INSERT INTO pms.call_requests (number) VALUES ($1)`, fmt.Sprintf("055 2%06d", n))
		s.begin("sync", "--yes", "--full").ends(0)
	}
	time.Sleep(1100 * time.Millisecond) //nolint:forbidigo // the same
	s.begin("sync", "--yes", "--full").ends(0)
	t.Logf("%d of %d lives were killed", kills, lives)
	s.allOnce(lives)
}

// happens is something in each area.
func (s *hotel) happens(n int) {
	s.t.Helper()
	s.voice(n)
	s.do2(`WITH g AS (INSERT INTO pms.guests (first_name, last_name, phone) VALUES ($1, 'Desk', $2) RETURNING id)
		INSERT INTO pms.reservations (guest_id, arrival, departure) SELECT id, $3::date, $3::date + 2 FROM g`,
		fmt.Sprint("Guest", n), fmt.Sprintf("055 4%06d", n), day(3+n))
	s.do2(`INSERT INTO shop.orders (number, customer, phone, lines, total) VALUES ($1, 'Anna Rossi', '055 0000001', $2, 25.5)`, fmt.Sprint("S", n), aLine)
	s.do2(`UPDATE pms.prices SET price = price + 1`)
	s.do2(`INSERT INTO pms.call_requests (number) VALUES ($1)`, fmt.Sprintf("055 3%06d", n))
	ended := time.Now().UTC()
	s.sim.Put("calls", map[string]any{
		"phone_number": voicePhone(n), "call_type": "Automated", "call_status": "Completed", "outcome": "answered", "is_outbound": false,
		"start_time": ended.Format(time.RFC3339), "end_time": ended.Format(time.RFC3339), "duration": 1, "transcript": "A room.", "summary": "Booked.",
	})
}

// allOnce checks that all that happened so often stands on both sides, once.
func (s *hotel) allOnce(n int) {
	s.t.Helper()
	for what, got := range map[string]string{
		"contacts":                     fmt.Sprint(s.sim.Len("contacts") - 2), // and two of the newsletter's
		"guests":                       s.one(`SELECT count(DISTINCT phone) || '' FROM pms.guests HAVING count(*) = count(DISTINCT phone)`),
		"reservations of the platform": fmt.Sprint(s.sim.Len("reservations")),
		"reservations of the PMS":      s.one(`SELECT count(*) FROM pms.reservations`),
	} {
		if got != fmt.Sprint(2*n) {
			s.t.Errorf("%s: %s, want %d", what, got, 2*n)
		}
	}
	if got := s.one(`SELECT count(*) FROM pms.reservations WHERE channel = 'voice'`); got != fmt.Sprint(n) {
		s.t.Errorf("%s reservations by voice, want %d", got, n)
	}
	if twice := s.sim.Doubled("orders", "external_reference"); len(twice) > 0 || s.sim.Len("orders") != n {
		s.t.Errorf("the platform has %d orders, %v twice, want %d", s.sim.Len("orders"), twice, n)
	}
	active := 0
	for _, d := range s.sim.All("documents") {
		if d["active"] == true {
			active++
		}
	}
	if problems := s.sim.DocumentProblems(); active != 1 || len(problems) > 0 {
		s.t.Errorf("%d active documents, want one; %v", active, problems)
	}
	if got, want := len(s.sim.Placed()), n+3; got != want || s.one(`SELECT count(DISTINCT call_id) FROM pms.call_requests`) != fmt.Sprint(want) {
		s.t.Errorf("%d calls were placed, %s are known of, want %d", got, s.one(`SELECT count(DISTINCT call_id) FROM pms.call_requests`), want)
	}
	if got := s.one(`SELECT count(*) FROM voice.calls WHERE summary <> ''`); got != fmt.Sprint(2*n+3) {
		s.t.Errorf("%s calls came home with their texts, want %d", got, 2*n+3)
	}
}
