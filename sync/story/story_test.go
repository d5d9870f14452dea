package story

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/record"
)

func day(n int) time.Time { return time.Date(2026, 5, n, 10, 0, 0, 0, time.UTC) }

func val(s string) record.Value { return record.OfText(s) }

// wrote is a settled change of one field, found on day n and answered a minute later.
func wrote(n int, side record.Side, field, before, after, why string) Change {
	return Change{
		ID: "C", Run: int64(n), Side: side, Op: record.Update, State: record.Settled, Made: day(n), SentAt: day(n), EndedAt: day(n).Add(time.Minute),
		Ref:    record.Ref{Kind: "guests", ID: "1"},
		Reason: field + " of the other differs", Lines: []Line{{Field: field, Before: val(before), After: val(after), Rule: "left", Why: why}},
	}
}

// inStep is a contact and a guest that were linked on the second of May.
func inStep(changes ...Change) Facts {
	f := Facts{
		Job: "guests", Systems: [2]record.System{"platform", "pms"}, Link: Link{ID: 7, Made: day(2)}, Now: day(28),
		Runs: map[int64]record.Run{}, Changes: changes,
	}
	f.Sides[record.Left] = &Known{
		Entry: record.Entry{Ref: record.Ref{Kind: "contacts", ID: "c1"}, Since: day(1)}, Fields: record.Fields{"note": val("n"), "phone": val("p")},
	}
	f.Sides[record.Right] = &Known{
		Entry: record.Entry{Ref: record.Ref{Kind: "guests", ID: "1"}, Since: day(1)}, Fields: record.Fields{"note": val("n"), "phone": val("p")},
	}
	return f
}

// After a restore no run decides about a record without a partner before both sides were
// read whole.
func TestOutside17ToldAfterARestore(t *testing.T) {
	f := Facts{
		Systems: [2]record.System{"platform", "pms"}, PutBack: true,
		Sides: [2]*Known{{Entry: record.Entry{Ref: record.Ref{Kind: "contacts", ID: "c1"}}}, nil},
	}
	if got := f.sentence(Story{}); !strings.Contains(got, "put back to an older copy") || strings.Contains(got, "the next run decides") {
		t.Errorf("got %q", got)
	}
}

