package entries

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

// sentOnly is those of the paths of which the base is only what was sent.
func sentOnly(kept []string) (sent []string) {
	for _, k := range kept {
		if path, answered := pathOf(k); !answered {
			sent = append(sent, path)
		}
	}
	return sent
}

// toBeShown is how a path is kept of which the answer to a write showed what it wrote.
func toBeShown(i record.Intent, a record.Receipt, path string) []string {
	switch before := i.Change.Before[path]; {
	case a.Provisional:
		return []string{path}
	case i.Change.Op == record.Create, a.Adopted, !before.Observed(), Alike(before, a.Fields[path]):
		return nil
	}
	return []string{answeredPath(path)}
}

// learn takes a base that was only sent from the first read that shows it, path by
// path. What the write replaced is learnt by no read, and is untaken: the system answered
// and did nothing, or somebody put it back before anybody read it, and nobody can tell.
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

// isStill reports whether a value is what stood there before a write, as it was kept, or
// another spelling of it.
func (r *Row) isStill(v, was record.Value) bool { return r.seal.Value(v).Equal(was) || v.Respells(was) }

// heldAt reports whether a value is what any write of a path replaced that no read has shown since.
func (r *Row) heldAt(path string, v record.Value) bool {
	return slices.ContainsFunc(append([]record.Fields{r.Pre}, r.earlier...), func(held record.Fields) bool {
		was, is := held[path]
		return is && r.isStill(v, was)
	})
}

// unread reports whether fields name one that no read has shown since it was written.
func (r *Row) unread(f record.Fields) bool {
	return slices.ContainsFunc(r.paths, func(kept string) bool {
		path, _ := pathOf(kept)
		_, is := f[path]
		return is
	})
}

// stillUntaken is what was untaken of the record before a read. What shows by now what was
// sent was taken, only later.
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

// foundOtherwise reports whether a record that a create of ours made, and that was found later,
// shows at a path something else than was sent. Only both of its times together tell whether somebody
// changed it since: without one of them nobody can tell that from what the system made of it.
func foundOtherwise(i record.Intent, a record.Receipt, path string) bool {
	shown, sent := a.Fields[path], i.Change.Fields[path]
	return i.Change.Op == record.Create && a.Adopted && (a.Created.IsZero() || a.Changed.IsZero()) && shown.Observed() && !shown.Empty() &&
		!Alike(shown, sent) && !shown.Respells(sent)
}

// without is fields but for those that were written.
func without(fields, written record.Fields) record.Fields {
	out := fields.Clone()
	maps.DeleteFunc(out, func(p string, _ record.Value) bool { return written[p].Observed() })
	return out
}
