package plan

import (
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// Reread returns the fields that are read in another way than when their mapping was last agreed to. before has
// those that were known already, and they stay among them. If a field is read again as it was agreed to, it was
// mapped wrongly for a while. mended then has its paths, which are forgotten only in bases that were settled in
// the meantime: those were settled under another reading. A base from before that time still counts.
func Reread(m *mapping.Mapping, was, now map[string][2]string, before map[string]record.Reread) (after map[string]record.Reread, mended [2][]record.Anew) {
	after = map[string]record.Reread{}
	for _, f := range m.Fields() {
		b, had := before[f.Name]
		switch changed := was != nil && was[f.Name] != now[f.Name]; {
		case !changed && had:
			after[f.Name] = b
		case !changed:
		case had: // nobody can tell any more under which reading a base was settled
			after[f.Name] = record.Reread{From: inputs(m, f.Name)}
			if b.Was == now[f.Name] {
				mend(m, f.Name, was[f.Name], before, &mended)
			}
		default:
			x := record.Reread{Was: was[f.Name], From: inputs(m, f.Name)}
			if f.Refer != "" || !alone(m, f.Name, was[f.Name], now[f.Name]) {
				x.Was = [2]string{}
			}
			after[f.Name] = x
		}
	}
	return after, mended
}

// mend adds the paths that a field is read from again, except for those that another field is read from now, or
// has been read from since.
func mend(m *mapping.Mapping, field string, was [2]string, before map[string]record.Reread, mended *[2][]record.Anew) {
	for _, side := range record.Sides {
		if was[side] == before[field].Was[side] {
			continue
		}
		own := slices.DeleteFunc(slices.Clone(m.Inputs(side, field)), func(p string) bool {
			return readElsewhere(m, side, field, p) || readSince(before, side, field, p)
		})
		if len(own) > 0 {
			mended[side] = append(mended[side], record.Anew{Paths: own, Where: before[field].From[side]})
		}
	}
}

// readSince reports whether another field has been read from a path since that field got a new mapping.
func readSince(before map[string]record.Reread, side record.Side, field, path string) bool {
	for f, b := range before {
		if f != field && slices.Contains(b.From[side], path) {
			return true
		}
	}
	return false
}

// alone reports whether a field shares none of its paths with another field, on each side that reads it in
// another way than before. A base that has such a path was then settled in this field. It is false where such a
// side does not read the field at all.
func alone(m *mapping.Mapping, field string, was, now [2]string) bool {
	for _, side := range record.Sides {
		if was[side] == now[side] {
			continue
		}
		from := m.Inputs(side, field)
		if len(from) == 0 || slices.ContainsFunc(from, func(p string) bool { return readElsewhere(m, side, field, p) }) {
			return false
		}
	}
	return true
}

// readElsewhere reports whether another field is read from a path.
func readElsewhere(m *mapping.Mapping, side record.Side, field, path string) bool {
	return slices.ContainsFunc(m.Fields(), func(f mapping.Field) bool {
		return f.Name != field && slices.Contains(m.Inputs(side, f.Name), path)
	})
}

// inputs returns, by side, the paths that a field is read from.
func inputs(m *mapping.Mapping, field string) (out [2][]string) {
	for _, side := range record.Sides {
		out[side] = m.Inputs(side, field)
	}
	return out
}

// AnewOf joins all that bases forget: paths in every base, and what is mended in the bases that it is meant for.
func AnewOf(paths [2][]string, mended [2][]record.Anew) (out [2][]record.Anew) {
	for side := range out {
		rest := paths[side]
		for _, a := range mended[side] {
			rest = without(rest, setOf(a.Paths))
		}
		if len(rest) > 0 {
			out[side] = append(out[side], record.Anew{Paths: rest})
		}
		out[side] = append(out[side], mended[side]...)
	}
	return out
}

func setOf(names []string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, n := range names {
		out[n] = true
	}
	return out
}
