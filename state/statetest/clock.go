package statetest

import (
	"testing"
	"time"

	"nightporter/sync/record"
)

// setBack: once the clock was set back, no list of a time to come proves anything, not
// even when the clock gets there again, and what is open was sent before now.
func setBack(_ *testing.T, h *House) {
	was := h.Now
	h.scan(left, h.item(left, "l1", text("name", "Ada")))
	h.open(h.createFrom("l1", text("name", "Ada")))
	h.scan(right)
	complete := func() int {
		scans, err := h.Store.Ended(h.Ctx, right, 8)
		h.ok(err)
		n := 0
		for _, s := range scans {
			if s.Certificate.Complete {
				n++
			}
		}
		return n
	}
	is(h, "complete lists", complete(), 1)
	h.begin()
	is(h, "complete lists after a run in order", complete(), 1)
	h.Now = was.Add(-time.Hour)
	h.begin()
	is(h, "complete lists of times to come", complete(), 0)
	open, err := h.Store.Unsettled(h.Ctx, guests)
	h.ok(err)
	is(h, "open changes", len(open), 1)
	is(h, "made and sent before now", open[0].SentAt.Before(h.Now) && open[0].Made.Before(h.Now), true)
	h.scan(right)
	h.Now = was.Add(time.Hour)
	h.begin()
	is(h, "complete lists once the clock is there again", complete(), 1)
}

// setBackRecords: once the clock was set back, reads and lists of now count for records
// that were seen and written later than now.
func setBackRecords(_ *testing.T, h *House) {
	f, g, edit := text("name", "Ada"), text("name", "Eve"), text("name", "Mia")
	h.list(left, h.item(left, "l9", f))
	link := h.linked(f)
	h.write(h.intent(link, f, g), time.Minute)
	h.end(left, true)
	h.Now = h.Now.Add(-time.Hour)
	h.begin()
	last := func() record.Fields {
		e := h.entry(right, "r1")
		return e.Last()
	}
	h.get(right, "r1", f)
	is(h, "what we replaced, read while it settles", h.entry(right, "r1").Seen == nil, true)
	h.tick()
	h.get(right, "r1", edit)
	is(h, "an edit", last().Equal(edit), true)
	h.Now = h.Now.Add(2 * time.Minute)
	h.get(right, "r1", f)
	is(h, "what we replaced, read when it has settled", last().Equal(f), true)
	h.scan(left)
	is(h, "what a list does not show", h.entry(left, "l9").State, record.Suspect)
	h.get(right, "r1", edit)
	h.Now = h.Now.Add(-time.Hour)
	h.begin()
	is(h, "what was seen was seen by now", h.entry(right, "r1").Seen.At.After(h.Now), false)
}

// setBackReads: once the clock was set back, what a read by id has overtaken is late for a
// day at most, and is then read again.
func setBackReads(_ *testing.T, h *House) {
	x := h.item(left, "l1", text("name", "Ada", "city", "Ghent"))
	x.Until = h.Now.Add(10 * time.Second)
	h.ok(h.Store.See(h.Ctx, h.Lease, left, mapping, []record.Seen{x}))
	h.Now = h.Now.Add(5 * time.Second)
	less := text("name", "Ada", "city", "")
	h.list(left, h.item(left, "l1", less))
	h.end(left, true)
	h.Now = h.Now.Add(-30 * 24 * time.Hour)
	h.begin()
	h.tick()
	h.list(left, h.item(left, "l1", less))
	h.shows(left, "l1", text("name", "Ada", "city", "Ghent"))
	h.Now = h.Now.Add(24 * time.Hour)
	due, err := h.Store.Due(h.Ctx, left, h.Now, 10)
	h.ok(err)
	is(h, "due", len(due), 1)
	h.list(left, h.item(left, "l1", less))
	h.shows(left, "l1", less)
}
