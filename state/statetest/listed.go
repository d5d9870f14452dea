package statetest

import (
	"fmt"
	"testing"
	"time"

	"nightporter/sync/record"
)

func listedWhenClean(_ *testing.T, h *House) {
	f := text("name", "Ada")
	h.linked(f)
	is(h, "listed", h.entry(left, "l1").Listed, bytesOf(f))
	h.tick()
	h.get(left, "l1", f)
	is(h, "listed after a read that showed nothing new", h.entry(left, "l1").Listed, bytesOf(f))
	h.get(left, "l1", text("name", "Eve"))
	is(h, "listed after a read that did", h.entry(left, "l1").Listed, "")
	h.get(left, "l1", f)
	is(h, "listed after a read by id of the base", h.entry(left, "l1").Listed, "")
	h.list(left, h.item(left, "l1", text("name", "Eve")))
	is(h, "listed while it differs", h.entry(left, "l1").Listed, "")
}

// editBack: listed, edited and read by id, edited back: the bytes are the ones last
// listed and must not be taken for known.
func editBack(_ *testing.T, h *House) {
	was, now := text("name", "Ada"), text("name", "Eve")
	link := h.linked(was)
	h.get(left, "l1", now)
	h.ok(h.Store.Adopt(h.Ctx, h.Lease, link, [2]record.Fields{now, now}, h.Now))
	h.tick()
	h.list(left, h.item(left, "l1", was))
	h.shows(left, "l1", was)
	dirty, err := h.Store.Dirty(h.Ctx, guests, 0, 10)
	h.ok(err)
	is(h, "dirty pairs", len(dirty), 1)
}

// receiptForgetsListing: listed, written by us, edited back by somebody.
func receiptForgetsListing(_ *testing.T, h *House) {
	was, now := text("name", "Ada"), text("name", "Eve")
	link := h.linked(was)
	i := h.intent(link, was, now)
	i.Bases[record.Left] = now
	h.open(i)
	h.list(right, h.item(right, "r1", was)) // listed once more while the change is under way
	is(h, "listed while a change is open", h.entry(right, "r1").Listed, "")
	_, err := h.Store.SettleIntent(h.Ctx, h.Lease, h.receipt(i, 0))
	h.ok(err)
	for _, side := range []struct {
		p  record.Place
		id string
	}{{left, "l1"}, {right, "r1"}} {
		is(h, "listed after a receipt", h.entry(side.p, side.id).Listed, "")
		h.end(side.p, false)
		h.tick()
		h.list(side.p, h.item(side.p, side.id, was))
		h.shows(side.p, side.id, was)
	}
}

// receiptOfCreateForgets: both records of a create are listed while it is under
// way, and what was listed of them is held by neither any more when it is settled.
func receiptOfCreateForgets(_ *testing.T, h *House) {
	was, now := text("name", "Ada"), text("name", "Eve")
	h.list(left, h.item(left, "l5", was))
	i := h.createFrom("l5", now)
	h.open(i)
	h.list(right, h.item(right, "r5", was))
	h.end(left, false)
	h.list(left, h.item(left, "l5", was))
	is(h, "listed on the left", h.entry(left, "l5").Listed, bytesOf(was))
	is(h, "listed on the right", h.entry(right, "r5").Listed, bytesOf(was))
	h.get(left, "l5", now)
	h.end(left, false)
	h.end(right, false)
	h.tick()
	h.list(left, h.item(left, "l5", now))
	h.tick()
	r := h.receipt(i, 0)
	r.Ref = ref(right, "r5")
	_, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	is(h, "listed on the left after the receipt", h.entry(left, "l5").Listed, "")
	h.tick()
	h.list(right, h.item(right, "r5", was)) // somebody wrote the old name again
	h.shows(right, "r5", was)
}

