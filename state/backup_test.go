package state_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/state"
	"nightporter/sync/record"
)

// paired is a state file with one link and entries.
func paired(t *testing.T, path string) (*state.Store, record.Lease) {
	t.Helper()
	s := open(t, path, state.Options{})
	l := register(t, s)
	pair(t, s, l, "1")
	return s, l
}

func pair(t *testing.T, s *state.Store, l record.Lease, id string) {
	t.Helper()
	right := record.Place{Binding: "guests", Side: record.Right}
	ref := record.Ref{Kind: "contacts", ID: id}
	err := errors.Join(s.See(t.Context(), l, guests, "m", seen(id, 10)),
		s.See(t.Context(), l, right, "m", []record.Seen{{Ref: ref, Observation: record.Observation{At: noon, View: "get"}}}))
	if err != nil {
		t.Fatal(err)
	}
	a, _, err := s.Entry(t.Context(), guests, record.Ref{Kind: "guests", ID: id})
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := s.Entry(t.Context(), right, ref)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Join(t.Context(), l, a.Num, b.Num, "entity-"+id, noon); err != nil {
		t.Fatal(err)
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A backup is made beside a run that writes all the while, is whole, and is what
// was there at one moment.
func TestBackupBesideWrites(t *testing.T) {
	dir := t.TempDir()
	s, l := paired(t, filepath.Join(dir, "state.db"))
	ro := open(t, filepath.Join(dir, "state.db"), state.Options{ReadOnly: true})
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := s.See(t.Context(), l, guests, "m", seen(fmt.Sprint("w", n), 2000)); err != nil {
				t.Error(err)
				return
			}
		}
	})
	out := filepath.Join(t.TempDir(), "backups")
	if err := os.Mkdir(out, 0o700); err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		file := filepath.Join(out, fmt.Sprint(n, ".db"))
		c, err := ro.Backup(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 || info.Size() != c.Bytes || c.File != file || c.Links != 1 || c.Entries < 2 {
			t.Errorf("got copy %+v of %v, %v", c, info, err)
		}
	}
	close(stop)
	wg.Wait()
	if got := files(t, out); len(got) != 5 {
		t.Errorf("got files %v, want the five copies alone", got)
	}
	copied := open(t, filepath.Join(out, "4.db"), state.Options{})
	if p, ok, err := copied.ByEntity(t.Context(), "guests", "entity-1"); err != nil || !ok || p.Sides[0].Ref.ID != "1" {
		t.Errorf("got pair %+v, %v, %v", p, ok, err)
	}
}

