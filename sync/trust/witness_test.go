package trust

import (
	"context"
	"testing"

	"nightporter/sync/run"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/record"
)

// fewKnown is a store of which only entries are asked.
type fewKnown struct {
	run.EntryStore
	entries []record.Entry
}

func (s fewKnown) Entry(_ context.Context, _ record.Place, ref record.Ref) (record.Entry, bool, error) {
	for _, e := range s.entries {
		if e.Ref == ref {
			return e, true, nil
		}
	}
	return record.Entry{}, false, nil
}

func (s fewKnown) Sample(_ context.Context, _ record.Place, n int) ([]record.Entry, error) {
	return s.entries[:min(n, len(s.entries))], nil
}

// What a list has just shown is asked for first, each record once, and only linked
// ones; without a list any linked record will do.
func TestWitnesses(t *testing.T) {
	var s fewKnown
	for i, id := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		s.entries = append(s.entries, record.Entry{Num: int64(i + 1), Link: record.LinkID(i), Ref: record.Ref{Kind: "people", ID: id}})
	}
	for _, tt := range []struct {
		name  string
		shown []string
		want  []string
	}{
		{"no list", nil, []string{"b", "c", "d", "e"}},
		{"a few were shown, one of them not linked, one not known", []string{"g", "a", "x", "g"}, []string{"g", "b", "c", "d", "e"}},
		{"enough were shown", []string{"g", "f", "e", "d", "c", "b"}, []string{"g", "f", "e", "d", "c"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &Room{store: store{EntryStore: s}, Run: &run.Run{House: &run.House{}, Job: &run.Job{Binding: "people"}}}
			for _, id := range tt.shown {
				r.Drawn[record.Right] = append(r.Drawn[record.Right], record.Ref{Kind: "people", ID: id})
			}
			sample, err := r.witnesses(t.Context(), record.Right)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range sample {
				got = append(got, e.Ref.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("witnesses (-want +got):\n%s", diff)
			}
		})
	}
}
