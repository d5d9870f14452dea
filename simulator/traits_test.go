package simulator_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"nightporter/internal/signature"
	"nightporter/internal/webhook"
	"nightporter/simulator"
)

// spoken is a caller of the API with these traits and the bearer key.
func spoken(t *testing.T, traits simulator.Traits) (*simulator.Sim, caller) {
	t.Helper()
	s := simulator.New(simulator.Options{Traits: &traits, IDs: simulator.Sequential})
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s.SetNow(func() time.Time { return now })
	return s, call(t, s)
}

func TestYourang(t *testing.T) {
	traits, ok := simulator.TraitsOf(simulator.DialectYourang)
	if !ok {
		t.Fatal("there is no dialect yourang")
	}
	s, c := spoken(t, traits)
	made := c.want(201, "POST", "/contacts", object{"first_name": "Ada", "phone_number": "+999 100", "last_call_time": "never", "language": "it"})
	same(t, "created", made.data(), object{
		"id": "c000001", "first_name": "Ada", "last_name": nil, "email": nil, "phone_number": "+999100", "address": nil, "last_call_time": nil,
	})
	same(t, "a duplicate", c.want(400, "POST", "/contacts", object{"first_name": "Eva", "phone_number": "+999100"}).body,
		object{"ok": false, "error": "A contact with this phone number already exists in your organization"})
	same(t, "by phone", c.want(200, "GET", "/contacts/by-phone/%2B999100", nil).data()["id"], "c000001")
	c.want(404, "GET", "/contacts/by-phone/%2B999101", nil)
	same(t, "partial", c.want(200, "PUT", "/contacts/by-phone/%2B999100", object{"last_name": "Example"}).data()["first_name"], "Ada")

	for n, day := range []string{"2026-05-02", "2026-05-01", "2026-05-02", "2026-05-20"} {
		s.Put("reservations", object{"client_full_name": fmt.Sprint("Guest ", n), "starting_date": day, "ending_date": day, "status": "PENDING"})
	}
	days := c.want(200, "GET", "/events?start_date=2026-05-01&end_date=2026-05-10", nil).data()
	got := map[string]int{}
	for day, rows := range days {
		got[day] = len(rows.([]any))
	}
	same(t, "by day", got, map[string]int{"2026-05-01": 1, "2026-05-02": 2})
	days = c.want(200, "GET", "/events?start_date=2026-05-01&end_date=2026-05-10&events_per_day=1", nil).data()
	same(t, "the second day, one a day", len(days["2026-05-02"].([]any)), 1)
	c.want(404, "GET", "/reservations", nil)
	same(t, "approved", c.want(200, "PATCH", "/events/r000001/status?is_approved=true", nil).data()["status"], "APPROVED")
	same(t, "removed", c.want(200, "DELETE", "/contacts/c000001", nil).data()["deleted_id"], "c000001")

	asked := s.Counts().Total
	for range 50 - asked {
		c.want(200, "GET", "/contacts?limit=1", nil)
	}
	refused := c.want(429, "GET", "/contacts", nil)
	same(t, "the 51st in a minute", []string{refused.header.Get("Retry-After"), refused.header.Get("X-RateLimit-Remaining")}, []string{"60", "0"})
	later := time.Date(2026, 5, 1, 12, 1, 0, 0, time.UTC)
	s.SetNow(func() time.Time { return later })
	same(t, "a minute later", c.want(200, "GET", "/contacts", nil).header.Get("X-RateLimit-Remaining"), "49")
}

// Each list body has the rows, and what it says, where its name promises.
func TestListBodies(t *testing.T) {
	for body, want := range map[simulator.ListBody]string{
		simulator.BodyData:       `{"ok":true,"data":[X],"meta":{"total":2,"limit":1,"offset":0,"has_next":true}}`,
		simulator.BodyArray:      `[X]`,
		simulator.BodyNested:     `{"ok":true,"data":{"contacts":[X],"pagination":{"total":2,"limit":1,"offset":0,"has_more":true}}}`,
		simulator.BodyItems:      `{"ok":true,"items":[X],"total":2,"limit":1,"has_more":true}`,
		simulator.BodyCollection: `{"ok":true,"collection":[X],"pagination":{"total_count":2,"count":1,"has_more":true}}`,
		simulator.BodyNamed:      `{"ok":true,"contacts":[X],"paging":{"total_records":2,"page_size":1,"hasMore":true}}`,
		simulator.BodyResults:    `{"ok":true,"results":[X],"metadata":{"totalItems":2,"itemsPerPage":1,"startIndex":0,"hasNextPage":true}}`,
		simulator.BodyLines:      "X\n",
	} {
		s, c := spoken(t, simulator.Traits{Body: body, Empty: simulator.EmptyMissing})
		s.Put("contacts", object{"first_name": "Ada"})
		s.Put("contacts", object{"first_name": "Eva"})
		const row = `{"id":"c000001","first_name":"Ada","custom_fields":{}}`
		same(t, string(body), c.want(200, "GET", "/contacts?limit=1", nil).raw, replaceX(want, row))
	}
}

func replaceX(in, row string) string {
	for i := range in {
		if in[i] == 'X' {
			return in[:i] + row + in[i+1:]
		}
	}
	return in
}

