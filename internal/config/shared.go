package config

import "slices"

// sharedCreates warns of two jobs between the same two systems that have the same records on one side and may both
// make them on the other. A new record would be made by each of them; a run lets one alone make it.
func (b *builder) sharedCreates() {
	for i, j := range b.cfg.Jobs {
		for _, first := range b.cfg.Jobs[:i] {
			b.sharedBy(first, j)
		}
	}
}

func (b *builder) sharedBy(first, second Job) {
	if !known(first) || !known(second) {
		return
	}
	for i, from := range []JobSide{second.Left, second.Right} {
		to := []JobSide{second.Right, second.Left}[i]
		for k, there := range []JobSide{first.Left, first.Right} {
			across := []JobSide{first.Right, first.Left}[k]
			if across.System != to.System || across.Create == CreateNever || to.Create == CreateNever || !b.sameRecords(there, from) {
				continue
			}
			last := max(first.Name, second.Name)
			b.warn([]string{"jobs", second.Name, "between"}, "%s and the job %s both make in %s what only %s.%s has: of a new record, %s alone makes it; "+
				"give each of the two jobs a kind of its own of %s, with a filter, or write create: { %s: never } in one of them",
				second.Name, first.Name, to.System, from.System, from.Kind, last, from.System, to.System)
			return
		}
	}
}

// sameRecords reports whether two sides show the same records: they are of one kind, or of two tables that are the
// same but for their names in this file.
func (b *builder) sameRecords(a, c JobSide) bool {
	if a.System != c.System {
		return false
	}
	if a.Kind == c.Kind {
		return true
	}
	x, isX := b.tableOfSide(a)
	y, isY := b.tableOfSide(c)
	return isX && isY && x.Table == y.Table && x.Query == y.Query && x.Only == y.Only && slices.Equal(x.Key, y.Key)
}

func (b *builder) tableOfSide(s JobSide) (Table, bool) {
	system, ok := b.cfg.System(s.System)
	if !ok || system.SQL == nil {
		return Table{}, false
	}
	return system.SQL.Table(s.Kind)
}
