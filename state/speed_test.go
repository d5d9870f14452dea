package state_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/state"
	"nightporter/state/internal/entries"
	"nightporter/state/internal/journal"
	"nightporter/state/internal/links"
	"nightporter/state/internal/runs"
	"nightporter/sync/record"
)

// The queries of each page and each plan must go by an index: at a million records
// nobody would wait for the others.
func TestQueriesGoByIndex(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state.db"), state.Options{})
	register(t, s)
	for name, q := range map[string]struct{ query, want string }{
		"known": {
			`SELECT id, num, listed FROM entry WHERE binding = 'a' AND side = 0 AND id IN (SELECT value FROM json_each('[]'))`,
			"USING INDEX entry_ref",
		},
		"dirty": {
			`SELECT DISTINCT e.link FROM entry e JOIN link l ON l.id = e.link
			WHERE e.binding = 'a' AND e.link IS NOT NULL AND (e.seen IS NOT NULL OR e.dirty = 1) AND e.link > 0
			AND l.state <> 'unsettled' ORDER BY e.link LIMIT 5`,
			"USING INDEX entry_dirty",
		},
		"unlinked": {
			`SELECT num FROM entry e WHERE e.binding = 'a' AND e.side = 0 AND e.link IS NULL AND e.num > 0 ORDER BY e.num LIMIT 5`,
			"entry_unlinked",
		},
		"due by state":   {`SELECT num FROM entry WHERE binding = 'a' AND side = 0 AND state <> '' AND state = 'suspect'`, "entry_state"},
		"due by time":    {`SELECT num FROM entry WHERE binding = 'a' AND side = 0 AND recheck IS NOT NULL AND recheck <= 5`, "entry_recheck"},
		"open change":    {`SELECT 1 FROM intent i WHERE i.link = 5 AND i.state IN ('sent', 'held')`, "USING INDEX intent_"},
		"open question":  {`SELECT 1 FROM question c WHERE c.link = 5 AND c.closed IS NULL`, "question_open"},
		"matching":       {entries.MatchingQuery, "SEARCH k USING PRIMARY KEY (binding=? AND side=? AND name=? AND text=?)"},
		"entity":         {links.EntityQuery, "SEARCH e USING INDEX entry_ref"},
		"entities":       {links.EntitiesQuery, "SEARCH e USING INDEX entry_ref"},
		"linked":         {entries.LinkedQuery, "SEARCH k USING PRIMARY KEY (binding=? AND side=? AND name=? AND text=?)"},
		"linked record":  {entries.LinkedQuery, "SEARCH e USING INTEGER PRIMARY KEY"},
		"open creates":   {links.OpenCreates, "USING INDEX intent_create (source=?)"},
		"lost":           {journal.LostQuery, "USING INDEX intent_unsettled"},
		"run to end":     {runs.BreakQuery, "SEARCH run USING COVERING INDEX run_binding"},
		"refusals":       {journal.RefusalQuery, "SEARCH i USING INDEX intent_link"},
		"refused":        {journal.RefusalQuery, "SEARCH i USING INDEX intent_rejected"},
		"waiting for it": {`SELECT entry FROM wait WHERE on_binding = '' AND on_side = 0 AND on_kind = '' AND on_id = ''`, "wait_on"},
		"requests":       {runs.OpenRequests, "request_open"},
		"hints":          {runs.OpenHints, "USING INDEX hint_open"},
		"calls":          {runs.OpenCalls, "call_open"},
	} {
		if plan := s.Explain(t, q.query); !strings.Contains(plan, q.want) || strings.Contains(plan, "SCAN e") {
			t.Errorf("%s: got plan\n%swant %s", name, plan, q.want)
		}
	}
}

// What is old is found without reading what is young.
func TestPruneGoesByIndex(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state.db"), state.Options{})
	for _, query := range runs.Pruned() {
		plan := s.Explain(t, query)
		for line := range strings.Lines(plan) {
			if strings.Contains(line, "SCAN") && !strings.Contains(line, "subquery") {
				t.Errorf("%s: got plan\n%swant no scan", query, plan)
			}
		}
	}
}

func page(from, n int, at time.Time) []record.Seen {
	items := make([]record.Seen, n)
	for i := range items {
		id := fmt.Sprint(from + i)
		f := record.Fields{}
		for _, name := range []string{"first_name", "last_name", "email", "phone", "city", "country", "note", "language"} {
			f[name] = record.OfText(name + " of guest " + id)
		}
		items[i] = record.Seen{
			Ref:         record.Ref{Kind: "guests", ID: id},
			Observation: record.Observation{Fields: f, At: at, View: "list", Version: "7"},
			Listed:      f.Digest(),
			Keys:        []record.Key{{Name: "phone", Text: "+39000" + id}, {Name: "email", Text: id + "@example.com"}},
		}
	}
	return items
}

// BenchmarkFirstPage stores 100 new records a page.
func BenchmarkFirstPage(b *testing.B) {
	bench(b, func(s *state.Store, l record.Lease, scan int64, n int) error {
		_, err := s.SeePage(b.Context(), l, guests, record.PageSeen{Scan: scan, Items: page(n*100, 100, noon), Rows: 100, At: noon})
		return err
	})
}

// BenchmarkSamePage is a page of 100 records of which none has changed.
func BenchmarkSamePage(b *testing.B) {
	var ids []string
	items := page(0, 100, noon)
	for _, it := range items {
		ids = append(ids, it.Ref.ID)
	}
	first := true
	bench(b, func(s *state.Store, l record.Lease, scan int64, _ int) error {
		if first {
			first = false
			_, err := s.SeePage(b.Context(), l, guests, record.PageSeen{Scan: scan, Items: items, Rows: 100, At: noon})
			return err
		}
		known, err := s.Known(b.Context(), guests, ids, nil)
		if err != nil {
			return err
		}
		present := make([]int64, 0, len(known))
		for _, k := range known {
			present = append(present, k.Num)
		}
		_, err = s.SeePage(b.Context(), l, guests, record.PageSeen{Scan: scan, Present: present, Rows: 100, At: noon})
		return err
	})
}

func bench(b *testing.B, do func(*state.Store, record.Lease, int64, int) error) {
	b.Helper()
	s, err := state.Open(b.Context(), filepath.Join(b.TempDir(), "state.db"), state.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if err := s.Register(b.Context(), "guests", [2]record.System{}, [2]record.Kind{"guests", "contacts"}, nil); err != nil {
		b.Fatal(err)
	}
	l, err := s.Begin(b.Context(), "guests", false, noon)
	if err != nil {
		b.Fatal(err)
	}
	scan, err := s.BeginScan(b.Context(), l, guests, record.ScanSpec{Full: true}, noon, time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		if err := do(s, l, scan.ID, n); err != nil {
			b.Fatal(err)
		}
		n++
	}
}
