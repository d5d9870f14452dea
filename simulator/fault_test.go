package simulator_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/simulator"
)

// pass lets fake time go by in a synctest bubble.
func pass(d time.Duration) { <-time.After(d) }

func TestFaultMatching(t *testing.T) {
	tests := []struct {
		name  string
		fault simulator.Fault
		fail  []int // which of the requests below fail
	}{
		{"all", simulator.Fault{}, []int{0, 1, 2, 3, 4, 5}},
		{"method", simulator.Fault{Method: "get"}, []int{0, 2, 4}},
		{"writes", simulator.Fault{Method: "write"}, []int{1, 3, 5}},
		{"path", simulator.Fault{Path: "/reservations"}, []int{4, 5}},
		{"longer path", simulator.Fault{Path: "/contacts/"}, []int{2, 3}},
		{"first two", simulator.Fault{Times: 2}, []int{0, 1}},
		{"third", simulator.Fault{Skip: 2, Times: 1}, []int{2}},
		{"second write", simulator.Fault{Method: "write", Skip: 1, Times: 1}, []int{3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, ids := seeded(simulator.Options{}, 1)
			c := call(t, s)
			tt.fault.Kind, tt.fault.Status = simulator.FaultStatus, 502
			id := s.AddFault(tt.fault)
			var fail []int
			for n, req := range []struct {
				method, path string
				body         object
			}{
				{"GET", "/contacts", nil},
				{"POST", "/contacts", guest(2)},
				{"GET", "/contacts/" + ids[0], nil},
				{"PATCH", "/contacts/" + ids[0], object{"notes": "x"}},
				{"GET", "/reservations", nil},
				{"POST", "/reservations", stay(1, "2030-01-01", "2030-01-02")},
			} {
				if c.do(req.method, req.path, req.body).status == 502 {
					fail = append(fail, n)
				}
			}
			same(t, "failed requests", fail, tt.fail)
			same(t, "hits", s.FaultHits(id), len(tt.fail))
			same(t, "removed", []bool{s.RemoveFault(id), s.RemoveFault(id)}, []bool{true, false})
			c.want(200, "GET", "/contacts", nil)
		})
	}
}

func TestFaultProbability(t *testing.T) {
	failures := func(seed uint64) (out []int) {
		s := simulator.New(simulator.Options{Seed: seed})
		s.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Probability: 0.3})
		for n := range 1000 {
			if call(t, s).do("GET", "/contacts", nil).status == 503 {
				out = append(out, n)
			}
		}
		return out
	}
	one := failures(1)
	if len(one) < 250 || len(one) > 350 {
		t.Errorf("got %d failures in 1,000 at 0.3", len(one))
	}
	same(t, "the same seed again", failures(1), one)
	if two := failures(2); fmt.Sprint(two) == fmt.Sprint(one) {
		t.Error("got the same failures from another seed")
	}
}

func TestThrottle(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 1, time.UTC)
	tests := []struct {
		form simulator.RetryForm
		want string
	}{
		{simulator.RetryNone, ""},
		{simulator.RetrySeconds, "2"},
		{simulator.RetryDate, "Tue, 01 Jan 2030 00:00:02 GMT"},
	}
	for _, tt := range tests {
		s := simulator.New(simulator.Options{})
		s.SetNow(func() time.Time { return now })
		s.AddFault(simulator.Fault{Kind: simulator.FaultThrottle, RetryForm: tt.form, RetryAfter: 1500 * time.Millisecond, Times: 1})
		r := call(t, s).want(429, "POST", "/contacts", guest(1))
		same(t, "Retry-After", r.header.Get("Retry-After"), tt.want)
		same(t, "body", r.raw, `{"ok":false,"error":"rate limit exceeded"}`)
		same(t, "records", s.Len("contacts"), 0)
		call(t, s).want(201, "POST", "/contacts", guest(1))
	}
}