func forgetsListing(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link := h.linked(f)
	num := h.entry(left, "l1").Num
	i := h.intent(link, f, text("name", "Eve"))
	steps := []struct {
		name string
		do   func() error
	}{
		{"OpenIntent", func() error { return h.Store.OpenIntent(h.Ctx, h.Lease, i) }},
		{"OpenConflicts", func() error {
			return h.Store.Ask(h.Ctx, h.Lease, link, 0, []record.Question{{Subject: record.Subject{Field: "name"}}}, h.Now)
		}},
		{"Park", func() error { return h.Store.Park(h.Ctx, h.Lease, num, record.Held, "", "why") }},
		{"WaitFor", func() error { return h.Store.WaitFor(h.Ctx, h.Lease, num, nil, "why", h.Now) }},
		{"Touch", func() error { return h.Store.Touch(h.Ctx, h.Lease, []int64{num}) }},
		{"Judge", func() error {
			return h.Store.Judge(h.Ctx, h.Lease, num, record.OutOfScope, "why", time.Time{}, h.Now)
		}},
		{"Adopt", func() error { return h.Store.Adopt(h.Ctx, h.Lease, link, [2]record.Fields{}, h.Now) }},
	}
	for _, s := range steps {
		is(h, "listed before "+s.name, h.entry(left, "l1").Listed, bytesOf(f))
		h.ok(s.do())
		is(h, "listed after "+s.name, h.entry(left, "l1").Listed, "")
		if s.name != "Adopt" { // it leaves the entry clean: the next listing is known again
			h.tick()
			h.list(left, h.item(left, "l1", f))
			if s.name != "Judge" {
				is(h, "listed again after "+s.name, h.entry(left, "l1").Listed, "")
			}
		}
		_ = h.Store.FailIntent(h.Ctx, h.Lease, i.ID, record.Cancelled, "", "", h.Now)
		h.ok(h.Store.Ask(h.Ctx, h.Lease, link, 0, nil, h.Now))
		h.ok(h.Store.Adopt(h.Ctx, h.Lease, link, [2]record.Fields{}, h.Now))
		h.end(left, false)
		h.tick()
		h.list(left, h.item(left, "l1", f))
	}
}

func staleRead(_ *testing.T, h *House) {
	was, now := text("name", "Ada"), text("name", "Eve")
	link := h.linked(was)
	early := h.item(right, "r1", text("name", "Ida"))
	h.tick()
	h.write(h.intent(link, was, now), time.Minute)
	h.tick()
	h.list(right, early)
	h.shows(right, "r1", now)
	e := h.entry(right, "r1")
	is(h, "recheck", e.Recheck, early.Observation.At)
	due, err := h.Store.Due(h.Ctx, right, h.Now, 10)
	h.ok(err)
	is(h, "due", len(due), 1)
	h.get(right, "r1", text("name", "Ida"))
	h.shows(right, "r1", text("name", "Ida"))
	is(h, "recheck after the read", h.entry(right, "r1").Recheck.IsZero(), true)

	// Within one millisecond the store can't tell before from after: it asks again.
	h.Now = h.Now.Add(time.Second)
	early = h.item(right, "r1", text("name", "Bo"))
	h.Now = h.Now.Add(300 * time.Microsecond)
	h.write(h.intent(link, text("name", "Ida"), now), 0)
	h.list(right, early)
	h.shows(right, "r1", now)
}

func preImage(_ *testing.T, h *House) {
	was, now := text("name", "Ada", "city", "Ghent"), text("name", "Eve")
	link := h.linked(was)
	h.write(h.intent(link, text("name", "Ada"), now), 10*time.Second)
	until := h.Now.Add(10 * time.Second)
	h.tick()
	h.list(right, h.item(right, "r1", was))
	h.shows(right, "r1", text("name", "Eve", "city", "Ghent"))
	e := h.entry(right, "r1")
	is(h, "recheck", e.Recheck, until)
	is(h, "listed", e.Listed, "")
	h.tick()
	written := text("name", "Eve", "city", "Ghent")
	h.list(right, h.item(right, "r1", written))
	is(h, "listed while the write settles", h.entry(right, "r1").Listed, "")
	h.get(right, "r1", text("name", "Ida", "city", "Ghent"))
	h.shows(right, "r1", text("name", "Ida", "city", "Ghent"))
	h.Now = until
	h.get(right, "r1", was) // somebody wrote the old value again: believed once the time is over
	h.shows(right, "r1", was)
	is(h, "recheck", h.entry(right, "r1").Recheck.IsZero(), true)
}

