package connectortest

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// The description is what the engine plans by: what it promises must be there.
// Optional abilities are interfaces that the connector implements, so that nothing
// has to be called to find out that it can't be done.
func describes(s *story) {
	if s.can.PageSize <= 0 {
		s.t.Errorf("PageSize = %d: it bounds how many requests a scan may take", s.can.PageSize)
	}
	_, writes := s.conn.(connectors.Writer)
	_, gets := s.conn.(connectors.Getter)
	_, finds := s.conn.(connectors.Finder)
	_, asks := s.conn.(connectors.Asker)
	_, beyond := s.conn.(connectors.Beyonder)
	_, notifies := s.conn.(connectors.Notifier)
	for _, x := range []struct {
		ability      string
		declared, is bool
	}{
		{"a Writer", s.canWrite(), writes},
		{"a Getter", s.can.Get, gets},
		{"a Finder", s.canFind(), finds},
		{"an Asker", s.can.Asks, asks},
		{"a Beyonder", s.can.Filtered, beyond},
		{"a Notifier", s.notifies, notifies},
	} {
		if x.declared && !x.is {
			s.t.Errorf("the description promises what only %s can do, and the connector is none", x.ability)
		}
	}
	if s.can.Conditional && !s.can.Update {
		s.t.Error("Conditional says something about updates, and there are none")
	}
	if (s.can.Stamp.Find || s.can.Stamp.Unique) && s.can.Stamp.Path == "" {
		s.t.Error("Stamp is to be found or unique, and has no place")
	}
	if len(s.can.Contents) > 0 && !s.can.Create {
		s.t.Error("Contents go up with a create, and there is none")
	}
	if s.can.Windowed != (s.can.WindowField != [2]string{}) {
		s.t.Error("Windowed and WindowField disagree")
	}
	if s.can.SinceWindowed && (!s.can.Since || !s.can.Windowed) {
		s.t.Error("SinceWindowed says something about lists of what changed and days, and there are none")
	}
	s.namesAreFields()
}

func (s *story) canWrite() bool {
	return s.can.Create || s.can.Update || s.can.Delete || s.can.Status != ""
}

func (s *story) canFind() bool { return s.can.FindAny || len(s.can.FindBy) > 0 || s.can.Stamp.Find }

// namesAreFields checks that whatever the description names is among its fields.
func (s *story) namesAreFields() {
	s.t.Helper()
	if s.can.Fields == nil {
		return
	}
	named := slices.Concat(s.can.Required, s.can.WindowField[:], []string{s.can.Status}, s.paths(), s.can.Once, s.can.Updates,
		slices.Collect(maps.Keys(s.can.Words)))
	for _, need := range s.can.Needs {
		named = append(append(named, need.Path), need.With...)
	}
	for _, set := range slices.Concat(s.can.Unique, s.can.FindBy) {
		named = append(named, set...)
	}
	for _, name := range named {
		if _, ok := s.can.Fields[name]; !ok && name != "" && name != s.can.Stamp.Path {
			s.t.Errorf("%q is named and is not among the fields", name)
		}
	}
}

// A connector for all sorts of systems may have every method. Those that this kind
// has no use for say Unsupported, and nothing is sent.
func undeclared(s *story) {
	if !s.can.Since {
		q := s.query()
		q.Mode = connectors.Since
		_, err := s.conn.Fetch(s.t.Context(), q, "")
		s.class(err, nil, connectors.Unsupported)
	}
	id := s.Put(s.t, s.Sample(1))
	if g, ok := s.conn.(connectors.Getter); ok && !s.can.Get {
		_, err := g.Get(s.t.Context(), s.ref(id), s.Scope)
		s.class(err, nil, connectors.Unsupported)
	}
	if f, ok := s.conn.(connectors.Finder); ok && !s.can.FindAny {
		_, err := f.Find(s.t.Context(), s.Kind, record.Fields{"a path that nobody has": record.OfText("x")}, s.Scope)
		s.class(err, nil, connectors.Unsupported)
	}
	if a, ok := s.conn.(connectors.Asker); ok && !s.can.Asks {
		_, err := a.Accepts(s.t.Context(), s.ref(id), s.Sample(1), "")
		s.class(err, nil, connectors.Unsupported)
	}
	_, err := s.conn.Fetch(s.t.Context(), connectors.Query{Kind: "no such kind"}, "")
	s.class(err, nil, connectors.Unsupported)
	if n, ok := s.conn.(connectors.Notifier); ok && !s.notifies {
		_, err := n.Notified(http.Header{}, []byte(`{"type":"record.updated","id":"1"}`))
		s.class(err, nil, connectors.Unsupported)
	}
	s.undeclaredWrites(id)
}

