package statetest

import (
	"testing"

	"nightporter/sync/record"
)

// meant: whom a record means is kept under its field until it is settled, and that this one is gone is kept
// with it, whoever has the id by then.
func meant(_ *testing.T, h *House) {
	for _, id := range []string{"son", "mother", "booking", "other"} {
		h.get(left, id, text("name", id))
	}
	booking, other := h.entry(left, "booking").Num, h.entry(left, "other").Num
	of := func(entry int64, id, shown string) record.Meant {
		return record.Meant{Entry: entry, Field: "guest", Shown: shown, Binding: guests, Side: record.Left, Ref: ref(left, id)}
	}
	get := func(entry int64) (m record.Meant, ok bool) {
		m, ok, err := h.Store.Meant(h.Ctx, entry, "guest")
		h.ok(err)
		return m, ok
	}
	_, ok := get(booking)
	is(h, "noted before", ok, false)
	h.ok(h.Store.Mean(h.Ctx, h.Lease, []record.Meant{of(booking, "mother", "a"), of(other, "son", "b"), of(other, "nobody", "c")}))
	h.ok(h.Store.Mean(h.Ctx, h.Lease, []record.Meant{of(booking, "son", "d")}))
	m, _ := get(booking)
	is(h, "meant, the first replaced", m, of(booking, "son", "d"))
	m, _ = get(other)
	is(h, "nobody who is not known", m, of(other, "son", "b"))
	h.ok(h.Store.Bury(h.Ctx, h.Lease, record.Tombstone{Entry: h.entry(left, "son").Num, Evidence: record.EvidenceRead, At: h.Now}))
	m, _ = get(booking)
	is(h, "gone", m.Gone, true)
	h.get(left, "son", text("name", "another"))
	m, _ = get(booking)
	is(h, "gone, and another has the id", m.Gone, true)
	h.ok(h.Store.Mean(h.Ctx, h.Lease, []record.Meant{of(booking, "mother", "a")}))
	m, _ = get(booking)
	is(h, "another is meant", m.Gone, false)

	h.get(right, "r1", text("name", "booking"))
	link, err := h.Store.Join(h.Ctx, h.Lease, booking, h.entry(right, "r1").Num, "e", h.Now)
	h.ok(err)
	_, ok = get(booking)
	is(h, "kept once it is linked, and is to be looked at", ok, true)
	h.ok(h.Store.Adopt(h.Ctx, h.Lease, link, [2]record.Fields{text("name", "booking"), text("name", "booking")}, h.Now))
	_, ok = get(booking)
	is(h, "kept once it is settled", ok, false)
	h.ok(h.Store.Mean(h.Ctx, h.Lease, []record.Meant{of(booking, "mother", "a")}))
	_, ok = get(booking)
	is(h, "noted again", ok, true)

	for id, waits := range map[string]bool{"made": false, "waiting": true} {
		h.get(left, id, text("name", id))
		in := h.createFrom(id, text("name", id))
		h.ok(h.Store.Mean(h.Ctx, h.Lease, []record.Meant{of(in.From, "mother", "a")}))
		if waits {
			h.ok(h.Store.WaitFor(h.Ctx, h.Lease, in.From, []record.Wait{{Binding: guests, Side: record.Left, Ref: ref(left, "mother")}}, "", h.Now))
		}
		h.open(in)
		r := h.receipt(in, 0)
		r.Ref = ref(right, "r-"+id)
		_, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
		h.ok(err)
		_, ok = get(in.From)
		is(h, id+": kept once it is made across", ok, waits)
	}
}
