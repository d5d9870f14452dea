package memory_test

import (
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/record"
)

// A list that is not asked for a field knows all the same what it says of the record.
func TestUnfinishedOfAList(t *testing.T) {
	s := newSystem(memory.Kind{Unfinished: status})
	s.Put("guests", sample(1))
	s.Put("guests", sample(2).With(record.Fields{"status": record.OfText("ready")}))
	p, err := s.Connector().Fetch(t.Context(), connectors.Query{Kind: "guests", Fields: []string{"name"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	for i, goesOn := range []bool{true, false} {
		r, err := p.Read(p.Items[i])
		if err != nil || (r.Unfinished != nil) != goesOn || r.Fields["status"].Observed() {
			t.Errorf("%s: got %+v of %v, %v", p.Items[i].ID, r.Unfinished, r.Fields, err)
		}
	}
}
