package rest_test

import (
	"fmt"
	"net/http"
	"testing"

	"nightporter/sync/record"
)

// What an update emptied is put back where nothing stands. What somebody has entered by then stays.
func TestOutside06PutBackWhereNothingStands(t *testing.T) {
	const stored = `{"id":"1","name":"Eve","mail":"","custom":{"lang":null}}`
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, stored) })
	c := open(t, s.URL, listPreset("{items: ., paging: none}")+"    get: {path: \"/things/{id}\"}\n    update: {method: PUT}\n")
	err := c.PutBack(t.Context(), record.Ref{Kind: "things", ID: "1"}, record.Fields{
		"name": record.OfText("Ada"), "mail": record.OfText("ada@example.com"), "custom.lang": record.OfText("it"), "custom.pillow": record.OfText("soft"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "body", s.last().Body, `{"custom":{"lang":"it","pillow":"soft"},"id":"1","mail":"ada@example.com","name":"Eve"}`)
}
