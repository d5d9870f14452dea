package simulator_test

import (
	"fmt"
	"testing"

	"nightporter/simulator"
)

func TestOnList(t *testing.T) {
	s, ids := seeded(simulator.Options{}, 6)
	c := call(t, s)
	var pages []int
	s.OnList(func(page int) {
		pages = append(pages, page)
		if page == 1 {
			s.Remove("contacts", ids[0])
		}
	})
	c.want(200, "GET", "/contacts/"+ids[1], nil)
	same(t, "first page, read before the hook", c.want(200, "GET", "/contacts?limit=3", nil).column("id"), ids[:3])
	same(t, "second page, after it", c.want(200, "GET", "/contacts?limit=3&offset=3", nil).column("id"), ids[4:])
	c.want(400, "GET", "/contacts?limit=x", nil)
	same(t, "pages", pages, []int{1, 2})
	s.OnList(nil)
	c.want(200, "GET", "/contacts", nil)
	same(t, "pages without the hook", len(pages), 2)

	people := crm(simulator.Options{})
	for range 5 {
		people.Put("people", object{"name": object{"given": "A"}})
	}
	pages = nil
	people.OnList(func(page int) { pages = append(pages, page) })
	walk(callCRM(t, people), map[string][]string{"limit": {"2"}})
	same(t, "pages by cursor", pages, []int{1, 2, 3})
}

// scan pages through the contacts as a plain client would and returns the ids seen.
func scan(c caller, limit int) map[string]bool {
	seen := map[string]bool{}
	for offset := 0; ; offset += limit {
		ids := c.want(200, "GET", fmt.Sprintf("/contacts?limit=%d&offset=%d", limit, offset), nil).column("id")
		for _, id := range ids {
			seen[id] = true
		}
		if len(ids) < limit {
			return seen
		}
	}
}

// A plain scan beside the writer loses rows that were there all the time, under
// every order; that is what the writer is for. Without writes it loses none.
func TestWriterMakesPlainScansLoseRows(t *testing.T) {
	const scans = 60
	for _, order := range []simulator.Order{
		simulator.IDAsc, simulator.IDDesc, simulator.UpdatedAsc, simulator.UpdatedDesc, simulator.ByName,
	} {
		lossy := map[float64]int{}
		for _, rate := range []float64{0, 0.5} {
			for seed := range uint64(scans) {
				s, ids := seeded(simulator.Options{Order: order}, 120)
				s.SetWriter(&simulator.Writer{Resource: "contacts", Rate: rate, Seed: seed, MoveNames: true})
				seen := scan(call(t, s), 20)
				for _, id := range ids {
					if _, live := s.Get("contacts", id); live && !seen[id] {
						lossy[rate]++
						break
					}
				}
			}
		}
		t.Logf("%s: %d of %d scans lost a live row", order, lossy[0.5], scans)
		if lossy[0] != 0 || lossy[0.5] == 0 || lossy[0.5] == scans {
			t.Errorf("order %s: got %v lossy scans of %d by rate, want none at 0 and some at 0.5", order, lossy, scans)
		}
	}
}

func TestWriterKinds(t *testing.T) {
	wrote := func(o simulator.Options, resource string, c func(testing.TB, *simulator.Sim) caller) (map[string]int, *simulator.Sim) {
		ops := map[string]int{}
		s := simulator.New(o)
		w := &simulator.Writer{Resource: resource, Rate: 1, MoveNames: true, Wrote: func(op, _ string) { ops[op]++ }}
		s.SetWriter(w)
		for range 300 {
			c(t, s).want(200, "GET", "/"+resource, nil)
		}
		s.SetWriter(nil)
		before := s.Export()
		c(t, s).want(200, "GET", "/"+resource, nil)
		same(t, "records after the writer stopped", s.Export(), before)
		return ops, s
	}
	for resource, o := range map[string]simulator.Options{
		"contacts": {}, "reservations": {}, "people": {Dialect: simulator.DialectCRM},
	} {
		client := call
		if resource == "people" {
			client = callCRM
		}
		ops, s := wrote(o, resource, client)
		if ops["insert"] < 70 || ops["delete"] < 50 || ops["update"] < 50 {
			t.Errorf("%s: got %v of 300, want about a third of each", resource, ops)
		}
		same(t, resource+" left", s.Len(resource), ops["insert"]-ops["delete"])
	}

	s := simulator.New(simulator.Options{})
	s.SetWriter(&simulator.Writer{Resource: "reservations", Rate: 1, Insert: func(n int) map[string]any {
		return stay(n, "2031-01-01", "2031-01-02")
	}})
	for s.Len("reservations") == 0 {
		call(t, s).want(200, "GET", "/contacts", nil)
		call(t, s).want(200, "GET", "/reservations", nil)
	}
	same(t, "record of the test's own", s.All("reservations")[0]["starting_date"], any("2031-01-01"))
}
