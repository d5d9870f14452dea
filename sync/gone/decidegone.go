package gone

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/links"
	"nightporter/sync/match"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// MayBeGone reports whether a record of a link is gone, or is another one now, or whether the link is only
// remembered.
func (r *Room) MayBeGone(p record.Pair) bool {
	for side, e := range p.Sides {
		if run.Aside(e.State) || r.observe.IsAnother(r.Job, record.Side(side), e) {
			return true
		}
	}
	return p.State.Ended()
}

// DecideGone decides a link with a record that is gone. It is false if the link is to be decided like any other.
func (r *Room) DecideGone(ctx context.Context, p record.Pair) (run.Decided, bool, error) {
	if err := r.settle.NoteGivenAgain(ctx, p); err != nil {
		return run.Decided{}, false, err
	}
	if !r.MayBeGone(p) {
		return run.Decided{}, false, nil
	}
	a := &run.Absence{Pair: p}
	x, err := r.existing(ctx, a)
	if err != nil {
		return run.Decided{}, false, err
	}
	a.Fate = away.Gone(x)
	if a.Fate.Deed == away.GoOn {
		return run.Decided{}, false, nil
	}
	d := run.Decided{Link: p.Link, Entity: p.Entity, Gone: a}
	for side, e := range a.Pair.Sides {
		d.Entries[side], d.Refs[side] = e.Num, e.Ref
	}
	if a.Fate.Deed == away.Carry {
		d.Verdict.Actions = r.carried(a, x)
	}
	if a.Fate.Deed == away.Ask || a.Fate.Deed == away.Break {
		r.ask(a, x)
	}
	if may, is := away.MayGo(x); is && a.Fate.Deed == away.Await {
		r.Note(may, a.Pair.Sides[may].Ref, record.Waiting, a.Named.Await)
	}
	r.promise(a, x)
	d.Verdict.Conflicts = a.Question
	r.Absences[p.Link] = *a
	return d, true, nil
}

// existing gathers what is known of both records of a link, and what a person chose.
func (r *Room) existing(ctx context.Context, a *run.Absence) (away.Existing, error) {
	x := away.Existing{Parted: a.Pair.State == record.LinkParted || a.Pair.State == record.LinkGone, Over: a.Pair.State == record.LinkGone}
	var err error
	if a.Asked, err = r.store.Choices(ctx, a.Pair.Link); err != nil {
		return x, fmt.Errorf("look what persons are asked: %w", err)
	}
	for _, side := range record.Sides {
		if x.Sides[side], err = r.standing(ctx, a, side); err != nil {
			return x, err
		}
	}
	for _, side := range record.Sides {
		if x.Sides[side].State != away.Present {
			continue
		}
		changed, err := r.survivor(ctx, a, side)
		if err != nil {
			return x, err
		}
		x.Sides[side].Changed = changed
	}
	if err := r.match.MayBeAnew(ctx, a, &x); err != nil {
		return x, err
	}
	x.Choice = r.goneChoice(a, x)
	if err := r.goesOnAnew(ctx, a, &x); err != nil {
		return x, err
	}
	if side, may := away.MayGo(x); may && x.Sides[side].State == away.Present {
		if a.Named, err = r.NamedBy(ctx, a, side); err != nil {
			return x, err
		}
		x.Sides[side].NamedBy = a.Named
		a.Changes, a.Cant = r.carry(a, x, side)
		x.Sides[side].Unable, x.Sides[side].Refused = a.Cant != "", r.goneWasRefused(a.Changes)
	}
	x.Choice = r.goneChoice(a, x)
	return x, nil
}

