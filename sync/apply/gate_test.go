package apply

import (
	"context"
	"errors"
	"slices"
	"testing"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// A write is asked about as the last thing before it goes out: when the connector
// gets it, and when its turn has come there.
func TestKeptBack(t *testing.T) {
	fenced := errors.New("taken over")
	tests := map[string]struct {
		before, meanwhile func(d *diary, why *string)
		again             bool
		want              Result
		last              string // of the journal
		err               error
	}{
		"paused before":            {before: func(_ *diary, why *string) { *why = "paused" }, want: Kept, last: "fail cancelled transient"},
		"paused meanwhile":         {meanwhile: func(_ *diary, why *string) { *why = "paused" }, want: Kept, last: "fail cancelled transient"},
		"paused before it goes on": {meanwhile: func(_ *diary, why *string) { *why = "paused" }, again: true, want: Kept, last: "fail sent "},
		"taken over meanwhile":     {meanwhile: func(d *diary, _ *string) { d.fails["holds"] = fenced }, last: "open", err: fenced},
		"nothing in the way":       {meanwhile: func(*diary, *string) {}, want: Done, last: "settle"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			why := ""
			d := &diary{fails: map[string]error{}}
			d.answer.Ref.ID = "1"
			if tt.before != nil {
				tt.before(d, &why)
			}
			if tt.meanwhile != nil {
				d.waits = func() { tt.meanwhile(d, &why) }
			}
			a := applierOf(d, withGet)
			a.Held = func(_ context.Context, in record.Intent) (string, error) {
				if in.Place.Side != record.Right {
					t.Errorf("asked about the %s side, want the right one", in.Place.Side)
				}
				return why, nil
			}
			out, err := send(t, a, create(), tt.again)
			if !errors.Is(err, tt.err) || out.Result != tt.want {
				t.Errorf("got result %d and error %v, want %d and %v", out.Result, err, tt.want, tt.err)
			}
			if got := d.log[len(d.log)-1]; got != tt.last {
				t.Errorf("the journal ends with %q, want %q", got, tt.last)
			}
			if sent := slices.Contains(d.log, "REQUEST"); sent != (tt.want == Done) {
				t.Errorf("sent: %t, want %t", sent, tt.want == Done)
			}
		})
	}
}

func send(t *testing.T, a *Applier, act plan.Action, again bool) (Outcome, error) {
	t.Helper()
	if again {
		return a.Again(t.Context(), sentOnce(a, act))
	}
	return a.Apply(t.Context(), act)
}