func TestSentence(t *testing.T) {
	const both = "contacts:c1 of platform and guests:1 of pms are "
	undo := wrote(5, record.Right, "note", "n", "was", "run 4 is undone")
	tests := []struct {
		name   string
		change func(f *Facts)
		want   string
		next   []string
	}{
		{"in step, never written", func(*Facts) {}, both + "in step since they were linked at 2026-05-02 10:00:00 UTC, and nothing was ever written to either", nil},
		{
			"the last change", func(f *Facts) {
				f.Changes = []Change{wrote(3, record.Right, "note", "m", "n", "only platform changed it")}
			},
			both + "in step; last written at 2026-05-03 10:01:00 UTC by run 3: note in pms, because only platform changed it", nil,
		},
		{
			"held", func(f *Facts) {
				f.Conflicts = []record.Question{{Subject: record.Subject{Field: "phone"}, ID: 4, Why: "both sides changed it, and a person decides", Opened: day(6)}}
			},
			both + "not in step: it waits for a person since 2026-05-06 10:00:00 UTC, conflict 4 about phone: both sides changed it, and a person decides",
			[]string{"nightporter conflicts show 4"},
		},
		{
			"on trial", func(f *Facts) {
				f.Sides[record.Left].Edited = []string{"note"}
				f.Sides[record.Left].Trial = &record.Trial{Op: record.Update, State: record.TrialOpen, At: day(6)}
			},
			both + "not in step: its update in platform at 2026-05-06 10:00:00 UTC is a trial, and it is not known yet what that did: what differs there since counts as nobody's edit, and is not carried over", nil,
		},
		{
			"decided", func(f *Facts) {
				f.Conflicts = []record.Question{{Subject: record.Subject{Field: "phone"}, ID: 4, Opened: day(6), Answer: record.Answer{Choice: "right", Chosen: day(7)}}}
			},
			both + "not in step: conflict 4 about phone is decided (pms), and the next run does it", nil,
		},
		{
			"left out", func(f *Facts) {
				f.Link, f.Sides[record.Right] = Link{}, nil
				f.Sides[record.Left].Entry.State, f.Sides[record.Left].Entry.Why = record.LeftOut, "pms gets it only when a booking names it"
			},
			"contacts:c1 of platform is not in step: platform alone has it, and it is left out by rule: pms gets it only when a booking names it", nil,
		},
		{
			"another one stands for it", func(f *Facts) {
				f.Link, f.Sides[record.Right] = Link{}, nil
				f.Sides[record.Left].Entry.State, f.Sides[record.Left].Entry.Why = record.Attached, "contacts:c2 stands for it"
			},
			"contacts:c1 of platform is not in step: contacts:c2 stands for it", nil,
		},
		{
			"new", func(f *Facts) { f.Link, f.Sides[record.Right] = Link{}, nil },
			"contacts:c1 of platform has no partner in pms yet: the next run decides about it", nil,
		},
		{
			"a create without an answer", func(f *Facts) {
				f.Link, f.Sides[record.Right] = Link{}, nil
				f.Changes = []Change{{Run: 3, Side: record.Right, Op: record.Create, State: record.Sent, SentAt: day(6)}}
			},
			"contacts:c1 of platform has no partner in pms that is known: it was to be made there at 2026-05-06 10:00:00 UTC, no answer came, and the next runs find out whether it was", nil,
		},
		{
			"waits", func(f *Facts) {
				f.Waits = []Wait{{Side: record.Left, For: record.Ref{Kind: "contacts", ID: "c9"}, In: "platform"}}
			},
			both + "not in step: it waits for contacts:c9 of platform, which is not linked yet", nil,
		},
		{
			"gone", func(f *Facts) { f.Sides[record.Right].Entry.State = record.Gone },
			both + "not in step: it is not in pms any more", nil,
		},
		{
			"parted", func(f *Facts) { f.Link.State = record.LinkParted },
			both + "not in step: one of the two is gone, and the other goes its own way: they are not kept in step any more", nil,
		},
		{
			"out of the window", func(f *Facts) {
				f.Sides[record.Left].Entry.State, f.Sides[record.Left].Entry.Why = record.OutOfScope, "its days have left the window"
			},
			both + "not in step: it is outside of what is read of platform: its days have left the window", nil,
		},
		{
			"a guard", func(f *Facts) {
				f.Traces = []Trace{{Kind: Staged, At: day(8), Side: record.Right, Name: "abc", Why: "30 updates, and 20 are allowed"}}
			},
			both + "not in step: a guard holds its change to pms back since 2026-05-08 10:00:00 UTC: 30 updates, and 20 are allowed",
			[]string{"nightporter approve abc"},
		},
		{
			"a rejected change", func(f *Facts) {
				f.Sides[record.Right].Fields["phone"] = record.OfText("other")
				f.Traces = []Trace{{Kind: Staged, At: day(8), Side: record.Right, Name: "abc", Why: "30 updates, and 20 are allowed", Decision: record.Refusal, By: "anna"}}
			},
			both + "not in step: anna rejected its change to pms, as part of abc: it is not made", nil,
		},
		{
			"an approved change", func(f *Facts) {
				f.Traces = []Trace{{Kind: Staged, At: day(8), Side: record.Right, Name: "abc", Why: "30 updates, and 20 are allowed", Decision: record.Approved, By: "anna"}}
			},
			both + "not in step: anna approved its change to pms, as part of abc: the next run makes it", nil,
		},
		{
			"not at this hour", func(f *Facts) {
				f.Sides[record.Left].Edited = []string{"note"} // that it was edited is said by that
				f.Kept = []record.KeptBack{{
					Place: record.Place{Side: record.Right}, Op: record.Update, Fields: []string{"note", "phone"}, Since: day(8),
					Hold: record.Hold{Rule: record.HoldHours, Why: "nothing is sent at this hour: it goes at 2026-05-09 09:00"},
				}}
			},
			both + "not in step: send_hours keeps its change of note, phone in pms back since 2026-05-08 10:00:00 UTC: " +
				"nothing is sent at this hour: it goes at 2026-05-09 09:00", nil,
		},
		{
			"never created", func(f *Facts) {
				const never = "its phone is among those who are never to be written to"
				f.Link, f.Sides[record.Right] = Link{}, nil
				f.Sides[record.Left].Entry.State, f.Sides[record.Left].Entry.Why = record.Waiting, never
				f.Kept = []record.KeptBack{{
					Place: record.Place{Side: record.Right}, Op: record.Create, Since: day(8), Hold: record.Hold{Rule: record.HoldNever, Why: never},
				}}
			},
			"contacts:c1 of platform is not in step: never_to keeps its create in pms back since 2026-05-08 10:00:00 UTC: " +
				"its phone is among those who are never to be written to", nil,
		},
		{
			"refused", func(f *Facts) {
				c := wrote(3, record.Right, "phone", "o", "p", "only platform changed it")
				c.State, c.Error = record.Rejected, "422 no such phone"
				f.Changes = []Change{c}
			},
			both + "not in step: pms refused phone at 2026-05-03 10:01:00 UTC: 422 no such phone; nightporter quarantine shows whether and when it is asked again", nil,
		},
		{
			"no answer", func(f *Facts) {
				c := wrote(3, record.Right, "phone", "o", "p", "")
				c.State, c.EndedAt = record.Sent, time.Time{}
				f.Changes, f.Link.State = []Change{c}, record.LinkUnsure
			},
			both + "not in step: a change was sent to pms at 2026-05-03 10:00:00 UTC and not answered: it is looked up by the next run", nil,
		},
		{
			"edited and not yet carried over", func(f *Facts) { f.Sides[record.Left].Edited = []string{"note"} },
			both + "not in step: platform shows an edit of note that no run has carried over yet; who made it is not known", nil,
		},
		{
			"undone", func(f *Facts) {
				f.Changes = []Change{wrote(4, record.Right, "note", "was", "n", "only platform changed it"), undo}
				f.Runs[5] = record.Run{ID: 5, Undoes: 4}
				f.Sides[record.Right].Fields = record.Fields{"note": val("was")}
			},
			both + "not in step: note was put back in pms by run 5, which undid run 4: it is left so until either side is edited", nil,
		},
		{
			"undone, and edited to the same since", func(f *Facts) {
				f.Changes = []Change{wrote(4, record.Right, "note", "was", "n", "only platform changed it"), undo}
				f.Runs[5] = record.Run{ID: 5, Undoes: 4}
			},
			both + "in step; last written at 2026-05-05 10:01:00 UTC by run 5: note in pms, because run 4 is undone", nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := inStep()
			tt.change(&f)
			s := Tell(f)
			if diff := cmp.Diff(tt.want, s.Sentence); diff != "" {
				t.Errorf("sentence (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.next, s.Next); diff != "" {
				t.Errorf("next (-want +got):\n%s", diff)
			}
			if got, want := s.InStep, strings.Contains(tt.want, "are in step"); got != want {
				t.Errorf("in step: got %t, want %t", got, want)
			}
		})
	}
}

