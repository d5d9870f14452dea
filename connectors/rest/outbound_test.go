package rest_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

func asked(more record.Fields) record.Change {
	f := record.Fields{
		"phone_number": record.OfText("+390550000001"), "custom_context.request": record.OfText("7"),
		"custom_context.text": record.OfText("your table is ready"),
	}
	maps.Copy(f, more)
	return record.Change{ID: "x", Op: record.Create, Ref: record.Ref{Kind: "outbound_calls"}, Fields: f, Stamp: "np:a:b"}
}

// A call is asked for under the names that the preset has, and not a second time: only an
// answer that says so leaves it undone.
func TestAskForACall(t *testing.T) {
	const placed = `{"ok":true,"data":{"id":"k1","phone_number":"+390550000001"}}`
	for name, c := range map[string]struct {
		status int
		header map[string]string
		body   string
		want   connectors.ErrorClass
		asked  int
	}{
		"placed":                         {status: 201, body: placed, asked: 1},
		"placed, and no id is shown":     {status: 202, body: `{"ok":true,"data":{"message":"queued"}}`, want: connectors.Ambiguous, asked: 1},
		"placed, and garbage is shown":   {status: 200, body: `{"ok":tr`, want: connectors.Ambiguous, asked: 1},
		"placed, or not":                 {status: 500, body: `{"ok":false,"error":"x"}`, want: connectors.Ambiguous, asked: 1},
		"a gateway gave up":              {status: 504, want: connectors.Ambiguous, asked: 1},
		"come again, says a gateway":     {status: 503, header: map[string]string{"Retry-After": "0"}, want: connectors.Ambiguous, asked: 1},
		"it took too long":               {status: 408, want: connectors.Ambiguous, asked: 1},
		"whoever placed it is led away":  {status: 302, header: map[string]string{"Location": "/calls/k1"}, want: connectors.Ambiguous, asked: 1},
		"it is there already":            {status: 409, body: `{"ok":false,"error":"a call to this number already exists"}`, want: connectors.Ambiguous, asked: 1},
		"it is there already, with 200":  {status: 200, body: `{"ok":false,"error":"already exists"}`, want: connectors.Ambiguous, asked: 1},
		"no such number":                 {status: 422, body: `{"ok":false,"error":"to_number is not a phone number"}`, want: connectors.Rejected, asked: 1},
		"no such number, with 200":       {status: 200, body: `{"ok":false,"error":"to_number is not a phone number"}`, want: connectors.Rejected, asked: 1},
		"the key may not":                {status: 403, want: connectors.Forbidden, asked: 1},
		"too many, and nothing was done": {status: 429, header: map[string]string{"Retry-After": "0"}, want: connectors.Throttled, asked: 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				for k, v := range c.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			})
			rec, err := open(t, s.URL, "platform").Apply(t.Context(), asked(nil))
			if got := connectors.ClassOf(err); got != c.want {
				t.Errorf("got %q (%v), want %q", got, err, c.want)
			}
			want(t, "requests", s.count(), c.asked)
			if c.want == "" {
				want(t, "id", rec.Ref.ID, "k1")
			}
			got := s.last()
			want(t, "path", got.Method+" "+got.Path, "POST /external/v1/calls")
			want(t, "body", got.Body, `{"custom_context":{"reference":"np:a:b","request":"7","text":"your table is ready"},"to_number":"+390550000001"}`)
		})
	}
}

// What belongs into the address stands there, encoded, and not in the body.
func TestAskForACallByAnAction(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"ok":true,"data":{"id":"k1"}}`) })
	c := open(t, s.URL, "yourang")
	_, err := c.Apply(t.Context(), asked(nil))
	fails(t, err, connectors.Rejected, "configuration_id belongs into the address and has no value")
	want(t, "requests without an address", s.count(), 0)
	_, err = c.Apply(t.Context(), asked(record.Fields{"configuration_id": record.OfText("a/b?c")}))
	if err != nil {
		t.Fatal(err)
	}
	got := s.last()
	want(t, "path", got.Path, "/external/v1/actions/a%2Fb%3Fc/execute")
	want(t, "body", got.Body, `{"custom_context":{"reference":"np:a:b","request":"7","text":"your table is ready"},"to_number":"+390550000001"}`)
	d, err := c.Describe(t.Context())
	if err != nil || !slices.Equal(d.Kinds["outbound_calls"].Once, []string{"phone_number"}) {
		t.Errorf("got %v, %v, want that it is done once", d.Kinds["outbound_calls"].Once, err)
	}
}
