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
	"testing"
	"time"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/simulator"
	"nightporter/sync/engine"
)

// badCase is one thing that goes wrong while both systems have news.
type badCase struct {
	name  string
	sim   simulator.Options
	setUp func(h *house) // before anything is there
	given func(h *house) // what is there beside a contact and a guest
	fault func(h *house)
	lift  func(h *house)
	// fails says that the run ends with an error. Otherwise it goes on, and all
	// other records are in step after it.
	fails bool
	hides int      // how many records the fault itself hides
	says  []string // what must be said: the thing, the cause, the next step
	after func(h *house)
}

// badHouse is a house in step: a contact and a guest that both sides know.
func badHouse(t *testing.T, c badCase) *house {
	h := newHouse(t, c.sim)
	if c.setUp != nil {
		c.setUp(h)
	}
	badContact(h)
	badGuest(h)
	if c.given != nil {
		c.given(h)
	}
	badSettle(h)
	return h
}

func badContact(h *house) {
	h.sim.Put("contacts", map[string]any{"first_name": "Anna", "last_name": "Rossi", "phone_number": "+390550000001", "email": "anna@example.com"})
}

func badGuest(h *house) {
	h.exec(`INSERT INTO guests (first_name, last_name, phone, email, country) VALUES ('Bruno', 'Bianchi', '055 0000002', 'bruno@example.com', 'IT')`)
}

// badStay is a stay of the guest.
func badStay(h *house) int64 {
	return h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (1, ?, ?)`, day(7), day(9))
}

// badSettle runs until nothing is left to do.
func badSettle(h *house) {
	h.t.Helper()
	for range 6 {
		reports := h.sync()
		l, r := writes(reports)
		if l+r == 0 {
			return
		}
	}
	h.t.Fatal("six runs were not enough to come to rest")
}

// badNews is new and changed records on both sides.
func badNews(h *house) {
	h.sim.Put("contacts", map[string]any{"first_name": "Dora", "last_name": "Costa", "phone_number": "+390550000011"})
	h.sim.Put("contacts", map[string]any{"first_name": "Fabio", "last_name": "Greco", "phone_number": "+390550000013"})
	h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Elio', 'Fontana', '055 0000012', 'IT')`)
	h.exec(`UPDATE guests SET last_name = 'Neri' WHERE first_name = 'Bruno'`)
}

// badMissing is the news that did not arrive.
func badMissing(h *house) []string {
	var missing []string
	for _, name := range []string{"Dora", "Fabio"} {
		if h.one(`SELECT count(*) FROM guests WHERE first_name = ?`, name) != "1" {
			missing = append(missing, name+" in the PMS")
		}
	}
	elio, neri := 0, 0
	for _, r := range h.sim.All("contacts") {
		if r["first_name"] == "Elio" {
			elio++
		}
		if r["last_name"] == "Neri" {
			neri++
		}
	}
	if elio != 1 {
		missing = append(missing, "Elio on the platform")
	}
	if neri != 1 {
		missing = append(missing, "Bruno's new name on the platform")
	}
	return missing
}

// badWords is all that a run said.
func badWords(reports []engine.Report, err error) string {
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	}
	for _, r := range reports {
		fmt.Fprintf(&b, "%s: %s %v\n", r.Binding, r.Outcome, r.Counts)
		for _, n := range r.Notes {
			fmt.Fprintf(&b, "  note: %s %s %s: %s\n", n.Side, n.Ref, n.State, n.Why)
		}
		for _, a := range r.Alerts {
			fmt.Fprintf(&b, "  alert: %s: %s\n", a.Kind, a.Text)
		}
		for _, x := range r.Halts {
			fmt.Fprintf(&b, "  halt: %s: %s\n", x.Cause, x.Why)
		}
	}
	return b.String()
}