// What is not sent now is said once: neither as an edit nor as a record that waits.
func TestKeptBackIsSaidOnce(t *testing.T) {
	hours := record.Hold{Rule: record.HoldHours, Why: "nothing is sent at this hour"}
	f := inStep()
	f.Sides[record.Left].Edited, f.Sides[record.Right].Edited = []string{"note", "phone"}, []string{"note"}
	f.Kept = []record.KeptBack{{Place: record.Place{Side: record.Right}, Op: record.Update, Fields: []string{"note"}, Since: day(6), Hold: hours}}
	got := Tell(f).Why
	if len(got) != 3 || !strings.Contains(got[1], "platform shows an edit of phone that") || !strings.Contains(got[2], "pms shows an edit of note that") {
		t.Errorf("got %q, want what is kept back, and the edits beside it", got)
	}
	f = inStep()
	f.Link, f.Sides[record.Right] = Link{}, nil
	f.Sides[record.Left].Entry.State, f.Sides[record.Left].Entry.Why = record.Waiting, hours.Why
	f.Kept = []record.KeptBack{{Place: record.Place{Side: record.Right}, Op: record.Create, Since: day(6), Hold: hours}}
	if got := Tell(f).Why; len(got) != 1 {
		t.Errorf("got %q, want one reason", got)
	}
}