// What a client sees of a write under a fault, and what the server has of it.
func TestWriteFaults(t *testing.T) {
	tests := []struct {
		fault          simulator.Fault
		status         int // 0 for a dropped connection
		body           string
		applied, later int
	}{
		{simulator.Fault{Kind: simulator.FaultStatus}, 503, `{"ok":false`, 0, 0},
		{simulator.Fault{Kind: simulator.FaultStatus, Status: 500, Applied: true}, 500, `{"ok":false`, 1, 1},
		{simulator.Fault{Kind: simulator.FaultHTML}, 200, "<!DOCTYPE html>", 0, 0},
		{simulator.Fault{Kind: simulator.FaultTruncated}, 201, `{"ok":true,"data":{"id":`, 1, 1},
		{simulator.Fault{Kind: simulator.FaultDropBefore}, 0, "", 0, 0},
		{simulator.Fault{Kind: simulator.FaultDropAfter}, 0, "", 1, 1},
		{simulator.Fault{Kind: simulator.FaultLateDrop, Delay: time.Second}, 0, "", 0, 1},
		{simulator.Fault{Kind: simulator.FaultLate504, Delay: time.Second}, 504, `{"ok":false`, 0, 1},
	}
	for _, tt := range tests {
		t.Run(string(tt.fault.Kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := simulator.New(simulator.Options{})
				s.AddFault(tt.fault)
				r, err := call(t, s).try("POST", "/contacts", guest(1))
				if dropped := errors.Is(err, simulator.ErrDropped); dropped != (tt.status == 0) || !dropped && err != nil {
					t.Fatalf("got error %v, want dropped %v", err, tt.status == 0)
				}
				same(t, "status", r.status, tt.status)
				same(t, "logged status", s.Requests()[0].Status, tt.status)
				if !strings.HasPrefix(r.raw, tt.body) {
					t.Errorf("got body %q, want it to begin with %q", r.raw, tt.body)
				}
				if r.body != nil && (tt.fault.Kind == simulator.FaultTruncated || tt.fault.Kind == simulator.FaultHTML) {
					t.Errorf("got a whole JSON body %q", r.raw)
				}
				same(t, "applied at once", s.Len("contacts"), tt.applied)
				same(t, "pending", s.Pending(), tt.later-tt.applied)
				pass(999 * time.Millisecond)
				same(t, "applied just before the delay", s.Len("contacts"), tt.applied)
				pass(time.Millisecond)
				synctest.Wait()
				same(t, "applied in the end", s.Len("contacts"), tt.later)
				same(t, "pending in the end", s.Pending(), 0)
				same(t, "requests counted", s.Counts().Mutating, 1)
			})
		})
	}
}

func TestLateWriteMeetsTheRulesOfThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := simulator.New(simulator.Options{})
		c := call(t, s)
		s.AddFault(simulator.Fault{Kind: simulator.FaultLate504, Delay: time.Second, Times: 1})
		c.want(504, "POST", "/contacts", guest(1))
		c.want(201, "POST", "/contacts", guest(1))
		pass(2 * time.Second)
		synctest.Wait()
		same(t, "records", s.Len("contacts"), 1)
	})
}

func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := simulator.New(simulator.Options{})
		s.AddFault(simulator.Fault{Kind: simulator.FaultLatency, Delay: 3 * time.Second})
		started := time.Now()
		call(t, s).want(200, "GET", "/contacts", nil)
		same(t, "took", time.Since(started), 3*time.Second)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://simulator.test/external/v1/contacts", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&http.Client{Transport: s.Transport()}).Do(req)
		if err == nil {
			resp.Body.Close()
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got error %v, want the deadline", err)
		}
		same(t, "took in all", time.Since(started), 4*time.Second)
	})
}

// On a real listener a dropped connection is an end of file, not an answer.
func TestDropOnListener(t *testing.T) {
	s := simulator.New(simulator.Options{})
	server := httptest.NewServer(s)
	defer server.Close()
	c := call(t, s)
	c.client, c.base = server.Client(), server.URL+"/external/v1"
	c.want(201, "POST", "/contacts", guest(1))
	for n, kind := range []simulator.FaultKind{simulator.FaultDropBefore, simulator.FaultDropAfter, simulator.FaultLateDrop} {
		s.AddFault(simulator.Fault{Kind: kind, Method: "write", Times: 1})
		_, err := c.try("POST", "/contacts", guest(n+2))
		var netErr *url.Error
		if !errors.As(err, &netErr) || !errors.Is(err, io.EOF) {
			t.Errorf("%s: got error %v, want an end of file", kind, err)
		}
	}
	deadline := time.After(5 * time.Second)
	for s.Pending() > 0 {
		select {
		case <-deadline:
			t.Fatal("the late write was not applied")
		case <-time.After(time.Millisecond):
		}
	}
	got := c.want(200, "GET", "/contacts", nil).column("first_name")
	same(t, "records", got, []string{"Guest1", "Guest3", "Guest4"})

	s.AddFault(simulator.Fault{Kind: simulator.FaultTruncated, Times: 1})
	if r := c.want(200, "GET", "/contacts", nil); r.body != nil || !strings.HasPrefix(r.raw, `{"ok":true,"data":[`) {
		t.Errorf("got %q, want half a JSON object", r.raw)
	}
}

