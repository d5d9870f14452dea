package statetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nightporter/state"
	"nightporter/sync/record"
)

// ids names entries in their order.
func idsOf(es []record.Entry) string {
	var out strings.Builder
	for _, e := range es {
		out.WriteString(e.Ref.ID + " ")
	}
	return out.String()
}

func found(_ *testing.T, h *House) {
	h.list(left, h.item(left, "7", text("name", "José Ñandú", "phone", "055 123-4567")), h.item(left, "8", text("name", "Ada Lovelace")))
	h.list(right, h.item(right, "7", text("name", "Adam")))
	es, err := h.Store.EntriesByID(h.Ctx, "7")
	h.ok(err)
	is(h, "entries of an id", fmt.Sprint(idsOf(es), es[0].Place.Side, es[1].Place.Side), "7 7 left right")
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{[]string{"ada"}, "8 7 "}, // LIKE finds Adam as well: who asks looks closer
		{[]string{"lovelace", "ADA"}, "8 "},
		{[]string{"josé", "ñandú"}, "7 "},
		{[]string{"1234567"}, "7 "},
		{[]string{"ada", "nobody"}, ""},
		{[]string{"%"}, ""},
		{nil, ""},
	} {
		es, err := h.Store.EntriesLike(h.Ctx, guests, tt.words, 10)
		h.ok(err)
		is(h, fmt.Sprint("entries like ", tt.words), idsOf(es), tt.want)
	}
	es, err = h.Store.EntriesLike(h.Ctx, guests, []string{"a"}, 1)
	h.ok(err)
	is(h, "at most", len(es), 1)
}

// told is what explain asks the store for.
func told(_ *testing.T, h *House) {
	link := h.linked(text("name", "Ada"))
	h.list(left, h.item(left, "l2", text("name", "Eve")))
	l1, r1, l2 := h.entry(left, "l1"), h.entry(right, "r1"), h.entry(left, "l2")
	i := h.intent(link, text("name", "Ada"), text("name", "Ida"))
	h.write(i, time.Second)
	c := h.createFrom("l2", text("name", "Eve"))
	h.open(c)
	h.ok(h.Store.Alert(h.Ctx, h.Lease, record.Alert{Entry: l1.Num, Kind: "k", Text: "about l1", At: h.Now}))
	h.ok(h.Store.Alert(h.Ctx, h.Lease, record.Alert{Entry: l2.Num, Kind: "k", Text: "about l2", At: h.Now}))
	h.ok(h.Store.Ask(h.Ctx, h.Lease, link, 0, []record.Question{{Subject: record.Subject{Field: "name"}, Why: "why"}}, h.Now))
	h.ok(h.Store.Ask(h.Ctx, h.Lease, link, 0, nil, h.Now))
	h.ok(h.Store.WaitFor(h.Ctx, h.Lease, l2.Num, []record.Wait{{Binding: guests, Side: record.Right, Ref: ref(right, "r9")}}, "why", h.Now))

	changes, err := h.Store.ChangesOf(h.Ctx, link, []record.Entry{l1, r1})
	h.ok(err)
	is(h, "changes of the link", changeIDs(changes), i.ID)
	changes, err = h.Store.ChangesOf(h.Ctx, 0, []record.Entry{l2})
	h.ok(err)
	is(h, "changes made from an entry", changeIDs(changes), c.ID)
	conflicts, err := h.Store.QuestionsOf(h.Ctx, link, []int64{l1.Num, r1.Num})
	h.ok(err)
	is(h, "closed conflicts of the link", len(conflicts), 1)
	conflicts, err = h.Store.QuestionsOf(h.Ctx, 0, []int64{l2.Num})
	h.ok(err)
	is(h, "conflicts of an entry that has none", len(conflicts), 0)
	alerts, err := h.Store.AlertsOf(h.Ctx, []int64{l1.Num})
	h.ok(err)
	is(h, "alerts", len(alerts), 1)
	is(h, "alert", alerts[0].Text, "about l1")
	for text, kind := range map[string]string{"about l1": "k", "": "another kind"} {
		last, err := h.Store.LastAlert(h.Ctx, l1.Place.Binding, l1.Num, kind)
		h.ok(err)
		is(h, "last alert", last, text)
	}
	h.ok(h.Store.Alert(h.Ctx, h.Lease, record.Alert{Entry: l1.Num, Kind: "k", Text: "more", At: h.Now}))
	last, err := h.Store.LastAlert(h.Ctx, l1.Place.Binding, l1.Num, "k")
	h.ok(err)
	is(h, "last of two alerts", last, "more")
	waits, err := h.Store.WaitsOf(h.Ctx, []int64{l2.Num})
	h.ok(err)
	is(h, "waits", len(waits), 1)
	is(h, "waits for", waits[0].Ref.ID, "r9")
	made, st, ok, err := h.Store.LinkAt(h.Ctx, link)
	h.ok(err)
	is(h, "link known", ok, true)
	is(h, "link made before now", made.Before(h.Now), true)
	is(h, "link state", st, record.LinkLive)
	_, _, ok, err = h.Store.LinkAt(h.Ctx, link+1)
	h.ok(err)
	is(h, "unknown link", ok, false)
	h.list(left, record.Seen{Ref: ref(left, "l3"), Problem: "no name", Observation: record.Observation{At: h.Now, Fields: text("name", "x")}})
	traces, err := h.Store.TracesOf(h.Ctx, guests, 0, []int64{h.entry(left, "l3").Num})
	h.ok(err)
	is(h, "traces", len(traces), 1)
	is(h, "trace", fmt.Sprint(traces[0].Kind, traces[0].Side, traces[0].Why, traces[0].Over), "quarantinedleftno namefalse")
}

