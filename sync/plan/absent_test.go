package plan_test

import (
	"testing"

	"pgregory.net/rapid"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// away is a record of which it is proven that it is not there.
func away(p plan.GonePolicy) plan.Standing {
	return plan.Standing{State: plan.Absent, Proof: plan.ReadAway, Policy: p}
}

func TestGone(t *testing.T) {
	here := plan.Standing{}
	edited := plan.Standing{Changed: true}
	merged := plan.Standing{State: plan.Merged}
	taken := plan.Standing{State: plan.Merged, Taken: true}
	unsure := plan.Standing{State: plan.Merged, Unsure: true}
	back := plan.Standing{State: plan.Returned}
	foreign := plan.Standing{State: plan.Foreign}
	unlisted := plan.Standing{State: plan.Absent, Proof: plan.Unlisted, Policy: plan.GoneDelete}
	unseen := plan.Standing{State: plan.Absent, Proof: plan.Unseen, Policy: plan.GoneDelete}
	told := plan.Standing{State: plan.Absent, Proof: plan.ToldAway, Policy: plan.GoneDelete}
	lone := plan.Standing{State: plan.Absent, Proof: plan.ReadAway, Policy: plan.GoneDelete, Lone: true}
	lost := plan.Standing{State: plan.Absent, Proof: plan.ReadAway, Policy: plan.GoneDelete, Lost: true}
	anew := func(p plan.GonePolicy) plan.Standing {
		return plan.Standing{State: plan.Absent, Proof: plan.ReadAway, Policy: p, Anew: true}
	}
	replaced := func(p plan.GonePolicy) plan.Standing { return plan.Standing{State: plan.Replaced, Policy: p} }
	waits := plan.Standing{State: plan.Replaced, Policy: plan.GoneDelete, Unsure: true}
	fixed := plan.Standing{State: plan.Returned, Fixed: true}
	by := []record.Ref{{Kind: "stays", ID: "3"}}
	named := plan.Standing{NamedBy: plan.NamedBy{By: by}}
	moving := plan.Standing{NamedBy: plan.NamedBy{Await: "it waits for stays:3 to be moved"}}
	both := plan.Standing{NamedBy: plan.NamedBy{By: by, Await: "it waits for stays:4 to be moved"}}
	ask := func(q plan.Question) plan.Fate { return plan.Fate{Deed: plan.Ask, Side: record.Left, Question: q} }
	right := func(d plan.Deed) plan.Fate { return plan.Fate{Deed: d, Side: record.Right} }

	for _, tt := range []struct {
		name        string
		left, right plan.Standing
		parted      bool
		over        bool
		choice      plan.GoneChoice
		want        plan.Fate
	}{
		{name: "both there", left: here, right: here, want: plan.Fate{Deed: plan.GoOn}},
		{name: "both edited", left: edited, right: edited, want: plan.Fate{Deed: plan.GoOn}},
		{name: "not seen", left: unseen, right: here, want: plan.Fate{Deed: plan.GoOn}},
		{name: "not in a complete list", left: unlisted, right: here, want: plan.Fate{Deed: plan.GoOn}},
		{name: "neither in a complete list", left: unlisted, right: unlisted, want: plan.Fate{Deed: plan.GoOn}},
		{name: "gone, no policy", left: away(""), right: here, want: ask(plan.AskGone)},
		{name: "gone, hold", left: away(plan.GoneHold), right: here, want: ask(plan.AskGone)},
		{name: "gone, delete", left: away(plan.GoneDelete), right: here, want: right(plan.Carry)},
		{name: "lacking in an older copy that gets all once more", left: lost, right: here, want: right(plan.Free)},
		{name: "said to be gone, delete", left: told, right: here, want: right(plan.Carry)},
		{name: "gone, archive", left: away(plan.GoneArchive), right: here, want: right(plan.Carry)},
		{name: "gone, unlink", left: away(plan.GoneUnlink), right: here, want: right(plan.Part)},
		{name: "gone, ignore", left: away(plan.GoneIgnore), right: here, want: right(plan.Ignore)},
		{name: "gone, the other edited, delete", left: away(plan.GoneDelete), right: edited, want: ask(plan.AskEdited)},
		{name: "gone, the other edited, archive", left: away(plan.GoneArchive), right: edited, want: ask(plan.AskEdited)},
		{name: "gone, the other edited, hold", left: away(plan.GoneHold), right: edited, want: ask(plan.AskEdited)},
		{name: "gone, the other edited, unlink", left: away(plan.GoneUnlink), right: edited, want: right(plan.Part)},
		{name: "gone, the other edited, ignore", left: away(plan.GoneIgnore), right: edited, want: right(plan.Ignore)},
		{name: "gone, the other not seen", left: away(plan.GoneDelete), right: unseen, want: plan.Fate{Deed: plan.Await}},
		{name: "gone, the other not in a list", left: away(plan.GoneUnlink), right: unlisted, want: plan.Fate{Deed: plan.Await}},
		{name: "gone as all others", left: lone, right: here, want: ask(plan.AskAlone)},
		{name: "gone, delete, refused", left: away(plan.GoneDelete), right: plan.Standing{Refused: true}, want: ask(plan.AskRefused)},
		{name: "gone, hold, refused", left: away(plan.GoneHold), right: plan.Standing{Refused: true}, want: ask(plan.AskRefused)},
		{name: "gone, delete, refused, and a person wants it", left: away(plan.GoneDelete), right: plan.Standing{Refused: true}, choice: plan.ChooseCarry, want: right(plan.Carry)},
		{name: "gone, delete, no such thing", left: away(plan.GoneDelete), right: plan.Standing{Unable: true}, want: ask(plan.AskUnable)},
		{name: "gone, hold, no such thing", left: away(plan.GoneHold), right: plan.Standing{Unable: true}, want: ask(plan.AskUnable)},
		{name: "gone, edited, no such thing", left: away(plan.GoneDelete), right: plan.Standing{Unable: true, Changed: true}, want: ask(plan.AskUnable)},
		{name: "gone, no such thing, and a person wants it", left: away(plan.GoneHold), right: plan.Standing{Unable: true}, choice: plan.ChooseCarry, want: ask(plan.AskUnable)},
		{name: "gone, no such thing: left", left: away(plan.GoneHold), right: plan.Standing{Unable: true}, choice: plan.ChooseLeave, want: right(plan.Part)},
		{name: "gone, unlink, no such thing", left: away(plan.GoneUnlink), right: plan.Standing{Unable: true}, want: right(plan.Part)},
		{name: "gone, entered anew, delete", left: anew(plan.GoneDelete), right: here, want: ask(plan.AskAnew)},
		{name: "gone, entered anew, archive", left: anew(plan.GoneArchive), right: here, want: ask(plan.AskAnew)},
		{name: "gone, entered anew, hold", left: anew(plan.GoneHold), right: here, want: ask(plan.AskGone)},
		{name: "gone, entered anew, unlink", left: anew(plan.GoneUnlink), right: here, want: right(plan.Part)},
		{name: "gone, entered anew, the other edited", left: anew(plan.GoneDelete), right: edited, want: ask(plan.AskEdited)},
		{name: "gone, entered anew: joined", left: anew(plan.GoneDelete), right: here, choice: plan.ChooseAnew, want: right(plan.Free)},
		{name: "gone, entered anew: carried over", left: anew(plan.GoneDelete), right: here, choice: plan.ChooseCarry, want: right(plan.Carry)},
		{name: "both gone", left: away(plan.GoneHold), right: away(plan.GoneDelete), want: plan.Fate{Deed: plan.End}},
		{name: "both gone, parted", left: away(plan.GoneHold), right: away(plan.GoneHold), parted: true, want: plan.Fate{Deed: plan.End}},
		{name: "gone, parted", left: away(plan.GoneDelete), right: here, parted: true, want: plan.Fate{Deed: plan.Await}},
		{name: "merged", left: merged, right: here, want: plan.Fate{Deed: plan.Rewire, Side: record.Left}},
		{name: "merged, the other edited", left: merged, right: edited, want: plan.Fate{Deed: plan.Rewire, Side: record.Left}},
		{name: "merged into a linked one", left: taken, right: here, want: ask(plan.AskMerged)},
		{name: "merged into one of which a create is open", left: unsure, right: here, want: plan.Fate{Deed: plan.Await}},
		{name: "merged into one of which a create is open, the other gone", left: unsure, right: away(plan.GoneDelete), want: plan.Fate{Deed: plan.Await}},
		{name: "merged, the other gone", left: merged, right: away(plan.GoneDelete), want: plan.Fate{Deed: plan.Rewire, Side: record.Left}},
		{name: "both merged", left: merged, right: merged, want: plan.Fate{Deed: plan.Rewire, Side: record.Left}},
		{name: "there again", left: back, right: here, parted: true, want: ask(plan.AskReturned)},
		{name: "there again, the other gone", left: back, right: away(plan.GoneDelete), parted: true, want: ask(plan.AskReturned)},
		{name: "a stranger", left: foreign, right: here, want: plan.Fate{Deed: plan.Break, Side: record.Left, Question: plan.AskForeign}},
		{name: "a stranger, parted", left: foreign, right: here, parted: true, want: plan.Fate{Deed: plan.Await}},
		{name: "a stranger, of a link that is over", left: foreign, right: away(plan.GoneHold), parted: true, over: true, want: plan.Fate{Deed: plan.Begin, Side: record.Left}},
		{name: "a stranger, of a link that is over, the other there again", left: foreign, right: back, parted: true, over: true, want: plan.Fate{Deed: plan.Begin, Side: record.Left}},
		{name: "there again, of a link that is over", left: back, right: away(plan.GoneHold), parted: true, over: true, want: ask(plan.AskReturned)},
		{name: "a stranger, the other gone", left: foreign, right: away(plan.GoneDelete), want: plan.Fate{Deed: plan.Break, Side: record.Left, Question: plan.AskForeign}},

		{name: "replaced, archive", left: replaced(plan.GoneArchive), right: here, want: right(plan.Carry)},
		{name: "replaced, delete, the old one edited", left: replaced(plan.GoneDelete), right: edited, want: right(plan.Carry)},
		{name: "replaced, hold", left: replaced(plan.GoneHold), right: here, want: ask(plan.AskGone)},
		{name: "replaced, ignore", left: replaced(plan.GoneIgnore), right: here, want: right(plan.Ignore)},
		{name: "replaced, unlink", left: replaced(plan.GoneUnlink), right: here, want: right(plan.Part)},
		{name: "replaced, not in place yet", left: waits, right: here, want: plan.Fate{Deed: plan.Await}},
		{name: "replaced, not in place yet, a choice", left: waits, right: here, choice: plan.ChooseCarry, want: plan.Fate{Deed: plan.Await}},
		{name: "replaced, not in place yet, the other gone", left: waits, right: away(plan.GoneHold), want: plan.Fate{Deed: plan.End}},
		{name: "replaced, the other gone", left: replaced(plan.GoneDelete), right: away(plan.GoneHold), want: plan.Fate{Deed: plan.End}},
		{name: "what never changes, there again", left: fixed, right: here, parted: true, want: plan.Fate{Deed: plan.Free, Side: record.Left}},
		{name: "what never changes, there again, the other gone", left: fixed, right: away(""), parted: true, want: plan.Fate{Deed: plan.Free, Side: record.Left}},
		{name: "gone: carried over by a person", left: away(plan.GoneHold), right: edited, choice: plan.ChooseCarry, want: right(plan.Carry)},
		{name: "gone: left by a person", left: away(plan.GoneDelete), right: edited, choice: plan.ChooseLeave, want: right(plan.Part)},
		{name: "gone: made anew", left: away(plan.GoneHold), right: here, choice: plan.ChooseAnew, want: right(plan.Free)},
		{name: "gone: the same is no answer", left: away(plan.GoneHold), right: here, choice: plan.ChooseSame, want: ask(plan.AskGone)},
		{name: "merged: carried over", left: taken, right: here, choice: plan.ChooseCarry, want: right(plan.Carry)},
		{name: "merged: left", left: taken, right: here, choice: plan.ChooseLeave, want: right(plan.Part)},
		{name: "there again: the same", left: back, right: here, choice: plan.ChooseSame, want: plan.Fate{Deed: plan.Resume, Side: record.Left}},
		{name: "there again: the same, the other gone", left: back, right: away(plan.GoneDelete), parted: true, choice: plan.ChooseSame, want: plan.Fate{Deed: plan.Free, Side: record.Left}},
		{name: "there again: the same, the other not in a list", left: back, right: unlisted, choice: plan.ChooseSame, want: plan.Fate{Deed: plan.Await}},
		{name: "there again: the same, the other not looked for", left: back, right: unseen, choice: plan.ChooseSame, want: plan.Fate{Deed: plan.Resume, Side: record.Left}},
		{name: "there again: left", left: back, right: here, choice: plan.ChooseLeave, want: right(plan.Part)},
		{name: "there again: carried over is no answer", left: back, right: here, choice: plan.ChooseCarry, want: ask(plan.AskReturned)},
		{name: "a stranger: the same", left: foreign, right: here, choice: plan.ChooseSame, want: plan.Fate{Deed: plan.Resume, Side: record.Left}},
		{name: "a stranger: the same, the other gone", left: foreign, right: away(plan.GoneDelete), choice: plan.ChooseSame, want: plan.Fate{Deed: plan.Free, Side: record.Left}},
		{name: "a stranger that was merged: the same, the other gone", left: plan.Standing{State: plan.Foreign, Moved: true}, right: away(plan.GoneDelete), choice: plan.ChooseSame, want: plan.Fate{Deed: plan.Resume, Side: record.Left}},
		{name: "a stranger: another", left: foreign, right: here, choice: plan.ChooseAnew, want: plan.Fate{Deed: plan.Split, Side: record.Left}},
		{name: "a stranger: another, the other gone", left: foreign, right: away(plan.GoneDelete), choice: plan.ChooseAnew, want: plan.Fate{Deed: plan.Split, Side: record.Left}},
		{name: "there again: another is no answer", left: back, right: here, choice: plan.ChooseAnew, want: ask(plan.AskReturned)},
		{name: "a choice where nothing is asked", left: here, right: here, choice: plan.ChooseCarry, want: plan.Fate{Deed: plan.GoOn}},
		{name: "gone, delete, the other named", left: away(plan.GoneDelete), right: named, want: ask(plan.AskNamed)},
		{name: "gone, archive, the other named", left: away(plan.GoneArchive), right: named, want: ask(plan.AskNamed)},
		{name: "gone, hold, the other named", left: away(plan.GoneHold), right: named, want: ask(plan.AskGone)},
		{name: "gone, unlink, the other named", left: away(plan.GoneUnlink), right: named, want: right(plan.Part)},
		{name: "gone, delete, named by what is moved", left: away(plan.GoneDelete), right: moving, want: plan.Fate{Deed: plan.Await}},
		{name: "gone, delete, named by more than what is moved", left: away(plan.GoneDelete), right: both, want: plan.Fate{Deed: plan.Await}},
		{name: "named: carried over by a person", left: away(plan.GoneDelete), right: named, choice: plan.ChooseCarry, want: right(plan.Carry)},
		{name: "named: left by a person", left: away(plan.GoneDelete), right: named, choice: plan.ChooseLeave, want: right(plan.Part)},
		{name: "named: made anew", left: away(plan.GoneDelete), right: named, choice: plan.ChooseAnew, want: right(plan.Free)},
		{name: "named by what is moved: carried over", left: taken, right: moving, choice: plan.ChooseCarry, want: plan.Fate{Deed: plan.Await}},
		{name: "a choice before the rule ignores", left: away(plan.GoneIgnore), right: here, choice: plan.ChooseCarry, want: right(plan.Carry)},
		{name: "a choice before the rule parts", left: away(plan.GoneUnlink), right: here, choice: plan.ChooseAnew, want: right(plan.Free)},
		{name: "a choice before the rule deletes", left: away(plan.GoneDelete), right: here, choice: plan.ChooseLeave, want: right(plan.Part)},
		{name: "no answer to a rule", left: away(plan.GoneDelete), right: here, choice: plan.ChooseSame, want: right(plan.Carry)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := plan.Existing{Sides: [2]plan.Standing{tt.left, tt.right}, Parted: tt.parted, Over: tt.over, Choice: tt.choice}
			if got := plan.Gone(x); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if tt.left.State == plan.Merged && tt.right.State == plan.Merged {
				return // one after the other, the left first
			}
			if got := plan.Gone(mirrored(x)); got != across(tt.want) {
				t.Errorf("sides swapped: got %+v, want %+v", got, across(tt.want))
			}
		})
	}
}