func TestListFaults(t *testing.T) {
	ids := []string{"c000001", "c000002", "c000003", "c000004", "c000005"}
	const query = "?limit=3&offset=1"
	full := object{"total": 5.0, "limit": 3.0, "offset": 1.0, "has_next": true}
	without := func(name string) object {
		out := object{}
		for k, v := range full {
			if k != name {
				out[k] = v
			}
		}
		return out
	}
	tests := []struct {
		fault simulator.Fault
		query string
		ids   []string
		meta  object
	}{
		{simulator.Fault{Kind: simulator.FaultClamp, Limit: 2}, query, ids[1:3], full},
		{simulator.Fault{Kind: simulator.FaultOffsetIgnored}, query, ids[:3], full},
		{simulator.Fault{Kind: simulator.FaultFilterIgnored}, query + "&first_name=Guest1", ids[1:4], full},
		{simulator.Fault{Kind: simulator.FaultIDMissing}, query, []string{ids[1], "<nil>", ids[3]}, full},
		{simulator.Fault{Kind: simulator.FaultItemTwice}, query, []string{ids[1], ids[2], ids[1]}, full},
		{simulator.Fault{Kind: simulator.FaultNoList}, query, []string{}, full},
		{simulator.Fault{Kind: simulator.FaultEmptyList}, query, []string{}, object{"total": 0.0, "limit": 3.0, "offset": 1.0, "has_next": false}},
		{simulator.Fault{Kind: simulator.FaultTotalWrong}, query, ids[1:4], object{"total": -1.0, "limit": 3.0, "offset": 1.0, "has_next": true}},
		{simulator.Fault{Kind: simulator.FaultTotalMissing}, query, ids[1:4], without("total")},
		{simulator.Fault{Kind: simulator.FaultMaxOffset, Limit: 3}, query, ids[1:3], full},
		{simulator.Fault{Kind: simulator.FaultMaxOffset, Limit: 1}, query, []string{}, object{"total": 5.0, "limit": 3.0, "offset": 1.0, "has_next": false}},
		{simulator.Fault{Kind: simulator.FaultRenamed, Fields: []string{"total"}}, query, ids[1:4], object{"total_v2": 5.0, "limit": 3.0, "offset": 1.0, "has_next": true}},
	}
	for _, tt := range tests {
		t.Run(string(tt.fault.Kind), func(t *testing.T) {
			s, _ := seeded(simulator.Options{IDs: simulator.Sequential}, 5)
			c := call(t, s)
			tt.fault.Times = 1
			s.AddFault(tt.fault)
			c.want(200, "GET", "/contacts/"+ids[0], nil) // not a list: neither touched nor counted
			r := c.want(200, "GET", "/contacts"+tt.query, nil)
			same(t, "ids", r.column("id"), tt.ids)
			same(t, "meta", r.meta(), tt.meta)
			_, listed := r.body["data"]
			same(t, "has its list", listed, tt.fault.Kind != simulator.FaultNoList)
			same(t, "ids of the next request", c.want(200, "GET", "/contacts"+query, nil).column("id"), ids[1:4])
		})
	}
}

func TestFieldsLeftOut(t *testing.T) {
	s, ids := seeded(simulator.Options{}, 2)
	c := call(t, s)
	c.want(200, "GET", "/contacts", nil)
	s.AddFault(simulator.Fault{Kind: simulator.FaultFieldsLeftOut, Fields: []string{"email", "notes"}})
	for _, item := range c.want(200, "GET", "/contacts", nil).items() {
		_, email := item["email"]
		_, phone := item["phone_number"]
		same(t, "shows e-mail, phone", []bool{email, phone}, []bool{false, true})
	}
	same(t, "read by id", c.want(200, "GET", "/contacts/"+ids[0], nil).data()["email"], any("guest1@example.com"))
	s.ClearFaults()
	same(t, "listed later", c.want(200, "GET", "/contacts?limit=1", nil).column("email"), []string{"guest1@example.com"})
}

func TestCRMListFaults(t *testing.T) {
	s := crm(simulator.Options{})
	for n := range 5 {
		s.Put("people", object{"name": object{"given": fmt.Sprint("P", n)}})
	}
	c := callCRM(t, s)
	next := c.want(200, "GET", "/people?limit=2", nil).next()
	s.AddFault(simulator.Fault{Kind: simulator.FaultOffsetIgnored, Times: 1})
	r := c.want(200, "GET", "/people?limit=2&after="+next, nil)
	same(t, "cursor ignored", r.column("id"), []string{"p000001", "p000002"})
	s.AddFault(simulator.Fault{Kind: simulator.FaultFilterIgnored, Times: 1})
	same(t, "updated_since ignored", len(c.want(200, "GET", "/people?updated_since=2999-01-01T00:00:00Z", nil).items()), 5)
	s.AddFault(simulator.Fault{Kind: simulator.FaultNoList, Times: 1})
	same(t, "no list", c.want(200, "GET", "/people", nil).raw, `{"paging":{}}`)
	s.AddFault(simulator.Fault{Kind: simulator.FaultThrottle, Times: 1})
	same(t, "429", c.want(429, "GET", "/people", nil).raw, `{"errors":[{"code":"rate_limited","message":"rate limit exceeded"}]}`)
}

