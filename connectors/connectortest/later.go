package connectortest

import (
	"bytes"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// lacks checks what a read says the record lacks: that is not shown, for nobody could
// tell "not yet" from "empty" otherwise, and it is not waited for without an end.
func (s *story) lacks(what string, r record.Record) {
	s.t.Helper()
	u := r.Unfinished
	if u == nil {
		return
	}
	for _, path := range u.Lacks {
		if r.Fields[path].Observed() {
			s.t.Errorf("%s: %s is lacked, and shown as %v", what, path, r.Fields[path])
		}
	}
	if u.Within <= 0 || !u.Ended.IsZero() {
		s.t.Errorf("%s: it is waited for %v, ended %v; want some time, and no end", what, u.Within, u.Ended)
	}
}

// Some fields come later than their record. A list may not know of them; a read by id
// does, and from then on the record is whole.
func later(s *story) {
	s.need(s.Later != "", "everything is there when the record is")
	g, ok := s.conn.(connectors.Getter)
	if !ok || !s.can.Get {
		s.t.Fatal("fields come later, and no record can be read by id")
	}
	sample := s.Sample(1)
	delete(sample, s.Later)
	id := s.Put(s.t, sample)
	s.tick()
	get := func() record.Record {
		s.t.Helper()
		r, err := g.Get(s.t.Context(), s.ref(id), s.Scope)
		if err != nil {
			s.t.Fatalf("get %s: %v", id, err)
		}
		s.lacks("get", r)
		return r
	}
	listed := func() record.Record {
		s.t.Helper()
		q := s.query()
		q.Fields = append(q.Fields, s.Later)
		return s.list(s.conn, q, "").records[id]
	}
	for what, r := range map[string]record.Record{"list": listed(), "get": get()} {
		if r.Unfinished == nil || !slices.Contains(r.Unfinished.Lacks, s.Later) {
			s.t.Errorf("%s: %+v, want it to lack %s", what, r.Unfinished, s.Later)
		}
	}
	s.Edit(s.t, id, record.Fields{s.Later: record.OfText("there now")})
	s.tick()
	if r := get(); r.Unfinished != nil || r.Fields[s.Later].Text() != "there now" {
		s.t.Errorf("get of what is whole: %+v, %s is %v", r.Unfinished, s.Later, r.Fields[s.Later])
	}
	if r := listed(); r.Unfinished == nil && !r.Fields[s.Later].Observed() {
		s.t.Errorf("the list neither shows %s nor says that it may be lacked: nobody would ask for it", s.Later)
	}
}

// A document that has gone up is not yet one that is answered from. Until it is ready the
// old version stays, so a read by id and the list say that it goes on, then that it is
// over, and of one that failed why.
func becomesReady(s *story) {
	s.need(s.Finish != nil, "a record is ready when it is there")
	if !s.can.Get {
		s.t.Fatal("records become ready later, and none can be asked about by its id")
	}
	var ids []string
	for i := range 3 {
		if !s.can.Create {
			ids = append(ids, s.Put(s.t, s.Sample(i)))
			continue
		}
		r := s.apply(s.change(record.Create, "", s.Sample(i)))
		if s.can.Answers && (r.Unfinished == nil || r.Unfinished.Hopeless()) {
			s.t.Errorf("the answer shows it as %+v, want it to go on", r.Unfinished)
		}
		ids = append(ids, r.Ref.ID)
	}
	is := func(what, id string, right func(*record.Unfinished) bool) []byte {
		s.t.Helper()
		s.tick()
		now, l := s.now(id), s.whole()
		s.lacks(what, now)
		for where, u := range map[string]*record.Unfinished{"a read": now.Unfinished, "the list": l.records[id].Unfinished} {
			if !right(u) {
				s.t.Errorf("%s, %s shows %+v", what, where, u)
			}
			for _, path := range s.places() {
				if u != nil && slices.Contains(u.Lacks, path) {
					s.t.Errorf("%s, %s lacks %s, which is never shown: it would be waited for in vain", what, where, path)
				}
			}
		}
		return l.raw[id]
	}
	goesOn := func(u *record.Unfinished) bool { return u != nil && !u.Hopeless() }
	over := func(u *record.Unfinished) bool { return u == nil }
	failed := (*record.Unfinished).Hopeless
	var raw [][]byte
	for _, id := range ids {
		raw = append(raw, is("as it has gone up", id, goesOn))
	}
	s.Finish(s.t, ids[0], false)
	s.Finish(s.t, ids[1], true)
	for i, right := range []func(*record.Unfinished) bool{over, failed, goesOn} {
		what := []string{"ready", "failed", "going on beside others"}[i]
		now := is(what, ids[i], right)
		if changed := !bytes.Equal(now, raw[i]); changed != (i < 2) {
			s.t.Errorf("%s: it has other bytes in the list: %t; a list alone must tell", what, changed)
		}
		is(what+", and read again", ids[i], right)
	}
}
