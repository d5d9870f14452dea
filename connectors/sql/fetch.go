package sql

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nightporter/connectors"
	"nightporter/connectors/internal/dbkit"
	"nightporter/sync/record"
)

// Fetch reads the rows that follow after, sorted by the key, or in an incremental
// scan by time of change and key: an order in which no edit hides a row. One row
// more than a page is asked for, so that the end is known without a further request.
func (c *Conn) Fetch(ctx context.Context, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	if c.rendered(q.Kind) {
		return c.fetchRendered(ctx, q, after)
	}
	op := "fetch " + string(q.Kind)
	ctx, cancel := c.within(ctx)
	defer cancel()
	t, err := c.table(ctx, op, q.Kind)
	if err != nil {
		return connectors.Page{}, err
	}
	if q.Mode == connectors.Since && t.Changed == "" {
		return connectors.Page{}, connectors.Wrong(connectors.Unsupported, op, "no column with the time of change is configured")
	}
	fields, err := c.fieldsOf(t, op, q.Fields)
	if err != nil {
		return connectors.Page{}, err
	}
	at, err := readCursor(op, t, q, after)
	if err != nil {
		return connectors.Page{}, err
	}
	f := &fetch{c: c, t: t, q: q, sel: c.selection(t, fields), at: at}
	if err := f.run(ctx); err != nil {
		return connectors.Page{}, c.fail(ctx, op, record.Ref{}, err)
	}
	return f.page(op)
}

// fetch is the reading of one page.
type fetch struct {
	c   *Conn
	t   *table
	q   connectors.Query
	sel *selection
	at  cursor

	buf   []byte // the rows, one behind the other
	ends  []int  // where each ends
	ids   []string
	last  []dbkit.Cell
	ended bool
}

// run reads phase by phase until the page is full or nothing follows.
func (f *fetch) run(ctx context.Context) error {
	f.buf = make([]byte, 0, f.c.sizeHint(f.t.kind))
	if !f.at.begun() {
		if err := f.begin(ctx); err != nil {
			return err
		}
	}
	for {
		more := false
		if f.phaseExists() {
			var err error
			if more, err = f.rows(ctx); err != nil {
				return err
			}
		}
		if more {
			return nil
		}
		if f.at.Phase == sorted {
			f.ended = true
			return nil
		}
		f.at.Phase++
		f.at.Key, f.at.Last = nil, nil
		if len(f.ids) >= f.c.cfg.PageSize {
			return nil
		}
	}
}

// begin notes the database's clock, and for a full scan the last time of change
// before its first row is read: what changes from now on is the next scan's.
func (f *fetch) begin(ctx context.Context) error {
	if err := f.c.db.QueryRowContext(ctx, "select "+f.c.d.clock()).Scan(&f.at.Clock); err != nil {
		return err
	}
	if f.t.Changed == "" {
		return nil
	}
	if f.at.Since {
		f.at.From = f.at.Mark
		return nil
	}
	mark, err := f.latest(ctx, nil)
	if err != nil || mark == nil {
		return err
	}
	if limit := f.limit(*mark); limit != nil && f.isFuture(*mark) {
		// A row dated in the future would hide all changes until then.
		if mark, err = f.latest(ctx, limit); err != nil {
			return err
		}
	}
	f.at.Mark = mark
	return nil
}

// latest is the greatest time of change, up to limit.
func (f *fetch) latest(ctx context.Context, limit *dbkit.Cell) (*dbkit.Cell, error) {
	col := f.changed()
	b := &builder{d: f.c.d}
	conditions := f.conditions(b)
	if limit != nil {
		conditions = append(conditions, f.order()+" <= "+f.c.d.cast(b.arg(f.c.d.back(col, *limit)), col))
	}
	inner := "select max(" + f.order() + ") as " + dbkit.Quote(col.name) + " from " + f.t.from() + where(conditions)
	var v any
	err := f.c.db.QueryRowContext(ctx, "select "+f.c.d.read(col, f.sel.most)+" from ("+inner+") as latest", b.args...).Scan(&v)
	if err != nil {
		return nil, err
	}
	cell := f.c.d.cell(col, v, f.sel.most)
	if cell.Tag == dbkit.Null {
		return nil, nil //nolint:nilnil // no row has one
	}
	return &cell, nil
}