func mirrored(x plan.Existing) plan.Existing {
	x.Sides[0], x.Sides[1] = x.Sides[1], x.Sides[0]
	return x
}

// across is a fate with the sides swapped. One that concerns neither names the left.
func across(f plan.Fate) plan.Fate {
	switch f.Deed {
	case plan.GoOn, plan.Await, plan.End:
	case plan.Carry, plan.Part, plan.Ignore, plan.Ask, plan.Rewire, plan.Break, plan.Free, plan.Resume, plan.Split, plan.Begin:
		f.Side = f.Side.Other()
	}
	return f
}

func existing(t *rapid.T) plan.Existing {
	side := rapid.Custom(func(t *rapid.T) plan.Standing {
		return plan.Standing{
			State: rapid.SampledFrom([]plan.Existence{plan.Present, plan.Absent, plan.Merged, plan.Returned, plan.Foreign, plan.Replaced}).Draw(t, "state"),
			Proof: rapid.SampledFrom([]plan.Proof{plan.Unseen, plan.Unlisted, plan.ReadAway, plan.ToldAway}).Draw(t, "proof"),
			Policy: rapid.SampledFrom([]plan.GonePolicy{
				"", plan.GoneHold, plan.GoneDelete, plan.GoneArchive, plan.GoneUnlink, plan.GoneIgnore,
			}).Draw(t, "policy"),
			Changed: rapid.Bool().Draw(t, "changed"),
			Taken:   rapid.Bool().Draw(t, "taken"),
			Unsure:  rapid.Bool().Draw(t, "unsure"),
			Fixed:   rapid.Bool().Draw(t, "fixed"),
			Lone:    rapid.Bool().Draw(t, "lone"),
			Refused: rapid.Bool().Draw(t, "refused"),
		}
	})
	return plan.Existing{
		Sides:  [2]plan.Standing{side.Draw(t, "left"), side.Draw(t, "right")},
		Parted: rapid.Bool().Draw(t, "parted"),
		Choice: rapid.SampledFrom([]plan.GoneChoice{
			plan.ChooseNone, plan.ChooseCarry, plan.ChooseLeave, plan.ChooseAnew, plan.ChooseSame,
		}).Draw(t, "choice"),
	}
}

