package statetest

import (
	"testing"
	"time"

	"nightporter/sync/record"
)

// twice is a record of "ada" in "ghent" to which a change to "Eve" in "Bruges" was sent and
// came to nothing by class, or was never answered if that is empty, and then one to "Eve",
// to a system that answers with nothing. In between it showed "eve" in "Bruges". between is
// done before the second; late is the names that reads show while that settles.
func (h *House) twice(class string, between func(link record.LinkID), late ...string) {
	h.T.Helper()
	link := h.linked(text("name", "ada", "city", "ghent"))
	first := h.intent(link, text("name", "ada", "city", "ghent"), text("name", "Eve", "city", "Bruges"))
	if class == unsent {
		h.tick()
		h.unsent(first, "")
	} else {
		h.open(first)
		h.tick()
		h.ok(h.Store.FailIntent(h.Ctx, h.Lease, first.ID, record.Cancelled, class, "why", h.Now))
	}
	h.get(right, "r1", text("name", "eve", "city", "Bruges"))
	between(link)
	h.tick()
	second := h.intent(link, text("name", "eve"), text("name", "Eve"))
	h.open(second)
	r := h.receipt(second, 10*time.Second)
	r.Fields = nil
	_, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	for _, name := range late {
		h.tick()
		h.get(right, "r1", text("name", name, "city", "Bruges"))
		is(h, "provisional after a late read of "+name, len(h.entry(right, "r1").Sent) > 0, true)
	}
	h.Now = h.Now.Add(time.Minute)
}

// unsent is the class of a change of which nothing was sent.
const unsent = "unsent"

func nothing(record.LinkID) {}

func unanswered(_ *testing.T, h *House) {
	h.twice("", nothing, "ada", "eve")
	h.get(right, "r1", text("name", "eve"))
	if got := h.entry(right, "r1").Base.Fields()["name"].Text(); got != "eve" {
		h.T.Fatalf("got base %q: the system's own spelling is no edit", got)
	}
}

func unansweredPutBack(_ *testing.T, h *House) {
	h.twice("", nothing)
	h.editedTo("ada")
}

func unansweredSettled(_ *testing.T, h *House) {
	h.twice("", func(link record.LinkID) {
		h.ok(h.Store.Adopt(h.Ctx, h.Lease, link, [2]record.Fields{record.Right: text("name", "eve")}, h.Now))
	}, "eve")
	h.editedTo("eve")
}

func unansweredBefore(_ *testing.T, h *House) {
	h.twice("", func(link record.LinkID) {
		h.write(h.intent(link, text("name", "eve"), text("name", "Mia")), 0)
		h.tick()
		h.get(right, "r1", text("name", "eve"))
	}, "eve")
	h.editedTo("eve")
}

func notApplied(_ *testing.T, h *House) {
	h.twice("throttled", nothing, "eve")
	h.editedTo("eve")
}

func notSent(_ *testing.T, h *House) {
	h.twice(unsent, nothing, "eve")
	h.editedTo("eve")
}

// editedTo ends the test unless a name that is shown now is an edit.
func (h *House) editedTo(name string) {
	h.T.Helper()
	h.get(right, "r1", text("name", name))
	e := h.entry(right, "r1")
	if got := e.Base.Fields()["name"].Text(); got != "Eve" || e.Last()["name"].Text() != name {
		h.T.Fatalf("got base %q, last %v: want what was sent, and an edit since", got, e.Last())
	}
}
