package serve

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/simulator"
	"nightporter/sync/record"
)

// A list that never ends is read to a bound, and its run fails with the keys to look at.
func TestOutside20ListThatNeverEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		faults []simulator.Fault
		most   int // requests of a run
		says   string
	}{
		"new ids for ever": {[]simulator.Fault{{Kind: simulator.FaultEndless}}, 1010, "look at list.paging, list.offset_param and list.has_more in the preset"},
		"in another order, offset ignored": {
			[]simulator.Fault{{Kind: simulator.FaultShuffled}, {Kind: simulator.FaultOffsetIgnored}}, 100, "had been shown before in it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newInn(t, told{}, func(n *inn) {
					for i := range 45 {
						n.contact(i)
					}
				})
				defer n.stop()
				n.hint("guests", "contacts", "")
				n.pass(time.Minute)
				if got := n.count("guests"); got != 45 {
					t.Fatalf("guests before: got %d, want 45", got)
				}
				for _, f := range tc.faults {
					n.sim.AddFault(f)
				}
				begun := time.Now()
				n.hint("guests", "contacts", "")
				n.pass(30 * time.Second)
				runs, err := n.store.Runs(t.Context(), "guests", 1)
				if err != nil || len(runs) != 1 || runs[0].Outcome != record.Failed || !strings.Contains(runs[0].Error, tc.says) {
					t.Errorf("the run: got %+v, %v, want one that failed and says %q", runs, err, tc.says)
				}
				if got := len(n.since(begun, "/contacts")); got > 2*tc.most {
					t.Errorf("requests: got %d, want at most %d in each of two runs", got, tc.most)
				}
				n.sim.ClearFaults()
				n.contact(100)
				n.hint("guests", "contacts", "")
				n.pass(time.Hour)
				if got := n.count("guests"); got != 46 {
					t.Errorf("guests once the list ends again: got %d, want 46", got)
				}
			})
		})
	}
}
