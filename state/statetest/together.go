package statetest

import (
	"context"
	"errors"
	"testing"

	"nightporter/state"
	"nightporter/sync/record"
)

// refusals: of each record the creates count that were refused since the last that was taken, and
// until it is linked; of a link every change does until one of its fields is written.
func refusals(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link := h.linked(f)
	h.get(left, "l2", f)
	h.get(left, "l3", f)
	refuse := func(i record.Intent) string {
		h.tick()
		i.Made = h.Now
		h.open(i)
		h.ok(h.Store.FailIntent(h.Ctx, h.Lease, i.ID, record.Rejected, "rejected", "400", h.Now))
		return i.ID
	}
	last := func(want ...string) {
		h.T.Helper()
		got, err := h.Store.Refusals(h.Ctx, guests)
		h.ok(err)
		is(h, "refusals", len(got), len(want))
		for n, i := range got {
			is(h, "refusal", i.ID, want[n])
		}
	}
	first := refuse(h.intent(link, f, text("name", "Eve")))
	one := refuse(h.createFrom("l2", f))
	update := refuse(h.intent(link, f, text("name", "Eva")))
	mail := refuse(h.intent(link, f, text("mail", "eva@example")))
	two := refuse(h.createFrom("l2", text("name", "Bea")))
	three := refuse(h.createFrom("l3", f))
	last(first, one, update, mail, two, three)
	c := h.createFrom("l2", f)
	h.tick()
	c.Made = h.Now
	h.open(c)
	receipt := h.receipt(c, 0)
	receipt.Ref = ref(right, "r2")
	_, err := h.Store.SettleIntent(h.Ctx, h.Lease, receipt)
	h.ok(err)
	last(first, update, mail, three)
	i := h.intent(link, f, text("name", "Eve"))
	h.tick()
	i.Made = h.Now
	h.write(i, 0)
	last(mail, three)
	h.get(right, "r3", f) // somebody entered it
	_, err = h.Store.Join(h.Ctx, h.Lease, h.entry(left, "l3").Num, h.entry(right, "r3").Num, "entity-l3", h.Now)
	h.ok(err)
	last(mail)
}

// together: all of several writes are kept, or none, and also one whose error
// nobody looked at ends the rest.
func together(_ *testing.T, h *House) {
	f := text("name", "Ada")
	for _, id := range []string{"2", "3", "4"} {
		h.get(left, "l"+id, f)
		h.get(right, "r"+id, f)
	}
	nums := map[string][2]int64{}
	for _, id := range []string{"2", "3", "4"} {
		nums[id] = [2]int64{h.entry(left, "l"+id).Num, h.entry(right, "r"+id).Num}
	}
	join := func(ctx context.Context, id string) error {
		_, err := h.Store.Join(ctx, h.Lease, nums[id][0], nums[id][1], "entity-"+id, h.Now)
		return err
	}
	count := func(want int) {
		h.T.Helper()
		n, err := h.Store.LinkCount(h.Ctx, guests)
		h.ok(err)
		is(h, "links", n, want)
	}
	stop := errors.New("stop")
	h.refused(h.Store.Together(h.Ctx, func(ctx context.Context) error {
		h.ok(join(ctx, "2"))
		return stop
	}), stop)
	count(0)
	h.refused(h.Store.Together(h.Ctx, func(ctx context.Context) error {
		h.ok(join(ctx, "2"))
		h.refused(join(ctx, "2"), state.ErrLinked)
		h.refused(join(ctx, "3"), state.ErrLinked)
		return nil
	}), state.ErrLinked)
	count(0)
	h.ok(h.Store.Together(h.Ctx, func(ctx context.Context) error {
		h.ok(join(ctx, "2"))
		return join(ctx, "3")
	}))
	count(2)
	h.ok(join(h.Ctx, "4"))
	count(3)
}
