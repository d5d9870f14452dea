package e2e

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/simulator"
)

// Two APIs, each of its own dialect, of which nothing is known but their addresses: what
// doctor and discover propose of the two passes check, and the first sync links what is
// known to be the same, and nothing else.
func TestWeakDiscoverTwoAPIs(t *testing.T) {
	all := simulator.Dialects()
	for i, name := range all {
		other := all[(i+3)%len(all)]
		t.Run(string(name+" and "+other), func(t *testing.T) {
			left, _ := simulator.TraitsOf(name)
			right, _ := simulator.TraitsOf(other)
			f := newFound(t, left)
			ids := f.api(right)
			f.lived()
			for job := range f.want { // the ids of an API are no numbers
				for l, n := range f.want[job] {
					f.want[job][l] = ids()[job+" "+n]
				}
			}
			if d := f.discovered(); d.Requests["platform"] > app.MostPages*3 || d.Requests["pms"] > app.MostPages*3 {
				t.Errorf("%v requests were sent", d.Requests)
			}
			f.linked()
		})
	}
}

// api adds another API in the place of the PMS. ids gives the ids of what was put there.
func (f *found) api(traits simulator.Traits) (ids func() map[string]string) {
	f.t.Helper()
	traits.Quotas = nil
	sim := simulator.New(simulator.Options{Traits: &traits})
	srv := httptest.NewServer(sim)
	f.t.Cleanup(srv.Close)
	key := filepath.Join(f.dir, "pms.key")
	f.write(key, simulator.DefaultKey)
	path := filepath.Join(f.dir, "pms.yaml")
	alone := "time_zone: Europe/Rome\nsystems:\n"
	system := fmt.Sprintf("  pms:\n    preset: platform\n    base_url: %s\n    key: file:%s\n", srv.URL, key)
	put := map[string]string{}
	guests := map[int64][2]string{}
	count := int64(0)
	f.guestIn = func(_ int, given, family, digits, mail string) int64 {
		count++
		put[fmt.Sprint("contacts ", count)] = sim.Put("contacts", map[string]any{
			"first_name": given, "last_name": family, "phone_number": "+39" + digits, "email": mail,
		})
		guests[count] = [2]string{given + " " + family, "+39" + digits}
		return count
	}
	f.stayIn = func(_ int, guest int64, first, last, word string) int64 {
		count++
		put[fmt.Sprint("reservations ", count)] = sim.Put("reservations", map[string]any{
			"client_full_name": guests[guest][0], "client_phone_number": guests[guest][1], "status": word, "starting_date": first, "ending_date": last,
		})
		return count
	}
	f.held = func() []string {
		var out []string
		for _, kind := range []string{"contacts", "reservations"} {
			for _, r := range sim.All(kind) {
				delete(r, "email")
				out = append(out, fmt.Sprint(r))
			}
		}
		return out
	}
	f.config += system
	f.examine = func() {
		f.write(path, alone+system)
		cfg, err := config.LoadSystems(path, nil)
		if err != nil {
			f.t.Fatal(err)
		}
		r, err := app.Doctor(f.t.Context(), cfg, "pms", app.Options{})
		if err != nil {
			f.t.Fatal(err)
		}
		if r.Override != "" {
			said := "    " + strings.ReplaceAll(strings.TrimSpace(r.Override), "\n", "\n    ") + "\n"
			f.config = strings.Replace(f.config, system, system+said, 1)
		}
	}
	return func() map[string]string { return put }
}

