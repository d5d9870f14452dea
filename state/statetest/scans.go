package statetest

import (
	"fmt"
	"testing"
	"time"

	"nightporter/sync/record"
)

func firstPage(_ *testing.T, h *House) {
	var items []record.Seen
	for n := range 100 {
		it := h.item(left, fmt.Sprint(n), text("name", fmt.Sprint("guest ", n)))
		it.Keys = []record.Key{{Name: "phone", Text: fmt.Sprint("+3900000", n)}}
		items = append(items, it)
	}
	is(h, "doubles", h.list(left, items...), 0)
	scan := h.full(left)
	is(h, "rows", scan.Rows, 100)
	is(h, "pages", scan.Pages, 1)
	known, err := h.Store.Known(h.Ctx, left, []string{"5", "99", "no\x00where", "nowhere"}, nil)
	h.ok(err)
	is(h, "known", len(known), 4)
	is(h, "those that are not", [2]record.Known{known[2], known[3]}, [2]record.Known{})
	is(h, "listed", known[0].Listed, items[5].Listed)
	e := h.entry(left, "5")
	is(h, "number", e.Num, known[0].Num)
	is(h, "since", e.Since, h.Now)
	is(h, "mapping", e.Mapping, mapping)
	is(h, "key", e.Keys[0].Text, "+39000005")
	h.end(left, true)
	h.tick()
	is(h, "suspects after the same again", h.scan(left, items...), 0)
}

func doubles(_ *testing.T, h *House) {
	a, b := h.item(left, "a", text("name", "A")), h.item(left, "b", text("name", "B"))
	is(h, "doubles in a page", h.list(left, a, b, a), 1)
	is(h, "doubles over pages", h.list(left, b, h.item(left, "c", nil)), 1)
	scan := h.full(left)
	is(h, "rows", scan.Rows, 5)
	is(h, "flaws", len(scan.Flaws), 1)
	h.end(left, false)
	past, err := h.Store.Scans(h.Ctx, left, 5)
	h.ok(err)
	is(h, "doubles kept", past[0].Doubles, 2)
	is(h, "complete", past[0].Complete, false)
}

func resume(_ *testing.T, h *House) {
	spec := record.ScanSpec{Full: true, Mapping: mapping}
	one, err := h.Store.BeginScan(h.Ctx, h.Lease, left, spec, h.Now, time.Hour)
	h.ok(err)
	_, err = h.Store.SeePage(h.Ctx, h.Lease, left, record.PageSeen{Scan: one.ID, Next: "page 2", Rows: 3, Total: 9, Flaws: []string{"short page"}})
	h.ok(err)
	h.begin()
	again, err := h.Store.BeginScan(h.Ctx, h.Lease, left, spec, h.Now.Add(59*time.Minute), time.Hour)
	h.ok(err)
	is(h, "the same scan", again.ID, one.ID)
	is(h, "cursor", again.Cursor, "page 2")
	is(h, "total", again.Total, 9)
	is(h, "flaws", len(again.Flaws), 1)
	other, err := h.Store.BeginScan(h.Ctx, h.Lease, left, record.ScanSpec{Full: true, Mapping: "mapping-2"}, h.Now, time.Hour)
	h.ok(err)
	if other.ID == one.ID {
		h.T.Fatalf("a scan under another mapping was resumed")
	}
	_, err = h.Store.SeePage(h.Ctx, h.Lease, left, record.PageSeen{Scan: other.ID, Next: "page 2"})
	h.ok(err)
	old, err := h.Store.BeginScan(h.Ctx, h.Lease, left, record.ScanSpec{Full: true, Mapping: "mapping-2"}, h.Now.Add(time.Hour), time.Hour)
	h.ok(err)
	if old.ID == other.ID {
		h.T.Fatalf("a scan that is too old was resumed")
	}
	if _, err := h.Store.SeePage(h.Ctx, h.Lease, left, record.PageSeen{Scan: one.ID}); err == nil {
		h.T.Fatalf("a page of a scan that was given up was taken")
	}
	past, err := h.Store.Scans(h.Ctx, left, 5)
	h.ok(err)
	is(h, "past scans, those given up not counted", len(past), 0)
}

