package rest_test

import (
	"fmt"
	"net/http"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// An update of a record that is sent whole puts nothing in the place of a list, nor of
// anything else that is no object.
func TestOutside05NothingOnTheWayIsReplaced(t *testing.T) {
	const stored = `{"id":"1","phones":[{"number":"1"}],"address":"Via Roma","extra":null}`
	for name, tt := range map[string]struct {
		field string
		value record.Value
		body  string
	}{
		"an element":            {"phones.0.number", record.OfText("2"), ""},
		"an element, emptied":   {"phones.0.number", record.Nothing(), ""},
		"below a list":          {"phones.main", record.OfText("2"), ""},
		"below a text":          {"address.street", record.OfText("2"), ""},
		"below a text, emptied": {"address.street", record.Nothing(), ""},
		"below a null":          {"extra.street", record.OfText("2"), `{"address":"Via Roma","extra":{"street":"2"},"id":"1","phones":[{"number":"1"}]}`},
		"a whole list":          {"phones", record.OfList(record.OfText("2")), `{"address":"Via Roma","extra":null,"id":"1","phones":["2"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, stored) })
			c := open(t, s.URL, listPreset("{items: ., paging: none}")+"    get: {path: \"/things/{id}\"}\n    update: {method: PUT, mode: rewrite}\n")
			_, err := c.Apply(t.Context(), record.Change{
				Op: record.Update, Ref: record.Ref{Kind: "things", ID: "1"}, Fields: record.Fields{tt.field: tt.value},
			})
			if tt.body == "" {
				fails(t, err, connectors.Rejected, tt.field)
				want(t, "the last request", s.last().Method, "GET")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want(t, "body", s.last().Body, tt.body)
		})
	}
}
