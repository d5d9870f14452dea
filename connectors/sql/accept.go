package sql

import (
	"context"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// The names that accept_if knows beside the columns.
const (
	ourMark = "our_mark"
	theID   = "id"
)

// Accepts asks the kind's condition about a record. Columns that the condition
// names and fields doesn't are read from the row itself.
func (c *Conn) Accepts(ctx context.Context, ref record.Ref, fields record.Fields, stamp string) (bool, error) {
	op := "ask about " + string(ref.Kind)
	ctx, cancel := c.within(ctx)
	defer cancel()
	t, err := c.table(ctx, op, ref.Kind)
	if err != nil {
		return false, err
	}
	if t.AcceptIf == "" {
		return false, connectors.Wrong(connectors.Unsupported, op, "no accept_if is configured")
	}
	fields, err = c.completed(ctx, op, t, ref, fields)
	if err != nil {
		return false, c.missing(ctx, op, ref, err)
	}
	ok, err := c.accepts(ctx, c.db, t, ref.ID, fields, stamp)
	return ok, c.fail(ctx, op, ref, err)
}

// completed is fields with the columns that the condition needs and they lack.
func (c *Conn) completed(ctx context.Context, op string, t *table, ref record.Ref, fields record.Fields) (record.Fields, error) {
	var lacking []string
	for _, name := range t.accept.Names() {
		if _, ok := t.read.columns[name]; ok && !fields[name].Observed() {
			lacking = append(lacking, name)
		}
	}
	if len(lacking) == 0 || ref.ID == "" {
		return fields, nil
	}
	b := &builder{d: c.d}
	key, err := c.keyed(b, t, ref)
	if err != nil {
		return nil, err
	}
	found, err := c.records(ctx, c.db, op, t, lacking, b, []string{key})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, connectors.Wrong(connectors.NotFound, op, "there is no such record")
	}
	return found[0].Fields.With(fields), nil
}

// accepts asks the condition; any row is a yes.
func (c *Conn) accepts(ctx context.Context, q querier, t *table, id string, fields record.Fields, stamp string) (bool, error) {
	query, args, err := c.accepting(t, id, fields, stamp)
	if err != nil {
		return false, err
	}
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	found := rows.Next()
	return found, rows.Err()
}

// accepting is the condition with its parameters. Each appearance is a parameter
// of its own, so that one name may be cast to a date here and stay a text there.
func (c *Conn) accepting(t *table, id string, fields record.Fields, stamp string) (string, []any, error) {
	b := &builder{d: c.d}
	var wrong error
	query := t.accept.SQL(func(name string) string {
		col, isColumn := t.read.columns[name]
		col.name = name
		v := fields[name]
		switch {
		case name == theID && (!isColumn || !v.Observed()):
			v = text(id)
		case name == ourMark && (!isColumn || !v.Observed()), name == t.OurMark:
			v = text(stamp)
		}
		arg, err := c.d.arg(col, v)
		if err != nil {
			wrong = connectors.Wrong(connectors.Rejected, "", "%w", err)
		}
		return b.arg(arg)
	})
	return query, b.args, wrong
}

// text is a value, NULL for none.
func text(s string) record.Value {
	if s == "" {
		return record.Nothing()
	}
	return record.OfText(s)
}
