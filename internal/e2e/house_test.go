package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/simulator"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// house is a platform, a PMS and a configuration between them.
type house struct {
	t       testing.TB
	dir     string
	sim     *simulator.Sim
	url     string
	db      *sql.DB // the PMS, by the back door
	config  string
	step    func(string)
	durable func() int64 // bytes of the log that a power cut leaves, of the program that was opened last
	lives   int          // how often it was killed
}

const pmsSchema = `
CREATE TABLE guests (
	id INTEGER PRIMARY KEY AUTOINCREMENT, external_ref TEXT UNIQUE, title TEXT NOT NULL DEFAULT '',
	first_name TEXT NOT NULL DEFAULT '', last_name TEXT NOT NULL DEFAULT '', email TEXT, phone TEXT, country TEXT,
	language TEXT NOT NULL DEFAULT 'en', notes TEXT NOT NULL DEFAULT '', version INTEGER NOT NULL DEFAULT 1);
CREATE TRIGGER guests_touch AFTER UPDATE ON guests WHEN new.version = old.version
	BEGIN UPDATE guests SET version = old.version + 1 WHERE id = new.id; END;
CREATE TABLE rooms (id INTEGER PRIMARY KEY, active INTEGER NOT NULL DEFAULT 1);
CREATE TABLE reservations (
	id INTEGER PRIMARY KEY AUTOINCREMENT, external_ref TEXT UNIQUE, guest_id INTEGER NOT NULL REFERENCES guests(id),
	arrival TEXT NOT NULL, departure TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'confirmed'
		CHECK (status IN ('option','confirmed','checked_in','checked_out','cancelled','no_show')),
	channel TEXT NOT NULL DEFAULT 'direct', notes TEXT NOT NULL DEFAULT '', version INTEGER NOT NULL DEFAULT 1);
CREATE TRIGGER reservations_touch AFTER UPDATE ON reservations WHEN new.version = old.version
	BEGIN UPDATE reservations SET version = old.version + 1 WHERE id = new.id; END;
`

const configText = `
time_zone: Europe/Rome
settle: %s
systems:
  platform:
    preset: platform
    base_url: %s
    key: file:%s
  pms:
    type: sqlite
    address: %s
    tables:
      guests:
        table: guests
        key: id
        version: version
        version_bump: false
        our_mark: external_ref
        only: "title not in ('Company', 'Agency')"
        private: [notes]
      reservations:
        table: reservations
        key: id
        version: version
        version_bump: false
        our_mark: external_ref
jobs:
  guests:
    kind: contact
    between: { platform: contacts, pms: guests }
    match: [phone, email]
    create: { platform: always, pms: always }
    not_a_value: { email: ["*@guest.booking.com"] }
    fields:
      given_name:  { platform: first_name,   pms: first_name, conflict: pms }
      family_name: { platform: last_name,    pms: last_name,  conflict: pms }
      phone:       { platform: phone_number, pms: phone,      conflict: hold, region: [pms.country, IT] }
      email:       { platform: email,        pms: email,      conflict: platform }
      language:    { platform: language,     pms: language,   to: platform }
  reservations:
    kind: stay
    between: { platform: reservations, pms: reservations }
    window: { from: -1d, to: +400d }
    match: [[guest, arrival, departure]]
    create: { platform: always, pms: always }
    on_create: { pms: { channel: voice } }
    fields:
      guest:
        job: guests
        pms: guest_id
        platform: { phone: client_phone_number, name: client_full_name }
        if_left_out: Occupied
      arrival:   { platform: starting_date, pms: arrival,   as: date, together: stay, conflict: pms }
      departure: { platform: ending_date,   pms: departure, as: date, together: stay, conflict: pms }
      status:    { platform: status,        pms: status,    conflict: rules }
      notes:     { platform: details,       pms: notes,     to: pms, conflict: fill_empty }
    status:
      pending:    { platform: PENDING,                       pms: option }
      confirmed:  { platform: [CONFIRMED, APPROVED],         pms: confirmed }
      cancelled:  { platform: [CANCELLED, PENDING_DELETION], pms: cancelled }
      rejected:   { platform: REJECTED,                      pms: cancelled }
      checked_in: { platform: CONFIRMED,                     pms: checked_in }
      completed:  { platform: COMPLETED,                     pms: checked_out }
      no_show:    { platform: CANCELLED,                     pms: no_show }
    platform_may: [pending, confirmed, cancelled]
`

