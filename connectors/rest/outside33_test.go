package rest_test

import (
	"fmt"
	"net/http"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Our mark is sent under the name that a new record has for it, and so is everything else.
func TestOutside33MarkUnderItsNewName(t *testing.T) {
	const mark = "np:0000cafe:01JQZ0000000000000000000AA"
	for name, tt := range map[string]struct{ keys, body string }{
		"a name of its own": {
			"    stamp: {field: meta.reference}\n    create: {names: {meta.reference: external_id, phone: to}}\n",
			`{"contact":{"name":"a"},"external_id":"` + mark + `","to":"1"}`,
		},
		"under a parent that moves": {
			"    stamp: {field: contact.reference}\n    create: {names: {contact: client}}\n",
			`{"client":{"name":"a","reference":"` + mark + `"},"phone":"1"}`,
		},
		"names that change places": {
			"    stamp: {field: note}\n    create: {names: {phone: note, note: phone}}\n",
			`{"contact":{"name":"a"},"note":"1","phone":"` + mark + `"}`,
		},
		"the last of an object": {
			"    stamp: {field: note}\n    create: {names: {contact.name: name}}\n",
			`{"name":"a","note":"` + mark + `","phone":"1"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"id":"1"}`) })
			c := open(t, s.URL, listPreset("{items: ., paging: none}")+tt.keys)
			_, err := c.Apply(t.Context(), record.Change{
				Op: record.Create, Ref: record.Ref{Kind: "things"}, Stamp: mark,
				Fields: record.Fields{"contact.name": record.OfText("a"), "phone": record.OfText("1")},
			})
			if err != nil {
				t.Fatal(err)
			}
			want(t, "body", s.last().Body, tt.body)
		})
	}
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"id":"1"}`) })
	c := open(t, s.URL, listPreset("{items: ., paging: none}")+"    create: {names: {phone: contact.name.first}}\n")
	_, err := c.Apply(t.Context(), record.Change{
		Op: record.Create, Ref: record.Ref{Kind: "things"},
		Fields: record.Fields{"contact.name": record.OfText("a"), "phone": record.OfText("1")},
	})
	fails(t, err, connectors.Rejected, "create.names.phone")
}

// A file keeps its name in a form, whatever its field is called in a new record.
func TestOutside33NameOfAFile(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":{"id":"7"}}`) })
	c := open(t, s.URL, fmt.Sprintf(documentsPreset, ", names: {file_name: label}", "file", "lists: repeat"))
	ctx, ch := docChange("hours.md", "From 7")
	if _, err := c.Apply(ctx, ch); err != nil {
		t.Fatal(err)
	}
	parts := partsOf(t, s.last())
	want(t, "parts", parts, "[active=true label=hours.md tags=a tags=b,c title=Hours file (hours.md, text/markdown)=From 7]")
}
