package serve

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	_ "github.com/mattn/go-sqlite3"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/record"
)

const tables = `
CREATE TABLE guests (id INTEGER PRIMARY KEY AUTOINCREMENT, external_ref TEXT UNIQUE, first_name TEXT NOT NULL DEFAULT '',
	last_name TEXT NOT NULL DEFAULT '', phone TEXT, version INTEGER NOT NULL DEFAULT 1);
CREATE TRIGGER guests_touch AFTER UPDATE ON guests WHEN new.version = old.version
	BEGIN UPDATE guests SET version = old.version + 1 WHERE id = new.id; END;
CREATE TABLE reservations (id INTEGER PRIMARY KEY AUTOINCREMENT, external_ref TEXT UNIQUE,
	guest_id INTEGER NOT NULL REFERENCES guests(id), arrival TEXT NOT NULL, departure TEXT NOT NULL,
	status TEXT NOT NULL DEFAULT 'confirmed', version INTEGER NOT NULL DEFAULT 1);
CREATE TRIGGER reservations_touch AFTER UPDATE ON reservations WHEN new.version = old.version
	BEGIN UPDATE reservations SET version = old.version + 1 WHERE id = new.id; END;
`

const settings = `
time_zone: UTC
first_run: go
settle: 1s
grace: 1s
%s
systems:
  platform:
    preset: platform
    base_url: http://platform.example.test
    key: file:%s
    page_size: 10
    %s
  pms:
    type: sqlite
    address: %s
    tables:
      guests: { table: guests, key: id, version: version, version_bump: false, our_mark: external_ref }
      reservations: { table: reservations, key: id, version: version, version_bump: false, our_mark: external_ref }
jobs:
  guests:
    kind: contact
    between: { platform: contacts, pms: guests }
    match: [phone]
    create: { platform: always, pms: always }
    %s
    fields:
      given_name:  { platform: first_name,   pms: first_name, conflict: pms }
      family_name: { platform: last_name,    pms: last_name,  conflict: pms }
      phone:       { platform: phone_number, pms: phone,      conflict: hold, region: IT }
  reservations:
    kind: stay
    between: { platform: reservations, pms: reservations }
    window: { from: -1d, to: +400d }
    match: [[guest, arrival, departure]]
    create: { platform: always, pms: always }
    fields:
      guest:
        job: guests
        pms: guest_id
        platform: { phone: client_phone_number, name: client_full_name }
        if_left_out: Occupied
      arrival:   { platform: starting_date, pms: arrival,   as: date, together: stay, conflict: pms }
      departure: { platform: ending_date,   pms: departure, as: date, together: stay, conflict: pms }
      status:    { platform: status,        pms: status,    conflict: rules }
    status:
      pending:    { platform: PENDING,                       pms: option }
      confirmed:  { platform: [CONFIRMED, APPROVED],         pms: confirmed }
      cancelled:  { platform: [CANCELLED, PENDING_DELETION], pms: cancelled }
      completed:  { platform: COMPLETED,                     pms: checked_out }
    platform_may: [pending, confirmed, cancelled]
`

// told are the parts of a configuration that tests change.
type told struct{ top, platform, guests string }

// inn is a platform without a socket, a PMS and a daemon between them, on a clock of
// its own.
type inn struct {
	*Daemon
	t    *testing.T
	sim  *simulator.Sim
	pms  *sql.DB
	dir  string
	path string

	stop   func() // tells it to, and waits
	cancel func()
	over   chan error

	mu    sync.Mutex
	asked []asked
	delay time.Duration // before the platform answers with a page
	fail  func(*http.Request) bool
	alter func(http.Header) // what the platform answers; nil: as it is

	events http.RoundTripper // where others are told; nil: the network
	step   func(name string) // told of each durable step
	listen func(ctx context.Context, address string) (net.Listener, error)
}

type asked struct {
	at   time.Time
	what string
}

// RoundTrip notes a request and answers it as the simulator does.
func (n *inn) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	n.asked = append(n.asked, asked{time.Now(), r.Method + " " + r.URL.Path})
	delay, fail, alter := n.delay, n.fail, n.alter
	n.mu.Unlock()
	if fail != nil && fail(r) {
		return nil, fmt.Errorf("no route to %s", r.URL.Host)
	}
	if delay > 0 && r.Method == http.MethodGet {
		wait := time.NewTimer(delay)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	resp, err := n.sim.Transport().RoundTrip(r)
	if err == nil && alter != nil {
		alter(resp.Header)
	}
	return resp, err
}

