package doctor_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/rest"
	"nightporter/internal/doctor"
	"nightporter/simulator"
	"nightporter/sync/record"
)

// house is an API with records in it.
type house struct {
	sim    *simulator.Sim
	ids    map[record.Kind][]string
	preset rest.Preset
}

func key() (string, error) { return simulator.DefaultKey, nil }

// usual is as many records as no size of a page divides.
const usual = 23

// open makes an API of these traits with so many records of each kind. Half of them have empty fields, and some were edited since they were made.
func open(t *testing.T, traits simulator.Traits, many int, order simulator.Order) *house {
	t.Helper()
	p, err := rest.Load("platform", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{sim: simulator.New(simulator.Options{Traits: &traits, Order: order}), ids: map[record.Kind][]string{}, preset: p}
	now := time.Now().Add(-72 * time.Hour)
	h.sim.SetNow(func() time.Time { now = now.Add(time.Hour); return now })
	for n := range many {
		contact := map[string]any{"first_name": fmt.Sprint("Guest ", n), "phone_number": fmt.Sprint("+9992", 1000+n)}
		day := time.Date(2026, 5, 28+n/4, 0, 0, 0, 0, time.UTC)
		stay := map[string]any{
			"client_full_name": fmt.Sprint("Guest ", n), "client_phone_number": fmt.Sprint("+9992", 1000+n), "status": "CONFIRMED",
			"starting_date": day.Format(time.DateOnly), "ending_date": day.AddDate(0, 0, 2).Format(time.DateOnly),
		}
		if n%2 == 0 {
			contact["last_name"], contact["email"] = "Rossi", fmt.Sprintf("guest%d@example.com", n)
			stay["details"], stay["client_email"] = "late", fmt.Sprintf("guest%d@example.com", n)
		}
		if traits.Calls != "" {
			h.ids["calls"] = append(h.ids["calls"], h.sim.Put("calls", map[string]any{
				"phone_number": fmt.Sprint("+9992", 1000+n), "call_type": "Automated", "call_status": "Completed", "outcome": "answered",
				"start_time": now.UTC().Format(time.RFC3339), "end_time": now.Add(time.Minute).UTC().Format(time.RFC3339), "duration": 60,
			}))
		}
		h.ids["contacts"] = append(h.ids["contacts"], h.sim.Put("contacts", contact))
		h.ids["reservations"] = append(h.ids["reservations"], h.sim.Put("reservations", stay))
	}
	for _, n := range []int{1, 4, many - 1} {
		if n < 0 || n >= many {
			continue
		}
		h.sim.Edit("contacts", h.ids["contacts"][n], map[string]any{"last_name": "Verdi"})
		h.sim.Edit("reservations", h.ids["reservations"][n], map[string]any{"details": "early"})
	}
	h.sim.SetNow(time.Now)
	return h
}

// straight passes requests on to a handler without a socket, so that a bubble's clock
// may go on.
type straight struct{ h http.Handler }

func (s straight) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	s.h.ServeHTTP(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

const address = "http://platform.example"

func (h *house) examine(t *testing.T) doctor.Report {
	t.Helper()
	return doctor.Examine(t.Context(), doctor.Config{System: "platform", Preset: h.preset, BaseURL: address, Secret: key, Transport: straight{h.sim}})
}

// polite checks what was asked: GET alone, within the bound, and nothing of a record in
// what is said of it.
func (h *house) polite(t *testing.T, r doctor.Report) {
	t.Helper()
	asked := h.sim.Requests()
	for _, q := range asked {
		if q.Method != http.MethodGet || q.Body != "" {
			t.Errorf("asked %s %s with %d bytes", q.Method, q.Path, len(q.Body))
		}
	}
	if r.Requests != len(asked) || len(asked) > doctor.MostEntry+3*doctor.MostKind {
		t.Errorf("reported %d requests of %d, at most %d", r.Requests, len(asked), doctor.MostEntry+3*doctor.MostKind)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	secrets := []string{"Guest", "Rossi", "Verdi", "9992", "example.com", simulator.DefaultKey, "early"}
	for _, s := range append(secrets, slices.Concat(h.ids["contacts"], h.ids["reservations"])...) {
		if strings.Contains(string(text), strconv.Quote(s)) || len(s) > 4 && strings.Contains(string(text), s) {
			t.Errorf("the report shows %q", s)
		}
	}
}

// reads checks that what was proposed reads every record once, of the kinds of which the
// paging is known. It returns how many kinds that are.
func (h *house) reads(t *testing.T, r doctor.Report) (kinds int) {
	t.Helper()
	p, err := rest.Load("platform", nil, overlay(t, r))
	if err != nil {
		t.Fatalf("the proposal is no preset: %v\n%s", err, r.Override)
	}
	conn, err := rest.Open(rest.Config{System: "platform", Preset: p, BaseURL: address, Secret: key, Transport: straight{h.sim}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for kind, ids := range h.ids {
		if !sure(r, "kinds."+string(kind)+".list.paging") {
			continue
		}
		kinds++
		var got []string
		after := record.Cursor("")
		for range 50 {
			page, err := conn.Fetch(t.Context(), connectors.Query{Kind: kind, Scope: connectors.Scope{}}, after)
			// How an empty page is answered is said not to be known: then one says that nothing is there, or can't be read.
			unknown := !sure(r, "kinds."+string(kind)+".list.empty_status")
			if unknown && slices.Contains([]connectors.ErrorClass{connectors.NotFound, connectors.Malformed, connectors.Rejected}, connectors.ClassOf(err)) {
				got = ids
				break
			}
			if err != nil {
				t.Fatalf("read %s as proposed: %v\n%s", kind, err, r.Override)
			}
			for _, item := range page.Items {
				got = append(got, item.ID)
			}
			if after = page.Next; page.End {
				break
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, slices.Sorted(slices.Values(ids))) {
			t.Errorf("read %s as proposed: got %d records, want these %d, each once\n%s", kind, len(got), len(ids), r.Override)
		}
	}
	return kinds
}

func overlay(t *testing.T, r doctor.Report) map[string]any {
	t.Helper()
	over, err := doctor.Overlay(r.Override)
	if err != nil {
		t.Fatalf("the proposal is no YAML: %v\n%s", err, r.Override)
	}
	return over
}

func sure(r doctor.Report, subject string) bool {
	return slices.ContainsFunc(r.Findings, func(f doctor.Finding) bool {
		return f.Subject() == subject && f.Confidence != doctor.NotKnown
	})
}

// must are the keys that can be told of every API that leads from page to page.
func must(traits simulator.Traits) []string {
	keys := []string{
		"prefix", "auth", "kinds.contacts.path", "kinds.reservations.path", "kinds.contacts.id", "kinds.contacts.list.items",
		"kinds.reservations.list.items", "kinds.contacts.list.limit_param", "kinds.contacts.get.item", "kinds.contacts.find", "kinds.reservations.list.window",
	}
	if traits.Paging != simulator.ByNothing {
		keys = append(keys, "kinds.contacts.list.paging", "kinds.reservations.list.paging", "kinds.contacts.list.has_more", "kinds.contacts.list.total")
	}
	return keys
}

// check examines an API, and fails where something is said that isn't right.
func check(t *testing.T, h *house, traits simulator.Traits) (doctor.Report, []cell) {
	t.Helper()
	r := h.examine(t)
	h.polite(t, r)
	cells := compare(traits, r)
	for _, c := range cells {
		if c.wrong != "" {
			t.Errorf("%s: found %s, and %s", c.key, c.found, c.wrong)
		}
	}
	return r, cells
}

// told checks that what can be told of every API is.
func told(t *testing.T, r doctor.Report, traits simulator.Traits) {
	t.Helper()
	for _, key := range must(traits) {
		if !sure(r, key) {
			t.Errorf("%s is not known", key)
		}
	}
}

// Of APIs that nobody has chosen, nothing is said that is not right.
// NIGHTPORTER_DIALECTS says how many, NIGHTPORTER_SEED the first.
func TestDrawnDialects(t *testing.T) {
	first, many := number(t, "NIGHTPORTER_SEED", 1), number(t, "NIGHTPORTER_DIALECTS", 40)
	for seed := first; seed < first+many; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				traits := simulator.Draw(uint64(seed))
				h := open(t, traits, usual, "")
				r, _ := check(t, h, traits)
				told(t, r, traits)
				h.reads(t, r)
				if t.Failed() {
					t.Logf("traits %+v", traits)
				}
			})
		})
	}
}

// However many records there are, and in whatever order, nothing is said that isn't right.
func TestDrawnSizes(t *testing.T) {
	sizes := []int{0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 60, 101}
	orders := []simulator.Order{simulator.IDAsc, simulator.IDDesc, simulator.UpdatedAsc, simulator.UpdatedDesc, simulator.ByName}
	first, many := number(t, "NIGHTPORTER_SEED", 1), number(t, "NIGHTPORTER_DIALECTS", 40)
	for seed := first; seed < first+many; seed++ {
		size, order := sizes[seed%len(sizes)], orders[seed%len(orders)]
		t.Run(fmt.Sprint(seed, " with ", size), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				traits := simulator.Draw(uint64(seed))
				h := open(t, traits, size, order)
				r, _ := check(t, h, traits)
				h.reads(t, r)
				if t.Failed() {
					t.Logf("traits %+v\n%s", traits, r.Override)
				}
			})
		})
	}
}

