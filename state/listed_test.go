package state

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Whatever the order of a list is and whatever is written meanwhile, what is read
// ahead gives the same answer as looking each record up.
func TestKnown(t *testing.T) {
	const n = 3000
	orders := map[string]func(r *rand.Rand, ids []string) []string{
		"as first listed": func(_ *rand.Rand, ids []string) []string { return ids },
		"the last first": func(_ *rand.Rand, ids []string) []string {
			slices.Reverse(ids)
			return ids
		},
		"any": func(r *rand.Rand, ids []string) []string {
			r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
			return ids
		},
		"with gaps, newcomers, doubles and items without an id": func(r *rand.Rand, ids []string) []string {
			var out []string
			for _, id := range ids {
				switch r.IntN(20) {
				case 0:
				case 1:
					out = append(out, id, "new"+id)
				case 2:
					out = append(out, id, id)
				case 3:
					out = append(out, "", id)
				default:
					out = append(out, id)
				}
			}
			return out[n/3:]
		},
	}
	for name, order := range orders {
		t.Run(name, func(t *testing.T) {
			ctx, r := context.Background(), rand.New(rand.NewPCG(1, 2))
			s, err := Open(ctx, t.TempDir()+"/state.db", Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := s.Register(ctx, "guests", [2]record.System{"a", "b"}, [2]record.Kind{"guests", "guests"}, nil); err != nil {
				t.Fatal(err)
			}
			l, err := s.Begin(ctx, "guests", false, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			place := record.Place{Binding: "guests", Side: record.Right}
			scan, err := s.BeginScan(ctx, l, place, record.ScanSpec{Full: true}, time.Now(), time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			see := func(place record.Place, scan int64, ids ...string) {
				t.Helper()
				page := record.PageSeen{Scan: scan, Rows: len(ids), Total: -1, At: time.Now()}
				for _, id := range ids {
					page.Items = append(page.Items, record.Seen{
						Ref: record.Ref{Kind: "guests", ID: id}, Listed: record.DigestOf("x", fmt.Append(nil, id, r.Int())),
						Observation: record.Observation{At: time.Now(), Fields: record.Fields{"a": record.OfText(fmt.Sprint(r.Int()))}},
					})
				}
				if _, err := s.SeePage(ctx, l, place, page); err != nil {
					t.Fatal(err)
				}
			}
			var ids []string
			for i := range n {
				ids = append(ids, fmt.Sprint("id-", i))
			}
			other := record.Place{Binding: "guests", Side: record.Left}
			otherScan, err := s.BeginScan(ctx, l, other, record.ScanSpec{Full: true}, time.Now(), time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			for i, page := range slices.Collect(slices.Chunk(ids, 100)) {
				see(place, scan.ID, page...)
				if i%7 == 3 { // entries of the other side lie in between
					see(other, otherScan.ID, page...)
				}
			}
			list := order(r, slices.Clone(ids))
			var into []record.Known
			for page := range slices.Chunk(list, 50) {
				if into, err = s.Known(ctx, place, page, into); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(lookedUp(t, s, place, page), into); diff != "" {
					t.Fatalf("(-want +got):\n%s", diff)
				}
				switch r.IntN(6) {
				case 0: // a page of the place's own
					see(place, scan.ID, ids[r.IntN(n)], ids[r.IntN(n)], page[len(page)-1]+"x")
				case 1: // another side's
					see(other, otherScan.ID, ids[r.IntN(n)])
				case 2: // something that is no page clears digests
					if err := s.db.Write(ctx, "clear", clearSome(r.IntN(7))); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// clearSome clears every seventh digest.
func clearSome(k int) func(context.Context, *sql.Tx) error {
	return func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.Exec(ctx, tx, `UPDATE entry SET listed = NULL WHERE num % 7 = ?1`, k)
	}
}

// lookedUp is the entries of ids, read one by one.
func lookedUp(t *testing.T, s *Store, p record.Place, ids []string) []record.Known {
	t.Helper()
	out := make([]record.Known, len(ids))
	for i, id := range ids {
		e, ok, err := s.Entry(context.Background(), p, record.Ref{Kind: "guests", ID: id})
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			out[i] = record.Known{Num: e.Num, Listed: e.Listed}
		}
	}
	return out
}
