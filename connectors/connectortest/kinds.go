package connectortest

import (
	"bytes"
	"slices"
	"sync"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Reading must be harmless: it is done every few minutes, and in every dry run. Whatever
// way a record is read, nothing of it becomes another one by that; and a kind that is only
// read promises nothing of writes.
func onlyRead(s *story) {
	ids := s.fill(0, s.size()+1)
	s.tick()
	first := s.all()
	before := s.mutations()
	for range 2 {
		s.all()
		s.readEach(ids)
	}
	if n := s.mutations() - before; n != 0 {
		s.t.Errorf("%d mutating requests were sent by reading alone", n)
	}
	last := s.list(s.open(), s.query(), "")
	s.just(last, ids)
	if n := differing(first, last); n != 0 {
		s.t.Errorf("%d of %d records have other bytes after they were read", n, len(ids))
	}
	if s.canWrite() {
		return
	}
	for what, promised := range map[string]bool{
		"an idempotency key": s.can.Idempotent, "updates that notice a change": s.can.Conditional, "answers to writes": s.can.Answers,
		"a condition for creates": s.can.Asks,
	} {
		if promised {
			s.t.Errorf("nothing can be written, and the description promises %s", what)
		}
	}
}

// readEach reads records in all ways that there are beside the list.
func (s *story) readEach(ids []string) {
	s.t.Helper()
	g, gets := s.conn.(connectors.Getter)
	f, finds := s.conn.(connectors.Finder)
	if s.can.Since {
		q := s.query()
		q.Mode = connectors.Since
		s.list(s.open(), q, s.all().since)
	}
	if who, ok := s.conn.(connectors.Identifier); ok {
		if _, err := who.Account(s.t.Context()); err != nil {
			s.t.Errorf("account: %v", err)
		}
	}
	for i, id := range ids[:min(len(ids), 3)] {
		if gets && s.can.Get {
			if _, err := g.Get(s.t.Context(), s.ref(id), s.Scope); err != nil {
				s.t.Errorf("get %s: %v", id, err)
			}
		}
		for _, set := range s.can.FindBy {
			if !finds || !subset(set, s.Sample(i)) {
				continue
			}
			if _, err := f.Find(s.t.Context(), s.Kind, only(s.Sample(i), set), s.Scope); err != nil {
				s.t.Errorf("find %s: %v", id, err)
			}
		}
	}
}

// A journal: entries are added, and none is ever another one afterwards. Whoever adds
// while others do loses none of theirs, and what is refused leaves no trace.
func appendOnly(s *story) {
	s.need(s.can.Create && !s.can.Update && !s.can.Delete && s.can.Status == "", "records can be changed, or not be made")
	ids := s.fill(0, s.size()+1)
	s.tick()
	before := s.all()
	for i := range 3 {
		ids = append(ids, s.apply(s.change(record.Create, "", s.Sample(100+i))).Ref.ID)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range 4 {
		wg.Go(func() {
			r, err := s.send(s.t.Context(), s.change(record.Create, "", s.Sample(200+i)))
			if err != nil {
				s.t.Errorf("one of several creates at a time: %v", err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			ids = append(ids, r.Ref.ID)
		})
	}
	wg.Wait()
	s.tick()
	after := s.list(s.open(), s.query(), "")
	s.just(after, ids)
	if n := differing(before, after); n != 0 {
		s.t.Errorf("%d records have other bytes after others were added", n)
	}
	for i := range 3 {
		s.holds("what was added", after.records[ids[s.size()+1+i]].Fields, s.Sample(100+i))
	}
	for _, op := range []record.Op{record.Update, record.Delete} {
		ch := s.change(op, ids[0], s.text("another one"))
		if op == record.Delete {
			ch.Fields = nil
		}
		s.fails(ch, connectors.Unsupported, connectors.Forbidden)
	}
	last := s.all()
	s.just(last, ids)
	if !bytes.Equal(last.raw[ids[0]], before.raw[ids[0]]) {
		s.t.Error("what can't be changed was")
	}
}

// A status that is changed by a request of its own: once it is what it should be, nothing
// of the record is another, and no other record is. What is no status leaves no trace, and
// what is not there can't be acted on.
func actsOnce(s *story) {
	s.need(s.can.Status != "", "no status action")
	s.need(s.Status.Observed(), "the subject names no status to change to")
	ids := s.fill(1, 4)
	s.tick()
	before := s.all()
	status := record.Fields{s.can.Status: s.Status}
	if r := s.apply(s.change(record.Action, ids[1], status)); r.Ref != s.ref(ids[1]) {
		s.t.Errorf("an action on %s is answered with %s", ids[1], r.Ref)
	}
	s.tick()
	after := s.all()
	s.just(after, ids)
	for _, id := range []string{ids[0], ids[2]} {
		if !bytes.Equal(before.raw[id], after.raw[id]) {
			s.t.Errorf("record %s has other bytes, and the action was on %s", id, ids[1])
		}
	}
	rest := before.records[ids[1]].Fields.With(nil)
	delete(rest, s.can.Status)
	s.agrees("the other fields", after.records[ids[1]].Fields, rest)
	s.fails(s.change(record.Action, ids[0], record.Fields{}), connectors.Unsupported, connectors.Rejected)
	strange := s.change(record.Action, ids[0], record.Fields{s.can.Status: record.OfText("a status that nobody has")})
	_, err := s.send(s.t.Context(), strange)
	if err != nil { // some systems take any word
		s.class(err, nil, connectors.Unsupported, connectors.Rejected)
	}
	s.Remove(s.t, ids[2])
	s.tick()
	s.fails(s.change(record.Action, ids[2], status), connectors.NotFound)
	now := s.all()
	s.just(now, ids[:2])
	if err != nil && !bytes.Equal(now.raw[ids[0]], before.raw[ids[0]]) {
		s.t.Error("what was refused changed a record all the same")
	}
	if i := slices.Index(now.ids, ids[1]); i >= 0 && !now.records[ids[1]].Fields[s.can.Status].Equal(after.records[ids[1]].Fields[s.can.Status]) {
		s.t.Error("the status went back by itself")
	}
}
