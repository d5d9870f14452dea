package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
)

// cost is what a process used.
type cost struct {
	cpu  float64 // seconds, user and system
	hwm  int     // KiB, VmHWM
	wall time.Duration
	out  []byte
}

// measured runs a program to its end and says what it cost.
func measured(b *testing.B, program string, args ...string) cost {
	b.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	// What wait reports as the most memory counts this process's own before the
	// exec, so the mark is read from /proc as long as the program lives.
	c, ended := cost{}, make(chan struct{})
	read := make(chan int)
	go func() {
		most := 0
		for {
			most = max(most, hwmOf(cmd.Process.Pid))
			select {
			case <-ended:
				read <- most
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	err := cmd.Wait()
	close(ended)
	c.hwm, c.wall = <-read, time.Since(begun)
	if err != nil {
		b.Fatalf("%s %v: %v\n%s", filepath.Base(program), args, err, errs.String())
	}
	c.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	c.out = out.Bytes()
	return c
}

func hwmOf(pid int) int {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(b), "VmHWM:")
	if !ok {
		return 0
	}
	n, _ := strconv.Atoi(strings.Fields(rest)[0])
	return n
}

// limitProgram builds the program that does the least a pass must do.
func limitProgram(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "limit")
	if out, err := exec.Command("go", "build", "-o", path, "nightporter/internal/e2e/limit").CombinedOutput(); err != nil {
		b.Fatalf("build the limit: %v\n%s", err, out)
	}
	return path
}

// BenchmarkNoChange is a pass over contacts that are all in step, 100,000 a side or
// NIGHTPORTER_BENCH_N, by the program in a process of its own: its processor time
// and memory beside those of the least that such a pass must do.
func BenchmarkNoChange(b *testing.B) {
	n := 100_000
	if v, err := strconv.Atoi(os.Getenv("NIGHTPORTER_BENCH_N")); err == nil && v > 0 {
		n = v
	}
	program, limit := binary(b), limitProgram(b)
	for _, set := range []struct {
		name string
		ids  simulator.IDStyle
	}{{"ids in key order", simulator.Sequential}, {"random ids", simulator.UUIDs}} {
		b.Run(set.name, func(b *testing.B) {
			h := newHouse(b, simulator.Options{IDs: set.ids, KeepRequests: 1})
			h.exec(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
				INSERT INTO guests (first_name, last_name, phone, email, country, language)
				SELECT 'Guest' || i, 'Bianchi', printf('+39055%07d', i), 'guest' || i || '@example.com', 'IT', 'it' FROM n`, n)
			for i := range n {
				h.sim.Put("contacts", map[string]any{
					"first_name": fmt.Sprintf("Guest%d", i), "last_name": "Bianchi", "language": "it",
					"phone_number": fmt.Sprintf("+39055%07d", i), "email": fmt.Sprintf("guest%d@example.com", i),
					"notes": "Prefers a quiet room on a high floor, late check-in.",
				})
			}
			config := filepath.Join(h.dir, "nightporter.yaml")
			h.write(config, h.config)
			first := measured(b, program, "sync", "--yes", "--config", config)
			b.Logf("%s: first sync of %d a side that all match: %.1f s, %.1f s CPU, %d MiB", set.name, n, first.wall.Seconds(), first.cpu, first.hwm>>10)
			measured(b, program, "sync", "--yes", "--config", config)
			for b.Loop() {
				h.sim.ResetCounts()
				pass := measured(b, program, "sync", "--yes", "--config", config)
				if c := h.sim.Counts(); c.Mutating > 0 {
					b.Fatalf("a pass without a change made %d writes", c.Mutating)
				}
				lists := h.sim.Counts().Lists
				least := measured(b, limit, h.url, simulator.DefaultKey, filepath.Join(h.dir, "nightporter.db"), h.pmsFile())
				var l struct {
					Left, Right int
					HWM         int     `json:"hwm_kb"`
					LeftCPU     float64 `json:"left_cpu"`
				}
				if err := json.Unmarshal(least.out, &l); err != nil {
					b.Fatalf("read what the limit said: %v", err)
				}
				if l.Left != n || l.Right != n {
					b.Fatalf("the limit read %d and %d records, want %d each", l.Left, l.Right, n)
				}
				b.Logf("%s: no change, %d a side: %.2f s CPU (%.1f us a record), VmHWM %d MiB, %.1f s, %d list requests",
					set.name, n, pass.cpu, pass.cpu*1e6/float64(2*n), pass.hwm>>10, pass.wall.Seconds(), lists)
				b.Logf("%s: the limit: %.2f s CPU (platform's side %.2f), VmHWM %d MiB; ratio %.2f", set.name, least.cpu, l.LeftCPU, l.HWM>>10, pass.cpu/least.cpu)
				b.ReportMetric(pass.cpu, "cpu-s")
				b.ReportMetric(least.cpu, "limit-s")
				b.ReportMetric(pass.cpu/least.cpu, "ratio")
				b.ReportMetric(float64(pass.hwm>>10), "MiB")
			}
		})
	}
}

// requests is what the platform was asked for a change beyond two quiet runs' lists.
type requests struct{ gets, finds, writes int }

// asked runs once after when and counts the requests that are not lists.
func (h *house) asked(when func()) requests {
	h.t.Helper()
	count := func() (r requests) {
		c := h.sim.Counts()
		for route, n := range c.Routes {
			if strings.HasPrefix(route, "GET ") && strings.HasSuffix(route, "/{id}") {
				r.gets += n
			}
		}
		r.writes = c.Mutating
		r.finds = c.Lists
		return r
	}
	h.settleAll()
	h.sim.ResetCounts()
	h.sync()
	quiet := count()
	when()
	h.sim.ResetCounts()
	h.sync()
	c := count()
	return requests{gets: c.gets - quiet.gets, finds: c.finds - quiet.finds, writes: c.writes}
}

// BenchmarkRequests says how many requests the platform gets for a change. Before
// the first write of a run it is asked for three linked records, to be sure that it
// is the one we know: these are counted among the reads.
func BenchmarkRequests(b *testing.B) {
	for b.Loop() {
		plain := newHouse(b, simulator.Options{})
		bothNew(plain)
		plain.settleAll()
		b.Logf("create: %+v", plain.asked(func() {
			plain.exec(`INSERT INTO guests (first_name, last_name, phone, email, country) VALUES ('Carla', 'Verdi', '055 0000003', 'carla@example.com', 'IT')`)
		}))
		b.Logf("update: %+v", plain.asked(func() { plain.exec(`UPDATE guests SET last_name = 'Neri' WHERE first_name = 'Bruno'`) }))

		versions := newHouse(b, simulator.Options{Versions: true})
		ifMatch(versions)
		bothNew(versions)
		b.Logf("update with If-Match: %+v", versions.asked(func() { versions.exec(`UPDATE guests SET last_name = 'Neri' WHERE first_name = 'Bruno'`) }))

		actions := newHouse(b, simulator.Options{StatusAction: true})
		statusAction(actions)
		bothNew(actions)
		b.Logf("status action: %+v", actions.asked(func() { actions.exec(`UPDATE reservations SET status = 'cancelled' WHERE channel = 'direct'`) }))
	}
}
