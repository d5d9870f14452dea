package links

import (
	"slices"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// EditedIn returns in which fields the record of a side was edited since its link was last in step, sorted. A
// native value that is not the settled one is an edit, whatever it reads as: somebody typed a word that no table
// has, or gave a booking to a guest whom nobody knows. A path that no field is read from stands for itself.
//
// Changed asks for less: what a side shows that can be carried over. Whether a record may be deleted must not
// depend on that.
func (r *Room) EditedIn(side record.Side, s run.SeenSide) []string {
	if !s.Seen {
		return nil
	}
	var edited []string
	for p, now := range s.Native {
		if was, known := s.Since.Base[p]; known && !was.Same(r.Job.Seal, now) {
			edited = append(edited, r.readFrom(side, p)...)
		}
	}
	for f, was := range s.Settled { // a record may name somebody else by the same values
		if now := s.Now[f]; now.Observed() && !was.Same(s.Key, now) && !r.Book.Remapped[f] {
			edited = append(edited, f)
		}
	}
	slices.Sort(edited)
	return slices.Compact(edited)
}

// ShowsUnsettled reports whether a record shows a value that no field could be read from, and that its link was never
// settled on. Example: two bookings were linked while nobody knew the guest of one of them.
func (r *Room) ShowsUnsettled(side record.Side, s run.SeenSide) bool {
	for _, f := range r.Job.Mapping.Fields() {
		if s.Now[f.Name].Observed() || r.Book.Remapped[f.Name] {
			continue
		}
		for _, p := range r.Job.Mapping.Inputs(side, f.Name) {
			if _, settled := s.Since.Base[p]; !settled && s.Native[p].Observed() && !s.Native[p].Empty() {
				return true
			}
		}
	}
	return false
}

// readFrom returns the fields that are read from a native path of a side, or the path where there is none.
func (r *Room) readFrom(side record.Side, path string) (fields []string) {
	for _, f := range r.Job.Mapping.Fields() {
		if slices.Contains(r.Job.Mapping.Inputs(side, f.Name), path) {
			fields = append(fields, f.Name)
		}
	}
	if fields == nil {
		return []string{path}
	}
	return fields
}