func changeIDs(cs []state.Change) string {
	var out strings.Builder
	for _, c := range cs {
		out.WriteString(c.ID)
	}
	return out.String()
}

// takenBack is what an undo asks the store for.
func takenBack(_ *testing.T, h *House) {
	link := h.linked(text("name", "Ada"))
	first := h.intent(link, text("name", "Ada"), text("name", "Ida"))
	h.write(first, 0)
	bad := h.Lease.Run
	h.tick()
	h.begin()
	second := h.intent(link, text("name", "Ida"), text("name", "Eve"))
	h.write(second, 0)
	h.tick()
	h.begin()
	made, err := h.Store.MadeIn(h.Ctx, guests, bad)
	h.ok(err)
	is(h, "made in the run", len(made), 1)
	is(h, "change", made[0].ID, first.ID)
	is(h, "answered", made[0].Receipt != nil && made[0].Receipt.Fields.Equal(text("name", "Ida")), true)
	later, err := h.Store.MadeSince(h.Ctx, link, record.Right, bad)
	h.ok(err)
	is(h, "made since", len(later), 1)
	is(h, "later change", later[0].ID, second.ID)
	last, err := h.Store.LastRunOn(h.Ctx, left, ref(left, "l1"))
	h.ok(err)
	is(h, "last run on it", last, bad+1)
	h.ok(h.Store.Undoes(h.Ctx, h.Lease, bad+1))
	h.write(h.intent(link, text("name", "Eve"), text("name", "Ida")), 0)
	last, err = h.Store.LastRunOn(h.Ctx, right, ref(right, "r1"))
	h.ok(err)
	is(h, "last run that was no undo", last, bad+1)
	run, ok, err := h.Store.Run(h.Ctx, h.Lease.Run)
	h.ok(err)
	is(h, "run known", ok, true)
	is(h, "undoes", run.Undoes, bad+1)
	h.refused(h.Store.Undoes(h.Ctx, h.Lease, 4711), state.ErrUnknown)
	_, ok, err = h.Store.Run(h.Ctx, 4711)
	h.ok(err)
	is(h, "unknown run", ok, false)
	old := h.Lease
	h.begin()
	h.refused(h.Store.Undoes(h.Ctx, old, bad), state.ErrFenced)
}

