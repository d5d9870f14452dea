package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// absence is a link of which a record is gone, and what is decided because of that.
type absence struct {
	fate     plan.Fate
	pair     record.Pair
	sides    [2]seenSide
	tombs    [2]record.Tombstone
	to       [2]int64                   // the entry that a merged record is now
	newer    [2]record.Entry            // what is to be in a record's place across before that goes: a newer version, or one that holds the same
	anew     []entered                  // what may be the record that is gone, entered anew
	beside   []record.Ref               // what else that may be, across, where something was entered anew
	joins    bool                       // a person said that it was entered anew, and as what
	undone   bool                       // the link can't go on yet with the record that the person named
	unsure   [2]string                  // why the link can't go on with that one, or end, yet
	question []record.Conflict          // for Ask and Break: one
	asked    map[string]record.Conflict // what persons are asked about the link, and decided, by field
	changes  []plan.Action              // by which the absence would be carried over
	cant     string                     // why it can't be
	steps    int                        // of the changes, where they are made
	named    plan.NamedBy               // what goes by the record that may go
}

// mayBeGone reports whether a link is one of which a record is gone, or only
// remembered.
func (r *run) mayBeGone(p record.Pair) bool {
	for side, e := range p.Sides {
		if aside(e.State) || r.isAnother(r.job, record.Side(side), e) {
			return true
		}
	}
	return p.State.Ended()
}

// decideGone decides a link of which a record is gone. It reports false for one that is
// like any other.
func (r *run) decideGone(ctx context.Context, p record.Pair) (decided, bool, error) {
	if err := r.noteGivenAgain(ctx, p); err != nil {
		return decided{}, false, err
	}
	if !r.mayBeGone(p) {
		return decided{}, false, nil
	}
	a := &absence{pair: p}
	x, err := r.existing(ctx, a)
	if err != nil {
		return decided{}, false, err
	}
	a.fate = plan.Gone(x)
	if a.fate.Deed == plan.GoOn {
		return decided{}, false, nil
	}
	d := decided{link: p.Link, entity: p.Entity, gone: a}
	for side, e := range a.pair.Sides {
		d.entries[side], d.refs[side] = e.Num, e.Ref
	}
	if a.fate.Deed == plan.Carry {
		d.verdict.Actions = r.carried(a, x)
	}
	if a.fate.Deed == plan.Ask || a.fate.Deed == plan.Break {
		r.ask(a, x)
	}
	if may, is := plan.MayGo(x); is && a.fate.Deed == plan.Await {
		r.note(may, a.pair.Sides[may].Ref, record.Waiting, a.named.Await)
	}
	r.promise(a, x)
	d.verdict.Conflicts = a.question
	r.absences[p.Link] = *a
	return d, true, nil
}

// existing is what is known of both records of a link.
func (r *run) existing(ctx context.Context, a *absence) (plan.Existing, error) {
	x := plan.Existing{Parted: a.pair.State == record.LinkParted || a.pair.State == record.LinkGone, Over: a.pair.State == record.LinkGone}
	var err error
	if a.asked, err = r.Store.Choices(ctx, a.pair.Link); err != nil {
		return x, fmt.Errorf("look what persons are asked: %w", err)
	}
	for _, side := range record.Sides {
		if x.Sides[side], err = r.standing(ctx, a, side); err != nil {
			return x, err
		}
	}
	for _, side := range record.Sides {
		if x.Sides[side].State != plan.Present {
			continue
		}
		changed, err := r.survivor(ctx, a, side)
		if err != nil {
			return x, err
		}
		x.Sides[side].Changed = changed
	}
	if err := r.mayBeAnew(ctx, a, &x); err != nil {
		return x, err
	}
	x.Choice = r.goneChoice(a, x)
	if err := r.goesOnAnew(ctx, a, &x); err != nil {
		return x, err
	}
	if side, may := plan.MayGo(x); may && x.Sides[side].State == plan.Present {
		if a.named, err = r.namedBy(ctx, a, side); err != nil {
			return x, err
		}
		x.Sides[side].NamedBy = a.named
		a.changes, a.cant = r.carry(a, x, side)
		x.Sides[side].Unable, x.Sides[side].Refused = a.cant != "", r.goneWasRefused(a.changes)
	}
	x.Choice = r.goneChoice(a, x)
	return x, nil
}