func (s *story) undeclaredWrites(id string) {
	s.t.Helper()
	if _, ok := s.conn.(connectors.Writer); !ok {
		return
	}
	before := s.mutations()
	for op, can := range map[record.Op]bool{
		record.Create: s.can.Create, record.Update: s.can.Update, record.Delete: s.can.Delete, record.Action: s.can.Status != "",
	} {
		if can {
			continue
		}
		ch := s.change(op, id, s.text("undeclared"))
		if op == record.Create {
			ch = s.change(op, "", s.Sample(2))
		}
		_, err := s.send(s.t.Context(), ch)
		s.class(err, nil, connectors.Unsupported, connectors.Forbidden)
	}
	s.undeclaredContent(id)
	if n := s.mutations() - before; n != 0 {
		s.t.Errorf("%d mutating requests were sent for what is not declared", n)
	}
}

// A house on its first day. An error here would look like an outage, and an outage
// that looked like this would be read as everybody having left.
func empty(s *story) {
	p, err := s.conn.Fetch(s.t.Context(), s.query(), "")
	if err != nil {
		s.t.Fatalf("fetch from an empty system: %v", err)
	}
	if len(p.Items) != 0 || !p.End {
		s.t.Errorf("an empty system shows %d items, End = %t, want none and the end", len(p.Items), p.End)
	}
	if p.Total > 0 || s.can.Total && p.Total != 0 {
		s.t.Errorf("Total = %d, want 0, or -1 where no total is said", p.Total)
	}
}

// If there is an error by one in your paging, it is here. It costs a record
// that nobody sees, so every size around the page's own is tried.
func pageSizes(s *story) {
	size := s.size()
	var ids []string
	for _, n := range []int{1, size - 1, size, size + 1, 2*size - 1, 2 * size, 2*size + 1} {
		if n <= len(ids) && n > 0 && len(ids) > 0 {
			continue
		}
		ids = append(ids, s.fill(len(ids), n)...)
		s.tick()
		l := s.all()
		s.just(l, ids)
		if s.can.Total && l.total != len(ids) {
			s.t.Errorf("%d records: Total = %d", len(ids), l.total)
		}
		if !s.can.Total && l.total != -1 {
			s.t.Errorf("Total = %d, and the description says that none is given", l.total)
		}
		most := (n+size-1)/size + 1
		if s.can.OnePage {
			most = 1
		}
		if l.pages > most {
			s.t.Errorf("%d records in pages of %d took %d requests, want %d at most", n, size, l.pages, most)
		}
	}
}

// A scan is killed and goes on in another process, with the cursor alone. What
// came before and what comes after must be everything.
func resumes(s *story) {
	ids := s.fill(0, 3*s.size()+1)
	s.tick()
	whole := s.all()
	for i, at := range whole.cursors {
		rest := s.list(s.open(), s.query(), at)
		got := list{ids: append(slices.Clone(whole.ids[:whole.upTo[i]]), rest.ids...)}
		if missing := got.missing(ids); len(missing) > 0 {
			s.t.Errorf("gone on at page %d: %v are missing", i+1, few(missing))
		}
	}
	s.ahead(ids)
}

