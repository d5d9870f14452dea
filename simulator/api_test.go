package simulator_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"nightporter/simulator"
)

func TestKeys(t *testing.T) {
	s := simulator.New(simulator.Options{Keys: map[string]simulator.Key{
		"full": {}, "reader": {ReadOnly: true}, "elsewhere": {Account: "other"},
	}})
	with := func(auth string) caller { return call(t, s).with("Authorization", auth) }
	id := with("Bearer full").want(201, "POST", "/contacts", guest(1)).data()["id"].(string)

	for _, auth := range []string{"", "Bearer ", "Bearer wrong", "full", "Basic full", "bearer full"} {
		r := with(auth).want(401, "GET", "/contacts", nil)
		same(t, "challenge for "+auth, r.header.Get("WWW-Authenticate"), "Bearer")
		same(t, "ok for "+auth, r.body["ok"], any(false))
	}
	with("Bearer reader").want(200, "GET", "/contacts/"+id, nil)
	for _, method := range []string{"PUT", "PATCH"} {
		with("Bearer reader").want(403, method, "/contacts/"+id, object{"notes": "x"})
	}
	with("Bearer reader").want(403, "POST", "/contacts", guest(2))
	with("Bearer elsewhere").want(404, "GET", "/contacts/"+id, nil)
	same(t, "records of the other account", len(with("Bearer elsewhere").want(200, "GET", "/contacts", nil).items()), 0)

	s.SetKeys(map[string]simulator.Key{"reader": {}})
	with("Bearer full").want(401, "GET", "/contacts", nil)
	with("Bearer reader").want(201, "POST", "/contacts", guest(2))
}

func TestRoutes(t *testing.T) {
	s, ids := seeded(simulator.Options{IDs: simulator.Sequential}, 1)
	s.Put("contacts", object{"id": "a/b", "first_name": "Slash"})
	c := call(t, s)
	tests := []struct {
		method, path string
		status       int
		route        string
	}{
		{"GET", "/contacts", 200, "GET /contacts"},
		{"GET", "/contacts/" + ids[0], 200, "GET /contacts/{id}"},
		{"GET", "/contacts/a%2Fb", 200, "GET /contacts/{id}"},
		{"GET", "/contacts/none", 404, "GET /contacts/{id}"},
		{"GET", "/contacts/", 404, "GET other"},
		{"GET", "/contacts/a/b", 404, "GET other"},
		{"GET", "/contacts/a/b/c", 404, "GET other"},
		{"GET", "/reservations/a/status", 404, "GET other"},
		{"GET", "/me", 404, "GET other"},
		{"GET", "/people", 404, "GET other"},
		{"GET", "", 404, "GET other"},
		{"GET", "/../../contacts", 404, "GET other"},
		{"DELETE", "/contacts/" + ids[0], 405, "DELETE /contacts/{id}"},
		{"PUT", "/contacts", 405, "PUT /contacts"},
		{"POST", "/contacts/" + ids[0], 405, "POST /contacts/{id}"},
		{"PAT", "/contacts/" + ids[0], 405, "PAT /contacts/{id}"},
		{"HEAD", "/contacts", 405, "HEAD /contacts"},
	}
	for _, tt := range tests {
		s.ResetCounts()
		r := c.want(tt.status, tt.method, tt.path, nil)
		same(t, tt.method+" "+tt.path+" counted", s.Counts().Routes, map[string]int{tt.route: 1})
		if tt.status == 405 && !strings.Contains(r.header.Get("Allow"), "GET") {
			t.Errorf("%s %s: got Allow %q, want one with GET", tt.method, tt.path, r.header.Get("Allow"))
		}
	}
	same(t, "records after a refused DELETE", s.Len("contacts"), 2)
}

func TestPrefix(t *testing.T) {
	bare := simulator.New(simulator.Options{Prefix: "/"})
	c := call(t, bare)
	c.want(404, "GET", "/contacts", nil)
	c.base = "http://simulator.test"
	c.want(200, "GET", "/contacts", nil)

	other := call(t, simulator.New(simulator.Options{Prefix: "/v9"}))
	other.base = "http://simulator.test/v9"
	other.want(200, "GET", "/reservations", nil)
}

