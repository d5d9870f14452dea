package state_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/state"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// restore makes a state file from a dump of one that a released version left.
func restore(t *testing.T, dump string) string {
	t.Helper()
	script, err := os.ReadFile(dump)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "state.db")
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), string(script)); err != nil {
		t.Fatal(err)
	}
	return path
}

// Every released schema leaves a dump in testdata. Opened by this version, each
// must end with this version's schema and go on where it was.
func TestMigrate(t *testing.T) {
	dumps, err := filepath.Glob("testdata/schema-*.sql")
	if err != nil || len(dumps) == 0 {
		t.Fatalf("got dumps %v, %v; want at least one", dumps, err)
	}
	want, err := inMemory(t).Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, dump := range dumps {
		t.Run(filepath.Base(dump), func(t *testing.T) {
			s := open(t, restore(t, dump), state.Options{})
			got, err := s.Schema(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("schema differs from that of a new file (-new +migrated):\n%s", diff)
			}
			holds(t, s)
			goesOn(t, s)
		})
	}
}

// holds checks that all that a dump holds is there.
func holds(t *testing.T, s *state.Store) {
	t.Helper()
	for _, check := range []func(*testing.T, *state.Store){operated, trusted, tells, tellsHeld, keepsBack, vouches, doubts, finds, tries, proves, holdsBack} {
		check(t, s)
	}
	staged, err := s.StagedOf(t.Context(), "3f9c01d2a4b7", 0)
	if err != nil || len(staged) != 2 || len(staged[0].Parts) != 0 || len(staged[1].Parts) != 2 {
		t.Errorf("got %+v, %v; want the parts of a held change", staged, err)
	}
	if by, err := s.ChangedBy(t.Context(), []int64{1, 2}); err != nil || len(by) != 1 || by[1] != "Maria Bianchi" {
		t.Errorf("got %v, %v; want who changed a record", by, err)
	}
	if entity, ok, err := s.EntityOf(t.Context(), "pms", record.Ref{Kind: "guests", ID: "2"}); err != nil || !ok || entity != "entity-2" {
		t.Errorf("got %q, %t, %v; want what a record without a link stood for", entity, ok, err)
	}
}

// withNext adds a step to those of this version for the time of a test: a file that this version left is an older one then.
func withNext(t *testing.T, step string) {
	t.Helper()
	this := sqlite.Steps
	steps := fstest.MapFS{"00002_next.sql": {Data: []byte("-- +goose Up\n" + step + "\n-- +goose Down\nSELECT 1;\n")}}
	files, err := fs.Glob(this, "*.sql")
	if err != nil || len(files) != 1 {
		t.Fatalf("got steps %v, %v; want one: number the next one after them", files, err)
	}
	text, err := fs.ReadFile(this, files[0])
	if err != nil {
		t.Fatal(err)
	}
	steps[files[0]] = &fstest.MapFile{Data: text}
	sqlite.Steps = steps
	t.Cleanup(func() { sqlite.Steps = this })
}

const nextStep = "ALTER TABLE link ADD COLUMN next INTEGER NOT NULL DEFAULT 7;"

// A file that an older version left is brought up to date, and all that it holds is there. A step that fails leaves
// the file as it was, and the next start goes on.
func TestMigrateToTheNext(t *testing.T) {
	path := restore(t, "testdata/schema-1.sql")
	t.Run("fails", func(t *testing.T) {
		withNext(t, nextStep+"\nALTER TABLE nobody_has_it ADD COLUMN next INTEGER;")
		s, err := state.Open(t.Context(), path, state.Options{})
		if err == nil {
			s.Close()
			t.Fatal("it was opened")
		}
		if c, err := state.Inspect(t.Context(), path); err != nil || c.Schema != 1 {
			t.Errorf("got %+v, %v; want the file as it was", c, err)
		}
	})
	withNext(t, nextStep)
	s := open(t, path, state.Options{})
	s.Exec(t, `UPDATE link SET next = next + 1`)
	holds(t, s)
	goesOn(t, s)
}

