package away_test

import (
	"testing"

	"pgregory.net/rapid"

	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// gone is a record of which it is proven that it is not there.
func gone(p away.GonePolicy) away.Standing {
	return away.Standing{State: away.Absent, Proof: away.ReadAway, Policy: p}
}

func TestGone(t *testing.T) {
	here := away.Standing{}
	edited := away.Standing{Changed: true}
	merged := away.Standing{State: away.Merged}
	taken := away.Standing{State: away.Merged, Taken: true}
	unsure := away.Standing{State: away.Merged, Unsure: true}
	back := away.Standing{State: away.Returned}
	foreign := away.Standing{State: away.Foreign}
	unlisted := away.Standing{State: away.Absent, Proof: away.Unlisted, Policy: away.GoneDelete}
	unseen := away.Standing{State: away.Absent, Proof: away.Unseen, Policy: away.GoneDelete}
	told := away.Standing{State: away.Absent, Proof: away.ToldAway, Policy: away.GoneDelete}
	lone := away.Standing{State: away.Absent, Proof: away.ReadAway, Policy: away.GoneDelete, Lone: true}
	lost := away.Standing{State: away.Absent, Proof: away.ReadAway, Policy: away.GoneDelete, Lost: true}
	lostLone := away.Standing{State: away.Absent, Proof: away.ReadAway, Policy: away.GoneDelete, Lost: true, Lone: true}
	ours := away.Standing{State: away.Absent, Proof: away.ReadAway, Policy: away.GoneDelete, Ours: true}
	anew := func(p away.GonePolicy) away.Standing {
		return away.Standing{State: away.Absent, Proof: away.ReadAway, Policy: p, Anew: true}
	}
	replaced := func(p away.GonePolicy) away.Standing { return away.Standing{State: away.Replaced, Policy: p} }
	waits := away.Standing{State: away.Replaced, Policy: away.GoneDelete, Unsure: true}
	fixed := away.Standing{State: away.Returned, Fixed: true}
	by := []record.Ref{{Kind: "stays", ID: "3"}}
	named := away.Standing{NamedBy: away.NamedBy{By: by}}
	moving := away.Standing{NamedBy: away.NamedBy{Await: "it waits for stays:3 to be moved"}}
	both := away.Standing{NamedBy: away.NamedBy{By: by, Await: "it waits for stays:4 to be moved"}}
	ask := func(q away.Question) away.Fate { return away.Fate{Deed: away.Ask, Side: record.Left, Question: q} }
	right := func(d away.Deed) away.Fate { return away.Fate{Deed: d, Side: record.Right} }

	for _, tt := range []struct {
		name        string
		left, right away.Standing
		parted      bool
		over        bool
		choice      away.GoneChoice
		want        away.Fate
	}{
		{name: "both there", left: here, right: here, want: away.Fate{Deed: away.GoOn}},
		{name: "both edited", left: edited, right: edited, want: away.Fate{Deed: away.GoOn}},
		{name: "not seen", left: unseen, right: here, want: away.Fate{Deed: away.GoOn}},
		{name: "not in a complete list", left: unlisted, right: here, want: away.Fate{Deed: away.GoOn}},
		{name: "neither in a complete list", left: unlisted, right: unlisted, want: away.Fate{Deed: away.GoOn}},
		{name: "gone, no policy", left: gone(""), right: here, want: ask(away.AskGone)},
		{name: "gone, hold", left: gone(away.GoneHold), right: here, want: ask(away.AskGone)},
		{name: "gone, delete", left: gone(away.GoneDelete), right: here, want: right(away.Carry)},
		{name: "lacking in an older copy that gets all once more", left: lost, right: here, want: right(away.Free)},
		{name: "said to be gone, delete", left: told, right: here, want: right(away.Carry)},
		{name: "gone, archive", left: gone(away.GoneArchive), right: here, want: right(away.Carry)},
		{name: "gone, unlink", left: gone(away.GoneUnlink), right: here, want: right(away.Part)},
		{name: "gone, ignore", left: gone(away.GoneIgnore), right: here, want: right(away.Ignore)},
		{name: "gone, the other edited, delete", left: gone(away.GoneDelete), right: edited, want: ask(away.AskEdited)},
		{name: "gone, the other edited, archive", left: gone(away.GoneArchive), right: edited, want: ask(away.AskEdited)},
		{name: "gone, the other edited, hold", left: gone(away.GoneHold), right: edited, want: ask(away.AskEdited)},
		{name: "gone, the other edited, unlink", left: gone(away.GoneUnlink), right: edited, want: right(away.Part)},
		{name: "gone, the other edited, ignore", left: gone(away.GoneIgnore), right: edited, want: right(away.Ignore)},
		{name: "gone, the other not seen", left: gone(away.GoneDelete), right: unseen, want: away.Fate{Deed: away.Await}},
		{name: "gone, the other not in a list", left: gone(away.GoneUnlink), right: unlisted, want: away.Fate{Deed: away.Await}},
		{name: "gone as all others", left: lone, right: here, want: ask(away.AskAlone)},
		{name: "gone, delete, refused", left: gone(away.GoneDelete), right: away.Standing{Refused: true}, want: ask(away.AskRefused)},
		{name: "gone, hold, refused", left: gone(away.GoneHold), right: away.Standing{Refused: true}, want: ask(away.AskRefused)},
		{name: "gone, delete, refused, and a person wants it", left: gone(away.GoneDelete), right: away.Standing{Refused: true}, choice: away.ChooseCarry, want: right(away.Carry)},
		{name: "gone, delete, no such thing", left: gone(away.GoneDelete), right: away.Standing{Unable: true}, want: ask(away.AskUnable)},
		{name: "gone, hold, no such thing", left: gone(away.GoneHold), right: away.Standing{Unable: true}, want: ask(away.AskUnable)},
		{name: "gone, edited, no such thing", left: gone(away.GoneDelete), right: away.Standing{Unable: true, Changed: true}, want: ask(away.AskUnable)},
		{name: "gone, no such thing, and a person wants it", left: gone(away.GoneHold), right: away.Standing{Unable: true}, choice: away.ChooseCarry, want: ask(away.AskUnable)},
		{name: "gone, no such thing: left", left: gone(away.GoneHold), right: away.Standing{Unable: true}, choice: away.ChooseLeave, want: right(away.Part)},
		{name: "gone, unlink, no such thing", left: gone(away.GoneUnlink), right: away.Standing{Unable: true}, want: right(away.Part)},
		{name: "gone, entered anew, delete", left: anew(away.GoneDelete), right: here, want: ask(away.AskAnew)},
		{name: "gone, entered anew, archive", left: anew(away.GoneArchive), right: here, want: ask(away.AskAnew)},
		{name: "gone, entered anew, hold", left: anew(away.GoneHold), right: here, want: ask(away.AskGone)},
		{name: "gone, entered anew, unlink", left: anew(away.GoneUnlink), right: here, want: right(away.Part)},
		{name: "gone, entered anew, the other edited", left: anew(away.GoneDelete), right: edited, want: ask(away.AskEdited)},
		{name: "gone, entered anew: joined", left: anew(away.GoneDelete), right: here, choice: away.ChooseAnew, want: right(away.Free)},
		{name: "gone, entered anew: carried over", left: anew(away.GoneDelete), right: here, choice: away.ChooseCarry, want: right(away.Carry)},
		{name: "both gone", left: gone(away.GoneHold), right: gone(away.GoneDelete), want: away.Fate{Deed: away.End}},
		{name: "both gone, parted", left: gone(away.GoneHold), right: gone(away.GoneHold), parted: true, want: away.Fate{Deed: away.End}},
		{name: "gone, parted", left: gone(away.GoneDelete), right: here, parted: true, want: away.Fate{Deed: away.Await}},
		{name: "deleted by us, parted", left: ours, right: here, parted: true, want: away.Fate{Deed: away.Await}},
		{name: "deleted by us, parted, the other edited since", left: ours, right: edited, parted: true, want: right(away.Free)},
		{name: "gone, parted, the other edited since", left: gone(away.GoneDelete), right: edited, parted: true, want: away.Fate{Deed: away.Await}},
		{name: "lacking in an older copy, as all others", left: lostLone, right: here, want: right(away.Free)},
		{name: "merged", left: merged, right: here, want: away.Fate{Deed: away.Rewire, Side: record.Left}},
		{name: "merged, the other edited", left: merged, right: edited, want: away.Fate{Deed: away.Rewire, Side: record.Left}},
		{name: "merged into a linked one", left: taken, right: here, want: ask(away.AskMerged)},
		{name: "merged into one of which a create is open", left: unsure, right: here, want: away.Fate{Deed: away.Await}},
		{name: "merged into one of which a create is open, the other gone", left: unsure, right: gone(away.GoneDelete), want: away.Fate{Deed: away.Await}},
		{name: "merged, the other gone", left: merged, right: gone(away.GoneDelete), want: away.Fate{Deed: away.Rewire, Side: record.Left}},
		{name: "both merged", left: merged, right: merged, want: away.Fate{Deed: away.Rewire, Side: record.Left}},
		{name: "there again", left: back, right: here, parted: true, want: ask(away.AskReturned)},
		{name: "there again, the other gone", left: back, right: gone(away.GoneDelete), parted: true, want: ask(away.AskReturned)},
		{name: "a stranger", left: foreign, right: here, want: away.Fate{Deed: away.Break, Side: record.Left, Question: away.AskForeign}},
		{name: "a stranger, parted", left: foreign, right: here, parted: true, want: away.Fate{Deed: away.Await}},
		{name: "a stranger, of a link that is over", left: foreign, right: gone(away.GoneHold), parted: true, over: true, want: away.Fate{Deed: away.Begin, Side: record.Left}},
		{name: "a stranger, of a link that is over, the other there again", left: foreign, right: back, parted: true, over: true, want: away.Fate{Deed: away.Begin, Side: record.Left}},
		{name: "there again, of a link that is over", left: back, right: gone(away.GoneHold), parted: true, over: true, want: ask(away.AskReturned)},
		{name: "a stranger, the other gone", left: foreign, right: gone(away.GoneDelete), want: away.Fate{Deed: away.Break, Side: record.Left, Question: away.AskForeign}},

		{name: "replaced, archive", left: replaced(away.GoneArchive), right: here, want: right(away.Carry)},
		{name: "replaced, delete, the old one edited", left: replaced(away.GoneDelete), right: edited, want: right(away.Carry)},
		{name: "replaced, hold", left: replaced(away.GoneHold), right: here, want: ask(away.AskGone)},
		{name: "replaced, ignore", left: replaced(away.GoneIgnore), right: here, want: right(away.Ignore)},
		{name: "replaced, unlink", left: replaced(away.GoneUnlink), right: here, want: right(away.Part)},
		{name: "replaced, not in place yet", left: waits, right: here, want: away.Fate{Deed: away.Await}},
		{name: "replaced, not in place yet, a choice", left: waits, right: here, choice: away.ChooseCarry, want: away.Fate{Deed: away.Await}},
		{name: "replaced, not in place yet, the other gone", left: waits, right: gone(away.GoneHold), want: away.Fate{Deed: away.End}},
		{name: "replaced, the other gone", left: replaced(away.GoneDelete), right: gone(away.GoneHold), want: away.Fate{Deed: away.End}},
		{name: "what never changes, there again", left: fixed, right: here, parted: true, want: away.Fate{Deed: away.Free, Side: record.Left}},
		{name: "what never changes, there again, the other gone", left: fixed, right: gone(""), parted: true, want: away.Fate{Deed: away.Free, Side: record.Left}},
		{name: "gone: carried over by a person", left: gone(away.GoneHold), right: edited, choice: away.ChooseCarry, want: right(away.Carry)},
		{name: "gone: left by a person", left: gone(away.GoneDelete), right: edited, choice: away.ChooseLeave, want: right(away.Part)},
		{name: "gone: made anew", left: gone(away.GoneHold), right: here, choice: away.ChooseAnew, want: right(away.Free)},
		{name: "gone: the same is no answer", left: gone(away.GoneHold), right: here, choice: away.ChooseSame, want: ask(away.AskGone)},
		{name: "merged: carried over", left: taken, right: here, choice: away.ChooseCarry, want: right(away.Carry)},
		{name: "merged: left", left: taken, right: here, choice: away.ChooseLeave, want: right(away.Part)},
		{name: "there again: the same", left: back, right: here, choice: away.ChooseSame, want: away.Fate{Deed: away.Resume, Side: record.Left}},
		{name: "there again: the same, the other gone", left: back, right: gone(away.GoneDelete), parted: true, choice: away.ChooseSame, want: away.Fate{Deed: away.Free, Side: record.Left}},
		{name: "there again: the same, the other not in a list", left: back, right: unlisted, choice: away.ChooseSame, want: away.Fate{Deed: away.Await}},
		{name: "there again: the same, the other not looked for", left: back, right: unseen, choice: away.ChooseSame, want: away.Fate{Deed: away.Resume, Side: record.Left}},
		{name: "there again: left", left: back, right: here, choice: away.ChooseLeave, want: right(away.Part)},
		{name: "there again: carried over is no answer", left: back, right: here, choice: away.ChooseCarry, want: ask(away.AskReturned)},
		{name: "a stranger: the same", left: foreign, right: here, choice: away.ChooseSame, want: away.Fate{Deed: away.Resume, Side: record.Left}},
		{name: "a stranger: the same, the other gone", left: foreign, right: gone(away.GoneDelete), choice: away.ChooseSame, want: away.Fate{Deed: away.Free, Side: record.Left}},
		{name: "a stranger that was merged: the same, the other gone", left: away.Standing{State: away.Foreign, Moved: true}, right: gone(away.GoneDelete), choice: away.ChooseSame, want: away.Fate{Deed: away.Resume, Side: record.Left}},
		{name: "a stranger: another", left: foreign, right: here, choice: away.ChooseAnew, want: away.Fate{Deed: away.Split, Side: record.Left}},
		{name: "a stranger: another, the other gone", left: foreign, right: gone(away.GoneDelete), choice: away.ChooseAnew, want: away.Fate{Deed: away.Split, Side: record.Left}},
		{name: "there again: another is no answer", left: back, right: here, choice: away.ChooseAnew, want: ask(away.AskReturned)},
		{name: "a choice where nothing is asked", left: here, right: here, choice: away.ChooseCarry, want: away.Fate{Deed: away.GoOn}},
		{name: "gone, delete, the other named", left: gone(away.GoneDelete), right: named, want: ask(away.AskNamed)},
		{name: "gone, archive, the other named", left: gone(away.GoneArchive), right: named, want: ask(away.AskNamed)},
		{name: "gone, hold, the other named", left: gone(away.GoneHold), right: named, want: ask(away.AskGone)},
		{name: "gone, unlink, the other named", left: gone(away.GoneUnlink), right: named, want: right(away.Part)},
		{name: "gone, delete, named by what is moved", left: gone(away.GoneDelete), right: moving, want: away.Fate{Deed: away.Await}},
		{name: "gone, delete, named by more than what is moved", left: gone(away.GoneDelete), right: both, want: away.Fate{Deed: away.Await}},
		{name: "named: carried over by a person", left: gone(away.GoneDelete), right: named, choice: away.ChooseCarry, want: right(away.Carry)},
		{name: "named: left by a person", left: gone(away.GoneDelete), right: named, choice: away.ChooseLeave, want: right(away.Part)},
		{name: "named: made anew", left: gone(away.GoneDelete), right: named, choice: away.ChooseAnew, want: right(away.Free)},
		{name: "named by what is moved: carried over", left: taken, right: moving, choice: away.ChooseCarry, want: away.Fate{Deed: away.Await}},
		{name: "a choice before the rule ignores", left: gone(away.GoneIgnore), right: here, choice: away.ChooseCarry, want: right(away.Carry)},
		{name: "a choice before the rule parts", left: gone(away.GoneUnlink), right: here, choice: away.ChooseAnew, want: right(away.Free)},
		{name: "a choice before the rule deletes", left: gone(away.GoneDelete), right: here, choice: away.ChooseLeave, want: right(away.Part)},
		{name: "no answer to a rule", left: gone(away.GoneDelete), right: here, choice: away.ChooseSame, want: right(away.Carry)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := away.Existing{Sides: [2]away.Standing{tt.left, tt.right}, Parted: tt.parted, Over: tt.over, Choice: tt.choice}
			if got := away.Gone(x); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if tt.left.State == away.Merged && tt.right.State == away.Merged {
				return // one after the other, the left first
			}
			if got := away.Gone(mirrored(x)); got != across(tt.want) {
				t.Errorf("sides swapped: got %+v, want %+v", got, across(tt.want))
			}
		})
	}
}

