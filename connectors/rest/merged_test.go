package rest_test

import (
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// A record that shows the id of the one it was merged into has moved there, however it
// is read; one that shows none, or its own, is there.
func TestMergedRecordsHaveMoved(t *testing.T) {
	preset := strings.Replace(crm, "    id: key.id\n", "    id: key.id\n    merged: merged.into\n", 1)
	ref := record.Ref{Kind: "people", ID: "77"}
	for name, tt := range map[string]struct {
		person string
		to     string
	}{
		"a number":     {`{"key":{"id":77},"phone":"1","merged":{"into":78}}`, "78"},
		"a text":       {`{"key":{"id":77},"phone":"1","merged":{"into":"x-78"}}`, "x-78"},
		"none":         {`{"key":{"id":77},"phone":"1","merged":{"into":null}}`, ""},
		"not shown":    {`{"key":{"id":77},"phone":"1"}`, ""},
		"into itself":  {`{"key":{"id":77},"phone":"1","merged":{"into":77}}`, ""},
		"another kind": {`{"key":{"id":77},"phone":"1","merged":{"into":{}}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := crmServer(t, `{"person":`+tt.person+`,"people":[`+tt.person+`]}`, 0)
			c := open(t, s.URL, preset)
			_, err := c.Get(t.Context(), ref, connectors.Scope{})
			page, fetchErr := c.Fetch(t.Context(), connectors.Query{Kind: "people"}, "")
			if fetchErr != nil {
				t.Fatal(fetchErr)
			}
			_, readErr := page.Read(page.Items[0])
			found, findErr := c.Find(t.Context(), "people", record.Fields{"phone": record.OfText("1")}, connectors.Scope{})
			if findErr != nil {
				t.Fatal(findErr)
			}
			if tt.to == "" {
				if err != nil || readErr != nil || len(found) != 1 {
					t.Errorf("got %v, %v and %d found, want the record", err, readErr, len(found))
				}
				return
			}
			for _, err := range []error{err, readErr} {
				fails(t, err, connectors.Moved, tt.to)
			}
			if len(found) != 0 {
				t.Errorf("found %v", found)
			}
		})
	}
}