func (c badCase) run(t *testing.T) {
	h := badHouse(t, c)
	badNews(h)
	c.fault(h)
	reports, err := h.trySync(engine.Options{Yes: true})
	said := badWords(reports, err)
	for _, want := range c.says {
		if !strings.Contains(said, want) {
			t.Errorf("nothing says %q in:\n%s", want, said)
		}
	}
	if (err != nil) != c.fails {
		t.Errorf("got error %v, want one: %v", err, c.fails)
	}
	if missing := badMissing(h); err == nil && len(missing) > c.hides {
		t.Errorf("one bad thing kept back: %s\n%s", strings.Join(missing, ", "), said)
	}
	if len(said) > 20_000 {
		t.Errorf("what is said has %d bytes", len(said))
	}
	if c.lift != nil {
		c.lift(h)
	}
	badSettle(h)
	if missing := badMissing(h); len(missing) > 0 {
		t.Errorf("after it was mended: %s missing", strings.Join(missing, ", "))
	}
	if c.after != nil {
		c.after(h)
	}
	h.quiet()
	if g, c := h.one(`SELECT count(*) FROM guests`), h.sim.Len("contacts"); g != fmt.Sprint(c) {
		t.Errorf("%s guests and %d contacts, want as many", g, c)
	}
}

func badFault(f simulator.Fault) func(h *house) { return func(h *house) { h.sim.AddFault(f) } }

func badLift(h *house) { h.sim.ClearFaults() }

// badAddress replaces the platform's address for a while.
func badAddress(address string) (fault, lift func(h *house)) {
	swap := func(h *house, from, to string) {
		h.config = strings.Replace(h.config, "base_url: "+from, "base_url: "+to, 1)
	}
	return func(h *house) { swap(h, h.url, address) }, func(h *house) { swap(h, address, h.url) }
}

