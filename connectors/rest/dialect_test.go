package rest_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/rest"
	"nightporter/simulator"
	"nightporter/sync/record"
)

// tale is a client that meets an API, from beginning to end.
type tale struct {
	*testing.T
	traits simulator.Traits
	sim    *simulator.Sim
	conn   *rest.Conn
}

// unsaid is the pause after a refusal that doesn't say how long: longer than a request
// waits for its turn, so that it is told at once.
const unsaid = 5 * time.Minute

// meet opens a client with a built-in preset and what is laid over it.
func meet(t *testing.T, traits simulator.Traits, preset string, over map[string]any) *tale {
	t.Helper()
	sim := simulator.New(simulator.Options{Traits: &traits})
	srv := httptest.NewServer(sim)
	t.Cleanup(srv.Close)
	over["rate"] = map[string]any{"pause": unsaid.String()}
	return &tale{t, traits, sim, overlaid(t, srv.URL, preset, over)}
}

func overlaid(t *testing.T, base, preset string, over map[string]any, change ...func(*rest.Config)) *rest.Conn {
	t.Helper()
	p, err := rest.Load(preset, nil, over)
	if err != nil {
		t.Fatal(err)
	}
	cfg := rest.Config{System: "platform", Preset: p, BaseURL: base, PageSize: 10, Secret: func() (string, error) { return simulator.DefaultKey, nil }}
	for _, c := range change {
		c(&cfg)
	}
	c, err := rest.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Each dialect that has a name is met by keys of a preset alone.
func TestDialects(t *testing.T) {
	if n := len(simulator.Dialects()); n < 10 {
		t.Errorf("there are %d dialects, want ten at least", n)
	}
	for _, name := range simulator.Dialects() {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			traits, _ := simulator.TraitsOf(name)
			meet(t, traits, "platform", traits.Override()).tell()
		})
	}
}

// The preset yourang meets its dialect as it is, under each prefix that is published.
func TestPresetYourang(t *testing.T) {
	for _, prefix := range []string{"/external/v1", "/api/external/v1", "/v1"} {
		t.Run(prefix, func(t *testing.T) {
			t.Parallel()
			traits, _ := simulator.TraitsOf(simulator.DialectYourang)
			traits.Prefix = prefix
			meet(t, traits, "yourang", map[string]any{"prefix": prefix}).tell()
		})
	}
}

// Traits that nobody has chosen are met all the same. NIGHTPORTER_DIALECTS says how
// many, NIGHTPORTER_SEED the first.
func TestDrawnDialects(t *testing.T) {
	first, many := number(t, "NIGHTPORTER_SEED", 1), number(t, "NIGHTPORTER_DIALECTS", 60)
	for seed := first; seed < first+many; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			traits := simulator.Draw(uint64(seed))
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("traits %+v\noverride %v", traits, traits.Override())
				}
			})
			meet(t, traits, "platform", traits.Override()).tell()
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

// tell is the whole tale. The refusal that asks to wait comes last: the client then
// leaves the API alone.
func (s *tale) tell() {
	s.Helper()
	s.nothing()
	s.lists()
	anna := s.writes()
	s.reads(anna)
	s.changes(anna)
	s.refusals()
	s.removes(anna)
	s.throttled()
}

// nothing lists what is not there.
func (s *tale) nothing() {
	s.Helper()
	for _, kind := range []record.Kind{"contacts", "reservations"} {
		s.all(kind, connectors.Scope{}, nil)
	}
}

// lists shows every record once: as many as no size of a page divides.
func (s *tale) lists() {
	s.Helper()
	const many = 23
	var contacts, stays, late []string
	long := time.Now().Add(-48 * time.Hour)
	s.sim.SetNow(func() time.Time { return long })
	defer s.sim.SetNow(time.Now)
	for n := range many {
		contacts = append(contacts, s.sim.Put("contacts", map[string]any{"first_name": fmt.Sprint("Guest ", n), "phone_number": fmt.Sprint("+9992", 1000+n)}))
		day := time.Date(2026, 5, 28+n/4, 0, 0, 0, 0, time.UTC)
		stays = append(stays, s.sim.Put("reservations", map[string]any{
			"client_full_name": fmt.Sprint("Guest ", n), "client_phone_number": fmt.Sprint("+9992", 1000+n), "status": "CONFIRMED",
			"starting_date": day.Format(time.DateOnly), "ending_date": day.AddDate(0, 0, 1).Format(time.DateOnly),
		}))
		if day.Month() == time.June {
			late = append(late, stays[n])
		}
	}
	s.all("contacts", connectors.Scope{}, contacts)
	s.all("reservations", connectors.Scope{From: "2026-05-01", To: "2026-06-30"}, stays)
	s.all("reservations", connectors.Scope{From: "2026-06-02", To: "2026-06-30"}, late)
}

