package plan

import (
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// Anew returns, by side, the paths that bases must forget because a field is new, or is read in another way than
// before. was and now say how each side reads each field. It is enough that one side forgets: without half of
// what was settled, linked records meet in the field once more. A path that another field is read from as before
// stays in the base, if there is another path to tell by. Nothing is returned where was is nil: nobody knows how
// the fields were read.
func Anew(m *mapping.Mapping, was, now map[string][2]string) (paths [2][]string) {
	if was == nil {
		return paths
	}
	kept := inputsOf(m, func(field string) bool { return was[field] == now[field] })
	for _, f := range m.Fields() {
		for _, side := range record.Sides {
			if was[f.Name][side] == now[f.Name][side] {
				continue
			}
			from, own := side, without(m.Inputs(side, f.Name), kept[side])
			if len(own) == 0 { // it is enough that one side has no base
				from, own = side.Other(), without(m.Inputs(side.Other(), f.Name), kept[side.Other()])
			}
			if len(own) == 0 {
				from, own = side, m.Inputs(side, f.Name)
			}
			if f.Refer != "" {
				own = append(own, RefPath(f.Name))
			}
			paths[from] = append(paths[from], own...)
		}
	}
	for side := range paths {
		slices.Sort(paths[side])
		paths[side] = slices.Compact(paths[side])
	}
	return paths
}

// inputsOf returns, by side, all paths that fields are read from. A path is true where one of its fields is
// wanted.
func inputsOf(m *mapping.Mapping, wanted func(field string) bool) (paths [2]map[string]bool) {
	for _, side := range record.Sides {
		paths[side] = map[string]bool{}
		for _, f := range m.Fields() {
			for _, p := range m.Inputs(side, f.Name) {
				paths[side][p] = paths[side][p] || wanted(f.Name)
			}
		}
	}
	return paths
}

// without returns the paths that are not among others.
func without(paths []string, others map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return others[p] })
}
