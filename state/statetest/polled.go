package statetest

import (
	"testing"
	"time"

	"nightporter/sync/record"
)

// polled: what lists show before any webhook told of it is counted, once, where that is
// asked for; not what was hinted at, what we wrote ourselves, what is known, nor what the
// very first list shows.
func polled(_ *testing.T, h *House) {
	counted := func(p record.Place, want int64) {
		h.T.Helper()
		got, err := h.Store.PolledFirst(h.Ctx)
		h.ok(err)
		is(h, "polled first", got[p].Count, want)
	}
	before, after := text("name", "Ada"), text("name", "Ada L.")
	link := h.linked(before)
	h.list(right, h.item(right, "r1", after))
	counted(right, 0) // nobody asked
	h.list(right, h.item(right, "r1", before))
	h.end(right, false)
	since := h.Now
	h.ok(h.Store.CountPolled(h.Ctx, []record.Place{right}, h.Now))
	h.tick()

	h.list(right, h.item(right, "r1", after))
	counted(right, 1)
	h.list(right, h.item(right, "r1", after))
	counted(right, 1) // it is known
	h.tick()
	h.list(right, h.item(right, "r1", before))
	counted(right, 1) // it is back in step: there is nothing to do
	_, err := h.Store.Hint(h.Ctx, []record.Hint{{Place: right, Ref: ref(right, "r1"), Event: "e", At: h.Now}})
	h.ok(err)
	h.list(right, h.item(right, "r1", after))
	counted(right, 1) // a webhook told of it
	h.list(right, h.item(right, "r1", before))
	h.heed()

	h.list(right, h.item(right, "r2", before))
	counted(right, 1) // of a list that was never read whole everything is new
	h.end(right, true)
	h.list(right, h.item(right, "r3", before))
	counted(right, 2)
	_, err = h.Store.Hint(h.Ctx, []record.Hint{{Place: right, Ref: record.Ref{Kind: kinds[record.Right]}, At: h.Now}})
	h.ok(err)
	h.list(right, h.item(right, "r4", before))
	counted(right, 2) // it told of something of the kind
	h.heed()

	h.list(left, h.item(left, "l1", after))
	counted(left, 0)
	h.write(h.intent(link, before, after), 0)
	h.tick()
	h.list(right, h.item(right, "r1", after))
	counted(right, 2) // our own change comes back

	h.tick()
	h.list(right, h.item(right, "r1", text("name", "Eva")))
	got, err := h.Store.PolledFirst(h.Ctx)
	h.ok(err)
	is(h, "counted since", got[right].Since, since)
	is(h, "the last", got[right].Last, h.Now)
	h.ok(h.Store.CountPolled(h.Ctx, []record.Place{right, left}, h.Now.Add(time.Hour)))
	counted(right, 3) // it goes on
	h.ok(h.Store.CountPolled(h.Ctx, nil, h.Now))
	got, err = h.Store.PolledFirst(h.Ctx)
	h.ok(err)
	is(h, "places that are counted", len(got), 0)
}

// heed says that all open hints were looked at.
func (h *House) heed() {
	h.T.Helper()
	open, err := h.Store.Hints(h.Ctx, guests, 0, 10)
	h.ok(err)
	var seqs []int64
	for _, one := range open {
		seqs = append(seqs, one.Seq)
	}
	h.ok(h.Store.Heeded(h.Ctx, h.Lease, seqs, h.Now))
}