// goesOnAnew notes of a record that is gone which one a person said it is, entered anew.
func (r *run) goesOnAnew(ctx context.Context, a *absence, x *plan.Existing) error {
	for _, side := range record.Sides {
		if x.Choice != plan.ChooseAnew || x.Sides[side].State != plan.Absent {
			continue
		}
		num, err := r.newcomer(ctx, a, side)
		if err != nil {
			return err
		}
		if num != 0 {
			a.to[side], a.joins, x.Sides[side].Known = num, true, true
		} else if said, is := saidAnew(a.asked[RecordField]); is && slices.Contains(a.anew, said) { // made anew beside it, it would be there twice
			a.undone = true
		}
	}
	return nil
}

// standing is how one record of a link stands, but for whether it was edited.
func (r *run) standing(ctx context.Context, a *absence, side record.Side) (plan.Standing, error) {
	e := a.pair.Sides[side]
	s := plan.Standing{Policy: r.side(side.Other()).Gone.Policy, Fixed: r.side(side).Can.Immutable}
	switch {
	case e.State != record.Gone && r.isAnother(r.job, side, e): // whatever one that is gone was, it is not there
		s.State = plan.Foreign
		var err error
		if _, s.Given, err = r.Store.Tombstone(ctx, e.Num); err != nil {
			return s, err
		}
		over := a.pair.State == record.LinkGone || a.pair.State == record.LinkParted && s.Given
		if over && r.mayBeBack(ctx, side, e) {
			s.State = plan.Returned
		}
		return s, nil
	case e.State == record.Suspect, e.State == record.Missed:
		s.State, s.Proof = plan.Absent, plan.Unlisted
		return s, nil
	case e.State == record.OutOfScope:
		s.State, s.Proof = plan.Absent, plan.Unseen
		return s, nil
	case e.State != record.Gone && !a.pair.State.Ended():
		return s, nil
	}
	t, ok, err := r.Store.Tombstone(ctx, e.Num)
	if err != nil {
		return s, err
	}
	a.tombs[side] = t
	switch {
	case e.State != record.Gone:
		if ok && t.Done.Acted() {
			s.State = plan.Returned
		}
		return s, nil
	case !ok: // of an earlier version: it will be read again
		s.State, s.Proof = plan.Absent, plan.Unlisted
		return s, nil
	case t.Evidence == record.EvidenceMerged:
		return s, r.mergedInto(ctx, a, side, t, &s)
	case t.Evidence == record.EvidenceReplaced:
		if is, err := r.replaced(ctx, a, side, t, &s); err != nil || is {
			return s, err
		}
	}
	s.State, s.Proof = plan.Absent, plan.ReadAway
	if s.Lost, err = r.copyLacks(ctx, side, e.Num, t.At); err != nil {
		return s, err
	}
	s.Lone, err = r.isAlone(ctx, side)
	return s, err
}

// mergedInto is how a record stands that was merged into another: as that one, or as
// gone where that is gone, too. Of one that may be a stranger a person is asked still.
func (r *run) mergedInto(ctx context.Context, a *absence, side record.Side, t record.Tombstone, s *plan.Standing) error {
	s.State, s.Proof = plan.Absent, plan.ToldAway
	to, newer, ok, err := r.isNow(ctx, side, t)
	if err != nil || !ok {
		return err
	}
	taken := to.Link != 0 || r.promisedElse(to.Num, a.pair.Link)
	switch {
	case newer: // under its other name
		_, err := r.replaced(ctx, a, side, t, s)
		return err
	case taken && s.Fixed: // two that hold the same, of which one is left
		return r.leftTo(ctx, a, side, to, s)
	case a.pair.State == record.LinkBroken: // nobody has said yet that it was ours that was merged
		s.State, s.Taken, s.Moved, a.to[side] = plan.Foreign, taken, true, to.Num
		a.unsure[side] = "a person is asked whether it was the record that was linked"
		return nil
	}
	s.State, s.Taken, a.to[side] = plan.Merged, taken, to.Num
	if a.unsure[side] = r.doubtful[to.Num]; r.open[to.Num] {
		a.unsure[side] = "nobody knows yet what became of the create that was sent for it"
	}
	s.Unsure = a.unsure[side] != ""
	return nil
}

// isNow is what a record is that was merged into another; false where that is gone. What
// never changes is followed on, to a newer version too.
func (r *run) isNow(ctx context.Context, side record.Side, t record.Tombstone) (to record.Entry, newer, ok bool, err error) {
	if r.side(side).Can.Immutable {
		v, ok, err := r.newestVersion(ctx, side, t)
		return v.Entry, v.newer, ok, err
	}
	to, ok, err = r.Store.Entry(ctx, r.place(side), record.Ref{Kind: r.side(side).Kind, ID: t.Moved})
	return to, false, ok && to.State != record.Gone, err
}

