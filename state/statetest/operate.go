package statetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"nightporter/state"
	"nightporter/sync/record"
)

// holds: the question before a request has the answer that a commit would have.
func holds(_ *testing.T, h *House) {
	h.ok(h.Store.Holds(h.Ctx, h.Lease))
	old := h.Lease
	h.begin()
	h.refused(h.Store.Holds(h.Ctx, old), state.ErrFenced)
	h.ok(h.Store.Holds(h.Ctx, h.Lease))
	h.refused(h.Store.Holds(h.Ctx, record.Lease{Binding: guests}), state.ErrFenced)
	h.refused(h.Store.Holds(h.Ctx, record.Lease{Binding: "nobody", Epoch: 1}), state.ErrFenced)
}

// requests: what is asked for is taken up once, in its order, and can be followed.
func requests(_ *testing.T, h *House) {
	ask := func(b record.Binding) int64 {
		id, err := h.Store.Request(h.Ctx, record.Request{Binding: b, Options: `{"full":true}`, Asked: h.Now, By: "ada"})
		h.ok(err)
		return id
	}
	take := func(want ...int64) {
		h.T.Helper()
		got, err := h.Store.TakeRequests(h.Ctx, h.Now)
		h.ok(err)
		is(h, "requests taken", len(got), len(want))
		for n, r := range got {
			is(h, "request", r.ID, want[n])
			is(h, "options", r.Options, `{"full":true}`)
			is(h, "asked by", r.By, "ada")
		}
	}
	take()
	one, two := ask(guests), ask("")
	r, err := h.Store.Followed(h.Ctx, one)
	h.ok(err)
	is(h, "taken before anybody took it", r.Taken, time.Time{})
	asked := h.Now
	h.tick()
	take(one, two)
	take()
	three := ask(guests)
	take(three)
	h.ok(h.Store.ServeRequest(h.Ctx, one, h.Lease.Run))
	r, err = h.Store.Followed(h.Ctx, one)
	h.ok(err)
	is(h, "taken", r.Taken, h.Now)
	is(h, "asked", r.Asked, asked)
	is(h, "its run", r.Run, h.Lease.Run)
	is(h, "done", r.Done(), false)
	h.tick()
	h.ok(h.Store.EndRequest(h.Ctx, one, record.Failed, "no answer", h.Now))
	r, err = h.Store.Followed(h.Ctx, one)
	h.ok(err)
	is(h, "done", r.Done(), true)
	is(h, "outcome", r.Outcome, record.Failed)
	is(h, "error", r.Error, "no answer")
	h.refused(h.Store.EndRequest(h.Ctx, one, record.Done, "", h.Now), state.ErrUnknown)
	_, err = h.Store.Followed(h.Ctx, 99)
	h.refused(err, state.ErrUnknown)
}

func withdrawn(_ *testing.T, h *House) {
	id, err := h.Store.Request(h.Ctx, record.Request{Asked: h.Now})
	h.ok(err)
	back, err := h.Store.Withdraw(h.Ctx, id, h.Now)
	h.ok(err)
	is(h, "taken back", back, true)
	got, err := h.Store.TakeRequests(h.Ctx, h.Now)
	h.ok(err)
	is(h, "requests left", len(got), 0)
	id, err = h.Store.Request(h.Ctx, record.Request{Asked: h.Now})
	h.ok(err)
	_, err = h.Store.TakeRequests(h.Ctx, h.Now)
	h.ok(err)
	back, err = h.Store.Withdraw(h.Ctx, id, h.Now)
	h.ok(err)
	is(h, "taken back though it was taken up", back, false)
}

