package sql

import (
	"context"
	dbsql "database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/internal/dbkit"
	"nightporter/sync/record"
)

// xmin is PostgreSQL's own version of a row, which moves with every change of it.
const xmin = "xmin"

// endWithin is how long a commit that was begun may take, whatever becomes of the
// caller's context: cut off in the middle, nobody would know what it did.
const endWithin = 15 * time.Second

// Apply makes one change with one INSERT, UPDATE or DELETE in a transaction of its own.
// Until the commit is sent nothing can have been applied, so that a connection
// lost before is Transient; lost at the commit, it is Ambiguous.
func (c *Conn) Apply(ctx context.Context, ch record.Change) (record.Record, error) {
	op := ch.Op.String() + " " + string(ch.Ref.Kind)
	ctx, cancel := c.within(ctx)
	defer cancel()
	t, err := c.table(ctx, op, ch.Ref.Kind)
	if err != nil {
		return record.Record{}, err
	}
	w := &write{c: c, t: t, ch: ch, op: op}
	if err := w.check(); err != nil {
		c.forget() // what is wrong now may be mended by the next time
		return record.Record{}, c.fail(ctx, op, ch.Ref, err)
	}
	return w.run(ctx)
}

// write is one change being made.
type write struct {
	c  *Conn
	t  *table
	ch record.Change
	op string
}

// check refuses what needs no database to be refused.
func (w *write) check() error {
	switch w.ch.Op {
	case record.Create:
		if !w.t.write.inserts {
			return connectors.Wrong(connectors.Forbidden, "", "rows can't be created in %s", w.t.title())
		}
	case record.Update:
		if !w.t.write.updates {
			return connectors.Wrong(connectors.Forbidden, "", "rows can't be changed in %s", w.t.title())
		}
		if len(w.ch.Fields.Names()) == 0 {
			return connectors.Wrong(connectors.Rejected, "", "the change names no field")
		}
	case record.Delete:
		if !w.t.deletes() {
			return connectors.Wrong(connectors.Unsupported, "", "rows of %s are not to be deleted: its settings don't say that they may be", w.t.title())
		}
	case record.Action:
		return connectors.Wrong(connectors.Unsupported, "", "a database's rows have no actions of their own")
	default:
		return connectors.Wrong(connectors.Unsupported, "", "unknown operation")
	}
	for _, name := range w.ch.Fields.Names() {
		if slices.Contains(w.t.Private, name) {
			return connectors.Wrong(connectors.Forbidden, "", "column %q is private", name)
		}
		if _, ok := w.t.read.columns[name]; !ok {
			return connectors.Wrong(connectors.Malformed, "", "%v", w.t.noColumn(name))
		}
		if w.t.readOnly(name) || w.ch.Op == record.Update && slices.Contains(w.t.Key, name) {
			return connectors.Wrong(connectors.Rejected, "", "column %q is not to be written", name)
		}
	}
	return nil
}

// readOnly reports whether a column is not the mapping's to write: the database
// computes it, it is ours, or the table written to lacks it.
func (t *table) readOnly(name string) bool {
	col, ok := t.write.columns[name]
	return !ok || col.computed || name == t.Version || name == t.OurMark
}

// run makes the change and commits it.
func (w *write) run(ctx context.Context) (record.Record, error) {
	// The transaction outlives the caller's context, the statements in it don't.
	life, end := context.WithTimeout(context.WithoutCancel(ctx), w.c.cfg.Timeout+endWithin)
	defer end()
	conn, err := w.c.db.Conn(ctx) // waits no longer than the caller does
	if err != nil {
		return record.Record{}, w.failed(ctx, err)
	}
	defer conn.Close()
	tx, err := conn.BeginTx(life, nil)
	if err != nil {
		return record.Record{}, w.failed(ctx, err)
	}
	defer tx.Rollback()
	r, err := w.make(ctx, tx)
	if err != nil {
		return record.Record{}, w.failed(ctx, err)
	}
	if err := context.Cause(ctx); err != nil {
		return record.Record{}, w.failed(ctx, err)
	}
	if err := connectors.PassGate(ctx); err != nil { // it may have waited for a lock
		return record.Record{}, &connectors.Error{Class: connectors.Transient, Op: w.op, Ref: w.ch.Ref, Err: err}
	}
	if err := tx.Commit(); err != nil {
		return record.Record{}, w.uncertain(err)
	}
	return r, nil
}

// make makes the change in its transaction, and gives the row as it is then.
func (w *write) make(ctx context.Context, tx *dbsql.Tx) (record.Record, error) {
	switch w.ch.Op {
	case record.Create:
		ref, err := w.create(ctx, tx)
		if err != nil {
			return record.Record{}, err
		}
		return w.stored(ctx, tx, ref)
	case record.Delete:
		return record.Record{Ref: w.ch.Ref}, w.remove(ctx, tx)
	case record.Update, record.Action:
	}
	if err := w.update(ctx, tx); err != nil {
		return record.Record{}, err
	}
	return w.stored(ctx, tx, w.ch.Ref)
}

