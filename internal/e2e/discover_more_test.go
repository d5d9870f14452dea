package e2e

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nightporter/internal/pgtest"
	"nightporter/simulator"
)

// A hotel's database in PostgreSQL, of which nothing is known but its address: tables in a
// schema, days as dates, a table of rooms that bookings name as well.
func TestDiscoverPostgres(t *testing.T) {
	traits, _ := simulator.TraitsOf(simulator.DialectYourang)
	f := newFound(t, traits)
	dsn := pgtest.Start(t).NewPMS(t)
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	pg, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pg.Close() })
	one := func(query string, args ...any) (v string) {
		t.Helper()
		if err := pg.QueryRowContext(t.Context(), query, args...).Scan(&v); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return v
	}
	id := func(query string, args ...any) (n int64) {
		t.Helper()
		if _, err := fmt.Sscan(one(query, args...), &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	one(`INSERT INTO pms.rooms (number) SELECT n::text FROM generate_series(1, 5) n RETURNING number`)
	word := filepath.Join(f.dir, "pms.password")
	password, _ := u.User.Password()
	f.write(word, password)
	f.config += fmt.Sprintf("  pms:\n    type: postgres\n    address: %s\n    user: %s\n    password: file:%s\n    tls: off\n", u.Host+u.Path, u.User.Username(), word)
	f.guestIn = func(n int, given, family, digits, mail string) int64 {
		return id(`INSERT INTO pms.guests (first_name, last_name, phone, email, country, company, notes) VALUES ($1, $2, $3, $4, $7, $5, $6) RETURNING id`,
			given, family, digits, mail, fmt.Sprint("Ditta ", n%3), fmt.Sprint("cuscino ", n), "IT")
	}
	f.stayIn = func(n int, guest int64, first, last, word string) int64 {
		return id(`INSERT INTO pms.reservations (guest_id, arrival, departure, status, adults) VALUES ($1, $2, $3, $4, $5) RETURNING id`,
			guest, first, last, map[string]string{"CONFIRMED": "confirmed", "CANCELLED": "cancelled", "PENDING": "option"}[word], 1+n%3)
	}
	f.held = func() []string {
		return []string{
			one(`SELECT string_agg(concat_ws(' ', first_name, last_name, phone, country, company, notes, language), ', ' ORDER BY id) FROM pms.guests`),
			one(`SELECT string_agg(concat_ws(' ', guest_id, arrival, departure, status, adults, notes), ', ' ORDER BY id) FROM pms.reservations`),
		}
	}
	f.lived()
	d := f.discovered()
	for _, want := range []string{"table: pms.guests", "table: pms.reservations", "key: id  # known: its primary key", "pms: guest_id", "region: [pms.country, IT]"} {
		if !strings.Contains(d.Config, want) {
			t.Errorf("the proposal has no %q:\n%s", want, d.Config)
		}
	}
	f.linked()
}

// A folder with a nightly list: it can only be read, so everything goes towards the
// platform, and what tells its rows apart is found out.
func TestDiscoverFolder(t *testing.T) {
	f := newFound(t, simulator.Traits{})
	drop := filepath.Join(f.dir, "drop")
	if err := os.Mkdir(drop, 0o700); err != nil {
		t.Fatal(err)
	}
	list := "codice;cognome;nome;cellulare;posta;tessera\n"
	f.config += "  pms:\n    type: file\n    folder: " + drop + "\n"
	f.guestIn = func(n int, given, family, digits, mail string) int64 {
		list += fmt.Sprintf("%d;%s;%s;0039 %s;%s;%s\n", 7000+n, family, given, digits, mail, []string{"oro", "argento"}[n%2])
		return int64(7000 + n)
	}
	f.held = func() []string { return []string{string(f.read(filepath.Join(drop, "ospiti.csv")))} }
	f.lived()
	f.write(filepath.Join(drop, "ospiti.csv"), list)
	d := f.discovered()
	for _, want := range []string{"key: codice  # likely: no two of 36 rows share one", "to: platform", "format: \"00\""} {
		if !strings.Contains(d.Config, want) {
			t.Errorf("the proposal has no %q:\n%s", want, d.Config)
		}
	}
	f.linked()
}
