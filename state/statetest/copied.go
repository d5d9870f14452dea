package statetest

import (
	"testing"

	"nightporter/sync/record"
)

// copied: what a side shows that was put back to an older copy is kept of each record until that is in step, and so is
// which records it lacks.
func copied(_ *testing.T, h *House) {
	f := text("name", "Ada")
	h.linkedAs("1", f)
	h.linkedAs("2", f)
	h.linkedAs("3", f)
	h.tick()
	h.scan(right, h.item(right, "r1", text("name", "Eve")), h.item(right, "r2", f)) // it lacks r3
	nums := map[string]int64{}
	for _, id := range []string{"r1", "r2", "r3"} {
		nums[id] = h.entry(right, id).Num
	}
	of := func(id string) (shown map[string]string, noted bool) {
		shown, noted, err := h.Store.Copied(h.Ctx, right, nums[id])
		h.ok(err)
		return shown, noted
	}
	h.ok(h.Store.BeginCopy(h.Ctx, h.Lease, record.Right, true, h.Now))
	h.ok(h.Store.KeepCopy(h.Ctx, h.Lease, record.Right, map[int64]map[string]string{nums["r1"]: {"name": "a1"}, nums["r3"]: {"name": "a3"}}))
	shown, noted := of("r1")
	is(h, "what is shown", noted && shown["name"] == "a1", true)
	_, noted = of("r2")
	is(h, "in step", noted, false)
	shown, noted = of("r3")
	is(h, "what it lacks", noted && shown == nil, true)
	_, noted, err := h.Store.Copied(h.Ctx, left, h.entry(left, "l1").Num)
	h.ok(err)
	is(h, "the other side", noted, false)

	ends := func(want bool) {
		h.T.Helper()
		none, err := h.Store.EndCopied(h.Ctx, h.Lease, record.Right)
		h.ok(err)
		is(h, "nothing is left", none, want)
	}
	ends(false)
	h.tick()
	h.scan(right, h.item(right, "r1", f), h.item(right, "r2", f), h.item(right, "r3", text("name", "Eve")))
	ends(false)
	_, noted = of("r1")
	is(h, "in step by now", noted, false)
	h.tick()
	h.scan(right, h.item(right, "r1", f), h.item(right, "r2", f), h.item(right, "r3", f))
	ends(true)

	h.ok(h.Store.KeepCopy(h.Ctx, h.Lease, record.Right, map[int64]map[string]string{nums["r1"]: {"name": "a1"}}))
	h.ok(h.Store.BeginCopy(h.Ctx, h.Lease, record.Right, true, h.Now))
	_, noted = of("r1")
	is(h, "of the copy before", noted, false)
}
