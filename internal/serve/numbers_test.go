package serve

import (
	"os"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// Every number that is given is in docs/metrics.md, with an alert rule.
func TestNumbersAreDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	table, rules, ok := strings.Cut(string(b), "## Alert rules")
	if !ok {
		t.Fatal("docs/metrics.md has no alert rules")
	}
	n := newNumbers()
	descs := make(chan *prometheus.Desc, 100)
	for _, c := range []prometheus.Collector{n.runs, n.changes, n.seconds, n.alerts, collector{}} {
		c.Describe(descs)
	}
	close(descs)
	count := 0
	for d := range descs {
		_, rest, _ := strings.Cut(d.String(), `fqName: "`)
		name, _, _ := strings.Cut(rest, `"`)
		if count++; !strings.Contains(table, "| `"+name+"` |") || !strings.Contains(rules, name) {
			t.Errorf("%s has no line, or no rule, in docs/metrics.md", name)
		}
	}
	if count < 15 {
		t.Errorf("looked at %d metrics, want all 15", count)
	}
}
