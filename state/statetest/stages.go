package statetest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/state"
	"nightporter/sync/record"
)

// spent: what was sent counts for its risk and side for seven days, each record once; what
// was refused, cancelled or let go by a person does not.
func spent(_ *testing.T, h *House) {
	link := h.linked(text("name", "Ada"))
	was := "Ada"
	change := func(risk, now string, end record.IntentState) time.Time {
		h.T.Helper()
		i := h.intent(link, text("name", was), text("name", now))
		i.Risk = risk
		h.open(i)
		if end == record.Settled {
			_, err := h.Store.SettleIntent(h.Ctx, h.Lease, h.receipt(i, 0))
			h.ok(err)
			was = now
			return h.Now
		}
		h.ok(h.Store.FailIntent(h.Ctx, h.Lease, i.ID, end, "", "why", h.Now))
		return h.Now
	}
	change("update", "a", record.Settled)
	h.Now = h.Now.Add(6 * 24 * time.Hour)
	change("update", "b", record.Settled)
	cleared := change("clear", "c", record.Settled)
	change("", "d", record.Settled)
	h.Now = h.Now.Add(23 * time.Hour)
	change("clear", "e", record.Rejected)
	change("clear", "f", record.Cancelled)
	lost := change("update", "g", record.Lost)
	h.made("m1", "m2")
	h.Now = h.Now.Add(30 * time.Minute)
	want := []record.Spent{
		{Side: record.Right, Risk: "clear", Name: "contacts:r1", Count: 1, Last: cleared},
		{Side: record.Right, Risk: "create", Count: 2, Last: lost},
		{Side: record.Right, Risk: "update", Name: "contacts:r1", Count: 1, Last: lost},
	}
	got, err := h.Store.Spent(h.Ctx, guests, h.Now)
	h.ok(err)
	if diff := cmp.Diff(want, got); diff != "" {
		h.T.Fatalf("spent (-want +got):\n%s", diff)
	}
	got, err = h.Store.Spent(h.Ctx, guests, cleared.Add(7*24*time.Hour))
	h.ok(err)
	if diff := cmp.Diff(want[1:], got); diff != "" {
		h.T.Fatalf("spent a week later (-want +got):\n%s", diff)
	}
	h.Now = h.Now.Add(24 * time.Hour)
	h.made("m3")
	got, err = h.Store.Spent(h.Ctx, guests, h.Now.Add(time.Minute))
	h.ok(err)
	made := []record.Spent{{Side: record.Right, Risk: "create", Count: 2, Last: lost}, {Side: record.Right, Risk: "create", Count: 1, Last: h.Now}}
	got = slices.DeleteFunc(got, func(x record.Spent) bool { return x.Risk != "create" })
	if diff := cmp.Diff(made, got); diff != "" {
		h.T.Fatalf("creates of the last day, and of before (-want +got):\n%s", diff)
	}
	h.list(left, h.item(left, "m4", text("name", "m4")))
	h.list(right, h.item(right, "m4", text("name", "m4")))
	met := h.createFrom("m4", text("name", "m4"))
	met.Risk = "create"
	h.open(met)
	_, err = h.Store.JoinAll(h.Ctx, h.Lease, []record.Joining{{
		Entries: [2]int64{h.entry(left, "m4").Num, h.entry(right, "m4").Num}, Entity: met.Entity, Ends: []string{met.ID},
	}}, h.Now)
	h.ok(err)
	got, err = h.Store.Spent(h.Ctx, guests, h.Now.Add(time.Minute))
	h.ok(err)
	got = slices.DeleteFunc(got, func(x record.Spent) bool { return x.Risk != "create" })
	is(h, "creates of the last day, one that may have made what its source was linked with among them", got[len(got)-1].Count, 2)
}

// made sends creates from records of the left.
func (h *House) made(ids ...string) {
	h.T.Helper()
	for _, id := range ids {
		f := text("name", id)
		h.list(left, h.item(left, id, f))
		i := h.createFrom(id, f)
		i.Risk = "create"
		h.open(i)
	}
}

// staging is a set of cancels of the right side.
func (h *House) staging(digest string, actions ...string) {
	h.T.Helper()
	var rows []record.Staged
	for _, a := range actions {
		rows = append(rows, record.Staged{Action: a, Link: 1, Ref: ref(right, a), Text: "why " + a, After: text("status", "off")})
	}
	h.ok(h.Store.Stage(h.Ctx, h.Lease, record.Stage{Question: record.Question{
		Subject: record.Subject{Side: record.Right, Set: digest, Risk: "cancel"}, Cause: "cancels", Why: "too many", Opened: h.Now, Expires: h.Now.Add(7 * 24 * time.Hour),
	}}, rows))
}

// openStages is the digests of those that are not over.
func (h *House) openStages() []string {
	h.T.Helper()
	all, err := h.Store.Stages(h.Ctx, guests, false)
	h.ok(err)
	out := []string{}
	for _, s := range all {
		out = append(out, s.Set)
	}
	return out
}

