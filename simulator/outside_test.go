package simulator_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/simulator"
)

// The platforms that were met outside did each of this. A fault that is armed for good
// makes one of them of the simulator.
func TestOutside38VerbsAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fault  simulator.Fault
		status int
		allow  string
	}{
		{"405", simulator.Fault{Method: "PATCH"}, 405, "GET, PUT"},
		{"422", simulator.Fault{Method: "PATCH", Status: 422}, 422, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, ids := seeded(simulator.Options{}, 1)
			c := call(t, s)
			tt.fault.Kind = simulator.FaultRefused
			s.AddFault(tt.fault)
			r := c.want(tt.status, "PATCH", "/contacts/"+ids[0], object{"notes": "x"})
			same(t, "Allow", r.header.Get("Allow"), tt.allow)
			same(t, "ok", r.body["ok"], any(false))
			same(t, "nothing is applied", c.want(200, "GET", "/contacts/"+ids[0], nil).data()["notes"], nil)
			c.want(200, "PUT", "/contacts/"+ids[0], object{"notes": "x"})
			c.want(201, "POST", "/contacts", guest(2))
		})
	}
	s := simulator.New(simulator.Options{})
	s.AddFault(simulator.Fault{Kind: simulator.FaultRefused})
	same(t, "what is allowed elsewhere", call(t, s).want(405, "GET", "/nothing", nil).header.Get("Allow"), "")
}

func TestOutside38UpdatesReplace(t *testing.T) {
	s, ids := seeded(simulator.Options{}, 1)
	c := call(t, s)
	stayed := s.Put("reservations", stay(1, "2030-01-01", "2030-01-03"))
	s.Edit("contacts", ids[0], object{"custom_fields": object{"room": "7", "floor": "1"}, "notes": "old"})

	named := s.AddFault(simulator.Fault{Kind: simulator.FaultReplace, Fields: []string{"email", "custom_fields"}})
	got := c.want(200, "PATCH", "/contacts/"+ids[0], object{"notes": "x", "custom_fields": object{"room": "8"}}).data()
	same(t, "of those named", []any{got["email"], got["notes"], got["last_name"]}, []any{nil, "x", "Family001"})
	same(t, "keys of a bag", got["custom_fields"], any(object{"room": "8"}))
	s.RemoveFault(named)

	id := s.AddFault(simulator.Fault{Kind: simulator.FaultReplace, Path: "/reservations"})
	want := object{"id": stayed, "details": "late", "client_full_name": nil, "client_phone_number": nil, "client_email": nil, "starting_date": nil, "ending_date": nil, "status": nil}
	same(t, "a booking of which only its details were sent", c.want(200, "PATCH", "/reservations/"+stayed, object{"details": "late"}).data(), want)
	same(t, "read by id", c.want(200, "GET", "/reservations/"+stayed, nil).data(), want)
	made := c.want(201, "POST", "/reservations", stay(2, "2030-01-01", "2030-01-03")).data()
	same(t, "a create is none", []any{made["status"], s.FaultHits(id)}, []any{"CONFIRMED", 1})
	same(t, "another kind", c.want(200, "PATCH", "/contacts/"+ids[0], object{"notes": "y"}).data()["last_name"], any("Family001"))

	vendor := crm(simulator.Options{})
	person := vendor.Put("people", object{"name": object{"given": "Ada", "family": "Example"}, "mail": "ada@example.com"})
	vendor.AddFault(simulator.Fault{Kind: simulator.FaultReplace})
	callCRM(t, vendor).want(200, "PATCH", "/people/"+person, object{"name": object{"given": "Eva"}})
	kept, _ := vendor.Get("people", person)
	same(t, "a part of a group", kept, map[string]any{"id": person, "name": map[string]any{"given": "Eva"}})
}

