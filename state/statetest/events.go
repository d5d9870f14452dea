package statetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/state"
	"nightporter/sync/record"
)

// tells makes these the destinations, each at an address of its own.
func (h *House) tells(names ...string) {
	h.T.Helper()
	var ds []record.Destination
	for _, n := range names {
		ds = append(ds, record.Destination{Name: n, Address: "at " + n})
	}
	h.ok(h.Store.SetDestinations(h.Ctx, ds, h.Now))
}

// happened is what nobody was told of, as "what key".
func (h *House) happened() []string {
	h.T.Helper()
	all, err := h.Store.Happened(h.Ctx, 100)
	h.ok(err)
	out := []string{}
	for _, x := range all {
		out = append(out, x.What+" "+x.Key)
	}
	return out
}

// tell puts events with these ids on their way to a destination.
func (h *House) tell(destination string, ids ...string) {
	h.T.Helper()
	t := record.Told{}
	for _, id := range ids {
		t.Events = append(t.Events, record.Event{ID: id, Destination: destination, Type: record.Pushed, Binding: guests, At: h.Now, Data: []byte(`{"a":1}`)})
	}
	h.ok(h.Store.Tell(h.Ctx, t, h.Now))
}

// events is those of a destination as "id state".
func (h *House) events(destination string) []string {
	h.T.Helper()
	all, err := h.Store.Events(h.Ctx, state.EventFilter{Destination: destination})
	h.ok(err)
	out := []string{}
	for _, e := range all {
		out = append(out, e.ID+" "+string(e.State))
	}
	return out
}

