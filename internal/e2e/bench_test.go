package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// installed is the program as it is after a start of the machine: its file is read from the disk. Of a file that was
// just linked the kernel holds pieces so large that a program counts nearly all of it as its own memory, which is 10
// to 17 MiB more.
func installed(b *testing.B) string {
	b.Helper()
	path := binary(b)
	if out, err := exec.Command("dd", "of="+path, "oflag=nocache", "conv=notrunc,fdatasync", "count=0").CombinedOutput(); err != nil {
		b.Fatalf("read %s from the disk: %v\n%s", path, err, out)
	}
	return path
}

// sizes is how many contacts a side the benchmark has: up to NIGHTPORTER_BENCH_N.
func sizes(b *testing.B) []int {
	b.Helper()
	most := 1_000_000
	if v, err := strconv.Atoi(os.Getenv("NIGHTPORTER_BENCH_N")); err == nil && v > 0 {
		most = v
	}
	var out []int
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		if n <= most {
			out = append(out, n)
		}
	}
	return out
}

// BenchmarkNoChange is a pass over contacts that are all in step, 10,000 to 1,000,000
// a side, by the program in a process of its own: its processor time and memory beside
// those of the least that such a pass must do. After it comes one with 1,000 changes.
func BenchmarkNoChange(b *testing.B) {
	program, limit := installed(b), limitProgram(b)
	var table strings.Builder
	for _, set := range []struct {
		name string
		ids  simulator.IDStyle
	}{{"in key order", simulator.Sequential}, {"random", simulator.UUIDs}} {
		for _, n := range sizes(b) {
			b.Run(fmt.Sprintf("%s/%d", set.name, n), func(b *testing.B) {
				h := newHouse(b, simulator.Options{IDs: set.ids, KeepRequests: 1})
				h.people(n)
				config := filepath.Join(h.dir, "nightporter.yaml")
				h.write(config, h.config)
				h.seeded(h.benchState(), set.ids, n)
				first := measured(b, program, "sync", "--yes", "--config", config) // checks the file, as once a day
				for b.Loop() {
					pass, lists := h.least(b, program, "sync", "--yes", "--config", config)
					bound := h.limit(b, limit, n)
					changed := h.thousand(b, n, program, config)
					row := fmt.Sprintf("| %s | %d | %.2f s | %.2f µs | %d MiB | %.1f s | %d | %.2f s | %d MiB | %.2f | %.2f s | %d MiB | %.2f s |\n",
						set.name, n, pass.cpu, pass.cpu*1e6/float64(2*n), pass.hwm>>10, pass.wall.Seconds(), lists,
						bound.cpu, bound.hwm>>10, pass.cpu/bound.cpu, changed.cpu, changed.hwm>>10, first.cpu)
					table.WriteString(row)
					b.ReportMetric(pass.cpu, "cpu-s")
					b.ReportMetric(bound.cpu, "limit-s")
					b.ReportMetric(pass.cpu/bound.cpu, "ratio")
					b.ReportMetric(float64(pass.hwm>>10), "MiB")
				}
			})
		}
	}
	b.Logf("\n| ids | contacts a side | CPU | a record | VmHWM | elapsed | list requests | limit: CPU | limit: VmHWM | ratio | with 1,000 changes | VmHWM | first of the day |\n%s%s",
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|\n", table.String())
}

func (h *house) benchState() string { return filepath.Join(h.dir, "nightporter.db") }

// least is the cheaper of two passes, since other work on the machine makes a pass
// dearer and nothing makes it cheaper; its memory is the larger one's. lists is the
// list requests of one.
func (h *house) least(b *testing.B, program string, args ...string) (c cost, lists int) {
	b.Helper()
	for i := range 2 {
		h.sim.ResetCounts()
		pass := measured(b, program, args...)
		if n := h.sim.Counts().Mutating; n > 0 {
			b.Fatalf("a pass without a change made %d writes", n)
		}
		lists = h.sim.Counts().Lists
		most := max(c.hwm, pass.hwm)
		if i == 0 || pass.cpu < c.cpu {
			c = pass
		}
		c.hwm = most
	}
	return c, lists
}

// limit is the cost of the least that a pass must do, the cheaper of two.
func (h *house) limit(b *testing.B, program string, n int) cost {
	b.Helper()
	c, _ := h.least(b, program, h.url, simulator.DefaultKey, h.benchState(), h.pmsFile())
	var l struct {
		Left, Right int
		HWM         int `json:"hwm_kb"`
	}
	if err := json.Unmarshal(c.out, &l); err != nil {
		b.Fatalf("read what the limit said: %v", err)
	}
	if l.Left != n || l.Right != n {
		b.Fatalf("the limit read %d and %d records, want %d each", l.Left, l.Right, n)
	}
	c.hwm = l.HWM
	return c
}

// thousand is the cost of a pass that finds 1,000 changes, 500 on each side and each on
// a record of its own, and carries them over.
func (h *house) thousand(b *testing.B, n int, program, config string) cost {
	b.Helper()
	const each = 500
	step := n / each
	h.exec(`UPDATE guests SET last_name = 'Neri' WHERE (id - 1) % ? = ?`, step, step/2)
	i := 0
	for _, c := range h.sim.All("contacts") {
		if name, ok := c["first_name"].(string); ok && strings.HasPrefix(name, "Guest") {
			if at, err := strconv.Atoi(name[len("Guest"):]); err == nil && at%step == 0 {
				h.sim.Edit("contacts", c["id"].(string), map[string]any{"first_name": "Lucia"})
				i++
			}
		}
	}
	h.sim.ResetCounts()
	c := measured(b, program, "sync", "--yes", "--config", config)
	if got := h.sim.Counts().Mutating; got != each || i != each {
		b.Fatalf("the platform got %d writes for %d changes, want %d", got, i, each)
	}
	if got := h.one(`SELECT count(*) FROM guests WHERE first_name = 'Lucia'`); got != strconv.Itoa(each) {
		b.Fatalf("the PMS got %s changes, want %d", got, each)
	}
	return c
}

// BenchmarkFirst is the first sync of 20,000 and 100,000 contacts a side that all match.
func BenchmarkFirst(b *testing.B) {
	program := installed(b)
	most := slices.Max(sizes(b))
	for _, n := range []int{20_000, 100_000} {
		if n > max(most, 20_000) {
			continue
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				h := newHouse(b, simulator.Options{KeepRequests: 1})
				h.people(n)
				config := filepath.Join(h.dir, "nightporter.yaml")
				h.write(config, h.config)
				c := measured(b, program, "sync", "--yes", "--config", config)
				b.Logf("first sync of %d a side that all match: %.1f s CPU, VmHWM %d MiB, %.1f s", n, c.cpu, c.hwm>>10, c.wall.Seconds())
				b.ReportMetric(c.cpu, "cpu-s")
				b.ReportMetric(float64(c.hwm>>10), "MiB")
			}
		})
	}
}

