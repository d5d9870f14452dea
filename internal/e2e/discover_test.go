package e2e

import (
	"database/sql"
	"flag"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/simulator"
	"nightporter/sync/engine"
)

var update = flag.Bool("update", false, "write docs/discover-dialects.md anew")

// foundSchema is a PMS that nobody has described: Italian names, numbers as they are dialled
// at home, a second phone that is an agency's, and tables that nobody needs.
const foundSchema = `
CREATE TABLE camere (id INTEGER PRIMARY KEY, nome TEXT NOT NULL, piano INTEGER);
CREATE TABLE clienti (
	id INTEGER PRIMARY KEY AUTOINCREMENT, agenzia_telefono TEXT, cognome TEXT NOT NULL, nome TEXT NOT NULL, telefono TEXT,
	email TEXT, nato_il TEXT, note TEXT, ultima_modifica TEXT);
CREATE TABLE prenotazioni (
	numero INTEGER PRIMARY KEY AUTOINCREMENT, prenotato_il TEXT, cliente INTEGER NOT NULL REFERENCES clienti, arrivo TEXT NOT NULL,
	partenza TEXT NOT NULL, stato TEXT NOT NULL, camera INTEGER REFERENCES camere, note TEXT);
`

// foundConfig is all that is known of both before anybody has looked.
const foundConfig = `time_zone: Europe/Rome
settle: 1ms
systems:
  platform:
    preset: platform
    base_url: %s
    key: file:%s # the assistant's
`

// found is a house of which only the two addresses are known, with guests and stays of
// which it is known which are the same.
type found struct {
	*house
	want map[string]map[string]string // job -> id on the platform -> id in the PMS

	guestIn func(n int, given, family, digits, mail string) int64    // puts a guest into the PMS
	stayIn  func(n int, guest int64, first, last, word string) int64 // and a stay
	examine func()                                                   // has doctor look at the PMS; nil: it is none that doctor knows
	held    func() []string                                          // what the PMS holds, but for mail addresses
}

func newFound(t *testing.T, traits simulator.Traits) *found {
	t.Helper()
	traits.Quotas = nil // how long a house waits is told elsewhere
	f := &found{
		house: &house{t: t, dir: t.TempDir(), sim: simulator.New(simulator.Options{Traits: &traits})},
		want:  map[string]map[string]string{"contacts": {}, "reservations": {}},
	}
	srv := httptest.NewServer(f.sim)
	t.Cleanup(srv.Close)
	f.url = srv.URL
	key := filepath.Join(f.dir, "platform.key")
	f.write(key, simulator.DefaultKey)
	f.config = fmt.Sprintf(foundConfig, f.url, key)
	return f
}

// sqlite adds a PMS in a file.
func (f *found) sqlite() {
	f.t.Helper()
	pms := filepath.Join(f.dir, "pms.db")
	var err error
	if f.db, err = sql.Open("sqlite3", "file:"+pms+"?_busy_timeout=5000&_foreign_keys=1"); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { f.db.Close() })
	f.exec(foundSchema)
	f.exec(`INSERT INTO camere (nome, piano) VALUES ('Rosa', 1), ('Giglio', 1), ('Viola', 2)`)
	f.config += "  pms:\n    type: sqlite\n    address: " + pms + "\n"
	f.guestIn = func(n int, given, family, digits, mail string) int64 {
		return f.exec(`INSERT INTO clienti (agenzia_telefono, cognome, nome, telefono, email, nato_il, note, ultima_modifica)
			VALUES (?, ?, ?, ?, ?, ?, ?, '2026-01-05 10:00:00')`, fmt.Sprintf("+39055777%03d", n%4), family, given,
			digits[:4]+" "+digits[4:], mail, fmt.Sprintf("19%02d-0%d-1%d", 50+n, 1+n%9, n%10), fmt.Sprint("cuscino ", n))
	}
	f.stayIn = func(n int, guest int64, first, last, word string) int64 {
		return f.exec(`INSERT INTO prenotazioni (prenotato_il, cliente, arrivo, partenza, stato, camera, note) VALUES (?, ?, ?, ?, ?, ?, '')`,
			day(-30-n%9), guest, first, last, map[string]string{"CONFIRMED": "confermata", "CANCELLED": "annullata", "PENDING": "opzione"}[word], 1+n%3)
	}
	f.held = func() []string {
		return []string{
			f.one(`SELECT group_concat(agenzia_telefono || cognome || nome || telefono || nato_il || note) FROM clienti`),
			f.one(`SELECT group_concat(cliente || arrivo || partenza || stato || camera || note || prenotato_il) FROM prenotazioni`),
		}
	}
}

