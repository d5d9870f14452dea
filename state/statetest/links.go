package statetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nightporter/state"
	"nightporter/sync/record"
)

func matching(_ *testing.T, h *House) {
	phone := record.Key{Name: "phone", Text: "+390000001"}
	mail := record.Key{Name: "email", Text: "ada@example.com"}
	for id, keys := range map[string][]record.Key{"a": {phone}, "b": {mail, phone}, "c": {{Name: "email", Text: phone.Text}}, "d": {mail}} {
		it := h.item(left, id, text("name", id))
		it.Keys = keys
		h.list(left, it)
	}
	find := func(want string, keys ...record.Key) {
		h.T.Helper()
		found, err := h.Store.Matching(h.Ctx, left, keys)
		h.ok(err)
		got := map[string]bool{}
		for _, e := range found {
			got[e.Ref.ID] = true
		}
		var names []string
		for _, id := range []string{"a", "b", "c", "d"} {
			if got[id] {
				names = append(names, id)
			}
		}
		is(h, fmt.Sprint("matching ", keys), strings.Join(names, ""), want)
	}
	find("")
	find("ab", phone)
	find("abd", phone, mail)
	h.ok(h.Store.Park(h.Ctx, h.Lease, h.entry(left, "a").Num, record.Gone, "", "why"))
	find("b", phone)
	bare := h.item(left, "b", text("name", "b2")) // this read did not look for keys
	h.list(left, bare)
	find("b", phone)
	bare.Keys = []record.Key{mail}
	bare.Observation.Fields, bare.Listed = text("name", "b3"), bytesOf(text("name", "b3"))
	h.list(left, bare)
	find("", phone)
	find("bd", mail)
	outside := func(want int, keys ...record.Key) {
		h.T.Helper()
		found, err := h.Store.Outside(h.Ctx, left, keys)
		h.ok(err)
		is(h, fmt.Sprint("outside with ", keys), len(found), want)
	}
	some := func(state record.EntryState, want bool) {
		h.T.Helper()
		there, err := h.Store.AnyUnlinked(h.Ctx, left, state)
		h.ok(err)
		is(h, "any that is "+string(state), there, want)
	}
	outside(0, mail)
	some(record.OutOfScope, false)
	h.ok(h.Store.Judge(h.Ctx, h.Lease, h.entry(left, "d").Num, record.OutOfScope, "why", time.Time{}, h.Now))
	find("b", mail)
	outside(1, mail, phone)
	outside(0, phone)
	outside(0)
	some(record.OutOfScope, true)
	some(record.Suspect, false)
}

func join(_ *testing.T, h *House) {
	h.list(left, h.item(left, "l1", text("name", "Ada")))
	h.list(right, h.item(right, "r1", text("name", "Ada")), h.item(right, "r2", text("name", "Ada")))
	l, r, r2 := h.entry(left, "l1").Num, h.entry(right, "r1").Num, h.entry(right, "r2").Num
	_, err := h.Store.Join(h.Ctx, h.Lease, r, l, "e", h.Now)
	if err == nil {
		h.T.Fatalf("sides were mixed up and nothing said so")
	}
	h.ok(h.Store.Ask(h.Ctx, h.Lease, 0, l, []record.Question{{Subject: record.Subject{Field: "match"}}}, h.Now))
	link, err := h.Store.Join(h.Ctx, h.Lease, l, r, "e", h.Now)
	h.ok(err)
	p := h.pair(link)
	is(h, "entity", p.Entity, "e")
	is(h, "left", p.Sides[0].Ref.ID, "l1")
	is(h, "right", p.Sides[1].Ref.ID, "r1")
	_, err = h.Store.Join(h.Ctx, h.Lease, l, r2, "f", h.Now)
	h.refused(err, state.ErrLinked)
	open, err := h.Store.Questions(h.Ctx, guests, true)
	h.ok(err)
	is(h, "questions about the match", len(open), 0)
	n, err := h.Store.LinkCount(h.Ctx, guests)
	h.ok(err)
	is(h, "links", n, 1)
}

