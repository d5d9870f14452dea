package statetest

import (
	"testing"
	"time"

	"nightporter/sync/record"
)

// forgiven: what a person said of refusals is kept by record, and gone with another
// configuration, which forgives all.
func forgiven(_ *testing.T, h *House) {
	h.get(left, "l2", text("name", "Ada"))
	num := h.entry(left, "l2").Num
	all := func() []record.Forgiven {
		h.T.Helper()
		got, err := h.Store.Forgiven(h.Ctx, guests)
		h.ok(err)
		return got
	}
	h.ok(h.Store.Configured(h.Ctx, h.Lease, "one", h.Now))
	h.tick()
	h.ok(h.Store.Forgive(h.Ctx, guests, record.Forgiven{Side: record.Right, From: num, Dismissed: h.Now, By: "anna"}))
	got := all()
	is(h, "rows", len(got), 3) // one for each side, and this
	is(h, "dismissed", got[2].Dismissed.Equal(h.Now) && got[2].At.IsZero() && got[2].From == num && got[2].By == "anna", true)
	h.ok(h.Store.Park(h.Ctx, h.Lease, num, record.Quarantined, "", "refused"))
	is(h, "parked", h.entry(left, "l2").Dirty, false)
	h.tick()
	h.ok(h.Store.Forgive(h.Ctx, guests, record.Forgiven{Side: record.Right, From: num, At: h.Now}))
	got = all()
	is(h, "asked again", got[2].At.Equal(h.Now) && got[2].Dismissed.IsZero(), true)
	is(h, "looked at again", h.entry(left, "l2").Dirty, true)
	h.tick()
	h.ok(h.Store.Configured(h.Ctx, h.Lease, "one", h.Now))
	is(h, "rows under the same configuration", len(all()), 3)
	h.ok(h.Store.Configured(h.Ctx, h.Lease, "two", h.Now))
	got = all()
	is(h, "rows under another", len(got), 2)
	is(h, "forgiven by it", got[0].At.Equal(h.Now) && got[1].At.Equal(h.Now), true)
}

// always: one decision a field, until it is taken back.
func always(_ *testing.T, h *House) {
	h.ok(h.Store.DecideAlways(h.Ctx, record.Always{Binding: guests, Field: "name", Take: "left", By: "anna", Since: h.Now}))
	h.tick()
	h.ok(h.Store.DecideAlways(h.Ctx, record.Always{Binding: guests, Field: "name", Take: "right", By: "bea", Since: h.Now}))
	got, err := h.Store.Always(h.Ctx, guests)
	h.ok(err)
	is(h, "decisions", len(got), 1)
	is(h, "the last word", got[0].Take == "right" && got[0].By == "bea" && got[0].Since.Equal(h.Now), true)
	had, err := h.Store.ForgetAlways(h.Ctx, guests, "name")
	h.ok(err)
	is(h, "had", had, true)
	had, err = h.Store.ForgetAlways(h.Ctx, guests, "name")
	h.ok(err)
	is(h, "had it twice", had, false)
}

// written: the settled changes of a link since a moment.
func written(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link := h.linked(f)
	for _, name := range []string{"Eve", "Eva"} {
		i := h.intent(link, f, text("name", name))
		i.Made = h.Now
		h.write(i, 0)
		h.tick()
	}
	h.open(h.intent(link, f, text("name", "Ida")))
	for _, c := range []struct {
		ago  time.Duration
		want int
	}{{time.Hour, 2}, {time.Second, 1}, {0, 0}} {
		got, err := h.Store.Written(h.Ctx, link, h.Now.Add(-c.ago))
		h.ok(err)
		is(h, "changes since "+c.ago.String(), len(got), c.want)
	}
}

// unreadable: what can't be read is listed until it can, or is gone; a person may have it read.
func unreadable(_ *testing.T, h *House) {
	bad := h.item(left, "l2", nil)
	bad.Problem = "it has no name"
	alike := h.item(left, "l3", nil)
	alike.Problem = bad.Problem
	nameless := h.item(left, "", nil)
	nameless.Problem = "it has no id"
	h.scan(left, bad, alike, nameless)
	got, err := h.Store.Unreadable(h.Ctx, guests)
	h.ok(err)
	is(h, "items", len(got), 3)
	for _, u := range got {
		is(h, "entry", u.Entry != 0, u.Problem == bad.Problem)
		is(h, "ref", u.Ref.ID == "l2" || u.Ref.ID == "l3", u.Entry != 0)
		if u.Entry != 0 {
			h.tick()
			h.ok(h.Store.ReadAgain(h.Ctx, guests, u.Entry, h.Now))
			due, err := h.Store.Due(h.Ctx, left, h.Now, 10)
			h.ok(err)
			is(h, "to be read", len(due), 1)
			if u.Ref.ID == "l2" {
				h.ok(h.Store.Bury(h.Ctx, h.Lease, record.Tombstone{Entry: u.Entry, At: h.Now}))
			} else {
				h.ok(h.Store.Judge(h.Ctx, h.Lease, u.Entry, record.Gone, "it is not there", time.Time{}, h.Now))
			}
		}
	}
	got, err = h.Store.Unreadable(h.Ctx, guests)
	h.ok(err)
	is(h, "items when two are gone", len(got), 1)
}
