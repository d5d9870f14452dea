package config

import (
	"cmp"
	"slices"
	"strings"
)

// columns checks what the fields of each side read and write together.
func (j *jobBuilder) columns() {
	for i, side := range j.sides() {
		j.columnsOf(side, i == 0)
	}
}

func (j *jobBuilder) columnsOf(side *JobSide, left bool) {
	table, isSQL := j.tableOf(side)
	file, isFile := j.fileOf(side)
	written, split := map[string]string{}, map[string]string{}
	for _, f := range j.job.Fields {
		s, to := f.Right, f.ToRight
		if left {
			s, to = f.Left, f.ToLeft
		}
		at := j.path("fields", f.Name, side.System)
		for _, p := range s.NativePaths() {
			if isSQL {
				j.notPrivate(table, side, p, at)
			}
			if !to {
				continue
			}
			pieces := s.Split != "" && split[p] == s.Split
			if first, twice := written[p]; twice && first != f.Name && !pieces {
				j.bad(at, "%s is already written by the field %s: two fields would overwrite each other; say to: %s for one of them",
					shown(p), first, j.otherThan(side))
			}
			written[p], split[p] = cmp.Or(written[p], f.Name), s.Split
			if isSQL && (p == table.Version || p == table.OurMark) {
				j.bad(at, "%s is ours to write: it is named under tables as version or our_mark", shown(p))
			}
		}
		if isFile && to && file.Write == WriteNever {
			j.bad(at, "the file of %s.%s is only read: say to: %s, or write: rewrite with the file", side.System, side.Kind, j.otherThan(side))
		}
		if to && j.isDocuments(side) {
			j.bad(at, "documents of %s are only read: say to: %s", side.System, j.otherThan(side))
		}
		if isFile && to && file.Write == WriteRewrite && slices.ContainsFunc(s.NativePaths(), func(p string) bool { return slices.Contains(file.Key, p) }) {
			j.warn(at, "it tells the rows of %s.%s apart, so it is written in a new row alone: a later change of it is refused there", side.System, side.Kind)
		}
		if isFile && to && file.OurMark != "" && slices.Contains(s.NativePaths(), file.OurMark) {
			j.bad(at, "%s is ours to write: it is named under files as our_mark", shown(file.OurMark))
		}
		if isSQL && to && table.Query != "" && table.Table == "" && !j.wasThere(j.tablePath(side)) {
			j.bad(at, "%s.%s has a query and no table, so it is only read: say to: %s", side.System, side.Kind, j.otherThan(side))
		}
		for _, r := range f.Region {
			if isSQL && r.Path != "" && r.OfLeft == left {
				j.notPrivate(table, side, r.Path, j.path("fields", f.Name, "region"))
			}
		}
	}
	for _, c := range side.OnCreate {
		at := j.path("on_create", side.System, c.Path)
		if first, twice := written[c.Path]; twice {
			j.bad(at, "is already written by the field %s", first)
		}
		if isSQL {
			j.notPrivate(table, side, c.Path, at)
		}
	}
}

func (j *jobBuilder) notPrivate(t Table, side *JobSide, column string, at []string) {
	// Databases take names in any case, so that Notes is the column notes.
	if slices.ContainsFunc(t.Private, func(p string) bool { return strings.EqualFold(p, column) }) {
		j.bad(at, "%s is private in %s.%s: it never leaves the house; take it out of one of the two lists",
			shown(column), side.System, side.Kind)
	}
}

func (j *jobBuilder) otherThan(side *JobSide) string {
	if side.System == j.job.Left.System {
		return j.job.Right.System
	}
	return j.job.Left.System
}

// groups checks the fields that are merged as one value.
func (j *jobBuilder) groups() {
	first := map[string]Field{}
	size := map[string]int{}
	for _, f := range j.job.Fields {
		if f.Together == "" {
			continue
		}
		size[f.Together]++
		g, ok := first[f.Together]
		if !ok {
			first[f.Together] = f
			continue
		}
		if g.Conflict != f.Conflict || g.Initial != f.Initial {
			j.bad(j.path("fields", f.Name, "together"), "%s and %s are decided as one, so they need the same conflict and initial", g.Name, f.Name)
		}
		if g.ToLeft != f.ToLeft || g.ToRight != f.ToRight {
			j.bad(j.path("fields", f.Name, "together"), "%s and %s are written as one, so they need the same to", g.Name, f.Name)
		}
	}
	for _, f := range first {
		switch f.Conflict {
		case PolicyUnion, PolicyMax, PolicyMin, PolicyRules, PolicyConsent:
			j.bad(j.path("fields", f.Name, "conflict"), "%s can't weigh several fields at once, and %s is together with others", f.Conflict, f.Name)
		case PolicyLeft, PolicyRight, PolicyNewest, PolicyFillEmpty, PolicyHold:
		}
	}
	for name, n := range size {
		if n == 1 {
			j.bad(j.path("fields", first[name].Name, "together"), "no other field is together in %s", shown(name))
		}
	}
}
