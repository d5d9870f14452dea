package e2e

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"nightporter/internal/pgtest"
	"nightporter/simulator"
)

// What a house at rest holds: as much as a hotel of a hundred rooms.
const (
	restPeople = 10_000
	restStays  = 5_000
)

// restCadences is how often a house looks where the platform calls nobody.
var restCadences = [2]string{`
    when: { full: "30 3 * * *" }
`, `
    when: { platform: every 2m, pms: every 1m, full: "45 3 * * *" }
`}

// TestRest has the real daemon run for NIGHTPORTER_REST minutes, by the cadences of a
// house, over two sides that are in step and a PMS on PostgreSQL, and says what that
// costs. It fails where a service at rest writes to either side, logs at every run, or
// has its state file grow without an end.
func TestRest(t *testing.T) {
	minutes, _ := strconv.Atoi(os.Getenv("NIGHTPORTER_REST"))
	if minutes <= 0 {
		t.Skip("takes as many minutes as NIGHTPORTER_REST says: make rest")
	}
	program := binary(t)
	h := newRestHouse(t, program)
	for range 3 { // the first run links, the next find nothing left to do
		h.run(t, program, "sync", "--yes", "--config", h.file)
	}
	h.run(t, program, "backup", "--config", h.file, filepath.Join(h.dir, "empties-the-log.db"))
	h.ask(t, http.MethodPost, h.control+"/reset-counts")
	before := h.pmsStats(t)
	rows := h.rows(t)
	size, log := sizeOf(t, h.state), sizeOf(t, h.state+"-wal")

	d := h.serve(t, program)
	var at []restSample
	at = append(at, d.sample(t)) // the start of the program is not rest
	for range minutes {          // told as it goes: an hour is long, and what was measured until something ends it counts
		d.wait(t, time.Minute)
		s := d.sample(t)
		at = append(at, s)
		t.Logf("minute %d: CPU %.2f s, VmRSS %d MiB, state %d and log %d bytes, %d bytes written, %d requests, %d log lines",
			len(at)-1, s.cpu()-at[0].cpu(), s.rss>>10, s.state, s.log, s.wrote-at[0].wrote, h.counts(t).Total, d.count(t))
	}
	metrics := h.ask(t, http.MethodGet, "http://"+h.listen+"/metrics")
	counts := h.counts(t)
	after := h.pmsStats(t)
	endSize, endLog := sizeOf(t, h.state), sizeOf(t, h.state+"-wal")
	d.stop(t)
	lines := d.lines(t)

	first, last := at[0], at[len(at)-1]
	var most restSample
	for _, s := range at {
		most.rss, most.fds, most.threads = max(most.rss, s.rss), max(most.fds, s.fds), max(most.threads, s.threads)
	}
	var b strings.Builder
	row := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "| %s | "+format+" |\n", append([]any{what}, args...)...)
	}
	row("CPU", "%.2f s, %.2f %% of a core (%.2f s user, %.2f s system)", last.cpu()-first.cpu(),
		100*(last.cpu()-first.cpu())/last.at.Sub(first.at).Seconds(), last.user-first.user, last.system-first.system)
	row("memory", "VmHWM %d MiB; VmRSS %d MiB at the end, %d MiB at most", last.hwm>>10, last.rss>>10, most.rss>>10)
	row("open files, threads", "%d and %d at the end, %d and %d at most", last.fds, last.threads, most.fds, most.threads)
	row("state file", "%d bytes, %+d", endSize, endSize-size)
	row("rows added", "%s", routes(added(rows, h.rows(t))))
	row("its log (WAL)", "%d bytes, %+d", endLog, endLog-log)
	row("bytes written to disk", "%d", last.wrote-first.wrote)
	row("requests to the platform", "%d: %s", counts.Total, routes(counts.Routes))
	row("statements of the PMS", "%d, %d rows read", after.statements-before.statements, after.rows-before.rows)
	row("log lines", "%s", lines)
	row("runs", "%s", strings.Join(grepMetrics(metrics, "nightporter_runs_total"), "; "))
	t.Logf("%d minutes at rest, %d people and %d stays a side:\n%s", minutes, restPeople, restStays, b.String())
	t.Logf("numbers:\n%s", strings.Join(grepMetrics(metrics, "nightporter_"), "\n"))

	if counts.Mutating > 0 || h.marks(t) != 0 {
		t.Errorf("a service at rest made %d writes to the platform and %d to the PMS", counts.Mutating, h.marks(t))
	}
	if len(grepMetrics(metrics, "nightporter_runs_total")) == 0 {
		t.Error("nothing ran")
	}
	if got := d.count(t); got > 10+minutes/20 {
		t.Errorf("the log has %d lines after %d minutes at rest", got, minutes)
	}
	if perHour := (endSize - size) * 60 / int64(minutes); perHour > 4<<20 {
		t.Errorf("the state file grows by %d bytes an hour", perHour)
	}
}