// What a person let go counts as theirs, what went by rule does not, and neither does what went before they said so.
func TestWhoLetItGo(t *testing.T) {
	gone := wrote(9, record.Right, "note", "n", "", "platform does not have it any more")
	gone.Op, gone.Lines = record.Delete, nil
	for _, c := range []struct {
		said   string
		chosen time.Time
		want   bool
	}{{"delete", day(7), true}, {"leave", day(7), false}, {"delete", day(12), false}} {
		f := inStep(gone)
		f.Conflicts = []record.Question{{
			Subject: record.Subject{Field: record.WholeRecord}, ID: 2, Opened: day(6), Closed: day(13),
			Answer: record.Answer{Choice: "value", Value: record.OfText(c.said), Chosen: c.chosen},
		}}
		by := ""
		for _, e := range Tell(f).Events {
			if e.Kind == EventChange {
				by = e.By
			}
		}
		if got := by == "a person, with nightporter conflicts resolve"; got != c.want {
			t.Errorf("%s, said at %s: by %q", c.said, c.chosen, by)
		}
	}
}

// An edit that a person is asked about is said once.
func TestAskedIsSaidOnce(t *testing.T) {
	f := inStep()
	f.Sides[record.Left].Edited = []string{"note", "phone"}
	f.Conflicts = []record.Question{{Subject: record.Subject{Field: "phone"}, ID: 4, Why: "both sides changed it", Opened: day(6)}}
	got := Tell(f).Why
	if len(got) != 2 || !strings.Contains(got[1], "an edit of note that") {
		t.Errorf("got %q, want the question and the edit of note", got)
	}
}

