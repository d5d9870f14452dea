package pull

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors"
	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// book is a system whose list is a script: a page for each fetch.
type book struct {
	pages  []connectors.Page
	errs   map[int]error // by number of the fetch, from 0
	asked  []record.Cursor
	broken map[string]error // items that can't be decoded
}

func (b *book) Describe(context.Context) (connectors.Description, error) {
	return connectors.Description{}, nil
}

func (b *book) Close() error { return nil }

func (b *book) Fetch(_ context.Context, _ connectors.Query, after record.Cursor) (connectors.Page, error) {
	n := len(b.asked)
	b.asked = append(b.asked, after)
	if err := b.errs[n]; err != nil {
		return connectors.Page{}, err
	}
	p := b.pages[n]
	p.Read = func(it connectors.Item) (record.Record, error) {
		if err := b.broken[it.ID]; err != nil {
			return record.Record{}, err
		}
		return record.Record{
			Ref: record.Ref{Kind: "contacts", ID: it.ID}, Version: "v1", Stamp: "np:x",
			Fields: record.Fields{"name": record.OfText(string(it.Raw)), "phone": record.OfText("+39055000000" + it.ID), "secret": record.OfText("x")},
		}, nil
	}
	return p, nil
}

// page is a page of records "id=name"; "=name" has no id.
func page(next string, total int, items ...string) connectors.Page {
	p := connectors.Page{Next: record.Cursor(next), Total: total, End: next == "", View: "list"}
	for _, it := range items {
		id, raw, _ := strings.Cut(it, "=")
		p.Items = append(p.Items, connectors.Item{ID: id, Raw: []byte(raw)})
	}
	return p
}

// shelf is a sink that keeps what it is given.
type shelf struct {
	resumed record.Scan
	known   map[string]record.Known
	specs   []record.ScanSpec
	pages   []record.PageSeen
	certs   []record.Certificate
	seen    map[string]bool
	full    error // of SeePage
}

func (s *shelf) BeginScan(_ context.Context, _ record.Lease, place record.Place, spec record.ScanSpec, now time.Time, _ time.Duration) (record.Scan, error) {
	s.specs = append(s.specs, spec)
	s.seen = map[string]bool{}
	if s.resumed.ID != 0 && len(s.specs) == 1 {
		return s.resumed, nil
	}
	return record.Scan{ID: int64(len(s.specs)), Place: place, Spec: spec, Started: now, Total: -1}, nil
}

func (s *shelf) Known(_ context.Context, _ record.Place, ids []string, _ []record.Known) ([]record.Known, error) {
	known := make([]record.Known, len(ids))
	for i, id := range ids {
		known[i] = s.known[id]
	}
	return known, nil
}

func (s *shelf) SeePage(_ context.Context, _ record.Lease, _ record.Place, p record.PageSeen) (int, error) {
	if s.full != nil {
		return 0, s.full
	}
	s.pages = append(s.pages, p)
	doubles := 0
	for _, it := range p.Items {
		if it.Ref.ID == "" {
			continue
		}
		if s.seen[it.Ref.ID] {
			doubles++
		}
		s.seen[it.Ref.ID] = true
	}
	return doubles, nil
}

func (s *shelf) EndScan(_ context.Context, _ record.Lease, _ int64, c record.Certificate) (int, error) {
	s.certs = append(s.certs, c)
	if c.Complete {
		return 2, nil
	}
	return 0, nil
}

