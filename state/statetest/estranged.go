package statetest

import (
	"testing"

	"nightporter/sync/record"
)

// estranged: the id of a linked record names another record, and the link is taken apart. What was known belongs
// to the former record and is forgotten. Otherwise it stays.
func estranged(_ *testing.T, h *House) {
	for id, another := range map[string]bool{"1": true, "2": false} {
		f := text("name", "Ada "+id)
		link := h.linkedAs(id, f)
		if another {
			h.ok(h.Store.Estrange(h.Ctx, h.Lease, h.entry(left, "l"+id).Num, "why"))
		}
		h.ok(h.Store.Bury(h.Ctx, h.Lease, record.Tombstone{Entry: h.entry(right, "r"+id).Num, Evidence: record.EvidenceRead, At: h.Now}))
		h.ok(h.Store.Free(h.Ctx, h.Lease, link, record.Left, h.Now))
		e := h.entry(left, "l"+id)
		is(h, id+": linked", e.Link, 0)
		is(h, id+": state", e.State, record.InStep)
		is(h, id+": forgotten", e.Seen == nil && e.Base == nil, another)
		is(h, id+": to be read", e.Recheck.Equal(h.Now), another)
	}
}