func suspects(_ *testing.T, h *House) {
	f := text("name", "Ada")
	h.linked(f)
	h.scan(left, h.item(left, "l1", f), h.item(left, "stays", f), h.item(left, "goes", f), h.item(left, "gone", f))
	h.ok(h.Store.Judge(h.Ctx, h.Lease, h.entry(left, "gone").Num, record.Gone, "not found", time.Time{}, h.Now))
	h.tick()
	h.list(left, h.item(left, "stays", f))
	h.tick()
	h.get(left, "new", f) // first seen while the scan runs
	is(h, "suspects", h.end(left, true), 2)
	for id, want := range map[string]record.EntryState{
		"l1": record.Suspect, "goes": record.Suspect, "stays": record.InStep, "gone": record.Gone, "new": record.InStep,
	} {
		is(h, "state of "+id, h.entry(left, id).State, want)
	}
	due, err := h.Store.Due(h.Ctx, left, h.Now, 10)
	h.ok(err)
	is(h, "due", len(due), 2)
}

// A scan of which no page was read begins when it is read, hours after it was meant to:
// what became known in between, and is not shown, is missing.
func suspectsOfALateScan(_ *testing.T, h *House) {
	f := text("name", "Ada")
	h.full(left)
	h.tick()
	h.get(left, "goes", f)
	h.tick()
	begun := h.full(left)
	is(h, "begun", begun.Started, h.Now)
	h.tick()
	h.get(left, "new", f)
	is(h, "suspects", h.end(left, true), 1)
	is(h, "state of what goes", h.entry(left, "goes").State, record.Suspect)
	is(h, "state of what is new", h.entry(left, "new").State, record.InStep)
}

// A record that was first seen before the clock was set back is missing like any other.
func suspectsOfAClockSetBack(_ *testing.T, h *House) {
	f := text("name", "Ada")
	h.scan(left, h.item(left, "stays", f), h.item(left, "goes", f))
	h.Now = h.Now.Add(-30 * time.Second)
	h.list(left, h.item(left, "stays", f))
	h.tick()
	h.get(left, "new", f)
	is(h, "suspects", h.end(left, true), 1)
	is(h, "state of what goes", h.entry(left, "goes").State, record.Suspect)
	is(h, "state of what is new", h.entry(left, "new").State, record.InStep)
}

func noSuspects(_ *testing.T, h *House) {
	f := text("name", "Ada")
	h.scan(left, h.item(left, "a", f))
	h.tick()
	h.full(left)
	is(h, "suspects of an incomplete scan", h.end(left, false), 0)
	scan, err := h.Store.BeginScan(h.Ctx, h.Lease, left, record.ScanSpec{Since: "yesterday", Mapping: mapping}, h.Now, time.Hour)
	h.ok(err)
	n, err := h.Store.EndScan(h.Ctx, h.Lease, scan.ID, record.Certificate{Ended: h.Now, Complete: true, Next: "today"})
	h.ok(err)
	is(h, "suspects of an incremental scan", n, 0)
	since, err := h.Store.SinceCursor(h.Ctx, left)
	h.ok(err)
	is(h, "cursor", since, "today")
	other, err := h.Store.SinceCursor(h.Ctx, right)
	h.ok(err)
	is(h, "cursor of the other side", other, "")

	// What we wrote while the scan ran may be missing from its earlier pages.
	link := h.linked(text("name", "Bo"))
	h.full(right)
	h.tick()
	h.write(h.intent(link, text("name", "Bo"), text("name", "Bea")), 0)
	is(h, "suspects among what we wrote", h.end(right, true), 0)
}

func returns(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link := h.linked(f)
	h.scan(left, h.item(left, "l1", f), h.item(left, "single", f))
	h.tick()
	h.full(left)
	is(h, "suspects", h.end(left, true), 2)
	h.ok(h.Store.Adopt(h.Ctx, h.Lease, link, [2]record.Fields{}, h.Now))
	is(h, "state after a plan", h.entry(left, "l1").State, record.Suspect)
	open, err := h.Store.Unlinked(h.Ctx, left, 0, 10)
	h.ok(err)
	is(h, "unlinked while a suspect", len(open), 0)
	h.tick()
	h.scan(left, h.item(left, "l1", f), h.item(left, "single", f))
	is(h, "linked", h.entry(left, "l1").State, record.InStep)
	is(h, "linked is dirty", h.entry(left, "l1").Dirty, false)
	is(h, "single", h.entry(left, "single").State, record.InStep)
	is(h, "single is dirty", h.entry(left, "single").Dirty, true)
}

