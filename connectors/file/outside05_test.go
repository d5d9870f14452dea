package file_test

import (
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/file"
	"nightporter/sync/record"
)

// A row of a file of JSON lines keeps its lists: a path with a number is read and never
// written, and the description says so.
func TestOutside05ElementsOfAJSONRow(t *testing.T) {
	const text = `{"id":"1","phones":[{"kind":"home","number":"055 1"},{"number":"055 2"}],"note":"a"}` + "\n"
	h := newHouse(t, file.File{Name: "guests.jsonl", Write: file.Rewrite, Fields: []string{"phones.0.number", "note"}}, text, nil)
	d, err := h.conn.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if why := d.Kinds["guests"].Unwritable("phones.0.number"); why == "" {
		t.Error("the description lets an element be written")
	}
	rec, err := h.conn.Get(t.Context(), record.Ref{Kind: "guests", ID: "1"}, connectors.Scope{})
	if err != nil || rec.Fields["phones.0.number"].Text() != "055 1" {
		t.Fatalf("read %v, %v", rec.Fields, err)
	}
	for _, field := range []string{"phones.0.number", "phones.main", "note.text"} {
		if _, err := h.conn.Apply(t.Context(), update("1", field, "055 9")); connectors.ClassOf(err) != connectors.Rejected {
			t.Errorf("%s: got %v, want a refusal", field, err)
		}
	}
	if got := h.text(t); got != text {
		t.Errorf("the file became %s", got)
	}
}