// The story has each thing that happened once, in its order.
func TestEvents(t *testing.T) {
	refused := wrote(4, record.Left, "phone", "a", "b", "only pms changed it")
	refused.State, refused.Error = record.Rejected, "422"
	found := wrote(5, record.Left, "phone", "a", "p", "only pms changed it")
	found.Adopted = true
	decided := wrote(9, record.Right, "note", "m", "n", "a person chose it")
	decided.Lines[0].Chosen = true
	f := inStep(wrote(3, record.Right, "note", "l", "m", "only platform changed it"), refused, found, decided)
	f.Conflicts = []record.Question{{Subject: record.Subject{Field: "note"}, ID: 2, Left: val("n"), Right: val("m"), Why: "both sides changed it", Opened: day(6), Closed: day(9).Add(time.Hour), Run: 6, Answer: record.Answer{Choice: "left", Chosen: day(7)}}}
	f.Alerts = []record.Alert{{Kind: "booking_waiting", Text: "it waits too long", At: day(8)}}
	f.Traces = []Trace{{Kind: Tombstone, At: day(20), Side: record.Right, Why: "a read by id found nothing"}}
	var got []string
	for _, e := range Tell(f).Events {
		got = append(got, e.At.Format("02 ")+e.Text+" | "+e.Answer+" | "+e.By)
	}
	want := []string{
		"01 contacts:c1 of platform was first seen |  | ",
		"01 guests:1 of pms was first seen |  | ",
		"02 contacts:c1 of platform and guests:1 of pms were linked: they were found to be the same |  | ",
		"03 run 3 wrote note in pms, from platform: note of the other differs | pms answered that it is done | not known: platform does not tell who changes a record",
		"04 run 4 was to write phone in platform, from pms: phone of the other differs | platform said no: 422 | not known: pms does not tell who changes a record",
		"05 run 5 wrote phone in platform, from pms: phone of the other differs | platform did not answer, and a look-up found it done | not known: pms does not tell who changes a record",
		"06 conflict 2 about note: both sides changed it (platform: n, pms: m) |  | ",
		"07 a person decided conflict 2 about note: platform |  | a person, with nightporter conflicts resolve",
		"08 alert booking_waiting: it waits too long |  | ",
		"09 run 9 wrote note in pms, as a person decided | pms answered that it is done | a person, with nightporter conflicts resolve",
		"09 conflict 2 about note was closed |  | ",
		"20 it was found to be gone from pms: a read by id found nothing |  | ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// A change that was given up on was said no to, or looked for: of a create that was made and
// removed at once nobody can say that it was not applied, nor of an update that was edited at once.
func TestGivenUp(t *testing.T) {
	for name, c := range map[string]struct {
		op    record.Op
		class string
		want  string
	}{
		"refused":    {record.Create, "transient", "it was not applied: why"},
		"looked for": {record.Create, "", "no record was found that it made: why"},
		"linked":     {record.Create, record.EndedByLink, "no answer: why"},
		"update":     {record.Update, "", "no answer, and a look-up did not find it done: why"},
		"not done":   {record.Update, "transient", "it was not applied: why"},
	} {
		ch := wrote(4, record.Left, "phone", "a", "b", "only pms changed it")
		ch.Op, ch.State, ch.Class, ch.Error = c.op, record.Cancelled, c.class, "why"
		f := inStep(ch)
		if got := f.answer(ch); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A value of which only a digest is kept is never printed, and the story says so.
func TestDigestsAreSaid(t *testing.T) {
	sealed := record.Seal([]byte("key"), val("secret"))
	c := wrote(3, record.Right, "note", "", "", "only platform changed it")
	c.Lines[0].Before, c.Lines[0].After = sealed, sealed
	f := inStep(c)
	f.Digests, f.Sides[record.Left].Fields = true, record.Fields{"note": sealed}
	s := Tell(f)
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), sealed.Text()) || !strings.Contains(string(b), `{"kept":"digest"}`) {
		t.Errorf("got %s", b)
	}
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "digests") {
		t.Errorf("notes: got %q", s.Notes)
	}
}

func TestAt(t *testing.T) {
	// platform: b until some time before the 5th, then c; pms: a, b from the 3rd, c from
	// the 5th, d by somebody there before the 9th, which run 9 brought to platform.
	f := inStep(
		wrote(3, record.Right, "note", "a", "b", ""), wrote(5, record.Right, "note", "b", "c", ""), wrote(9, record.Left, "note", "c", "d", ""),
	)
	for _, k := range f.Sides {
		k.Fields = record.Fields{"note": val("d"), "phone": val("p")}
	}
	tests := []struct {
		at    time.Time
		side  int
		value string
		sure  bool
		how   string
	}{
		{day(2), 1, "a", true, "run 3 replaced it"},
		{day(4), 1, "b", true, "run 3 wrote it"},
		{day(6), 1, "c", false, "changed there some time before 2026-05-09 10:00:00 UTC, when is not known"},
		{day(10), 1, "d", true, "run 9 saw it"},
		{day(2), 0, "a", false, "some time before 2026-05-03 10:00:00 UTC, when is not known"},
		{day(4), 0, "b", false, "some time before 2026-05-05"},
		{day(6), 0, "c", true, "run 5 saw it"},
		{day(10), 0, "d", true, "run 9 wrote it"},
	}
	for _, tt := range tests {
		got := At(f, tt.at)[tt.side].Fields["note"]
		if got.Value.Text() != tt.value || got.Sure != tt.sure || !strings.Contains(got.How, tt.how) {
			t.Errorf("side %d on %s: got %s, %t (%s), want %s, %t (%s)", tt.side, tt.at.Format(time.DateOnly), got.Value, got.Sure, got.How, tt.value, tt.sure, tt.how)
		}
	}
	f.Conflicts = []record.Question{{Subject: record.Subject{Field: "phone", Link: 7}, Left: val("q"), Right: val("r"), Opened: day(12), Run: 12}}
	f.Changes = append(f.Changes, wrote(14, record.Right, "phone", "r", "q", "a person chose it"))
	f.Changes[3].Lines[0].Chosen = true
	for side, want := range []string{"q", "r"} {
		if got := At(f, day(13))[side].Fields["phone"]; got.Value.Text() != want || !got.Sure {
			t.Errorf("side %d while it was asked about: got %+v, want %s", side, got, want)
		}
		if got := At(f, day(15))[side].Fields["phone"]; got.Value.Text() != "q" {
			t.Errorf("side %d after it was decided: got %+v, want q", side, got)
		}
		if got := At(f, day(29))[side].Fields["phone"]; got.Value.Text() != "p" || !got.Sure {
			t.Errorf("side %d now: got %+v, want what was last seen", side, got)
		}
	}
	f.Changes, f.Conflicts = f.Changes[:3], nil
	if got := At(f, day(4))[0].Fields["phone"]; got.Value.Text() != "p" || !got.Sure {
		t.Errorf("a field that nothing changed: got %+v", got)
	}
	if got := At(f, day(1).Add(-time.Hour))[0]; got.Known || len(got.Fields) > 0 {
		t.Errorf("before it was first seen: got %+v", got)
	}
}