// ahead checks that pages proposed for reading side by side are pages of the list.
func (s *story) ahead(ids []string) {
	s.t.Helper()
	first, err := s.conn.Fetch(s.t.Context(), s.query(), "")
	if err != nil {
		s.t.Fatalf("fetch: %v", err)
	}
	var got list
	for _, item := range first.Items {
		got.ids = append(got.ids, item.ID)
	}
	if len(first.Ahead) == 0 {
		return
	}
	cursors := append([]record.Cursor{first.Next}, first.Ahead...)
	last := cursors[len(cursors)-1]
	for i, at := range cursors[:len(cursors)-1] {
		p, err := s.conn.Fetch(s.t.Context(), s.query(), at)
		if err != nil {
			s.t.Fatalf("fetch a page ahead: %v", err)
		}
		if p.Next != cursors[i+1] {
			s.t.Errorf("page %d goes on at %q, and %q was proposed: a page ahead is used only where the page before it really ended", i+2, p.Next, cursors[i+1])
		}
		for _, item := range p.Items {
			got.ids = append(got.ids, item.ID)
		}
	}
	got.ids = append(got.ids, s.list(s.conn, s.query(), last).ids...)
	if missing := got.missing(ids); len(missing) > 0 {
		s.t.Errorf("with the pages ahead %v are missing", few(missing))
	}
}

// A hundred thousand records that nobody touched cost a comparison of bytes each.
// Bytes that change by themselves make every night a first night; bytes that
// don't change with the record lose an edit.
func bytesStay(s *story) {
	ids := s.fill(0, s.size()+2)
	s.tick()
	first := s.all()
	s.tick()
	second := s.list(s.open(), s.query(), "")
	if n := differing(first, second); n != 0 {
		s.t.Errorf("%d of %d unchanged records have other bytes in a second listing", n, len(ids))
	}
	if s.can.Immutable {
		return // what is edited is another record: see "an id names a version"
	}
	s.Edit(s.t, ids[1], s.text("moved to the garden side"))
	s.tick()
	third := s.all()
	if bytes.Equal(third.raw[ids[1]], first.raw[ids[1]]) {
		s.t.Error("an edited record has the same bytes as before")
	}
	if n := differing(first, third); n != 1 {
		s.t.Errorf("one record was edited and %d have other bytes", n)
	}
	s.holds("the list", third.records[ids[1]].Fields, s.text("moved to the garden side"))
}

func differing(a, b list) int {
	n := 0
	for id, raw := range a.raw {
		if !bytes.Equal(raw, b.raw[id]) {
			n++
		}
	}
	return n
}

// A house maps the columns it wants to share. Those are asked for, and shown.
func asked(s *story) {
	id := s.Put(s.t, s.Sample(1).With(s.text("shown")))
	s.tick()
	for _, name := range s.paths() {
		q := s.query()
		q.Fields = []string{name}
		r, ok := s.list(s.conn, q, "").records[id]
		if !ok {
			s.t.Fatalf("asked for %s alone, the list does not show the record", name)
		}
		if want := s.Sample(1).With(s.text("shown"))[name]; want.Observed() && !r.Fields[name].Equal(want) {
			s.t.Errorf("asked for %s alone: %s, want %s", name, r.Fields[name], want)
		}
	}
}

// Ids are what the system says they are. They come back in paths, filters and
// composite keys, and none may be taken for another one.
func uglyIDs(s *story) {
	s.need(s.PutAs != nil, "the system gives ids itself")
	ids := []string{
		"a/b", "a%2Fb", "a b", "a+b", "a?b=c", "a#b", "a&b", "..", ".", "a\\b", `a"b`, "a'b", "ä", "日本", "😀",
		"a:b", "a|b", "a,b", "A", "a", "01", "1", "1.0", strings.Repeat("x", 200),
	}
	put := map[string]int{}
	for i, id := range ids {
		if s.PutAs(s.t, id, s.Sample(i)) {
			put[id] = i
		}
	}
	s.tick()
	l := s.all()
	for id, i := range put {
		r, ok := l.records[id]
		if !ok {
			s.t.Errorf("the list does not show id %q", id)
			continue
		}
		s.holds("the list, id "+id, r.Fields, s.Sample(i))
		if g, ok := s.conn.(connectors.Getter); ok && s.can.Get {
			r, err := g.Get(s.t.Context(), s.ref(id), s.Scope)
			if err != nil {
				s.t.Errorf("get %q: %v", id, err)
				continue
			}
			s.holds("get, id "+id, r.Fields, s.Sample(i))
		}
	}
	if len(l.ids) != len(put) {
		s.t.Errorf("%d records were put and %d are listed", len(put), len(l.ids))
	}
}