// Whatever goes wrong on the way, and whoever writes meanwhile, nothing is said that isn't
// right: an answer that is missing is no answer.
func TestDrawnTrouble(t *testing.T) {
	first, many := number(t, "NIGHTPORTER_SEED", 1), number(t, "NIGHTPORTER_DIALECTS", 40)
	for seed := first; seed < first+many; seed++ {
		status := []int{500, 429, 401, 403, 0}[seed%5]
		t.Run(fmt.Sprint(seed, " with ", status), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				traits := simulator.Draw(uint64(seed))
				h := open(t, traits, usual, "")
				if status > 0 {
					h.sim.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Status: status, Skip: 8, Probability: 0.15})
				} else {
					h.sim.SetWriter(&simulator.Writer{Resource: "contacts", Rate: 0.5, Seed: uint64(seed)})
				}
				r, _ := check(t, h, traits)
				if t.Failed() {
					t.Logf("traits %+v\n%s", traits, r.Override)
				}
			})
		})
	}
}

func number(t *testing.T, env string, fallback int) int {
	t.Helper()
	text := os.Getenv(env)
	if text == "" {
		return fallback
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s is %q, not a number", env, text)
	}
	return n
}

// Each dialect that has a name is told, and read whole by what is proposed.
func TestDialects(t *testing.T) {
	for _, name := range simulator.Dialects() {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				traits, _ := simulator.TraitsOf(name)
				h := open(t, traits, usual, "")
				r, _ := check(t, h, traits)
				told(t, r, traits)
				if n := h.reads(t, r); n != len(h.ids) {
					t.Errorf("%d of %d kinds can be read as proposed", n, len(h.ids))
				}
				if t.Failed() {
					t.Logf("%s", r.Override)
				}
			})
		})
	}
}