// hints: one that comes while a run looks at another is given next, a repeated
// delivery once, and none goes before a run has looked.
func hints(_ *testing.T, h *House) {
	hint := func(id, event string) record.Hint {
		return record.Hint{Place: left, Ref: ref(left, id), Event: event, Sent: h.Now.Add(-time.Second), At: h.Now}
	}
	keep := func(want int, hs ...record.Hint) {
		h.T.Helper()
		n, err := h.Store.Hint(h.Ctx, hs)
		h.ok(err)
		is(h, "new hints", n, want)
	}
	open := func(after int64, want ...string) []record.Hint {
		h.T.Helper()
		got, err := h.Store.Hints(h.Ctx, guests, after, 10)
		h.ok(err)
		is(h, "open hints", len(got), len(want))
		for n, g := range got {
			is(h, "hinted at", g.Ref, ref(left, want[n]))
		}
		return got
	}
	keep(2, hint("1", "e1"), hint("2", "e2"), hint("1", "e1"))
	keep(1, hint("1", "e1"), hint("3", "e1")) // one delivery of two records
	keep(2, hint("4", ""), hint("4", ""))     // who gives no name can't be known again: the later one counts
	got := open(0, "1", "2", "3", "4")
	is(h, "sent", got[0].Sent, h.Now.Add(-time.Second))
	is(h, "place", got[0].Place, left)
	open(got[2].Seq, "4")    // after those that are being looked at
	keep(1, hint("1", "e9")) // while a run looks at the first
	keep(1, hint("4", ""))   // and at this one, by which nothing is lost
	h.ok(h.Store.Heeded(h.Ctx, h.Lease, []int64{got[0].Seq, got[1].Seq, got[2].Seq, got[3].Seq}, h.Now))
	last := open(got[3].Seq, "1", "4")
	open(0, "1", "4")
	keep(0, hint("2", "e2")) // the delivery came again after a run had looked
	h.Now = h.Now.Add(8 * 24 * time.Hour)
	h.ok(h.Store.Heeded(h.Ctx, h.Lease, []int64{last[0].Seq, last[1].Seq}, h.Now))
	open(0)
	keep(1, hint("2", "e2")) // a week later nobody sends the old one
	none, err := h.Store.Hints(h.Ctx, "stays", 0, 10)
	h.ok(err)
	is(h, "hints of another job", len(none), 0)
}

// pauses end by themselves, are told once, and one scope is not another.
func pauses(_ *testing.T, h *House) {
	h.ok(h.Store.Pause(h.Ctx, record.Pause{
		Scope: record.PauseAll, Until: h.Now.Add(time.Hour), Why: "audit", By: "ada", Since: h.Now,
	}))
	h.ok(h.Store.Pause(h.Ctx, record.Pause{Scope: record.PauseSystem, Name: "pms", Since: h.Now}))
	paused := func(want ...string) {
		h.T.Helper()
		got, err := h.Store.Paused(h.Ctx, h.Now)
		h.ok(err)
		is(h, "pauses", len(got), len(want))
		for n, p := range got {
			is(h, "pause", fmt.Sprint(p.Scope, " ", p.Name), want[n])
		}
	}
	resumed := func(want int) {
		h.T.Helper()
		got, err := h.Store.Resumed(h.Ctx, h.Now)
		h.ok(err)
		is(h, "pauses that are over", len(got), want)
	}
	paused("all ", "system pms")
	got, err := h.Store.Paused(h.Ctx, h.Now)
	h.ok(err)
	is(h, "why", got[0].Why, "audit")
	is(h, "who", got[0].By, "ada")
	is(h, "until", got[0].Until, h.Now.Add(time.Hour))
	is(h, "since", got[1].Since, h.Now)
	is(h, "all stops everything", got[0].Stops("stays", "crm"), true)
	is(h, "a system stops itself", got[1].Stops("stays", "pms"), true)
	is(h, "and no other", got[1].Stops("stays", "crm"), false)
	resumed(0)
	h.Now = h.Now.Add(time.Hour)
	paused("system pms")
	resumed(1)
	resumed(0)
	h.ok(h.Store.Pause(h.Ctx, record.Pause{Scope: record.PauseJob, Name: "guests", Until: h.Now.Add(time.Minute), Since: h.Now}))
	h.ok(h.Store.Pause(h.Ctx, record.Pause{Scope: record.PauseJob, Name: "guests", Since: h.Now})) // longer after all
	h.Now = h.Now.Add(time.Hour)
	paused("job guests", "system pms")
	ended, err := h.Store.Resume(h.Ctx, record.PauseJob, "guests")
	h.ok(err)
	is(h, "resumed", len(ended), 1)
	paused("system pms")
	ended, err = h.Store.Resume(h.Ctx, "", "")
	h.ok(err)
	is(h, "resumed", len(ended), 1)
	paused()
	if h.Store.Pause(h.Ctx, record.Pause{Scope: record.PauseJob}) == nil || h.Store.Pause(h.Ctx, record.Pause{Scope: "house"}) == nil {
		h.T.Fatalf("a pause of nothing was taken")
	}
}