// A nightly import touches a thousand rows in one second. A list that goes on
// "after this time" loses the rest of that second.
func ties(s *story) {
	ids := s.fill(0, 2*s.size()+1)
	s.tick()
	s.just(s.all(), ids)
	if !s.can.Since {
		return
	}
	for _, id := range ids {
		s.Edit(s.t, id, s.text("imported"))
	}
	at := s.all().since
	for _, id := range ids {
		s.Edit(s.t, id, s.text("imported again"))
	}
	s.tick()
	l := s.since(at)
	if missing := l.missing(ids); len(missing) > 0 {
		s.t.Errorf("all were edited at the same time, and %d are missing from what changed: %v", len(missing), few(missing))
	}
}

// since reads what changed after a cursor.
func (s *story) since(at record.Cursor) list {
	s.t.Helper()
	if at == "" {
		s.t.Fatal("a scan of records ended without saying where the next incremental one starts")
	}
	q := s.query()
	q.Mode = connectors.Since
	return s.list(s.open(), q, at)
}

// Incremental reading: what was changed or added afterwards is there. Repeats are
// welcome, a gap is not.
func since(s *story) {
	s.need(s.can.Since, "no incremental reading")
	ids := s.fill(0, s.size()+2)
	s.tick()
	at := s.all().since
	s.tick()
	for round := range 3 {
		s.Edit(s.t, ids[round], s.text("changed"))
		ids = append(ids, s.fill(len(ids), len(ids)+1)...)
		s.tick()
		l := s.since(at)
		if missing := l.missing([]string{ids[round], ids[len(ids)-1]}); len(missing) > 0 {
			s.t.Errorf("round %d: %v changed and are missing", round, missing)
		}
		s.holds("what changed", l.records[ids[round]].Fields, s.text("changed"))
		at = l.since
	}
}

// Somebody edits page one while you read page two. The next incremental scan must
// show it, so it starts no later than this one did.
func drift(s *story) {
	s.need(s.can.Since, "no incremental reading")
	ids := s.fill(0, 2*s.size()+1)
	s.tick()
	first, err := s.conn.Fetch(s.t.Context(), s.query(), "")
	if err != nil {
		s.t.Fatalf("fetch: %v", err)
	}
	edited := first.Items[0].ID
	s.Edit(s.t, edited, s.text("while you read on"))
	s.tick()
	s.Edit(s.t, ids[len(ids)-1], s.text("and later still"))
	rest := s.list(s.conn, s.query(), first.Next)
	s.tick()
	l := s.since(rest.since)
	seen := rest.records[edited].Fields.Agrees(s.text("while you read on")) && slices.Contains(rest.ids, edited)
	if missing := l.missing([]string{edited}); len(missing) > 0 && !seen {
		s.t.Errorf("%v was edited during the scan and comes with neither it nor the next", missing)
	}
}

