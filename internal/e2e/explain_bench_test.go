package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"nightporter/simulator"
)

// BenchmarkExplain asks the program why a record is as it is: by its id, which has an
// index, and by its name and its phone, for which all values that are kept are read.
func BenchmarkExplain(b *testing.B) {
	program := installed(b)
	var table strings.Builder
	for _, n := range sizes(b) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			h := newHouse(b, simulator.Options{KeepRequests: 1})
			h.people(n)
			config := filepath.Join(h.dir, "nightporter.yaml")
			h.write(config, h.config)
			h.seeded(h.benchState(), simulator.Sequential, n)
			name, phone := fmt.Sprintf("Guest%d Bianchi", n/2), fmt.Sprintf("+39055%07d", n/2)
			for b.Loop() {
				byID := measured(b, program, "explain", fmt.Sprintf("guests:%d", n/2+1), "--config", config)
				byName := measured(b, program, "explain", name, "--config", config)
				byPhone := measured(b, program, "explain", phone, "--config", config)
				for _, c := range []cost{byID, byName, byPhone} {
					if !strings.Contains(string(c.out), fmt.Sprintf("guest%d@example.com", n/2)) {
						b.Fatalf("got no story of %s: %s", name, c.out)
					}
				}
				fmt.Fprintf(&table, "| %d | %.2f s | %.2f s | %.2f s | %.1f s | %d MiB | %d MiB |\n",
					n, byID.cpu, byName.cpu, byPhone.cpu, byName.wall.Seconds(), byID.hwm>>10, byName.hwm>>10)
				b.ReportMetric(byName.cpu/byID.cpu, "ratio")
			}
		})
	}
	b.Logf("\n| contacts a side | by id: CPU | by name: CPU | by phone: CPU | by name: elapsed | by id: VmHWM | by name: VmHWM |\n|---|---|---|---|---|---|---|\n%s", table.String())
}