func TestF18_BadAnswers(t *testing.T) {
	noName, noNameLift := badAddress("http://no-such-host.invalid")
	refused, refusedLift := badAddress("http://127.0.0.1:1")
	list := func(k simulator.FaultKind) func(h *house) {
		return badFault(simulator.Fault{Kind: k, Method: "GET", Path: "/contacts"})
	}
	for _, c := range []badCase{
		{
			name:  "a key that is not known",
			fault: func(h *house) { h.sim.SetKeys(map[string]simulator.Key{"other": {}}) },
			lift:  func(h *house) { h.sim.SetKeys(map[string]simulator.Key{simulator.DefaultKey: {}}) },
			fails: true, says: []string{"contacts of platform", "HTTP 401", "the system does not know the key"},
		},
		{
			name: "a name that does not resolve", fault: noName, lift: noNameLift,
			fails: true, says: []string{"contacts of platform", "no-such-host.invalid", "base_url"},
		},
		{
			name: "nobody listens", fault: refused, lift: refusedLift,
			fails: true, says: []string{"contacts of platform", "connection refused", "base_url"},
		},
		{
			name: "a certificate of nobody",
			fault: func(h *house) {
				srv := httptest.NewTLSServer(h.sim)
				srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
				h.t.Cleanup(srv.Close)
				h.config = strings.Replace(h.config, h.url, srv.URL, 1)
			},
			lift: func(h *house) {
				at := strings.Index(h.config, "base_url: ") + len("base_url: ")
				end := at + strings.IndexByte(h.config[at:], '\n')
				h.config = h.config[:at] + h.url + h.config[end:]
			},
			fails: true, says: []string{"contacts of platform", "certificate"},
		},
		{
			name: "a web page for JSON", fault: list(simulator.FaultHTML), lift: badLift,
			fails: true, says: []string{"contacts of platform", "looks like a web page", "base_url"},
		},
		{
			name: "half a JSON", fault: list(simulator.FaultTruncated), lift: badLift,
			fails: true, says: []string{"contacts of platform", "JSON"},
		},
		{
			name: "an envelope without its list", fault: list(simulator.FaultNoList), lift: badLift,
			fails: true, says: []string{"contacts of platform", "list.items"},
		},
		{
			name: "an error of the server", fault: badFault(simulator.Fault{Kind: simulator.FaultStatus, Status: 500, Path: "/contacts"}), lift: badLift,
			fails: true, says: []string{"contacts of platform", "HTTP 500"},
		},
		{
			name: "a page that repeats", fault: list(simulator.FaultOffsetIgnored), lift: badLift,
			setUp: func(h *house) { h.edit("    preset: platform\n", "    preset: platform\n    page_size: 2\n") },
			fails: true, says: []string{"contacts of platform", "OFFSET", "list.paging"},
		},
		{
			name: "a record without an id", fault: list(simulator.FaultIDMissing), lift: badLift,
			says: []string{"left contacts list incomplete", "without an id"}, hides: 1,
		},
		{
			name: "a record twice in a list", fault: list(simulator.FaultItemTwice), lift: badLift,
			says: []string{"left contacts list incomplete", "listed twice"}, hides: 1,
		},
		{
			name: "a list that hides a field", lift: badLift,
			fault: badFault(simulator.Fault{Kind: simulator.FaultFieldsLeftOut, Path: "/contacts", Fields: []string{"email"}}),
			after: func(h *house) {
				if got := h.one(`SELECT email FROM guests WHERE first_name = 'Anna'`); got != "anna@example.com" {
					h.t.Errorf("what was not shown was cleared: %q", got)
				}
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

// A key that may only read: the other direction goes on, and somebody is told.
func TestBadKeyThatMayOnlyRead(t *testing.T) {
	h := badHouse(t, badCase{})
	badNews(h)
	h.sim.SetKeys(map[string]simulator.Key{simulator.DefaultKey: {ReadOnly: true}})
	reports := h.sync()
	said := badWords(reports, nil)
	for _, want := range []string{"alert: read_only: platform does not allow writing", "HTTP 403", "look at its rights"} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing says %q in:\n%s", want, said)
		}
	}
	if n := strings.Count(said, "read_only"); n != 1 {
		t.Errorf("it is told %d times, want once:\n%s", n, said)
	}
	if got, want := strings.Join(badMissing(h), ", "), "Elio on the platform, Bruno's new name on the platform"; got != want {
		t.Errorf("missing: got %s, want %s", got, want)
	}
	h.sim.SetKeys(map[string]simulator.Key{simulator.DefaultKey: {}})
	badSettle(h)
	if missing := badMissing(h); len(missing) > 0 {
		t.Errorf("once it may write again: %s missing", strings.Join(missing, ", "))
	}
	h.quiet()
}

func TestBadRecords(t *testing.T) {
	huge := strings.Repeat("x", 10<<20)
	edit := func(fields map[string]any) func(h *house) {
		return func(h *house) {
			for _, r := range h.sim.All("contacts") {
				if r["last_name"] == "Rossi" || r["first_name"] == "Anna" {
					h.sim.Edit("contacts", r["id"].(string), fields)
				}
			}
		}
	}
	exec := func(query string, args ...any) func(h *house) {
		return func(h *house) { h.exec(query, args...) }
	}
	pms := func(column, want string) func(h *house) {
		return func(h *house) {
			if got := h.one(`SELECT ` + column + ` FROM guests WHERE last_name = 'Rossi'`); got != want {
				h.t.Errorf("%s in the PMS: got %.40q, want %q", column, got, want)
			}
		}
	}
	platform := func(field, want string) func(h *house) {
		return func(h *house) {
			for _, r := range h.sim.All("contacts") {
				if r["last_name"] == "Neri" && r[field] != want {
					h.t.Errorf("%s on the platform: got %.40q, want %q", field, r[field], want)
				}
			}
		}
	}
	for _, c := range []badCase{
		{
			name:  "a phone that is not one, in a guest both know",
			fault: exec(`UPDATE guests SET phone = 'ask at the desk' WHERE first_name = 'Bruno'`),
			says:  []string{"right guests:1 quarantined: its phone can't be read: "},
			lift:  exec(`UPDATE guests SET phone = '055 0000099' WHERE first_name = 'Bruno'`),
			after: platform("phone_number", "+390550000099"),
		},
		{
			name:  "a phone that is not one, in a new guest",
			fault: exec(`INSERT INTO guests (first_name, last_name, phone) VALUES ('Gino', 'Serra', 'room 12')`),
			says:  []string{"right guests:4 quarantined: its phone can't be read: ", "right guests:4 left_out: it shows nothing that it could be recognised by: phone, email"},
			lift:  exec(`UPDATE guests SET phone = '055 0000098', country = 'IT' WHERE first_name = 'Gino'`),
		},
		{
			name:  "an e-mail that is not one",
			fault: edit(map[string]any{"email": "anna at example"}),
			says:  []string{"left contacts:", "quarantined: its email can't be read: "},
			lift:  edit(map[string]any{"email": "anna.rossi@example.com"}),
			after: pms("email", "anna.rossi@example.com"),
		},
		{
			name:  "ten megabytes in a field of the platform",
			fault: edit(map[string]any{"first_name": huge}),
			says:  []string{"left contacts:", "quarantined", "larger than"},
			lift:  edit(map[string]any{"first_name": "Annamaria"}),
			after: pms("first_name", "Annamaria"),
		},
		{
			name:  "ten megabytes in a column of the PMS",
			fault: exec(`UPDATE guests SET first_name = ? WHERE first_name = 'Bruno'`, huge),
			says:  []string{"right guests:1 quarantined", "10485760 bytes"}, hides: 1, // its other news
			lift:  exec(`UPDATE guests SET first_name = 'Brunello' WHERE last_name = 'Neri'`),
			after: platform("first_name", "Brunello"),
		},
		{
			name:  "NUL bytes in the PMS",
			fault: exec(`UPDATE guests SET first_name = 'Bru' || char(0) || 'no' WHERE first_name = 'Bruno'`),
			lift:  exec(`UPDATE guests SET first_name = 'Brunello' WHERE last_name = 'Neri'`),
			after: platform("first_name", "Brunello"),
		},
		{
			name:  "NUL bytes on the platform",
			fault: edit(map[string]any{"first_name": "An\x00na"}),
			lift:  edit(map[string]any{"first_name": "Annamaria"}),
			after: pms("first_name", "Annamaria"),
		},
		{
			name:  "bytes that are no UTF-8",
			fault: exec(`UPDATE guests SET first_name = CAST(X'42FF72E9' AS TEXT) WHERE first_name = 'Bruno'`),
			lift:  exec(`UPDATE guests SET first_name = 'Brunello' WHERE last_name = 'Neri'`),
			after: platform("first_name", "Brunello"),
		},
		{
			name: "a day that is not one, in a booking",
			fault: func(h *house) {
				h.sim.Put("reservations", map[string]any{
					"client_full_name": "Anna Rossi", "client_phone_number": "+390550000001",
					"starting_date": day(3), "ending_date": "next Tuesday", "status": "CONFIRMED",
				})
				h.sim.Put("reservations", map[string]any{
					"client_full_name": "Bruno Neri", "client_phone_number": "+390550000002",
					"starting_date": day(8), "ending_date": day(9), "status": "CONFIRMED",
				})
			},
			says: []string{"left reservations:", "quarantined: its departure can't be read: "},
			lift: func(h *house) {
				if got := h.one(`SELECT count(*) FROM reservations`); got != "1" {
					h.t.Errorf("stays in the PMS beside the bad one: got %s, want 1", got)
				}
				for _, r := range h.sim.All("reservations") {
					if r["ending_date"] == "next Tuesday" {
						h.sim.Edit("reservations", r["id"].(string), map[string]any{"ending_date": day(5)})
					}
				}
			},
			after: func(h *house) {
				if got := h.one(`SELECT count(*) FROM reservations`); got != "2" {
					h.t.Errorf("stays in the PMS: got %s, want 2", got)
				}
			},
		},
		{
			name:  "a day that is not one, in a stay both know",
			given: func(h *house) { badStay(h) },
			fault: exec(`UPDATE reservations SET departure = 'soon'`),
			says:  []string{"right reservations:1 quarantined: its departure can't be read: "},
			lift:  exec(`UPDATE reservations SET departure = date(arrival, '+6 day')`),
			after: func(h *house) {
				for _, r := range h.sim.All("reservations") {
					from, to := r["starting_date"].(string), r["ending_date"].(string)
					first, err := time.Parse(time.DateOnly, from)
					if err != nil || first.AddDate(0, 0, 6).Format(time.DateOnly) != to {
						h.t.Errorf("on the platform: %s to %s, want six nights", from, to)
					}
				}
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

// A file of a newer format may be read and not written: SQLite itself says so,
// whoever asks.
func badReadOnlyFile(h *house, yes bool) {
	h.t.Helper()
	path := filepath.Join(h.dir, "pms.db")
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	defer f.Close()
	version := byte(1)
	if yes {
		version = 3
	}
	if _, err := f.WriteAt([]byte{version}, 18); err != nil {
		h.t.Fatal(err)
	}
}

func TestBadReadOnlyPMS(t *testing.T) {
	h := badHouse(t, badCase{})
	badNews(h)
	if err := h.db.Close(); err != nil {
		t.Fatal(err)
	}
	badReadOnlyFile(h, true)
	reports, err := h.trySync(engine.Options{Yes: true})
	said := badWords(reports, err)
	for _, want := range []string{"alert: read_only: pms does not allow writing", "must be writable"} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing says %q in:\n%s", want, said)
		}
	}
	if err != nil {
		t.Errorf("got error %v: the other direction goes on", err)
	}
	badReadOnlyFile(h, false)
	if h.db, err = sql.Open("sqlite3", "file:"+filepath.Join(h.dir, "pms.db")+"?_busy_timeout=5000&_foreign_keys=1"); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(badMissing(h), ", "), "Dora in the PMS, Fabio in the PMS"; got != want {
		t.Errorf("missing: got %s, want %s", got, want)
	}
	badSettle(h)
	if missing := badMissing(h); len(missing) > 0 {
		t.Errorf("once it can be written again: %s missing", strings.Join(missing, ", "))
	}
	h.quiet()
}

// badState runs SQL on the closed state file.
func badState(h *house, query string) {
	h.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+h.stateFile())
	if err != nil {
		h.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(h.t.Context(), query); err != nil {
		h.t.Fatalf("%s: %v", query, err)
	}
}

func TestBadState(t *testing.T) {
	tests := []struct {
		name  string
		fault func(h *house) (lift func())
		says  []string
	}{
		{
			"of a newer version", func(h *house) func() {
				badState(h, `INSERT INTO schema_version (version_id, is_applied) VALUES (9999, 1)`)
				return func() { badState(h, `DELETE FROM schema_version WHERE version_id = 9999`) }
			},
			[]string{"newer version", "install that version"},
		},
		{
			"damaged", func(h *house) func() {
				whole, err := os.ReadFile(h.stateFile())
				if err != nil {
					h.t.Fatal(err)
				}
				bad := []byte(string(whole))
				for i := len(bad) / 3; i < len(bad)/3*2; i++ {
					bad[i] = 0xee
				}
				h.write(h.stateFile(), string(bad))
				return func() { h.write(h.stateFile(), string(whole)) }
			},
			[]string{"damaged", "nightporter restore --force"},
		},
		{
			"something else", func(h *house) func() {
				whole, err := os.ReadFile(h.stateFile())
				if err != nil {
					h.t.Fatal(err)
				}
				h.write(h.stateFile(), strings.Repeat("buy milk\n", 1000))
				return func() { h.write(h.stateFile(), string(whole)) }
			},
			[]string{"not a nightporter state file", "choose another path"},
		},
		{
			"in use", func(h *house) func() {
				a := h.open()
				return func() {
					if err := a.Close(); err != nil {
						h.t.Error(err)
					}
				}
			},
			[]string{"in use by another nightporter", "held by process"},
		},
		{
			"read-only", func(h *house) func() {
				f := func(version byte) {
					file, err := os.OpenFile(h.stateFile(), os.O_RDWR, 0)
					if err != nil {
						h.t.Fatal(err)
					}
					defer file.Close()
					if _, err := file.WriteAt([]byte{version}, 18); err != nil {
						h.t.Fatal(err)
					}
				}
				f(3)
				return func() { f(2) }
			},
			[]string{"can't be written", "permissions"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := badHouse(t, badCase{})
			badNews(h)
			lift := tt.fault(h)
			before := h.sim.Counts().Mutating
			_, err := h.trySync(engine.Options{Yes: true})
			if err == nil {
				t.Fatal("got no error")
			}
			for _, want := range append(tt.says, h.stateFile()) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("nothing says %q in: %v", want, err)
				}
			}
			if h.sim.Counts().Mutating != before {
				t.Error("something was written without a state file")
			}
			lift()
			badSettle(h)
			if missing := badMissing(h); len(missing) > 0 {
				t.Errorf("after it was mended: %s missing", strings.Join(missing, ", "))
			}
			h.quiet()
		})
	}
}

// The disk is full in the middle of a run: it stops at once, says so, and nothing
// that was sent is sent again.
func TestBadDiskFull(t *testing.T) {
	for _, room := range []int{0, 1, 2, 4, 8} {
		t.Run(fmt.Sprint(room), func(t *testing.T) {
			h := badHouse(t, badCase{})
			badNews(h)
			for i := range 40 {
				h.sim.Put("contacts", map[string]any{"first_name": fmt.Sprint("Guest", i), "last_name": strings.Repeat("x", 300), "phone_number": fmt.Sprintf("+3905500002%02d", i)})
			}
			path := filepath.Join(h.dir, "nightporter.yaml")
			h.write(path, h.config)
			cfg, err := config.Load(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			a, err := app.Open(t.Context(), cfg, app.Options{Jobs: true, State: h.stateFile()})
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Store.LimitGrowth(t.Context(), room); err != nil {
				t.Fatal(err)
			}
			_, err = a.Sync(context.Background(), nil, engine.Options{Yes: true})
			if err == nil || !strings.Contains(err.Error(), "the disk is full: free some space") {
				t.Errorf("got %v, want that the disk is full", err)
			}
			if err := a.Close(); err != nil {
				t.Error(err)
			}
			badSettle(h)
			if missing := badMissing(h); len(missing) > 0 {
				t.Errorf("once there is space: %s missing", strings.Join(missing, ", "))
			}
			h.quiet()
			if g, c := h.one(`SELECT count(*) FROM guests`), h.sim.Len("contacts"); g != "45" || c != 45 {
				t.Errorf("%s guests and %d contacts, want 45 each", g, c)
			}
		})
	}
}

// The clock was wrong, and everything that is known was written in its future.
func TestBadClockSetBack(t *testing.T) {
	h := badHouse(t, badCase{})
	stay := badStay(h)
	badSettle(h)
	const year = 365 * 24 * 60 * 60 * 1000
	for _, c := range []string{
		"entry.acked", "entry.settle_until", "entry.recheck", "entry.since", "scan.started", "scan.ended", "run.started", "run.ended",
		"intent.made", "intent.sent_at", "intent.ended_at", "link.made", "wait.since", "alert.at", "quarantine.since", "quarantine.at",
	} {
		table, column, _ := strings.Cut(c, ".")
		badState(h, fmt.Sprintf(`UPDATE %s SET %s = %s + %d`, table, column, column, year))
	}
	badNews(h)
	h.exec(`UPDATE reservations SET departure = date(departure, '+1 day') WHERE id = ?`, stay)
	h.exec(`UPDATE guests SET last_name = 'Russo' WHERE first_name = 'Anna'`) // a record that we wrote
	badSettle(h)
	if missing := badMissing(h); len(missing) > 0 {
		t.Errorf("after the clock was set back: %s missing", strings.Join(missing, ", "))
	}
	if got := h.sim.All("reservations")[0]["ending_date"]; got != day(10) {
		t.Errorf("the stay on the platform ends on %v, want %s", got, day(10))
	}
	anna := func() (id string, name any) {
		for _, r := range h.sim.All("contacts") {
			if r["first_name"] == "Anna" {
				return r["id"].(string), r["last_name"]
			}
		}
		return "", nil
	}
	id, name := anna()
	if name != "Russo" {
		t.Errorf("Anna on the platform is %v, want Russo", name)
	}
	// An edit that goes back to what our last write replaced counts as well.
	h.sim.Edit("contacts", id, map[string]any{"last_name": "Rossi"})
	badSettle(h)
	if got := h.one(`SELECT last_name FROM guests WHERE first_name = 'Anna'`); got != "Rossi" {
		t.Errorf("Anna in the PMS is %s, want Rossi", got)
	}
	h.quiet()
}
