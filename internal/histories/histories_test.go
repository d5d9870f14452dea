package histories

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"

	"nightporter/state"
)

const (
	inTest     = 40          // histories that every go test plays
	twiceInCI  = 6           // of them twice
	filesInCI  = 4           // on files
	mostFaults = 5           // histories that may go wrong before the others are not played any more
	shrinking  = time.Minute // for each of them
)

// number is a number of the environment.
func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%s is no number", name, text)
	}
	return n
}

// ramDir is a folder in memory where there is one: a state in memory needs a file only
// to be put back to a copy.
func ramDir(t *testing.T) string {
	t.Helper()
	if info, err := os.Stat("/dev/shm"); err != nil || !info.IsDir() {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("/dev/shm", "nightporter-histories-") //nolint:usetesting // not on the disk
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// template is a state that nothing is in yet, made once.
func template(t *testing.T) []byte {
	t.Helper()
	ctx := context.Background()
	s, err := state.OpenMemory(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	image, err := s.Image(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// historyOf is the history of a seed.
func historyOf(seed uint64, files bool) history {
	return history{seed: seed, odd: oddOf(seed), steps: stepsOf(seed, climateOf(seed)), files: files}
}

// tell plays a history that went wrong with ever fewer steps, and shows what is left.
func tell(t *testing.T, h history, form, dir string, image []byte) {
	t.Helper()
	h.trace = false
	h.steps = shrink(h.steps, shrinking, func(steps []step) bool {
		less := h
		less.steps = steps
		_, same, _ := play(t, less, dir, image)
		return same == form
	})
	h.trace = true
	wrong, _, trace := play(t, h, dir, image)
	with := ""
	if h.files {
		with = " FILES=1"
	}
	t.Errorf("seed %d: %s\nTo see it again: make simulate SEED=%d%s\nIts climate: %s\nWhat is odd: %s\n%d steps are enough:\n%s",
		h.seed, wrong, h.seed, with, climateOf(h.seed), h.odd, len(h.steps), trace)
}

// each plays the histories of seeds from on, over all cores.
func each(t *testing.T, from, n uint64, do func(t *testing.T, seed uint64, dir string) bool) {
	t.Helper()
	var next atomic.Uint64
	var wrong, done atomic.Int64
	var told sync.Mutex
	begun, last := time.Now(), time.Now()
	t.Run("histories", func(t *testing.T) {
		for worker := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				dir := ramDir(t)
				for wrong.Load() < mostFaults {
					seed := next.Add(1) - 1
					if seed >= n {
						return
					}
					if !do(t, from+seed, dir) {
						wrong.Add(1)
					}
					told.Lock()
					if k := done.Add(1); time.Since(last) > time.Minute {
						last = time.Now()
						t.Logf("%d of %d histories in %s", k, n, time.Since(begun).Round(time.Second))
					}
					told.Unlock()
				}
			})
		}
	})
	spent := time.Since(begun)
	t.Logf("%d histories of %d steps in %s, %s each", done.Load(), perHistory, spent.Round(time.Second), (spent / time.Duration(max(1, done.Load()))).Round(time.Millisecond))
}

// Whatever users, systems, clocks, disks and crashes do in two hundred steps, the
// engine keeps its promises after each of them, and all is in step in the end.
func TestHistories(t *testing.T) {
	image := template(t)
	files := os.Getenv("NIGHTPORTER_FILES") != ""
	from, n := number(t, "NIGHTPORTER_SEED", 1), number(t, "NIGHTPORTER_HISTORIES", inTest)
	if os.Getenv("NIGHTPORTER_SEED") != "" && os.Getenv("NIGHTPORTER_HISTORIES") == "" {
		n = 1
	}
	each(t, from, n, func(t *testing.T, seed uint64, dir string) bool {
		h := historyOf(seed, files)
		wrong, form, _ := play(t, h, dir, image)
		if wrong != "" {
			tell(t, h, form, dir, image)
		}
		return wrong == ""
	})
}

// With the state in a file, a death is a power cut.
func TestHistoriesOnFiles(t *testing.T) {
	image := template(t)
	each(t, 1, filesInCI, func(t *testing.T, seed uint64, dir string) bool {
		h := historyOf(seed, true)
		wrong, form, _ := play(t, h, dir, image)
		if wrong != "" {
			tell(t, h, form, dir, image)
		}
		return wrong == ""
	})
}

// A seed played twice gives the same history, request for request: otherwise a seed
// that goes wrong could not be looked into.
func TestTwice(t *testing.T) {
	image := template(t)
	each(t, 1, number(t, "NIGHTPORTER_TWICE", twiceInCI), func(t *testing.T, seed uint64, dir string) bool {
		h := historyOf(seed, false)
		h.trace = true
		_, _, once := play(t, h, dir, image)
		_, _, again := play(t, h, dir, image)
		if once != again {
			t.Errorf("seed %d is not the same twice: %s", seed, differing(once, again))
		}
		return once == again
	})
}