// preImageAfterEdit: a read by id after our write shows a user's edit from before it for
// the first time. A list that shows that edit already, and our write not yet, is late
// all the same.
func preImageAfterEdit(_ *testing.T, h *House) {
	link := h.linked(text("name", "Ada", "mail", ""))
	h.write(h.intent(link, text("mail", ""), text("mail", "m")), 10*time.Second)
	h.tick()
	edited := h.item(right, "r1", text("name", "Ida", "mail", "m"))
	edited.Until = h.Now.Add(10 * time.Second)
	h.ok(h.Store.See(h.Ctx, h.Lease, right, mapping, []record.Seen{edited}))
	h.tick()
	h.list(right, h.item(right, "r1", text("name", "Ida", "mail", "")))
	h.shows(right, "r1", text("name", "Ida", "mail", "m"))
	is(h, "recheck", h.entry(right, "r1").Recheck, edited.Until)
	h.tick()
	h.get(right, "r1", text("name", "Eva", "mail", "m")) // an edit is seen at once
	h.shows(right, "r1", text("name", "Eva", "mail", "m"))
	h.Now = edited.Until
	h.get(right, "r1", text("name", "Eva", "mail", "")) // somebody emptied it: believed once the time is over
	h.shows(right, "r1", text("name", "Eva", "mail", ""))
}

// olderThanWrite: a user entered something while a request of ours was on its way, which
// then went over it. A list from in between is older than our write by its system's own
// time of change, if answer and list both tell it.
func olderThanWrite(_ *testing.T, h *House) {
	holds := func(name string) record.Fields { return text("name", name, "city", "Ghent") }
	ours := h.Now.Add(time.Hour) // by the system's clock
	for _, c := range []struct {
		id          string
		wrote, list time.Time // when it was changed, as the answer and the list tell it
		after       time.Duration
		late        bool
	}{
		{"1", ours, ours.Add(-time.Second), time.Second, true},
		{"2", ours, ours, time.Second, false},
		{"3", ours, time.Time{}, time.Second, false},
		{"4", time.Time{}, ours.Add(-time.Second), time.Second, false},
		{"5", ours, ours.Add(-time.Second), 10 * time.Second, false}, // the system was put back
	} {
		i := h.intent(h.linkedAs(c.id, holds("Ada")), text("name", "Ada"), text("name", "Eve"))
		i.Change.Ref = ref(right, "r"+c.id)
		h.open(i)
		r := h.receipt(i, 10*time.Second)
		r.Changed = c.wrote
		_, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
		h.ok(err)
		h.Now = h.Now.Add(c.after)
		x := h.item(right, "r"+c.id, holds("Ida"))
		x.Observation.Changed = c.list
		h.list(right, x)
		if !c.late {
			h.shows(right, "r"+c.id, holds("Ida"))
			continue
		}
		h.shows(right, "r"+c.id, holds("Eve"))
		is(h, "recheck", h.entry(right, "r"+c.id).Recheck, r.SettleUntil)
	}
}