// renewed is a record that was deleted and is made anew on the same link.
func renewed(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link := h.linked(f)
	h.ok(h.Store.Park(h.Ctx, h.Lease, h.entry(right, "r1").Num, record.Gone, "", "why"))
	i := h.intent(link, nil, f)
	i.From = h.entry(right, "r1").Num
	i.Change.Op, i.Change.Ref = record.Create, record.Ref{Kind: kinds[1]}
	h.open(i)
	r := h.receipt(i, 0)
	r.Ref, r.Fields = ref(right, "r5"), f
	got, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	is(h, "link", got, link)
	p := h.pair(link)
	is(h, "record of the link", p.Sides[1].Ref.ID, "r5")
	is(h, "its base", p.Sides[1].Base.Fields().Equal(f), true)
	is(h, "base across", p.Sides[0].Base.Fields().Equal(f), true)
	is(h, "state", p.State, record.LinkLive)
	is(h, "link of the old one", h.entry(right, "r1").Link, 0)
	is(h, "state of the old one", h.entry(right, "r1").State, record.Gone)
}

// renewedAsBefore is one that gets the id that it had.
func renewedAsBefore(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link := h.linked(f)
	was := h.entry(right, "r1").Num
	h.ok(h.Store.Bury(h.Ctx, h.Lease, record.Tombstone{Entry: was, Evidence: record.EvidenceOurs, Done: record.AfterDeleted, At: h.Now}))
	i := h.intent(link, nil, f)
	i.From = was
	i.Change.Op, i.Change.Ref = record.Create, record.Ref{Kind: kinds[1]}
	h.open(i)
	r := h.receipt(i, 0)
	r.Ref, r.Fields = ref(right, "r1"), f
	got, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	is(h, "link", got, link)
	e := h.entry(right, "r1")
	is(h, "it is another entry", e.Num != was, true)
	is(h, "its link", e.Link, link)
	is(h, "its state", e.State, record.InStep)
	is(h, "its base", e.Base.Fields().Equal(f), true)
	h.former(was, 0, record.EvidenceOurs, record.AfterRewired)
}

// givenAgain is a record that a create made under the id of one that is linked.
func givenAgain(_ *testing.T, h *House) {
	f := text("name", "Ada")
	link := h.linked(text("name", "Bob"))
	was := h.entry(right, "r1").Num
	update := h.intent(link, text("name", "Bobby"), text("name", "Bob"))
	h.open(update)
	h.ok(h.Store.SendIntent(h.Ctx, h.Lease, update.ID, h.Now))
	h.list(left, h.item(left, "l2", f))
	i := h.createFrom("l2", f)
	h.open(i)
	r := h.receipt(i, 0)
	r.Ref, r.New = ref(right, "r1"), true
	made, err := h.Store.SettleIntent(h.Ctx, h.Lease, r)
	h.ok(err)
	is(h, "it is another link", made != link, true)
	e := h.entry(right, "r1")
	is(h, "it is another entry", e.Num != was, true)
	is(h, "its link", e.Link, made)
	is(h, "what is known of it", e.Last().Equal(f), true)
	h.former(was, link, record.EvidenceGivenAgain, record.AfterNothing)
	is(h, "the old pair is looked at", h.entryNum(was).Dirty, true)
	in, err := h.Store.Changes(h.Ctx, state.Filter{Link: link})
	h.ok(err)
	is(h, "the update without an answer is over", in[len(in)-1].State, record.Cancelled)
}

func (h *House) entryNum(num int64) record.Entry {
	h.T.Helper()
	e, ok, err := h.Store.EntryNum(h.Ctx, num)
	h.ok(err)
	is(h, "known", ok, true)
	return e
}

// former makes sure that an entry whose id another record has now is gone, and how.
func (h *House) former(num int64, link record.LinkID, by record.Evidence, done record.Aftermath) {
	h.T.Helper()
	e := h.entryNum(num)
	is(h, "state of the former one", e.State, record.Gone)
	is(h, "link of the former one", e.Link, link)
	t, ok, err := h.Store.Tombstone(h.Ctx, num)
	h.ok(err)
	is(h, "it is remembered", ok, true)
	is(h, "what proved it", t.Evidence, by)
	is(h, "what came of it", t.Done, done)
}