func TestContactLife(t *testing.T) {
	s := simulator.New(simulator.Options{})
	c := call(t, s)
	made := c.want(201, "POST", "/contacts", object{
		"first_name": "Ada", "phone_number": "+999 10-00 01", "email": "Ada@Example.com", "nonsense": 1,
		"custom_fields": object{"room": "sea", "vip": true},
	})
	id, _ := made.data()["id"].(string)
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
		t.Errorf("got id %q, want a random UUID", id)
	}
	want := object{
		"id": id, "first_name": "Ada", "last_name": nil, "phone_number": "+999100001", "email": "ada@example.com",
		"language": nil, "notes": nil, "custom_fields": object{"room": "sea", "vip": true},
	}
	same(t, "created", made.data(), want)
	same(t, "read", c.want(200, "GET", "/contacts/"+id, nil).data(), want)

	put := c.want(200, "PUT", "/contacts/"+id, object{"last_name": "Example", "custom_fields": object{"vip": nil, "floor": 2}})
	want["last_name"], want["custom_fields"] = "Example", object{"room": "sea", "floor": 2.0}
	same(t, "after a partial PUT", put.data(), want)
	patched := c.want(200, "PATCH", "/contacts/"+id, object{"email": nil, "notes": "", "custom_fields": nil})
	want["email"], want["notes"], want["custom_fields"] = nil, "", object{}
	same(t, "after a PATCH that clears", patched.data(), want)
	same(t, "listed", c.want(200, "GET", "/contacts", nil).items(), []object{want})
}

func TestBadContact(t *testing.T) {
	s, ids := seeded(simulator.Options{}, 2)
	c := call(t, s)
	for _, body := range []any{
		"", "[]", "null", `"text"`, `{"first_name":`, `{"first_name":"A","phone_number":"+999100009"} {}`,
		object{"phone_number": "+999100009"},
		object{"first_name": "", "phone_number": "+999100009"},
		object{"first_name": nil, "phone_number": "+999100009"},
		object{"first_name": "A"},
		object{"first_name": 7, "phone_number": "+999100009"},
		object{"first_name": "A", "phone_number": "call me"},
		object{"first_name": "A", "phone_number": "++999100009"},
		object{"first_name": "A", "phone_number": "+999100009", "custom_fields": "x"},
		object{"first_name": "A", "phone_number": "+999100009", "custom_fields": object{"k": []int{1}}},
		object{"first_name": "A", "phone_number": "+999100009", "notes": strings.Repeat("x", 1<<20)},
	} {
		r := c.want(400, "POST", "/contacts", body)
		if text, _ := r.body["error"].(string); text == "" || r.body["ok"] != false {
			t.Errorf("body %.60v: got %s, want ok false and an error text", body, r.raw)
		}
	}
	c.with("Content-Type", "text/plain").want(400, "POST", "/contacts", guest(3))
	c.with("Content-Type", "application/json; charset=utf-8").want(201, "POST", "/contacts", guest(3))
	c.want(400, "PATCH", "/contacts/"+ids[0], object{"first_name": nil})

	again := c.want(400, "POST", "/contacts", object{"first_name": "Twin", "phone_number": "+999 10 000-001"})
	same(t, "text of a duplicate", again.body["error"], any("a contact with this phone number already exists"))
	c.want(400, "PATCH", "/contacts/"+ids[0], object{"phone_number": "+99910000002"})
	c.want(200, "PATCH", "/contacts/"+ids[0], object{"phone_number": "+999 10000001"})
	same(t, "records", s.Len("contacts"), 3)

	c.want(200, "PATCH", "/contacts/"+ids[0], object{"phone_number": "+999555"})
	c.want(201, "POST", "/contacts", object{"first_name": "Heir", "phone_number": "+99910000001"})
	s.Remove("contacts", ids[1])
	c.want(201, "POST", "/contacts", object{"first_name": "Heir", "phone_number": "+99910000002"})
}

