package rest_test

import (
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// A record that shows that it was deleted is not there, however it is read. One that shows
// anything else at that place can't be read, and one that was merged has moved all the same.
func TestWeakDeletedRecordsAreNotThere(t *testing.T) {
	preset := strings.Replace(crm, "    id: key.id\n", "    id: key.id\n    merged: merged.into\n    deleted: life.deleted_at\n", 1)
	ref := record.Ref{Kind: "people", ID: "77"}
	for name, tt := range map[string]struct {
		person string
		want   connectors.ErrorClass
	}{
		"a time":               {`{"key":{"id":77},"phone":"1","life":{"deleted_at":"2031-05-16T10:00:00Z"}}`, connectors.NotFound},
		"seconds":              {`{"key":{"id":77},"phone":"1","life":{"deleted_at":1936692000}}`, connectors.NotFound},
		"yes":                  {`{"key":{"id":77},"phone":"1","life":{"deleted_at":true}}`, connectors.NotFound},
		"one":                  {`{"key":{"id":77},"phone":"1","life":{"deleted_at":"1"}}`, connectors.NotFound},
		"no":                   {`{"key":{"id":77},"phone":"1","life":{"deleted_at":false}}`, ""},
		"a no as text":         {`{"key":{"id":77},"phone":"1","life":{"deleted_at":"False"}}`, ""},
		"zero":                 {`{"key":{"id":77},"phone":"1","life":{"deleted_at":0}}`, ""},
		"a time of zeros":      {`{"key":{"id":77},"phone":"1","life":{"deleted_at":"0000-00-00 00:00:00"}}`, ""},
		"empty":                {`{"key":{"id":77},"phone":"1","life":{"deleted_at":""}}`, ""},
		"null":                 {`{"key":{"id":77},"phone":"1","life":{"deleted_at":null}}`, ""},
		"not shown":            {`{"key":{"id":77},"phone":"1"}`, ""},
		"merged, then deleted": {`{"key":{"id":77},"phone":"1","merged":{"into":78},"life":{"deleted_at":true}}`, connectors.Moved},
		"a list":               {`{"key":{"id":77},"phone":"1","life":{"deleted_at":[]}}`, connectors.Malformed},
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
			for _, err := range []error{err, readErr} {
				if got := connectors.ClassOf(err); got != tt.want {
					t.Errorf("got %v, want class %q", err, tt.want)
				}
			}
			if there := tt.want == ""; there != (len(found) == 1) {
				t.Errorf("found %v", found)
			}
		})
	}
}