// rows reads the rest of the page from the cursor's phase; more says that the
// page is full and rows follow.
func (f *fetch) rows(ctx context.Context) (more bool, err error) {
	room := f.c.cfg.PageSize - len(f.ids)
	query, args := f.statement(room + 1)
	rows, err := f.c.db.QueryContext(ctx, query, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	values, dest := f.sel.scanned()
	var cells []dbkit.Cell
	for n := 0; rows.Next(); n++ {
		if err := rows.Scan(dest...); err != nil {
			return false, err
		}
		cells = f.sel.cells(values, cells)
		if n == room && f.at.Phase != keyless {
			return true, f.distinct(cells)
		}
		f.take(cells)
	}
	return false, rows.Err()
}

// take adds a row to the page and moves the cursor behind it.
func (f *fetch) take(cells []dbkit.Cell) {
	for _, cell := range cells {
		f.buf = cell.Append(f.buf)
	}
	f.ends = append(f.ends, len(f.buf))
	f.last = f.sel.key(cells)
	f.ids = append(f.ids, dbkit.JoinKey(f.last))
	if f.at.Phase == keyless {
		return
	}
	f.at.Key = f.last
	if f.at.Since && f.at.Phase == sorted {
		changed := f.timeOf(cells)
		f.at.Last = &changed
		if !f.isFuture(changed) {
			f.at.Mark = &changed
		}
	}
}

// timeOf is what a row is sorted by in an incremental scan.
func (f *fetch) timeOf(cells []dbkit.Cell) dbkit.Cell {
	changed := f.sel.cell(cells, f.t.Changed)
	if changed.Tag == dbkit.Null {
		return f.sel.cell(cells, f.t.Created)
	}
	return changed
}

// distinct refuses a key that two rows share: the page's end would hide one.
func (f *fetch) distinct(next []dbkit.Cell) error {
	if f.t.proven || len(f.ids) == 0 || !slices.Equal(f.last, f.sel.key(next)) {
		return nil
	}
	return &connectors.Error{
		Class: connectors.Malformed,
		Err:   fmt.Errorf("two rows of %s have the same key (%s)", f.t.title(), strings.Join(f.t.Key, ", ")),
		Hint:  "name the columns that tell rows apart under `key`",
	}
}

// page hands out what was read.
func (f *fetch) page(op string) (connectors.Page, error) {
	p := connectors.Page{Total: -1, End: f.ended, View: "list", Items: make([]connectors.Item, len(f.ids))}
	from := 0
	for i, end := range f.ends {
		p.Items[i] = connectors.Item{ID: f.ids[i], Raw: f.buf[from:end:end]}
		from = end
	}
	f.c.remember(f.t.kind, len(f.buf))
	sel := f.sel
	p.Read = func(item connectors.Item) (record.Record, error) {
		cells, err := dbkit.Cells(item.Raw, len(sel.columns))
		if err != nil {
			return record.Record{}, connectors.Wrong(connectors.Malformed, op, "%w", err)
		}
		if sel.deleted(cells) {
			return record.Record{}, sel.t.wasDeleted(op, record.Ref{Kind: sel.t.kind, ID: item.ID})
		}
		return sel.record(op, cells)
	}
	var err error
	switch {
	case !f.ended:
		p.Next, err = f.at.encode()
	case f.t.Changed != "":
		p.Since, err = cursor{Since: true, Mark: f.at.Mark}.encode()
	}
	if err != nil {
		return connectors.Page{}, connectors.Wrong(connectors.Malformed, op, "write cursor: %w", err)
	}
	return p, nil
}

// sizeHint is the room that the last page took, and a little more.
func (c *Conn) sizeHint(kind record.Kind) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sizes[kind] + c.sizes[kind]/16
}

func (c *Conn) remember(kind record.Kind, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sizes[kind] = size
}

// where joins conditions.
func where(conditions []string) string {
	if len(conditions) == 0 {
		return ""
	}
	return " where " + strings.Join(conditions, " and ")
}

func limit(n int) string { return " limit " + strconv.Itoa(n) }
