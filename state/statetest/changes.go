package statetest

import (
	"fmt"
	"testing"
	"time"

	"nightporter/state"
	"nightporter/sync/record"
)

// createFrom is a create on the right from a left entry.
func (h *House) createFrom(id string, f record.Fields) record.Intent {
	h.T.Helper()
	i := h.intent(0, nil, f)
	i.From, i.Entity = h.entry(left, id).Num, "entity-"+id
	i.Change.Op, i.Change.Ref, i.Change.Stamp = record.Create, record.Ref{Kind: kinds[1]}, "np:abcdefgh:entity-"+id
	i.Bases[record.Left] = f
	return i
}

func create(_ *testing.T, h *House) {
	f := text("name", "Ada")
	h.list(left, h.item(left, "l1", f), h.item(left, "waiter", f))
	h.ok(h.Store.WaitFor(h.Ctx, h.Lease, h.entry(left, "waiter").Num,
		[]record.Wait{{Binding: guests, Side: record.Right, Ref: ref(right, "r7")}}, "why", h.Now))
	i := h.createFrom("l1", f)
	h.open(i)
	is(h, "listed", h.entry(left, "l1").Listed, "")
	h.tick()
	r := h.receipt(i, time.Second)
	r.Ref, r.Fields = ref(right, "r7"), text("name", "ADA", "created_by", "api")
	link, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	p := h.pair(link)
	is(h, "entity", p.Entity, "entity-l1")
	is(h, "state", p.State, record.LinkLive)
	is(h, "since", p.Sides[1].Since, h.Now)
	is(h, "mapping of a side never read", p.Sides[1].Mapping, "")
	for side, want := range [2]record.Fields{f, r.Fields} {
		e := p.Sides[side]
		if got := e.Base.Fields(); !got.Equal(want) || e.Seen != nil {
			h.T.Fatalf("%s: got base %v and observation %v, want base %v alone", record.Side(side), got, e.Seen, want)
		}
	}
	is(h, "waiter", h.entry(left, "waiter").Dirty, true)
	h.full(right)
	h.tick()
	h.scan(right, h.item(right, "r7", r.Fields))
	is(h, "listed once it was", h.entry(right, "r7").Listed, bytesOf(r.Fields))
	_, err = h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.refused(err, state.ErrNotOpen)
}

func adopted(_ *testing.T, h *House) {
	f := text("name", "Ada")
	h.linked(f)
	h.list(left, h.item(left, "l2", f))
	h.list(right, h.item(right, "r2", text("name", "Ada", "city", "Ghent")))
	i := h.createFrom("l2", f)
	h.open(i)
	r := h.receipt(i, 0)
	r.Ref = ref(right, "r1")
	_, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.refused(err, state.ErrLinked)
	r.Ref, r.Adopted = ref(right, "r2"), true
	link, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	e := h.pair(link).Sides[1]
	is(h, "number", e.Num, h.entry(right, "r2").Num)
	h.shows(right, "r2", text("name", "Ada", "city", "Ghent"))
	if e.Seen == nil {
		h.T.Fatalf("a field that the answer did not show was taken for agreed")
	}
}

// What a create that is sent again is answered may be as old as the first request: what a
// list showed of the record is no longer known then, and no list of what changed shows it
// again.
func answeredAsBefore(_ *testing.T, h *House) {
	f, edited := text("name", "Ada"), text("name", "Eve")
	h.list(left, h.item(left, "l1", f), h.item(left, "l2", f))
	h.list(right, h.item(right, "r1", edited), h.item(right, "r2", f))
	for _, c := range []struct {
		n    string
		asks bool
	}{{"1", true}, {"2", false}} {
		h.tick()
		i := h.createFrom("l"+c.n, f)
		h.open(i)
		r := h.receipt(i, 0)
		r.Ref = ref(right, "r"+c.n)
		_, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
		h.ok(err)
		h.shows(right, "r"+c.n, f)
		is(h, "read again", h.entry(right, "r"+c.n).Recheck.Equal(h.Now), c.asks)
	}
	h.tick()
	h.get(right, "r1", edited)
	if e := h.entry(right, "r1"); !e.Base.Fields().Equal(f) || !e.Last().Equal(edited) || !e.Recheck.IsZero() {
		h.T.Fatalf("got base %v, last %v, to be read at %s: want what was sent, and an edit since", e.Base.Fields(), e.Last(), e.Recheck)
	}
}