// A file of a newer version is refused, and stays as it is.
func TestANewerFileIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	t.Run("the newer version", func(t *testing.T) {
		withNext(t, nextStep)
		open(t, path, state.Options{}).Close()
	})
	for _, opts := range []state.Options{{}, {ReadOnly: true}} {
		s, err := state.Open(t.Context(), path, opts)
		if err == nil {
			s.Close()
		}
		if !errors.Is(err, state.ErrNewer) {
			t.Errorf("read only %t: got error %v, want %v", opts.ReadOnly, err, state.ErrNewer)
		}
	}
	if c, err := state.Inspect(t.Context(), path); err == nil {
		t.Errorf("got %+v, want it refused", c)
	}
}

// finds checks what a dump holds of what is not written.
func finds(t *testing.T, s *state.Store) {
	t.Helper()
	found, err := s.Findings(t.Context(), "guests")
	if err != nil || len(found) != 1 || found[0].Name != record.FindRefused || found[0].Text != "HTTP 422: too long" || !found[0].Since.Equal(noon) {
		t.Errorf("got findings %+v, %v", found, err)
	}
}

// goesOn checks that what the dump holds is there: a pair, a change under way, a
// choice, an entry that waits for what the change creates.
func goesOn(t *testing.T, s *state.Store) {
	t.Helper()
	ctx := t.Context()
	if install, err := s.Install(ctx); err != nil || install != "abcdefgh" {
		t.Errorf("got install %q, %v", install, err)
	}
	l, err := s.Begin(ctx, "guests", false, noon.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	p, ok, err := s.ByEntity(ctx, "guests", "entity-1")
	if err != nil || !ok || p.Sides[1].Base.Fields()["name"].Text() != "Ada B" || len(p.Sides[1].Sent) == 0 {
		t.Errorf("got pair %+v, %v, %v", p, ok, err)
	}
	held, ok, err := s.ByEntity(ctx, "guests", "entity-3")
	if err != nil || !ok || held.State != record.LinkConflict {
		t.Fatalf("got pair %+v, %v, %v", held, ok, err)
	}
	if choices, err := s.Choices(ctx, held.Link); err != nil || choices["name"].Right.Text() != "Cyrus" {
		t.Errorf("got choices %v, %v", choices, err)
	}
	intents, err := s.Unsettled(ctx, "guests")
	if err != nil || len(intents) != 1 {
		t.Fatalf("got unsettled changes %v, %v", intents, err)
	}
	_, err = s.SettleIntent(ctx, l, record.Receipt{
		Intent: intents[0].ID, Ref: record.Ref{Kind: "contacts", ID: "12"}, Fields: intents[0].Change.Fields, At: noon.Add(time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := s.Entry(ctx, guests, record.Ref{Kind: "guests", ID: "4"})
	if err != nil || !e.Dirty || len(e.Keys) != 1 {
		t.Errorf("got waiting entry %+v, %v; want it woken", e, err)
	}
	c, err := s.Counts(ctx, "guests")
	if err != nil || c["links"] != 3 || c["left.unreadable"] != 1 || c["conflicts"] != 1 {
		t.Errorf("got counts %v, %v", c, err)
	}
}

// vouches checks what a dump holds of a record whose list hides a field.
func vouches(t *testing.T, s *state.Store) {
	t.Helper()
	want := record.Vouching{Unshown: []string{"mail"}, Known: record.Sign{Version: "3"}}
	e, ok, err := s.EntryNum(t.Context(), 1)
	if err != nil || !ok || e.Vouching == nil || cmp.Diff(want, *e.Vouching) != "" || !e.Vouches("3", []string{"name"}) {
		t.Errorf("got %+v, %v, %v, want %+v", e.Vouching, ok, err, want)
	}
}

// operated checks what a dump holds of a daemon's work: a holder, a
// request and a hint that wait, a pause, a slot, failures, a call.
func operated(t *testing.T, s *state.Store) {
	t.Helper()
	ctx := t.Context()
	if h, ok, err := s.Holder(ctx); err != nil || !ok || h.PID != 4711 || h.Term != 3 {
		t.Errorf("got holder %+v, %v, %v", h, ok, err)
	}
	asked, err := s.TakeRequests(ctx, noon)
	if err != nil || len(asked) != 1 || asked[0].By != "bo" {
		t.Errorf("got requests %+v, %v", asked, err)
	}
	hints, err := s.Hints(ctx, "guests", 0, 9)
	if err != nil || len(hints) != 1 || hints[0].Event != "e2" {
		t.Errorf("got hints %+v, %v", hints, err)
	}
	if p, err := s.Paused(ctx, noon); err != nil || len(p) != 1 || p[0].Why != "night audit" {
		t.Errorf("got pauses %+v, %v", p, err)
	}
	b, err := s.Ledger().Load(ctx, "guests")
	if err != nil || b.Fails != 2 || len(b.Lines[1].Settled) != 1 || b.Lines[1].Settled[0].Fold != 1 {
		t.Errorf("got ledger %+v, %v", b, err)
	}
	if c, err := s.Ledger().Calls(ctx); err != nil || len(c) != 1 || c[0].Seq != 3 {
		t.Errorf("got calls %+v, %v", c, err)
	}
	wantAdoptOnly(t, s, "guests", noon)
	wantAdoptOnly(t, s, "stays", time.Time{})
}

// trusted checks what a dump holds of what keeps from harm: a
// configuration, a set that is approved and half done, what a guard counts, refusals
// that are forgiven, what was decided for good, a tombstone, a lag, a breaker, a halt
// that is answered, an account.
func trusted(t *testing.T, s *state.Store) {
	t.Helper()
	ctx, platform := t.Context(), record.Place{Binding: "guests", Side: record.Right}
	if c, err := s.Configs(ctx); err != nil || len(c) != 1 || c[0].Digest != "c0ffee" {
		t.Errorf("got configurations %+v, %v", c, err)
	}
	if st, err := s.Stages(ctx, "guests", false); err != nil || len(st) != 1 || st[0].Choice != record.Approved || st[0].Size != 2 || st[0].Left != 1 {
		t.Errorf("got sets %+v, %v", st, err)
	}
	want := []record.Spent{
		{Side: record.Right, Risk: "create", Count: 1, Last: noon},
		{Side: record.Right, Risk: "update", Name: "contacts:11", Count: 1, Last: noon},
	}
	if got, err := s.Spent(ctx, "guests", noon.Add(time.Hour)); err != nil || !cmp.Equal(want, got) {
		t.Errorf("got spent %+v, %v; want %+v", got, err, want)
	}
	if f, err := s.Forgiven(ctx, "guests"); err != nil || len(f) != 1 || f[0].Link != 2 || f[0].By != "ada" {
		t.Errorf("got forgiven %+v, %v", f, err)
	}
	if a, err := s.Always(ctx, "guests"); err != nil || len(a) != 1 || a[0].Field != "phone" || a[0].Take != "left" {
		t.Errorf("got decided for good %+v, %v", a, err)
	}
	gone, _, err := s.Entry(ctx, platform, record.Ref{Kind: "contacts", ID: "14"})
	if err != nil || gone.State != record.Gone {
		t.Errorf("got entry %+v, %v; want it gone", gone, err)
	}
	if tomb, ok, err := s.Tombstone(ctx, gone.Num); err != nil || !ok || tomb.Evidence != record.EvidenceRead || tomb.Entity != "entity-4" {
		t.Errorf("got tombstone %+v, %v, %v", tomb, ok, err)
	}
	if l, err := s.Lag(ctx, platform, noon); err != nil || l.Measured != 1 || l.Most != 1500*time.Millisecond {
		t.Errorf("got lag %+v, %v", l, err)
	}
	if b, err := s.Breakers(ctx); err != nil || len(b) != 1 || b[0].Fails != 4 || b[0].Next.IsZero() {
		t.Errorf("got breakers %+v, %v", b, err)
	}
	if h, err := s.Halts(ctx, "guests"); err != nil || len(h) != 1 || h[0].Cause != "shrink" || h[0].Who != "ada" || !h[0].Rests.IsOn("60") {
		t.Errorf("got halts %+v, %v", h, err)
	}
	if w, err := s.Witnessed(ctx, platform); err != nil || w["account"].Value != "hotel-1" {
		t.Errorf("got witnessed %+v, %v", w, err)
	}
}

// tells checks what a dump holds of who is told: a destination that
// fails, something that nobody was told of, an event in each state, failed runs.
func tells(t *testing.T, s *state.Store) {
	t.Helper()
	ctx := t.Context()
	ds, err := s.Destinations(ctx)
	if err != nil || len(ds) != 1 || ds[0].Name != "n8n" || ds[0].Fails != 2 || ds[0].Waiting != 1 || ds[0].Dead != 1 || ds[0].Next.IsZero() {
		t.Errorf("got destinations %+v, %v", ds, err)
	}
	if h, err := s.Happened(ctx, 9); err != nil || len(h) == 0 || h[0].Question == nil || h[0].Question.Cause != "shrink" {
		t.Errorf("got happenings %+v, %v", h, err)
	}
	if e, ok, err := s.NextEvent(ctx, "n8n", noon.AddDate(1, 0, 0)); err != nil || !ok || e.ID != "evt_02" || e.Type != record.FailedEvent || e.Tries != 2 {
		t.Errorf("got next event %+v, %v, %v", e, ok, err)
	}
	if f, err := s.Failing(ctx); err != nil || f["guests"] == nil || f["guests"].Runs != 2 || f["guests"].Read != [2]bool{true, false} {
		t.Errorf("got failed runs %+v, %v", f, err)
	}
}

// tellsHeld checks what a dump holds of a set that a guard holds and that
// nobody was told of yet.
func tellsHeld(t *testing.T, s *state.Store) {
	t.Helper()
	if h, err := s.Happened(t.Context(), 9); err != nil || len(h) != 2 || h[1].Held == nil || h[1].Held.Cause != "updates" {
		t.Errorf("got happenings %+v, %v", h, err)
	}
}

// doubts checks what a dump holds of what is in doubt: links of a state that
// was put back, and what a question rests on.
func doubts(t *testing.T, s *state.Store) {
	t.Helper()
	for _, link := range []record.LinkID{1, 2} {
		if p, ok, err := s.Pair(t.Context(), link); err != nil || !ok || !p.Doubted {
			t.Errorf("got link %d %+v, %v, %v; want it in doubt", link, p, ok, err)
		}
	}
	if c, ok, err := s.Question(t.Context(), 1); err != nil || !ok || len(c.Rests.On) != 1 || c.Rests.On[0] != "a1b2" {
		t.Errorf("got conflict %+v, %v, %v", c, ok, err)
	}
}

// tries checks what a dump holds of a first write: an original that is still
// to be put back.
func tries(t *testing.T, s *state.Store) {
	t.Helper()
	all, err := s.Trials(t.Context(), "guests")
	if err != nil || len(all) != 2 || all[0].State != record.TrialAside || all[0].Looks != 3 ||
		all[1].Op != record.Update || all[1].State != record.TrialHarmed || all[1].Original["name"].Text() != "Ada" {
		t.Errorf("got trials %+v, %v", all, err)
	}
}

// proves checks what a dump holds of objects of which a first write showed something.
func proves(t *testing.T, s *state.Store) {
	t.Helper()
	all, err := s.Trials(t.Context(), "guests")
	if err != nil || len(all) != 2 || len(all[0].Proved) != 1 || len(all[0].Listed) != 1 {
		t.Errorf("got trials %+v, %v", all, err)
	}
}

// holdsBack checks what a dump holds of an event that was refused.
func holdsBack(t *testing.T, s *state.Store) {
	t.Helper()
	if e, ok, err := s.NextEvent(t.Context(), "n8n", noon); err != nil || ok {
		t.Errorf("got next event %+v, %v; want it held back", e, err)
	}
	if e, ok, err := s.NextEvent(t.Context(), "n8n", noon.Add(5*time.Minute)); err != nil || !ok || e.Subject != "job guests" {
		t.Errorf("got next event %+v, %v, %v", e, ok, err)
	}
}

// keepsBack checks what a dump holds of what is not sent yet: a change that
// waits for its hours.
func keepsBack(t *testing.T, s *state.Store) {
	t.Helper()
	kept, err := s.KeptBack(t.Context(), "guests")
	if err != nil || len(kept) != 1 || kept[0].Link != 2 || kept[0].Rule != record.HoldHours || !kept[0].Until.Equal(noon.Add(21*time.Hour)) {
		t.Errorf("got kept back %+v, %v", kept, err)
	}
}