// An absence that no read and no word of the system proves is none, whatever policy
// or choice there is: both records count as there.
func TestGoneActsOnProofAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := existing(t)
		weak := []plan.Proof{plan.Unseen, plan.Unlisted}
		for i := range x.Sides {
			x.Sides[i].State = rapid.SampledFrom([]plan.Existence{plan.Present, plan.Absent}).Draw(t, "weak state")
			x.Sides[i].Proof = rapid.SampledFrom(weak).Draw(t, "weak proof")
		}
		f := plan.Gone(x)
		if f.Deed != plan.GoOn && (f.Deed != plan.Await || !x.Parted) {
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
		f := plan.Gone(x)
		if f.Deed != plan.Carry {
			return
		}
		here, gone := x.Sides[f.Side], x.Sides[f.Side.Other()]
		proven := gone.State == plan.Absent && gone.Proof >= plan.ReadAway || gone.State == plan.Merged && gone.Taken ||
			gone.State == plan.Replaced && !gone.Unsure
		asked := gone.State != plan.Replaced && (here.Changed || gone.Lone) || gone.State == plan.Merged || here.Refused ||
			gone.Policy != plan.GoneDelete && gone.Policy != plan.GoneArchive
		switch {
		case here.State != plan.Present:
			t.Fatalf("%+v: writes to a record that is not known to be there", x)
		case !proven:
			t.Fatalf("%+v: writes without a proof", x)
		case asked && x.Choice != plan.ChooseCarry:
			t.Fatalf("%+v: writes what a person had to be asked about", x)
		}
	})
}

// Both gone ends the link, whatever else is said; no policy and no choice writes then.
func TestGoneOnBothSidesEndsTheLink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := existing(t)
		for i := range x.Sides {
			x.Sides[i].State = plan.Absent
			x.Sides[i].Proof = rapid.SampledFrom([]plan.Proof{plan.ReadAway, plan.ToldAway}).Draw(t, "strong proof")
		}
		if f := plan.Gone(x); f.Deed != plan.End {
			t.Fatalf("%+v: got %+v", x, f)
		}
	})
}

// Swapping the sides swaps what is decided. Where both sides are a case of their own
// one comes after the other, and the left is first.
func TestGoneIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := existing(t)
		if x.Sides[0].State == x.Sides[1].State && x.Sides[0].State != plan.Absent && x.Sides[0].State != plan.Present {
			return
		}
		if got, want := plan.Gone(mirrored(x)), across(plan.Gone(x)); got != want {
			t.Fatalf("%+v: swapped got %+v, want %+v", x, got, want)
		}
	})
}