// promise keeps what the records of a link were merged into from getting a counterpart of
// its own while the link may go on with it.
func (r *run) promise(a *absence, x plan.Existing) {
	for side, s := range x.Sides {
		if (s.State == plan.Merged || s.Known || s.State == plan.Foreign && a.to[side] != 0) && !s.Taken && !x.Parted {
			r.promised[a.to[side]] = a.pair.Link
		}
	}
}

// promisedElse reports whether a record is promised to another link than this one. A run may decide a link twice,
// and then finds the promise that it made to that same link.
func (r *run) promisedElse(num int64, link record.LinkID) bool {
	to, is := r.promised[num]
	return is && to != link
}

// isAlone reports whether no linked record of a side is there but those that are gone. Where
// an edit is another record, one whose place another has taken vouches for its system, too.
func (r *run) isAlone(ctx context.Context, side record.Side) (bool, error) {
	if r.rep.Counts[side.String()+".replaced"]+r.rep.Counts[side.String()+".merged"] > 0 && r.side(side).Can.Immutable {
		return false, nil
	}
	if r.alone[side] == nil {
		some, err := r.Store.Sample(ctx, r.place(side), 1)
		if err != nil {
			return false, err
		}
		none := len(some) == 0
		r.alone[side] = &none
	}
	return *r.alone[side], nil
}

// survivor looks at the record of a link that is there, and reports whether it was
// edited since the link was in step, or may have been. What a person said of it is an edit.
func (r *run) survivor(ctx context.Context, a *absence, side record.Side) (bool, error) {
	e := a.pair.Sides[side]
	if r.job.Seal != nil && r.hides(side, e) {
		failed := 0
		_, err := r.readRef(ctx, side, e.Ref)
		if stop := r.passOver(side, err, &failed); stop != nil {
			return true, stop
		}
		fresh, ok, err := r.Store.Pair(ctx, a.pair.Link)
		if err != nil || !ok {
			return true, err
		}
		e, a.pair = fresh.Sides[side], fresh
	}
	s, err := r.sideOf(ctx, side, e)
	if err != nil {
		return true, err
	}
	a.sides[side] = s
	if e.State != record.InStep || e.Base == nil || r.changed(side, s.Side) || r.uncovered(s.Side) || e.Revision.Moved() {
		return true, nil
	}
	return r.saidAlone(ctx, a, side)
}

// uncovered reports whether a record shows a value that it never showed before, and that no
// other configuration asks for: whether it was edited nobody knows.
func (r *run) uncovered(s plan.Side) bool {
	for f, now := range s.Now {
		if _, settled := s.Settled[f]; s.Seen && !settled && !now.Empty() && !r.book.remapped[f] {
			return true
		}
	}
	return false
}

// carried is the changes by which an absence is carried over, unless a person rejected them.
func (r *run) carried(a *absence, x plan.Existing) []plan.Action {
	if r.rejectedGone(a.changes) {
		a.fate = plan.Fate{Deed: plan.Part, Side: a.fate.Side}
		return nil
	}
	a.steps = len(a.changes)
	return letGo(a.changes, x.Choice)
}

// rejectedGone reports whether a person rejected that an absence is carried over: the
// record that is there goes its own way from then on.
func (r *run) rejectedGone(actions []plan.Action) bool {
	return slices.ContainsFunc(actions, func(a plan.Action) bool {
		_, no := r.book.rejected[a.Digest()]
		return no
	})
}

// letGo marks what a person chose for this very record: no guard counts it.
func letGo(actions []plan.Action, choice plan.GoneChoice) []plan.Action {
	for i := range actions {
		actions[i].Let = choice == plan.ChooseCarry
	}
	return actions
}

// goneWasRefused reports whether a system said no to deleting a record, or to putting it
// aside: it is not asked again by itself, for a person can say what is to become of it,
// and not in parts, for those are no fields of the rules.
func (r *run) goneWasRefused(actions []plan.Action) bool {
	return slices.ContainsFunc(actions, func(a plan.Action) bool {
		return r.saidNo[refusedKey(a.Side, a.Link, a.From)][r.what(a.Change.Fields)] != nil
	})
}

