package sql

import (
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/internal/dbkit"
)

// skew is how far ahead of the database's clock a time of change may be: another
// program's clock, or for a time without a zone the zone itself.
const (
	skew      = 5 * time.Minute
	skewLocal = 26 * time.Hour
)

// phaseExists reports whether the table can have rows of the cursor's phase.
func (f *fetch) phaseExists() bool {
	switch f.at.Phase {
	case keyless:
		return f.nullableKey()
	case timeless:
		return f.at.Since && isNullable(f.changed()) &&
			(f.t.Created == "" || isNullable(f.t.read.columns[f.t.Created]))
	case sorted:
		return true
	}
	return false
}

// nullableKey reports whether a row may lack a part of its key.
func (f *fetch) nullableKey() bool {
	return slices.ContainsFunc(f.t.Key, func(name string) bool { return isNullable(f.t.read.columns[name]) })
}

// changed is the column with the time of change.
func (f *fetch) changed() column {
	col := f.t.read.columns[f.t.Changed]
	col.name = f.t.Changed
	return col
}

// order is the expression of the time of change; a row that never changed was
// changed when it was created.
func (f *fetch) order() string {
	name := dbkit.Quote(f.t.Changed)
	if isNullable(f.changed()) && f.t.Created != "" {
		return "coalesce(" + name + ", " + dbkit.Quote(f.t.Created) + ")"
	}
	return name
}

// conditions are the predicate and the window.
func (f *fetch) conditions(b *builder) []string {
	return f.c.conditions(b, f.t, f.q.Scope)
}

// conditions are the table's predicate and the window of scope.
func (c *Conn) conditions(b *builder, t *table, scope connectors.Scope) []string {
	var out []string
	if only := t.only(); only != "" {
		out = append(out, only)
	}
	if t.Window[0] == "" {
		return out
	}
	if scope.To != "" {
		col := t.read.columns[t.Window[0]]
		name := dbkit.Quote(t.Window[0])
		out = append(out, "("+name+" is null or "+name+" < "+c.d.cast(b.arg(c.bound(col, scope.To, 1)), col)+")")
	}
	if scope.From != "" {
		col := t.read.columns[t.Window[1]]
		name := dbkit.Quote(t.Window[1])
		out = append(out, "("+name+" is null or "+name+" >= "+c.d.cast(b.arg(c.bound(col, scope.From, 0)), col)+")")
	}
	return out
}

// bound is the beginning of a civil day, days later, as a column of dates or
// times compares with it.
func (c *Conn) bound(col column, day string, days int) string {
	t, err := time.ParseInLocation(time.DateOnly, day, c.cfg.TimeZone)
	if err != nil {
		return day
	}
	t = time.Date(t.Year(), t.Month(), t.Day()+days, 0, 0, 0, 0, c.cfg.TimeZone)
	if col.form == asInstant {
		return t.Format(time.RFC3339)
	}
	return t.Format(time.DateOnly)
}

// statement reads at most n rows of the cursor's phase.
func (f *fetch) statement(n int) (string, []any) {
	b := &builder{d: f.c.d}
	conditions := f.conditions(b)
	var keys []string
	for _, name := range f.t.Key {
		keys = append(keys, f.c.d.order(f.column(name)))
	}
	sort := strings.Join(keys, ", ")
	switch {
	case f.at.Phase == keyless:
		// They can't be paged, as nothing tells them apart: a page's worth is shown.
		conditions = append(conditions, f.keyNull())
		return f.assembled(conditions, sort, n-1), b.args
	case f.at.Since && f.at.Phase == timeless:
		conditions = append(conditions, f.order()+" is null")
		if len(f.at.Key) > 0 {
			conditions = append(conditions, f.behind(b, keys, f.at.Key))
		}
	case f.at.Since:
		sort = f.order() + ", " + sort
		col := f.changed()
		switch {
		case len(f.at.Key) > 0:
			// The plain bound lets an index on the column alone be used.
			last := f.c.d.back(col, *f.at.Last)
			conditions = append(conditions, f.order()+" >= "+f.c.d.cast(b.arg(last), col),
				"("+f.order()+" > "+f.c.d.cast(b.arg(last), col)+" or "+f.behind(b, keys, f.at.Key)+")")
		case f.at.From != nil:
			conditions = append(conditions, f.order()+" >= "+f.c.d.cast(b.arg(f.c.d.back(col, f.earlier(*f.at.From))), col))
		default:
			conditions = append(conditions, f.order()+" is not null")
		}
	case len(f.at.Key) > 0:
		conditions = append(conditions, f.behind(b, keys, f.at.Key))
	}
	if f.nullableKey() {
		conditions = append(conditions, "not "+f.keyNull())
	}
	return f.assembled(conditions, sort, n), b.args
}

func (f *fetch) assembled(conditions []string, sort string, n int) string {
	return "select " + f.sel.list() + " from " + f.t.from() + where(conditions) + " order by " + sort + limit(n)
}

func (f *fetch) column(name string) column {
	col := f.t.read.columns[name]
	col.name = name
	return col
}

// keyNull is the condition that a part of the key is missing.
func (f *fetch) keyNull() string {
	parts := make([]string, len(f.t.Key))
	for i, name := range f.t.Key {
		parts[i] = dbkit.Quote(name) + " is null"
	}
	return "(" + strings.Join(parts, " or ") + ")"
}

// behind is the condition that a row's key follows key.
func (f *fetch) behind(b *builder, keys []string, key []dbkit.Cell) string {
	places := make([]string, len(key))
	for i, cell := range key {
		col := f.column(f.t.Key[i])
		places[i] = f.c.d.cast(b.arg(f.c.d.back(col, cell)), col)
	}
	return "(" + strings.Join(keys, ", ") + ") > (" + strings.Join(places, ", ") + ")"
}

// earlier is where an incremental scan really starts: a transaction that was
// begun before the last row seen may have ended after it. A counter has no
// earlier.
func (f *fetch) earlier(mark dbkit.Cell) dbkit.Cell {
	m, ok := dbkit.ParseMoment(mark, f.c.cfg.TimeZone)
	if !ok {
		return mark
	}
	// A second more, for what the mark's own form cuts off.
	return m.Cell(m.At.Add(-f.t.Overlap - time.Second))
}

// limit is the latest believable time of change, in the form of cell; nil when
// that is no time.
func (f *fetch) limit(cell dbkit.Cell) *dbkit.Cell {
	m, ok := dbkit.ParseMoment(cell, f.c.cfg.TimeZone)
	now := f.at.now()
	if !ok || now.IsZero() {
		return nil
	}
	ahead := skew
	if !m.Zoned {
		ahead = skewLocal
	}
	c := m.Cell(now.Add(ahead))
	return &c
}

// isFuture reports whether a time of change can't be true.
func (f *fetch) isFuture(cell dbkit.Cell) bool {
	latest := f.limit(cell)
	if latest == nil {
		return false
	}
	a, _ := dbkit.ParseMoment(cell, f.c.cfg.TimeZone)
	b, ok := dbkit.ParseMoment(*latest, f.c.cfg.TimeZone)
	return ok && a.At.After(b.At)
}
