package plan

import (
	"slices"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// UndoPolicy stands in place of a rule where a person has a run taken back.
const UndoPolicy = "undo"

// Word is what persons said of the records of one link. They said it of both records: as long as one record never
// got it, the other one counts as edited.
type Word struct {
	Waits bool            // they chose what a field is to hold, and it is not known to be on both sides yet
	Left  bool            // they said that both records keep what they hold in a field, and that still differs
	Made  []record.Intent // what was written to both records, oldest first
}

// StandsAlone reports whether the record of side alone holds what a person said. there is what the record across
// was settled on.
func (w Word) StandsAlone(side record.Side, key []byte, there map[string]record.Stored) bool {
	if w.Waits || w.Left {
		return true
	}
	across, alone := map[string]record.Value{}, map[string]bool{}
	for _, in := range w.Made {
		for _, f := range in.Fields {
			if in.Place.Side != side { // this write across came after the one to side
				across[f.Field] = f.After
				delete(alone, f.Field)
				continue
			}
			said := f.Policy == UndoPolicy || f.Ground == merge.GroundChosen
			alone[f.Field] = said && !across[f.Field].Equal(f.After) && !holdsSame(there[f.Field], key, f.After)
		}
	}
	for _, is := range alone {
		if is {
			return true
		}
	}
	return false
}

// holdsSame reports whether a value is known to be the one that was kept. Either of the two may be a digest.
func holdsSame(kept record.Stored, key []byte, v record.Value) bool {
	if !v.Sealed() {
		return kept.Same(key, v)
	}
	plain, ok := kept.Plain()
	return ok && record.StoredOf(v).Same(key, plain)
}

// SettledApart returns the fields in which the two records of a link were settled on values that are not known to
// be the same.
func SettledApart(r Rules, key []byte, a, b map[string]record.Stored) (fields []string) {
	for _, rule := range r.Merge {
		v, w := a[rule.Field], b[rule.Field]
		if v.Known() && w.Known() && !v.Value().Equal(w.Value()) && !holdsSame(v, key, w.Value()) {
			fields = append(fields, rule.Field)
		}
	}
	return fields
}

// BySaid reports whether a change of a linked record writes what a person said of it: what they
// chose, or what stays because they rejected something else.
func (a *Action) BySaid() bool {
	return a.Link != 0 && a.Change.Op != record.Create && slices.ContainsFunc(a.Fields, func(f record.FieldReason) bool {
		return f.Ground == merge.GroundChosen || f.Ground == merge.GroundRejected
	})
}