// BenchmarkLatency is a pass over 1,000 pages of a platform that takes 100 ms for each
// answer and has no limit: one request at a time, and eight.
func BenchmarkLatency(b *testing.B) {
	const n, size, latency = 10_000, 10, 100 * time.Millisecond
	program := installed(b)
	h := newHouse(b, simulator.Options{KeepRequests: 1})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(latency):
			h.sim.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}))
	defer slow.Close()
	h.people(n)
	h.seeded(h.benchState(), simulator.UUIDs, n)
	config := filepath.Join(h.dir, "nightporter.yaml")
	h.edit(h.url, slow.URL)
	h.edit("preset: platform\n", fmt.Sprintf("preset: platform\n    page_size: %d\n    concurrency: 1\n", size))
	for b.Loop() {
		var took [2]time.Duration
		for i, at := range []string{"concurrency: 1\n", "concurrency: 8\n"} {
			h.edit("concurrency: 1\n", at)
			h.write(config, h.config)
			h.sim.ResetCounts()
			c := measured(b, program, "sync", "--yes", "--config", config)
			took[i] = c.wall
			b.Logf("1,000 pages at %v, %s: %.1f s, %.2f s CPU, VmHWM %d MiB, %d list requests", latency, strings.TrimSpace(at),
				c.wall.Seconds(), c.cpu, c.hwm>>10, h.sim.Counts().Lists)
		}
		b.ReportMetric(took[1].Seconds()/took[0].Seconds(), "of-sequential")
		h.edit("concurrency: 8\n", "concurrency: 1\n")
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
// is the one we know: these are counted among the reads. The first update of a kind is
// a trial, which reads its record before and after: the one before is that.
func BenchmarkRequests(b *testing.B) {
	for b.Loop() {
		plain := newHouse(b, simulator.Options{})
		bothNew(plain)
		plain.settleAll()
		b.Logf("create: %+v", plain.asked(func() {
			plain.exec(`INSERT INTO guests (first_name, last_name, phone, email, country) VALUES ('Carla', 'Verdi', '055 0000003', 'carla@example.com', 'IT')`)
		}))
		trial := plain.asked(func() { plain.exec(`UPDATE guests SET last_name = 'Neri' WHERE first_name = 'Bruno'`) })
		b.Logf("first update: %+v", trial)
		b.Logf("update: %+v", plain.asked(func() { plain.exec(`UPDATE guests SET last_name = 'Bruni' WHERE first_name = 'Bruno'`) }))

		versions := newHouse(b, simulator.Options{Versions: true})
		ifMatch(versions)
		bothNew(versions)
		versions.asked(func() { versions.exec(`UPDATE guests SET last_name = 'Bruni' WHERE first_name = 'Bruno'`) })
		b.Logf("update with If-Match: %+v", versions.asked(func() { versions.exec(`UPDATE guests SET last_name = 'Neri' WHERE first_name = 'Bruno'`) }))

		actions := newHouse(b, simulator.Options{StatusAction: true})
		statusAction(actions)
		bothNew(actions)
		actions.asked(func() { actions.exec(`UPDATE reservations SET status = 'cancelled' WHERE channel = 'voice'`) })
		b.Logf("status action: %+v", actions.asked(func() { actions.exec(`UPDATE reservations SET status = 'cancelled' WHERE channel = 'direct'`) }))
	}
}