// rewired: a link goes on with a record that nothing else is known of. One that a create
// was made from may have its counterpart already, until it is known what became of that.
func rewired(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link := h.linkedAs("1", f)
	h.linkedAs("2", f)
	h.ok(h.Store.Bury(h.Ctx, h.Lease, record.Tombstone{Entry: h.entry(left, "l1").Num, Evidence: record.EvidenceMerged, At: h.Now}))
	to := func(id string) error {
		return h.Store.Rewire(h.Ctx, h.Lease, link, record.Left, h.entry(left, id).Num, h.Now)
	}
	h.refused(to("l2"), state.ErrLinked)
	i := h.losing("l3")
	h.refused(to("l3"), state.ErrOpen)
	is(h, "the link after that", h.pair(link).Sides[record.Left].Ref.ID, "l1")
	h.ok(h.Store.FailIntent(h.Ctx, h.Lease, i.ID, record.Cancelled, "", "it was never applied", h.Now))
	h.ok(to("l3"))
	p := h.pair(link)
	is(h, "what the link goes on with", p.Sides[record.Left].Ref.ID, "l3")
	is(h, "what is settled of it", p.Sides[0].Base == nil && p.Sides[1].Base == nil, true)
	is(h, "the one before is not linked", h.entry(left, "l1").Link, 0)
	num := h.entry(left, "l1").Num
	h.ok(h.Store.Bury(h.Ctx, h.Lease, record.Tombstone{Entry: h.entry(right, "r1").Num, Evidence: record.EvidenceRead, At: h.Now}))
	h.ok(h.Store.After(h.Ctx, h.Lease, link, record.AfterHeld))
	became := func(entry int64) record.Aftermath {
		h.T.Helper()
		t, _, err := h.Store.Tombstone(h.Ctx, entry)
		h.ok(err)
		return t.Done
	}
	is(h, "what came of the one across", became(h.entry(right, "r1").Num), record.AfterHeld)
	is(h, "what came of the one before", became(num), record.AfterRewired)
}

// standsAgain: a record of which the one across is gone is linked anew, be it with one that is made or one
// that is found. What was settled on it in another link is looked at again, and nothing else.
func standsAgain(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link, booking, other := h.linkedAs("1", f), h.linkedAs("2", f), h.linkedAs("3", f)
	entity := h.pair(link).Entity
	h.ok(h.Store.Adopt(h.Ctx, h.Lease, booking, [2]record.Fields{text("@guest", entity), text("@guest", entity)}, h.Now))
	h.ok(h.Store.Adopt(h.Ctx, h.Lease, other, [2]record.Fields{text("@guest", "somebody"), text("@guest", "somebody")}, h.Now))
	h.ok(h.Store.Bury(h.Ctx, h.Lease, record.Tombstone{Entry: h.entry(right, "r1").Num, Evidence: record.EvidenceRead, At: h.Now}))
	h.ok(h.Store.Free(h.Ctx, h.Lease, link, record.Left, h.Now))
	_, is, err := h.Store.ByEntity(h.Ctx, guests, entity)
	h.ok(err)
	ref := h.entry(left, "l1").Ref
	h.same("anything stands for it", is, false)
	again, _, err := h.Store.EntityOf(h.Ctx, systems[0], ref)
	h.ok(err)
	h.same("what the one that is left stands for", again, entity)
	many, err := h.Store.EntitiesOf(h.Ctx, systems[0], []record.Ref{ref})
	h.ok(err)
	h.same("the same, asked for many", many[ref], entity)
	_, is, err = h.Store.EntityOf(h.Ctx, systems[1], h.entry(right, "r1").Ref)
	h.ok(err)
	h.same("the one that is gone stands for something", is, false)
	h.list(right, h.item(right, "r9", f))
	fresh, err := h.Store.Join(h.Ctx, h.Lease, h.entry(left, "l1").Num, h.entry(right, "r9").Num, entity, h.Now)
	h.ok(err)
	p, _, err := h.Store.ByEntity(h.Ctx, guests, entity)
	h.ok(err)
	h.same("the link that stands for it", p.Link, fresh)
	for _, side := range record.Sides {
		h.same("who names it is looked at again", h.pair(booking).Sides[side].Dirty, true)
		h.same("who names another is not", h.pair(other).Sides[side].Dirty, false)
	}
}

