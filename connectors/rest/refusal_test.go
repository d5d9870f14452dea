package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/rest"
	"nightporter/simulator"
	"nightporter/sync/record"
)

// The words of a refusal are found in every body that APIs are known to answer with,
// without a key in the preset.
func TestErrorBodies(t *testing.T) {
	for name, tt := range map[string]struct{ body, want string }{
		"a problem of RFC 9457":     {`{"type":"https://example.com/p","title":"Invalid","status":422,"detail":"first_name is required"}`, "first_name is required"},
		"a problem without detail":  {`{"title":"first_name is required","status":422}`, "first_name is required"},
		"a text":                    {`{"ok":false,"error":"first_name is required"}`, "first_name is required"},
		"a code and a message":      {`{"error":{"code":"invalid","message":"first_name is required"}}`, "first_name is required"},
		"the same, flat":            {`{"code":"invalid","message":"first_name is required"}`, "first_name is required"},
		"a status and a message":    {`{"status":422,"message":"first_name is required"}`, "first_name is required"},
		"a title of the status":     {`{"statusCode":422,"message":"first_name is required","error":"Unprocessable Entity"}`, "first_name is required"},
		"several messages":          {`{"statusCode":422,"message":["first_name is required","phone is odd"],"error":"Unprocessable Entity"}`, "first_name is required; phone is odd"},
		"errors with a detail":      {`{"errors":[{"category":"INVALID","code":"X","detail":"first_name is required","field":"first_name"}]}`, "first_name is required"},
		"errors by their fields":    {`{"errors":{"first_name":["is required"],"phone":["is odd"]}}`, "first_name: is required; phone: is odd"},
		"errors as texts":           {`{"errors":["first_name is required"]}`, "first_name is required"},
		"a detail":                  {`{"detail":"first_name is required"}`, "first_name is required"},
		"details with their places": {`{"detail":[{"loc":["body","first_name"],"msg":"field required","type":"missing"}]}`, "loc: body; first_name; msg: field required"},
		"a bare list":               {`[{"errorCode":"REQUIRED_FIELD_MISSING","message":"first_name is required","fields":["first_name"]}]`, "message: first_name is required"},
		"a page":                    {"<!DOCTYPE html><html><body>first_name</body></html>", ""},
		"nothing":                   {"", ""},
		"no JSON at all":            {"first_name is required", ""},
		"a number":                  {"422", ""},
		"null":                      {"null", ""},
		"an error that is null":     {`{"error":null,"message":"first_name is required"}`, "first_name is required"},
		"half a body":               {`{"error":"first_na`, ""},
		"too long for anybody":      {`{"error":"` + strings.Repeat("long ", 2000) + `"}`, "long long"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusUnprocessableEntity)
				fmt.Fprint(w, tt.body)
			})
			c := open(t, s.URL, listPreset("{items: ., paging: none}")+"    get: {path: \"/things/{id}\"}\n")
			_, err := c.Get(t.Context(), record.Ref{Kind: "things", ID: "1"}, connectors.Scope{})
			fails(t, err, connectors.Rejected, "HTTP 422", tt.want)
			if len(fmt.Sprint(err)) > 2500 {
				t.Errorf("the message has %d bytes", len(fmt.Sprint(err)))
			}
			if tt.want == "" && !strings.HasSuffix(fmt.Sprint(err), "HTTP 422") {
				t.Errorf("got %q, want no words", err)
			}
		})
	}
}

// Each form of an error's body is read by the running client, whatever else the
// dialect is.
func TestEveryErrorForm(t *testing.T) {
	for _, form := range simulator.ErrorForms() {
		for _, duplicate := range []int{400, 409, 422} {
			t.Run(fmt.Sprint(form, " ", duplicate), func(t *testing.T) {
				t.Parallel()
				traits := simulator.Traits{Errors: form, Duplicate: duplicate, Invalid: 422}
				if form == simulator.ErrorHTML || form == simulator.ErrorEmpty {
					traits.Duplicate = 409 // nothing but the status tells
				}
				s := meet(t, traits, "platform", traits.Override())
				s.writes()
				s.refusals()
			})
		}
	}
}

// A list is read to its end whatever the API tells of its limits, and however it
// refuses: not sooner than it may be, and with one refusal in a window at most.
func TestEveryRateForm(t *testing.T) {
	for _, rate := range simulator.RateForms() {
		for _, retry := range []simulator.RetryForm{simulator.RetryNone, simulator.RetrySeconds, simulator.RetryDate} {
			for _, status := range []int{429, 403, 503} {
				if status == 503 && retry == simulator.RetryNone {
					continue // that is no refusal, but a server in trouble
				}
				t.Run(fmt.Sprint(rate, " ", retry, " ", status), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						throttledList(t, simulator.Traits{
							Rate: rate, Retry: retry, Throttled: status, Quotas: []simulator.Quota{{Requests: 20, Per: time.Minute}, {Requests: 60, Per: time.Hour}},
						})
					})
				})
			}
		}
	}
}

// throttledList reads a list of 75 requests at 20 a minute and 60 an hour.
func throttledList(t *testing.T, traits simulator.Traits) {
	const pages, hourly = 75, 60
	sim := simulator.New(simulator.Options{Traits: &traits})
	for n := range pages*10 - 5 {
		sim.Put("contacts", map[string]any{"first_name": "Guest", "phone_number": fmt.Sprint("+9992", 1000+n)})
	}
	c := overlaid(t, "http://api.example.com", "platform", traits.Override(), func(c *rest.Config) { c.Transport = sim.Transport() })
	began := time.Now()
	seen, after := map[string]bool{}, record.Cursor("")
	for range 1000 {
		page, err := c.Fetch(t.Context(), connectors.Query{Kind: "contacts"}, after)
		if connectors.ClassOf(err) == connectors.Throttled { // it would wait for longer than a request may
			time.Sleep(retryAfter(err)) //nolint:forbidigo // in a bubble
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			seen[item.ID] = true
		}
		if page.End {
			break
		}
		after = page.Next
	}
	refused, last := 0, time.Time{}
	for _, r := range sim.Requests() {
		if r.Status != http.StatusOK {
			if !last.IsZero() && r.At.Sub(last) < 30*time.Second {
				t.Errorf("two refusals within %v", r.At.Sub(last))
			}
			refused, last = refused+1, r.At
		}
	}
	want(t, "records", len(seen), pages*10-5)
	if most := 1 + int(time.Since(began)/time.Minute); refused > most {
		t.Errorf("got %d refusals in %v, want one a minute at most", refused, time.Since(began))
	}
	if traits.Retry != simulator.RetryNone && refused > 3 {
		t.Errorf("got %d refusals that say how long, want three at most", refused)
	}
	if took := time.Since(began); took > 3*time.Hour {
		t.Errorf("took %v for %d requests at %d an hour", took, pages, hourly)
	}
}
