package rest_test

import (
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/rest"
	"nightporter/simulator"
	"nightporter/sync/record"
)

func simulated(t *testing.T, opt simulator.Options, preset string) (*simulator.Sim, *rest.Conn) {
	t.Helper()
	sim := simulator.New(opt)
	srv := httptest.NewServer(sim)
	t.Cleanup(srv.Close)
	return sim, open(t, srv.URL, preset, func(c *rest.Config) {
		c.Secret = func() (string, error) { return simulator.DefaultKey, nil }
	})
}

// The preset platform against the simulated platform, a second reading of the same
// text.
func TestPlatformAgainstTheSimulator(t *testing.T) {
	sim, c := simulated(t, simulator.Options{}, "platform")
	ctx := t.Context()
	anna := record.Fields{"first_name": record.OfText("Anna"), "phone_number": record.OfText("+999 100")}
	made, err := c.Apply(ctx, record.Change{ID: "i1", Op: record.Create, Ref: record.Ref{Kind: "contacts"}, Fields: anna})
	if err != nil || made.Ref.ID == "" || made.Fields["phone_number"].Text() != "+999100" {
		t.Fatalf("create: got %+v, %v", made, err)
	}
	_, err = c.Apply(ctx, record.Change{ID: "i2", Op: record.Create, Ref: record.Ref{Kind: "contacts"}, Fields: anna})
	fails(t, err, connectors.Exists)
	found, err := c.Find(ctx, "contacts", record.Fields{"phone_number": record.OfText("+999100")}, connectors.Scope{})
	if err != nil || len(found) != 1 || found[0].Ref != made.Ref {
		t.Errorf("find: got %v, %v", found, err)
	}
	edited, err := c.Apply(ctx, record.Change{ID: "i3", Op: record.Update, Ref: made.Ref, Fields: record.Fields{"email": record.OfText("Anna@example.com")}})
	if err != nil || edited.Fields["email"].Text() != "anna@example.com" || edited.Fields["first_name"].Text() != "Anna" {
		t.Errorf("update: got %v, %v", edited, err)
	}
	cleared, err := c.Apply(ctx, record.Change{ID: "i4", Op: record.Update, Ref: made.Ref, Fields: record.Fields{"email": record.Nothing()}})
	if err != nil || !cleared.Fields["email"].Empty() {
		t.Errorf("clear: got %v, %v", cleared, err)
	}
	if got, err := c.Get(ctx, made.Ref, connectors.Scope{}); err != nil || !got.Fields.Equal(cleared.Fields) {
		t.Errorf("get: got %v, %v", got, err)
	}
	_, err = c.Get(ctx, record.Ref{Kind: "contacts", ID: "none"}, connectors.Scope{})
	fails(t, err, connectors.NotFound)

	for n := range 249 {
		sim.Put("contacts", map[string]any{"first_name": "Guest", "phone_number": fmt.Sprint("+9992", 1000+n)})
	}
	sim.AddFault(simulator.Fault{Kind: simulator.FaultClamp, Limit: 70})
	sim.ResetCounts()
	ids, last, err := walk(ctx, c, connectors.Query{Kind: "contacts"})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, id := range ids {
		seen[id] = true
	}
	want(t, "rows, distinct, total", fmt.Sprint(len(ids), len(seen), last.Total), "250 250 250")
}

func TestReservationsAgainstTheSimulator(t *testing.T) {
	sim, c := simulated(t, simulator.Options{}, "platform")
	for day := 1; day <= 20; day++ {
		sim.Put("reservations", map[string]any{
			"client_full_name": "Guest", "client_phone_number": "+999100", "status": "CONFIRMED",
			"starting_date": fmt.Sprintf("2026-05-%02d", day), "ending_date": fmt.Sprintf("2026-05-%02d", day+2),
		})
	}
	scope := connectors.Scope{From: "2026-05-10", To: "2026-05-12"}
	ids, _, err := walk(t.Context(), c, connectors.Query{Kind: "reservations", Scope: scope})
	if err != nil || len(ids) != 5 {
		t.Errorf("stays that touch three days: got %d, %v", len(ids), err)
	}
	found, err := c.Find(t.Context(), "reservations", record.Fields{
		"client_phone_number": record.OfText("+999100"), "starting_date": record.OfText("2026-05-07"),
	}, connectors.Scope{})
	if err != nil || len(found) != 1 {
		t.Errorf("find: got %v, %v", found, err)
	}
}

