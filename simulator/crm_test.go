package simulator_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"nightporter/simulator"
)

func crm(o simulator.Options) *simulator.Sim {
	o.Dialect, o.IDs = simulator.DialectCRM, simulator.Sequential
	return simulator.New(o)
}

func TestPersonLife(t *testing.T) {
	s := crm(simulator.Options{})
	now := time.Date(2030, 1, 2, 3, 4, 5, 6_000_000, time.UTC)
	s.SetNow(func() time.Time { return now })
	c := callCRM(t, s)
	made := c.want(201, "POST", "/people", object{
		"name": object{"given": "Ada", "family": "Example"}, "mobile": "+999 100", "mail": "Ada@example.com", "external_ref": "x1",
	})
	want := object{
		"id": "p000001", "name": object{"given": "Ada", "family": "Example"}, "mobile": "+999100", "mail": "ada@example.com",
		"lang": nil, "external_ref": "x1", "updated_at": "2030-01-02T03:04:05.006Z",
	}
	same(t, "created", made.body, want)
	now = now.Add(time.Second)
	c.want(200, "PATCH", "/people/p000001", object{"name": object{"family": nil}, "lang": "it"})
	want["name"], want["lang"], want["updated_at"] = object{"given": "Ada"}, "it", "2030-01-02T03:04:06.006Z"
	same(t, "read", c.want(200, "GET", "/people/p000001", nil).body, want)

	for _, bad := range []object{
		{},
		{"name": "Ada"},
		{"name": object{"family": "Example"}},
		{"name": object{"given": 1}},
		{"name": nil},
	} {
		r := c.want(422, "POST", "/people", bad)
		errs, _ := r.body["errors"].([]any)
		if len(errs) != 1 || errs[0].(object)["code"] != "invalid" || errs[0].(object)["message"] == "" {
			t.Errorf("body %v: got %s, want one error with code and message", bad, r.raw)
		}
	}
	c.want(400, "POST", "/people", "[]")
	c.want(405, "PUT", "/people/p000001", object{"lang": "de"})
	c.want(404, "GET", "/contacts", nil)
	c.with("X-Api-Key", "wrong").want(401, "GET", "/people", nil)
	c.with("X-Api-Key", "").with("Authorization", "Bearer "+simulator.DefaultKey).want(401, "GET", "/people", nil)
}

func TestPersonReference(t *testing.T) {
	for _, ref := range []simulator.Reference{simulator.ReferenceNone, simulator.ReferenceUnique} {
		s := crm(simulator.Options{Reference: ref})
		c := callCRM(t, s)
		person := object{"name": object{"given": "Ada"}, "external_ref": "x1"}
		c.want(201, "POST", "/people", person)
		c.want(map[bool]int{true: 409, false: 201}[ref == simulator.ReferenceUnique], "POST", "/people", person)
		same(t, "found", c.want(200, "GET", "/people?external_ref=x1&limit=1", nil).column("id"), []string{"p000001"})
	}
}

// walk follows the cursor to the end and returns all ids.
func walk(c caller, query url.Values) []string {
	ids := []string{}
	for range 1000 {
		r := c.want(200, "GET", "/people?"+query.Encode(), nil)
		ids = append(ids, r.column("id")...)
		if r.next() == "" {
			return ids
		}
		query.Set("after", r.next())
	}
	c.t.Fatal("the list has no end")
	return nil
}

func TestCursor(t *testing.T) {
	for _, order := range []simulator.Order{simulator.IDAsc, simulator.IDDesc, simulator.UpdatedAsc, simulator.UpdatedDesc, simulator.ByName} {
		s := crm(simulator.Options{Order: order})
		want := []string{}
		for n := range 60 {
			want = append(want, s.Put("people", object{"name": object{"given": "A", "family": fmt.Sprintf("F%d", n%7)}}))
		}
		c := callCRM(t, s)
		got := walk(c, url.Values{"limit": {"7"}})
		slices.Sort(got)
		same(t, "ids in order "+string(order), got, want)

		// An insert before the cursor moves nothing, and the row under it may go.
		first := c.want(200, "GET", "/people?limit=20", nil)
		ids := first.column("id")
		s.Remove("people", ids[19])
		rest := walk(c, url.Values{"limit": {"20"}, "after": {first.next()}})
		same(t, "rest in order "+string(order), len(rest), 40)
	}
	c := callCRM(t, crm(simulator.Options{}))
	for _, after := range []string{"x", "!!", "bm90IGpzb24"} {
		c.want(422, "GET", "/people?after="+after, nil)
	}
}

func TestUpdatedSince(t *testing.T) {
	s := crm(simulator.Options{Order: simulator.ByName})
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	s.SetNow(func() time.Time { return now })
	var ids []string
	for n := range 10 {
		ids = append(ids, s.Put("people", object{"name": object{"given": fmt.Sprint("P", 9-n)}}))
		now = now.Add(time.Second)
	}
	now = now.Add(300 * time.Microsecond) // the shown time has whole milliseconds
	s.Edit("people", ids[0], object{"lang": "it"})
	c := callCRM(t, s)
	since := func(at string) []string { return walk(c, url.Values{"limit": {"2"}, "updated_since": {at}}) }
	same(t, "inclusive, by time of change", since("2030-01-01T00:00:07Z"), []string{ids[7], ids[8], ids[9], ids[0]})
	same(t, "its own shown time", since("2030-01-01T00:00:10.000Z"), []string{ids[0]})
	same(t, "another zone", since("2030-01-01T01:00:10.000+01:00"), []string{ids[0]})
	same(t, "later", since("2030-01-01T00:00:10.001Z"), []string{})
	c.want(422, "GET", "/people?updated_since=yesterday", nil)
	plain := c.want(200, "GET", "/people?limit=2", nil).next()
	c.want(422, "GET", "/people?updated_since=2030-01-01T00:00:00Z&after="+plain, nil)
}
