package state_test

import (
	"testing"
	"time"

	"nightporter/state"
	"nightporter/sync/record"
)

// Who changed a record is what the latest read showed; one that shows nobody leaves it.
func TestWeakChangedByIsOfTheLatestRead(t *testing.T) {
	ctx := t.Context()
	s := open(t, state.Memory, state.Options{SkipCheck: true})
	if err := s.Register(ctx, "guests", [2]record.System{"a", "b"}, [2]record.Kind{"guests", "contacts"}, nil); err != nil {
		t.Fatal(err)
	}
	l, err := s.Begin(ctx, "guests", false, noon)
	if err != nil {
		t.Fatal(err)
	}
	ref := record.Ref{Kind: "guests", ID: "1"}
	for _, read := range []struct {
		at   time.Duration
		by   string
		want string
	}{
		{0, "Ada", "Ada"}, {time.Minute, "", "Ada"}, {3 * time.Minute, "Bea", "Bea"}, {2 * time.Minute, "Cleo", "Bea"}, {4 * time.Minute, "Dora", "Dora"},
	} {
		o := record.Observation{Fields: record.Fields{"name": record.OfText("x")}, ChangedBy: read.by, At: noon.Add(read.at), View: "list"}
		if err := s.See(ctx, l, guests, "m1", []record.Seen{{Ref: ref, Observation: o}}); err != nil {
			t.Fatal(err)
		}
		e, _, err := s.Entry(ctx, guests, ref)
		if err != nil {
			t.Fatal(err)
		}
		if by, err := s.ChangedBy(ctx, []int64{e.Num, e.Num + 1}); err != nil || len(by) != 1 || by[e.Num] != read.want {
			t.Errorf("after %v by %q: got %v, %v, want %q", read.at, read.by, by, err, read.want)
		}
	}
}
