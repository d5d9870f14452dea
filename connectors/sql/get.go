package sql

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/connectors/internal/dbkit"
	"nightporter/sync/record"
)

// findMost is the rows that a Find returns at most: more are no answer to "who".
const findMost = 1000

// querier is a pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*dbsql.Rows, error)
}

// Get reads one row by its key. One that is there and outside of the table's
// predicate or of the window is OutOfScope, and none of its values is read.
func (c *Conn) Get(ctx context.Context, ref record.Ref, scope connectors.Scope) (record.Record, error) {
	if c.rendered(ref.Kind) {
		return c.getRendered(ctx, ref)
	}
	op := "get " + string(ref.Kind)
	ctx, cancel := c.within(ctx)
	defer cancel()
	t, err := c.table(ctx, op, ref.Kind)
	if err != nil {
		return record.Record{}, err
	}
	fields, err := c.fieldsOf(t, op, nil)
	if err != nil {
		return record.Record{}, err
	}
	b := &builder{d: c.d}
	key, err := c.keyed(b, t, ref)
	if err != nil {
		return record.Record{}, c.fail(ctx, op, ref, err)
	}
	found, deleted, err := c.rows(ctx, c.db, op, t, fields, b, append(c.conditions(b, t, scope), key))
	switch {
	case err == nil && len(deleted) > 0:
		err = t.wasDeleted(op, ref)
	case err == nil && len(found) == 0:
		err = c.absent(ctx, c.db, t, ref)
	}
	if err != nil {
		return record.Record{}, c.missing(ctx, op, ref, err)
	}
	return oneOf(op, ref, found)
}

// oneOf returns the row that an id means among those that the database takes for it. A collation may take two keys
// for one: then a row is meant only if it bears just that id.
func oneOf(op string, ref record.Ref, found []record.Record) (record.Record, error) {
	i := slices.IndexFunc(found, func(r record.Record) bool { return r.Ref.ID == ref.ID })
	switch {
	case i >= 0:
		return found[i], nil
	case len(found) > 1:
		err := connectors.Wrong(connectors.Rejected, op, "the database takes the id for that of %d rows", len(found))
		err.Ref, err.Hint = ref, "write the id in the record that names it just as one of the rows has it"
		return record.Record{}, err
	}
	return found[0], nil
}

// missing is fail for a read by id: an id that can't be a key names no record.
func (c *Conn) missing(ctx context.Context, op string, ref record.Ref, err error) error {
	if context.Cause(ctx) == nil && c.d.classify(err).value {
		err = connectors.Wrong(connectors.NotFound, op, "there is no such record")
	}
	return c.fail(ctx, op, ref, err)
}

// absent tells why a row was not shown: it is not there, or out of scope.
func (c *Conn) absent(ctx context.Context, q querier, t *table, ref record.Ref) error {
	there, err := c.exists(ctx, q, t, ref, "")
	switch {
	case err != nil:
		return err
	case there:
		return connectors.Wrong(connectors.OutOfScope, "", "the record is outside of the filter or the window")
	}
	return connectors.Wrong(connectors.NotFound, "", "there is no such record")
}

// exists asks whether a row is there that also meets a condition.
func (c *Conn) exists(ctx context.Context, q querier, t *table, ref record.Ref, condition string) (bool, error) {
	b := &builder{d: c.d}
	key, err := c.keyed(b, t, ref)
	if err != nil {
		return false, err
	}
	conditions := []string{key}
	if condition != "" {
		conditions = append(conditions, condition)
	}
	return c.any(ctx, q, "select 1 from "+t.from()+where(conditions)+limit(1), b.args)
}

// keyed is the condition that a row has the id of ref.
func (c *Conn) keyed(b *builder, t *table, ref record.Ref) (string, error) {
	values, ok := dbkit.SplitKey(ref.ID, len(t.Key))
	if !ok {
		return "", connectors.Wrong(connectors.NotFound, "", "the id is not one of %d values (%s)", len(t.Key), strings.Join(t.Key, ", "))
	}
	parts := make([]string, len(values))
	for i, name := range t.Key {
		col := t.read.columns[name]
		col.name = name
		parts[i] = c.d.keyed(b, col, values[i])
	}
	return strings.Join(parts, " and "), nil
}

// records reads the rows that meet conditions, sorted by key, those that count as deleted
// among them.
func (c *Conn) records(
	ctx context.Context, q querier, op string, t *table, fields []string, b *builder, conditions []string,
) ([]record.Record, error) {
	there, deleted, err := c.rows(ctx, q, op, t, fields, b, conditions)
	return append(there, deleted...), err
}