// all reads a list to its end: it shows just these, each once, and nothing is wrong
// with it.
func (s *tale) all(kind record.Kind, scope connectors.Scope, ids []string) {
	s.Helper()
	var got []string
	after, total, pages := record.Cursor(""), -1, 0
	for range 100 {
		page, err := s.conn.Fetch(s.Context(), connectors.Query{Kind: kind, Scope: scope}, after)
		if err != nil {
			s.Fatalf("list %s: %v", kind, err)
		}
		for _, item := range page.Items {
			got = append(got, item.ID)
		}
		pages++
		total, after = max(total, page.Total), page.Next
		if page.Flaw != "" {
			s.Errorf("list %s: %s", kind, page.Flaw)
		}
		if page.End {
			break
		}
	}
	slices.Sort(got)
	want(s.T, fmt.Sprint(kind, " in ", scope), got, slices.Sorted(slices.Values(ids)))
	if total >= 0 && total != len(ids) {
		s.Errorf("list %s: got a total of %d, want %d", kind, total, len(ids))
	}
	if most := len(ids)/5 + 4; pages > most {
		s.Errorf("list %s: got %d pages for %d records, want %d at most", kind, pages, len(ids), most)
	}
}

func text(pairs ...string) record.Fields {
	f := record.Fields{}
	for i := 0; i < len(pairs); i += 2 {
		f[pairs[i]] = record.OfText(pairs[i+1])
	}
	return f
}

func (s *tale) apply(op record.Op, ref record.Ref, fields, before record.Fields) (record.Record, error) {
	return s.conn.Apply(s.Context(), record.Change{ID: "i1", Op: op, Ref: ref, Fields: fields, Before: before})
}

// writes makes a contact and a stay, changes them and empties a field.
func (s *tale) writes() record.Ref {
	s.Helper()
	before := text("first_name", "Anna", "last_name", "Rossi", "phone_number", "+999100", "email", "anna@example.com")
	made, err := s.apply(record.Create, record.Ref{Kind: "contacts"}, before, nil)
	if err != nil {
		s.Fatalf("create: %v", err)
	}
	s.holds(made.Ref, "last_name", "Rossi", "email", "anna@example.com")
	if _, err := s.apply(record.Update, made.Ref, text("last_name", "Bianchi"), before); err != nil {
		s.Fatalf("update: %v", err)
	}
	s.holds(made.Ref, "first_name", "Anna", "last_name", "Bianchi", "email", "anna@example.com")
	before["last_name"] = record.OfText("Bianchi")
	if _, err := s.apply(record.Update, made.Ref, record.Fields{"email": record.Nothing()}, before); err != nil {
		s.Fatalf("clear: %v", err)
	}
	s.holds(made.Ref, "first_name", "Anna", "email", "")

	stay, err := s.apply(record.Create, record.Ref{Kind: "reservations"},
		text("client_full_name", "Anna Rossi", "client_phone_number", "+999100", "starting_date", "2027-03-01", "ending_date", "2027-03-05"), nil)
	if err != nil {
		s.Fatalf("create a stay: %v", err)
	}
	s.holds(stay.Ref, "starting_date", "2027-03-01", "ending_date", "2027-03-05")
	if _, err := s.apply(record.Update, stay.Ref, text("ending_date", "2027-03-06"), text("ending_date", "2027-03-05")); err != nil {
		s.Fatalf("update a stay: %v", err)
	}
	s.holds(stay.Ref, "starting_date", "2027-03-01", "ending_date", "2027-03-06", "client_full_name", "Anna Rossi")
	got, err := s.conn.Get(s.Context(), stay.Ref, connectors.Scope{From: "2027-03-06", To: "2027-03-31"})
	if err != nil || !strings.HasPrefix(got.Fields["ending_date"].Text(), "2027-03-06") {
		s.Errorf("get a stay: got %v, %v", got.Fields, err)
	}
	return made.Ref
}

// holds checks what the server has of a record.
func (s *tale) holds(ref record.Ref, pairs ...string) {
	s.Helper()
	have, ok := s.sim.Get(string(ref.Kind), ref.ID)
	if !ok {
		s.Fatalf("there is no record %s", ref)
	}
	for i := 0; i < len(pairs); i += 2 {
		got, _ := have[pairs[i]].(string)
		want(s.T, fmt.Sprint(ref.Kind, " ", pairs[i]), got, pairs[i+1])
	}
}