func (h *House) same(what string, got, want any) {
	h.T.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		h.T.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// next is the id of the event that is sent next, "" for none.
func (h *House) next(destination string) record.Event {
	h.T.Helper()
	e, _, err := h.Store.NextEvent(h.Ctx, destination, h.Now)
	h.ok(err)
	return e
}

func happens(_ *testing.T, h *House) {
	link := h.linked(text("name", "Ada"))
	settle := func(was, now string) record.Intent {
		i := h.intent(link, text("name", was), text("name", now))
		h.open(i)
		_, err := h.Store.SettleIntent(h.Ctx, h.Lease, h.receipt(i, 0))
		h.ok(err)
		return i
	}
	settle("Ada", "Bo")
	h.same("before anybody is told", h.happened(), []string{})

	h.tells("n8n")
	done := settle("Bo", "Cy")
	refused := h.intent(link, text("name", "Cy"), text("name", "Di"))
	h.open(refused)
	h.ok(h.Store.FailIntent(h.Ctx, h.Lease, refused.ID, record.Rejected, "", "no", h.Now))
	asked := record.Question{Subject: record.Subject{Field: "name"}, Left: record.OfText("a"), Right: record.OfText("b"), Cause: "hold"}
	again := func() { h.ok(h.Store.Ask(h.Ctx, h.Lease, link, 0, []record.Question{asked}, h.Now)) }
	again()
	again() // with the same values nothing happens
	h.tick()
	asked.Right = record.OfText("c")
	again()
	stood := record.Question{Subject: record.Subject{Side: record.Right}, Cause: "empty", Why: "nothing is there", Next: "nightporter sync guests"}
	for range 2 { // it goes on standing
		h.ok(h.Store.Stand(h.Ctx, h.Lease, nil, []record.Question{stood}, h.Now))
	}
	h.ok(h.Store.End(h.Ctx, h.Lease, record.Failed, "why", record.Counts{"left.pages": 2}, h.Now))
	failed := h.Lease.Run
	for dry, o := range map[bool]record.Outcome{true: record.Failed, false: record.Halted} { // of these nobody is told as of a run
		var err error
		h.Lease, err = h.Store.Begin(h.Ctx, guests, dry, h.Now)
		h.ok(err)
		h.ok(h.Store.End(h.Ctx, h.Lease, o, "", nil, h.Now))
	}
	h.begin()
	h.begin() // the one before was interrupted
	h.ok(h.Store.End(h.Ctx, h.Lease, record.Done, "", nil, h.Now))

	h.same("happened", h.happened(), []string{
		"change " + done.ID, "question 1", "question 2", "question 3", fmt.Sprintf("run %d", failed), fmt.Sprintf("run %d", h.Lease.Run),
	})
	all, err := h.Store.Happened(h.Ctx, 100)
	h.ok(err)
	refs := [2]record.Ref{ref(left, "1"), ref(right, "1")}
	is(h, "the change", all[0].Change.ID, done.ID)
	is(h, "its records", all[0].Refs[1].Kind, refs[1].Kind)
	is(h, "the record across", all[0].Refs[0].ID != "", true)
	is(h, "the systems", all[0].Systems, systems)
	is(h, "the question", all[2].Question.Right.Text(), "c")
	is(h, "its records", all[2].Refs, all[0].Refs)
	is(h, "it was asked anew later", all[2].At.After(all[1].At), true)
	is(h, "the halt", all[3].Question.Cause, "empty")
	is(h, "what the run read", all[4].Ended.Counts["left.pages"], 2)
	few, err := h.Store.Happened(h.Ctx, 2)
	h.ok(err)
	is(h, "a part of it", len(few), 2)
}

// decide has a person say something of a set.
func (h *House) decide(digest string, d record.Choice) {
	h.T.Helper()
	_, err := h.Store.DecideStage(h.Ctx, digest, d, "Ada", time.Time{}, h.Now)
	h.ok(err)
}

// A set that a guard holds is told once, and again when it is asked anew; one that only
// grows is the same question.
func happensHeld(_ *testing.T, h *House) {
	h.staging("aaaa", "x") // before anybody is told
	h.tells("n8n")
	h.tick()
	h.staging("bbbb", "x", "y") // in place of the first
	h.tick()
	h.staging("bbbb", "x", "y") // and again, by the next run
	h.same("while it grows", h.happened(), []string{})
	h.decide("bbbb", record.Refusal)
	h.tick()
	h.staging("cccc", "z")
	h.same("another question", h.happened(), []string{"held cccc"})
	all, err := h.Store.Happened(h.Ctx, 100)
	h.ok(err)
	h.tick()
	h.staging("dddd", "z", "w") // in place of cccc, which a person decides all the same
	h.decide("cccc", record.Approved)
	h.same("a set that is decided", h.happened(), []string{"held cccc"})
	h.ok(h.Store.EndStage(h.Ctx, h.Lease, "dddd", h.Now))
	h.tick()
	h.staging("dddd", "z", "w") // it had expired
	h.same("asked anew", h.happened(), []string{"held cccc", "held dddd"})
	is(h, "its changes", all[0].Held.Size, 1)
	is(h, "its system", all[0].Systems[all[0].Held.Side], systems[record.Right])
}

func happensInOrder(_ *testing.T, h *House) {
	h.tells("n8n")
	for i := range 3 {
		h.ok(h.Store.Stand(h.Ctx, h.Lease, nil, []record.Question{{Cause: record.Cause(fmt.Sprint(i))}}, h.Now))
		h.Now = h.Now.Add(-time.Hour) // the clock is set back
	}
	h.same("happened", h.happened(), []string{"question 1", "question 2", "question 3"})
}

func toldOnce(_ *testing.T, h *House) {
	h.tells("n8n", "make")
	for i := range 3 {
		h.ok(h.Store.Stand(h.Ctx, h.Lease, nil, []record.Question{{Cause: record.Cause(fmt.Sprint(i))}}, h.Now))
	}
	all, err := h.Store.Happened(h.Ctx, 100)
	h.ok(err)
	one := record.Event{ID: "evt_1", Destination: "n8n", Type: record.HaltedEvent, Binding: guests, At: h.Now, Data: []byte(`{"a":1}`)}
	two, lost := one, one
	two.Destination, lost.Destination = "make", "nobody"
	failing := &record.Failing{Run: 7, Since: h.Now, Last: h.Now, Runs: 2, Read: [2]bool{true, false}}
	told := record.Told{
		Through: all[1].Seq, Events: []record.Event{one, two, lost, one}, Failing: map[record.Binding]*record.Failing{guests: failing},
	}
	h.ok(h.Store.Tell(h.Ctx, told, h.Now))
	h.same("left to tell", h.happened(), []string{"question 3"})
	h.same("to n8n", h.events("n8n"), []string{"evt_1 waiting"})
	h.same("to make", h.events("make"), []string{"evt_1 waiting"})
	h.same("to nobody", h.events("nobody"), []string{})
	got := h.next("n8n")
	one.Num, one.State, one.Since = got.Num, record.EventWaiting, h.Now
	h.same("event", got, one)
	f, err := h.Store.Failing(h.Ctx)
	h.ok(err)
	h.same("failed runs", f, map[record.Binding]*record.Failing{guests: failing})
	h.ok(h.Store.Tell(h.Ctx, record.Told{Failing: map[record.Binding]*record.Failing{guests: nil}}, h.Now))
	f, err = h.Store.Failing(h.Ctx)
	h.ok(err)
	is(h, "rows of failed runs", len(f), 0)
	h.tells()
	h.same("once nobody is told", h.happened(), []string{})
}

func eventsGo(_ *testing.T, h *House) {
	h.tells("n8n", "make")
	h.tell("n8n", "a", "b", "c")
	first := h.next("n8n")
	h.tick()
	next := h.Now.Add(5 * time.Second)
	n, err := h.Store.EventFailed(h.Ctx, first, "HTTP 503", next, h.Now.Add(-time.Hour), h.Now)
	h.ok(err)
	is(h, "given up", n, 0)
	is(h, "still first", h.next("n8n").ID, "a")
	is(h, "its tries", h.next("n8n").Tries, 1)
	waiting, err := h.Store.Expecting(h.Ctx)
	h.ok(err)
	h.same("waited for", waiting, []record.Destination{{Name: "n8n", Address: "at n8n", Fails: 1, Failing: h.Now, Next: next, Error: "HTTP 503"}})
	h.ok(h.Store.EventSent(h.Ctx, first, h.Now))
	is(h, "then", h.next("n8n").ID, "b")
	ds, err := h.Store.Destinations(h.Ctx)
	h.ok(err)
	h.same("destinations", ds, []record.Destination{
		{Name: "make", Address: "at make"}, {Name: "n8n", Address: "at n8n", Waiting: 2, Oldest: h.Now.Add(-time.Second)},
	})

	inFlight := h.next("n8n")
	did, err := h.Store.GiveUpEvent(h.Ctx, inFlight.Num, "dropped", h.Now)
	h.ok(err)
	is(h, "given up", did, true)
	h.ok(h.Store.EventSent(h.Ctx, inFlight, h.Now)) // it was on its way meanwhile
	h.same("events", h.events("n8n"), []string{"a sent", "b dead", "c waiting"})
	did, err = h.Store.GiveUpEvent(h.Ctx, inFlight.Num, "dropped", h.Now)
	h.ok(err)
	is(h, "given up twice", did, false)

	h.tick()
	h.tell("n8n", "d")
	h.tell("make", "d")
	n, err = h.Store.EventFailed(h.Ctx, h.next("n8n"), "HTTP 500", h.Now, h.Now.Add(-2*time.Second), h.Now)
	h.ok(err)
	is(h, "given up with what waited as long", n, 1)
	h.same("events", h.events("n8n"), []string{"a sent", "b dead", "c dead", "d waiting"})
	h.same("another's", h.events("make"), []string{"d waiting"})
}

func eventsRefused(_ *testing.T, h *House) {
	h.tells("n8n")
	h.tell("n8n", "a", "b", "c")
	h.tick()
	next := h.Now.Add(time.Hour)
	n, err := h.Store.EventFailed(h.Ctx, h.next("n8n"), "HTTP 400", next, time.Time{}, h.Now)
	h.ok(err)
	is(h, "given up where none is to be", n, 0)
	failing := h.Now
	h.tick()
	refused := h.next("n8n")
	n, err = h.Store.EventRefused(h.Ctx, refused, "HTTP 400", h.Now)
	h.ok(err)
	is(h, "given up alone", n, 1)
	h.same("events", h.events("n8n"), []string{"a dead", "b waiting", "c waiting"})
	dead, err := h.Store.Events(h.Ctx, state.EventFilter{ID: "a"})
	h.ok(err)
	is(h, "its tries", dead[0].Tries, 2)
	is(h, "its error", dead[0].Error, "HTTP 400")
	is(h, "its end", dead[0].Ended, h.Now)
	tried := []record.Destination{{Name: "n8n", Address: "at n8n", Fails: 2, Failing: failing, Next: h.Now, Error: "HTTP 400"}}
	waiting, err := h.Store.Expecting(h.Ctx)
	h.ok(err)
	h.same("tried at once", waiting, tried)

	// What becomes of one that was dropped while it was on its way keeps nobody waiting.
	n, err = h.Store.EventRefused(h.Ctx, refused, "HTTP 400", h.Now)
	h.ok(err)
	is(h, "given up twice", n, 0)
	n, err = h.Store.EventFailed(h.Ctx, refused, "HTTP 400", next, h.Now, h.Now)
	h.ok(err)
	is(h, "given up with one that does not wait", n, 0)
	waiting, err = h.Store.Expecting(h.Ctx)
	h.ok(err)
	h.same("tried at once still", waiting, tried)
}

func eventsDropped(_ *testing.T, h *House) {
	h.tells("n8n", "make")
	h.tell("n8n", "a", "b", "c")
	h.tell("make", "a")
	away := func(d string) record.Event {
		e := h.next(d)
		_, err := h.Store.EventFailed(h.Ctx, e, "HTTP 400", h.Now.Add(time.Hour), time.Time{}, h.Now)
		h.ok(err)
		return h.next(d)
	}
	first, other := away("n8n"), away("make")
	expecting := func() map[string]record.Destination {
		all, err := h.Store.Expecting(h.Ctx)
		h.ok(err)
		out := map[string]record.Destination{}
		for _, d := range all {
			out[d.Name] = d
		}
		return out
	}
	before := expecting()
	all, err := h.Store.Events(h.Ctx, state.EventFilter{ID: "c", Destination: "n8n"})
	h.ok(err)
	did, behind, err := h.Store.DropEvent(h.Ctx, all[0], "dropped", h.Now)
	h.ok(err)
	is(h, "one that is not the first is dropped", did, true)
	is(h, "sent now behind it", behind, 0)
	h.same("the first still waits for its next try", expecting(), before)

	did, behind, err = h.Store.DropEvent(h.Ctx, first, "dropped", h.Now)
	h.ok(err)
	is(h, "the first is dropped", did, true)
	is(h, "sent now behind it", behind, 1)
	h.same("events", h.events("n8n"), []string{"a dead", "b waiting", "c dead"})
	before["n8n"] = record.Destination{Name: "n8n", Address: "at n8n"}
	h.same("tried at once, and another one when it is due", expecting(), before)
	away("n8n")
	before = expecting()
	did, behind, err = h.Store.DropEvent(h.Ctx, first, "dropped", h.Now)
	h.ok(err)
	is(h, "dropped twice", did, false)
	is(h, "sent now behind it", behind, 0)
	h.same("nothing is tried sooner by that", expecting(), before)

	// An event that can't be sent as it is was no try.
	h.tell("make", "b")
	did, err = h.Store.GiveUpEvent(h.Ctx, other.Num, "can't be sent", h.Now)
	h.ok(err)
	is(h, "given up", did, true)
	h.same("when it is due stays", expecting(), before)
}

func destinationsGo(_ *testing.T, h *House) {
	h.tells("n8n", "make")
	h.tell("n8n", "a", "b")
	h.tell("make", "a")
	n, err := h.Store.DestinationGone(h.Ctx, "n8n", "at n8n", "HTTP 410", h.Now)
	h.ok(err)
	is(h, "given up", n, 2)
	h.tell("n8n", "c")
	h.tells("n8n", "make") // the service starts again
	h.tell("n8n", "c2")
	h.same("events", h.events("n8n"), []string{"a dead", "b dead", "c dead", "c2 dead"})
	waiting, err := h.Store.Expecting(h.Ctx)
	h.ok(err)
	is(h, "waited for", len(waiting), 1)
	gone, err := h.Store.AwayDestinations(h.Ctx)
	h.ok(err)
	h.same("gone", gone, []record.Destination{{Name: "n8n", Address: "at n8n", Gone: h.Now}})
	h.ok(h.Store.SetDestinations(h.Ctx, []record.Destination{{Name: "n8n"}, {Name: "make", Address: "at make"}}, h.Now))
	again, err := h.Store.AwayDestinations(h.Ctx)
	h.ok(err)
	h.same("gone, and where it is can't be read", again, gone)
	h.ok(h.Store.SetDestinations(h.Ctx, []record.Destination{{Name: "n8n", Address: "another"}}, h.Now))
	h.tell("n8n", "d")
	is(h, "with another address", h.next("n8n").ID, "d")
	h.same("of what is no more", h.events("make"), []string{"a dead"})
	n, err = h.Store.Resend(h.Ctx, state.EventFilter{State: record.EventDead, Destination: "make"}, h.Now)
	h.ok(err)
	is(h, "sent again to nobody", n, 0)
}

func destinationsMove(_ *testing.T, h *House) {
	h.tells("n8n", "make")
	h.tell("n8n", "a")
	_, err := h.Store.DestinationGone(h.Ctx, "n8n", "since at", "HTTP 410", h.Now)
	h.ok(err)
	for _, at := range []string{"since at", "at n8n"} { // the first is where it said so
		h.ok(h.Store.DestinationMoved(h.Ctx, "n8n", at))
		h.tell("n8n", "b "+at)
	}
	h.same("events", h.events("n8n"), []string{"a dead", "b since at dead", "b at n8n waiting"})
	h.ok(h.Store.DestinationMoved(h.Ctx, "make", "elsewhere")) // it is not gone
	h.ok(h.Store.DestinationMoved(h.Ctx, "nobody", "elsewhere"))
	ds, err := h.Store.Destinations(h.Ctx)
	h.ok(err)
	h.same("destinations", ds, []record.Destination{
		{Name: "make", Address: "at make"}, {Name: "n8n", Address: "at n8n", Waiting: 1, Dead: 2, Oldest: h.Now},
	})
}

func resent(_ *testing.T, h *House) {
	h.tells("n8n", "make")
	h.tell("n8n", "a", "b", "c", "d")
	h.tell("make", "a")
	h.ok(h.Store.EventSent(h.Ctx, h.next("n8n"), h.Now))
	_, err := h.Store.GiveUpEvent(h.Ctx, h.next("n8n").Num, "dropped", h.Now)
	h.ok(err)
	h.ok(h.Store.EventSent(h.Ctx, h.next("make"), h.Now))
	_, err = h.Store.DestinationGone(h.Ctx, "n8n", "at n8n", "HTTP 410", h.Now)
	h.ok(err)
	h.tick()
	n, err := h.Store.Resend(h.Ctx, state.EventFilter{State: record.EventDead}, h.Now)
	h.ok(err)
	is(h, "sent again", n, 3)
	h.same("events", h.events("n8n"), []string{"a sent", "b waiting", "c waiting", "d waiting"})
	e := h.next("n8n")
	is(h, "first", e.ID, "b")
	is(h, "since", e.Since, h.Now)
	waiting, err := h.Store.Expecting(h.Ctx)
	h.ok(err)
	h.same("tried at once", waiting, []record.Destination{{Name: "n8n", Address: "at n8n"}})
	n, err = h.Store.Resend(h.Ctx, state.EventFilter{ID: "a", Destination: "make"}, h.Now)
	h.ok(err)
	is(h, "one by its id", n, 1)
	n, err = h.Store.Resend(h.Ctx, state.EventFilter{ID: "a", Destination: "make"}, h.Now)
	h.ok(err)
	is(h, "one that waits already", n, 0)
	h.same("the other's", h.events("n8n")[0], "a sent")
}

func pruneEvents(_ *testing.T, h *House) {
	h.tells("n8n")
	h.tell("n8n", "sent", "dead", "waiting")
	h.ok(h.Store.EventSent(h.Ctx, h.next("n8n"), h.Now))
	_, err := h.Store.GiveUpEvent(h.Ctx, h.next("n8n").Num, "dropped", h.Now)
	h.ok(err)
	for _, tt := range []struct {
		after time.Duration
		want  []string
	}{
		{0, []string{"sent sent", "dead dead", "waiting waiting"}},
		{8 * 24 * time.Hour, []string{"dead dead", "waiting waiting"}},
		{36 * 24 * time.Hour, []string{"dead dead", "waiting waiting"}},
		{38 * 24 * time.Hour, []string{"waiting waiting"}},
	} {
		now := h.Now.Add(tt.after)
		_, _, err := h.Store.Prune(h.Ctx, now.Add(-400*24*time.Hour), now.Add(-7*24*time.Hour))
		h.ok(err)
		if got := h.events("n8n"); !slices.Equal(got, tt.want) {
			h.T.Fatalf("after %s: %v, want %v", tt.after, got, tt.want)
		}
	}
}
