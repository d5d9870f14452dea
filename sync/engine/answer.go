package engine

import (
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// madeOf is what of an answer the base of a new record takes over. What its system made of
// it beside what was sent, and what the other side is to get and lacks, such as the id of
// a call or its result, stays a change: taken over, it would count as known to both. Of
// other records it is a default, such as the language of a new guest: that is nobody's edit.
func (r *run) madeOf(in record.Intent, shown record.Fields) record.Fields {
	if in.Change.Op != record.Create || len(shown) == 0 || len(r.side(in.Place.Side).Can.Once) == 0 {
		return shown
	}
	side, m := in.Place.Side, r.job.Mapping
	here, _ := m.Read(side, shown)
	there, _ := m.Read(side.Other(), in.Bases[side.Other()])
	var out record.Fields
	for _, rule := range r.job.Rules.Merge {
		if !goesOnlyTo(rule.To, side.Other()) || here[rule.Field].Empty() || !there[rule.Field].Empty() {
			continue
		}
		for _, p := range m.Inputs(side, rule.Field) {
			if _, sent := in.Change.Fields[p]; sent || !shown[p].Observed() {
				continue
			}
			if out == nil {
				out = shown.Clone()
			}
			delete(out, p)
		}
	}
	if out == nil {
		return shown
	}
	return out
}

func goesOnlyTo(to merge.Direction, side record.Side) bool {
	return to == merge.ToLeft && side == record.Left || to == merge.ToRight && side == record.Right
}
