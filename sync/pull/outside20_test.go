package pull

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// rolls is a list whose pages are made as they are asked for.
type rolls struct {
	book
	page  func(n int) (ids []string, end bool)
	total int
	asked int
}

func (r *rolls) Fetch(_ context.Context, _ connectors.Query, after record.Cursor) (connectors.Page, error) {
	n, _ := strconv.Atoi(string(after))
	ids, end := r.page(n)
	if r.asked++; r.asked > 3*connectors.MostPages { // or the test would be as endless
		end = true
	}
	p := connectors.Page{Total: r.total, End: end, Paging: "list.paging", Next: record.Cursor(fmt.Sprint(n + 1)), Read: func(it connectors.Item) (record.Record, error) {
		return record.Record{Ref: record.Ref{Kind: "contacts", ID: it.ID}}, nil
	}}
	for _, id := range ids {
		p.Items = append(p.Items, connectors.Item{ID: id, Raw: []byte(id)})
	}
	return p, nil
}

// run gives n ids from a number on.
func run(from, n int) []string {
	ids := make([]string, max(n, 0))
	for i := range ids {
		ids[i] = fmt.Sprint(from + i)
	}
	return ids
}

func TestOutside20WhatIsEndless(t *testing.T) {
	newest := func(grows int) func(n int) ([]string, bool) { // a list of 1,000 that grows at its head with each page of 50
		return func(n int) ([]string, bool) {
			from := n * (50 - grows)
			ids := run(from, min(50, 1000-from))
			return ids, len(ids) == 0
		}
	}
	for name, tc := range map[string]struct {
		page    func(n int) ([]string, bool)
		total   int
		resumed record.Scan
		most    int // pages; 0: it ends
	}{
		"new rows for ever":                  {page: func(n int) ([]string, bool) { return run(n*10, 10), false }, total: -1, most: connectors.MostPages + 1},
		"new rows, a total":                  {page: func(n int) ([]string, bool) { return run(n*10, 10), false }, total: 100, most: mostPages + 1},
		"new rows, a total of as many":       {page: func(n int) ([]string, bool) { return run(n*10, 10), n == 2999 }, total: 30000},
		"new rows, gone on with, some known": {page: func(n int) ([]string, bool) { return run(n*10, 10), false }, total: -1, resumed: record.Scan{ID: 7, Known: 300, Pages: 900, Rows: 9000, Total: -1}, most: 101 + connectors.MostPages + 1},
		"the same rows in another order": {
			page: func(n int) ([]string, bool) {
				ids := run(0, 40)
				for i := range ids {
					j := (i*7 + n*13) % 40
					ids[i], ids[j] = ids[j], ids[i]
				}
				return ids[:20], false
			}, total: 40, most: 6,
		},
		"the same pages again":               {page: func(n int) ([]string, bool) { return run(n%5*40, 40), false }, total: 200, most: 51},
		"grows at its head":                  {page: newest(10), total: -1},
		"grows at its head, and fast":        {page: newest(20), total: -1},
		"grows nearly as fast as it is read": {page: newest(40), total: -1},
		"a few rows twice":                   {page: func(n int) ([]string, bool) { return append(run(n*50, 49), "7"), n == 30 }, total: -1},
		"gone on with after it had grown": {
			page:    func(n int) ([]string, bool) { return run(n*50, 50), n == 20 || n == 40 },
			resumed: record.Scan{ID: 7, Known: 1000, Pages: 10, Rows: 500, Total: -1}, total: -1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			list, sink := &rolls{page: tc.page, total: tc.total}, &shelf{resumed: tc.resumed}
			s := side(t, &list.book)
			s.Conn = list
			_, err := Pull(t.Context(), s, sink)
			e, _ := errors.AsType[*connectors.Error](err)
			switch {
			case tc.most == 0 && err != nil:
				t.Errorf("after %d pages: %v, want no error", list.asked, err)
			case tc.most > 0 && (e == nil || e.Class != connectors.Malformed || !strings.Contains(e.Hint, "list.paging")):
				t.Errorf("after %d pages: got %v, want an error that names the key", list.asked, err)
			case tc.most > 0 && list.asked > tc.most:
				t.Errorf("pages: got %d, want %d at most", list.asked, tc.most)
			case tc.most > 0 && slices.ContainsFunc(sink.certs, func(c record.Certificate) bool { return c.Complete }):
				t.Error("the scan counts as complete")
			}
		})
	}
}