func TestReservationLife(t *testing.T) {
	s := simulator.New(simulator.Options{IDs: simulator.Sequential})
	c := call(t, s)
	body := object{"client_full_name": "Ada Example", "starting_date": "2030-03-01", "ending_date": "2030-03-04"}
	made := c.want(201, "POST", "/reservations", body)
	want := object{
		"id": "r000001", "client_full_name": "Ada Example", "client_phone_number": nil, "client_email": nil,
		"starting_date": "2030-03-01", "ending_date": "2030-03-04", "status": "PENDING", "details": nil,
	}
	same(t, "created", made.data(), want)
	same(t, "the same again", c.want(201, "POST", "/reservations", body).data()["id"], any("r000002"))
	c.want(200, "PUT", "/reservations/r000001", object{"status": "NO_SHOW"})

	for _, change := range []object{
		{"status": "confirmed"},
		{"status": "LOST"},
		{"starting_date": "2030-02-30"},
		{"starting_date": "01/03/2030"},
		{"starting_date": "2030-03-05"},
		{"ending_date": nil},
		{"ending_date": ""},
	} {
		c.want(400, "PUT", "/reservations/r000001", change)
	}
	c.want(200, "PUT", "/reservations/r000001", object{"starting_date": "2030-03-04", "status": nil})
	want["starting_date"], want["status"] = "2030-03-04", nil
	same(t, "at last", c.want(200, "GET", "/reservations/r000001", nil).data(), want)
}

func TestNormalise(t *testing.T) {
	body := object{"first_name": "Ada", "last_name": "Exämple", "phone_number": "+999-10 0001", "email": "Ada@Example.com"}
	tests := []struct {
		name               string
		n                  simulator.Normalise
		phone, email, last string
	}{
		{"default", simulator.Normalise{}, "+999100001", "ada@example.com", "Exämple"},
		{"as sent", simulator.Normalise{KeepEmailCase: true, Phone: simulator.PhoneAsSent}, "+999-10 0001", "Ada@Example.com", "Exämple"},
		{"spaced", simulator.Normalise{Phone: simulator.PhoneSpaced}, "+99 910 000 1", "ada@example.com", "Exämple"},
		{"cut", simulator.Normalise{Truncate: map[string]int{"last_name": 4}}, "+999100001", "ada@example.com", "Exäm"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := call(t, simulator.New(simulator.Options{Normalise: tt.n}))
			got := c.want(201, "POST", "/contacts", body).data()
			same(t, "phone, e-mail, name", []any{got["phone_number"], got["email"], got["last_name"]}, []any{tt.phone, tt.email, tt.last})
			c.want(400, "POST", "/contacts", object{"first_name": "Twin", "phone_number": "+999100001"})
			same(t, "found by another spelling", len(c.want(200, "GET", "/contacts?phone_number=%2B999+100-001", nil).items()), 1)
		})
	}
}

func TestReference(t *testing.T) {
	with := func(n int, ref string) object {
		g := guest(n)
		g["external_id"] = ref
		return g
	}
	tests := []struct {
		ref          simulator.Reference
		again, found int
		shown        any
	}{
		{simulator.ReferenceNone, 201, 3, nil},
		{simulator.ReferenceField, 201, 2, "x1"},
		{simulator.ReferenceUnique, 409, 1, "x1"},
	}
	for _, tt := range tests {
		t.Run(string(tt.ref), func(t *testing.T) {
			c := call(t, simulator.New(simulator.Options{Reference: tt.ref}))
			c.want(201, "POST", "/contacts", guest(1))
			same(t, "reference", c.want(201, "POST", "/contacts", with(2, "x1")).data()["external_id"], tt.shown)
			c.want(tt.again, "POST", "/contacts", with(3, "x1"))
			same(t, "found by it", len(c.want(200, "GET", "/contacts?external_id=x1", nil).items()), tt.found)
			s := stay(1, "2030-01-01", "2030-01-02")
			s["external_id"] = "x1"
			c.want(201, "POST", "/reservations", s)
			c.want(tt.again, "POST", "/reservations", s)
		})
	}
}

func TestIdempotency(t *testing.T) {
	for _, honoured := range []bool{true, false} {
		s := simulator.New(simulator.Options{Idempotency: honoured})
		c := call(t, s).with("Idempotency-Key", "k1")
		body := stay(1, "2030-01-01", "2030-01-02")
		first := c.want(201, "POST", "/reservations", body).raw
		second := c.want(201, "POST", "/reservations", body).raw
		same(t, "the same answer", first == second, honoured)
		c.with("Idempotency-Key", "k2").want(201, "POST", "/reservations", body)
		reused := map[bool]int{true: 422, false: 201}[honoured]
		c.want(reused, "POST", "/reservations", stay(2, "2030-01-01", "2030-01-02"))
		same(t, "records", s.Len("reservations"), map[bool]int{true: 2, false: 4}[honoured])
	}
}

