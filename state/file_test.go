package state_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/state"
	"nightporter/state/statetest"
	"nightporter/sync/record"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, path string, opts state.Options) *state.Store {
	t.Helper()
	s, err := state.Open(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// refuse opens a file that must be refused, and checks that the message goes on
// about what to do.
func refuse(t *testing.T, path string, opts state.Options, want error) {
	t.Helper()
	s, err := state.Open(t.Context(), path, opts)
	if err == nil {
		s.Close()
	}
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want %v", err, want)
	}
	if !strings.Contains(err.Error(), want.Error()) || !strings.Contains(want.Error(), ": ") {
		t.Errorf("got message %q, want one with the next step", err)
	}
}

func register(t *testing.T, s *state.Store) record.Lease {
	t.Helper()
	err := s.Register(t.Context(), "guests", [2]record.System{"pms", "platform"}, [2]record.Kind{"guests", "contacts"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Begin(t.Context(), "guests", false, noon)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// seen is one guest as a read by id shows it.
func seen(id string, fill int) []record.Seen {
	return []record.Seen{{Ref: record.Ref{Kind: "guests", ID: id}, Observation: record.Observation{
		Fields: record.Fields{"name": record.OfText(strings.Repeat("x", fill))}, At: noon, View: "get",
	}}}
}

var guests = record.Place{Binding: "guests", Side: record.Left}

func TestFileIsOursAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a folder with ? and # and %20.db")
	s := open(t, path, state.Options{})
	register(t, s)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("got mode %o, want 600: it holds guests' data", got)
	}
}

func TestOpenAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path, state.Options{})
	install, err := s.Install(t.Context())
	if err != nil || len(install) != 8 || strings.ToLower(install) != install {
		t.Fatalf("got install %q, %v; want eight lower-case characters", install, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	again, err := open(t, path, state.Options{}).Install(t.Context())
	if err != nil || again != install {
		t.Errorf("got install %q, %v; want %q", again, err, install)
	}
}

func TestNewer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path, state.Options{})
	s.Exec(t, `INSERT INTO schema_version (version_id, is_applied) VALUES (9999, 1)`)
	s.Close()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refuse(t, path, state.Options{}, state.ErrNewer)
	refuse(t, path, state.Options{ReadOnly: true}, state.ErrNewer)
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("a file of a newer version was changed (%v)", err)
	}
}

func TestForeign(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("buy milk\n", 200)), 0o600); err != nil {
		t.Fatal(err)
	}
	refuse(t, text, state.Options{}, state.ErrForeign)
	refuse(t, dir, state.Options{}, state.ErrForeign)
	other := filepath.Join(dir, "other.db")
	s := open(t, other, state.Options{})
	s.Exec(t, `PRAGMA application_id = 7`)
	s.Close()
	refuse(t, other, state.Options{}, state.ErrForeign)
}

func TestCorrupt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path, state.Options{})
	l := register(t, s)
	for n := range 200 {
		if err := s.See(t.Context(), l, guests, "m", seen(fmt.Sprint(n), 500)); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(b) / 2; i < len(b)/2+40_000; i++ {
		b[i] = 0xee
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	refuse(t, path, state.Options{}, state.ErrCorrupt)
}

func TestReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	if _, err := state.Open(t.Context(), path, state.Options{ReadOnly: true}); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("got error %v, want that there is no file", err)
	}
	w := open(t, path, state.Options{})
	l := register(t, w)
	if err := w.See(t.Context(), l, guests, "m", seen("1", 3)); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, state.Options{ReadOnly: true})
	if _, ok, err := s.Entry(t.Context(), guests, record.Ref{Kind: "guests", ID: "1"}); err != nil || !ok {
		t.Errorf("got %v, %v; want the entry", ok, err)
	}
	if err := s.TouchAll(t.Context(), l); !errors.Is(err, state.ErrReadOnly) {
		t.Errorf("got error %v, want %v", err, state.ErrReadOnly)
	}
	_, err := state.Open(t.Context(), filepath.Join(t.TempDir(), "none", "state.db"), state.Options{})
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "make the folder") {
		t.Errorf("got error %v, want that there is no such folder", err)
	}
}

func TestDiskFull(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state.db"), state.Options{})
	l := register(t, s)
	s.Exec(t, `PRAGMA max_page_count = 80`)
	var err error
	n := 0
	for ; err == nil && n < 1000; n++ {
		err = s.See(t.Context(), l, guests, "m", seen(fmt.Sprint(n), 4000))
	}
	if !errors.Is(err, state.ErrFull) {
		t.Fatalf("got error %v, want %v", err, state.ErrFull)
	}
	s.Exec(t, `PRAGMA max_page_count = 100000`)
	if err := s.See(t.Context(), l, guests, "m", seen("after", 4000)); err != nil {
		t.Fatalf("once there is space: %v", err)
	}
	c, err := s.Counts(t.Context(), "guests")
	if err != nil || c["left.entries"] != int64(n) {
		t.Errorf("got %d entries, %v; want %d: all before the disk was full and one after", c["left.entries"], err, n)
	}
}

func TestInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	a, b := open(t, path, state.Options{}), open(t, path, state.Options{})
	if err := a.Lock(t.Context(), "nightporter serve", noon); err != nil {
		t.Fatal(err)
	}
	if err := a.Lock(t.Context(), "nightporter serve", noon); err != nil {
		t.Errorf("locking twice: %v", err)
	}
	err := b.Lock(t.Context(), "nightporter serve", noon)
	if !errors.Is(err, state.ErrInUse) {
		t.Fatalf("got error %v, want %v", err, state.ErrInUse)
	}
	for _, part := range []string{fmt.Sprint(os.Getpid()), "2026-11-20T12:00:00Z", "nightporter serve"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("got %q, want the holder's %s in it", err, part)
		}
	}
	register(t, b) // who only decides works beside it
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Lock(t.Context(), "nightporter serve", noon); err != nil {
		t.Errorf("after the holder closed: %v", err)
	}
}

func TestLockInMemory(t *testing.T) {
	if err := inMemory(t).Lock(t.Context(), "nightporter serve", noon); err != nil {
		t.Errorf("got %v: a private database has no other user", err)
	}
}

// A power cut may leave the last frames of the write-ahead log half written: the
// commits before them stay, the torn one is undone.
func TestTornLog(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	s := open(t, path, state.Options{})
	l := register(t, s)
	for n := range 5 {
		if err := s.See(t.Context(), l, guests, "m", seen(fmt.Sprint(n), 10)); err != nil {
			t.Fatal(err)
		}
	}
	for _, cut := range []int{1, 2000, 5000} {
		copied := filepath.Join(dir, fmt.Sprint("copy", cut))
		cp(t, path, copied, 0)
		cp(t, path+"-wal", copied+"-wal", cut)
		c := open(t, copied, state.Options{})
		counts, err := c.Counts(t.Context(), "guests")
		if err != nil {
			t.Fatal(err)
		}
		if got := counts["left.entries"]; got == 5 || got < 3 {
			t.Errorf("cut %d: got %d entries, want the torn commit gone and those before it there", cut, got)
		}
		if err := c.See(t.Context(), l, guests, "m", seen("new", 10)); err != nil {
			t.Errorf("cut %d: write after recovery: %v", cut, err)
		}
	}
}

func cp(t *testing.T, from, to string, cut int) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b[:len(b)-cut], 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCopyTo(t *testing.T) {
	for name, fresh := range map[string]func(*testing.T) *state.Store{"disk": onDisk, "memory": inMemory} {
		t.Run(name, func(t *testing.T) {
			s := fresh(t)
			l := register(t, s)
			if err := s.See(t.Context(), l, guests, "m", seen("1", 3)); err != nil {
				t.Fatal(err)
			}
			to := filepath.Join(t.TempDir(), "copy.db")
			if err := s.CopyTo(t.Context(), to); err != nil {
				t.Fatal(err)
			}
			if err := s.CopyTo(t.Context(), to); !errors.Is(err, os.ErrExist) {
				t.Errorf("got error %v, want that the file is there already", err)
			}
			c := open(t, to, state.Options{})
			if err := c.See(t.Context(), l, guests, "m", seen("2", 3)); err != nil {
				t.Fatal(err)
			}
			for _, want := range []struct {
				s *state.Store
				n int64
			}{{s, 1}, {c, 2}} {
				if got, err := want.s.Counts(t.Context(), "guests"); err != nil || got["left.entries"] != want.n {
					t.Errorf("got %d entries, %v; want %d", got["left.entries"], err, want.n)
				}
			}
		})
	}
}

func TestStep(t *testing.T) {
	var steps []string
	s := open(t, filepath.Join(t.TempDir(), "state.db"), state.Options{Step: func(n string) { steps = append(steps, n) }})
	l := register(t, s)
	if err := s.Judge(t.Context(), l, 99, record.Gone, "", noon, noon); !errors.Is(err, state.ErrUnknown) {
		t.Fatalf("got error %v, want %v", err, state.ErrUnknown)
	}
	got := strings.Join(steps, ", ")
	want := "before register guests, after register guests, before begin run, after begin run, before judge record"
	if got != want {
		t.Errorf("got steps %s, want %s", got, want)
	}
}

// A run that is cancelled in the middle of a call must not take a database that
// lives in one connection with it.
func TestCancel(t *testing.T) {
	for name, fresh := range map[string]func(*testing.T) *state.Store{"disk": onDisk, "memory": inMemory} {
		t.Run(name, func(t *testing.T) {
			h := statetest.NewHouse(t, fresh(t))
			cancelled(t, h)
			c, err := h.Store.Counts(t.Context(), h.Lease.Binding)
			if err != nil {
				t.Fatal(err)
			}
			if c["left.entries"] == 0 {
				t.Errorf("got %v, want what was there before", c)
			}
		})
	}
}

func readOnly(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, state.ErrReadOnly) {
		t.Errorf("got error %v, want %v", err, state.ErrReadOnly)
	}
}