func mirrored(x away.Existing) away.Existing {
	x.Sides[0], x.Sides[1] = x.Sides[1], x.Sides[0]
	return x
}

// across is a fate with the sides swapped. One that concerns neither names the left.
func across(f away.Fate) away.Fate {
	switch f.Deed {
	case away.GoOn, away.Await, away.End:
	case away.Carry, away.Part, away.Ignore, away.Ask, away.Rewire, away.Break, away.Free, away.Resume, away.Split, away.Begin:
		f.Side = f.Side.Other()
	}
	return f
}

func existing(t *rapid.T) away.Existing {
	side := rapid.Custom(func(t *rapid.T) away.Standing {
		return away.Standing{
			State: rapid.SampledFrom([]away.Existence{away.Present, away.Absent, away.Merged, away.Returned, away.Foreign, away.Replaced}).Draw(t, "state"),
			Proof: rapid.SampledFrom([]away.Proof{away.Unseen, away.Unlisted, away.ReadAway, away.ToldAway}).Draw(t, "proof"),
			Policy: rapid.SampledFrom([]away.GonePolicy{
				"", away.GoneHold, away.GoneDelete, away.GoneArchive, away.GoneUnlink, away.GoneIgnore,
			}).Draw(t, "policy"),
			Changed: rapid.Bool().Draw(t, "changed"),
			Taken:   rapid.Bool().Draw(t, "taken"),
			Unsure:  rapid.Bool().Draw(t, "unsure"),
			Fixed:   rapid.Bool().Draw(t, "fixed"),
			Lone:    rapid.Bool().Draw(t, "lone"),
			Refused: rapid.Bool().Draw(t, "refused"),
		}
	})
	return away.Existing{
		Sides:  [2]away.Standing{side.Draw(t, "left"), side.Draw(t, "right")},
		Parted: rapid.Bool().Draw(t, "parted"),
		Choice: rapid.SampledFrom([]away.GoneChoice{
			away.ChooseNone, away.ChooseCarry, away.ChooseLeave, away.ChooseAnew, away.ChooseSame,
		}).Draw(t, "choice"),
	}
}