func inSlices(_ *testing.T, h *House) {
	f := text("name", "Ada")
	var links []record.LinkID
	for n := range 5 {
		links = append(links, h.linkedAs(fmt.Sprint(n), f))
		h.get(left, fmt.Sprint("single", n), f)
	}
	none, err := h.Store.Dirty(h.Ctx, guests, 0, 10)
	h.ok(err)
	is(h, "dirty pairs of a house in step", len(none), 0)
	for _, n := range []int{1, 2, 3} {
		h.get(left, fmt.Sprint("l", n), text("name", "Eve"))
	}
	h.ok(h.Store.Touch(h.Ctx, h.Lease, []int64{h.entry(right, "r4").Num}))
	i := h.intent(links[2], f, text("name", "Eve"))
	h.open(i)
	var got []record.LinkID
	for after := record.LinkID(0); ; {
		page, err := h.Store.Dirty(h.Ctx, guests, after, 2)
		h.ok(err)
		if len(page) == 0 {
			break
		}
		for _, p := range page {
			got = append(got, p.Link)
		}
		after = got[len(got)-1]
	}
	is(h, "dirty pairs, the unsettled one not", fmt.Sprint(got), fmt.Sprint([]record.LinkID{links[1], links[3], links[4]}))
	one, err := h.Store.Unlinked(h.Ctx, left, 0, 2)
	h.ok(err)
	rest, err := h.Store.Unlinked(h.Ctx, left, one[1].Num, 10)
	h.ok(err)
	is(h, "unlinked in two slices", len(one)+len(rest), 5)
	h.ok(h.Store.Park(h.Ctx, h.Lease, one[0].Num, record.LeftOut, "", "why"))
	rest, err = h.Store.Unlinked(h.Ctx, left, 0, 10)
	h.ok(err)
	is(h, "unlinked but for one left out", len(rest), 4)
	h.ok(h.Store.TouchAll(h.Ctx, h.Lease))
	rest, err = h.Store.Unlinked(h.Ctx, left, 0, 10)
	h.ok(err)
	is(h, "unlinked after a new config", len(rest), 5)
	sample, err := h.Store.Sample(h.Ctx, left, 3)
	h.ok(err)
	is(h, "sample", len(sample), 3)
	if sample[0].Link == 0 || sample[0].Num == sample[1].Num || sample[1].Num == sample[2].Num {
		h.T.Fatalf("got sample %v, want three linked records", sample)
	}
}

func waits(_ *testing.T, h *House) {
	h.get(left, "booker", text("name", "Ada"))
	h.get(right, "r9", text("name", "Ada"))
	h.get(left, "waiter", text("guest", "booker"))
	num := h.entry(left, "waiter").Num
	on := record.Wait{Binding: guests, Side: record.Left, Ref: ref(left, "booker")}
	h.ok(h.Store.WaitFor(h.Ctx, h.Lease, num, []record.Wait{{Binding: guests, Side: record.Left, Ref: ref(left, "other")}}, "first", h.Now))
	h.ok(h.Store.WaitFor(h.Ctx, h.Lease, num, []record.Wait{on}, "waits for its guest", h.Now))
	list, err := h.Store.Waits(h.Ctx, num)
	h.ok(err)
	is(h, "waits, the first replaced", len(list), 1)
	yes, err := h.Store.WaitedFor(h.Ctx, left, ref(left, "booker"))
	h.ok(err)
	is(h, "waited for", yes, true)
	_, err = h.Store.Join(h.Ctx, h.Lease, h.entry(left, "booker").Num, h.entry(right, "r9").Num, "e", h.Now)
	h.ok(err)
	e := h.entry(left, "waiter")
	is(h, "state", e.State, record.InStep)
	is(h, "dirty", e.Dirty, true)
	yes, err = h.Store.WaitedFor(h.Ctx, left, ref(left, "booker"))
	h.ok(err)
	is(h, "waited for after the link", yes, false)
}