// restHouse is a simulated platform in a process of its own, a PMS on PostgreSQL, and
// a configuration with cadences.
type restHouse struct {
	dir, file, state     string
	url, control, listen string
	dsn                  string
}

func newRestHouse(t *testing.T, program string) *restHouse {
	t.Helper()
	h := &restHouse{dir: t.TempDir(), dsn: pgtest.Start(t).NewPMS(t)}
	h.file, h.state = filepath.Join(h.dir, "nightporter.yaml"), filepath.Join(h.dir, "nightporter.db")
	h.seedPMS(t)
	h.startPlatform(t, program)
	u, err := url.Parse(h.dsn)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	key, word := filepath.Join(h.dir, "platform.key"), filepath.Join(h.dir, "pms.password")
	h.listen = freeAddress(t)
	jobs := configText[strings.Index(configText, "jobs:"):]
	jobs = strings.Replace(jobs, "\n  reservations:\n", restCadences[0]+"  reservations:\n", 1)
	config := fmt.Sprintf(strings.Replace(scaleSystems, "settle: 1ms\n", "", 1), h.url, key, u.Host+u.Path, u.User.Username(), word) +
		strings.TrimRight(jobs, "\n") + restCadences[1] +
		fmt.Sprintf("listen: %s\nbackup: { to: %s, at: \"04:30\", keep: 14 }\n", h.listen, filepath.Join(h.dir, "backup"))
	for path, text := range map[string]string{key: simulator.DefaultKey, word: password, h.file: config} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func (h *restHouse) connect(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), h.dsn)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func (h *restHouse) seedPMS(t *testing.T) {
	t.Helper()
	conn := h.connect(t)
	defer conn.Close(context.WithoutCancel(t.Context()))
	for _, q := range []string{
		fmt.Sprintf(`INSERT INTO pms.guests (first_name, last_name, phone, email, country, language, updated_at)
			SELECT 'Guest' || i, 'Bianchi', '+39055' || to_char(i, 'FM0000000'), 'guest' || i || '@example.com', 'IT', 'it',
				now() - interval '60 days' + i * interval '1 minute'
			FROM generate_series(0, %d) i ORDER BY i`, restPeople-1),
		fmt.Sprintf(`INSERT INTO pms.reservations (guest_id, arrival, departure, updated_at)
			SELECT g.id, date '%s' + (g.n %% 300)::int, date '%s' + (g.n %% 300)::int + 2, now() - interval '60 days' + n * interval '1 minute'
			FROM (SELECT id, row_number() OVER (ORDER BY id) - 1 AS n FROM pms.guests) g WHERE n < %d ORDER BY n`, day(2), day(2), restStays),
		`ANALYZE`,
	} {
		if _, err := conn.Exec(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

// startPlatform serves, from another process, a platform that has what the PMS has.
func (h *restHouse) startPlatform(t *testing.T, program string) {
	t.Helper()
	sim := simulator.New(simulator.Options{})
	for i := range restPeople {
		phone := fmt.Sprintf("+39055%07d", i)
		sim.Put("contacts", map[string]any{
			"first_name": fmt.Sprintf("Guest%d", i), "last_name": "Bianchi", "language": "it",
			"phone_number": phone, "email": fmt.Sprintf("guest%d@example.com", i),
		})
		if i < restStays {
			sim.Put("reservations", map[string]any{
				"client_full_name": fmt.Sprintf("Guest%d Bianchi", i), "client_phone_number": phone,
				"starting_date": day(2 + i%300), "ending_date": day(4 + i%300), "status": "CONFIRMED",
			})
		}
	}
	b, err := json.Marshal(sim.Export())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(h.dir, "platform.json")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "simulate", "--json", "--load", file)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(cmd.Process.Signal(os.Interrupt), cmd.Wait()); err != nil {
			t.Errorf("stop the platform: %v", err)
		}
	})
	var at struct{ URL, Control string }
	if err := json.NewDecoder(out).Decode(&at); err != nil {
		t.Fatal(err)
	}
	h.url, h.control = at.URL, at.Control
}