// ledger: a slot is settled once, whatever the clock says.
func ledger(_ *testing.T, h *House) {
	g := h.Store.Ledger()
	const left, full = 1, 3
	slot := func(minute, fold int) state.Slot {
		at := h.Now.Add(time.Duration(minute) * time.Minute)
		return state.Slot{Civil: at.Format("2006-01-02T15:04"), Fold: fold, At: at}
	}
	load := func() state.Book {
		h.T.Helper()
		b, err := g.Load(h.Ctx, "guests")
		h.ok(err)
		return b
	}
	is(h, "lines of a new binding", len(load().Lines), 0)
	h.ok(g.Open(h.Ctx, "guests", left, h.Now))
	h.ok(g.Open(h.Ctx, "guests", left, h.Now.Add(time.Hour)))
	h.ok(g.Open(h.Ctx, "guests", full, h.Now))
	h.ok(g.Open(h.Ctx, "guests", full, h.Now.Add(-time.Hour)))
	is(h, "opened", load().Lines[left].Since, h.Now)
	is(h, "opened earlier", load().Lines[full].Since, h.Now.Add(-time.Hour))
	h.ok(g.Ran(h.Ctx, "guests", left, slot(1, 0), 0))
	h.ok(g.Ran(h.Ctx, "guests", left, slot(1, 1), 0))
	h.ok(g.Skip(h.Ctx, "guests", left, slot(0, 0)))
	h.ok(g.Ran(h.Ctx, "guests", full, slot(1, 0), 0))
	late := slot(1, 0)
	late.At = late.At.Add(time.Hour) // the zone's rules changed: the name counts
	h.refused(g.Ran(h.Ctx, "guests", left, late, 0), state.ErrSettled)
	h.refused(g.Skip(h.Ctx, "guests", left, slot(0, 0)), state.ErrSettled)
	l := load().Lines[left].Settled
	is(h, "settled", len(l), 3)
	is(h, "second", l[1], slot(1, 1))
	is(h, "last", l[2], slot(0, 0))
	h.ok(g.Fail(h.Ctx, "guests", 2, h.Now))
	is(h, "fails", load().Fails, 2)
	is(h, "failed at", load().FailedAt, h.Now)
	h.ok(g.Skip(h.Ctx, "guests", left, slot(2, 0)))
	is(h, "fails after a slot that was skipped", load().Fails, 2)
	h.refused(g.Ran(h.Ctx, "guests", left, slot(2, 0), 0), state.ErrSettled)
	is(h, "fails after what was refused", load().Fails, 2)
	h.ok(g.Ran(h.Ctx, "guests", left, state.Slot{}, 0))
	is(h, "fails after a run", load().Fails, 0)
	h.ok(h.Store.Together(h.Ctx, func(ctx context.Context) error {
		for n := range 300 {
			h.ok(g.Ran(ctx, "guests", left, slot(10_000-n, 0), 0))
		}
		return nil
	}))
	l = load().Lines[left].Settled
	is(h, "slots kept", len(l), 256)
	is(h, "those settled last", l[255], slot(10_000-299, 0))
	is(h, "of the other line", len(load().Lines[full].Settled), 1)
}

