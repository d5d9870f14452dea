package delivery

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The deliveries are made after published descriptions of webhooks; ids and names are
// not from anywhere.
func TestEvents(t *testing.T) {
	for name, c := range map[string]struct {
		header http.Header
		body   string
		want   []Event
	}{
		"thin, with ids of both": {
			body: `{"id":"ev1","type":"event.updated","resource":"event","resource_id":"r7","organization_id":"o"}`,
			want: []Event{{Name: "event.updated", Resource: "event", ID: "r7", Delivery: "ev1"}},
		},
		"fat": {
			body: `{"event":"appointment.booked","event_id":"ev2","data":{"id":"a1","name":"x"}}`,
			want: []Event{{Name: "appointment.booked", Resource: "appointment", ID: "a1", Delivery: "ev2"}},
		},
		"a resource called event, and no id of it": {
			body: `{"type":"event.updated","event_id":"ev3"}`,
			want: []Event{{Name: "event.updated", Resource: "event", Delivery: "ev3"}},
		},
		"a resource called event, with its id": {
			body: `{"type":"event.updated","event_id":"ev3","id":"r7"}`,
			want: []Event{{Name: "event.updated", Resource: "event", ID: "r7", Delivery: "ev3"}},
		},
		"a bare id is the record's": {
			body: `{"type":"contact.updated","id":"c1"}`,
			want: []Event{{Name: "contact.updated", Resource: "contact", ID: "c1"}},
		},
		"the record's id twice": {
			body: `{"type":"contact.updated","id":"c1","data":{"id":"c1"}}`,
			want: []Event{{Name: "contact.updated", Resource: "contact", ID: "c1"}},
		},
		"the header names the delivery": {
			header: http.Header{"Webhook-Id": {"msg_1"}}, body: `{"type":"contact.updated","id":"c1"}`,
			want: []Event{{Name: "contact.updated", Resource: "contact", ID: "c1", Delivery: "msg_1"}},
		},
		"an array, with long numbers": {
			body: `[{"eventId":90071992547409931,"subscriptionType":"contact.creation","objectId":12},{"eventId":5,"subscriptionType":"deal.creation","objectId":13}]`,
			want: []Event{
				{Name: "contact.creation", Resource: "contact", ID: "12", Delivery: "90071992547409931"},
				{Name: "deal.creation", Resource: "deal", ID: "13", Delivery: "5"},
			},
		},
		"slashes":                    {body: `{"topic":"orders/paid","id":4}`, want: []Event{{Name: "orders/paid", Resource: "orders", ID: "4"}}},
		"underlines":                 {body: `{"event_type":"phone_call_ended","data":{"phone_call_id":"9"}}`, want: []Event{{Name: "phone_call_ended", Resource: "phone_call", ID: "9"}}},
		"a resource within":          {body: `{"event":"call.ended","data":{"call":{"id":"k"},"id":"other"}}`, want: []Event{{Name: "call.ended", Resource: "call", ID: "k"}}},
		"nothing is named":           {body: `{}`, want: []Event{{}}},
		"an empty array":             {body: `[]`, want: []Event{}},
		"what is no text is no id":   {body: `{"type":"contact.updated","id":{"a":1}}`, want: []Event{{Name: "contact.updated", Resource: "contact"}}},
		"a name that is no resource": {body: `{"type":"ping"}`, want: []Event{{Name: "ping"}}},
	} {
		t.Run(name, func(t *testing.T) {
			h := c.header
			if h == nil {
				h = http.Header{}
			}
			got, err := Any.Events(h, []byte(c.body))
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%v: %s", err, diff)
			}
		})
	}
}

func TestMalformedBodies(t *testing.T) {
	for _, body := range []string{"", "null", "5", `"text"`, "{", `{} {}`, `[1]`, `[{}, null]`, "\xff", "<html>", "[" + strings.Repeat("{},", mostEvents) + "{}]"} {
		if got, err := Any.Events(http.Header{}, []byte(body)); err == nil {
			t.Errorf("%.20q: got %v, want an error", body, got)
		}
	}
}

// Whatever a body is, it ends in events or in an error, and an id is a text of the body.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(`{"id":"ev1","type":"event.updated","resource":"event","resource_id":"r7"}`))
	f.Add([]byte(`[{"eventId":1,"subscriptionType":"contact.creation","objectId":12}]`))
	f.Add([]byte(`{"type":"a.b","a":{"id":1e999}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		events, err := Any.Events(http.Header{}, body)
		if err == nil && len(events) > mostEvents {
			t.Errorf("%d events", len(events))
		}
	})
}
