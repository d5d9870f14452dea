package state

import (
	"maps"
	"slices"

	"nightporter/sync/record"
)

// learn takes a base that was only sent from the first read that shows it, path by
// path. What the write replaced is learnt by no read, and is untaken: the system answered
// and did nothing, or somebody put it back before anybody read it, and nobody can tell.
func (r *row) learn(o record.Observation) (untaken []string) {
	if !r.Provisional {
		return nil
	}
	base := maps.Clone(r.Base)
	var unshown []string
	for _, path := range r.paths {
		switch v := o.Fields[path]; {
		case !v.Observed():
			unshown = append(unshown, path)
		case r.holds(path, v):
		case r.replacedAt(path, v):
			untaken = append(untaken, path)
		default:
			base[path] = r.seal.keep(path, v)
		}
	}
	r.Base, r.paths, r.Provisional = base, unshown, len(unshown) > 0
	return untaken
}

// replacedAt reports whether a value is what the last write of a path replaced.
func (r *row) replacedAt(path string, v record.Value) bool {
	for _, held := range append([]record.Fields{r.Pre}, r.earlier...) {
		if was, is := held[path]; is {
			return r.seal.value(v).Equal(was)
		}
	}
	return false
}

// onlySent reports whether fields name one whose base is what was sent.
func (r *row) onlySent(f record.Fields) bool {
	return slices.ContainsFunc(r.paths, func(p string) bool { _, is := f[p]; return is })
}

// stillUntaken is what of the record was untaken before a read, and shows the same in it. What
// shows something else by now was changed since.
func (r *row) stillUntaken(now record.Fields) []string {
	if r.Seen == nil {
		return nil
	}
	var still []string
	for _, path := range r.Seen.Untaken {
		if v := now[path]; !v.Observed() || alike(v, r.Seen.Fields[path]) {
			still = append(still, path)
		}
	}
	return still
}

// leftAsItWas reports whether the answer to an update shows at a path what stood there before
// it, in place of what was sent.
func leftAsItWas(i record.Intent, a record.Receipt, path string) bool {
	shown, before, sent := a.Fields[path], i.Change.Before[path], i.Change.Fields[path]
	return i.Change.Op != record.Create && !a.Adopted && shown.Observed() && before.Observed() &&
		alike(shown, before) && !alike(shown, sent) && !shown.Respells(sent)
}

// without is paths but for those that were written.
func without(paths []string, written record.Fields) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { _, is := written[p]; return is })
}
