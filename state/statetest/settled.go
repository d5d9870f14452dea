package statetest

import (
	"testing"

	"nightporter/sync/record"
)

// asSettled: a place is as it was settled while every record of it is linked, shows
// what was settled and is there; of each of the three the lack of one is enough.
func asSettled(_ *testing.T, h *House) {
	f, other := text("name", "Ada"), text("name", "Eve")
	h.list(left, h.item(left, "l1", f), h.item(left, "l2", f))
	h.get(right, "r1", f)
	h.get(right, "r2", f)
	h.end(left, true)
	same := func(what string, l, r bool) {
		h.T.Helper()
		for i, want := range []bool{l, r} {
			got, err := h.Store.AsSettled(h.Ctx, [...]record.Place{left, right}[i])
			h.ok(err)
			is(h, what+": "+record.Side(i).String(), got, want)
		}
	}
	same("nothing is linked", false, false)
	for _, n := range []string{"1", "2"} {
		link, err := h.Store.Join(h.Ctx, h.Lease, h.entry(left, "l"+n).Num, h.entry(right, "r"+n).Num, "entity-"+n, h.Now)
		h.ok(err)
		h.ok(h.Store.Adopt(h.Ctx, h.Lease, link, [2]record.Fields{f, f}, h.Now))
	}
	same("all is settled", true, true)
	h.tick()
	h.get(right, "r2", other)
	same("one shows something else", true, false)
	h.get(right, "r2", f)
	same("it is as it was again", true, true)
	h.tick()
	h.scan(left, h.item(left, "l1", f))
	same("one is not shown", false, true)
}

// forgetVersions: the records of one side forget which versions they were settled with, and all else stays.
func forgetVersions(_ *testing.T, h *House) {
	link := h.linked(text("name", "Ada"))
	was := h.pair(link)
	for side, s := range was.Sides {
		is(h, "a version is known: "+record.Side(side).String(), s.BaseVersion != "", true)
	}
	h.ok(h.Store.ForgetVersions(h.Ctx, h.Lease, record.Right))
	now := h.pair(link)
	is(h, "the version of the left", now.Sides[record.Left].BaseVersion, was.Sides[record.Left].BaseVersion)
	is(h, "the version of the right", now.Sides[record.Right].BaseVersion, record.Version(""))
	if got := now.Sides[record.Right].Base.Fields(); !got.Equal(text("name", "Ada")) {
		h.T.Fatalf("the base of the right is %v", got)
	}
}
