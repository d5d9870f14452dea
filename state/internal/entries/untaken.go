package entries

import (
	"maps"
	"slices"
	"strings"

	"nightporter/sync/record"
)

// answeredPath marks a path in Row.paths: its base is what the answer to a write showed, and no read has shown the
// path since. The mark is an @, and no system's path begins with that. A path without the mark has what was sent
// as its base: the answer did not show it either.
func answeredPath(path string) string { return "@" + path }

func pathOf(kept string) (path string, answered bool) {
	path, answered = strings.CutPrefix(kept, "@")
	return path, answered
}

// sentOnly returns the paths without the mark of answeredPath: their base is only what was sent.
func sentOnly(kept []string) (sent []string) {
	for _, k := range kept {
		if path, answered := pathOf(k); !answered {
			sent = append(sent, path)
		}
	}
	return sent
}

// toBeShown returns how a path is kept until a read shows it, if the answer to a write showed a value there; nil
// if no read needs to confirm that value. If the answer is provisional, it showed only what was sent: then the
// path is kept without the mark of answeredPath.
func toBeShown(i record.Intent, a record.Receipt, path string) []string {
	switch before := i.Change.Before[path]; {
	case a.Provisional:
		return []string{path}
	case i.Change.Op == record.Create, a.Adopted, !before.Observed(), Alike(before, a.Fields[path]):
		return nil
	}
	return []string{answeredPath(path)}
}

// learn corrects the base of each path that was only sent, by the first read that shows the path. If the read
// shows what the write replaced, the base stays, and the value is returned as untaken: either the system answered
// and did nothing, or somebody put the old value back before anybody read the record. Nobody can tell.
func (r *Row) learn(o record.Observation) (untaken record.Fields) {
	if len(r.paths) == 0 {
		return nil
	}
	untaken = record.Fields{}
	base := maps.Clone(r.Base)
	var unshown []string
	for _, kept := range r.paths {
		path, answered := pathOf(kept)
		switch v := o.Fields[path]; {
		case !v.Observed():
			unshown = append(unshown, kept)
		case r.holds(path, v):
		case r.replacedAt(path, v), answered && r.heldAt(path, v):
			untaken[path] = v
		case !answered:
			base[path] = r.seal.Keep(path, v)
		}
	}
	r.Base, r.paths, r.Sent = base, unshown, sentOnly(unshown)
	return untaken
}

// replacedAt reports whether a value is what the last write of a path replaced.
func (r *Row) replacedAt(path string, v record.Value) bool {
	for _, held := range append([]record.Fields{r.Pre}, r.earlier...) {
		if was, is := held[path]; is {
			return r.isStill(v, was)
		}
	}
	return false
}

// isStill reports whether v is the value was from before a write, or another spelling of it. was is as it is kept,
// perhaps a digest.
func (r *Row) isStill(v, was record.Value) bool { return r.seal.Value(v).Equal(was) || v.Respells(was) }

// heldAt reports whether a value is any of the remembered former values of a path.
func (r *Row) heldAt(path string, v record.Value) bool {
	return slices.ContainsFunc(append([]record.Fields{r.Pre}, r.earlier...), func(held record.Fields) bool {
		was, is := held[path]
		return is && r.isStill(v, was)
	})
}

// unread reports whether f has a path that was written and that no read has shown since.
func (r *Row) unread(f record.Fields) bool {
	return slices.ContainsFunc(r.paths, func(kept string) bool {
		path, _ := pathOf(kept)
		_, is := f[path]
		return is
	})
}

// stillUntaken returns what was untaken before a read and still is. A path that shows by now what was sent was
// taken after all, only later.
func (r *Row) stillUntaken(now record.Fields) record.Fields {
	still := record.Fields{}
	if r.Seen == nil {
		return still
	}
	for path, v := range r.Seen.Untaken {
		if !now[path].Observed() || !r.holds(path, now[path]) {
			still[path] = v
		}
	}
	return still
}

// leftAsItWas reports whether the answer to an update shows at a path what stood there before
// it, in place of what was sent.
func leftAsItWas(i record.Intent, a record.Receipt, path string) bool {
	shown, before, sent := a.Fields[path], i.Change.Before[path], i.Change.Fields[path]
	return i.Change.Op != record.Create && !a.Adopted && shown.Observed() && before.Observed() &&
		(Alike(shown, before) || shown.Respells(before)) && !Alike(shown, sent) && !shown.Respells(sent)
}

// foundOtherwise reports whether a record that our create made, and that was found later, shows at a path another
// value than was sent, and may have been edited since it was made.
func foundOtherwise(i record.Intent, a record.Receipt, path string) bool {
	shown, sent := a.Fields[path], i.Change.Fields[path]
	return i.Change.Op == record.Create && a.Adopted && !record.AsMade(a.Created, a.Changed) && shown.Observed() &&
		!Alike(shown, sent) && !shown.Respells(sent)
}

// isEdit reports whether a value that foundOtherwise is true of is a user's edit. Only both times together, of creation
// and of change, tell that somebody has changed the record. They don't tell in which field: an empty value may also be
// one that the system did not take.
func isEdit(a record.Receipt, path string) bool {
	return !a.Created.IsZero() && !a.Changed.IsZero() && !a.Fields[path].Empty()
}

// without returns fields except those that were written.
func without(fields, written record.Fields) record.Fields {
	out := fields.Clone()
	maps.DeleteFunc(out, func(p string, _ record.Value) bool { return written[p].Observed() })
	return out
}