// Gone without a link says too little of a record that turns out to have one: it is read
// once more, and only what proves it then counts.
func adoptedTooLate(_ *testing.T, h *House) {
	f := text("name", "Ada")
	h.list(left, h.item(left, "l1", f))
	i := h.createFrom("l1", f)
	h.open(i)
	h.ok(h.Store.Judge(h.Ctx, h.Lease, h.entry(left, "l1").Num, record.Gone, "not found", time.Time{}, h.Now))
	h.tick()
	r := h.receipt(i, 0)
	r.Ref, r.Adopted = ref(right, "r1"), true
	link, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	is(h, "state", h.pair(link).Sides[record.Left].State, record.Suspect)
	due, err := h.Store.Due(h.Ctx, left, h.Now, 9)
	h.ok(err)
	is(h, "to be read", len(due), 1)
}

func update(_ *testing.T, h *House) {
	was := text("name", "ada", "city", "ghent", "note", "")
	link := h.linked(was)
	h.get(right, "r1", text("name", "ida", "city", "ghent", "note", "late"))
	i := h.intent(link, text("name", "ida"), text("name", "Eve"))
	i.Bases = [2]record.Fields{text("name", "Eve"), text("note", "late")} // the note is agreed on as it is
	h.open(i)
	is(h, "link", h.pair(link).State, record.LinkUnsure)
	r := h.receipt(i, time.Minute)
	r.Fields = text("name", "eve", "city", "bruges") // lower-cased; and the city was edited meanwhile
	_, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	p := h.pair(link)
	is(h, "link after the receipt", p.State, record.LinkLive)
	if got := p.Sides[1].Base.Fields(); !got.Equal(text("name", "eve", "city", "ghent", "note", "late")) {
		h.T.Fatalf("got base %v, want what the answer showed of what was written", got)
	}
	h.shows(right, "r1", text("name", "eve", "city", "bruges", "note", "late"))
	is(h, "version", p.Sides[1].BaseVersion, "answered")
	is(h, "acked", p.Sides[1].Acked, h.Now)
	if !p.Sides[1].Pre.Equal(text("name", "ida")) {
		h.T.Fatalf("got pre-image %v", p.Sides[1].Pre)
	}
	if got := p.Sides[0].Base.Fields()["name"].Text(); got != "Eve" {
		h.T.Fatalf("got %q as the left base, want what the change was computed from", got)
	}
	h.tick()
	h.get(right, "r1", text("name", "eve", "city", "ghent", "note", "late"))
	if e := h.entry(right, "r1"); e.Seen != nil {
		h.T.Fatalf("got observation %v, want none", e.Seen.Fields)
	}
}

func oneAtATime(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link := h.linked(f)
	i := h.intent(link, f, text("name", "Eve"))
	h.open(i)
	h.refused(h.Store.OpenIntent(h.Ctx, h.Lease, h.intent(link, f, f)), state.ErrOpen)
	h.get(left, "l2", f)
	h.get(right, "r2", f)
	c := h.createFrom("l2", f)
	h.open(c)
	h.refused(h.Store.OpenIntent(h.Ctx, h.Lease, h.createFrom("l2", f)), state.ErrOpen)
	_, err := h.Store.Join(h.Ctx, h.Lease, h.entry(left, "l2").Num, h.entry(right, "r2").Num, "e", h.Now)
	h.refused(err, state.ErrOpen)
	open, err := h.Store.Unsettled(h.Ctx, guests)
	h.ok(err)
	is(h, "unsettled", len(open), 2)
	is(h, "tries", open[0].Tries, 1)
	is(h, "sent", open[0].SentAt, h.Now)
	h.ok(h.Store.SendIntent(h.Ctx, h.Lease, i.ID, h.Now))
	h.ok(h.Store.FailIntent(h.Ctx, h.Lease, i.ID, record.Rejected, "rejected", "400", h.Now))
	h.refused(h.Store.SendIntent(h.Ctx, h.Lease, i.ID, h.Now), state.ErrNotOpen)
	h.ok(h.Store.OpenIntent(h.Ctx, h.Lease, h.intent(link, f, f)))
}