func TestOutside38WordsAreIgnored(t *testing.T) {
	s := simulator.New(simulator.Options{})
	c := call(t, s)
	id := s.AddFault(simulator.Fault{Kind: simulator.FaultIgnored, Method: "POST", Fields: []string{"status", "custom_fields.room"}})
	made := c.want(201, "POST", "/reservations", stay(1, "2030-01-01", "2030-01-02")).data()
	same(t, "status of a create that says CONFIRMED", made["status"], any("PENDING"))
	same(t, "of an update", c.want(200, "PATCH", "/reservations/"+made["id"].(string), object{"status": "CONFIRMED"}).data()["status"], any("CONFIRMED"))
	guest := guest(1)
	guest["custom_fields"] = object{"room": "7", "floor": "1"}
	same(t, "one key of many", c.want(201, "POST", "/contacts", guest).data()["custom_fields"], any(object{"floor": "1"}))
	same(t, "hits", s.FaultHits(id), 2)
}

func TestOutside38ListsThatHide(t *testing.T) {
	s := crm(simulator.Options{})
	id := s.Put("people", object{"name": object{"given": "Ada", "family": "Example"}, "mail": "ada@example.com"})
	c := callCRM(t, s)
	s.AddFault(simulator.Fault{Kind: simulator.FaultFieldsLeftOut, Fields: []string{"name.family", "mail"}})
	item := c.want(200, "GET", "/people", nil).items()[0]
	_, mail := item["mail"]
	same(t, "listed", []any{item["name"], mail}, []any{object{"given": "Ada"}, false})
	same(t, "read by id", c.want(200, "GET", "/people/"+id, nil).body["name"], any(object{"given": "Ada", "family": "Example"}))
}

func TestOutside38EndlessLists(t *testing.T) {
	for _, tt := range []struct {
		name   string
		traits simulator.Traits
		next   func(r reply, n int) string // the query of the page after n
	}{
		{"offset", simulator.Traits{}, func(_ reply, n int) string { return "&offset=" + strconv.Itoa(3*n) }},
		{"page", simulator.Traits{Paging: simulator.ByPage, FirstPage: 1}, func(_ reply, n int) string { return "&page=" + strconv.Itoa(n+1) }},
		{"cursor", simulator.Traits{Paging: simulator.ByCursor, NumberID: true}, func(r reply, _ int) string { return "&cursor=" + r.meta()["next"].(string) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, c := spoken(t, tt.traits)
			for n := range 4 {
				s.Put("contacts", guest(n))
			}
			s.AddFault(simulator.Fault{Kind: simulator.FaultEndless})
			query, seen := "?limit=3", map[string]bool{}
			for page := 1; page <= 20; page++ {
				r := c.want(200, "GET", "/contacts"+query, nil)
				ids := r.column("id")
				same(t, "rows of a page", len(ids), 3)
				for _, id := range ids {
					if seen[id] {
						t.Errorf("page %d shows %s again", page, id)
					}
					seen[id] = true
				}
				same(t, "more follows", r.meta()["has_next"], any(true))
				if total := r.meta()["total"].(float64); int(total) <= len(seen) {
					t.Errorf("got total %v after %d rows", total, len(seen))
				}
				query = "?limit=3" + tt.next(r, page)
			}
			same(t, "records", s.Len("contacts"), 4)
			phone := guest(2)["phone_number"].(string)
			same(t, "a search ends", len(c.want(200, "GET", "/contacts?phone_number="+strings.ReplaceAll(phone, "+", "%2B"), nil).items()), 1)
		})
	}
}

func TestOutside38ShuffledLists(t *testing.T) {
	for _, paging := range []simulator.Paging{simulator.ByOffset, simulator.ByCursor} {
		s, c := spoken(t, simulator.Traits{Paging: paging})
		for n := range 9 {
			s.Put("contacts", guest(n))
		}
		next := func(r reply) string {
			if paging == simulator.ByCursor {
				return "&cursor=" + r.meta()["next"].(string)
			}
			return "&offset=3"
		}
		first := c.want(200, "GET", "/contacts?limit=3", nil)
		s.AddFault(simulator.Fault{Kind: simulator.FaultShuffled})
		whole := c.want(200, "GET", "/contacts", nil).column("id")
		again := c.want(200, "GET", "/contacts", nil).column("id")
		if slices.Equal(whole, again) {
			t.Errorf("got the same order twice: %v", whole)
		}
		slices.Sort(whole)
		slices.Sort(again)
		same(t, "the rows are the same", whole, again)
		last := c.want(200, "GET", "/contacts?limit=9"+next(first), nil)
		want := 6
		if paging == simulator.ByCursor {
			want = 0 // the second page of nine
		}
		same(t, "where the list goes on it ends", []any{len(last.items()), last.meta()["has_next"]}, []any{want, false})

		s.AddFault(simulator.Fault{Kind: simulator.FaultOffsetIgnored})
		for range 10 {
			r := c.want(200, "GET", "/contacts?limit=3"+next(first), nil)
			same(t, "with the offset ignored it never does", []any{len(r.items()), r.meta()["has_next"]}, []any{3, true})
		}
	}
}