// Only stays that touch these days are read. What is outside has not gone: Get says
// that it is somewhere else.
func window(s *story) {
	s.need(s.can.Windowed, "no window")
	first, last := s.can.WindowField[0], s.can.WindowField[1]
	stay := func(i int, from, to string) string {
		f := s.Sample(i).With(record.Fields{first: record.OfText(from), last: record.OfText(to)})
		return s.Put(s.t, f)
	}
	before := stay(1, "2031-03-01", "2031-03-04")
	in := []string{
		stay(2, "2031-03-08", "2031-03-10"), stay(3, "2031-03-12", "2031-03-13"),
		stay(4, "2031-03-20", "2031-03-25"), stay(5, "2031-03-01", "2031-03-30"),
	}
	after := stay(6, "2031-03-21", "2031-03-22")
	s.tick()
	q := s.query()
	q.Scope = connectors.Scope{From: "2031-03-10", To: "2031-03-20"}
	l := s.list(s.conn, q, "")
	if missing := l.missing(in); len(missing) > 0 {
		s.t.Errorf("stays %v touch the window and are missing", missing)
	}
	for _, id := range []string{before, after} {
		if slices.Contains(l.ids, id) {
			s.t.Errorf("stay %s is outside of the window and listed", id)
		}
	}
	if g, ok := s.conn.(connectors.Getter); ok && s.can.Get {
		_, err := g.Get(s.t.Context(), s.ref(before), q.Scope)
		s.class(err, nil, connectors.OutOfScope)
		if _, err := g.Get(s.t.Context(), s.ref(before), connectors.Scope{}); err != nil {
			s.t.Errorf("get without a window: %v", err)
		}
	}
}

// A stay is moved out of the days that are read. What changed is asked for without days and
// shows it, and what has long lain outside and is edited.
func movedOut(s *story) {
	s.need(s.can.Windowed && s.can.Since && !s.can.SinceWindowed, "no list of what changed beside the window")
	first, last := s.can.WindowField[0], s.can.WindowField[1]
	stay := func(from, to string) record.Fields {
		return record.Fields{first: record.OfText(from), last: record.OfText(to)}
	}
	ids := []string{
		s.Put(s.t, s.Sample(1).With(stay("2031-03-12", "2031-03-13"))),
		s.Put(s.t, s.Sample(2).With(stay("2033-03-12", "2033-03-13"))),
	}
	s.tick()
	q := s.query()
	q.Scope = connectors.Scope{From: "2031-03-10", To: "2031-03-20"}
	at := s.list(s.conn, q, "").since
	s.tick()
	s.Edit(s.t, ids[0], stay("2033-03-12", "2033-03-13"))
	s.Edit(s.t, ids[1], s.text("edited"))
	s.tick()
	q.Mode, q.Scope = connectors.Since, connectors.Scope{}
	if missing := s.list(s.open(), q, at).missing(ids); len(missing) > 0 {
		s.t.Errorf("stays %v were edited, lie outside of the window, and are missing from what changed", missing)
	}
}

// Get decides whether a record that no list shows any more has gone. NotFound is
// believed, so it must be true.
func gets(s *story) {
	s.need(s.can.Get, "records can't be read by id")
	g, ok := s.conn.(connectors.Getter)
	if !ok {
		s.t.Fatal("Get is declared and the connector is no Getter")
	}
	ids := s.fill(0, 3)
	s.tick()
	l := s.all()
	for i, id := range ids {
		r, err := g.Get(s.t.Context(), s.ref(id), s.Scope)
		if err != nil {
			s.t.Fatalf("get %s: %v", id, err)
		}
		if r.Ref != s.ref(id) {
			s.t.Errorf("get %s answers with %s", id, r.Ref)
		}
		s.lacks("get", r)
		s.holds("get", r.Fields, s.Sample(i))
		s.agrees("get beside the list", r.Fields, l.records[id].Fields)
		if s.can.Changed != !r.Changed.IsZero() || s.can.Created != !r.Created.IsZero() {
			s.t.Errorf("times = %v and %v, declared: changed %t, created %t", r.Changed, r.Created, s.can.Changed, s.can.Created)
		}
	}
	s.Remove(s.t, ids[1])
	s.tick()
	_, err := g.Get(s.t.Context(), s.ref(ids[1]), s.Scope)
	s.class(err, nil, connectors.NotFound)
	_, err = g.Get(s.t.Context(), s.ref(ids[1]+"9"), s.Scope)
	s.class(err, nil, connectors.NotFound)
	s.just(s.all(), []string{ids[0], ids[2]})
}
