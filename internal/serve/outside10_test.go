package serve

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"nightporter/simulator"
)

// A list that can't tell what is not there is a number for as long as it is so.
func TestOutside10NumberOfDoubtfulLists(t *testing.T) {
	for name, tt := range map[string]struct {
		fault simulator.FaultKind
		want  string
	}{
		"not whole": {simulator.FaultItemTwice, "guests platform contacts not_whole"},
		"never":     {simulator.FaultNoList, "guests platform contacts never"},
		"empty":     {simulator.FaultEmptyList, "guests platform contacts empty"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newInn(t, told{guests: "when: { full: every 1h }"}, func(n *inn) {
					n.contact(1)
					n.contact(2)
					n.sim.AddFault(simulator.Fault{Kind: tt.fault, Method: "GET", Path: "/contacts"})
				})
				defer n.stop()
				n.pass(2 * time.Hour)
				if got := n.doubtful(); !slices.Contains(got, tt.want) {
					t.Errorf("the lists in doubt are %q, want %q", got, tt.want)
				}
				n.sim.ClearFaults()
				n.pass(3 * time.Hour)
				if got := n.doubtful(); slices.ContainsFunc(got, func(x string) bool { return strings.HasPrefix(x, "guests ") }) {
					t.Errorf("once it is mended: %q", got)
				}
			})
		})
	}
}

// doubtful is the lists in doubt, as the numbers tell of them.
func (n *inn) doubtful() (out []string) {
	h, leave := n.enter()
	defer leave()
	for _, b := range h.Order {
		collector{n.Daemon}.lists(context.Background(), h, b, func(d *prometheus.Desc, _ float64, labels ...string) {
			if d == descLists {
				out = append(out, strings.Join(labels, " "))
			}
		})
	}
	return out
}
