package settle

import (
	"fmt"
	"slices"

	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// MadeOf returns what of an answer the base of the record takes over. What its system set beside what was sent is
// a default, such as the language of a new guest: that is nobody's edit, and is taken over. On a side with creates
// that can't be taken back, such a value stays a change if the other side is to get it and lacks it, such as the
// id of a call or its result: taken over, it would count as known to both. Of an answer that is too large only
// what was asked for is taken over, for such an answer is read no more than any other read of that size.
func (r *Room) MadeOf(in record.Intent, shown record.Fields) record.Fields {
	side := in.Place.Side
	if t := r.Trials.Under(in); t != nil { // what else it did is found out first
		return askedOf(shown, t.Sent)
	}
	if r.observe.TooLarge(side, shown) {
		return askedOf(shown, in.Change.Fields.Names())
	}
	if in.Change.Op != record.Create || len(shown) == 0 || len(r.Side(side).Can.Once) == 0 {
		return shown
	}
	return r.withoutResults(in, shown)
}

// askedOf returns what a record shows at some paths.
func askedOf(shown record.Fields, paths []string) record.Fields {
	out := record.Fields{}
	for _, p := range paths {
		out[p] = shown[p]
	}
	return out.With(nil)
}

// withoutResults returns what a record shows that was made by a create which can't be taken back, without the
// results of the create. A result is a field that goes only to the other side, and that the record across lacks.
func (r *Room) withoutResults(in record.Intent, shown record.Fields) record.Fields {
	side, m := in.Place.Side, r.Job.Mapping
	here, _ := m.Read(side, shown)
	there, _ := m.Read(side.Other(), in.Bases[side.Other()])
	out := shown.Clone()
	for _, rule := range r.Job.Rules.Merge {
		if !goesOnlyTo(rule.To, side.Other()) || here[rule.Field].Empty() || !there[rule.Field].Empty() {
			continue
		}
		for _, p := range m.Inputs(side, rule.Field) {
			if _, sent := in.Change.Fields[p]; !sent && shown[p].Observed() {
				delete(out, p)
			}
		}
	}
	return out
}

func goesOnlyTo(to merge.Direction, side record.Side) bool {
	return to == merge.ToLeft && side == record.Left || to == merge.ToRight && side == record.Right
}

// Unheeded says what comes of words, such as a status, that a new record does not hold as its create gave them, or
// that no create takes.
//
// In the answer to a create such a word is the system's own, and ours is still to be brought. So the record across
// counts as if it had held nothing before at the paths in across. In a record that was found later, the word may
// be somebody's edit, unless the record's own times tell that there was none. Its paths are in apart then: there
// the two records meet for the first time. A word that is an end is always among these: no create makes an end, so
// somebody ended the record.
func (r *Room) Unheeded(in record.Intent, rec record.Record, adopted bool) (across record.Fields, apart []string) {
	if in.Change.Op != record.Create || in.Link != 0 {
		return nil, nil
	}
	side, m := in.Place.Side, r.Job.Mapping
	certain := !adopted || record.AsMade(rec.Created, rec.Changed)
	untold := plan.Untold(r.Job.Rules, side, in.Bases[side.Other()], rec.Fields)
	if b := r.Job.Booking; b != nil && r.ArrivesPending(side) { // the desk says what the booking becomes
		untold = slices.DeleteFunc(untold, func(f string) bool { return f == b.Status })
	}
	shown, _ := m.Read(side, rec.Fields)
	for _, field := range slices.Concat(untold, plan.Unheeded(r.Job.Rules, side, in.Change.Fields, rec.Fields)) {
		if !certain || plan.Ends(r.Job.Rules, field, shown[field].Text()) {
			apart = append(apart, m.Outputs(side, field)...)
			continue
		}
		r.Words[in.From] = append(r.Words[in.From], field)
		for _, p := range m.Inputs(side.Other(), field) {
			across = across.With(record.Fields{p: record.Nothing()})
		}
	}
	return across, apart
}

// AsGiven gives a reason to the actions that send again a word which a create did not heed.
func (r *Room) AsGiven(p record.Pair, actions []plan.Action) {
	for _, a := range actions {
		words := r.Words[p.Sides[a.Side.Other()].Num]
		for i, f := range a.Fields {
			if slices.Contains(words, f.Field) {
				a.Fields[i].Reason = fmt.Sprintf("%s made the new record without the word it was given", r.Side(a.Side).System)
				if slices.ContainsFunc(r.Job.Mapping.Outputs(a.Side, f.Field), func(p string) bool { return slices.Contains(r.Side(a.Side).Can.NotNew, p) }) {
					a.Fields[i].Reason = fmt.Sprintf("a new record of %s is made without it", r.Side(a.Side).System)
				}
			}
		}
	}
}

// StepDue returns the new record of a create that did not heed a word: it is to be read and decided again in the
// same run.
func StepDue(side record.Side, a record.Receipt) []run.ToRead {
	if len(a.Across) == 0 {
		return nil
	}
	return []run.ToRead{{Side: side, Ref: a.Ref}}
}
