package main

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// arenaSize is what glibc reserves for each heap but the first, and its alignment.
const arenaSize = 64 << 20

// TestOneArena counts the heaps of the C library in a process of its own, after eight
// threads have called SQLite side by side.
func TestOneArena(t *testing.T) {
	if os.Getenv("NIGHTPORTER_TEST_ARENAS") != "" {
		callFromThreads(t, 8)
		t.Logf("arenas: %d", arenas(t))
		return
	}
	if libc, _ := filepath.Glob("/lib*/*/libc.so.6"); len(libc) == 0 {
		t.Skip("this C library is not glibc")
	}
	count := func(env ...string) int {
		t.Helper()
		cmd := exec.Command(os.Args[0], "-test.run", "^TestOneArena$", "-test.v")
		others := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MALLOC_ARENA_MAX=") })
		cmd.Env = append(append(others, "NIGHTPORTER_TEST_ARENAS=1"), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		_, rest, _ := strings.Cut(string(out), "arenas: ")
		n, err := strconv.Atoi(strings.TrimSpace(strings.SplitN(rest, "\n", 2)[0]))
		if err != nil {
			t.Fatalf("read the count: %v\n%s", err, out)
		}
		return n
	}
	if got := count(); got != 0 {
		t.Errorf("eight threads made %d heaps beside the first, want none", got)
	}
	if got := count("MALLOC_ARENA_MAX=8"); got < 2 {
		t.Errorf("with MALLOC_ARENA_MAX=8 eight threads made %d heaps beside the first, want several", got)
	}
}

// callFromThreads has n threads call SQLite, all of them alive until the last has.
func callFromThreads(t *testing.T, n int) {
	t.Helper()
	var called, done sync.WaitGroup
	called.Add(n)
	for range n {
		done.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			db, err := sql.Open("sqlite3", ":memory:")
			if err == nil {
				defer db.Close()
				_, err = db.Exec(`CREATE TABLE t (x); INSERT INTO t VALUES (randomblob(100000))`)
			}
			if err != nil {
				t.Errorf("call SQLite: %v", err)
			}
			called.Done()
			called.Wait()
		})
	}
	done.Wait()
}

// mapping is a line of /proc/self/maps.
type mapping struct {
	from, to uint64
	mode     string
}

func mappingOf(line string) (m mapping, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 2 {
		return m, false
	}
	from, to, _ := strings.Cut(fields[0], "-")
	var errs [2]error
	m.from, errs[0] = strconv.ParseUint(from, 16, 64)
	m.to, errs[1] = strconv.ParseUint(to, 16, 64)
	m.mode = fields[1]
	return m, errs[0] == nil && errs[1] == nil
}

// arenas is how many mappings look like a heap of glibc's: one aligned to its size, of
// which a part is in use and the rest, right behind it, reserved. Those of Go's heap are
// used in steps of 4 MiB.
func arenas(t *testing.T) (n int) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(maps), "\n")
	for i := range lines[:len(lines)-1] {
		used, ok := mappingOf(lines[i])
		rest, more := mappingOf(lines[i+1])
		if !ok || !more || used.mode != "rw-p" || used.from%arenaSize != 0 || (used.to-used.from)%(4<<20) == 0 {
			continue
		}
		if rest.mode == "---p" && rest.from == used.to && rest.to >= used.from+arenaSize {
			n++
		}
	}
	return n
}