// lived puts guests and stays in: 30 guests on both sides, some with two stays, 6 on one
// side alone, and an agency whose number stands with many.
func (f *found) lived() {
	f.t.Helper()
	for n := range 42 {
		given, family := fmt.Sprint("Nome", string(rune('a'+n%26)), n%5), fmt.Sprint("Cognome", string(rune('a'+n*7%26)), n%11)
		digits := fmt.Sprintf("0550%06d", 1000+n*137)
		mail := fmt.Sprintf("ospite%d@example.com", n)
		left, right := "", int64(0)
		if n < 36 {
			contact := map[string]any{"first_name": given, "last_name": family, "phone_number": "+39" + digits}
			if n%3 > 0 {
				contact["email"] = mail
			}
			left = f.sim.Put("contacts", contact)
		}
		if n >= 6 {
			right = f.guestIn(n, given, family, digits, mail)
		}
		if left != "" && right > 0 {
			f.want["contacts"][left] = fmt.Sprint(right)
		}
		for i := range 1 + n%2 {
			f.stayed(n, i, left, right, given+" "+family, "+39"+digits)
		}
	}
}

// stayed puts a stay in, on the sides that know its guest.
func (f *found) stayed(n, i int, left string, right int64, name, phone string) {
	f.t.Helper()
	first, last := n/2+i*40, n/2+i*40+1+n%4
	word := []string{"CONFIRMED", "CONFIRMED", "CANCELLED", "PENDING"}[n%4]
	stay, number := "", int64(0)
	if left != "" {
		stay = f.sim.Put("reservations", map[string]any{
			"client_full_name": name, "client_phone_number": phone, "status": word, "starting_date": day(first), "ending_date": day(last),
		})
	}
	if right > 0 && f.stayIn != nil {
		number = f.stayIn(n, right, day(first), day(last), word)
	}
	if stay != "" && number > 0 {
		f.want["reservations"][stay] = fmt.Sprint(number)
	}
}

