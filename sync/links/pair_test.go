package links

import (
	"testing"

	"nightporter/sync/refer"
	"nightporter/sync/run"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// A record that names two others waits for both: a store keeps what it waits for as
// it was noted last.
func TestWaitsForAllItNames(t *testing.T) {
	guest := record.Wait{Binding: "guests", Side: record.Right, Ref: record.Ref{Kind: "guests", ID: "7"}}
	payer := record.Wait{Binding: "guests", Side: record.Right, Ref: record.Ref{Kind: "guests", ID: "9"}}
	r := &Room{Run: &run.Run{House: &run.House{}, Job: &run.Job{References: []run.Reference{{Field: "guest"}, {Field: "payer"}}}}}
	r.refer = refer.New(r.Run, nil)
	var sides [2]run.SeenSide
	for _, side := range record.Sides {
		sides[side].Side = plan.Side{Now: record.Fields{}, Native: record.Fields{}}
	}
	sides[record.Right].Since = record.Entry{Num: 4}
	sides[record.Right].Open = map[string]run.Resolution{
		"guest": {Standing: refer.Waiting, Wait: guest}, "payer": {Standing: refer.Held, Wait: payer},
	}
	_, ws, err := r.NewCase(t.Context(), 3, "E3", sides)
	if err != nil {
		t.Fatal(err)
	}
	if len(ws) != 1 || ws[0].Entry.Num != 4 {
		t.Fatalf("got %d notes, want one of entry 4: %+v", len(ws), ws)
	}
	if diff := cmp.Diff([]record.Wait{guest, payer}, ws[0].On); diff != "" {
		t.Errorf("waits for (-want +got):\n%s", diff)
	}
}