// goesOnAnew notes which record a person named as the one that is gone, entered anew.
func (r *Room) goesOnAnew(ctx context.Context, a *run.Absence, x *away.Existing) error {
	for _, side := range record.Sides {
		if x.Choice != away.ChooseAnew || x.Sides[side].State != away.Absent {
			continue
		}
		num, err := r.match.Newcomer(ctx, a, side)
		if err != nil {
			return err
		}
		if num != 0 {
			a.To[side], a.Joins, x.Sides[side].Known = num, true, true
		} else if said, is := match.SaidAnew(a.Asked[run.RecordField]); is && slices.Contains(a.Anew, said) { // if it were made anew, it would be there twice
			a.Undone = true
		}
	}
	return nil
}

// standing returns how one record of a link stands. It does not say whether the record was edited.
func (r *Room) standing(ctx context.Context, a *run.Absence, side record.Side) (away.Standing, error) {
	e := a.Pair.Sides[side]
	s := away.Standing{Policy: r.Side(side.Other()).Gone.Policy, Fixed: r.Side(side).Can.Immutable}
	switch {
	case e.State != record.Gone && r.observe.IsAnother(r.Job, side, e): // a record that is gone is not there, whatever it was
		return s, r.standsForeign(ctx, a, side, &s)
	case e.State == record.Suspect, e.State == record.Missed:
		s.State, s.Proof = away.Absent, away.Unlisted
		return s, nil
	case e.State == record.OutOfScope:
		s.State, s.Proof = away.Absent, away.Unseen
		return s, nil
	case e.State != record.Gone && !a.Pair.State.Ended():
		return s, nil
	}
	return s, r.standsGone(ctx, a, side, &s)
}

// standsForeign sets how a record stands if its id names another record. If the link is over, it may also be the
// old record, put back.
func (r *Room) standsForeign(ctx context.Context, a *run.Absence, side record.Side, s *away.Standing) error {
	e := a.Pair.Sides[side]
	s.State = away.Foreign
	var err error
	if _, s.Given, err = r.store.Tombstone(ctx, e.Num); err != nil {
		return err
	}
	over := a.Pair.State == record.LinkGone || a.Pair.State == record.LinkParted && s.Given
	if over && r.settle.MayBeBack(ctx, side, e) {
		s.State = away.Returned
	}
	return nil
}

// standsGone sets how a record stands that is proven gone, or was, or that belongs to a link which is over.
func (r *Room) standsGone(ctx context.Context, a *run.Absence, side record.Side, s *away.Standing) error {
	e := a.Pair.Sides[side]
	t, ok, err := r.store.Tombstone(ctx, e.Num)
	if err != nil {
		return err
	}
	a.Tombs[side] = t
	switch {
	case e.State != record.Gone:
		if ok && t.Done.Acted() {
			s.State = away.Returned
		}
		return nil
	case !ok: // what was remembered of it is pruned: it is read again
		s.State, s.Proof = away.Absent, away.Unlisted
		return nil
	case t.Evidence == record.EvidenceMerged:
		return r.mergedInto(ctx, a, side, t, s)
	case t.Evidence == record.EvidenceReplaced:
		if is, err := r.settle.Replaced(ctx, a, side, t, s); err != nil || is {
			return err
		}
	}
	s.State, s.Proof, s.Ours = away.Absent, away.ReadAway, t.Evidence == record.EvidenceOurs
	if s.Lost, err = r.trust.CopyLacks(ctx, side, e.Num, t.At); err != nil {
		return err
	}
	s.Lone, err = r.isAlone(ctx, side)
	return err
}

