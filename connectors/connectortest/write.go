package connectortest

import (
	"maps"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// A create: one request, an id, and whatever the answer showed is what everybody
// else sees as well.
func creates(s *story) {
	s.need(s.can.Create, "no creates")
	s.fill(0, 2)
	s.tick()
	sample := s.Sample(2)
	r := s.apply(s.change(record.Create, "", sample))
	if s.can.Answers {
		s.holds("the answer", r.Fields, sample)
	} else {
		s.agrees("the answer", r.Fields, sample)
	}
	s.tick()
	l := s.all()
	if len(l.ids) != 3 {
		s.t.Errorf("%d records are there after a create, want 3", len(l.ids))
	}
	listed, ok := l.records[r.Ref.ID]
	if !ok {
		s.t.Fatalf("the list does not show the new record %s", r.Ref)
	}
	s.holds("the list", listed.Fields, sample)
	s.agrees("the list beside the answer", listed.Fields, r.Fields)
	now := s.now(r.Ref.ID)
	s.holds("get", now.Fields, sample)
	s.agrees("get beside the answer", now.Fields, r.Fields)
	if s.can.Answers && r.Version != now.Version {
		s.t.Errorf("the answer shows version %q and a read %q", r.Version, now.Version)
	}
}

// What is required is missing, or what is read only is there: the system says no
// to these values, not to us.
func required(s *story) {
	s.need(s.can.Create, "no creates")
	for i, name := range s.can.Required {
		sample := s.Sample(i)
		if !sample[name].Observed() {
			continue // filled in by another way, the stamp say
		}
		maps.DeleteFunc(sample, func(n string, _ record.Value) bool { return n == name })
		s.fails(s.change(record.Create, "", sample), connectors.Rejected)
	}
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(s.can.Fields)), slices.Sorted(maps.Keys(s.can.ReadOnly))) {
		if s.can.Unwritable(name) != "" {
			s.fails(s.change(record.Create, "", s.Sample(9).With(record.Fields{name: record.OfText("7")})), connectors.Rejected)
		}
	}
	if ids := s.all().ids; len(ids) != 0 {
		s.t.Errorf("%d records are there, and every create was rejected", len(ids))
	}
}

// Our reference is how a create that nobody answered is found again. It stays when
// the record is changed, and where it is unique a second create meets it.
func stamps(s *story) {
	s.need(s.can.Create && s.can.Stamp.Path != "", "no place for our reference")
	const stamp = "np:0000cafe:01JQZ0000000000000000000AA"
	ch := s.change(record.Create, "", s.Sample(1))
	ch.Stamp = stamp
	id := s.apply(ch).Ref.ID
	s.fill(2, 4)
	carries := func(where string) {
		s.t.Helper()
		s.tick()
		if got := s.all().records[id].Stamp; got != stamp {
			s.t.Errorf("%s: the list shows stamp %q, want %q", where, got, stamp)
		}
		if got := s.now(id).Stamp; got != stamp {
			s.t.Errorf("%s: a read shows stamp %q, want %q", where, got, stamp)
		}
		if !s.can.Stamp.Find {
			return
		}
		found := s.find(record.Fields{s.can.Stamp.Path: record.OfText(stamp)})
		if len(found) != 1 || found[0].Ref.ID != id || found[0].Stamp != stamp {
			s.t.Errorf("%s: looking for the stamp finds %d records, want the one", where, len(found))
		}
		if found := s.find(record.Fields{s.can.Stamp.Path: record.OfText(stamp + "B")}); len(found) != 0 {
			s.t.Errorf("%s: looking for another stamp finds %d records, want none", where, len(found))
		}
	}
	carries("after the create")
	if s.can.Update {
		s.apply(s.change(record.Update, id, s.text("stamped")))
		carries("after an update")
	}
	s.Edit(s.t, id, s.text("by the desk"))
	carries("after an edit")
	if s.can.Stamp.Unique {
		second := s.change(record.Create, "", s.Sample(5))
		second.Stamp = stamp
		s.fails(second, connectors.Exists)
		if n := len(s.all().ids); n != 3 {
			s.t.Errorf("%d records are there, want 3: the stamp is unique", n)
		}
	}
}

// The same change, sent twice because nobody knows what became of the first: one
// record, one answer.
func idempotent(s *story) {
	s.need(s.can.Create && s.can.Idempotent, "no idempotency key")
	ch := s.change(record.Create, "", s.Sample(1))
	first := s.apply(ch)
	second := s.apply(ch)
	if first.Ref != second.Ref {
		s.t.Errorf("the same change gave %s and then %s", first.Ref, second.Ref)
	}
	s.tick()
	s.just(s.all(), []string{first.Ref.ID})
}