// failed is an error from before the commit: nothing was applied.
func (w *write) failed(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*connectors.Error](err); !ok && context.Cause(ctx) == nil &&
		w.ch.Op == record.Create && w.c.d.classify(err).unique {
		f := w.c.d.classify(err)
		return &connectors.Error{Class: connectors.Exists, Op: w.op, Ref: w.ch.Ref, Err: errors.New(f.text), Fields: f.named}
	}
	return w.c.fail(ctx, w.op, w.ch.Ref, err)
}

// uncertain is an error of the commit: the server's own no is one, everything
// else may have come after it was done.
func (w *write) uncertain(err error) error {
	f := w.c.d.classify(err)
	switch {
	case f.lost:
		f.class = connectors.Ambiguous
	case f.unique && w.ch.Op == record.Create:
		f.class = connectors.Exists
	}
	return &connectors.Error{Class: f.class, Op: w.op, Host: w.c.cfg.Address, Ref: w.ch.Ref, Err: errors.New("commit: " + f.text), Hint: w.c.where(f), Fields: f.named}
}

// create asks the condition of acceptance and inserts the row.
func (w *write) create(ctx context.Context, tx *dbsql.Tx) (record.Ref, error) {
	if err := w.accepted(ctx, tx); err != nil {
		return record.Ref{}, err
	}
	b := &builder{d: w.c.d}
	var names, places []string
	for _, name := range w.ch.Fields.Names() {
		arg, err := w.arg(name, w.ch.Fields[name])
		if err != nil {
			return record.Ref{}, err
		}
		names = append(names, name)
		places = append(places, b.arg(arg))
	}
	if w.t.OurMark != "" && w.ch.Stamp != "" {
		names = append(names, w.t.OurMark)
		places = append(places, b.arg(w.ch.Stamp))
	}
	values := "(" + dbkit.QuoteAll(names) + ") values (" + strings.Join(places, ", ") + ")"
	if len(names) == 0 {
		values = "default values"
	}
	keys := make([]column, len(w.t.Key))
	list := make([]string, len(keys))
	for i, name := range w.t.Key {
		keys[i] = w.t.write.columns[name]
		list[i] = w.c.d.read(keys[i], w.c.cfg.MaxField)
	}
	//nolint:gosec // names are quoted and values are arguments
	insert := "insert into " + w.t.target() + " " + values + " returning " + strings.Join(list, ", ")
	rows, err := tx.QueryContext(ctx, insert, b.args...)
	if err != nil {
		return record.Ref{}, err
	}
	defer rows.Close()
	cells := make([]dbkit.Cell, len(keys))
	for n := 0; rows.Next(); n++ {
		got, dest := make([]any, len(keys)), make([]any, len(keys))
		for i := range got {
			dest[i] = &got[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return record.Ref{}, err
		}
		for i := range cells {
			cells[i] = w.c.d.cell(keys[i], got[i], w.c.cfg.MaxField)
		}
	}
	if err := rows.Err(); err != nil {
		return record.Ref{}, err
	}
	id := dbkit.JoinKey(cells)
	if id == "" {
		return record.Ref{}, connectors.Wrong(connectors.Rejected, "", "the new row got no key (%s): a trigger may have refused it", strings.Join(w.t.Key, ", "))
	}
	return record.Ref{Kind: w.t.kind, ID: id}, nil
}

// accepted asks accept_if in the transaction that is to create the row. Creates
// of ours wait for each other here: two that asked side by side would both be told
// that the last room is free.
func (w *write) accepted(ctx context.Context, tx *dbsql.Tx) error {
	if w.t.AcceptIf == "" {
		return nil
	}
	if hold := w.c.d.hold(); hold != "" {
		if _, err := tx.ExecContext(ctx, hold, "nightporter accept_if "+w.t.target()); err != nil {
			return err
		}
	}
	ok, err := w.c.accepts(ctx, tx, w.t, "", w.ch.Fields, w.ch.Stamp)
	if err != nil {
		return err
	}
	if !ok {
		return connectors.Wrong(connectors.Refused, "", "accept_if found no row: nothing was written")
	}
	return nil
}

// arg is a value for a column of the table written to.
func (w *write) arg(name string, v record.Value) (any, error) {
	arg, err := w.c.d.arg(w.t.write.columns[name], v)
	if err != nil {
		return nil, connectors.Wrong(connectors.Rejected, "", "%w", err)
	}
	return arg, nil
}

// update changes the row if it is as the change was decided upon.
func (w *write) update(ctx context.Context, tx *dbsql.Tx) error {
	b := &builder{d: w.c.d}
	var sets []string
	for _, name := range w.ch.Fields.Names() {
		arg, err := w.arg(name, w.ch.Fields[name])
		if err != nil {
			return err
		}
		sets = append(sets, dbkit.Quote(name)+" = "+b.arg(arg))
	}
	if w.t.VersionBump {
		version := dbkit.Quote(w.t.Version)
		sets = append(sets, version+" = coalesce("+version+", 0) + 1")
	}
	return w.one(ctx, tx, b, "update "+w.t.target()+" set "+strings.Join(sets, ", "))
}

// remove deletes the row if it is as the change was decided upon.
func (w *write) remove(ctx context.Context, tx *dbsql.Tx) error {
	return w.one(ctx, tx, &builder{d: w.c.d}, "delete from "+w.t.target())
}

// one runs a statement on the row, if it is as the change was decided upon.
func (w *write) one(ctx context.Context, tx *dbsql.Tx, b *builder, statement string) error {
	key, err := w.c.keyed(b, w.t, w.ch.Ref)
	if err != nil {
		return err
	}
	conditions := []string{key}
	if inside := w.inside(b); inside != "" {
		conditions = append(conditions, inside)
	}
	guards, err := w.guards(b)
	if err != nil {
		return err
	}
	conditions = append(conditions, guards...)
	result, err := tx.ExecContext(ctx, statement+where(conditions), b.args...)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	switch {
	case err != nil:
		return err
	case n == 0:
		return w.untouched(ctx, tx)
	case n > 1:
		return connectors.Wrong(connectors.Malformed, "", "%d rows have this key (%s): none was changed", n, strings.Join(w.t.Key, ", "))
	}
	return nil
}

// inside is the condition that a row of the table written to is one that is read.
func (w *write) inside(b *builder) string {
	only := w.t.only()
	if w.t.Query == "" || only == "" {
		return only
	}
	key, err := w.c.keyed(b, w.t, w.ch.Ref)
	if err != nil { // it was read a moment before
		return "false"
	}
	return "exists (select 1 from " + w.t.from() + " where " + key + " and " + only + ")"
}

// guards are the conditions that nobody else changed the row: its version, and what the
// fields held. A column that is called the version may not move with every edit; what the
// database itself counts does, and stands for the fields.
func (w *write) guards(b *builder) ([]string, error) {
	var out []string
	if w.t.Version != "" && w.ch.Version != "" {
		col := w.t.write.columns[w.t.Version]
		col.name = w.t.Version
		out = append(out, w.c.d.version(b, col, string(w.ch.Version)))
		if w.t.Version == xmin {
			return out, nil
		}
	}
	for _, name := range w.ch.Before.Names() {
		col, ok := w.t.write.columns[name]
		before := w.ch.Before[name]
		if !ok || slices.Contains(w.t.Private, name) || strings.ContainsRune(before.Text(), '\uFFFD') {
			// What could not be read as it is can't be compared either.
			continue
		}
		arg, err := w.arg(name, before)
		if err != nil {
			return nil, err
		}
		out = append(out, w.c.d.same(b, col, arg))
	}
	return out, nil
}

// deletes reports whether rows may be deleted.
func (t *table) deletes() bool { return t.MayDelete && t.Table.Table != "" }

// untouched tells why an update, or a delete, met no row.
func (w *write) untouched(ctx context.Context, tx *dbsql.Tx) error {
	if there, err := w.c.exists(ctx, tx, w.t, w.ch.Ref, ""); err != nil {
		return err
	} else if !there {
		return connectors.Wrong(connectors.NotFound, "", "there is no such record")
	}
	if there, err := w.c.exists(ctx, tx, w.t, w.ch.Ref, w.t.only()); err != nil {
		return err
	} else if !there {
		return connectors.Wrong(connectors.OutOfScope, "", "the record is outside of the filter")
	}
	return connectors.Wrong(connectors.Stale, "", "the record was changed since it was read")
}

// stored reads the row back inside the transaction: triggers have run by then.
func (w *write) stored(ctx context.Context, tx *dbsql.Tx, ref record.Ref) (record.Record, error) {
	fields, err := w.t.fields(w.op, nil)
	if err != nil {
		return record.Record{}, err
	}
	for _, name := range w.ch.Fields.Names() {
		if !slices.Contains(fields, name) {
			fields = append(slices.Clip(fields), name)
		}
	}
	b := &builder{d: w.c.d}
	key, err := w.c.keyed(b, w.t, ref)
	if err != nil {
		return record.Record{}, err
	}
	found, err := w.c.records(ctx, tx, w.op, w.t, fields, b, []string{key})
	if err != nil {
		return record.Record{}, err
	}
	if len(found) == 0 { // a query that doesn't show it yet
		return record.Record{Ref: ref, Stamp: w.ch.Stamp}, nil
	}
	return found[0], nil
}
