package memory_test

import (
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/record"
)

// upload is a create that a text goes up with.
func upload(t *testing.T, s *memory.System, text string) (record.Record, error) {
	t.Helper()
	ch := create(sample(1))
	ch.Fields = ch.Fields.With(record.Fields{"file": record.OfContent("d1", int64(len(text)), "text/plain")})
	ctx := connectors.WithContents(t.Context(), map[string][]byte{"file": []byte(text)})
	return s.Connector().(connectors.Writer).Apply(ctx, ch)
}

// What was given stays with its record, whatever becomes of that, and goes with it.
func TestContent(t *testing.T) {
	s, clock := timed(memory.Kind{Contents: map[string]connectors.Limits{"file": {}}})
	has := func(what, id, want string, there bool) {
		t.Helper()
		if b, ok := s.Content("guests", id, "file"); string(b) != want || ok != there {
			t.Errorf("%s: got %q, %t, want %q, %t", what, b, ok, want, there)
		}
	}
	r, err := upload(t, s, "From 7 to 23.")
	if err != nil {
		t.Fatal(err)
	}
	has("as it was given", r.Ref.ID, "From 7 to 23.", true)
	s.Edit("guests", r.Ref.ID, record.Fields{"notes": record.OfText("edited")})
	snap := s.Snapshot()
	has("after an edit", r.Ref.ID, "From 7 to 23.", true)
	has("of another record", s.Put("guests", sample(2)), "", false)
	s.Remove("guests", r.Ref.ID)
	has("after it was removed", r.Ref.ID, "", false)
	s.Restore(snap)
	has("of a backup", r.Ref.ID, "From 7 to 23.", true)
	s.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Late: time.Second})
	if _, err := upload(t, s, "From 8 to 22."); connectors.ClassOf(err) != connectors.Ambiguous {
		t.Fatal(err)
	}
	clock.advance(time.Minute)
	all := s.All("guests")
	has("what came late", all[len(all)-1].Ref.ID, "From 8 to 22.", true)
}

// A list that is not asked for a field knows all the same what it says of the record.
func TestUnfinishedOfAList(t *testing.T) {
	s := newSystem(memory.Kind{Unfinished: status})
	s.Put("guests", sample(1))
	s.Put("guests", sample(2).With(record.Fields{"status": record.OfText("ready")}))
	p, err := s.Connector().Fetch(t.Context(), connectors.Query{Kind: "guests", Fields: []string{"name"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	for i, goesOn := range []bool{true, false} {
		r, err := p.Read(p.Items[i])
		if err != nil || (r.Unfinished != nil) != goesOn || r.Fields["status"].Observed() {
			t.Errorf("%s: got %+v of %v, %v", p.Items[i].ID, r.Unfinished, r.Fields, err)
		}
	}
}