// newHouse starts a platform and an empty PMS with the usual configuration.
func newHouse(t testing.TB, o simulator.Options) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir(), sim: simulator.New(o)}
	srv := httptest.NewServer(h.sim)
	t.Cleanup(srv.Close)
	h.url = srv.URL
	pms := filepath.Join(h.dir, "pms.db")
	var err error
	if h.db, err = sql.Open("sqlite3", "file:"+pms+"?_busy_timeout=5000&_foreign_keys=1"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.db.Close() })
	h.exec(pmsSchema)
	key := filepath.Join(h.dir, "platform.key")
	h.write(key, simulator.DefaultKey)
	h.config = fmt.Sprintf(configText, "1ms", h.url, key, pms)
	return h
}

func (h *house) write(path, text string) {
	h.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) exec(query string, args ...any) int64 {
	h.t.Helper()
	res, err := h.db.Exec(query, args...)
	if err != nil {
		h.t.Fatalf("%s: %v", query, err)
	}
	id, err := res.LastInsertId()
	if err != nil {
		h.t.Fatal(err)
	}
	return id
}

// one is a single value of the PMS as text.
func (h *house) one(query string, args ...any) string {
	h.t.Helper()
	var v sql.NullString
	if err := h.db.QueryRow(query, args...).Scan(&v); err != nil {
		h.t.Fatalf("%s: %v", query, err)
	}
	return v.String
}

// edit changes the configuration's text; what is replaced must be there.
func (h *house) edit(old, now string) {
	h.t.Helper()
	if !strings.Contains(h.config, old) {
		h.t.Fatalf("the configuration has no %q", old)
	}
	h.config = strings.Replace(h.config, old, now, 1)
}

// open opens the program on the house's configuration.
func (h *house) open() *app.App {
	h.t.Helper()
	a, err := h.tryOpen()
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

func (h *house) tryOpen() (*app.App, error) {
	path := filepath.Join(h.dir, "nightporter.yaml")
	h.write(path, h.config)
	cfg, err := config.Load(path, nil)
	if err != nil {
		return nil, err
	}
	var log *slog.Logger
	if testing.Verbose() {
		log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	a, err := app.Open(context.Background(), cfg, app.Options{Jobs: true, State: h.stateFile(), Step: h.step, Log: log})
	if err == nil {
		h.durable = a.Store.DurableLog
	}
	return a, err
}

// sync opens, runs all jobs once with a yes, and closes.
func (h *house) sync() []engine.Report {
	h.t.Helper()
	return h.syncWith(engine.Options{Yes: true})
}

func (h *house) syncWith(o engine.Options) []engine.Report {
	h.t.Helper()
	reports, err := h.trySync(o)
	if err != nil {
		for _, r := range reports {
			for _, halt := range r.Halts {
				h.t.Logf("%s, %s: %s", r.Binding, halt.Cause, halt.Why)
			}
			h.t.Logf("%s: %v", r.Binding, r.Counts)
		}
		h.t.Fatalf("sync: %v", err)
	}
	return reports
}

func (h *house) trySync(o engine.Options) ([]engine.Report, error) {
	a, err := h.tryOpen()
	if err != nil {
		return nil, err
	}
	defer a.Close()
	return a.Sync(context.Background(), nil, o)
}

// writes is how many changes runs made, by side.
func writes(reports []engine.Report) (left, right int64) {
	for _, r := range reports {
		for _, what := range []string{"created", "updated", "deleted"} {
			left += r.Counts["left."+what]
			right += r.Counts["right."+what]
		}
	}
	return left, right
}

// total is one count over all reports of a binding.
func total(reports []engine.Report, b record.Binding, name string) int64 {
	n := int64(0)
	for _, r := range reports {
		if r.Binding == b {
			n += r.Counts[name]
		}
	}
	return n
}

// quiet fails the test unless a further run writes nothing.
func (h *house) quiet() {
	h.t.Helper()
	before := h.sim.Counts().Mutating
	reports := h.sync()
	if l, r := writes(reports); l+r > 0 || h.sim.Counts().Mutating != before {
		for _, rep := range reports {
			for _, a := range rep.Actions {
				h.t.Logf("%s: %s %s %v before %v: %s", rep.Binding, a.Change.Op, a.Change.Ref, a.Change.Fields, a.Change.Before, a.Reason)
			}
		}
		h.t.Fatalf("a further run wrote %d to the platform and %d to the PMS, want none", l, r)
	}
}

// today is one day for all tests, also when midnight comes between them.
var today = sync.OnceValue(func() time.Time {
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		panic(err)
	}
	return time.Now().In(rome)
})

// day is the civil day n days from today in Rome.
func day(n int) string { return today().AddDate(0, 0, n).Format(time.DateOnly) }

func (h *house) stateFile() string { return filepath.Join(h.dir, fmt.Sprintf("state-%d.db", h.lives)) }
