package state_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/state"
	"nightporter/sync/record"
)

func wantAdoptOnly(t *testing.T, s *state.Store, b record.Binding, want time.Time) {
	t.Helper()
	since, yes, err := s.AdoptOnly(t.Context(), b)
	if err != nil || yes == want.IsZero() || !since.Equal(want) {
		t.Errorf("job %s: got adopt-only since %v, %v, %v; want %v", b, since, yes, err, want)
	}
}

// Moved to a new machine in the middle of work: what was open is open, nothing is
// created before both sides were compared, and no lease of before holds.
func TestRestoreElsewhere(t *testing.T) {
	dir := t.TempDir()
	s, l := paired(t, filepath.Join(dir, "state.db"))
	if _, err := s.BeginScan(t.Context(), l, guests, record.ScanSpec{Full: true, Mapping: "m"}, noon, time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Request(t.Context(), record.Request{Asked: noon}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "copy.db")
	if _, err := s.Backup(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	wantAdoptOnly(t, s, "guests", time.Time{})
	to := filepath.Join(t.TempDir(), "new.db")
	now := noon.Add(time.Hour)
	r, err := state.Restore(t.Context(), file, to, false, now)
	if err != nil || r.Aside != "" || r.File != to || r.Links != 1 {
		t.Fatalf("got %+v, %v", r, err)
	}
	for _, name := range files(t, filepath.Dir(to)) {
		if name != "new.db" && name != "new.db.lock" {
			t.Errorf("%s was left behind", name)
		}
	}
	n := open(t, to, state.Options{})
	if err := n.See(t.Context(), l, guests, "m", seen("2", 3)); !errors.Is(err, state.ErrFenced) {
		t.Errorf("with the lease of before: got error %v, want %v", err, state.ErrFenced)
	}
	if p, ok, err := n.ByEntity(t.Context(), "guests", "entity-1"); err != nil || !ok || p.Sides[0].Ref.ID != "1" {
		t.Errorf("got pair %+v, %v, %v", p, ok, err)
	}
	if got, err := n.TakeRequests(t.Context(), now); err != nil || len(got) != 0 {
		t.Errorf("got requests %v, %v; want none of before", got, err)
	}
	nl, err := n.Begin(t.Context(), "guests", false, now)
	if err != nil {
		t.Fatal(err)
	}
	scan, err := n.BeginScan(t.Context(), nl, guests, record.ScanSpec{Full: true, Mapping: "m"}, now, 9*time.Hour)
	if err != nil || !scan.Started.Equal(now) {
		t.Errorf("got scan %+v, %v; want a new one", scan, err)
	}
	wantAdoptOnly(t, n, "guests", now)
	wantAdoptOnly(t, n, "a job of tomorrow", now)
	if err := n.ClearAdoptOnly(t.Context(), nl, time.Now()); err != nil {
		t.Fatal(err)
	}
	wantAdoptOnly(t, n, "guests", time.Time{})
	wantAdoptOnly(t, n, "a job of tomorrow", now)
	again, last := filepath.Join(dir, "again.db"), filepath.Join(dir, "last.db")
	if _, err := n.Backup(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	if _, err := state.Restore(t.Context(), again, last, false, noon); err != nil { // the clock was set back
		t.Fatal(err)
	}
	wantAdoptOnly(t, open(t, last, state.Options{}), "guests", now.Add(time.Millisecond))
}

// A state that knows links is replaced only by force, is kept aside with all that
// its log holds, and its leases end as well.
func TestRestoreOver(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	s, _ := paired(t, path)
	file := filepath.Join(dir, "copy.db")
	if _, err := s.Backup(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	if err := s.Lock(t.Context(), "nightporter serve", noon); err != nil {
		t.Fatal(err)
	}
	var l record.Lease
	for range 10 {
		var err error
		if l, err = s.Begin(t.Context(), "guests", false, noon); err != nil {
			t.Fatal(err)
		}
	}
	pair(t, s, l, "2")
	now := noon.Add(time.Hour)
	if _, err := state.Restore(t.Context(), file, path, true, now); !errors.Is(err, state.ErrInUse) {
		t.Fatalf("while jobs run: got error %v, want %v", err, state.ErrInUse)
	}
	s.Close()
	_, err := state.Restore(t.Context(), file, path, false, now)
	if !errors.Is(err, state.ErrHasLinks) || !strings.Contains(err.Error(), "2 links") {
		t.Fatalf("got error %v, want %v", err, state.ErrHasLinks)
	}
	if _, err := state.Restore(t.Context(), path, path, true, now); err == nil {
		t.Error("a file was restored from itself")
	}
	r, err := state.Restore(t.Context(), file, path, true, now)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := state.Inspect(t.Context(), r.Aside); err != nil || c.Links != 2 {
		t.Errorf("got %+v, %v; want what was there, kept aside", c, err)
	}
	n := open(t, path, state.Options{})
	if err := n.See(t.Context(), l, guests, "m", seen("3", 3)); !errors.Is(err, state.ErrFenced) {
		t.Errorf("with the lease of before: got error %v, want %v", err, state.ErrFenced)
	}
	if err := n.Lock(t.Context(), "nightporter serve", now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	wantAdoptOnly(t, n, "guests", now) // and not since the lock was taken
	nl, err := n.Begin(t.Context(), "guests", false, now)
	if err != nil || nl.Epoch <= l.Epoch {
		t.Errorf("got lease %+v, %v; want an epoch above %d", nl, err, l.Epoch)
	}
}

// A state file that can't be read is replaced only by force, and kept.
func TestRestoreOverDamage(t *testing.T) {
	dir := t.TempDir()
	s, _ := paired(t, filepath.Join(dir, "good.db"))
	file, path := filepath.Join(dir, "copy.db"), filepath.Join(dir, "state.db")
	if _, err := s.Backup(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		path: strings.Repeat("damage", 1000), path + "-wal": "of the old one", path + ".lock": `{"pid":1,"term":7}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := state.Restore(t.Context(), file, path, false, noon); !errors.Is(err, state.ErrHasLinks) {
		t.Errorf("got error %v, want %v", err, state.ErrHasLinks)
	}
	r, err := state.Restore(t.Context(), file, path, true, noon)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{r.Aside: "damage", r.Aside + "-wal": "of the old one"} {
		if b, err := os.ReadFile(name); err != nil || !strings.HasPrefix(string(b), want) {
			t.Errorf("got %.20q, %v; want it kept", b, err)
		}
	}
	n := open(t, path, state.Options{})
	if c, err := n.Counts(t.Context(), "guests"); err != nil || c["links"] != 1 {
		t.Errorf("got counts %v, %v", c, err)
	}
	if err := n.Lock(t.Context(), "nightporter serve", noon.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	wantAdoptOnly(t, n, "guests", noon) // it was restored, and not put back by hand since
	if h, _, err := n.Holder(t.Context()); err != nil || h.Term <= 7 {
		t.Errorf("got holder %+v, %v; want a term above 7", h, err)
	}
}

// A copy put back by hand, without a word to anybody, is known by the lock file
// beside it, which remembers a later holder.
func TestPutBackByHand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, _ := paired(t, path)
	now := noon
	hold := func() {
		t.Helper()
		now = now.Add(time.Hour)
		if err := s.Lock(t.Context(), "nightporter serve", now); err != nil {
			t.Fatal(err)
		}
	}
	hold()
	old := filepath.Join(t.TempDir(), "old.db")
	if err := s.CopyTo(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	s.Close()
	for range 2 {
		s = open(t, path, state.Options{})
		hold()
		wantAdoptOnly(t, s, "guests", time.Time{})
		s.Close()
	}
	cp(t, old, path, 0)
	s = open(t, path, state.Options{})
	hold()
	at := now
	wantAdoptOnly(t, s, "guests", at)
	if h, _, err := s.Holder(t.Context()); err != nil || h.Term != 4 {
		t.Errorf("got holder %+v, %v; want the fourth term", h, err)
	}
	s.Close()
	s = open(t, path, state.Options{})
	hold()
	wantAdoptOnly(t, s, "guests", at) // told once
}

// A copy that an older version left is brought up to date as it is restored.
func TestRestoreOld(t *testing.T) {
	withNext(t, nextStep)
	file := restore(t, "testdata/schema-1.sql")
	to := filepath.Join(t.TempDir(), "new.db")
	if _, err := state.Restore(t.Context(), file, to, false, noon.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if c, err := state.Inspect(t.Context(), file); err != nil || c.Schema != 1 {
		t.Errorf("got copy %+v, %v; want it as it was", c, err)
	}
	s := open(t, to, state.Options{})
	wantAdoptOnly(t, s, "guests", noon.Add(time.Hour))
	goesOn(t, s)
	if got := files(t, filepath.Dir(to)); len(got) > 4 {
		t.Errorf("got files %v, want the state alone", got)
	}
}