func stages(_ *testing.T, h *House) {
	h.staging("aaaa", "x", "y")
	all, err := h.Store.Stages(h.Ctx, "", false)
	h.ok(err)
	want := []record.Stage{{Size: 2, Left: 2, Question: record.Question{
		ID: all[0].ID, Binding: guests, Subject: record.Subject{Side: record.Right, Set: "aaaa", Risk: "cancel"}, Cause: "cancels", Why: "too many",
		Run: h.Lease.Run, Opened: h.Now, Expires: h.Now.Add(7 * 24 * time.Hour),
	}}}
	if diff := cmp.Diff(want, all); diff != "" {
		h.T.Fatalf("stages (-want +got):\n%s", diff)
	}
	rows, err := h.Store.StagedOf(h.Ctx, "aaaa", 1)
	h.ok(err)
	is(h, "sample", len(rows), 1)
	is(h, "what would be written", rows[0].After.Equal(text("status", "off")), true)
	counts, err := h.Store.Counts(h.Ctx, guests)
	h.ok(err)
	is(h, "staged", counts["staged"], 1)

	at := h.Now
	h.tick()
	h.staging("aaaa", "x", "y")
	all, err = h.Store.Stages(h.Ctx, guests, false)
	h.ok(err)
	is(h, "held again by the next run: since", all[0].Opened, at)
	st, err := h.Store.DecideStage(h.Ctx, "aa", record.Approved, "ada", time.Time{}, h.Now)
	h.ok(err)
	is(h, "digest", st.Set, "aaaa")
	h.ok(h.Store.NoteStaged(h.Ctx, h.Lease, "aaaa", []string{"x"}, record.StagedDone, h.Now))
	all, err = h.Store.Stages(h.Ctx, guests, false)
	h.ok(err)
	is(h, "decision", all[0].Choice, record.Approved)
	is(h, "who", all[0].Who, "ada")
	is(h, "left", all[0].Left, 1)
	h.ok(h.Store.NoteStaged(h.Ctx, h.Lease, "aaaa", []string{"y"}, record.StagedDropped, h.Now))
	is(h, "not over", len(h.openStages()), 0)
	h.tick()
	h.staging("aaaa", "x", "y")
	all, err = h.Store.Stages(h.Ctx, guests, false)
	h.ok(err)
	is(h, "asked anew: left", all[0].Left, 2)
	is(h, "asked anew: decision", all[0].Choice, record.Undecided)

	_, err = h.Store.DecideStage(h.Ctx, "aaaa", record.Refusal, "ada", h.Now.Add(time.Hour), h.Now)
	h.ok(err)
	h.ok(h.Store.NoteStaged(h.Ctx, h.Lease, "aaaa", []string{"x", "y"}, record.StagedBack, h.Now))
	all, err = h.Store.Stages(h.Ctx, guests, false)
	h.ok(err)
	is(h, "put back: left", all[0].Left, 0)
	h.ok(h.Store.NoteStaged(h.Ctx, h.Lease, "aaaa", []string{"x", "y"}, record.StagedDone, h.Now))
	is(h, "made after all: not over", len(h.openStages()), 0)
}

func stageReplaced(_ *testing.T, h *House) {
	h.staging("aaaa", "x")
	h.staging("bbbb", "x", "y")
	if diff := cmp.Diff([]string{"bbbb"}, h.openStages()); diff != "" {
		h.T.Fatalf("stages (-want +got):\n%s", diff)
	}
	// Who saw the smaller set and says yes to it says yes to just that.
	_, err := h.Store.DecideStage(h.Ctx, "aaaa", record.Approved, "ada", time.Time{}, h.Now)
	h.ok(err)
	h.staging("cccc", "z")
	if diff := cmp.Diff([]string{"aaaa", "cccc"}, h.openStages()); diff != "" {
		h.T.Fatalf("a decided set stays (-want +got):\n%s", diff)
	}
	h.ok(h.Store.EndStage(h.Ctx, h.Lease, "cccc", h.Now))
	is(h, "ended", len(h.openStages()), 1)
}

func stageDecided(_ *testing.T, h *House) {
	decide := func(digest string) error {
		_, err := h.Store.DecideStage(h.Ctx, digest, record.Refusal, "ada", h.Now.Add(time.Hour), h.Now)
		return err
	}
	h.refused(decide("nobody"), state.ErrUnknown)
	h.refused(decide(""), state.ErrUnknown)
	h.staging("aaaa", "x")
	h.ok(decide("aaaa"))
	h.refused(decide("aaaa"), state.ErrDecided)
	h.ok(h.Store.EndStage(h.Ctx, h.Lease, "aaaa", h.Now)) // by a run that has not seen what was said meanwhile
	is(h, "a set that was decided before it would have been over", slices.Contains(h.openStages(), "aaaa"), true)
	h.staging("bbbb", "y")
	h.Now = h.Now.Add(8 * 24 * time.Hour)
	h.refused(decide("bbbb"), state.ErrDecided)
	all, err := h.Store.Stages(h.Ctx, guests, false)
	h.ok(err)
	is(h, "how long a rejection counts", all[0].Expires.Before(all[1].Expires), true)
	if _, err := h.Store.DecideStage(h.Ctx, "aaaa", "perhaps", "ada", time.Time{}, h.Now); err == nil {
		h.T.Fatalf("a set was decided perhaps")
	}
}

func mapped(_ *testing.T, h *House) {
	if guard, _, err := h.Store.Asking(h.Ctx, guests); err != nil || guard != "" {
		h.T.Fatalf("asked about nothing yet: %q, %v", guard, err)
	}
	for _, want := range []string{"abcd", ""} {
		h.ok(h.Store.KeepAsking(h.Ctx, h.Lease, want, h.Now))
		guard, since, err := h.Store.Asking(h.Ctx, guests)
		h.ok(err)
		is(h, "asked about", guard, want)
		is(h, "since", since.Equal(h.Now.Truncate(time.Millisecond)), true)
	}
	got, err := h.Store.Mapped(h.Ctx, guests)
	h.ok(err)
	is(h, "agreed to nothing yet", got == nil, true)
	want := map[string]string{"name": "1", "phone": "2"}
	h.ok(h.Store.KeepMapped(h.Ctx, h.Lease, want))
	got, err = h.Store.Mapped(h.Ctx, guests)
	h.ok(err)
	if diff := cmp.Diff(want, got); diff != "" {
		h.T.Fatalf("fields (-want +got):\n%s", diff)
	}
}
