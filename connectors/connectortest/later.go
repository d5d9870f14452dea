package connectortest

import (
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