func TestOutside38OddHeaders(t *testing.T) {
	s := simulator.New(simulator.Options{Traits: &simulator.Traits{Rate: simulator.RateDelta, Quotas: []simulator.Quota{{Requests: 10, Per: 60e9}}}})
	s.AddFault(simulator.Fault{Kind: simulator.FaultHeaders, Method: "GET", Headers: map[string]string{"X-RateLimit-Reset": "60000", "RateLimit": `"default";r=0;t=99999999`}})
	r := call(t, s).want(200, "GET", "/contacts", nil)
	same(t, "headers", []string{r.header.Get("X-RateLimit-Reset"), r.header.Get("X-RateLimit-Limit"), r.header.Get("RateLimit")}, []string{"60000", "10", `"default";r=0;t=99999999`})
	same(t, "of a write", call(t, s).want(201, "POST", "/contacts", guest(1)).header.Get("RateLimit"), "")
}

func TestOutside38HTMLWithAStatus(t *testing.T) {
	s, ids := seeded(simulator.Options{}, 1)
	s.AddFault(simulator.Fault{Kind: simulator.FaultHTML, Status: 404, Method: "GET", Path: "/contacts/"})
	r := call(t, s).want(404, "GET", "/contacts/"+ids[0], nil)
	same(t, "a page", []any{r.body == nil, r.header.Get("Content-Type")}, []any{true, "text/html; charset=utf-8"})
	call(t, s).want(200, "GET", "/contacts", nil)
}

func TestOutside38FaultsByControl(t *testing.T) {
	s := simulator.New(simulator.Options{})
	const sent = `{"kind":"headers","headers":{"X-RateLimit-Reset":"60000"}}`
	control(t, s, 200, "POST", "/faults", sent, nil)
	same(t, "header", call(t, s).want(200, "GET", "/contacts", nil).header.Get("X-RateLimit-Reset"), "60000")
	var armed []object
	control(t, s, 200, "GET", "/faults", "", &armed)
	same(t, "armed", armed, []object{{"id": 1.0, "hits": 1.0, "kind": "headers", "headers": object{"X-RateLimit-Reset": "60000"}}})
	for _, kind := range []string{"refused", "replace", "ignored", "endless", "shuffled"} {
		control(t, s, 200, "POST", "/faults", `{"kind":"`+kind+`"}`, nil)
	}
}

// A write that is applied late is applied as the server would have at once.
func TestOutside38LateWritesKeepTheirTraits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ids := seeded(simulator.Options{}, 1)
		s.AddFault(simulator.Fault{Kind: simulator.FaultReplace, Fields: []string{"email"}})
		s.AddFault(simulator.Fault{Kind: simulator.FaultLate504, Delay: time.Second, Times: 1})
		call(t, s).want(504, "PATCH", "/contacts/"+ids[0], object{"notes": "x"})
		pass(2 * time.Second)
		synctest.Wait()
		got, _ := s.Get("contacts", ids[0])
		same(t, "what is there", []any{got["email"], got["notes"]}, []any{nil, "x"})
	})
}

// The page that names the kinds of faults names all of them, and each does something.
func TestOutside38FaultsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/connectors.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("fault.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`FaultKind = "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	same(t, "kinds", len(simulator.FaultKinds()), len(declared))
	for _, d := range declared {
		if !strings.Contains(string(page), "`"+d[1]+"`") {
			t.Errorf("docs/connectors.md does not name the fault %s", d[1])
		}
		if !slices.Contains(simulator.FaultKinds(), simulator.FaultKind(d[1])) {
			t.Errorf("FaultKinds lacks %s", d[1])
		}
	}
}
