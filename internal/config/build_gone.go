package config

import "strings"

// gone reads what becomes of a record when its partner is gone: the file names the
// system in which it is gone, and the rule is the other side's.
func (j *jobBuilder) gone() {
	at := j.path("gone")
	for _, name := range j.all.keys(at...) {
		where := under(at, name)
		if !j.ours(name, where) {
			continue
		}
		side := &j.job.Left
		if side.System == name {
			side = &j.job.Right
		}
		side.Gone = j.goneRule(side, j.raw.Gone[name], where)
	}
}

func (j *jobBuilder) goneRule(side *JobSide, raw rawGone, at []string) Gone {
	g := Gone{Line: j.all.line(at...), Policy: GoneHold}
	archives := under(at, "archive")
	if raw.Policy == string(GoneArchive) && len(raw.Archive) == 0 {
		j.bad(at, "say by what a record of %s is put aside: { archive: { column: value } }", side.System)
		return g
	}
	if len(j.all.keys(archives...)) > 0 || raw.Archive != nil {
		g.Policy = GoneArchive
		for _, column := range j.all.keys(archives...) {
			where := under(archives, column)
			if v := j.scalar(raw.Archive[column], where); v != nil {
				g.Archive = append(g.Archive, Constant{Path: column, Line: j.all.line(where...), Value: *v})
			}
			if t, ok := j.tableOf(side); ok {
				j.notPrivate(t, side, column, where)
			}
		}
		if len(g.Archive) == 0 && !j.wasBelow(archives) {
			j.bad(archives, "names no column: { archive: { column: value } }")
		}
		return g
	}
	g.Policy = choice(j.builder, raw.Policy, GoneHold, at, GoneHold, GoneDelete, GoneArchive, GoneUnlink, GoneIgnore)
	if t, ok := j.tableOf(side); ok && g.Policy == GoneDelete && !t.MayDelete {
		j.bad(at, "would delete rows of %s.%s, which does not say may_delete: true: say so there, or choose %s or { archive: { column: value } }",
			side.System, side.Kind, strings.Join(texts([]GonePolicy{GoneHold, GoneUnlink, GoneIgnore}), ", "))
	}
	if j.isDocuments(side) && g.Policy == GoneDelete {
		j.bad(at, "documents of %s are only read: choose %s", side.System, strings.Join(texts([]GonePolicy{GoneHold, GoneUnlink, GoneIgnore}), ", "))
	}
	if _, ok := j.fileOf(side); ok && g.Policy == GoneDelete {
		j.bad(at, "rows of a file are never deleted: choose %s", strings.Join(texts([]GonePolicy{GoneHold, GoneUnlink, GoneIgnore}), ", "))
	}
	return g
}