func TestFaultsOfTheSimulator(t *testing.T) {
	create := func(n int) record.Change {
		return record.Change{Op: record.Create, Ref: record.Ref{Kind: "contacts"}, Fields: record.Fields{
			"first_name": record.OfText("Anna"), "phone_number": record.OfText(fmt.Sprint("+99930", n)),
		}}
	}
	for name, tt := range map[string]struct {
		fault simulator.Fault
		read  connectors.ErrorClass
		write connectors.ErrorClass
		made  int
	}{
		"html":        {simulator.Fault{Kind: simulator.FaultHTML}, connectors.Malformed, connectors.Ambiguous, 0},
		"truncated":   {simulator.Fault{Kind: simulator.FaultTruncated}, connectors.Malformed, connectors.Ambiguous, 1},
		"no list":     {simulator.Fault{Kind: simulator.FaultNoList}, connectors.Malformed, "", 1},
		"offset":      {simulator.Fault{Kind: simulator.FaultOffsetIgnored}, connectors.Malformed, "", 1},
		"throttled":   {simulator.Fault{Kind: simulator.FaultThrottle, RetryForm: simulator.RetrySeconds, RetryAfter: time.Hour}, connectors.Throttled, connectors.Throttled, 0},
		"by a date":   {simulator.Fault{Kind: simulator.FaultThrottle, RetryForm: simulator.RetryDate, RetryAfter: time.Hour}, connectors.Throttled, connectors.Throttled, 0},
		"drop before": {simulator.Fault{Kind: simulator.FaultDropBefore, Method: "write"}, "", connectors.Ambiguous, 0},
		"drop after":  {simulator.Fault{Kind: simulator.FaultDropAfter, Method: "write"}, "", connectors.Ambiguous, 1},
		"504":         {simulator.Fault{Kind: simulator.FaultStatus, Status: 504, Method: "write"}, "", connectors.Ambiguous, 0},
		"503 once":    {simulator.Fault{Kind: simulator.FaultStatus, Status: 503, Times: 1, Method: "GET"}, "", "", 1},
		"503 and how": {simulator.Fault{Kind: simulator.FaultStatus, Status: 503, RetryForm: simulator.RetrySeconds, RetryAfter: time.Second, Times: 1, Method: "write"}, "", "", 1},
		"total":       {simulator.Fault{Kind: simulator.FaultTotalWrong}, "", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim, c := simulated(t, simulator.Options{}, "platform")
			for n := range 150 {
				sim.Put("contacts", map[string]any{"first_name": "Guest", "phone_number": fmt.Sprint("+9992", 1000+n)})
			}
			sim.AddFault(tt.fault)
			_, _, err := walk(t.Context(), c, connectors.Query{Kind: "contacts"})
			want(t, fmt.Sprint("read: ", err), connectors.ClassOf(err), tt.read)
			_, err = c.Apply(t.Context(), create(1))
			want(t, fmt.Sprint("write: ", err), connectors.ClassOf(err), tt.write)
			want(t, "created", sim.Len("contacts")-150, tt.made)
		})
	}
}

// Another vendor's API, by data alone: cursors, nested names, an incremental list.
func TestCRMAgainstTheSimulator(t *testing.T) {
	sim, c := simulated(t, simulator.Options{Dialect: simulator.DialectCRM}, `
auth: {type: header, header: X-Api-Key}
prefix: /api/v2
errors: {message: [errors], exists: {status: [409, 422], match: exists}}
kinds:
  people:
    path: /people
    list:
      items: results
      paging: cursor
      limit_param: limit
      cursor_param: after
      next: paging.next.after
      since: {param: updated_since, overlap: 1s}
    changed: {path: updated_at}
    get: {path: "/people/{id}"}
    find: [{by: [external_ref], params: {external_ref: external_ref}}]
    create: {}
    update: {}
    stamp: {field: external_ref, find: true}
`)
	now := time.Now().Add(-time.Hour)
	sim.SetNow(func() time.Time { return now })
	ctx := t.Context()
	var ids []string
	for n := range 230 {
		ids = append(ids, sim.Put("people", map[string]any{"name": map[string]any{"given": fmt.Sprint("P", n)}}))
	}
	q := connectors.Query{Kind: "people", Fields: []string{"name.given", "name.family"}}
	got, last, err := walk(ctx, c, q)
	if err != nil || len(got) != 230 || last.Since == "" {
		t.Fatalf("full: got %d, since %q, %v", len(got), last.Since, err)
	}
	now = now.Add(time.Minute)
	rec, err := c.Apply(ctx, record.Change{Op: record.Update, Ref: record.Ref{Kind: "people", ID: ids[7]}, Fields: record.Fields{"name.family": record.OfText("Example")}})
	if err != nil || rec.Fields["name.given"].Text() != "P7" {
		t.Fatalf("update: got %v, %v", rec, err)
	}
	made, err := c.Apply(ctx, record.Change{Op: record.Create, Ref: record.Ref{Kind: "people"}, Fields: record.Fields{"name.given": record.OfText("New")}, Stamp: "np:1"})
	if err != nil || made.Stamp != "np:1" {
		t.Fatalf("create: got %v, %v", made, err)
	}
	found, err := c.Find(ctx, "people", record.Fields{"external_ref": record.OfText("np:1")}, connectors.Scope{})
	if err != nil || len(found) != 1 || found[0].Ref != made.Ref {
		t.Errorf("find: got %v, %v", found, err)
	}
	q.Mode = connectors.Since
	page, err := c.Fetch(ctx, q, last.Since)
	if err != nil {
		t.Fatal(err)
	}
	changed := map[string]bool{}
	for {
		for _, item := range page.Items {
			changed[item.ID] = true
		}
		if page.End {
			break
		}
		if page, err = c.Fetch(ctx, q, page.Next); err != nil {
			t.Fatal(err)
		}
	}
	if !changed[ids[7]] || !changed[made.Ref.ID] {
		t.Errorf("the incremental reading shows %d records, and not both that changed", len(changed))
	}
}