// discovered asks doctor and then discover, and takes what they propose as the
// configuration.
func (f *found) discovered() app.Discovery {
	f.t.Helper()
	path := filepath.Join(f.dir, "nightporter.yaml")
	load := func() *config.Config {
		f.t.Helper()
		f.write(path, f.config)
		cfg, err := config.LoadSystems(path, nil)
		if err != nil {
			f.t.Fatal(err)
		}
		return cfg
	}
	r, err := app.Doctor(f.t.Context(), load(), "platform", app.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	if r.Override != "" {
		f.edit("    base_url:", "    "+strings.ReplaceAll(strings.TrimSpace(r.Override), "\n", "\n    ")+"\n    base_url:")
	}
	if f.examine != nil {
		f.examine()
	}
	f.sim.ResetCounts()
	d, err := app.Discover(f.t.Context(), load(), "platform", "pms", app.Options{}, func(string) {})
	if err != nil {
		f.t.Fatal(err)
	}
	if len(d.Wrong) > 0 {
		f.t.Fatalf("what is proposed can't be used: %v\n%s", d.Wrong, d.Config)
	}
	f.config = d.Config
	f.write(path, f.config)
	return d
}

// links is the pairs of a job, as the state file has them.
func (f *found) links(job string) map[string]string {
	f.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+f.stateFile()+"?mode=ro")
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT l.id, r.id FROM entry l JOIN entry r ON r.link = l.link AND r.side = 1 WHERE l.side = 0 AND l.binding = ?`, job)
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var l, r string
		if err := rows.Scan(&l, &r); err != nil {
			f.t.Fatal(err)
		}
		out[l] = r
	}
	if err := rows.Err(); err != nil {
		f.t.Fatal(err)
	}
	return out
}

// linked runs the first sync of what was proposed, and compares the links of a job with
// the pairs that are known.
func (f *found) linked() map[string][2]int {
	f.t.Helper()
	f.checked()
	before := f.shown()
	f.syncWith(engine.Options{Yes: true})
	out := map[string][2]int{}
	for job, want := range f.want {
		got, right, wrong := f.links(job), 0, 0
		for l, r := range got {
			if want[l] == r {
				right++
			} else {
				wrong++
			}
		}
		if right != len(want) || wrong > 0 {
			f.t.Errorf("%s: %d of %d known pairs are linked, and %d that are none\n%s", job, right, len(want), wrong, f.config)
		}
		out[job] = [2]int{right, wrong}
	}
	if diff := cmp.Diff(before, f.shown()); diff != "" {
		f.t.Errorf("more was written than addresses into empty fields (-before +after):\n%s", diff)
	}
	return out
}

// shown is what the platform and the PMS hold, but for mail addresses: those are known to
// be the same, and one that is missing is filled in.
func (f *found) shown() []string {
	f.t.Helper()
	var out []string
	for _, kind := range []string{"contacts", "reservations"} {
		for _, r := range f.sim.All(kind) {
			delete(r, "email")
			out = append(out, fmt.Sprint(r))
		}
	}
	return append(out, f.held()...)
}

// checked fails unless check finds nothing wrong, with the systems asked.
func (f *found) checked() {
	f.t.Helper()
	cfg, err := config.Load(filepath.Join(f.dir, "nightporter.yaml"), nil)
	if err != nil {
		f.t.Fatalf("%v\n%s", err, f.config)
	}
	online, err := app.CheckOnline(f.t.Context(), cfg, app.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, w := range slices.Concat(app.CheckFile(cfg), online.Findings) {
		if w.Wrong {
			f.t.Errorf("check: %s: %s\n%s", w.Where, w.Text, f.config)
		}
	}
}

const foundHead = `# What discover makes of the simulator's dialects

Written by ` + "`go test ./internal/e2e -run TestDiscoverDialects -update`" + `; the test fails where it is not up to date, where a
known pair is not linked by the first sync, and where one is that is none. The other side is a hotel's
database in SQLite that nobody has described, with Italian names, numbers without their country, a second phone
that is an agency's, and dates that are none of the stay's. Its tables, and how the API is read, are found out
by ` + "`doctor`" + ` and ` + "`discover`" + ` alone.

| dialect | requests | people linked | bookings linked | wrong pairs | lines known | likely | left to the user |
|---|---|---|---|---|---|---|---|
`

// Whatever the API is like: what doctor and discover propose passes check, and the first
// sync links what is known to be the same, and nothing else.
func TestDiscoverDialects(t *testing.T) {
	rows := map[simulator.Dialect]string{}
	for _, name := range simulator.Dialects() {
		t.Run(string(name), func(t *testing.T) {
			traits, _ := simulator.TraitsOf(name)
			f := newFound(t, traits)
			f.sqlite()
			f.lived()
			d := f.discovered()
			if lists := f.sim.Counts().Lists; lists > app.MostPages*3 || d.Requests["platform"] > app.MostPages*3 {
				t.Errorf("%d requests were sent, %d of them lists", d.Requests["platform"], lists)
			}
			for _, secret := range []string{"Nomea", "Cognome", "05500", "ospite", "cuscino", simulator.DefaultKey} {
				if strings.Contains(d.Config, secret) {
					t.Errorf("the proposal shows %q:\n%s", secret, d.Config)
				}
			}
			got := f.linked()
			known, likely, open := d.Count()
			rows[name] = fmt.Sprintf("| %s | %d | %d of %d | %d of %d | %d | %d | %d | %d |\n", name, d.Requests["platform"], got["contacts"][0],
				len(f.want["contacts"]), got["reservations"][0], len(f.want["reservations"]), got["contacts"][1]+got["reservations"][1], known, likely, open)
		})
	}
	if t.Failed() || len(rows) < len(simulator.Dialects()) {
		return
	}
	text := foundHead
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		text += rows[name]
	}
	path := filepath.Join("..", "..", "docs", "discover-dialects.md")
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(path); err != nil || string(have) != text {
		t.Errorf("%s is not up to date (%v): run this test with -update, and look at what changed", path, err)
	}
}