func side(t *testing.T, b *book) Side {
	t.Helper()
	m, err := mapping.Compile(mapping.Spec{
		Systems: [2]string{"platform", "pms"},
		Fields: []mapping.FieldSpec{
			{Name: "name", Sides: [2]mapping.SideSpec{{Path: "name"}, {Path: "n"}}},
			{Name: "phone", As: mapping.Phone, Region: []string{"IT"}, Sides: [2]mapping.SideSpec{{Path: "phone"}, {Path: "p"}}},
		},
		Match: [][]string{{"phone"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return Side{
		Place: record.Place{Binding: "b", Side: record.Left}, Conn: b, Mapping: m, MaxField: 100,
		Query: connectors.Query{Kind: "contacts"},
	}
}

func TestCertificate(t *testing.T) {
	const (
		twice   = "a record was listed twice"
		noID    = "a record without an id"
		changed = "the list's total changed while it was read"
		other   = "the list showed another number of records than its total"
	)
	flawed := page("", -1, "1=a", "2=b")
	flawed.Flaw = "it is cut short"
	good := []connectors.Page{page("2", 3, "1=a", "2=b"), page("", 3, "3=c")}
	tests := []struct {
		name     string
		pages    []connectors.Page
		complete bool
		rounds   int
		flaws    []string // of the first scan
	}{
		{"whole", good, true, 1, nil},
		{"no total", []connectors.Page{page("2", -1, "1=a"), page("", -1, "2=b")}, true, 1, nil},
		{"empty", []connectors.Page{page("", 0)}, true, 1, nil},
		{"one twice in a page", append([]connectors.Page{page("", 3, "1=a", "2=b", "2=b")}, good...), true, 2, []string{twice, other}},
		{"one twice over pages", append([]connectors.Page{page("2", -1, "1=a", "2=b"), page("", -1, "2=b", "3=c")}, good...), true, 2, []string{twice}},
		{"fewer than its total", append([]connectors.Page{page("", 3, "1=a", "2=b")}, good...), true, 2, []string{other}},
		{"more than its total", append([]connectors.Page{page("", 1, "1=a", "2=b")}, good...), true, 2, []string{other}},
		{"its total changed", append([]connectors.Page{page("2", 3, "1=a"), page("", 2, "2=b")}, good...), true, 2, []string{changed, other}},
		{"no id", append([]connectors.Page{page("", 1, "=a")}, good...), true, 2, []string{noID}},
		{"the connector saw a flaw", append([]connectors.Page{flawed}, good...), true, 2, []string{flawed.Flaw}},
		{"never whole", []connectors.Page{page("", 3, "1=a"), page("", 3, "1=a")}, false, 2, []string{other}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, sink := &book{pages: tt.pages}, &shelf{}
			res, err := Pull(t.Context(), side(t, b), sink)
			if err != nil {
				t.Fatal(err)
			}
			if res.Complete != tt.complete || len(sink.certs) != tt.rounds || len(b.asked) != len(tt.pages) {
				t.Errorf("got complete %v after %d scans and %d fetches, want %v after %d and %d",
					res.Complete, len(sink.certs), len(b.asked), tt.complete, tt.rounds, len(tt.pages))
			}
			if diff := cmp.Diff(tt.flaws, sink.certs[0].Flaws); diff != "" {
				t.Errorf("flaws (-want +got):\n%s", diff)
			}
			if sink.certs[0].Complete != (tt.flaws == nil) {
				t.Errorf("the first certificate says complete %v with flaws %v", sink.certs[0].Complete, tt.flaws)
			}
			if tt.complete && res.Suspects != 2 {
				t.Errorf("got %d suspects, want the sink's 2", res.Suspects)
			}
			if res.Pages != len(tt.pages) {
				t.Errorf("got %d pages, want %d", res.Pages, len(tt.pages))
			}
		})
	}
}

// What changed since a time is not everything: neither its number nor its doubles
// make it be read again.
func TestSinceIsReadOnce(t *testing.T) {
	last := page("", 9, "2=b", "2=b")
	last.Since = "tomorrow"
	b, sink := &book{pages: []connectors.Page{page("p2", 9, "1=a"), last}}, &shelf{}
	s := side(t, b)
	s.Query.Mode, s.Start = connectors.Since, "today"
	if _, err := Pull(t.Context(), s, sink); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]record.Cursor{"today", "p2"}, b.asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	if len(sink.certs) != 1 || sink.specs[0].Full || sink.specs[0].Since != "today" {
		t.Errorf("got certificates %+v of %+v", sink.certs, sink.specs)
	}
}

// Rows that slid while they were paged may have been passed over: the next reading of
// what changed starts where this one did. A row that was only quarantined was seen.
func TestSinceKeepsItsPlace(t *testing.T) {
	tests := []struct {
		name  string
		pages []connectors.Page
		scan  record.Scan
		want  record.Cursor
	}{
		{name: "whole", pages: []connectors.Page{page("p2", 3, "1=a", "2=b"), page("", 3, "3=c")}, want: "tomorrow"},
		{name: "of a list that is longer", pages: []connectors.Page{page("", 9, "1=a")}, want: "tomorrow"},
		{name: "without an id", pages: []connectors.Page{page("", 2, "1=a", "=b")}, want: "tomorrow"},
		{name: "one twice", pages: []connectors.Page{page("p2", -1, "1=a", "2=b"), page("", -1, "2=b")}},
		{name: "its total changed", pages: []connectors.Page{page("p2", 3, "1=a"), page("", 4, "2=b")}},
		{
			name: "its total changed before it was cut off", pages: []connectors.Page{page("", -1, "2=b")},
			scan: record.Scan{ID: 9, Cursor: "2", Pages: 1, Rows: 2, Total: 3, Flaws: []string{"a record without an id", "the list's total changed while it was read"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.pages[len(tt.pages)-1].Since = "tomorrow"
			sink := &shelf{resumed: tt.scan}
			s := side(t, &book{pages: tt.pages})
			s.Query.Mode, s.Start = connectors.Since, "today"
			if _, err := Pull(t.Context(), s, sink); err != nil {
				t.Fatal(err)
			}
			if got := sink.certs[0].Next; got != tt.want {
				t.Errorf("the next starts at %q, want %q", got, tt.want)
			}
		})
	}
}

// A scan that was cut off goes on at its cursor, with what it knew of itself.
func TestResume(t *testing.T) {
	tests := []struct {
		name     string
		scan     record.Scan
		complete bool
	}{
		{"whole so far", record.Scan{ID: 9, Cursor: "2", Pages: 1, Rows: 2, Total: 3}, true},
		{"flawed before", record.Scan{ID: 9, Cursor: "2", Pages: 1, Rows: 2, Total: 3, Flaws: []string{"a record without an id"}}, false},
		{"short before", record.Scan{ID: 9, Cursor: "2", Pages: 1, Rows: 1, Total: 3}, false},
		{"another total before", record.Scan{ID: 9, Cursor: "2", Pages: 1, Rows: 2, Total: 4}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := &book{pages: []connectors.Page{page("", 3, "3=c"), page("", 0)}}
			sink := &shelf{resumed: tt.scan}
			res, err := Pull(t.Context(), side(t, b), sink)
			if err != nil {
				t.Fatal(err)
			}
			if b.asked[0] != "2" {
				t.Errorf("began at %q, want where it stood", b.asked[0])
			}
			if sink.certs[0].Complete != tt.complete || res.Resumed != tt.complete {
				t.Errorf("got %+v, resumed %v, want complete %v", sink.certs[0], res.Resumed, tt.complete)
			}
			if len(sink.pages[0].Flaws) > 0 && tt.name == "flawed before" {
				t.Errorf("flaws that are stored already were stored again: %v", sink.pages[0].Flaws)
			}
		})
	}
}

func TestItems(t *testing.T) {
	b := &book{
		pages:  []connectors.Page{page("", 5, "1=a", "2=b", "3=c", "4="+strings.Repeat("x", 101), "5=e")},
		broken: map[string]error{"3": errors.New("not what it should be")},
	}
	s := side(t, b)
	salt := s.Mapping.Fingerprint(record.Left)
	sink := &shelf{known: map[string]record.Known{
		"1": {Num: 11, Listed: record.DigestOf(salt, []byte("a"))},
		"2": {Num: 12, Listed: record.DigestOf("another mapping", []byte("b"))},
		"5": {Num: 15}, // in work: no bytes are the ones that left it clean
	}}
	began := time.Now()
	res, err := Pull(t.Context(), s, sink)
	if err != nil || !res.Complete {
		t.Fatalf("got %+v, %v: a record that can't be read is no flaw of the list", res, err)
	}
	p := sink.pages[0]
	if diff := cmp.Diff([]int64{11}, p.Present); diff != "" {
		t.Errorf("present (-want +got):\n%s", diff)
	}
	if res.Decoded != 4 || res.Rows != 5 || p.Rows != 5 || p.Total != 5 || p.At.Before(began) {
		t.Errorf("got %d decoded, %d rows, page %+v", res.Decoded, res.Rows, p)
	}
	got := map[string]string{}
	for _, it := range p.Items {
		got[it.Ref.ID] = it.Problem
	}
	want := map[string]string{"2": "", "3": "not what it should be", "4": "the record is larger than 100 bytes", "5": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	first := p.Items[0]
	if names := first.Observation.Fields.Names(); !cmp.Equal(names, []string{"name", "phone"}) {
		t.Errorf("stored %v, want only what is mapped", names)
	}
	if diff := cmp.Diff([]record.Key{{Name: "phone", Text: "+390550000002"}}, first.Keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	if first.Listed != record.DigestOf(salt, []byte("b")) || first.Observation.View != "list" || first.Observation.Version != "v1" || first.Observation.Stamp != "np:x" {
		t.Errorf("got %+v", first)
	}
}

// What a pull says was shown is what was known before, whatever it showed of it.
func TestShown(t *testing.T) {
	b := &book{pages: []connectors.Page{page("2", 4, "1=a", "2=b"), page("", 4, "3=c", "4=d")}}
	sink := &shelf{known: map[string]record.Known{"2": {Num: 12}, "3": {Num: 13}}}
	found := map[string]bool{}
	for range 200 { // drawn at random, one of each page
		res, err := Pull(t.Context(), side(t, b), sink)
		if err != nil {
			t.Fatal(err)
		}
		for _, ref := range res.Shown {
			found[ref.ID] = true
		}
		b.asked = nil
	}
	if diff := cmp.Diff(map[string]bool{"2": true, "3": true}, found); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
}

// A reference is told by what it is resolved to, not by what a list shows of it.
func TestLookLeavesReferencesOutOfKeys(t *testing.T) {
	s := side(t, nil)
	rec := record.Record{Fields: record.Fields{"phone": record.OfText("+390550000001")}}
	if got := Look(s.Mapping, record.Left, rec, time.Time{}, "get", map[string]bool{"phone": true}, ""); len(got.Keys) != 0 {
		t.Errorf("got keys %v", got.Keys)
	}
	if got := Look(s.Mapping, record.Left, rec, time.Time{}, "get", nil, ""); len(got.Keys) != 1 {
		t.Errorf("got keys %v", got.Keys)
	}
}

// Whatever cuts a scan off leaves it open: its pages stay, and it has no certificate.
func TestCutOff(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		name string
		book book
		sink shelf
		stop int // Between fails before this fetch
		kept int
		want string
	}{
		{name: "an error is not an empty page", book: book{errs: map[int]error{1: boom}}, kept: 1, want: "boom"},
		{name: "an error at once", book: book{errs: map[int]error{0: boom}}, want: "boom"},
		{name: "the store is full", sink: shelf{full: boom}, want: "store page of contacts: boom"},
		{name: "something can't wait any more", stop: 1, kept: 1, want: "stop"},
		{
			name: "a list that goes on where it was", kept: 2, want: "the list goes on at the place where this page began",
			book: book{pages: []connectors.Page{page("2", -1, "1=a"), page("2", -1, "2=b")}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.book.pages == nil {
				tt.book.pages = []connectors.Page{page("2", -1, "1=a"), page("", -1, "2=b")}
			}
			s := side(t, &tt.book)
			if tt.stop > 0 {
				s.Between = func(context.Context) error { return errors.New("stop") }
			}
			_, err := Pull(t.Context(), s, &tt.sink)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if len(tt.sink.certs) != 0 || len(tt.sink.pages) != tt.kept {
				t.Errorf("got %d certificates and %d pages, want none and %d", len(tt.sink.certs), len(tt.sink.pages), tt.kept)
			}
			if tt.want == "the list goes on at the place where this page began" && connectors.ClassOf(err) != connectors.Malformed {
				t.Errorf("got class %s", connectors.ClassOf(err))
			}
		})
	}
}

func TestProgress(t *testing.T) {
	b := &book{pages: []connectors.Page{page("2", 3, "1=a", "2=b"), page("", 3, "3=c")}}
	s := side(t, b)
	var got []string
	s.Progress = func(rows, total int) { got = append(got, strconv.Itoa(rows)+"/"+strconv.Itoa(total)) }
	s.Between = func(context.Context) error { got = append(got, "between"); return nil }
	if _, err := Pull(t.Context(), s, &shelf{}); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprint([]string{"2/3", "between", "3/3"}); fmt.Sprint(got) != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
