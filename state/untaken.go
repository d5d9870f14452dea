package state

import (
	"maps"
	"slices"
	"strings"

	"nightporter/sync/record"
)

// answeredPath is how a path is kept whose base is what the answer to a write showed, as long as
// no read has shown it since. It begins with @, as no system's path does. One without it has what
// was sent as its base: the answer did not show it either.
func answeredPath(path string) string { return "@" + path }

func pathOf(kept string) (path string, answered bool) {
	path, answered = strings.CutPrefix(kept, "@")
	return path, answered
}

// sentOnly reports whether the base of any of the paths is only what was sent.
func sentOnly(kept []string) bool {
	return slices.ContainsFunc(kept, func(p string) bool { _, answered := pathOf(p); return !answered })
}

// toBeShown is how a path is kept of which the answer to a write showed what it wrote.
func toBeShown(i record.Intent, a record.Receipt, path string) []string {
	switch before := i.Change.Before[path]; {
	case a.Provisional:
		return []string{path}
	case i.Change.Op == record.Create, a.Adopted, !before.Observed(), alike(before, a.Fields[path]):
		return nil
	}
	return []string{answeredPath(path)}
}

// learn takes a base that was only sent from the first read that shows it, path by
// path. What the write replaced is learnt by no read, and is untaken: the system answered
// and did nothing, or somebody put it back before anybody read it, and nobody can tell.
func (r *row) learn(o record.Observation) (untaken []string) {
	if len(r.paths) == 0 {
		return nil
	}
	base := maps.Clone(r.Base)
	var unshown []string
	for _, kept := range r.paths {
		path, answered := pathOf(kept)
		switch v := o.Fields[path]; {
		case !v.Observed():
			unshown = append(unshown, kept)
		case r.holds(path, v):
		case r.replacedAt(path, v), answered && r.heldAt(path, v):
			untaken = append(untaken, path)
		case !answered:
			base[path] = r.seal.keep(path, v)
		}
	}
	r.Base, r.paths, r.Provisional = base, unshown, sentOnly(unshown)
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

// heldAt reports whether a value is what any write of a path replaced that no read has shown since.
func (r *row) heldAt(path string, v record.Value) bool {
	return slices.ContainsFunc(append([]record.Fields{r.Pre}, r.earlier...), func(held record.Fields) bool {
		was, is := held[path]
		return is && r.seal.value(v).Equal(was)
	})
}

// unread reports whether fields name one that no read has shown since it was written.
func (r *row) unread(f record.Fields) bool {
	return slices.ContainsFunc(r.paths, func(kept string) bool {
		path, _ := pathOf(kept)
		_, is := f[path]
		return is
	})
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