// An update writes the fields it names. Everything else, also what was edited a
// moment ago, is as it was.
func updates(s *story) {
	s.need(s.can.Update, "no updates")
	ids := s.fill(0, 3)
	id := ids[1]
	s.tick()
	before := s.now(id)
	r := s.apply(s.update(before, s.text("by the update")))
	if r.Ref.ID != id {
		s.t.Errorf("an update of %s answers with %s", id, r.Ref)
	}
	if s.can.Answers {
		s.holds("the answer", r.Fields, s.text("by the update"))
	}
	want := before.Fields.With(s.text("by the update"))
	s.tick()
	l := s.all()
	s.holds("the list", l.records[id].Fields, only(want, s.paths()))
	now := s.now(id)
	s.holds("get", now.Fields, only(want, s.paths()))
	s.agrees("get beside the answer", now.Fields, r.Fields)
	if before.Version != "" {
		if now.Version == before.Version || now.Version == "" {
			s.t.Errorf("the version is %q after an update of version %q", now.Version, before.Version)
		}
		if s.can.Answers && r.Version != now.Version {
			s.t.Errorf("the answer shows version %q and a read %q", r.Version, now.Version)
		}
	}
	for i, other := range []string{ids[0], ids[2]} {
		s.holds("another record", l.records[other].Fields, s.Sample(2*i))
	}
	s.just(l, ids)
	s.Remove(s.t, ids[2])
	s.tick()
	s.fails(s.change(record.Update, ids[2], s.text("too late")), connectors.NotFound)
}

// update is an update decided upon a record as it was read.
func (s *story) update(read record.Record, f record.Fields) record.Change {
	ch := s.change(record.Update, read.Ref.ID, f)
	ch.Version = read.Version
	ch.Before = only(read.Fields, f.Names())
	return ch
}

// Between our reading and our writing somebody at the desk was faster. A system
// that says it notices, by a version or by what the fields held, must notice in the
// write itself: the engine doesn't read once more. The desk's edit stays.
func stale(s *story) {
	s.need(s.can.Update && s.can.Conditional, "an update doesn't notice that the record changed")
	id := s.fill(0, 1)[0]
	s.tick()
	read := s.now(id)
	if listed := s.all().records[id].Version; listed != "" && listed != read.Version {
		s.t.Errorf("a list shows version %q and a read %q", listed, read.Version)
	}
	s.Edit(s.t, id, s.text("by the desk"))
	s.tick()
	if now := s.now(id).Version; now != "" && now == read.Version {
		s.t.Errorf("the version is %q before and after an edit", now)
	}
	s.fails(s.update(read, s.text("by the update")), connectors.Stale)
	read = s.now(id)
	s.holds("after a stale update", read.Fields, s.text("by the desk"))
	s.apply(s.update(read, s.text("by the update")))
	s.holds("after a current one", s.now(id).Fields, s.text("by the update"))
	if read.Version != "" {
		// The version alone decides, also about what another field held.
		s.Edit(s.t, id, s.text("by the desk again"))
		s.tick()
		ch := s.update(read, s.text("by a late update"))
		ch.Before = nil
		s.fails(ch, connectors.Stale)
	}
}

// A system that promises nothing about this may still compare what the fields
// held. One that compares nothing is right too; one that compares must call it
// Stale.
func guarded(s *story) {
	s.need(s.can.Update, "no updates")
	id := s.Put(s.t, s.Sample(1).With(s.text("as it was")))
	s.tick()
	s.Edit(s.t, id, s.text("by the desk"))
	s.tick()
	ch := s.change(record.Update, id, s.text("by the update"))
	ch.Before = s.text("as it was")
	if _, err := s.send(s.t.Context(), ch); err != nil {
		s.class(err, ch.Fields, connectors.Stale)
		s.holds("after a stale update", s.now(id).Fields, s.text("by the desk"))
	} else {
		s.t.Log("this system doesn't compare what the fields held: the engine reads before it writes")
		s.holds("after the update", s.now(id).Fields, s.text("by the update"))
		s.Edit(s.t, id, s.text("by the desk"))
		s.tick()
	}
	ch = s.change(record.Update, id, s.text("by the update"))
	ch.Before = s.text("by the desk")
	s.apply(ch)
	s.holds("after an update that knew", s.now(id).Fields, s.text("by the update"))
}

