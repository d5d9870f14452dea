package statetest

import (
	"fmt"
	"testing"
	"time"

	"nightporter/state"
	"nightporter/sync/record"
)

// keptBack tells of changes that are not sent now: each is noted once, with what the last
// run said of it and when the first did, until it is sent or a run lets it go.
func keptBack(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link := h.linked(f)
	h.get(left, "new", f)
	since, opens := h.Now, h.Now.Add(9*time.Hour)
	update := record.KeptBack{
		Place: right, Link: link, Op: record.Update, Fields: []string{"name", "note"}, Since: since,
		Hold: record.Hold{Rule: record.HoldHours, Why: "it goes at nine", Until: opens},
	}
	create := record.KeptBack{
		Place: right, Entry: h.entry(left, "new").Num, Op: record.Create, Since: since,
		Hold: record.Hold{Rule: record.HoldNever, Why: "its phone is on the list"},
	}
	shown := func(what string, want ...record.KeptBack) {
		h.T.Helper()
		got, err := h.Store.KeptBack(h.Ctx, guests)
		h.ok(err)
		is(h, what, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
	}
	keep := func(k record.KeptBack) { h.ok(h.Store.KeepBack(h.Ctx, h.Lease, k)) }
	shown("before")
	keep(update)
	keep(create)
	shown("both", create, update)

	h.tick()
	update.Since, update.Fields, update.Rule, update.Until = h.Now, []string{"name"}, record.HoldRate, opens.Add(time.Hour)
	keep(update)
	update.Since = since
	shown("the rule is another", create, update)

	other := update
	other.Place, other.Rule = left, record.HoldHours
	keep(other)
	i := h.intent(link, f, text("name", "Eva"))
	h.unsent(h.intent(link, f, text("name", "Eve")), "stale")
	shown("one was not sent", other, create, update)
	h.open(i)
	shown("one was sent", other, create)
	h.ok(h.Store.LetGo(h.Ctx, h.Lease, []record.KeptBack{create, update}))
	shown("one is over", other)

	old := h.Lease
	h.begin()
	h.refused(h.Store.KeepBack(h.Ctx, old, create), state.ErrFenced)
	h.refused(h.Store.LetGo(h.Ctx, old, []record.KeptBack{other}), state.ErrFenced)
	shown("under an old lease", other)
}
