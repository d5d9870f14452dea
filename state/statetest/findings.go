package statetest

import (
	"fmt"
	"testing"

	"nightporter/state"
	"nightporter/sync/record"
)

// findings tells of what is not written as it should be: each is kept once, with what the
// last run said of it and when the first did, until a run ends it or a person dismissed it.
func findings(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link := h.linked(f)
	h.get(left, "new", f)
	since := h.Now
	update := record.Finding{
		Place: right, Name: record.FindRefused, Op: record.Update, About: "name", Text: "HTTP 422", Link: link,
		Ref: record.Ref{Kind: "people", ID: "r1"}, Asked: since, Since: since,
	}
	create := record.Finding{
		Place: right, Name: record.FindRequired, Op: record.Create, About: "vat", Text: "it has none", Entry: h.entry(left, "new").Num,
		Ref: record.Ref{Kind: "people", ID: "new"}, Since: since,
	}
	keep := func(found []record.Finding, over ...record.For) {
		h.T.Helper()
		h.ok(h.Store.KeepFindings(h.Ctx, h.Lease, found, over))
	}
	shown := func(what string, want ...record.Finding) {
		h.T.Helper()
		got, err := h.Store.Findings(h.Ctx, guests)
		h.ok(err)
		is(h, what, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
		counts, err := h.Store.Counts(h.Ctx, guests)
		h.ok(err)
		is(h, what+", counted", counts["unwritten"], int64(len(want)))
	}
	shown("before")
	keep([]record.Finding{update, create})
	shown("both", create, update)

	h.tick()
	update.Since, update.Text, update.Asked = h.Now, "HTTP 400", h.Now
	keep([]record.Finding{update}, create.For())
	update.Since = since
	shown("one is over, one says something else", update)

	h.ok(h.Store.Forgive(h.Ctx, guests, record.Forgiven{Side: update.Place.Side, Link: link, At: h.Now}))
	shown("asked once more", update)
	h.ok(h.Store.Forgive(h.Ctx, guests, record.Forgiven{Side: update.Place.Side, Link: link, Dismissed: h.Now}))
	shown("dismissed")

	old := h.Lease
	h.begin()
	h.refused(h.Store.KeepFindings(h.Ctx, old, []record.Finding{update}, nil), state.ErrFenced)
	shown("under an old lease")
}
