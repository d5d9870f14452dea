package run

import (
	"nightporter/connectors"
	"nightporter/sync/record"
)

// WritesName reports whether a side writes a reference as a text of its own, and
// not as the id of a record that must be there.
func (r *Run) WritesName(side record.Side, ref Reference) bool {
	n, problems := r.Job.Mapping.Write(side, record.Fields{ref.Field: record.OfMap(map[string]record.Value{
		"name": record.OfText("Occupied"), // any name will do: only the form is asked
	})}, nil)
	return len(problems) == 0 && len(n) > 0
}

// CanFind reports whether a side can look up records by at least one set of paths.
func CanFind(s *Side) bool {
	_, ok := s.Conn.(connectors.Finder)
	return ok && len(s.Can.FindBy) > 0
}
