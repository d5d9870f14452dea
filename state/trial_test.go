package state_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/state"
	"nightporter/sync/record"
)

// What is known of a trial is read as it was kept, also where two of its lists say the same.
func TestOutside06TrialsAreKept(t *testing.T) {
	ctx := t.Context()
	s := open(t, state.Memory, state.Options{SkipCheck: true})
	if err := s.Register(ctx, "guests", [2]record.System{"a", "b"}, [2]record.Kind{"guests", "contacts"}, nil); err != nil {
		t.Fatal(err)
	}
	l, err := s.Begin(ctx, "guests", false, noon)
	if err != nil {
		t.Fatal(err)
	}
	same := []string{"vip"}
	want := record.Trial{
		Place: record.Place{Binding: "guests", Side: record.Right}, Op: record.Update, Described: "d", Ref: record.Ref{Kind: "contacts", ID: "1"},
		Sent: []string{"note"}, State: record.TrialStopped, Found: same, Left: same, Listed: same, Proved: []string{"", "custom"}, At: noon, Ended: noon, Looks: 2,
	}
	if err := s.KeepTrial(ctx, l, want); err != nil {
		t.Fatal(err)
	}
	got, err := s.Trials(ctx, "guests")
	if err != nil || len(got) != 1 {
		t.Fatalf("got %v, %v", got, err)
	}
	if diff := cmp.Diff(want, got[0], cmp.Comparer(func(a, b record.Fields) bool { return a.Equal(b) })); diff != "" {
		t.Errorf("it was kept otherwise (-want +got):\n%s", diff)
	}
}