// mergedInto sets how a record stands that was merged into another one: as that one, or as gone if that one is
// gone, too. If the merged record may not have been ours, a person is still asked.
func (r *Room) mergedInto(ctx context.Context, a *run.Absence, side record.Side, t record.Tombstone, s *away.Standing) error {
	s.State, s.Proof = away.Absent, away.ToldAway
	to, newer, ok, err := r.isNow(ctx, side, t)
	if err != nil || !ok {
		return err
	}
	taken := to.Link != 0 || r.match.PromisedElse(to.Num, a.Pair.Link)
	switch {
	case newer: // a newer version took the place of the record that it was merged into
		_, err := r.settle.Replaced(ctx, a, side, t, s)
		return err
	case taken && s.Fixed: // two records held the same, and one of them is left
		return r.settle.LeftTo(ctx, a, side, to, s)
	case a.Pair.State == record.LinkBroken: // nobody has said yet that the merged record was ours
		s.State, s.Taken, s.Moved, a.To[side] = away.Foreign, taken, true, to.Num
		a.Unsure[side] = "a person is asked whether it was the record that was linked"
		return nil
	}
	s.State, s.Taken, a.To[side] = away.Merged, taken, to.Num
	if a.Unsure[side] = r.match.Doubtful[to.Num]; r.match.Open[to.Num] {
		a.Unsure[side] = "nobody knows yet what became of the create that was sent for it"
	}
	s.Unsure = a.Unsure[side] != ""
	return nil
}

// isNow returns which record a merged record is now; false if that one is gone. On a side with records that never
// change, it goes on to newer versions as well.
func (r *Room) isNow(ctx context.Context, side record.Side, t record.Tombstone) (to record.Entry, newer, ok bool, err error) {
	if r.Side(side).Can.Immutable {
		v, ok, err := r.settle.NewestVersion(ctx, side, t)
		return v.Entry, v.Newer, ok, err
	}
	to, ok, err = r.store.Entry(ctx, r.Place(side), record.Ref{Kind: r.Side(side).Kind, ID: t.Moved})
	return to, false, ok && to.State != record.Gone, err
}

// promise keeps the record that a link may go on with from getting a counterpart of its own meanwhile.
func (r *Room) promise(a *run.Absence, x away.Existing) {
	for side, s := range x.Sides {
		if (s.State == away.Merged || s.Known || s.State == away.Foreign && a.To[side] != 0) && !s.Taken && !x.Parted {
			r.match.Promised[a.To[side]] = a.Pair.Link
		}
	}
}

// isAlone reports whether all linked records of a side are gone. On a side where an edit makes another record, it
// is false if a record was replaced or merged in this run, for that vouches for the system, too.
func (r *Room) isAlone(ctx context.Context, side record.Side) (bool, error) {
	if r.Report.Counts[side.String()+".replaced"]+r.Report.Counts[side.String()+".merged"] > 0 && r.Side(side).Can.Immutable {
		return false, nil
	}
	if r.alone[side] == nil {
		some, err := r.store.Sample(ctx, r.Place(side), 1)
		if err != nil {
			return false, err
		}
		none := len(some) == 0
		r.alone[side] = &none
	}
	return *r.alone[side], nil
}

// survivor looks at the record of a link that is there. It reports whether the record was edited since the link
// was in step, or may have been. What a person said of it counts as an edit.
func (r *Room) survivor(ctx context.Context, a *run.Absence, side record.Side) (bool, error) {
	e := a.Pair.Sides[side]
	if r.Job.Seal != nil && r.observe.Hides(side, e) {
		failed := 0
		_, err := r.observe.ReadRef(ctx, side, e.Ref)
		if stop := r.observe.PassOver(side, err, &failed); stop != nil {
			return true, stop
		}
		fresh, ok, err := r.store.Pair(ctx, a.Pair.Link)
		if err != nil || !ok {
			return true, err
		}
		e, a.Pair = fresh.Sides[side], fresh
	}
	s, err := r.refer.SideOf(ctx, side, e)
	if err != nil {
		return true, err
	}
	a.Sides[side], a.Edited[side] = s, r.links.EditedIn(side, s)
	if e.State != record.InStep || e.Base == nil || len(a.Edited[side]) > 0 || r.uncovered(side, s) || e.Revision.Moved() {
		return true, nil
	}
	return r.links.SaidAlone(ctx, a, side)
}