// calls: what is asked for is answered up to a number, and none later.
func calls(_ *testing.T, h *House) {
	g := h.Store.Ledger()
	call := func(b string) int64 {
		n, err := g.Call(h.Ctx, b, 4, h.Now)
		h.ok(err)
		return n
	}
	open := func(want ...state.Call) {
		h.T.Helper()
		got, err := g.Calls(h.Ctx)
		h.ok(err)
		is(h, "calls", len(got), len(want))
		for n := range got {
			is(h, "call", got[n], want[n])
		}
	}
	open()
	at := h.Now
	is(h, "first number", call("stays"), 1)
	h.tick()
	is(h, "first of another", call("guests"), 1)
	is(h, "second", call("guests"), 2)
	open(state.Call{Binding: "stays", What: 4, Seq: 1, At: at}, state.Call{Binding: "guests", What: 4, Seq: 2, At: h.Now})
	h.ok(g.Ran(h.Ctx, "guests", 4, state.Slot{}, 1))
	h.ok(g.Fail(h.Ctx, "stays", 1, h.Now))
	open(state.Call{Binding: "stays", What: 4, Seq: 1, At: at}, state.Call{Binding: "guests", What: 4, Seq: 2, At: h.Now})
	h.ok(g.Ran(h.Ctx, "guests", 4, state.Slot{}, 99))
	open(state.Call{Binding: "stays", What: 4, Seq: 1, At: at})
	is(h, "a number is never given twice", call("guests"), 3)
	open(state.Call{Binding: "stays", What: 4, Seq: 1, At: at}, state.Call{Binding: "guests", What: 4, Seq: 3, At: h.Now})
	b, err := g.Load(h.Ctx, "guests")
	h.ok(err)
	is(h, "lines of what was only called for", len(b.Lines), 0)
}

// notAdoptOnly: a state that was never put back has nothing to compare first.
func notAdoptOnly(_ *testing.T, h *House) {
	_, yes, err := h.Store.AdoptOnly(h.Ctx, guests)
	h.ok(err)
	is(h, "adopt-only", yes, false)
	h.ok(h.Store.ClearAdoptOnly(h.Ctx, h.Lease, h.Now))
	_, yes, err = h.Store.AdoptOnly(h.Ctx, guests)
	h.ok(err)
	is(h, "adopt-only", yes, false)
}

func stats(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link := h.linked(f)
	h.open(h.intent(link, f, text("name", "Eve")))
	h.ok(h.Store.Ask(h.Ctx, h.Lease, link, 0, []record.Question{{Subject: record.Subject{Field: "city"}}}, h.Now))
	_, err := h.Store.Request(h.Ctx, record.Request{Asked: h.Now})
	h.ok(err)
	_, err = h.Store.Hint(h.Ctx, []record.Hint{{Place: left, Ref: ref(left, "1"), At: h.Now}})
	h.ok(err)
	got, err := h.Store.Stats(h.Ctx)
	h.ok(err)
	if got.FileBytes <= 0 {
		h.T.Fatalf("got a file of %d bytes", got.FileBytes)
	}
	for name, want := range map[string]int64{"link": 1, "entry": 2, "run": 1, "alert": 0, "scan": 4, "intent": 1} {
		is(h, "rows of "+name, got.Rows[name], want)
	}
	for name, want := range map[string]int64{"intents": 1, "lost": 0, "conflicts": 1, "requests": 1, "hints": 1, "calls": 0} {
		is(h, "open "+name, got.Open[name], want)
	}
	emptied, err := h.Store.Checkpoint(h.Ctx)
	h.ok(err)
	is(h, "log emptied", emptied, true)
	got, err = h.Store.Stats(h.Ctx)
	h.ok(err)
	is(h, "bytes of the log", got.WALBytes, 0)
}

// pruneInSteps: much that is old goes in several calls, each of them short.
func pruneInSteps(_ *testing.T, h *House) {
	h.ok(h.Store.Together(h.Ctx, func(ctx context.Context) error {
		for n := range 5100 {
			id, err := h.Store.Request(ctx, record.Request{Asked: h.Now})
			h.ok(err)
			if n < 5050 {
				h.ok(h.Store.EndRequest(ctx, id, record.Done, "", h.Now))
			}
		}
		return nil
	}))
	h.tick()
	for _, want := range []struct {
		n    int
		more bool
	}{{5000, true}, {50, false}, {0, false}} {
		n, more, err := h.Store.Prune(h.Ctx, h.Now, h.Now)
		h.ok(err)
		is(h, "rows deleted", n, want.n)
		is(h, "more to delete", more, want.more)
	}
	got, err := h.Store.Stats(h.Ctx)
	h.ok(err)
	is(h, "what is open stays", got.Open["requests"], 50)
}