// Where a status is changed by a request of its own, that is one change, and a
// change of other fields is another one.
func acts(s *story) {
	s.need(s.can.Status != "", "no status action")
	s.need(s.Status.Observed(), "the subject names no status to change to")
	id := s.fill(1, 2)[0]
	s.tick()
	before := s.now(id)
	status := record.Fields{s.can.Status: s.Status}
	s.apply(s.change(record.Action, id, status))
	now := s.now(id)
	s.holds("after the action", now.Fields, only(before.Fields.With(status), s.paths()))
	s.fails(s.change(record.Action, id, status.With(s.text("and more"))), connectors.Unsupported, connectors.Rejected)
	if s.can.Update {
		s.fails(s.change(record.Update, id, status.With(s.text("and more"))), connectors.Unsupported, connectors.Rejected)
	}
	s.agrees("after what was not possible", s.now(id).Fields, now.Fields)
}

// A removal is one request. What is not there can't be removed again.
func deletes(s *story) {
	s.need(s.can.Delete, "no removals")
	ids := s.fill(0, 2)
	s.tick()
	s.apply(s.change(record.Delete, ids[0], nil))
	s.tick()
	s.just(s.all(), ids[1:])
	s.fails(s.change(record.Delete, ids[0], nil), connectors.NotFound)
}

// The last room. The condition is asked in the transaction that enters the
// booking, and again when it is there.
func accepts(s *story) {
	s.need(s.can.Create && s.can.Asks, "no condition of acceptance")
	a, ok := s.conn.(connectors.Asker)
	if !ok {
		s.t.Fatal("Asks is declared and the connector is no Asker")
	}
	r := s.apply(s.change(record.Create, "", s.Sample(1)))
	ok, err := a.Accepts(s.t.Context(), r.Ref, s.Sample(1), "")
	if err != nil || !ok {
		s.t.Errorf("a booking that was entered is asked about again: %t, %v, want true", ok, err)
	}
	s.need(s.Refused != nil, "the subject names no record that is refused")
	s.fails(s.change(record.Create, "", s.Refused), connectors.Refused)
	s.tick()
	s.just(s.all(), []string{r.Ref.ID})
}

// find asks and fails on an error.
func (s *story) find(by record.Fields) []record.Record {
	s.t.Helper()
	f, ok := s.conn.(connectors.Finder)
	if !ok {
		s.t.Fatal("look-ups are declared and the connector is no Finder")
	}
	s.tick()
	found, err := f.Find(s.t.Context(), s.Kind, by, s.Scope)
	if err != nil {
		s.t.Fatalf("find by %v: %v", by.Names(), err)
	}
	return found
}

// Before a record is made, the system is asked whether it has it. A filter that is
// ignored answers with everybody, and everybody would be taken for one guest.
func finds(s *story) {
	s.need(s.canFind(), "nothing can be looked up")
	sets := slices.Clone(s.can.FindBy)
	if s.can.FindAny {
		for _, name := range s.paths() {
			sets = append(sets, []string{name})
		}
	}
	ids := s.fill(0, 5)
	for _, set := range sets {
		sample := s.Sample(3)
		if !subset(set, sample) {
			continue
		}
		by := only(sample, set)
		found, there := s.find(by), false
		for _, r := range found {
			s.holds("found by "+set[0], r.Fields, by)
			there = there || r.Ref.ID == ids[3]
		}
		if !there {
			s.t.Errorf("looking by %v finds %d records and not the one", set, len(found))
		}
		if by := only(s.Sample(777), set); !by.Equal(only(sample, set)) && !s.anyHas(by) {
			if found := s.find(by); len(found) != 0 {
				s.t.Errorf("looking by %v for nobody finds %d records", set, len(found))
			}
		}
	}
}

// anyHas tells whether one of the first five samples holds these values too.
func (s *story) anyHas(by record.Fields) bool {
	for i := range 5 {
		if s.Sample(i).Agrees(by) {
			return true
		}
	}
	return false
}

// The guest is there already, and the system won't have two. That is Exists, and
// the engine adopts the record; Rejected would leave the guest out for good.
func exists(s *story) {
	s.need(s.can.Create && len(s.can.Unique) > 0, "nothing is unique")
	ids := s.fill(0, 2)
	s.tick()
	tried := false
	for i, set := range s.can.Unique {
		if !subset(set, s.Sample(1)) {
			continue
		}
		tried = true
		twin := s.Sample(10 + i).With(only(s.Sample(1), set))
		s.fails(s.change(record.Create, "", twin), connectors.Exists)
		if s.can.Update {
			s.fails(s.change(record.Update, ids[0], only(s.Sample(1), set)), connectors.Rejected)
		}
	}
	s.tick()
	l := s.all()
	s.just(l, ids)
	s.holds("who was to become a twin", l.records[ids[0]].Fields, s.Sample(0))
	if !tried {
		s.t.Skip("no unique set is among the sample's fields")
	}
}