// uncovered reports whether a record shows a value that it never showed before, and that was not uncovered by
// another configuration. Nobody knows whether such a record was edited. The same holds for a value that can't be read,
// or that names somebody whom nobody knows, and that the link was never settled on.
func (r *Room) uncovered(side record.Side, s run.SeenSide) bool {
	for f, now := range s.Now {
		if _, settled := s.Settled[f]; s.Seen && !settled && !now.Empty() && !r.Book.Remapped[f] {
			return true
		}
	}
	return s.Seen && r.links.ShowsUnsettled(side, s)
}

// carried returns the changes that carry an absence over. If a person rejected them, there are none, and the link
// is parted.
func (r *Room) carried(a *run.Absence, x away.Existing) []plan.Action {
	if r.rejectedGone(a.Changes) {
		a.Fate = away.Fate{Deed: away.Part, Side: a.Fate.Side}
		return nil
	}
	a.Steps = len(a.Changes)
	plan.RestOn(a.Changes, record.WordsOf(a.Asked))
	return letGo(a.Changes, x.Choice)
}

// rejectedGone reports whether a person rejected that an absence is carried over. The record that is there then
// goes its own way.
func (r *Room) rejectedGone(actions []plan.Action) bool {
	return slices.ContainsFunc(actions, func(a plan.Action) bool {
		_, no := r.Book.Rejected[a.Digest()]
		return no
	})
}

// letGo marks actions that a person chose for this very record: no guard counts them.
func letGo(actions []plan.Action, choice away.GoneChoice) []plan.Action {
	for i := range actions {
		actions[i].Let = choice == away.ChooseCarry
	}
	return actions
}

// goneWasRefused reports whether a system refused to delete a record, or to put it aside. That is not sent again
// unasked, for a person can say what is to become of the record. It is not sent in parts either, for the parts are
// no fields of the rules.
func (r *Room) goneWasRefused(actions []plan.Action) bool {
	return slices.ContainsFunc(actions, func(a plan.Action) bool {
		return r.findings.SaidNo[run.RefusedKey(a.Side, a.Link, a.From)][r.observe.What(a.Change.Fields)] != nil
	})
}

// carry makes the changes that carry an absence over to the record of a side. cant says why there can be none.
func (r *Room) carry(a *run.Absence, x away.Existing, side record.Side) (changes []plan.Action, cant string) {
	s, gone := r.Side(side), a.Pair.Sides[side.Other()]
	switch {
	case r.Job.Rules.Kinds[side].ReadOnly != "":
		return nil, r.Job.Rules.Kinds[side].ReadOnly
	case s.Gone.Policy == away.GoneArchive:
		changes = away.Archive(r.Job.Rules, a.CaseOf(), side, gone.Ref, s.Gone.Archive)
		updates := slices.ContainsFunc(changes, func(a plan.Action) bool { return a.Change.Op == record.Update })
		if updates && r.Job.Rules.Kinds[side].NoUpdate {
			return nil, fmt.Sprintf("%s of %s can't be changed, so it can't be put aside", s.Kind, s.System)
		}
	case !s.Can.Delete || !s.Can.Get:
		return nil, fmt.Sprintf("%s can't delete %s", s.System, s.Kind)
	default:
		changes = []plan.Action{away.Delete(r.Job.Rules, a.CaseOf(), side, gone.Ref)}
	}
	if newer := a.Newer[side.Other()]; x.Sides[side.Other()].State == away.Replaced {
		changes = away.Succeed(changes, newer.Ref, r.Side(side.Other()).System)
	}
	return changes, ""
}

