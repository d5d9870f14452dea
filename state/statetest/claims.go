package statetest

import (
	"testing"

	"nightporter/state"
	"nightporter/sync/record"
)

// losing is a create from a left record that is lost.
func (h *House) losing(id string) record.Intent {
	h.T.Helper()
	f := text("name", "Ada")
	h.get(left, id, f)
	i := h.createFrom(id, f)
	h.open(i)
	h.ok(h.Store.FailIntent(h.Ctx, h.Lease, i.ID, record.Lost, "", "several could be it", h.Now))
	return i
}

// claimed is what was said of a change of the guests.
func (h *House) claimed(id string) (record.Claim, bool) {
	h.T.Helper()
	all, err := h.Store.Claims(h.Ctx, guests)
	h.ok(err)
	c, ok := all[id]
	return c, ok
}

func claims(_ *testing.T, h *House) {
	made, never, again := h.losing("l1"), h.losing("l2"), h.losing("l3")
	arrived := record.Claim{Arrived: true, Ref: ref(right, "r7"), At: h.Now}
	h.ok(h.Store.Claim(h.Ctx, made.ID, record.Claim{At: h.Now}))
	h.ok(h.Store.Claim(h.Ctx, made.ID, arrived)) // a person thinks again
	h.ok(h.Store.Claim(h.Ctx, never.ID, record.Claim{At: h.Now}))
	h.ok(h.Store.Claim(h.Ctx, again.ID, arrived))
	c, ok := h.claimed(made.ID)
	is(h, "arrived", ok && c.Arrived && c.At.Equal(h.Now), true)
	is(h, "record", c.Ref, arrived.Ref)
	c, ok = h.claimed(never.ID)
	is(h, "not arrived", ok && !c.Arrived && c.Ref == record.Ref{}, true)
	others, err := h.Store.Claims(h.Ctx, "stays")
	h.ok(err)
	is(h, "claims of another binding", len(others), 0)
	lost, err := h.Store.Lost(h.Ctx, guests)
	h.ok(err)
	is(h, "lost until a run takes it up", len(lost), 3)

	h.ok(h.Store.Unclaim(h.Ctx, again.ID))
	_, ok = h.claimed(again.ID)
	is(h, "taken back", ok, false)
	h.ok(h.Store.Claim(h.Ctx, again.ID, arrived))
	h.ok(h.Store.FailIntent(h.Ctx, h.Lease, again.ID, record.Lost, "", "that is another's", h.Now))
	_, ok = h.claimed(again.ID)
	is(h, "once it was refused", ok, false)
	h.ok(h.Store.FailIntent(h.Ctx, h.Lease, never.ID, record.Cancelled, "", "it was never applied", h.Now))
	_, ok = h.claimed(never.ID)
	is(h, "once the change was dropped", ok, false)
	r := h.receipt(made, 0)
	r.Ref = arrived.Ref
	_, err = h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	_, ok = h.claimed(made.ID)
	is(h, "once the change was settled", ok, false)
}

func claimsRefused(_ *testing.T, h *House) {
	h.refused(h.Store.Claim(h.Ctx, "nobody", record.Claim{}), state.ErrUnknown)
	h.refused(h.Store.Unclaim(h.Ctx, "nobody"), state.ErrUnknown)
	f := text("name", "Ada")
	sent := h.intent(h.linked(f), f, text("name", "Eve"))
	h.open(sent)
	h.refused(h.Store.Claim(h.Ctx, sent.ID, record.Claim{Arrived: true}), state.ErrNotOpen)
	i := h.losing("l2")
	if err := h.Store.Claim(h.Ctx, i.ID, record.Claim{Arrived: true}); err == nil {
		h.T.Fatalf("a create is said to have arrived, and no record was named")
	}
	if err := h.Store.Claim(h.Ctx, i.ID, record.Claim{Ref: ref(right, "r7")}); err == nil {
		h.T.Fatalf("a record is named for what was never applied")
	}
	_, ok := h.claimed(i.ID)
	is(h, "refused and noted all the same", ok, false)
	h.ok(h.Store.FailIntent(h.Ctx, h.Lease, i.ID, record.Cancelled, "", "why", h.Now))
	h.refused(h.Store.Claim(h.Ctx, i.ID, record.Claim{}), state.ErrNotOpen)
	h.refused(h.Store.Unclaim(h.Ctx, i.ID), state.ErrNotOpen)
}
