package statetest

import (
	"errors"
	"fmt"
	"testing"

	"nightporter/state"
	"nightporter/sync/record"
)

// joinAll: pairs linked together end as those that are linked and settled one by one;
// one that can't be linked keeps all others from it.
func joinAll(_ *testing.T, h *House) {
	f := text("name", "Ada")
	var on []record.Seen
	for _, id := range []string{"1", "2", "3", "4"} {
		it := h.item(left, "l"+id, f)
		it.Keys = []record.Key{{Name: "phone", Text: id}}
		on = append(on, it)
		h.get(right, "r"+id, f)
	}
	h.scan(left, on...)
	pair := func(id string) [2]int64 { return [2]int64{h.entry(left, "l"+id).Num, h.entry(right, "r"+id).Num} }
	waits := func(id, that string) {
		h.ok(h.Store.WaitFor(h.Ctx, h.Lease, h.entry(left, id).Num, []record.Wait{{Binding: guests, Side: record.Right, Ref: ref(right, that)}}, "why", h.Now))
	}
	waits("l1", "r4") // each is settled, and of that nothing must be left
	waits("l2", "r4")
	waits("l4", "r2") // woken
	one, err := h.Store.Join(h.Ctx, h.Lease, pair("1")[0], pair("1")[1], "entity-1", h.Now)
	h.ok(err)
	h.ok(h.Store.Adopt(h.Ctx, h.Lease, one, [2]record.Fields{f, f}, h.Now))

	settled := record.Joining{Entries: pair("2"), Entity: "entity-2", Settled: true, Bases: [2]record.Fields{f, f}}
	open := record.Joining{Entries: pair("3"), Entity: "entity-3"}
	_, err = h.Store.JoinAll(h.Ctx, h.Lease, []record.Joining{settled, {Entries: pair("1"), Entity: "entity-1"}}, h.Now)
	is(h, "one that is linked already is refused", errors.Is(err, state.ErrLinked), true)
	is(h, "and no other is linked", h.entry(left, "l2").Link, 0)
	links, err := h.Store.JoinAll(h.Ctx, h.Lease, []record.Joining{settled, open}, h.Now)
	h.ok(err)
	is(h, "links", len(links), 2)
	for _, side := range []record.Place{left, right} {
		name := map[record.Side]string{record.Left: "l", record.Right: "r"}[side.Side]
		want, got, marked := h.entry(side, name+"1"), h.entry(side, name+"2"), h.entry(side, name+"3")
		is(h, "link", got.Link, links[0])
		is(h, "base", got.Base.Fields().Equal(want.Base.Fields()), true)
		is(h, "observation", got.Seen == nil, want.Seen == nil)
		is(h, "state and mark", string(got.State)+got.Why, string(want.State)+want.Why)
		is(h, "to be looked at", got.Dirty, want.Dirty)
		is(h, "the one not settled is to be looked at", marked.Dirty && marked.Link == links[1] && marked.Base == nil, true)
		is(h, "listings are looked at", got.Listed == "" && marked.Listed == "", true)
	}
	is(h, "who waits for one of them is woken", h.entry(left, "l4").Dirty, true)
	kept, err := h.Store.Waits(h.Ctx, h.entry(left, "l2").Num)
	h.ok(err)
	is(h, "waits of a settled one", len(kept), 0)

	phone := func(text string) record.Key { return record.Key{Name: "phone", Text: text} }
	held, err := h.Store.Linked(h.Ctx, left, []record.Key{phone("4"), phone(""), phone("2"), phone("9"), phone("1"), {Name: "mail", Text: "3"}})
	h.ok(err)
	is(h, "keys that linked records hold", len(held), 2)
	for _, id := range []string{"1", "2"} {
		is(h, "who holds "+id, fmt.Sprint(held[phone(id)]), fmt.Sprint([]record.Ref{ref(left, "l"+id)}))
	}

	entities, err := h.Store.EntitiesOf(h.Ctx, systems[record.Right], []record.Ref{ref(right, "r3"), ref(right, "r4"), ref(right, "r1")})
	h.ok(err)
	is(h, "entities of some", len(entities), 2)
	for _, id := range []string{"1", "3", "4"} {
		want, _, err := h.Store.EntityOf(h.Ctx, systems[record.Right], ref(right, "r"+id))
		h.ok(err)
		is(h, "entity of r"+id, entities[ref(right, "r"+id)], want)
	}
}