// reads gets the record by its id and by its phone number, and sees when it changed.
func (s *tale) reads(anna record.Ref) {
	s.Helper()
	now := time.Date(2026, 7, 1, 22, 30, 15, 250_000_000, time.UTC)
	s.sim.SetNow(func() time.Time { return now })
	s.sim.Edit("contacts", anna.ID, map[string]any{"last_name": "Verdi"})
	s.sim.SetNow(time.Now)
	got, err := s.conn.Get(s.Context(), anna, connectors.Scope{})
	if err != nil {
		s.Fatalf("get: %v", err)
	}
	want(s.T, "got", got.Fields["first_name"].Text()+" "+got.Fields["last_name"].Text(), "Anna Verdi")
	if f, shown := got.Fields["email"]; !shown || !f.Empty() {
		if s.traits.Empty != simulator.EmptyMissing || len(got.Fields) > 0 && shown {
			s.Errorf("the emptied field: got %v, shown %v", f, shown)
		}
	}
	within := map[simulator.TimeForm]time.Duration{simulator.TimesDate: 48 * time.Hour}[s.traits.Times]
	if off := got.Changed.Sub(now).Abs(); s.traits.Times != simulator.TimesHidden && off > max(within, time.Second) {
		s.Errorf("changed: got %v, want %v", got.Changed, now)
	}
	want(s.T, "a time of change is shown", !got.Changed.IsZero(), s.traits.Times != simulator.TimesHidden)
	found, err := s.conn.Find(s.Context(), "contacts", text("phone_number", "+999100"), connectors.Scope{})
	if s.traits.Find == simulator.FindNot {
		fails(s.T, err, connectors.Unsupported)
		return
	}
	if err != nil || len(found) != 1 || found[0].Ref != anna {
		s.Errorf("find: got %v, %v", found, err)
	}
	if found, err = s.conn.Find(s.Context(), "contacts", text("phone_number", "+999404"), connectors.Scope{}); err != nil || len(found) != 0 {
		s.Errorf("find nobody: got %v, %v", found, err)
	}
}

// changes reads what changed since a whole list was read, where the API offers that.
func (s *tale) changes(anna record.Ref) {
	s.Helper()
	q := connectors.Query{Kind: "contacts"}
	ids, last, err := walk(s.Context(), s.conn, q)
	want(s.T, "an incremental reading can begin", last.Since != "", s.traits.Since != "")
	if err != nil || last.Since == "" {
		return
	}
	later := time.Now().Add(100 * time.Hour)
	s.sim.SetNow(func() time.Time { return later })
	s.sim.Edit("contacts", anna.ID, map[string]any{"last_name": "Neri"})
	s.sim.SetNow(time.Now)
	q.Mode = connectors.Since
	changed, next, err := walkFrom(s.Context(), s.conn, q, last.Since)
	if err != nil || !slices.Contains(changed, anna.ID) { // and all that changed in the same moment as the latest
		s.Fatalf("since: got %d of %d, %v", len(changed), len(ids), err)
	}
	changed, _, err = walkFrom(s.Context(), s.conn, q, next.Since)
	if err != nil || len(changed) > 1 {
		s.Errorf("since once more: got %d, %v, want one at most", len(changed), err)
	}
}

// refusals are read for what they are, and in the API's own words.
func (s *tale) refusals() {
	s.Helper()
	said := func(words string) string {
		if s.traits.Errors == simulator.ErrorHTML || s.traits.Errors == simulator.ErrorEmpty {
			return ""
		}
		return words
	}
	_, err := s.apply(record.Create, record.Ref{Kind: "contacts"}, text("first_name", "Bea", "phone_number", "+999100"), nil)
	fails(s.T, err, connectors.Exists, said("already exists"))
	_, err = s.apply(record.Create, record.Ref{Kind: "contacts"}, text("phone_number", "+999101"), nil)
	fails(s.T, err, connectors.Rejected, said("first_name is required"))
	_, err = s.conn.Get(s.Context(), record.Ref{Kind: "contacts", ID: "404"}, connectors.Scope{})
	fails(s.T, err, connectors.NotFound, said("not found"))
	s.sim.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Status: 500, Method: "write", Times: 1})
	_, err = s.apply(record.Create, record.Ref{Kind: "contacts"}, text("first_name", "Eva", "phone_number", "+999102"), nil)
	fails(s.T, err, connectors.Ambiguous, said("could not answer"))
}

// removes deletes a record, where that is offered.
func (s *tale) removes(anna record.Ref) {
	s.Helper()
	_, err := s.apply(record.Delete, anna, nil, nil)
	if !s.traits.Deletes {
		fails(s.T, err, connectors.Unsupported)
		return
	}
	if err != nil {
		s.Errorf("delete: %v", err)
	}
	_, err = s.apply(record.Delete, anna, nil, nil)
	fails(s.T, err, connectors.NotFound)
}

// throttled meets a refusal that asks to wait: as long as it says, or unsaid.
func (s *tale) throttled() {
	s.Helper()
	const asked = 10 * time.Minute
	s.sim.AddFault(simulator.Fault{Kind: simulator.FaultThrottle, RetryAfter: asked})
	begun := time.Now()
	_, err := s.conn.Get(s.Context(), record.Ref{Kind: "contacts", ID: "404"}, connectors.Scope{})
	fails(s.T, err, connectors.Throttled)
	waits := asked
	silent := []simulator.RateForm{simulator.RateNone, simulator.RateInterval, simulator.RateNamed} // of the end of the window
	if s.traits.Retry == simulator.RetryNone && slices.Contains(silent, s.traits.Rate) {
		waits = unsaid
	}
	// A moment that is named is nearer by what the test took so far.
	if wait := retryAfter(err); wait < waits-5*time.Second-time.Since(begun) || wait > waits+20*time.Second {
		s.Errorf("got a pause of %v, want %v", wait, waits)
	}
}

// retryAfter is how long an error asks to wait.
func retryAfter(err error) time.Duration {
	e, _ := errors.AsType[*connectors.Error](err)
	if e == nil {
		return 0
	}
	return e.RetryAfter
}