func (h *restHouse) run(t *testing.T, program string, args ...string) {
	t.Helper()
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("nightporter %v: %v\n%s", args, err, out)
	}
}

func (h *restHouse) ask(t *testing.T, method, address string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := (&http.Client{Timeout: time.Minute}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(res.Body); err != nil || res.StatusCode >= 300 {
		t.Fatalf("%s %s: %s %v", method, address, res.Status, err)
	}
	return b.Bytes()
}

func (h *restHouse) counts(t *testing.T) (c simulator.Counts) {
	t.Helper()
	if err := json.Unmarshal(h.ask(t, http.MethodGet, h.control+"/counts"), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// pmsStats is what the PMS's server counted: transactions, of which a read is one, and
// rows read.
type pmsStats struct{ statements, rows int64 }

func (h *restHouse) pmsStats(t *testing.T) (s pmsStats) {
	t.Helper()
	conn := h.connect(t)
	defer conn.Close(context.WithoutCancel(t.Context()))
	err := conn.QueryRow(t.Context(), `SELECT d.xact_commit, (SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint
		FROM pg_stat_user_tables WHERE schemaname = 'pms') FROM pg_stat_database d WHERE datname = current_database()`).Scan(&s.statements, &s.rows)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rows is how many rows each table of the state file has.
func (h *restHouse) rows(t *testing.T) map[string]int {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+h.state+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var names string
	if err := db.QueryRow(`SELECT group_concat(name) FROM sqlite_master WHERE type = 'table'`).Scan(&names); err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for name := range strings.SplitSeq(names, ",") {
		var n int
		if err := db.QueryRow(`SELECT count(*) FROM "` + name + `"`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		out[name] = n
	}
	return out
}

// added is what there is more of now.
func added(before, now map[string]int) map[string]int {
	out := map[string]int{}
	for name, n := range now {
		if d := n - before[name]; d != 0 {
			out[name] = d
		}
	}
	return out
}

// marks is how many rows of the PMS were written since they were made.
func (h *restHouse) marks(t *testing.T) (n int) {
	t.Helper()
	conn := h.connect(t)
	defer conn.Close(context.WithoutCancel(t.Context()))
	err := conn.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM pms.guests WHERE version > 1 OR external_ref IS NOT NULL) +
		(SELECT count(*) FROM pms.reservations WHERE version > 1 OR external_ref IS NOT NULL)`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// restDaemon is the service in a process of its own.
type restDaemon struct {
	cmd   *exec.Cmd
	log   string
	state string
	ended chan error
}

// ready is nil once the service runs jobs.
func (h *restHouse) ready(t *testing.T) error {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+h.listen+"/readyz", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := (&http.Client{Timeout: time.Second}).Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return errors.New(res.Status)
	}
	return nil
}

func (h *restHouse) serve(t *testing.T, program string) *restDaemon {
	t.Helper()
	d := &restDaemon{log: filepath.Join(h.dir, "serve.log"), state: h.state, ended: make(chan error, 1)}
	f, err := os.Create(d.log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d.cmd = exec.Command(program, "serve", "--config", h.file)
	d.cmd.Stderr = f
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { d.ended <- d.cmd.Wait() }()
	t.Cleanup(func() { _ = d.cmd.Process.Kill() })
	for begun := time.Now(); ; {
		err := h.ready(t)
		if err == nil {
			return d
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("the service is not ready after a minute: %v\n%s", err, d.text(t))
		}
		d.wait(t, 50*time.Millisecond)
	}
}

// wait lets time pass; a service that ends meanwhile fails the test.
func (d *restDaemon) wait(t *testing.T, how time.Duration) {
	t.Helper()
	select {
	case err := <-d.ended:
		t.Fatalf("the service ended by itself: %v\n%s", err, d.text(t))
	case <-time.After(how):
	}
}

func (d *restDaemon) stop(t *testing.T) {
	t.Helper()
	if err := d.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-d.ended:
		if err != nil {
			t.Errorf("the service ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("the service did not end within a minute")
	}
}

func (d *restDaemon) text(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(d.log)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (d *restDaemon) count(t *testing.T) int { return strings.Count(d.text(t), "\n") }

// lines is how many log lines there are of each level, and what they say.
func (d *restDaemon) lines(t *testing.T) string {
	t.Helper()
	levels, said := map[string]int{}, map[string]int{}
	for sc := bufio.NewScanner(strings.NewReader(d.text(t))); sc.Scan(); {
		var l struct{ Level, Msg string }
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
			t.Errorf("the log has a line that is not JSON: %s", sc.Text())
			continue
		}
		levels[l.Level]++
		said[l.Msg]++
	}
	return routes(levels) + " (" + routes(said) + ")"
}

// restSample is what /proc says of the service at one moment.
type restSample struct {
	at                     time.Time
	user, system           float64 // seconds
	hwm, rss, fds, threads int     // KiB and numbers
	wrote, state, log      int64   // bytes
}

func (s restSample) cpu() float64 { return s.user + s.system }

// ticks is how many of /proc's ticks make a second, on every Linux that Go runs on.
const ticks = 100

func (d *restDaemon) sample(t *testing.T) (s restSample) {
	t.Helper()
	proc := "/proc/" + strconv.Itoa(d.cmd.Process.Pid)
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(proc, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	number := func(text, name string) int {
		_, rest, _ := strings.Cut(text, name+":")
		n, err := strconv.Atoi(strings.Fields(rest + " ?")[0])
		if err != nil {
			t.Fatalf("read %s of %s: %v", name, proc, err)
		}
		return n
	}
	s.at = time.Now()
	stat := read("stat")
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:]) // from the state, the third field, on
	user, err := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	fds, err3 := os.ReadDir(filepath.Join(proc, "fd"))
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	status := read("status")
	s.user, s.system, s.fds = float64(user)/ticks, float64(system)/ticks, len(fds)
	s.hwm, s.rss, s.threads = number(status, "VmHWM"), number(status, "VmRSS"), number(status, "Threads")
	s.wrote = int64(number(read("io"), "\nwrite_bytes"))
	s.state, s.log = sizeOf(t, d.state), sizeOf(t, d.state+"-wal")
	return s
}

func sizeOf(t *testing.T, file string) int64 {
	t.Helper()
	info, err := os.Stat(file)
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func routes(counts map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(parts, ", ")
}

func grepMetrics(text []byte, prefix string) []string {
	var out []string
	for l := range strings.Lines(string(text)) {
		if strings.HasPrefix(l, prefix) {
			out = append(out, strings.TrimSpace(l))
		}
	}
	return out
}
