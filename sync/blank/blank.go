// Package blank stands between a run and a system. It blanks payment cards in everything that the system
// shows: in lists, in reads by id, in records that are found and in answers. So the program can't store,
// compare, log or show a card, and values that are compared are always blanked on both sides.
//
// The record in the system stays unchanged. Only fields that changed are written. Where a connector must
// make sure that a field with a card was not changed meanwhile, it is given the real value of the field.
package blank

import (
	"context"
	"errors"
	"io"
	"strings"

	"nightporter/connectors"
	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// Conn is a connector in front of another connector, for one side of a job. If the connector below can't
// do what is asked, the error is Unsupported.
type Conn struct {
	under connectors.Connector
	m     *mapping.Mapping
	side  record.Side
}

// asking is a Conn in front of a connector that is a connectors.Asker. It is one itself.
type asking struct{ *Conn }

// Cards returns a connector that does the same as conn, with payment cards blanked in everything that the
// side shows.
func Cards(conn connectors.Connector, m *mapping.Mapping, side record.Side) connectors.Connector {
	c := &Conn{under: conn, m: m, side: side}
	if _, ok := conn.(connectors.Asker); ok {
		return asking{c}
	}
	return c
}

// Under returns the connector behind a connector that Cards made. It returns any other connector itself.
func Under(conn connectors.Connector) connectors.Connector {
	switch c := conn.(type) {
	case *Conn:
		return c.under
	case asking:
		return c.under
	}
	return conn
}

// Describe says what the system's kinds can do.
func (c *Conn) Describe(ctx context.Context) (connectors.Description, error) {
	d, err := c.under.Describe(ctx)
	return d, c.err(err)
}

// Close releases what the connector holds.
func (c *Conn) Close() error { return c.under.Close() }

// Fetch reads a page. The bytes of its items are left unchanged, because only their digest is kept.
func (c *Conn) Fetch(ctx context.Context, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	page, err := c.under.Fetch(ctx, q, after)
	if read := page.Read; read != nil {
		page.Read = func(it connectors.Item) (record.Record, error) {
			rec, err := read(it)
			return c.record(rec), c.err(err)
		}
	}
	return page, c.err(err)
}

// Get reads one record by its id.
func (c *Conn) Get(ctx context.Context, ref record.Ref, scope connectors.Scope) (record.Record, error) {
	g, ok := c.under.(connectors.Getter)
	if !ok {
		return record.Record{}, unsupported("get", ref)
	}
	rec, err := g.Get(ctx, ref, scope)
	return c.record(rec), c.err(err)
}

// Find returns the records that hold the given values.
func (c *Conn) Find(ctx context.Context, kind record.Kind, by record.Fields, scope connectors.Scope) ([]record.Record, error) {
	f, ok := c.under.(connectors.Finder)
	if !ok {
		return nil, unsupported("find", record.Ref{Kind: kind})
	}
	found, err := f.Find(ctx, kind, by, scope)
	for i := range found {
		found[i] = c.record(found[i])
	}
	return found, c.err(err)
}

// Beyond reports whether a record outside of the filter holds the given values.
func (c *Conn) Beyond(ctx context.Context, kind record.Kind, by record.Fields) (bool, error) {
	b, ok := c.under.(connectors.Beyonder)
	if !ok {
		return false, unsupported("look beyond the filter of", record.Ref{Kind: kind})
	}
	found, err := b.Beyond(ctx, kind, by)
	return found, c.err(err)
}

// Accepts asks the system whether a record could be accepted.
func (c asking) Accepts(ctx context.Context, ref record.Ref, fields record.Fields, stamp string) (bool, error) {
	a, ok := c.under.(connectors.Asker)
	if !ok {
		return false, unsupported("ask about", ref)
	}
	accepted, err := a.Accepts(ctx, ref, mapping.Shown(fields), stamp)
	return accepted, c.err(err)
}

// Whole reads a record as it really stands, because what is put back later must not be blanked. Only a path
// that holds a card shows the mark alone: no card is kept, and the path is known to hold something.
func (c *Conn) Whole(ctx context.Context, ref record.Ref) (record.Fields, error) {
	w, ok := c.under.(connectors.Whole)
	if !ok {
		return nil, unsupported("read whole", ref)
	}
	whole, err := w.Whole(ctx, ref)
	out := make(record.Fields, len(whole))
	for p, v := range whole {
		out[p] = v
		if text := v.Encode(); c.m.BlankText(text) != text {
			out[p] = record.OfText(mapping.CardMark)
		}
	}
	return out, c.err(err)
}

// PutBack writes values into a record, which is sent whole.
func (c *Conn) PutBack(ctx context.Context, ref record.Ref, values record.Fields) error {
	w, ok := c.under.(connectors.Whole)
	if !ok {
		return unsupported("put back", ref)
	}
	return c.err(w.PutBack(ctx, ref, values))
}

// Apply makes one change, and returns the system's answer.
func (c *Conn) Apply(ctx context.Context, ch record.Change) (record.Record, error) {
	w, ok := c.under.(connectors.Writer)
	if !ok {
		return record.Record{}, unsupported(ch.Op.String(), ch.Ref)
	}
	before, err := c.before(ctx, ch)
	if err != nil {
		return record.Record{}, c.err(err)
	}
	ch.Fields, ch.Before = sent(ch, before), before
	if len(blanked(ch.Beside.Fields)) > 0 { // asterisks are never written: no version may vouch for them
		ch.Beside.Version = ""
	}
	rec, err := w.Apply(ctx, ch)
	return c.record(rec), c.err(err)
}

// Open returns the bytes of a content unchanged.
func (c *Conn) Open(ctx context.Context, ref record.Ref, path string) (io.ReadCloser, error) {
	o, ok := c.under.(connectors.Opener)
	if !ok {
		return nil, unsupported("open", ref)
	}
	f, err := o.Open(ctx, ref, path)
	return f, c.err(err)
}

// before returns the Before of a change with the real values in place of the blanked ones. A connector that
// compares Before with the record would otherwise never find the blanked values there, and a connector that
// sends records whole would write the asterisks. The error is Stale if a blanked field shows something else
// than when the change was decided. If the system has no read by id, or a read does not show the path, a
// blanked value is left out, because it can't be compared.
func (c *Conn) before(ctx context.Context, ch record.Change) (record.Fields, error) {
	hidden := blanked(ch.Before)
	if len(hidden) == 0 {
		return ch.Before, nil
	}
	before := ch.Before.Clone()
	g, ok := c.under.(connectors.Getter)
	if !ok {
		return without(before, hidden), nil
	}
	rec, err := g.Get(ctx, ch.Ref, connectors.Scope{})
	if connectors.ClassOf(err) == connectors.Unsupported {
		return without(before, hidden), nil
	}
	if err != nil {
		return nil, err
	}
	now := c.m.Blank(c.side, rec.Fields)
	for _, p := range hidden {
		switch {
		case !now[p].Observed():
			delete(before, p)
		case !now[p].Equal(before[p]):
			e := connectors.Wrong(connectors.Stale, ch.Op.String()+" "+string(ch.Ref.Kind), "the record changed since it was read")
			e.Ref = ch.Ref
			return nil, e
		default:
			before[p] = rec.Fields[p]
		}
	}
	return before, nil
}

// sent returns the values that a change sends. A system may take a value only together with others, which are sent
// as they stand there: such a value must not take the digits away. before is the Before of the change with the real
// values, and a value that it can't tell is left out.
func sent(ch record.Change, before record.Fields) record.Fields {
	out := mapping.Shown(ch.Fields).Clone()
	for _, p := range blanked(ch.Fields) {
		if !ch.Fields[p].Equal(ch.Before[p]) {
			continue
		}
		delete(out, p)
		if was := before[p]; was.Observed() {
			out[p] = was
		}
	}
	return out
}

// blanked returns the paths at which a value may have been blanked: it contains the mark.
func blanked(f record.Fields) []string {
	var paths []string
	for _, p := range f.Names() {
		if strings.Contains(f[p].Encode(), mapping.CardMark) {
			paths = append(paths, p)
		}
	}
	return paths
}

func without(f record.Fields, paths []string) record.Fields {
	for _, p := range paths {
		delete(f, p)
	}
	return f
}

func (c *Conn) record(rec record.Record) record.Record {
	rec.Fields = c.m.Blank(c.side, rec.Fields)
	if !strings.HasPrefix(rec.Stamp, "np:") { // not our mark: somebody wrote something else there
		rec.Stamp = c.m.BlankText(rec.Stamp)
	}
	return rec
}

// err returns an error with payment cards blanked: the system may repeat a card in its message.
func (c *Conn) err(err error) error {
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok || e.Err == nil || c.m.BlankText(e.Err.Error()) == e.Err.Error() {
		return err
	}
	told := *e
	told.Err = errors.New(c.m.BlankText(e.Err.Error()))
	return &told
}

func unsupported(op string, ref record.Ref) error {
	return &connectors.Error{Class: connectors.Unsupported, Op: op + " " + string(ref.Kind), Ref: ref}
}