func TestVersions(t *testing.T) {
	s, ids := seeded(simulator.Options{Versions: true}, 1)
	c, path := call(t, s), "/contacts/"+ids[0]
	old := c.want(200, "GET", path, nil).header.Get("ETag")
	newer := c.with("If-Match", old).want(200, "PATCH", path, object{"notes": "a"}).header.Get("ETag")
	if old == "" || old == newer {
		t.Fatalf("got ETag %q, then %q, want two different ones", old, newer)
	}
	c.with("If-Match", old).want(412, "PATCH", path, object{"notes": "b"})
	c.with("If-Match", newer).want(200, "PATCH", path, object{"notes": "c"})
	c.with("If-Match", "*").want(200, "PATCH", path, object{"notes": "d"})
	c.want(200, "PATCH", path, object{"notes": "e"})

	plain, ids := seeded(simulator.Options{}, 1)
	r := call(t, plain).with("If-Match", `"v0"`).want(200, "PATCH", "/contacts/"+ids[0], object{"notes": "a"})
	same(t, "ETag without versions", r.header.Get("ETag"), "")
}

func TestDeletesAndStatusAction(t *testing.T) {
	s, ids := seeded(simulator.Options{Deletes: true, StatusAction: true, IDs: simulator.Sequential}, 1)
	c := call(t, s)
	same(t, "deleted", c.want(200, "DELETE", "/contacts/"+ids[0], nil).data(), object{"deleted_id": ids[0]})
	c.want(404, "DELETE", "/contacts/"+ids[0], nil)

	path := "/reservations/" + s.Put("reservations", stay(1, "2030-01-01", "2030-01-02")) + "/status"
	status := func(query string, body any) any { return c.want(200, "PATCH", path+query, body).data()["status"] }
	same(t, "approved", status("?is_approved=true", nil), any("APPROVED"))
	same(t, "rejected", status("?is_approved=false", nil), any("REJECTED"))
	same(t, "by body", status("", object{"status": "CANCELLED", "details": "not this"}), any("CANCELLED"))
	got, _ := s.Get("reservations", "r000001")
	same(t, "details", got["details"], nil)
	c.want(400, "PATCH", path+"?is_approved=maybe", nil)
	c.want(400, "PATCH", path, object{"details": "x"})
	c.want(405, "GET", path, nil)
	c.want(404, "PATCH", "/contacts/"+ids[0]+"/status", object{"status": "CANCELLED"})
	same(t, "counted", s.Counts().Routes["PATCH /reservations/{id}/status"], 5)
}

func TestCountsAndLog(t *testing.T) {
	s := simulator.New(simulator.Options{KeepRequests: 3})
	c := call(t, s)
	c.want(200, "GET", "/contacts?limit=5", nil)
	id := c.want(201, "POST", "/contacts", guest(1)).data()["id"].(string)
	c.want(200, "GET", "/contacts/"+id, nil)
	c.want(400, "POST", "/contacts", object{"notes": "planted-marker"})
	c.with("Authorization", "").want(401, "GET", "/reservations", nil)
	same(t, "counts", s.Counts(), simulator.Counts{
		Routes: map[string]int{"GET /contacts": 1, "POST /contacts": 2, "GET /contacts/{id}": 1, "GET /reservations": 1},
		Lists:  2, Mutating: 2, Total: 5,
	})
	log := s.Requests()
	same(t, "length of the log", len(log), 3)
	same(t, "kept body", log[1].Body, `{"notes":"planted-marker"}`)
	same(t, "kept path", log[1].Method+" "+log[1].Path, "POST /external/v1/contacts")
	same(t, "kept status", []int{log[0].Status, log[1].Status, log[2].Status}, []int{200, 400, 401})
	for range 20 {
		c.want(200, "GET", "/contacts?limit=7", nil)
	}
	same(t, "length of the log later", len(s.Requests()), 3)
	same(t, "query", s.Requests()[2].Query, "limit=7")
	s.ResetCounts()
	same(t, "counts after the reset", s.Counts(), simulator.Counts{Routes: map[string]int{}})
	same(t, "status text", http.StatusText(log[2].Status), "Unauthorized")
}