func TestBackupRefused(t *testing.T) {
	dir := t.TempDir()
	s, _ := paired(t, filepath.Join(dir, "state.db"))
	there := filepath.Join(dir, "there.txt")
	if err := os.WriteFile(there, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Backup(t.Context(), there); !errors.Is(err, os.ErrExist) {
		t.Errorf("got error %v, want %v", err, os.ErrExist)
	}
	if b, err := os.ReadFile(there); err != nil || string(b) != "mine" {
		t.Errorf("the file that was there is now %q, %v", b, err)
	}
	if _, err := s.Backup(t.Context(), filepath.Join(dir, "none", "copy.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got error %v, want %v", err, os.ErrNotExist)
	}
	before := files(t, dir)
	small := open(t, filepath.Join(dir, "state.db"), state.WithRoom(1<<20))
	if _, err := small.Backup(t.Context(), filepath.Join(dir, "copy.db")); !errors.Is(err, state.ErrNoRoom) {
		t.Errorf("got error %v, want %v", err, state.ErrNoRoom)
	}
	if diff := cmp.Diff(before, files(t, dir)); diff != "" {
		t.Errorf("files left behind (-before +after):\n%s", diff)
	}
}

// A copy is verified by opening it: what is damaged, cut off, foreign or newer is not
// taken for one.
func TestInspect(t *testing.T) {
	dir := t.TempDir()
	s, l := paired(t, filepath.Join(dir, "state.db"))
	for n := range 100 {
		if err := s.See(t.Context(), l, guests, "m", seen(fmt.Sprint("x", n), 2000)); err != nil {
			t.Fatal(err)
		}
	}
	good := filepath.Join(dir, "good.db")
	if _, err := s.Backup(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	damaged := slices.Clone(whole)
	for i := len(damaged) / 2; i < len(damaged)/2+20_000; i++ {
		damaged[i] = 0xee
	}
	for name, tt := range map[string]struct {
		bytes []byte
		want  error
	}{
		"damaged": {damaged, state.ErrCorrupt},
		"cut":     {whole[:len(whole)/2], state.ErrCorrupt},
		"text":    {[]byte(strings.Repeat("buy milk\n", 200)), state.ErrForeign},
		"empty":   {nil, state.ErrForeign},
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, tt.bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := state.Inspect(t.Context(), file); !errors.Is(err, tt.want) {
			t.Errorf("%s: got error %v, want %v", name, err, tt.want)
		}
		if _, err := state.Restore(t.Context(), file, filepath.Join(dir, "new.db"), true, noon); !errors.Is(err, tt.want) {
			t.Errorf("%s: restore: got error %v, want %v", name, err, tt.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that nothing was restored", err)
	}
}

func TestRotate(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 11, 20, 3, 10, 0, 0, time.FixedZone("CET", 3600))
	var names []string
	for n := range 5 {
		names = append(names, state.BackupName(at.AddDate(0, 0, n)))
	}
	if names[0] != "nightporter-2026-11-20T021000Z.db" {
		t.Errorf("got name %s", names[0])
	}
	others := []string{"notes.txt", "nightporter.db", "nightporter-2026.db", "nightporter-schema-1.db"}
	part := state.BackupName(at.AddDate(0, 0, 9)) + ".part" // left behind by a kill
	for _, name := range slices.Concat(names, others, []string{part}) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	deleted, err := state.Rotate(dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(deleted)
	want := slices.Sorted(slices.Values(append([]string{part}, names[:3]...)))
	if diff := cmp.Diff(want, deleted); diff != "" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
	if _, err := state.Rotate(dir, 0); err != nil {
		t.Fatal(err)
	}
	left := slices.Sorted(slices.Values(append([]string{names[4]}, others...)))
	if diff := cmp.Diff(left, files(t, dir)); diff != "" {
		t.Errorf("left, with one at least (-want +got):\n%s", diff)
	}
}

// A state file of an older version is copied before it is changed, and not changed
// at all where there is no room or somebody runs jobs on it.
func TestCopyBeforeMigration(t *testing.T) {
	withNext(t, nextStep)
	path := restore(t, "testdata/schema-1.sql")
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(opts state.Options, want error) {
		t.Helper()
		s, err := state.Open(t.Context(), path, opts)
		if err == nil {
			s.Close()
		}
		if !errors.Is(err, want) {
			t.Fatalf("got error %v, want %v", err, want)
		}
		if c, err := state.Inspect(t.Context(), path); err != nil || c.Schema != 1 {
			t.Errorf("got %+v, %v; want the file as it was", c, err)
		}
	}
	refused(state.WithRoom(1<<20), state.ErrNoRoom)
	t.Run("in use", func(t *testing.T) {
		state.HoldFile(t, path)
		refused(state.Options{}, state.ErrInUse)
	})
	for range 2 {
		s := open(t, path, state.Options{})
		goesOn := files(t, filepath.Dir(path))
		if diff := cmp.Diff([]string{"state-schema-1.db"}, slices.DeleteFunc(goesOn, func(n string) bool {
			return strings.HasPrefix(n, "state.db")
		})); diff != "" {
			t.Errorf("copies (-want +got):\n%s", diff)
		}
		s.Close()
	}
	c, err := state.Inspect(t.Context(), filepath.Join(filepath.Dir(path), "state-schema-1.db"))
	if err != nil || c.Schema != 1 || c.Links != 2 || c.Entries != 7 {
		t.Errorf("got copy %+v, %v; want that of schema 1 (%d bytes)", c, err, len(old))
	}
}

func TestCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, l := paired(t, path)
	for n := range 50 {
		if err := s.See(t.Context(), l, guests, "m", seen(fmt.Sprint(n), 4000)); err != nil {
			t.Fatal(err)
		}
	}
	st, err := s.Stats(t.Context())
	if err != nil || st.WALBytes == 0 {
		t.Fatalf("got %+v, %v; want something in the log", st, err)
	}
	done := state.Reading(t, path)
	if ok, err := s.Checkpoint(t.Context()); err != nil || ok {
		t.Errorf("beside a reader: got %v, %v; want that it gave up", ok, err)
	}
	done()
	if ok, err := s.Checkpoint(t.Context()); err != nil || !ok {
		t.Errorf("got %v, %v; want it emptied", ok, err)
	}
	info, err := os.Stat(path + "-wal")
	if err != nil || info.Size() != 0 {
		t.Errorf("got log %v, %v; want it empty", info, err)
	}
	if err := s.See(t.Context(), l, guests, "m", seen("after", 10)); err != nil {
		t.Error(err)
	}
}
