package statetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nightporter/sync/record"
)

// sent tells the story of a cap: what was sent and may have been applied counts, from the
// moment in which it was sent.
func sent(_ *testing.T, h *House) {
	f := text("name", "Ada")
	var made []record.Intent
	for n := range 5 {
		i := h.intent(h.linkedAs(fmt.Sprint(n), f), f, text("name", fmt.Sprint("Eve", n)))
		i.Change.Ref = ref(right, fmt.Sprint("r", n))
		made = append(made, i)
	}
	h.write(made[0], 0) // long ago
	h.Now = h.Now.Add(time.Hour)
	since := h.Now
	h.write(made[1], 0)
	h.Now = h.Now.Add(time.Minute)
	h.open(made[2]) // nobody knows
	h.open(made[3])
	h.ok(h.Store.FailIntent(h.Ctx, h.Lease, made[3].ID, record.Cancelled, "throttled", "not now", h.Now))
	h.unsent(made[4], "not_found")
	count := func(what string, from time.Time, except string, want ...time.Time) {
		got, err := h.Store.SentSince(h.Ctx, right, from, except)
		h.ok(err)
		is(h, what, fmt.Sprint(len(got)), fmt.Sprint(len(want)))
		for i := range want {
			is(h, what, got[i].Equal(want[i]), true)
		}
	}
	count("sent within the hour", since, "", since, since.Add(time.Minute))
	count("but for one", since, made[2].ID, since)
	count("since the last", since.Add(time.Second), "", since.Add(time.Minute))
	h.ok(h.Store.FailIntent(h.Ctx, h.Lease, made[2].ID, record.Lost, "", "nobody knows", h.Now))
	count("what is lost may have been applied", since, "", since, since.Add(time.Minute))
}

// strangersSince tells that whatever became of a record without a link, it is found by when
// it was first seen.
func strangersSince(_ *testing.T, h *House) {
	f := text("name", "Ada")
	h.get(right, "old", f)
	h.tick()
	since := h.Now
	for _, id := range []string{"plain", "aside", "gone"} {
		h.get(right, id, f)
	}
	h.ok(h.Store.Park(h.Ctx, h.Lease, h.entry(right, "aside").Num, record.LeftOut, "", "by rule"))
	h.ok(h.Store.Judge(h.Ctx, h.Lease, h.entry(right, "gone").Num, record.Gone, "not there", time.Time{}, h.Now))
	h.linkedAs("1", f)
	for what, c := range map[string]struct {
		since time.Time
		want  string
	}{"since then": {since, "plain aside gone"}, "since ever": {time.Time{}, "old plain aside gone"}, "later": {since.Add(time.Second), ""}} {
		es, err := h.Store.UnlinkedSince(h.Ctx, right, c.since)
		h.ok(err)
		var got []string
		for _, e := range es {
			got = append(got, e.Ref.ID)
		}
		is(h, what, strings.Join(got, " "), c.want)
	}
}

// bereft tells which links lack the record of one side: of what was not found last and of
// what is proven gone, also where the one across was left alone; but of none that lacks
// both, or that was ended otherwise.
func bereft(_ *testing.T, h *House) {
	f := text("name", "Ada")
	for _, id := range []string{"there", "missed", "suspect", "gone", "both", "archived", "unlinked"} {
		link := h.linkedAs(id, f)
		l, r := h.entry(left, "l"+id).Num, h.entry(right, "r"+id).Num
		switch id {
		case "missed", "suspect":
			h.ok(h.Store.Judge(h.Ctx, h.Lease, l, record.EntryState(id), "not found", time.Time{}, h.Now))
		case "gone", "both", "archived", "unlinked":
			h.ok(h.Store.Bury(h.Ctx, h.Lease, record.Tombstone{Entry: l, Evidence: record.EvidenceRead, At: h.Now}))
		}
		if id == "both" {
			h.ok(h.Store.Bury(h.Ctx, h.Lease, record.Tombstone{Entry: r, Evidence: record.EvidenceRead, At: h.Now}))
		}
		if id == "archived" || id == "unlinked" {
			h.ok(h.Store.Part(h.Ctx, h.Lease, link, record.LinkParted, record.Aftermath(id), h.Now))
		}
	}
	for what, c := range map[string]struct {
		place record.Place
		want  string
	}{"the left lacks": {left, "rmissed rsuspect rgone runlinked"}, "the right lacks": {right, ""}} {
		pairs, err := h.Store.Bereft(h.Ctx, c.place)
		h.ok(err)
		var got []string
		for _, p := range pairs {
			got = append(got, p.Sides[c.place.Side.Other()].Ref.ID)
		}
		is(h, what, strings.Join(got, " "), c.want)
	}
}

// naming tells which linked records were settled with a reference to an entity: not what
// begins with its name, nor what is gone.
func naming(_ *testing.T, h *House) {
	for id, entity := range map[string]string{"a": "e1", "b": "e1", "c": "e12", "gone": "e1"} {
		h.linkedAs(id, text("@guest", entity))
	}
	h.get(left, "stranger", text("@guest", "e1"))
	h.ok(h.Store.Judge(h.Ctx, h.Lease, h.entry(left, "lgone").Num, record.Gone, "not there", time.Time{}, h.Now))
	for entity, want := range map[string]string{"e1": "la lb", "e12": "lc", "e": "", "e2": ""} {
		es, err := h.Store.Naming(h.Ctx, left, "@guest", record.OfText(entity))
		h.ok(err)
		var got []string
		for _, e := range es {
			got = append(got, e.Ref.ID)
		}
		slices.Sort(got)
		is(h, entity, strings.Join(got, " "), want)
	}
}
