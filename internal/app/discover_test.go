package app

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/internal/config"
	"nightporter/internal/discover"
)

// However an API answers, no more is sent than was said before, and GET alone.
func TestDiscoverIsBounded(t *testing.T) {
	t.Parallel() // an API that fails is asked again, after a while
	for name, answer := range map[string]func(w http.ResponseWriter){
		"it fails":        func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) },
		"it never ends":   func(w http.ResponseWriter) { page(w, `{"data":[{"id":"1"}],"meta":{"has_next":true}}`) },
		"it has nothing":  func(w http.ResponseWriter) { page(w, `{"data":[],"meta":{"has_next":false}}`) },
		"it is a stopper": func(w http.ResponseWriter) { page(w, `<html>`) },
	} {
		t.Run(name, func(t *testing.T) {
			var sent, other atomic.Int64
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent.Add(1)
				if r.Method != http.MethodGet {
					other.Add(1)
				}
				answer(w)
			}))
			defer srv.Close()
			cfg := twoSystems(t, srv.URL)
			var said []string
			d, err := Discover(t.Context(), cfg, "a", "b", Options{}, func(text string) {
				if sent.Load() > 0 {
					t.Errorf("%d requests were sent before it was said", sent.Load())
				}
				said = append(said, text)
			})
			var most, pages, kinds, asked, askable int
			if len(said) == 2 {
				_, _ = fmt.Sscanf(said[0], "a: at most %d requests, all of them GET: %d pages of each of %d kinds, and %d records of each of %d", &most, &pages, &kinds, &asked, &askable)
			}
			if kinds < 3 || pages != MostPages || asked != MostAsked || askable != 2 || most != kinds*pages+asked*askable {
				t.Errorf("said %q", said)
			}
			if sent.Load() == 0 || sent.Load() > int64(2*most) || other.Load() > 0 {
				t.Errorf("%d requests were sent, %d of them not GET", sent.Load(), other.Load())
			}
			if err == nil && int64(d.Requests["a"]+d.Requests["b"]) != sent.Load() {
				t.Errorf("reported %v of %d requests", d.Requests, sent.Load())
			}
			if err == nil && !strings.Contains(d.Config, "# not known: the clock on the house's wall") {
				t.Errorf("nothing says that the clock is not known:\n%s", d.Config)
			}
		})
	}
}

// A key that is not known is not shown once more for each kind.
func TestDiscoverStopsAtAnUnknownKey(t *testing.T) {
	var sent atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		sent.Add(1)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer srv.Close()
	_, err := Discover(t.Context(), twoSystems(t, srv.URL), "a", "b", Options{}, func(string) {})
	if err == nil || !strings.Contains(err.Error(), "does not know the key") || sent.Load() != 1 {
		t.Errorf("%d requests, %v; want one, and that the key is not known", sent.Load(), err)
	}
}

// However many tables sort before them, those that are named are described, and can be
// written. Of one that the catalogue does not show nothing is claimed.
func TestDiscoverNamedTables(t *testing.T) {
	for _, before := range []int{3, MostTables + 1} {
		t.Run(fmt.Sprint(before), func(t *testing.T) {
			d := &discovering{cfg: namedTables(t, before), out: Discovery{Notes: []string{}}}
			sys, _ := d.cfg.System("pms")
			s, err := d.seen(t.Context(), sys)
			if err != nil {
				t.Fatal(err)
			}
			want := []discover.Sample{
				{Kind: "contacts", Columns: []discover.Column{{Path: "id"}, {Path: "name"}}},
				{Kind: "reservations", Columns: []discover.Column{{Path: "id"}, {Path: "guest", Refers: "contacts"}}},
				{Kind: "arrivals", Columns: []discover.Column{{Path: "id"}}, ReadOnly: true},
				{Kind: "bills", ReadOnly: true},
				{Kind: "rooms"},
			}
			var got []discover.Sample
			for _, k := range s.kinds {
				got = append(got, k.sample)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			const note = "rooms of pms: the catalogue does not show the table room, so nobody knows whether it can be written, and what its columns refer to"
			if diff := cmp.Diff([]string{note}, d.out.Notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}

// namedTables is a configuration that names tables of a database in which as many others
// sort before them, and one that is not there.
func namedTables(t *testing.T, before int) *config.Config {
	t.Helper()
	dir := t.TempDir()
	path, pms := filepath.Join(dir, "bare.yaml"), filepath.Join(dir, "pms.db")
	schema := `create table guests (id integer primary key, name text, secret text);
		create table stays (id integer primary key, guest integer references guests (id));
		create view v_arrivals as select id from stays;`
	for i := range before {
		schema += fmt.Sprintf("create table a%02d (id integer primary key);", i)
	}
	db, err := sql.Open("sqlite3", pms)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	text := "systems:\n  pms:\n    type: sqlite\n    address: " + pms + `
    tables:
      contacts: { table: guests, key: id, private: [secret] }
      reservations: { table: stays, key: id }
      arrivals: { table: v_arrivals, key: id }
      bills: { query: select 1 as id, key: id }
      rooms: { table: room, key: id }
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.LoadSystems(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// twoSystems is a configuration of two systems at an address, and of nothing else.
func twoSystems(t *testing.T, address string) *config.Config {
	t.Helper()
	dir := t.TempDir()
	path, key := filepath.Join(dir, "bare.yaml"), filepath.Join(dir, "key")
	system := "{ preset: platform, base_url: " + address + ", key: \"file:" + key + "\" }\n"
	for name, text := range map[string]string{path: "systems:\n  a: " + system + "  b: " + system, key: "k"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := config.LoadSystems(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func page(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(text))
}