func provisional(_ *testing.T, h *House) {
	was := text("name", "ada", "city", "ghent")
	link := h.linked(was)
	i := h.intent(link, text("name", "ada"), text("name", "Eve"))
	h.open(i)
	r := h.receipt(i, 10*time.Second)
	r.Provisional = true
	_, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	is(h, "provisional", len(h.entry(right, "r1").Sent) > 0, true)
	h.tick()
	h.list(right, h.item(right, "r1", was)) // late: teaches nothing
	is(h, "provisional after a late read", len(h.entry(right, "r1").Sent) > 0, true)
	h.get(right, "r1", text("name", "eve", "city", "bruges"))
	e := h.entry(right, "r1")
	is(h, "provisional after a read", len(e.Sent) > 0, false)
	if got := e.Base.Fields(); !got.Equal(text("name", "eve", "city", "ghent")) {
		h.T.Fatalf("got base %v: the system's own spelling is the base, another field's change is not", got)
	}
	h.shows(right, "r1", text("name", "eve", "city", "bruges"))
}

func partAnswer(_ *testing.T, h *House) {
	was := text("name", "ada", "city", "ghent", "note", "n")
	link := h.linked(was)
	i := h.intent(link, text("name", "ada", "city", "ghent"), text("name", "Eve", "city", "Bruges"))
	h.open(i)
	r := h.receipt(i, 0)
	r.Fields = text("name", "eve") // of what was written, and nothing else
	_, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	e := h.entry(right, "r1")
	is(h, "provisional", len(e.Sent) > 0, true)
	if got, want := e.Base.Fields(), text("name", "eve", "city", "Bruges", "note", "n"); !got.Equal(want) {
		h.T.Fatalf("got base %v, want %v: what was not shown is what was sent, or stays", got, want)
	}
	h.tick()
	h.get(right, "r1", text("name", "eve", "city", "bruges", "note", "n"))
	if e := h.entry(right, "r1"); e.Seen != nil || len(e.Sent) > 0 || !e.Base.Fields().Equal(text("name", "eve", "city", "bruges", "note", "n")) {
		h.T.Fatalf("got base %v and observation %v: the system's own spelling is no edit", e.Base.Fields(), e.Seen)
	}
	h.tick()
	h.get(right, "r1", text("name", "Eve", "city", "bruges", "note", "n"))
	h.shows(right, "r1", text("name", "Eve", "city", "bruges", "note", "n"))
	is(h, "a change of what the answer showed is an edit", h.entry(right, "r1").Seen != nil, true)
}

func provisionalDistrusted(_ *testing.T, h *House) {
	link := h.linked(text("name", "ada", "city", "ghent"))
	i := h.intent(link, text("name", "ada", "city", "ghent"), text("name", "Eve", "city", "Bruges"))
	h.open(i)
	r := h.receipt(i, 0)
	r.Provisional = true
	_, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	h.tick()
	h.ok(h.Store.Distrust(h.Ctx, h.Lease, link, [2][]string{record.Right: {"city"}}, false))
	is(h, "only sent", fmt.Sprint(h.entry(right, "r1").Sent), "[name]")
	h.get(right, "r1", text("name", "eve", "city", "bruges"))
	if e := h.entry(right, "r1"); e.Base["city"].Known() || e.Last()["city"].Text() != "bruges" {
		h.T.Fatalf("got base %v and last %v: what is shown of a path that was distrusted is no spelling of what was sent", e.Base.Fields(), e.Last())
	}
}

func provisionalByPath(_ *testing.T, h *House) {
	link := h.linked(text("name", "ada", "city", "ghent"))
	i := h.intent(link, text("name", "ada", "city", "ghent"), text("name", "Eve", "city", "Bruges"))
	h.open(i)
	r := h.receipt(i, 0)
	r.Provisional = true
	_, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	h.tick()
	h.list(right, h.item(right, "r1", text("name", "eve"))) // this view does not show the city
	is(h, "provisional after a part", len(h.entry(right, "r1").Sent) > 0, true)
	h.tick()
	h.get(right, "r1", text("name", "Ida", "city", "bruges"))
	e := h.entry(right, "r1")
	is(h, "provisional after all", len(e.Sent) > 0, false)
	if got := e.Base.Fields(); !got.Equal(text("name", "eve", "city", "bruges")) {
		h.T.Fatalf("got base %v: each path is learnt once, from the first read that shows it", got)
	}
	h.shows(right, "r1", text("name", "Ida", "city", "bruges"))
}