func waitsTooLate(_ *testing.T, h *House) {
	h.linked(text("name", "Ada"))
	h.get(left, "waiter", text("guest", "l1"))
	num := h.entry(left, "waiter").Num
	on := []record.Wait{{Binding: guests, Side: record.Left, Ref: ref(left, "l1")}}
	h.ok(h.Store.WaitFor(h.Ctx, h.Lease, num, on, "why", h.Now))
	is(h, "dirty", h.entry(left, "waiter").Dirty, true)
}

func entities(_ *testing.T, h *House) {
	h.linked(text("name", "Ada"))
	crm := [2]record.System{"crm", "platform"}
	h.ok(h.Store.Register(h.Ctx, "people", crm, [2]record.Kind{"people", "contacts"}, nil))
	entity, ok, err := h.Store.EntityOf(h.Ctx, "platform", ref(right, "r1"))
	h.ok(err)
	is(h, "known", ok, true)
	is(h, "entity", entity, "entity-1")
	_, ok, err = h.Store.EntityOf(h.Ctx, "crm", ref(right, "r1"))
	h.ok(err)
	is(h, "known to another system", ok, false)
	_, ok, err = h.Store.ByEntity(h.Ctx, guests, "entity-1")
	h.ok(err)
	is(h, "pair by entity", ok, true)
	_, ok, err = h.Store.ByEntity(h.Ctx, "people", "entity-1")
	h.ok(err)
	is(h, "pair of another binding", ok, false)
	p, ok, err := h.Store.PairOf(h.Ctx, right, ref(right, "r1"))
	h.ok(err)
	is(h, "pair of a record", ok && p.Sides[0].Ref.ID == "l1", true)
}

func conflicts(_ *testing.T, h *House) {
	link := h.linked(text("name", "Ada"))
	name := record.Question{Subject: record.Subject{Field: "name"}, Left: record.OfText("Ada"), Right: record.OfText("Eve"), Cause: "hold"}
	city := record.Question{Subject: record.Subject{Field: "city"}, Left: record.Nothing(), Right: record.OfText("Ghent")}
	put := func(cs ...record.Question) map[string]record.Question {
		h.T.Helper()
		h.tick()
		h.ok(h.Store.Ask(h.Ctx, h.Lease, link, 0, cs, h.Now))
		open, err := h.Store.Questions(h.Ctx, guests, true)
		h.ok(err)
		out := map[string]record.Question{}
		for _, c := range open {
			out[c.Field] = c
		}
		return out
	}
	one := put(name, city)
	is(h, "link", h.pair(link).State, record.LinkConflict)
	is(h, "null is not absent", one["city"].Left.Type(), record.Null)
	is(h, "absent", one["city"].Base.Type(), record.Absent)
	h.ok(h.Store.Choose(h.Ctx, one["name"].ID, "left", record.Value{}, h.Now))
	two := put(name, city)
	is(h, "number", two["name"].ID, one["name"].ID)
	is(h, "opened", two["name"].Opened, one["name"].Opened)
	is(h, "choice", two["name"].Choice, "left")
	name.Right = record.OfText("Ida")
	three := put(name)
	is(h, "one that changed has another number", three["name"].ID > one["name"].ID, true)
	h.refused(h.Store.Choose(h.Ctx, one["name"].ID, "left", record.Value{}, h.Now), state.ErrUnknown) // the number of the one that was read
	before, _, err := h.Store.Question(h.Ctx, one["name"].ID)
	h.ok(err)
	is(h, "the answer to the one before", before.Choice, "")
	taken, ok, err := h.Store.TakenOver(h.Ctx, before)
	h.ok(err)
	is(h, "it took the place of the one before", ok && taken.ID == three["name"].ID, true)
	is(h, "its choice", three["name"].Choice, "")
	is(h, "conflicts", len(three), 1)
	is(h, "conflicts at the end", len(put()), 0)
	is(h, "link at the end", h.pair(link).State, record.LinkLive)
	closed, err := h.Store.Questions(h.Ctx, "", false)
	h.ok(err)
	is(h, "closed", len(closed), 3)
	h.refused(h.Store.Choose(h.Ctx, three["name"].ID, "left", record.Value{}, h.Now), state.ErrUnknown)
}

