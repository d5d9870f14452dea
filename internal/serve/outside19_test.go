package serve

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// saying has each answer of the platform tell these headers.
func saying(h map[string]string) func(http.Header) {
	return func(header http.Header) {
		for name, value := range h {
			header.Set(name, value)
		}
	}
}

// metric is the sum of a metric's values.
func (n *inn) metric(name string) float64 {
	n.t.Helper()
	reg := prometheus.NewRegistry()
	reg.MustRegister(collector{n.Daemon})
	all, err := reg.Gather()
	if err != nil {
		n.t.Fatal(err)
	}
	sum := 0.0
	for _, family := range all {
		if family.GetName() == name {
			for _, m := range family.GetMetric() {
				sum += m.GetGauge().GetValue()
			}
		}
	}
	return sum
}

// What a good answer tells of a quota keeps nobody from asking for longer than a
// quarter of an hour, and is not believed any more once it was shown to be wrong.
func TestOutside19GoodAnswerSilencesForAQuarterOfAnHour(t *testing.T) {
	for name, h := range map[string]map[string]string{
		"milliseconds":      {"X-RateLimit-Limit": "100", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "60000"},
		"only what is left": {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "60000"},
		"years":             {"RateLimit": `"default";r=0;t=99999999`},
		"an older draft":    {"RateLimit": "limit=10, remaining=0, reset=31536000"},
		"a date":            {"X-RateLimit-Limit": "100", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "Fri, 01 Jan 2100 00:00:00 GMT"},
		"a slow window":     {"X-RateLimit-Limit": "2", "X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "999999"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newInn(t, told{}, func(n *inn) {
					for i := range 25 {
						n.contact(i)
					}
					n.alter = saying(h)
				})
				defer n.stop()
				n.hint("guests", "contacts", "")
				n.pass(10 * time.Minute)
				if ds, err := n.store.Doubts(t.Context()); err != nil || len(ds) != 1 || ds[0].System != "platform" || ds[0].Belied {
					t.Errorf("noted for status: got %+v, %v, want what the platform tells", ds, err)
				}
				if got := n.metric("nightporter_quotas_doubted"); got != 1 {
					t.Errorf("the metric: got %v, want 1", got)
				}
				n.pass(40 * time.Minute)
				if got := n.count("guests"); got != 25 {
					t.Errorf("guests after 50 minutes: got %d, want all 25", got)
				}
			})
		})
	}
}