func provisionalTwice(_ *testing.T, h *House) {
	link := h.linked(text("name", "ada", "city", "ghent", "note", "n"))
	first := h.intent(link, text("name", "ada", "city", "ghent"), text("name", "Eve", "city", "Bruges"))
	h.open(first)
	r := h.receipt(first, 0)
	r.Fields = nil
	_, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	h.tick()
	second := h.intent(link, text("note", "n"), text("note", "m"))
	h.open(second)
	r = h.receipt(second, 0)
	r.Fields = text("note", "m", "city", "bruges")
	_, err = h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	e := h.entry(right, "r1")
	if got := e.Base.Fields(); e.Seen != nil || len(e.Sent) == 0 || !got.Equal(text("name", "Eve", "city", "bruges", "note", "m")) {
		h.T.Fatalf("got base %v, observation %v, provisional %v: the answer to the second shows a part of the first", got, e.Seen, e.Sent)
	}
	h.tick()
	h.get(right, "r1", text("name", "eve", "city", "bruges", "note", "m"))
	if e := h.entry(right, "r1"); e.Seen != nil || len(e.Sent) > 0 {
		h.T.Fatalf("got observation %v: the system's own spelling is no edit", e.Seen)
	}
}

func provisionalPreImage(_ *testing.T, h *House) {
	was := text("name", "ada", "city", "ghent")
	link := h.linked(was)
	i := h.intent(link, text("name", "ada"), text("name", "Eve"))
	h.open(i)
	r := h.receipt(i, 10*time.Second)
	r.Provisional = true
	_, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	h.Now = h.Now.Add(time.Minute)
	h.get(right, "r1", was) // the time over which it could be late is past: somebody put it back
	e := h.entry(right, "r1")
	is(h, "provisional", len(e.Sent) > 0, false)
	if got := e.Base.Fields(); !got.Equal(text("name", "Eve", "city", "ghent")) {
		h.T.Fatalf("got base %v, want what was sent: the value that was replaced is an edit", got)
	}
	h.shows(right, "r1", was)
}

func partialRead(_ *testing.T, h *House) {
	f := text("name", "Ada", "city", "Ghent")
	h.linked(f)
	h.get(left, "l1", text("name", "Ada", "city", "Bruges"))
	h.tick()
	h.list(left, h.item(left, "l1", text("name", "Ada"))) // this view does not show the city
	h.shows(left, "l1", text("name", "Ada", "city", "Bruges"))
	h.tick()
	h.list(left, h.item(left, "l1", f))
	if e := h.entry(left, "l1"); e.Seen != nil {
		h.T.Fatalf("got observation %v, want none: it says what the base says", e.Seen.Fields)
	}
}

func remapped(_ *testing.T, h *House) {
	f := text("name", "Ada")
	h.linked(f)
	again := []record.Seen{h.item(left, "l1", f)}
	h.ok(h.Store.See(h.Ctx, h.Lease, left, "mapping-2", again))
	e := h.entry(left, "l1")
	is(h, "mapping", e.Mapping, "mapping-2")
	if e.Seen == nil {
		h.T.Fatalf("what another mapping read was taken for the base")
	}
}

func asideReturns(_ *testing.T, h *House) {
	for _, st := range []record.EntryState{record.LeftOut, record.Refused, record.Attached, record.Quarantined, record.Held} {
		id := string(st)
		h.get(left, id, text("name", "Ada"))
		h.ok(h.Store.Park(h.Ctx, h.Lease, h.entry(left, id).Num, st, "", "why"))
		h.tick()
		h.get(left, id, text("name", "Ada"))
		is(h, "state of what did not change", h.entry(left, id).State, st)
		h.get(left, id, text("name", "Eve"))
		e := h.entry(left, id)
		is(h, "state of what did", e.State, record.InStep)
		is(h, "dirty", e.Dirty, true)
		is(h, "why", e.Why, "")
	}
}
