package statetest

import (
	"slices"
	"testing"
	"time"

	"nightporter/sync/record"
)

// part is an item of the left side that lacks its text as long as f doesn't show one,
// for an hour from when it was first seen.
func (h *House) part(f record.Fields, listed bool) record.Seen {
	it := h.item(left, "l9", f)
	u := &record.Unfinished{Lacks: []string{"text"}, Within: time.Hour}
	if f["text"].Observed() {
		u = nil
	}
	it.Observation.Unfinished = u
	if !listed {
		it.Observation.View = "get"
	}
	return it
}

func (h *House) read(f record.Fields) {
	h.T.Helper()
	h.ok(h.Store.See(h.Ctx, h.Lease, left, mapping, []record.Seen{h.part(f, false)}))
}

// awaited ends the test unless the record is to be read by id at a moment, and is waited
// for or not.
func (h *House) awaited(what string, recheck time.Time, waits bool) {
	h.T.Helper()
	e := h.entry(left, "l9")
	is(h, what+": read again", e.Recheck.Equal(recheck), true)
	is(h, what+": waited for", e.Unfinished.Waits(), waits)
}

// unfinished: what a list shows is read by id at once, then at growing intervals,
// whatever lists say meanwhile, and no more when that was long enough.
func unfinished(_ *testing.T, h *House) {
	short, whole := text("name", "Ada"), text("name", "Ada", "text", "hello")
	begun := h.Now
	h.list(left, h.part(short, true))
	h.awaited("first seen", begun, true)
	h.list(left, h.part(short, true))
	h.awaited("listed again", begun, true)
	h.read(short)
	h.awaited("read", begun.Add(time.Minute), true)
	h.Now = begun.Add(10 * time.Minute)
	h.end(left, true)
	h.list(left, h.part(short, true))
	h.awaited("due, and only listed", begun.Add(time.Minute), true)
	h.read(short)
	h.awaited("read again", begun.Add(15*time.Minute), true)
	h.Now = begun.Add(11 * time.Minute)
	h.end(left, true)
	h.list(left, h.part(short, true))
	h.awaited("not due, and listed", begun.Add(15*time.Minute), true)
	h.list(left, h.part(text("name", "Ada B"), true))
	h.awaited("a list shows something new", h.Now, true)
	h.Now = begun.Add(2 * time.Hour)
	h.end(left, true)
	h.list(left, h.part(text("name", "Ada C"), true))
	h.awaited("too late, and only listed", h.Now, true)
	failed := h.part(text("name", "Ada C"), false)
	failed.Observation.Unfinished.Failed = "no"
	h.ok(h.Store.See(h.Ctx, h.Lease, left, mapping, []record.Seen{failed}))
	h.awaited("too late, and it can't be read", h.Now.Add(time.Hour), true)
	h.list(left, h.part(text("name", "Ada C"), true))
	is(h, "why it can't be read", h.entry(left, "l9").Unfinished.Failed, "no")
	h.Now = begun.Add(4 * time.Hour)
	h.read(text("name", "Ada C"))
	h.awaited("too late", time.Time{}, false)
	is(h, "what it lacks", slices.Equal(h.entry(left, "l9").Unfinished.Lacks, []string{"text"}), true)
	is(h, "over", h.entry(left, "l9").Unfinished.Ended.Equal(h.Now), true)
	over := h.Now
	h.tick()
	h.end(left, true)
	h.list(left, h.part(text("name", "Ada C"), true))
	h.awaited("listed when it is over", time.Time{}, false)
	h.read(text("name", "Ada C"))
	is(h, "over since", h.entry(left, "l9").Unfinished.Ended.Equal(over), true)
	h.list(left, h.part(text("name", "Ada D"), true))
	h.awaited("it changes when it is over", h.Now, false)
	h.read(whole)
	is(h, "it lacks nothing", h.entry(left, "l9").Unfinished == nil, true)
	h.tick()
	h.end(left, true)
	h.list(left, h.part(text("name", "Ada E"), true))
	is(h, "it lacks nothing that was ever shown", h.entry(left, "l9").Unfinished == nil && h.entry(left, "l9").Recheck.IsZero(), true)
}
