package state

import (
	"context"
	"testing"

	"nightporter/state/internal/entries"
	"nightporter/sync/record"
)

// Where there are many entries a sample is drawn without reading them all, and is
// still of linked entries of that side, none twice.
func TestSampleOfMany(t *testing.T) {
	ctx := context.Background()
	s, err := OpenMemory(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Register(ctx, "guests", [2]record.System{"a", "b"}, [2]record.Kind{"guests", "contacts"}, nil); err != nil {
		t.Fatal(err)
	}
	const n = 2 * entries.Few
	for _, query := range []string{
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
			INSERT INTO link (id, binding, entity, made) SELECT i, 'guests', i, 0 FROM n`,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
			INSERT INTO entry (num, binding, side, kind, id, link, state, since) SELECT i, 'guests', i % 2, 'guests', i,
				CASE i % 8 WHEN 1 THEN NULL ELSE i END, CASE i % 8 WHEN 3 THEN 'gone' ELSE '' END, 0 FROM n`,
	} {
		if _, err := s.db.Writer.Exec(query, n); err != nil {
			t.Fatal(err)
		}
	}
	place := record.Place{Binding: "guests", Side: record.Right}
	drawn := map[int64]bool{}
	for range 100 {
		sample, err := s.Sample(ctx, place, 5)
		if err != nil {
			t.Fatal(err)
		}
		if len(sample) != 5 {
			t.Fatalf("drew %d, want 5", len(sample))
		}
		last := int64(0)
		for _, e := range sample {
			if e.Num <= last || e.Place != place || e.Link == 0 || e.State != record.InStep {
				t.Fatalf("drew %+v behind entry %d", e, last)
			}
			last = e.Num
			drawn[e.Num] = true
		}
	}
	if len(drawn) < 450 {
		t.Errorf("100 samples of 5 are %d different entries, want nearly 500", len(drawn))
	}
	if _, err := s.db.Writer.Exec(`UPDATE entry SET link = NULL WHERE num <> 7`); err != nil {
		t.Fatal(err)
	}
	if sample, err := s.Sample(ctx, place, 5); err != nil || len(sample) != 1 || sample[0].Num != 7 {
		t.Errorf("got %+v, %v, want the one that is left", sample, err)
	}
}

// Of what the file has damaged values nothing is drawn, and all others are as long as there are
// enough: one sound record vouches for its system.
func TestSampleLeavesOutWhatIsDamaged(t *testing.T) {
	ctx := context.Background()
	s, err := OpenMemory(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Register(ctx, "guests", [2]record.System{"a", "b"}, [2]record.Kind{"guests", "contacts"}, nil); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
			INSERT INTO link (id, binding, entity, made) SELECT i, 'guests', i, 0 FROM n`,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
			INSERT INTO entry (num, binding, side, kind, id, link, state, since, base)
			SELECT i, 'guests', 0, 'guests', i, i, '', 0, CASE i % 6 WHEN 0 THEN '{}' ELSE '{' END FROM n`,
	} {
		if _, err := s.db.Writer.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
	place := record.Place{Binding: "guests", Side: record.Left}
	for n, want := range []int{0, 1, 2, 2} {
		for range 20 {
			sample, err := s.Sample(ctx, place, n)
			if err != nil || len(sample) != want {
				t.Fatalf("drew %d of %d, %v; want %d", len(sample), n, err, want)
			}
			for _, e := range sample {
				if e.Num%6 != 0 {
					t.Fatalf("drew %d, of which the values are damaged", e.Num)
				}
			}
		}
	}
}