// since is when requests that hold a text were made, from a moment on.
func (n *inn) since(from time.Time, text string) []time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	var at []time.Time
	for _, a := range n.asked {
		if !a.at.Before(from) && strings.Contains(a.what, text) {
			at = append(at, a.at)
		}
	}
	return at
}

// newInn starts a daemon in a bubble. The test ends it.
func newInn(t *testing.T, s told, given func(*inn)) *inn {
	t.Helper()
	n := &inn{t: t, dir: t.TempDir(), sim: simulator.New(simulator.Options{})}
	key, db := filepath.Join(n.dir, "key"), filepath.Join(n.dir, "pms.db")
	n.path = filepath.Join(n.dir, "nightporter.yaml")
	n.write(key, simulator.DefaultKey)
	n.write(n.path, fmt.Sprintf(settings, s.top, key, s.platform, db, s.guests))
	var err error
	if n.pms, err = sql.Open("sqlite3", "file:"+db+"?_busy_timeout=5000"); err != nil {
		t.Fatal(err)
	}
	if _, err := n.pms.Exec(tables); err != nil {
		t.Fatal(err)
	}
	if given != nil {
		given(n)
	}
	log := slog.New(slog.DiscardHandler)
	if testing.Verbose() {
		log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
	}
	ctx, cancel := context.WithCancel(t.Context())
	ready, over := make(chan *Daemon, 1), make(chan error, 1)
	n.cancel, n.over = cancel, over
	go func() {
		over <- Run(ctx, Options{
			Load:  func() (*config.Config, error) { return config.Load(n.path, nil) },
			App:   app.Options{Transport: func(string) http.RoundTripper { return n }, Events: n.events, Step: n.step, Log: log},
			Log:   log,
			Ready: func(d *Daemon) { ready <- d }, Listen: n.listen,
		})
	}()
	n.stop = func() {
		t.Helper()
		cancel()
		if err := <-over; err != nil {
			t.Errorf("the daemon ended with %v", err)
		}
		if err := n.pms.Close(); err != nil {
			t.Error(err)
		}
	}
	select {
	case n.Daemon = <-ready:
	case err := <-over:
		cancel()
		t.Fatalf("the daemon did not start: %v", err)
	}
	return n
}

func (n *inn) write(path, text string) {
	n.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		n.t.Fatal(err)
	}
}

// pass lets time pass, and what is due in it be done.
func (n *inn) pass(d time.Duration) {
	wait := time.NewTimer(d)
	<-wait.C
	synctest.Wait()
}

func (n *inn) count(table string) int {
	n.t.Helper()
	var c int
	if err := n.pms.QueryRow(`SELECT count(*) FROM ` + table).Scan(&c); err != nil {
		n.t.Fatal(err)
	}
	return c
}

func phone(i int) string { return fmt.Sprintf("+3905500%05d", i) }

func (n *inn) contact(i int) string {
	return n.sim.Put("contacts", map[string]any{"first_name": "Guest", "last_name": fmt.Sprintf("Nr%05d", i), "phone_number": phone(i)})
}

func (n *inn) booking(phone string) string {
	day := func(i int) string { return time.Now().AddDate(0, 0, i).Format(time.DateOnly) }
	return n.sim.Put("reservations", map[string]any{
		"client_full_name": "Nora Neri", "client_phone_number": phone,
		"starting_date": day(3), "ending_date": day(5), "status": "CONFIRMED",
	})
}

func (n *inn) hint(b record.Binding, kind record.Kind, id string) {
	n.t.Helper()
	h := record.Hint{Place: record.Place{Binding: b, Side: record.Left}, Ref: record.Ref{Kind: kind, ID: id}, At: time.Now()}
	if err := n.Hint(n.t.Context(), []record.Hint{h}); err != nil {
		n.t.Fatal(err)
	}
}

// A booking of a caller whom nobody knows: it waits, the contact is looked for, made
// in the PMS, and the booking is entered. Nothing of it is asked for twice.
func TestChainOfANewCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newInn(t, told{}, nil)
		defer n.stop()
		n.contact(1)
		from := time.Now()
		n.hint("reservations", "reservations", n.booking(phone(1)))
		n.pass(10 * time.Second)
		if g, r := n.count("guests"), n.count("reservations"); g != 1 || r != 1 {
			t.Fatalf("in the PMS: got %d guests and %d reservations, want one of each", g, r)
		}
		if got := len(n.since(from, "/reservations/")); got != 2 {
			t.Errorf("reads of the booking: got %d, want one when it is hinted at and one before it is entered", got)
		}
		n.pass(time.Hour)
		if got := len(n.since(from.Add(10*time.Second), "")); got > 0 {
			t.Errorf("requests once all was done: got %d, want none", got)
		}
	})
}