func lost(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link := h.linked(f)
	i := h.intent(link, f, text("name", "Eve"))
	h.open(i)
	h.ok(h.Store.FailIntent(h.Ctx, h.Lease, i.ID, record.Lost, "ambiguous", "no answer", h.Now))
	is(h, "link", h.pair(link).State, record.LinkUnsure)
	h.refused(h.Store.OpenIntent(h.Ctx, h.Lease, h.intent(link, f, f)), state.ErrOpen)
	h.ok(h.Store.Ask(h.Ctx, h.Lease, link, 0, []record.Question{{Subject: record.Subject{Field: "name"}}}, h.Now))
	is(h, "link with a conflict besides", h.pair(link).State, record.LinkUnsure)
	h.ok(h.Store.FailIntent(h.Ctx, h.Lease, i.ID, record.Cancelled, "", "a person said so", h.Now))
	is(h, "link after a decision", h.pair(link).State, record.LinkConflict)
}

func journal(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link := h.linked(f)
	i := h.intent(link, f, text("name", "Eve"))
	i.Change.Version, i.Change.Stamp = "7", "np:x"
	i.Fields = []record.FieldReason{{Field: "name", Policy: "pms", Before: record.OfText("Ada"), After: record.OfText("Eve")}}
	i.Bases = [2]record.Fields{text("name", "Eve"), nil}
	h.open(i)
	r := h.receipt(i, 0)
	r.Note = "answered at once"
	_, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	for name, f := range map[string]state.Filter{
		"all": {}, "run": {Run: h.Lease.Run}, "link": {Link: link}, "binding": {Binding: guests},
		"record": {Ref: ref(right, "r1")}, "linked record": {Ref: ref(left, "l1")}, "limit": {Limit: 1},
	} {
		got, err := h.Store.Changes(h.Ctx, f)
		h.ok(err)
		if len(got) != 1 {
			h.T.Fatalf("%s: got %d changes, want 1", name, len(got))
		}
		c := got[0]
		is(h, "state", c.State, record.Settled)
		is(h, "operation", c.Change.Op, record.Update)
		is(h, "reason", c.Fields[0].After.Text(), "Eve")
		is(h, "before", c.Change.Before.Equal(i.Change.Before), true)
		is(h, "version", c.Change.Version, "7")
		is(h, "bases", c.Bases[0].Equal(i.Bases[0]) && c.Bases[1] == nil, true)
		is(h, "note", c.Receipt.Note, "answered at once")
		is(h, "ended", c.EndedAt, h.Now)
	}
	for name, f := range map[string]state.Filter{
		"run": {Run: 99}, "link": {Link: 99}, "binding": {Binding: "stays"}, "record": {Ref: ref(right, "nobody")},
	} {
		got, err := h.Store.Changes(h.Ctx, f)
		h.ok(err)
		is(h, "changes of another "+name, len(got), 0)
	}
}