// Draw is repeatable, makes every choice some time, and nothing that it makes breaks the
// server.
func TestDraw(t *testing.T) {
	seen := map[string]map[string]bool{}
	for seed := range uint64(600) {
		traits := simulator.Draw(seed)
		if again := simulator.Draw(seed); !reflect.DeepEqual(again, traits) {
			t.Fatalf("seed %d: got %+v, then %+v", seed, traits, again)
		}
		v := reflect.ValueOf(traits)
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if seen[name] == nil {
				seen[name] = map[string]bool{}
			}
			seen[name][fmt.Sprint(v.Field(i).Interface())] = true
		}
		if seed%20 == 0 {
			s := simulator.New(simulator.Options{Traits: &traits})
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://simulator.test/contacts?page=x&limit=-1&offset=a", nil))
		}
	}
	fixed := []string{"PlaceParam", "Quotas", "PublicNames", "Sign", "Actions"}
	for name, values := range seen {
		if len(values) < 2 && !slices.Contains(fixed, name) {
			t.Errorf("%s is never drawn", name)
		}
	}
	same(t, "bodies", len(seen["Body"]), 8)
	same(t, "errors", len(seen["Errors"]), len(simulator.ErrorForms()))
	same(t, "limits", len(seen["Rate"]), len(simulator.RateForms()))
	same(t, "pagings", len(seen["Paging"]), 6)
	same(t, "times", len(seen["Times"]), 9)
}

// A document is called one, with the record in the delivery or without.
func TestDeliveryOfADocument(t *testing.T) {
	for form, want := range map[simulator.SignForm]string{simulator.SignTimed: `"type":"document.created"`, simulator.SignBody: `"event":"document.created"`} {
		s, _ := spoken(t, simulator.Traits{Uploads: simulator.UploadMultipart})
		s.SetHook(&simulator.Hook{URL: "http://receiver.test/hook", Secret: "hunter2", Sign: form})
		s.Put("documents", object{"title": "Hours"})
		sent, err := s.Deliveries(t.Context())
		if err != nil || len(sent) != 1 {
			t.Fatalf("%d deliveries: %v", len(sent), err)
		}
		if body, _ := io.ReadAll(sent[0].Body); !strings.Contains(string(body), want) {
			t.Errorf("got %s, want %s", body, want)
		}
	}
}

// What a Sim tells of changes is signed, and can be read, in both ways that were seen.
func TestDeliveries(t *testing.T) {
	for form, tt := range map[simulator.SignForm]struct{ scheme, stay string }{
		simulator.SignTimed: {"yourang", "event.created"}, simulator.SignBody: {"yourang_body", "appointment.booked"},
	} {
		s, c := spoken(t, simulator.Traits{Stays: "events"})
		now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
		s.Put("contacts", object{"id": "c0", "first_name": "Ada"})
		s.SetHook(&simulator.Hook{URL: "http://receiver.test/hook", Secret: "hunter2", Sign: form})
		id := c.want(201, "POST", "/contacts", object{"first_name": "Eva", "phone_number": "+999100"}).data()["id"]
		s.Edit("contacts", "c0", object{"notes": "late"})
		s.Remove("contacts", "c0")
		stay := s.Put("reservations", object{"client_full_name": "Eva"})
		sent, err := s.Deliveries(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range sent {
			body, _ := io.ReadAll(r.Body)
			signed := signature.Request{Method: r.Method, URL: r.URL.String(), Header: r.Header, Body: body}
			if err := signature.Presets[tt.scheme].Verify(signed, []string{"hunter2"}, now); err != nil {
				t.Errorf("%s: %v", tt.scheme, err)
			}
			signed.Body = append(body, ' ')
			if signature.Presets[tt.scheme].Verify(signed, []string{"hunter2"}, now) == nil {
				t.Errorf("%s: another body passes", tt.scheme)
			}
			events, err := webhook.AnyShape.Events(r.Header, body)
			if err != nil || len(events) != 1 || events[0].Delivery == "" {
				t.Fatalf("got %+v, %v", events, err)
			}
			got = append(got, events[0].Name+" "+events[0].ID)
		}
		same(t, "events", got, []string{"contact.created " + id.(string), "contact.updated c0", "contact.deleted c0", tt.stay + " " + stay})
		if sent, _ = s.Deliveries(t.Context()); len(sent) != 0 {
			t.Errorf("got %d of them a second time", len(sent))
		}
	}
}

func TestControlHook(t *testing.T) {
	var got []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("X-Yourang-Signature")[:7])
		w.WriteHeader(http.StatusAccepted)
	}))
	defer srv.Close()
	s, _ := spoken(t, simulator.Traits{})
	control(t, s, 400, "POST", "/hook", `{"url":"x","sign":"twice"}`, nil)
	control(t, s, 204, "POST", "/hook", fmt.Sprintf(`{"url":%q,"secret":"hunter2","sign":"body"}`, srv.URL), nil)
	s.Put("contacts", object{"first_name": "Ada"})
	var out struct{ Statuses []int }
	control(t, s, 200, "POST", "/deliver", "", &out)
	same(t, "statuses", out.Statuses, []int{202})
	same(t, "signatures", got, []string{"sha256="})
	control(t, s, 204, "DELETE", "/hook", "", nil)
	s.Put("contacts", object{"first_name": "Eva"})
	control(t, s, 200, "POST", "/deliver", "", &out)
	same(t, "after the hook is gone", out.Statuses, []int{})
}