// A stay of a guest whom no list has shown yet: the guest is read by its id, made on
// the platform, and the stay is published.
func TestChainOfAGuestNobodyHasSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newInn(t, told{}, nil)
		defer n.stop()
		day := func(i int) string { return time.Now().AddDate(0, 0, i).Format(time.DateOnly) }
		if _, err := n.pms.Exec(`INSERT INTO guests (id, first_name, last_name, phone) VALUES (70, 'Piero', 'Poli', '+390550000077')`); err != nil {
			t.Fatal(err)
		}
		if _, err := n.pms.Exec(`INSERT INTO reservations (id, guest_id, arrival, departure) VALUES (80, 70, ?, ?)`, day(3), day(5)); err != nil {
			t.Fatal(err)
		}
		h := record.Hint{Place: record.Place{Binding: "reservations", Side: record.Right}, Ref: record.Ref{Kind: "reservations", ID: "80"}, At: time.Now()}
		if err := n.Hint(t.Context(), []record.Hint{h}); err != nil {
			t.Fatal(err)
		}
		n.pass(10 * time.Second)
		if got := n.sim.Len("contacts"); got != 1 {
			t.Errorf("contacts on the platform: got %d, want the guest of the stay", got)
		}
		n.hint("reservations", "reservations", "") // nothing is published before the platform's stays are known
		n.pass(10 * time.Second)
		stays := n.sim.All("reservations")
		if len(stays) != 1 || stays[0]["client_full_name"] != "Piero Poli" {
			t.Errorf("on the platform: got %v, want the stay of Piero Poli", stays)
		}
	})
}

// Nobody comes of it: what waits is looked for less and less often, and not at all
// when it waits no more.
func TestChaseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newInn(t, told{}, func(n *inn) { n.contact(7) })
		defer n.stop()
		n.hint("guests", "contacts", "")
		n.pass(10 * time.Second)
		from := time.Now()
		id := n.booking(phone(1))
		n.hint("reservations", "reservations", id)
		n.pass(time.Hour)
		if got := len(n.since(from, "/contacts")); got < 3 || got > 30 {
			t.Errorf("requests for contacts in an hour: got %d, want a few", got)
		}
		if n.count("reservations") != 0 {
			t.Error("the booking of nobody was entered")
		}
		n.sim.Edit("reservations", id, map[string]any{"client_phone_number": phone(7)})
		n.hint("reservations", "reservations", id)
		n.pass(20 * time.Minute)
		if n.count("reservations") != 1 {
			t.Error("the booking was not entered once it named somebody who is known")
		}
		later := time.Now()
		n.pass(time.Hour)
		if got := len(n.since(later, "")); got > 0 {
			t.Errorf("requests when nobody is waited for: got %d, want none", got)
		}
	})
}

// A run of one side reads that side's list alone; a full one reads both.
func TestCadencesReadTheirSide(t *testing.T) {
	for name, tc := range map[string]struct {
		when    string
		on      string // who has the only guest
		carried bool
	}{
		"platform, whose contact is new": {"platform", "platform", true},
		"platform, the PMS' is new":      {"platform", "pms", false},
		"pms, whose guest is new":        {"pms", "pms", true},
		"pms, the platform's is new":     {"pms", "platform", false},
		"full, the platform's is new":    {"full", "platform", true},
		"full, the PMS' is new":          {"full", "pms", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newInn(t, told{guests: "when: { " + tc.when + ": every 10m }"}, nil)
				defer n.stop()
				if tc.on == "platform" {
					n.contact(1)
				} else if _, err := n.pms.Exec(`INSERT INTO guests (first_name, last_name, phone) VALUES ('Piero', 'Poli', '+390550000077')`); err != nil {
					t.Fatal(err)
				}
				n.pass(45 * time.Minute)
				if got := n.count("guests") == 1 && n.sim.Len("contacts") == 1; got != tc.carried {
					t.Errorf("the guest is on both sides: got %v, want %v", got, tc.carried)
				}
			})
		})
	}
}