func prune(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link := h.linked(f) // two scans a place
	h.write(h.intent(link, f, text("name", "Eve")), 0)
	stays := h.intent(link, text("name", "Eve"), f)
	h.open(stays)
	h.scan(left, h.item(left, "l1", f))
	h.full(left)
	h.ok(h.Store.Alert(h.Ctx, h.Lease, record.Alert{Kind: "booking_refused", At: h.Now}))
	h.ok(h.Store.End(h.Ctx, h.Lease, record.Done, "", nil, h.Now))
	h.Now = h.Now.Add(time.Hour)
	h.begin()
	h.ok(h.Store.End(h.Ctx, h.Lease, record.Done, "", nil, h.Now))
	h.Now = h.Now.Add(time.Hour)
	h.begin()
	n, more, err := h.Store.Prune(h.Ctx, h.Now, h.Now)
	h.ok(err)
	is(h, "more to delete", more, false)
	is(h, "rows deleted: change, alert, scan, run", n, 4)
	left1, err := h.Store.Scans(h.Ctx, left, 9)
	h.ok(err)
	is(h, "scans kept", len(left1), 2)
	kept, err := h.Store.Runs(h.Ctx, "", 9)
	h.ok(err)
	is(h, "runs kept: the one with an open change, the one under way", len(kept), 2)
	open, err := h.Store.Unsettled(h.Ctx, guests)
	h.ok(err)
	is(h, "open change", len(open), 1)
}

// pruneQuiet: a run that changed nothing goes long before one that did, and so do
// scans, but the last two that read a side whole: a job that is compared whole once a
// month still knows when that was.
func pruneQuiet(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link := h.linked(f)
	h.write(h.intent(link, f, text("name", "Eve")), 0)
	end := func(o record.Outcome) {
		h.ok(h.Store.End(h.Ctx, h.Lease, o, "", nil, h.Now))
		h.Now = h.Now.Add(time.Hour)
		h.begin()
	}
	end(record.Done) // it wrote
	changed := h.Lease.Run - 1
	h.scan(left, h.item(left, "l1", f)) // the third that read the side whole
	for range 3 {
		s, err := h.Store.BeginScan(h.Ctx, h.Lease, left, record.ScanSpec{Since: "yesterday", Mapping: mapping}, h.Now, time.Hour)
		h.ok(err)
		_, err = h.Store.EndScan(h.Ctx, h.Lease, s.ID, record.Certificate{Ended: h.Now, Complete: true})
		h.ok(err)
		end(record.Done)
	}
	end(record.Waits)
	h.ok(h.Store.Alert(h.Ctx, h.Lease, record.Alert{Kind: "booking_refused", At: h.Now}))
	end(record.Done)
	told := h.Lease.Run - 1
	end(record.Failed)
	failed := h.Lease.Run - 1
	n, more, err := h.Store.Prune(h.Ctx, h.Now.Add(-365*24*time.Hour), h.Now)
	h.ok(err)
	is(h, "more to delete", more, false)
	is(h, "rows deleted: 4 runs, a full scan, 3 of what changed", n, 8)
	full, err := h.Store.Scans(h.Ctx, left, 9)
	h.ok(err)
	is(h, "full scans kept", len(full), 2)
	kept, err := h.Store.Runs(h.Ctx, "", 9)
	h.ok(err)
	var ids []int64
	for _, r := range kept {
		ids = append(ids, r.ID)
	}
	is(h, "runs kept: under way, failed, told of, changed", fmt.Sprint(ids), fmt.Sprint([]int64{h.Lease.Run, failed, told, changed}))
}

func counts(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link := h.linked(f)
	h.get(left, "held", f)
	h.get(left, "waits", f)
	h.ok(h.Store.Park(h.Ctx, h.Lease, h.entry(left, "held").Num, record.Held, "", "why"))
	h.ok(h.Store.WaitFor(h.Ctx, h.Lease, h.entry(left, "waits").Num,
		[]record.Wait{{Binding: "stays", Side: record.Right, Ref: record.Ref{Kind: "rooms", ID: "1"}}}, "why", h.Now))
	h.ok(h.Store.Ask(h.Ctx, h.Lease, link, 0, []record.Question{{Subject: record.Subject{Field: "name"}}}, h.Now))
	h.open(h.intent(link, f, f))
	c, err := h.Store.Counts(h.Ctx, guests)
	h.ok(err)
	for name, want := range map[string]int64{
		"links": 1, "left.entries": 3, "left.unlinked": 2, "left.in_step": 1, "left.held": 1, "left.waiting": 1,
		"right.entries": 1, "right.unlinked": 0, "conflicts": 1, "intents": 1, "lost": 0, "waits": 1,
	} {
		is(h, name, c[name], want)
	}
}
