package memory_test

import (
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/record"
)

// What systems did that were met outside, as traits of a kind.

func writer(t *testing.T, s *memory.System) all {
	t.Helper()
	c, ok := s.Connector().(all)
	if !ok {
		t.Fatal("it can't read, write and find")
	}
	return c
}

func TestOutside38UpdatesReplace(t *testing.T) {
	s := newSystem(memory.Kind{Fields: fields(), FindAny: true, Status: "status", Replaces: true})
	id := s.Put("guests", sample(1).With(record.Fields{"status": text("in"), "room": text("7")}))
	rec, err := writer(t, s).Apply(t.Context(), update(id, record.Fields{"notes": text("late")}))
	if err != nil {
		t.Fatal(err)
	}
	kept, _ := s.Get("guests", id)
	for name, want := range map[string]string{"notes": "late", "status": "in", "room": "7", "name": "", "phone": ""} {
		if got := kept.Fields[name].Text(); got != want || rec.Fields[name].Text() != want {
			t.Errorf("%s is %q, and was answered as %q, want %q", name, got, rec.Fields[name].Text(), want)
		}
	}
}

// What is edited between the read and the write of a system that rewrites is written over,
// but for what has versions.
func TestOutside38UpdatesRewrite(t *testing.T) {
	for _, versions := range []bool{false, true} {
		s := newSystem(memory.Kind{Fields: fields(), FindAny: true, Rewrites: true, Versions: versions})
		id := s.Put("guests", sample(1))
		was, _ := s.Get("guests", id)
		s.Hook(memory.Hooks{Step: func(name string) {
			if name == "before rewrite guests" {
				s.Edit("guests", id, record.Fields{"email": text("new@example.test")})
			}
		}})
		ch := update(id, record.Fields{"notes": text("late")})
		ch.Version = was.Version
		_, err := writer(t, s).Apply(t.Context(), ch)
		kept, _ := s.Get("guests", id)
		lost := kept.Fields["email"].Equal(was.Fields["email"])
		if (err != nil) != versions || lost == versions || (kept.Fields["notes"].Text() == "late") == versions {
			t.Errorf("versions %t: %v, and it holds %v", versions, err, kept.Fields)
		}
	}
}

func TestOutside38WordsAreIgnored(t *testing.T) {
	s := newSystem(memory.Kind{Fields: fields(), FindAny: true, Ignores: map[string]record.Value{"status": text("open"), "notes": record.Nothing()}})
	rec, err := writer(t, s).Apply(t.Context(), create(sample(1).With(record.Fields{"status": text("confirmed"), "notes": text("late")})))
	if err != nil || rec.Fields["status"].Text() != "open" || !rec.Fields["notes"].Empty() {
		t.Errorf("a create was answered %v, %v", rec.Fields, err)
	}
	rec, err = writer(t, s).Apply(t.Context(), update(rec.Ref.ID, record.Fields{"status": text("confirmed")}))
	if err != nil || rec.Fields["status"].Text() != "confirmed" {
		t.Errorf("an update was answered %v, %v", rec.Fields, err)
	}
}

func TestOutside38RowsNobodyCanRead(t *testing.T) {
	bad := func(f record.Fields) bool { return f["notes"].Text() == "bad" }
	s := newSystem(memory.Kind{Fields: fields(), FindAny: true, Unreadable: bad})
	good, id := s.Put("guests", sample(1)), s.Put("guests", sample(2).With(record.Fields{"notes": text("bad")}))
	c := writer(t, s)
	p, err := c.Fetch(t.Context(), connectors.Query{Kind: "guests"}, "")
	if err != nil || len(p.Items) != 2 || p.Items[0].ID != good || p.Items[1].ID != id {
		t.Fatalf("the list shows %v, %v", p.Items, err)
	}
	if _, err := p.Read(p.Items[0]); err != nil {
		t.Error(err)
	}
	_, listed := p.Read(p.Items[1])
	_, read := c.Get(t.Context(), record.Ref{Kind: "guests", ID: id}, connectors.Scope{})
	_, found := c.Find(t.Context(), "guests", record.Fields{"phone": sample(2)["phone"]}, connectors.Scope{})
	for what, err := range map[string]error{"listed": listed, "read by id": read, "found": found} {
		if connectors.ClassOf(err) != connectors.Malformed {
			t.Errorf("%s: got %v, want that it can't be read", what, err)
		}
	}
	if recs, err := c.Find(t.Context(), "guests", record.Fields{"phone": sample(1)["phone"]}, connectors.Scope{}); err != nil || len(recs) != 1 {
		t.Errorf("the other one: %v, %v", recs, err)
	}
	s.Edit("guests", id, record.Fields{"notes": text("good")})
	if _, err := c.Get(t.Context(), record.Ref{Kind: "guests", ID: id}, connectors.Scope{}); err != nil {
		t.Errorf("once it was mended: %v", err)
	}
}

func TestOutside38KeysAreForgotten(t *testing.T) {
	s, clock := timed(memory.Kind{Fields: fields(), FindAny: true, Idempotent: true, KeyLife: time.Hour})
	c := writer(t, s)
	for _, x := range []struct {
		wait time.Duration
		want int
	}{{0, 1}, {59 * time.Minute, 1}, {time.Minute, 2}} {
		clock.advance(x.wait)
		if _, err := c.Apply(t.Context(), create(sample(1))); err != nil {
			t.Fatal(err)
		}
		if got := len(s.All("guests")); got != x.want {
			t.Errorf("%s later: %d records, want %d", x.wait, got, x.want)
		}
	}
}

// A guarded update goes by a field that was empty, and that no read shows any more. What holds
// nothing there is still what it was, and not what it was once filled with.
func TestOutside38AGuardGoesByWhatIsEmptyAndNotShown(t *testing.T) {
	s := newSystem(memory.Kind{Fields: fields(), FindAny: true, Guarded: true, Late: []string{"status"}, Unfinished: func(record.Fields) *record.Unfinished {
		return &record.Unfinished{Lacks: []string{"status"}}
	}})
	id := s.Put("guests", sample(1))
	ch := update(id, record.Fields{"status": text("in")})
	ch.Before = record.Fields{"status": text("out")}
	if _, err := writer(t, s).Apply(t.Context(), ch); connectors.ClassOf(err) != connectors.Stale {
		t.Errorf("for what it never held: got %v, want a stale record", err)
	}
	ch.Before = record.Fields{"status": record.Nothing()}
	if _, err := writer(t, s).Apply(t.Context(), ch); err != nil {
		t.Errorf("for nothing: %v", err)
	}
}