// carry makes the changes by which an absence is carried over to the record of a side,
// or says why it can't be.
func (r *run) carry(a *absence, x plan.Existing, side record.Side) (changes []plan.Action, cant string) {
	s, gone := r.side(side), a.pair.Sides[side.Other()]
	switch {
	case r.job.Rules.Kinds[side].ReadOnly != "":
		return nil, r.job.Rules.Kinds[side].ReadOnly
	case s.Gone.Policy == plan.GoneArchive:
		changes = plan.Archive(r.job.Rules, a.caseOf(), side, gone.Ref, s.Gone.Archive)
		updates := slices.ContainsFunc(changes, func(a plan.Action) bool { return a.Change.Op == record.Update })
		if updates && r.job.Rules.Kinds[side].NoUpdate {
			return nil, fmt.Sprintf("%s of %s can't be changed, so it can't be put aside", s.Kind, s.System)
		}
	case !s.Can.Delete || !s.Can.Get:
		return nil, fmt.Sprintf("%s can't delete %s", s.System, s.Kind)
	default:
		changes = []plan.Action{plan.Delete(r.job.Rules, a.caseOf(), side, gone.Ref)}
	}
	if newer := a.newer[side.Other()]; x.Sides[side.Other()].State == plan.Replaced {
		changes = plan.Succeed(changes, newer.Ref, r.side(side.Other()).System)
	}
	return changes, ""
}

func (a *absence) caseOf() plan.Case {
	return plan.Case{Link: a.pair.Link, Entity: a.pair.Entity, Sides: [2]plan.Side{a.sides[0].Side, a.sides[1].Side}}
}

// ask puts the question to a person.
func (r *run) ask(a *absence, x plan.Existing) {
	values, known := r.goneValues(a, x)
	q := a.fate.Question
	why := plan.GoneReason(r.job.Rules, a.fate.Side.Other(), q)
	switch {
	case q == plan.AskUnable:
		why = fmt.Sprintf("%s does not have it any more, and %s", r.side(a.fate.Side).System, a.cant)
	case q == plan.AskAnew && len(a.anew) > 0:
		why = r.anewReason(a)
	}
	if q != plan.AskAnew && len(a.anew) > 0 {
		why += r.besideAnew(a)
	}
	if !a.named.None() {
		why += "; " + a.named.Reason(a.pair.Sides[a.fate.Side.Other()].Ref)
	}
	a.question = []record.Conflict{{
		Link: a.pair.Link, Binding: r.job.Binding, Field: RecordField, Left: values[0], Right: values[1], Base: known,
		Policy: string(q), Why: why, Facts: a.facts(),
	}}
}

// goneChoice is what a person decided about a link of which a record is gone, as long
// as both records are as they were then. That the other one is to go, too, counts as long as they were
// told of all who name it, and of all that may be the one that is gone: see toldOf.
func (r *run) goneChoice(a *absence, x plan.Existing) plan.GoneChoice {
	c, ok := a.asked[RecordField]
	values, known := r.goneValues(a, x)
	if !ok || a.undone || !c.Left.Equal(values[0]) || !c.Right.Equal(values[1]) || !c.Base.Equal(known) {
		return plan.ChooseNone
	}
	choice := plan.GoneChoice(c.Value.Text())
	if said, is := saidAnew(c); is && !choice.Known() {
		if !slices.Contains(a.anew, said) { // it left, or has a partner by now
			return plan.ChooseNone
		}
		return plan.ChooseAnew
	}
	if choice == plan.ChooseCarry && !a.toldOf(c.Facts) || choice == plan.ChooseAnew && !a.toldOfAnew(c.Facts) {
		return plan.ChooseNone
	}
	return choice
}

// goneValues is how both records of a link stand, in a word, and what names the values
// of those that are there: another edit is another question,
// unless no answer to it can do harm.
func (r *run) goneValues(a *absence, x plan.Existing) (values [2]record.Value, known record.Value) {
	var texts []string
	harmless := x.Sides[0].State == plan.Returned || x.Sides[0].State == plan.Foreign ||
		x.Sides[1].State == plan.Returned || x.Sides[1].State == plan.Foreign
	for side, s := range x.Sides {
		word := ""
		switch s.State {
		case plan.Absent:
			word = "gone"
		case plan.Replaced:
			word = "replaced by " + a.newer[side].Ref.ID
		case plan.Merged:
			word = "merged into " + a.tombs[side].Moved
		case plan.Returned:
			word = "there again"
		case plan.Foreign:
			word = "another record"
		case plan.Present:
			if word = "there"; harmless {
				break
			}
			word = presentWord(s)
			texts = append(texts, r.what(a.sides[side].Native).String())
			if rev := revisionOf(a.pair.Sides[side]); rev != "" {
				texts = append(texts, rev)
			}
		}
		values[side] = record.OfText(word)
	}
	return values, record.OfText(strings.Join(texts, " "))
}

// RefusedToGo is how a record stands that its system refused to delete.
const RefusedToGo = "there, and refused to go"

func presentWord(s plan.Standing) string {
	switch {
	case s.Refused:
		return RefusedToGo
	case s.Changed:
		return "edited"
	}
	return "there"
}
