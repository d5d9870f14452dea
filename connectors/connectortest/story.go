package connectortest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// story is a chapter being told.
type story struct {
	t testing.TB
	Subject
	conn connectors.Connector
	can  connectors.Kind
	// notifies says that the system calls us.
	notifies bool

	changes atomic.Int64 // made so far, for their ids
	files   sync.Map     // of type map[string]Content by the id of a change: what goes up with it
}

// begin opens the connection that a chapter starts with.
func begin(t testing.TB, subject Subject) *story {
	t.Helper()
	s := &story{t: t, Subject: subject}
	s.conn = s.open()
	d, err := s.conn.Describe(t.Context())
	if err != nil {
		t.Fatalf("describe: %v", err)
	}
	can, ok := d.Kinds[s.Kind]
	if !ok {
		t.Fatalf("the description has no kind %q", s.Kind)
	}
	s.can, s.notifies = can, d.Notifies
	return s
}

func (s *story) open() connectors.Connector {
	s.t.Helper()
	c := s.Open(s.t)
	if c == nil {
		s.t.Fatal("open: no connector")
	}
	s.t.Cleanup(func() {
		if err := c.Close(); err != nil {
			s.t.Errorf("close: %v", err)
		}
	})
	return c
}

// need skips the chapter when the description doesn't promise what it is about.
func (s *story) need(ok bool, reason string) {
	s.t.Helper()
	if !ok {
		s.t.Skip("not declared: " + reason)
	}
}

func (s *story) writer() connectors.Writer {
	s.t.Helper()
	w, ok := s.conn.(connectors.Writer)
	if !ok {
		s.t.Fatal("the description promises writes and the connector is no Writer")
	}
	return w
}

func (s *story) tick() {
	if s.Tick != nil {
		s.Tick()
	}
}

func (s *story) ref(id string) record.Ref { return record.Ref{Kind: s.Kind, ID: id} }

func (s *story) query() connectors.Query {
	return connectors.Query{Kind: s.Kind, Scope: s.Scope, Fields: s.paths()}
}

// paths are the fields that the story is about: those of the samples.
func (s *story) paths() []string {
	names := s.Sample(0).Names()
	if s.Text != "" && !slices.Contains(names, s.Text) {
		names = append(names, s.Text)
	}
	if s.can.Status != "" && !slices.Contains(names, s.can.Status) {
		names = append(names, s.can.Status)
	}
	return names
}

// fill puts samples and returns their ids.
func (s *story) fill(from, to int) []string {
	s.t.Helper()
	var ids []string
	for i := from; i < to; i++ {
		ids = append(ids, s.Put(s.t, s.Sample(i)))
	}
	return ids
}

// list is one scan to its end.
type list struct {
	ids     []string
	raw     map[string][]byte
	records map[string]record.Record
	pages   int
	cursors []record.Cursor // where each page began
	upTo    []int           // how many ids were there before each page
	total   int
	since   record.Cursor
}

// mostPages ends scans that don't.
const mostPages = 1000

// list reads from a cursor to the end.
func (s *story) list(c connectors.Connector, q connectors.Query, after record.Cursor) list {
	s.t.Helper()
	l := list{raw: map[string][]byte{}, records: map[string]record.Record{}}
	for l.pages < mostPages {
		p, err := c.Fetch(s.t.Context(), q, after)
		if err != nil {
			s.t.Fatalf("fetch page %d: %v", l.pages+1, err)
		}
		l.pages++
		l.cursors, l.upTo, l.total = append(l.cursors, after), append(l.upTo, len(l.ids)), p.Total
		s.read(&l, p)
		if p.End {
			l.since = p.Since
			return l
		}
		if p.Next == after {
			s.t.Fatalf("page %d is followed by itself: cursor %q", l.pages, after)
		}
		if p.Next == "" {
			s.t.Fatalf("page %d says that more follows, and not where", l.pages)
		}
		after = p.Next
	}
	s.t.Fatalf("a scan has not ended after %d pages", mostPages)
	return l
}

func (s *story) read(l *list, p connectors.Page) {
	s.t.Helper()
	for _, item := range p.Items {
		if item.ID == "" {
			s.t.Errorf("an item of page %d shows no id", l.pages)
		}
		if p.Read == nil {
			s.t.Fatal("the page has no Read")
		}
		r, err := p.Read(item)
		if err != nil {
			s.t.Fatalf("read item %s: %v", item.ID, err)
		}
		if r.Ref != s.ref(item.ID) {
			s.t.Errorf("item %q reads as %s", item.ID, r.Ref)
		}
		l.ids = append(l.ids, item.ID)
		s.lacks("list", r)
		l.raw[item.ID] = bytes.Clone(item.Raw)
		l.records[item.ID] = r
	}
}

// all is everything that a full scan shows.
func (s *story) all() list {
	s.t.Helper()
	return s.list(s.conn, s.query(), "")
}

// missing is which of these ids the scan does not show.
func (l list) missing(want []string) []string {
	var out []string
	for _, id := range want {
		if !slices.Contains(l.ids, id) {
			out = append(out, id)
		}
	}
	return out
}