// ask puts the question to a person.
func (r *Room) ask(a *run.Absence, x away.Existing) {
	values, known := r.goneValues(a, x)
	q := a.Fate.Question
	why := away.GoneReason(r.Job.Rules, a.Fate.Side.Other(), q)
	switch {
	case q == away.AskUnable:
		why = fmt.Sprintf("%s does not have it any more, and %s", r.Side(a.Fate.Side).System, a.Cant)
	case q == away.AskAnew && len(a.Anew) > 0:
		why = r.match.AnewReason(a)
	}
	if q != away.AskAnew && len(a.Anew) > 0 {
		why += r.match.BesideAnew(a)
	}
	why += r.editedIn(a, a.Fate.Side.Other(), q)
	if !a.Named.None() {
		why += "; " + a.Named.Reason(a.Pair.Sides[a.Fate.Side.Other()].Ref)
	}
	a.Question = []record.Question{{
		Subject: record.Subject{Link: a.Pair.Link, Field: run.RecordField}, Binding: r.Job.Binding, Left: values[0], Right: values[1], Base: known,
		Cause: record.Cause(q), Why: why, Rests: a.Rests(),
	}}
}

// editedIn says in which fields the record of a side was edited, where a question is about its partner; "" where no
// field is known.
func (r *Room) editedIn(a *run.Absence, side record.Side, q away.Question) string {
	fields := strings.Join(a.Edited[side], ", ")
	switch {
	case fields == "":
		return ""
	case q == away.AskEdited: // the question has said that it was edited
		return ", in " + fields
	}
	return fmt.Sprintf("; it was edited in %s since, in %s", r.Side(side).System, fields)
}

// goneChoice returns what a person decided about a link with a record that is gone. It counts as long as both
// records are as they were then.
//
// The answer that the other record is to go, too, counts as long as the person was told of all who name it, and of
// all that may be the record that is gone: what came after that may be the record itself, entered anew. The answer
// that it is to be made anew counts as long as no newcomer has come since: made anew beside one, it would be there
// twice.
func (r *Room) goneChoice(a *run.Absence, x away.Existing) away.GoneChoice {
	c, ok := a.Asked[run.RecordField]
	values, known := r.goneValues(a, x)
	if !ok || a.Undone || !c.Left.Equal(values[0]) || !c.Right.Equal(values[1]) || !c.Base.Equal(known) {
		return away.ChooseNone
	}
	choice := away.GoneChoice(c.Value.Text())
	if said, is := match.SaidAnew(c); is && !choice.Known() {
		if !slices.Contains(a.Anew, said) { // it left, or has a partner by now
			return away.ChooseNone
		}
		return away.ChooseAnew
	}
	if choice == away.ChooseCarry && !c.Rests.Covers(a.Rests()) || choice == away.ChooseAnew && !c.Rests.CoversAnew(a.Rests()) {
		return away.ChooseNone
	}
	return choice
}

// goneValues returns a word for how each record of a link stands, and a name for the values of the records that
// are there. With another edit that name is another one, and so the question is a new one. If no answer to the
// question can do harm, the name is empty.
func (r *Room) goneValues(a *run.Absence, x away.Existing) (values [2]record.Value, known record.Value) {
	var texts []string
	harmless := x.Sides[0].State == away.Returned || x.Sides[0].State == away.Foreign ||
		x.Sides[1].State == away.Returned || x.Sides[1].State == away.Foreign
	for side, s := range x.Sides {
		word := ""
		switch s.State {
		case away.Absent:
			word = "gone"
		case away.Replaced:
			word = "replaced by " + a.Newer[side].Ref.ID
		case away.Merged:
			word = "merged into " + a.Tombs[side].Moved
		case away.Returned:
			word = "there again"
		case away.Foreign:
			word = "another record"
		case away.Present:
			if word = "there"; harmless {
				break
			}
			word = presentWord(s)
			texts = append(texts, r.observe.What(a.Sides[side].Native).String())
			if rev := links.RevisionOf(a.Pair.Sides[side]); rev != "" {
				texts = append(texts, rev)
			}
		}
		values[side] = record.OfText(word)
	}
	return values, record.OfText(strings.Join(texts, " "))
}

// RefusedToGo is the word for a record that its system refused to delete.
const RefusedToGo = "there, and refused to go"

func presentWord(s away.Standing) string {
	switch {
	case s.Refused:
		return RefusedToGo
	case s.Changed:
		return "edited"
	}
	return "there"
}