// moot is questions that a rule answers by now: about a record that it leaves out, and about one
// whose partner is gone and that it leaves alone. What a person has said stays to be heard.
func moot(_ *testing.T, h *House) {
	open := func() int {
		h.T.Helper()
		cs, err := h.Store.Questions(h.Ctx, guests, true)
		h.ok(err)
		return len(cs)
	}
	link := h.linked(text("name", "Ada"))
	h.get(left, "alone", text("name", "Eve"))
	alone := h.entry(left, "alone").Num
	h.ok(h.Store.Ask(h.Ctx, h.Lease, 0, alone, []record.Question{{Subject: record.Subject{Field: "the record"}}}, h.Now))
	h.ok(h.Store.Park(h.Ctx, h.Lease, alone, record.Held, "mark", "why"))
	is(h, "asked about one that is held", open(), 1)
	is(h, "the cause of one that is held", h.entry(left, "alone").Cause, record.Cause("mark"))
	h.ok(h.Store.WaitFor(h.Ctx, h.Lease, alone, nil, "it waits", h.Now))
	is(h, "the cause of one that waits by now", h.entry(left, "alone").Cause, record.Cause(""))
	h.ok(h.Store.Park(h.Ctx, h.Lease, alone, record.LeftOut, "", "by rule"))
	is(h, "asked about one that is left out", open(), 0)
	for _, said := range []bool{false, true} {
		h.ok(h.Store.Ask(h.Ctx, h.Lease, link, 0, []record.Question{{Subject: record.Subject{Field: "the record"}}}, h.Now))
		cs, err := h.Store.Questions(h.Ctx, guests, true)
		h.ok(err)
		if said {
			h.ok(h.Store.Choose(h.Ctx, cs[0].ID, "leave", record.Value{}, h.Now))
		}
		h.ok(h.Store.After(h.Ctx, h.Lease, link, record.AfterIgnored))
		is(h, "asked about one that the rule leaves alone", open() == 1, said)
		is(h, "its link", h.pair(link).State == record.LinkConflict, said)
	}
}

func choices(_ *testing.T, h *House) {
	link := h.linked(text("name", "Ada"))
	h.ok(h.Store.Ask(h.Ctx, h.Lease, link, 0, []record.Question{{Subject: record.Subject{Field: "name"}}, {Subject: record.Subject{Field: "city"}}}, h.Now))
	open, err := h.Store.Questions(h.Ctx, guests, true)
	h.ok(err)
	if h.Store.Choose(h.Ctx, open[0].ID, "both", record.Value{}, h.Now) == nil {
		h.T.Fatalf("a choice that is none was taken")
	}
	h.ok(h.Store.Choose(h.Ctx, open[0].ID, "value", record.OfText("Ida"), h.Now))
	got, err := h.Store.Choices(h.Ctx, link)
	h.ok(err)
	is(h, "choices", len(got), 2)
	is(h, "value", got["name"].Value.Text(), "Ida")
	is(h, "not decided yet", got["city"].Choice, "")
	c, ok, err := h.Store.Question(h.Ctx, open[0].ID)
	h.ok(err)
	is(h, "conflict by number", ok && c.Chosen.Equal(h.Now), true)
	dirty, err := h.Store.Dirty(h.Ctx, guests, 0, 10)
	h.ok(err)
	is(h, "dirty", len(dirty), 1)

	h.get(left, "single", text("name", "Ada"))
	num := h.entry(left, "single").Num
	h.ok(h.Store.Ask(h.Ctx, h.Lease, 0, num, []record.Question{{Subject: record.Subject{Field: "match"}}}, h.Now))
	open, err = h.Store.Questions(h.Ctx, guests, true)
	h.ok(err)
	h.ok(h.Store.Choose(h.Ctx, open[2].ID, "left", record.Value{}, h.Now))
	is(h, "dirty single", h.entry(left, "single").Dirty, true)
}