// Faults that end a request exclude each other, in the order of arming; the rest adds up.
func TestFaultsTogether(t *testing.T) {
	s, _ := seeded(simulator.Options{}, 5)
	c := call(t, s)
	s.AddFault(simulator.Fault{Kind: simulator.FaultThrottle, Times: 1})
	s.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Times: 1})
	c.want(429, "GET", "/contacts", nil)
	c.want(503, "GET", "/contacts", nil)
	s.AddFault(simulator.Fault{Kind: simulator.FaultClamp, Limit: 2})
	s.AddFault(simulator.Fault{Kind: simulator.FaultTotalWrong})
	r := c.want(200, "GET", "/contacts", nil)
	same(t, "rows, total", []any{len(r.items()), r.meta()["total"]}, []any{2, -1.0})
}

func TestListLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ids := seeded(simulator.Options{IDs: simulator.Sequential, Order: simulator.ByName}, 4)
		c := call(t, s)
		s.AddFault(simulator.Fault{Kind: simulator.FaultListLag, Delay: 3 * time.Second})
		listed := func(query string) []string { return c.want(200, "GET", "/contacts"+query, nil).column("first_name") }
		before := []string{"Guest1", "Guest2", "Guest3", "Guest4"}
		same(t, "what was there before the lag", listed(""), before)

		c.want(200, "PATCH", "/contacts/"+ids[1], object{"first_name": "Once", "last_name": "Zz", "phone_number": "+999777"})
		pass(time.Second)
		c.want(200, "PATCH", "/contacts/"+ids[1], object{"first_name": "Twice"})
		s.Remove("contacts", ids[2])
		c.want(201, "POST", "/contacts", object{"first_name": "New", "last_name": "Aa", "phone_number": "+999888"})
		same(t, "listed at once", listed(""), before)
		same(t, "found by the new number", listed("?phone_number=%2B999777"), []string{})
		same(t, "found by the old one", listed("?phone_number=%2B99910000002"), []string{"Guest2"})
		same(t, "read by id", c.want(200, "GET", "/contacts/"+ids[1], nil).data()["first_name"], any("Twice"))
		c.want(404, "GET", "/contacts/"+ids[2], nil)

		pass(2 * time.Second)
		same(t, "three seconds after the first change", listed(""), []string{"Guest1", "Guest3", "Guest4", "Once"})
		pass(time.Second)
		same(t, "three seconds after the last", listed(""), []string{"New", "Guest1", "Guest4", "Twice"})

		s.Edit("contacts", ids[0], object{"first_name": "Third"})
		same(t, "lags again", listed("")[1], "Guest1")
		s.ClearFaults()
		same(t, "without the fault", listed("")[1], "Third")
		s.AddFault(simulator.Fault{Kind: simulator.FaultListLag, Delay: 3 * time.Second})
		same(t, "nothing older than the new fault", listed("")[1], "Third")
	})
}

func TestGetLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ids := seeded(simulator.Options{}, 2)
		c := call(t, s)
		s.AddFault(simulator.Fault{Kind: simulator.FaultGetLag, Delay: time.Second})
		c.want(200, "PATCH", "/contacts/"+ids[0], object{"notes": "new"})
		id := c.want(201, "POST", "/contacts", guest(3)).data()["id"].(string)
		s.Remove("contacts", ids[1])
		same(t, "pre-image", c.want(200, "GET", "/contacts/"+ids[0], nil).data()["notes"], nil)
		c.want(404, "GET", "/contacts/"+id, nil)
		c.want(200, "GET", "/contacts/"+ids[1], nil)
		same(t, "lists are fresh", c.want(200, "GET", "/contacts", nil).column("id"), []string{ids[0], id})
		pass(time.Second)
		same(t, "a second later", c.want(200, "GET", "/contacts/"+ids[0], nil).data()["notes"], any("new"))
		c.want(200, "GET", "/contacts/"+id, nil)
		c.want(404, "GET", "/contacts/"+ids[1], nil)
	})
}
