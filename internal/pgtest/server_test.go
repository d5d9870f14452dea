package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestMain(m *testing.M) {
	if said := os.Getenv(childEnv); said != "" {
		child(said)
	}
	os.Exit(Main(m))
}

// connect opens a connection that ends with the test.
func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

// must runs one statement.
func must(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func TestDatabasesArePrivateAndDropped(t *testing.T) {
	s := Start(t)
	if again := Start(t); again != s {
		t.Fatal("Start made a second server in one process")
	}
	var gone string
	t.Run("one test", func(t *testing.T) {
		gone = s.NewPMS(t)
		must(t, connect(t, gone), "insert into pms.guests (last_name) values ('Rossi')")
		var n int
		if err := connect(t, s.NewPMS(t)).QueryRow(t.Context(), "select count(*) from pms.guests").Scan(&n); err != nil || n != 0 {
			t.Errorf("a second database shows %d guests (%v), want none", n, err)
		}
		var schema *string
		if err := connect(t, s.NewDB(t)).QueryRow(t.Context(), "select to_regnamespace('pms')::text").Scan(&schema); err != nil || schema != nil {
			t.Errorf("NewDB has schema pms: %v, %v", schema, err)
		}
	})
	_, err := pgx.Connect(t.Context(), gone)
	if pg, ok := errors.AsType[*pgconn.PgError](err); !ok || pg.Code != "3D000" {
		t.Errorf("connect after the test = %v, want SQLSTATE 3D000 (no such database)", err)
	}
}

func TestPMSRefusesTwoStaysInOneRoom(t *testing.T) {
	conn := connect(t, Start(t).NewPMS(t))
	must(t, conn, "insert into pms.guests (id, last_name) values (1, 'Rossi')")
	must(t, conn, "insert into pms.rooms (id, number) values (7, '101')")
	must(t, conn, "insert into pms.reservations (number, guest_id, room_id, arrival, departure) values ('A', 1, 7, '2026-03-01', '2026-03-04')")
	tests := []struct{ name, room, arrival, departure, status, want string }{
		{"overlaps", "7", "2026-03-03", "2026-03-05", "confirmed", "23P01"},
		{"same day turnover", "7", "2026-03-04", "2026-03-06", "confirmed", ""},
		{"overlaps, cancelled", "7", "2026-03-01", "2026-03-04", "cancelled", ""},
		{"overlaps, no room yet", "", "2026-03-01", "2026-03-04", "confirmed", ""},
		{"departs before it arrives", "", "2026-03-04", "2026-03-01", "confirmed", "23514"},
		{"unknown status", "", "2026-03-01", "2026-03-04", "maybe", "23514"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := conn.Exec(t.Context(), `insert into pms.reservations (guest_id, room_id, arrival, departure, status)
				values (1, nullif($1, '')::bigint, $2::text::date, $3::text::date, $4)`, tt.room, tt.arrival, tt.departure, tt.status)
			got := ""
			if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
				got = pg.Code
			} else if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("SQLSTATE = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPMSUpdateCountsUp(t *testing.T) {
	conn := connect(t, Start(t).NewPMS(t))
	must(t, conn, "insert into pms.guests (id, last_name) values (1, 'Rossi')")
	must(t, conn, "insert into pms.rooms (id, number) values (1, '101')")
	must(t, conn, "insert into pms.reservations (id, guest_id, arrival, departure) values (1, 1, '2026-03-01', '2026-03-04')")
	for _, table := range []string{"guests", "rooms", "reservations"} {
		must(t, conn, "update pms."+table+" set id = id")
		var version int
		var later bool
		if err := conn.QueryRow(t.Context(), "select version, updated_at > created_at from pms."+table).Scan(&version, &later); err != nil {
			t.Fatal(err)
		}
		if version != 2 || !later {
			t.Errorf("%s after an update: version %d, updated later %t; want 2, true", table, version, later)
		}
	}
}

// childEnv turns this test binary into a process that starts a server, writes
// its folder to the file named and waits to be killed.
const childEnv = "PGTEST_CHILD"

func child(said string) {
	s, err := newServer()
	if err == nil {
		err = os.WriteFile(said, []byte(s.cluster.dir), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	select {}
}

func TestServerDiesWithItsProcess(t *testing.T) {
	Start(t)
	said := filepath.Join(t.TempDir(), "dir")
	proc := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	proc.Env = append(os.Environ(), childEnv+"="+said)
	if err := proc.Start(); err != nil {
		t.Fatal(err)
	}
	var dir string
	eventually(t, "the child's server", func() bool {
		text, err := os.ReadFile(said)
		dir = string(text)
		return err == nil && dir != ""
	})
	pidfile, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.Split(string(pidfile), "\n")[0])
	if err != nil {
		t.Fatal(err)
	}
	if !alive(pid) {
		t.Fatalf("server %d does not run", pid)
	}
	sweep(filepath.Dir(dir))
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("sweep took the folder of a living process: %v", err)
	}

	if err := proc.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = proc.Wait() // "signal: killed"
	eventually(t, "the end of the server", func() bool { return !alive(pid) })
	sweep(filepath.Dir(dir))
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("folder of a killed process after sweep: %v, want none", err)
	}
}

// alive reports whether a process runs; a zombie does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// eventually waits for what another process does.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(startWithin)
	for !done() {
		select {
		case <-limit:
			t.Fatalf("no sign of %s", what)
		case <-tick.C:
		}
	}
}

// A machine without the programs: a skip, and a failure where real servers are
// required.
func TestMissingBinaries(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := findBinaries(t.TempDir()); !errors.Is(err, errNoBinaries) {
		t.Fatalf("findBinaries = %v, want errNoBinaries", err)
	}
	if strings.Contains(errNoBinaries.Error(), "\n") {
		t.Error("what to install takes more than one line")
	}
	tests := map[string]struct{ require, want string }{
		"left alone":            {"", "skipped"},
		"real servers required": {"1", "failed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv(RequireEnv, tt.require)
			if got := outcome(t, errNoBinaries); got != tt.want {
				t.Errorf("a test without the programs is %s, want %s", got, tt.want)
			}
		})
	}
	t.Run("a server that does not start", func(t *testing.T) {
		t.Setenv(RequireEnv, "")
		if got := outcome(t, errors.New("start PostgreSQL: it ended at once")); got != "failed" {
			t.Errorf("a test whose server does not start is %s, want failed", got)
		}
	})
}

// verdict is a testing.TB that notes how a test would have ended.
type verdict struct {
	testing.TB
	ended string
}

func (v *verdict) Helper() {}

func (v *verdict) Skip(...any) { v.ended = "skipped" }

func (v *verdict) Fatal(...any) { v.ended = "failed" }

// outcome is what Start makes of an error.
func outcome(t *testing.T, err error) string {
	t.Helper()
	shared.mu.Lock()
	server, before := shared.server, shared.err
	shared.server, shared.err = nil, err
	shared.mu.Unlock()
	defer func() {
		shared.mu.Lock()
		shared.server, shared.err = server, before
		shared.mu.Unlock()
	}()
	v := &verdict{TB: t}
	Start(v)
	return v.ended
}

func TestFindBinaries(t *testing.T) {
	debian := t.TempDir()
	for _, program := range []string{"9/bin/initdb", "9/bin/postgres", "15/bin/initdb", "15/bin/postgres", "17/bin/initdb"} {
		path := filepath.Join(debian, program)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", t.TempDir())
	got, err := findBinaries(debian)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(filepath.Join(debian, "15", "bin"), got); diff != "" {
		t.Errorf("newest complete version (-want +got):\n%s", diff)
	}
}