// Amounts and tags on both sides, spelt in two ways: discover proposes them with the types of
// the mapping, check finds nothing wrong, and the first sync has nothing to write.
func TestWeakDiscoverMoneyAndLists(t *testing.T) {
	f := newFound(t, simulator.Traits{})
	f.sqlite()
	f.lived()
	f.exec(`ALTER TABLE clienti ADD COLUMN etichette TEXT`)
	f.exec(`ALTER TABLE prenotazioni ADD COLUMN importo_cents INTEGER`)
	f.exec(`ALTER TABLE prenotazioni ADD COLUMN codice INTEGER`)
	n := 0
	for left, right := range f.want["contacts"] {
		n++
		tags := [][]any{{"vip", "cane"}, {"culla"}, {"vegano", "culla", "cane"}, {"tranquillo", "allergia"}}[n%4]
		f.sim.Edit("contacts", left, map[string]any{"tags": tags})
		f.exec(`UPDATE clienti SET etichette = ? WHERE id = ?`, []string{"cane, vip", "culla", "culla, cane, vegano", "allergia, tranquillo"}[n%4], right)
	}
	for left, right := range f.want["reservations"] {
		n++
		f.sim.Edit("reservations", left, map[string]any{"total": fmt.Sprintf("%d.50", 80+n*7), "currency": "EUR"})
		f.exec(`UPDATE prenotazioni SET importo_cents = ?, codice = ? WHERE numero = ?`, 8050+n*700, n%3, right)
	}
	d := f.discovered()
	for _, want := range []string{
		"price: { platform: { path: total, currency: currency }, pms: { path: importo_cents, unit: minor, currency: EUR }, as: money, conflict: hold }  # known",
		`tags: { platform: tags, pms: { path: etichette, split: ", " }, as: set, conflict: hold }  # known`,
	} {
		if !strings.Contains(d.Config, want) {
			t.Errorf("the proposal has no %q:\n%s", want, d.Config)
		}
	}
	f.linked()
}

// An API of which the first pages show nobody whom the PMS knows: discover asks it for some
// whom the PMS has, so that it knows what it would have guessed by names.
func TestWeakDiscoverAsksForTheOtherSides(t *testing.T) {
	for _, ignored := range []bool{false, true} {
		t.Run(fmt.Sprint("filters ignored: ", ignored), func(t *testing.T) {
			f := newFound(t, simulator.Traits{})
			f.sqlite()
			for n := range 100*app.MostPages + 20 {
				name, phone := fmt.Sprint("Prima", n), fmt.Sprintf("+39055099%04d", n)
				f.sim.Put("contacts", map[string]any{"first_name": name, "last_name": "Altrove", "phone_number": phone})
				f.sim.Put("reservations", map[string]any{
					"client_full_name": name, "client_phone_number": phone, "status": "CONFIRMED", "starting_date": day(n % 50), "ending_date": day(n%50 + 2),
				})
			}
			f.lived()
			if ignored { // doctor would have found it out
				f.examine = func() { f.sim.AddFault(simulator.Fault{Kind: simulator.FaultFilterIgnored}) }
			}
			d := f.discovered()
			if got := d.Requests["platform"]; got > app.MostPages*3+2*app.MostAsked {
				t.Errorf("%d requests were sent", got)
			}
			asked := strings.Contains(d.Config, "17 of the same bookings stand in both, of whom 17 were asked for")
			said := strings.Contains(d.Config, "contacts of platform answers with records that were not asked for")
			if asked == ignored || said != ignored {
				t.Errorf("%v requests; asked for: %v, said that it can't be: %v\n%s", d.Requests, asked, said, d.Config)
			}
			if !ignored {
				f.linked()
			}
		})
	}
}

// Of a table with more rows than are read, discover selects some of the API's people: without
// them none of those whom both have is among the first rows, and nothing tells the columns.
func TestWeakDiscoverAsksATable(t *testing.T) {
	f := newFound(t, simulator.Traits{})
	f.sqlite()
	f.exec(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
		INSERT INTO clienti (agenzia_telefono, cognome, nome, telefono, email, nato_il, note, ultima_modifica)
		SELECT '+39055777000', 'Altrove', 'Prima' || i, printf('0559 %06d', i), 'prima' || i || '@example.com', '1970-01-01', '', '2026-01-05 10:00:00' FROM n`, app.MostRows)
	f.lived()
	d := f.discovered()
	if !strings.Contains(d.Config, "of whom 16 were asked for") {
		t.Errorf("nobody was asked for:\n%s", d.Config)
	}
	if _, ok := d.Requests["pms"]; ok {
		t.Errorf("rows count as requests: %v", d.Requests)
	}
	f.linked()
}
