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