// returnsAlone: a record without a link was found gone, and is there again. Its id may name another record now, so it
// counts as having come when it was shown again.
func returnsAlone(_ *testing.T, h *House) {
	f := text("name", "Ada")
	for _, gone := range []bool{false, true} {
		id := fmt.Sprint("single", gone)
		h.get(left, id, f)
		came := h.entry(left, id).Since
		if gone {
			h.ok(h.Store.Bury(h.Ctx, h.Lease, record.Tombstone{Entry: h.entry(left, id).Num, Evidence: record.EvidenceRead, At: h.Now}))
		}
		h.tick()
		h.get(left, id, f)
		is(h, id+": came when it was first shown", h.entry(left, id).Since.Equal(came), !gone)
	}
}

func quarantined(_ *testing.T, h *House) {
	f := text("name", "Ada")
	h.linked(f)
	bad := h.item(left, "l1", nil)
	bad.Problem = "arrival is not a date"
	nameless := h.item(left, "", text("name", "?"))
	odd := h.item(left, "a\x00b", text("name", "!"))
	fresh := h.item(left, "fresh", nil)
	fresh.Problem = "too large"
	is(h, "suspects", h.scan(left, bad, nameless, odd, fresh), 0)
	e := h.entry(left, "l1")
	is(h, "state", e.State, record.Quarantined)
	is(h, "why", e.Why, bad.Problem)
	h.shows(left, "l1", f)
	is(h, "listed", e.Listed, "")
	c, err := h.Store.Counts(h.Ctx, guests)
	h.ok(err)
	is(h, "unreadable", c["left.unreadable"], 2)
	is(h, "quarantined", c["left.quarantined"], 2)
	h.tick()
	h.scan(left, h.item(left, "l1", f), nameless, fresh)
	is(h, "state once it can be read", h.entry(left, "l1").State, record.InStep)
	c, err = h.Store.Counts(h.Ctx, guests)
	h.ok(err)
	is(h, "unreadable, no more than before", c["left.unreadable"], 2)

	// What was to be looked at, and can't be read any more, is made nowhere of what it was.
	single := h.item(left, "single", f)
	h.list(left, single)
	h.ok(h.Store.Touch(h.Ctx, h.Lease, []int64{h.entry(left, "single").Num}))
	single.Problem = "arrival is not a date"
	h.list(left, single)
	none, err := h.Store.Unlinked(h.Ctx, left, 0, 10)
	h.ok(err)
	is(h, "unlinked that can't be read", len(none), 0)
	single.Problem = ""
	h.list(left, single)
	some, err := h.Store.Unlinked(h.Ctx, left, 0, 10)
	h.ok(err)
	is(h, "unlinked once it can be read", len(some), 1)
	h.end(left, false)

	// What was parked for another reason stays parked while it does not change.
	h.ok(h.Store.Park(h.Ctx, h.Lease, e.Num, record.Quarantined, "", "it can't be written"))
	h.tick()
	h.scan(left, h.item(left, "l1", f))
	is(h, "state of a parked one", h.entry(left, "l1").State, record.Quarantined)
}

// A record that is known to be gone makes no other one's absence go unnoticed.
func suspectBesideGone(_ *testing.T, h *House) {
	a, b, c := h.item(left, "a", text("name", "A")), h.item(left, "b", text("name", "B")), h.item(left, "c", text("name", "C"))
	h.scan(left, a, b, c)
	h.ok(h.Store.Judge(h.Ctx, h.Lease, h.entry(left, "a").Num, record.Gone, "not found", time.Time{}, h.Now))
	h.tick()
	is(h, "suspects while all others are shown", h.scan(left, b, c), 0)
	h.tick()
	is(h, "suspects", h.scan(left, c), 1)
	is(h, "state", h.entry(left, "b").State, record.Suspect)
	is(h, "gone", h.entry(left, "a").State, record.Gone)
}
