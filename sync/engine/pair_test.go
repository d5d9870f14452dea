package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// A record that names two others waits for both: a store keeps what it waits for as
// it was noted last.
func TestWaitsForAllItNames(t *testing.T) {
	guest := record.Wait{Binding: "guests", Side: record.Right, Ref: record.Ref{Kind: "guests", ID: "7"}}
	payer := record.Wait{Binding: "guests", Side: record.Right, Ref: record.Ref{Kind: "guests", ID: "9"}}
	r := &run{House: &House{}, job: &Job{References: []Reference{{Field: "guest"}, {Field: "payer"}}}}
	var sides [2]seenSide
	for _, side := range record.Sides {
		sides[side].Side = plan.Side{Now: record.Fields{}, Native: record.Fields{}}
	}
	sides[record.Right].since = record.Entry{Num: 4}
	sides[record.Right].open = map[string]resolution{
		"guest": {standing: waiting, wait: guest}, "payer": {standing: held, wait: payer},
	}
	_, ws, err := r.newCase(t.Context(), 3, "E3", sides)
	if err != nil {
		t.Fatal(err)
	}
	if len(ws) != 1 || ws[0].entry.num != 4 {
		t.Fatalf("got %d notes, want one of entry 4: %+v", len(ws), ws)
	}
	if diff := cmp.Diff([]record.Wait{guest, payer}, ws[0].on); diff != "" {
		t.Errorf("waits for (-want +got):\n%s", diff)
	}
}