// The quiet hours of a system stop a run that is under way; it is made afterwards.
func TestQuietHoursStopARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the bubble's clock begins at midnight
		n := newInn(t, told{platform: `quiet: "00:20-00:40"`}, func(n *inn) {
			for i := range 100 {
				n.contact(i)
			}
			n.delay = 20 * time.Second
		})
		defer n.stop()
		begun := time.Now()
		n.pass(18 * time.Minute)
		n.hint("guests", "contacts", "")
		n.pass(42 * time.Minute)
		before, in, after := n.since(begun, ""), n.since(begun.Add(20*time.Minute), ""), n.since(begun.Add(40*time.Minute), "")
		if len(before) == len(in) || len(after) == 0 {
			t.Errorf("requests before the quiet hours: got %d, after them %d, want some", len(before)-len(in), len(after))
		}
		if len(in) != len(after) {
			t.Errorf("requests in the quiet hours: got %d, want none", len(in)-len(after))
		}
		n.mu.Lock()
		n.delay = 0
		n.mu.Unlock()
		n.pass(10 * time.Minute)
		if got := n.count("guests"); got != 100 {
			t.Errorf("guests after the run that was made again: got %d, want 100", got)
		}
	})
}

// A job whose system is away rests longer each time, five minutes in the end, and a kick is tried within a
// minute all the same.
func TestFailingRunBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newInn(t, told{guests: "when: { platform: every 1m }"}, func(n *inn) {
			n.contact(1)
			n.fail = func(*http.Request) bool { return true }
		})
		defer n.stop()
		n.pass(2 * time.Hour)
		runs, err := n.store.Runs(t.Context(), "guests", 1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(runs) < 4 || len(runs) > 28 {
			t.Errorf("runs in two hours of failure: got %d, want few", len(runs))
		}
		n.mu.Lock()
		n.fail = nil
		n.mu.Unlock()
		n.hint("guests", "contacts", n.contact(2))
		n.pass(time.Minute + time.Second)
		if got := n.count("guests"); got == 0 {
			t.Error("a kick was not tried within a minute of its system's return")
		}
	})
}

// The runs of no job are made as well.
func TestBackupAndTidy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := t.TempDir()
		n := newInn(t, told{top: fmt.Sprintf("backup: { to: %s, at: every 1h, keep: 2 }", to)}, nil)
		defer n.stop()
		n.pass(5 * time.Hour)
		files, err := filepath.Glob(filepath.Join(to, "*"))
		if err != nil || len(files) != 2 {
			t.Errorf("copies after five hours: got %v (%v), want the two newest", files, err)
		}
		settled := map[string]bool{}
		for _, s := range n.runner.Status() {
			settled[s.Binding] = s.Fails == 0 && !s.Next.IsZero()
		}
		last, err := state.LastBackup(to)
		if err != nil || last.IsZero() || !last.Equal(n.seen.backedUp.UTC().Truncate(time.Second)) {
			t.Errorf("the last copy by its name: got %v (%v), want %v", last, err, n.seen.backedUp)
		}
		again := &Daemon{seen: newNumbers(), log: n.log}
		if again.seeBackups(t.Context(), n.house.Config); !again.seen.backedUp.Equal(last) {
			t.Errorf("the last copy after a restart: got %v, want %v", again.seen.backedUp, last)
		}
		if !settled[backupRun] || !settled[tidyRun] {
			t.Errorf("runs of no job that go well: got %v, want backup and tidy", settled)
		}
	})
}

// What commands ask for ends with what came of it.
func TestWishesEnd(t *testing.T) {
	for name, tc := range map[string]struct {
		job  record.Binding
		wish Wish
		away bool
		want record.Outcome
		made int
	}{
		"all jobs":       {"", Wish{Yes: true}, false, record.Done, 1},
		"one record":     {"guests", Wish{Only: []record.Ref{{Kind: "contacts", ID: "?"}}}, false, record.Done, 1},
		"of no such job": {"stays", Wish{}, false, record.Failed, 0},
		"system is away": {"guests", Wish{Yes: true}, true, record.Failed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newInn(t, told{}, nil)
				defer n.stop()
				id := n.contact(1)
				for i := range tc.wish.Only {
					tc.wish.Only[i].ID = id
				}
				n.mu.Lock()
				n.fail = func(*http.Request) bool { return tc.away }
				n.mu.Unlock()
				seq, err := Ask(t.Context(), n.store, tc.job, tc.wish, "a test", time.Now())
				if err != nil {
					t.Fatal(err)
				}
				n.pass(5 * time.Minute)
				r, err := n.store.Followed(t.Context(), seq)
				if err != nil {
					t.Fatal(err)
				}
				if !r.Done() || r.Outcome != tc.want || (r.Error != "") != (tc.want == record.Failed) {
					t.Errorf("the request: got %q (%s), want %q", r.Outcome, r.Error, tc.want)
				}
				if got := n.count("guests"); got != tc.made {
					t.Errorf("guests made: got %d, want %d", got, tc.made)
				}
			})
		})
	}
}