// An absence that no read and no word of the system proves is none, whatever policy
// or choice there is: both records count as there.
func TestGoneActsOnProofAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := existing(t)
		weak := []away.Proof{away.Unseen, away.Unlisted}
		for i := range x.Sides {
			x.Sides[i].State = rapid.SampledFrom([]away.Existence{away.Present, away.Absent}).Draw(t, "weak state")
			x.Sides[i].Proof = rapid.SampledFrom(weak).Draw(t, "weak proof")
		}
		f := away.Gone(x)
		if f.Deed != away.GoOn && (f.Deed != away.Await || !x.Parted) {
			t.Fatalf("%+v: got %+v", x, f)
		}
	})
}

// A system is written to only if one record is proven to be gone, or merged into one
// that has a partner already, and the other is there; and where it was edited, or no
// policy says so, only if a person did.
func TestGoneWritesOnlyWhereBothAreKnown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := existing(t)
		f := away.Gone(x)
		if f.Deed != away.Carry {
			return
		}
		here, gone := x.Sides[f.Side], x.Sides[f.Side.Other()]
		proven := gone.State == away.Absent && gone.Proof >= away.ReadAway || gone.State == away.Merged && gone.Taken ||
			gone.State == away.Replaced && !gone.Unsure
		asked := gone.State != away.Replaced && (here.Changed || gone.Lone) || gone.State == away.Merged || here.Refused ||
			gone.Policy != away.GoneDelete && gone.Policy != away.GoneArchive
		switch {
		case here.State != away.Present:
			t.Fatalf("%+v: writes to a record that is not known to be there", x)
		case !proven:
			t.Fatalf("%+v: writes without a proof", x)
		case asked && x.Choice != away.ChooseCarry:
			t.Fatalf("%+v: writes what a person had to be asked about", x)
		}
	})
}

// Both gone ends the link, whatever else is said; no policy and no choice writes then.
func TestGoneOnBothSidesEndsTheLink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := existing(t)
		for i := range x.Sides {
			x.Sides[i].State = away.Absent
			x.Sides[i].Proof = rapid.SampledFrom([]away.Proof{away.ReadAway, away.ToldAway}).Draw(t, "strong proof")
		}
		if f := away.Gone(x); f.Deed != away.End {
			t.Fatalf("%+v: got %+v", x, f)
		}
	})
}

// Swapping the sides swaps what is decided. Where both sides are a case of their own
// one comes after the other, and the left is first.
func TestGoneIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := existing(t)
		if x.Sides[0].State == x.Sides[1].State && x.Sides[0].State != away.Absent && x.Sides[0].State != away.Present {
			return
		}
		if got, want := away.Gone(mirrored(x)), across(away.Gone(x)); got != want {
			t.Fatalf("%+v: swapped got %+v, want %+v", x, got, want)
		}
	})
}