// just fails unless the scan shows these ids, each once.
func (s *story) just(l list, want []string) {
	s.t.Helper()
	got := slices.Sorted(slices.Values(l.ids))
	if want := slices.Sorted(slices.Values(want)); !slices.Equal(got, want) {
		s.t.Errorf("the list shows %d records %v, want %d, each once; missing %v", len(got), few(got), len(want), few(l.missing(want)))
	}
}

func few(ids []string) []string { return ids[:min(len(ids), 12)] }

// now is a record by the surest way that there is.
func (s *story) now(id string) record.Record {
	s.t.Helper()
	s.tick()
	if g, ok := s.conn.(connectors.Getter); ok && s.can.Get {
		r, err := g.Get(s.t.Context(), s.ref(id), connectors.Scope{})
		if err != nil {
			s.t.Fatalf("get %s: %v", id, err)
		}
		return r
	}
	r, ok := s.all().records[id]
	if !ok {
		s.t.Fatalf("the list does not show %s", id)
	}
	return r
}

// holds fails unless f shows all of want with its values.
func (s *story) holds(where string, f, want record.Fields) {
	s.t.Helper()
	for _, name := range want.Names() {
		if !f[name].Equal(want[name]) {
			s.t.Errorf("%s: %s = %s %s, want %s %s", where, name, f[name].Type(), f[name], want[name].Type(), want[name])
		}
	}
}

// agrees fails when f shows something else than want for a field that both show.
func (s *story) agrees(where string, f, want record.Fields) {
	s.t.Helper()
	for _, name := range want.Names() {
		if f[name].Observed() && !f[name].Equal(want[name]) {
			s.t.Errorf("%s: %s = %s, want %s", where, name, f[name], want[name])
		}
	}
}

// change is one of ours, with an id of its own.
func (s *story) change(op record.Op, id string, f record.Fields) record.Change {
	return record.Change{ID: fmt.Sprintf("%s %d", s.t.Name(), s.changes.Add(1)), Op: op, Ref: s.ref(id), Fields: f}
}

// apply makes a change and checks that it took just one mutating request.
func (s *story) apply(ch record.Change) record.Record {
	s.t.Helper()
	before := s.mutations()
	r, err := s.send(s.t.Context(), ch)
	if err != nil {
		s.t.Fatalf("%s: %v", ch.Op, err)
	}
	if n := s.mutations() - before; s.Mutations != nil && n != 1 {
		s.t.Errorf("%s took %d mutating requests, want 1", ch.Op, n)
	}
	if r.Ref.ID == "" {
		s.t.Errorf("the answer to %s shows no id", ch.Op)
	}
	return r
}

// fails makes a change that must fail with a class, by at most one mutating request.
func (s *story) fails(ch record.Change, class ...connectors.ErrorClass) {
	s.t.Helper()
	before := s.mutations()
	r, err := s.send(s.t.Context(), ch)
	if n := s.mutations() - before; n > 1 {
		s.t.Errorf("%s took %d mutating requests, want one at most", ch.Op, n)
	}
	if err == nil {
		s.t.Errorf("%s went through as %s, want %v", ch.Op, r.Ref, class)
		return
	}
	s.class(err, ch.Fields, class...)
}

// class fails unless err is an Error of one of the classes, which says what was
// done, and shows nothing of a guest.
func (s *story) class(err error, private record.Fields, want ...connectors.ErrorClass) {
	s.t.Helper()
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok {
		s.t.Errorf("error %v is no *connectors.Error, want class %v", err, want)
		return
	}
	if !slices.Contains(want, e.Class) {
		s.t.Errorf("error %q has class %s, want %v", err, e.Class, want)
	}
	if e.Op == "" {
		s.t.Errorf("error %q does not say what was being done", err)
	}
	for name, v := range private {
		if text := v.Text(); v.Type() == record.Text && len(text) > 5 && strings.Contains(err.Error(), text) {
			s.t.Errorf("the error shows the value of %s: no guest's data belongs there", name)
		}
	}
}

func (s *story) mutations() int {
	if s.Mutations == nil {
		return 0
	}
	return s.Mutations()
}

// subset tells whether all paths of a set are in f.
func subset(set []string, f record.Fields) bool {
	return len(set) > 0 && !slices.ContainsFunc(set, func(p string) bool { return !f[p].Observed() })
}

// only is f reduced to some paths.
func only(f record.Fields, paths []string) record.Fields {
	out := maps.Clone(f)
	maps.DeleteFunc(out, func(name string, _ record.Value) bool { return !slices.Contains(paths, name) })
	return out
}

// text is one in the field that takes any, nothing where the subject names none.
func (s *story) text(text string) record.Fields {
	if s.Text == "" {
		return record.Fields{}
	}
	return record.Fields{s.Text: record.OfText(text)}
}

// size is how many records fill a page. A list that is one page has none that is full:
// some are put, and a second page that comes only after more than these is not noticed.
func (s *story) size() int {
	const some = 7
	if s.can.OnePage {
		return some
	}
	return s.can.PageSize
}
