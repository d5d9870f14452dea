package sql

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/internal/dbkit"
	"nightporter/sync/record"
)

// selection is which columns a statement reads, in which order, and what they
// mean in a record.
type selection struct {
	t       *table
	d       dialect
	most    int
	zone    *time.Location
	columns []column
	at      map[string]int
	fields  []string
}

// selection reads the table's own columns and fields.
func (c *Conn) selection(t *table, fields []string) *selection {
	s := &selection{t: t, d: c.d, most: c.cfg.MaxField, zone: c.cfg.TimeZone, at: map[string]int{}, fields: fields}
	for _, name := range slices.Concat(t.uses(), fields) {
		if _, ok := s.at[name]; ok {
			continue
		}
		s.at[name] = len(s.columns)
		col := t.read.columns[name]
		col.name = name
		s.columns = append(s.columns, col)
	}
	return s
}

// list is the select list. Each expression gets a name that is no column's: an
// ORDER BY would take the text of that name before the column itself.
func (s *selection) list() string {
	parts := make([]string, len(s.columns))
	for i, col := range s.columns {
		parts[i] = s.d.read(col, s.most) + ` as "np ` + strconv.Itoa(i) + `"`
	}
	return strings.Join(parts, ", ")
}

// scanned is where a row is scanned to.
func (s *selection) scanned() (values []any, dest []any) {
	values, dest = make([]any, len(s.columns)), make([]any, len(s.columns))
	for i := range values {
		dest[i] = &values[i]
	}
	return values, dest
}

// cells understands a scanned row.
func (s *selection) cells(values []any, into []dbkit.Cell) []dbkit.Cell {
	into = into[:0]
	for i, v := range values {
		into = append(into, s.d.cell(s.columns[i], v, s.most))
	}
	return into
}

// cell is the cell of a column by its name.
func (s *selection) cell(cells []dbkit.Cell, name string) dbkit.Cell {
	if i, ok := s.at[name]; ok && name != "" {
		return cells[i]
	}
	return dbkit.Cell{Tag: dbkit.Null}
}

// key is the cells of the key.
func (s *selection) key(cells []dbkit.Cell) []dbkit.Cell {
	key := make([]dbkit.Cell, len(s.t.Key))
	for i, name := range s.t.Key {
		key[i] = s.cell(cells, name)
	}
	return key
}

// deleted reports whether a row counts as deleted.
func (s *selection) deleted(cells []dbkit.Cell) bool {
	return s.t.Deleted != "" && connectors.SaysDeleted(s.cell(cells, s.t.Deleted).Text)
}

// wasDeleted is the error for a row that counts as deleted.
func (t *table) wasDeleted(op string, ref record.Ref) error {
	err := connectors.Wrong(connectors.NotFound, op, "the row says in column %q that it was deleted", t.Deleted)
	err.Ref = ref
	return err
}

// record decodes a row. An error names the column and not its value.
func (s *selection) record(op string, cells []dbkit.Cell) (record.Record, error) {
	r := record.Record{
		Ref:     record.Ref{Kind: s.t.kind, ID: dbkit.JoinKey(s.key(cells))},
		Version: record.Version(s.cell(cells, s.t.Version).Text),
		Fields:  make(record.Fields, len(s.fields)),
		Stamp:   record.OfText(s.cell(cells, s.t.OurMark).Text).Text(),

		ChangedBy: connectors.Name(record.OfText(s.cell(cells, s.t.ChangedBy).Text).Text()),
	}
	if m, ok := dbkit.ParseMoment(s.cell(cells, s.t.Changed), s.zone); ok {
		r.Changed = m.At.UTC()
	}
	if m, ok := dbkit.ParseMoment(s.cell(cells, s.t.Created), s.zone); ok {
		r.Created = m.At.UTC()
	}
	for _, name := range s.fields {
		v, err := s.value(name, s.cell(cells, name))
		if err != nil {
			return r, &connectors.Error{Class: connectors.Rejected, Op: op, Ref: r.Ref, Err: err}
		}
		r.Fields[name] = v
	}
	return r, nil
}