// rows is records, with those that count as deleted by themselves.
func (c *Conn) rows(
	ctx context.Context, q querier, op string, t *table, fields []string, b *builder, conditions []string,
) (there, deleted []record.Record, err error) {
	sel := c.selection(t, fields)
	query := "select " + sel.list() + " from " + t.from() + where(conditions) + " order by " + dbkit.QuoteAll(t.Key) + limit(findMost)
	rows, err := q.QueryContext(ctx, query, b.args...)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	var cells []dbkit.Cell
	values, dest := sel.scanned()
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return nil, nil, err
		}
		cells = sel.cells(values, cells)
		r, err := sel.record(op, cells)
		switch {
		case err != nil:
			return nil, nil, err
		case sel.deleted(cells):
			deleted = append(deleted, r)
		default:
			there = append(there, r)
		}
	}
	return there, deleted, rows.Err()
}

// Find returns the rows whose columns hold just these values, NULL for Null. A
// value that can't be one of its column is held by no row.
func (c *Conn) Find(ctx context.Context, kind record.Kind, by record.Fields, scope connectors.Scope) ([]record.Record, error) {
	op := "find " + string(kind)
	ctx, cancel := c.within(ctx)
	defer cancel()
	t, err := c.table(ctx, op, kind)
	if err != nil {
		return nil, err
	}
	names := by.Names()
	if len(names) == 0 {
		return nil, connectors.Wrong(connectors.Unsupported, op, "nothing to look for")
	}
	fields, err := c.fieldsOf(t, op, nil)
	if err != nil {
		return nil, err
	}
	b := &builder{d: c.d}
	conditions := c.conditions(b, t, scope)
	for _, name := range names {
		if err := t.mayRead(op, name); err != nil {
			return nil, err
		}
		if name != t.OurMark && !slices.Contains(fields, name) {
			fields = append(slices.Clip(fields), name) // the answer must show what was asked for
		}
		condition, err := c.holds(b, t, name, by[name])
		if err != nil {
			return nil, nil // no row can hold it
		}
		conditions = append(conditions, condition)
	}
	found, _, err := c.rows(ctx, c.db, op, t, fields, b, conditions)
	if err != nil && context.Cause(ctx) == nil && c.d.classify(err).value {
		return nil, nil
	}
	return found, c.fail(ctx, op, record.Ref{}, err)
}

// Beyond reports whether a row outside of the condition `only` holds just these values. Without
// values it reports whether there is any row outside. No value of it is read.
func (c *Conn) Beyond(ctx context.Context, kind record.Kind, by record.Fields) (bool, error) {
	op := "look beyond the filter of " + string(kind)
	ctx, cancel := c.within(ctx)
	defer cancel()
	t, err := c.table(ctx, op, kind)
	if err != nil || t.only() == "" {
		return false, err
	}
	b := &builder{d: c.d}
	conditions := []string{"(" + t.only() + ") is not true"}
	for _, name := range by.Names() {
		if err := t.mayRead(op, name); err != nil {
			return false, err
		}
		condition, err := c.holds(b, t, name, by[name])
		if err != nil {
			return false, nil // no row can hold it
		}
		conditions = append(conditions, condition)
	}
	found, err := c.any(ctx, c.db, "select 1 from "+t.from()+where(conditions)+limit(1), b.args)
	if err != nil && context.Cause(ctx) == nil && c.d.classify(err).value {
		return false, nil
	}
	return found, c.fail(ctx, op, record.Ref{}, err)
}

// any reports whether a query gives a row.
func (c *Conn) any(ctx context.Context, q querier, query string, args []any) (bool, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	found := rows.Next()
	return found, rows.Err()
}

// holds is the condition that a column holds a value, NULL among them.
func (c *Conn) holds(b *builder, t *table, name string, v record.Value) (string, error) {
	col := t.read.columns[name]
	col.name = name
	if v.Type() == record.Null {
		return dbkit.Quote(name) + " is null", nil
	}
	arg, err := c.d.arg(col, v)
	if err != nil {
		return "", fmt.Errorf("compare: %w", err)
	}
	if col.form == asJSON {
		return c.d.same(b, col, arg), nil
	}
	return dbkit.Quote(name) + " = " + c.d.cast(b.arg(arg), col), nil
}
