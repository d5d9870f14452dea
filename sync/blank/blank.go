// Package blank stands between a run and a system, and blanks payment cards in all
// that the system shows: what is listed, read by id, found and answered. So nothing
// behind it can store, compare, log or show one, and what is compared is always
// blanked on both sides.
//
// The record itself stays as it is. Only fields that changed are written, and where
// the connector is to make sure that a field with a card was not changed meanwhile,
// it is told what really stands there.
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

// Conn is a connector as one side of a job may see it. What the connector below can't
// do is answered with Unsupported.
type Conn struct {
	under connectors.Connector
	m     *mapping.Mapping
	side  record.Side
}

// asking is a Conn of a connector that can be asked about a record.
type asking struct{ *Conn }

// Cards is conn without the payment cards in what side shows.
func Cards(conn connectors.Connector, m *mapping.Mapping, side record.Side) connectors.Connector {
	c := &Conn{under: conn, m: m, side: side}
	if _, ok := conn.(connectors.Asker); ok {
		return asking{c}
	}
	return c
}

// Under is the connector behind one that Cards made, and any other as it is.
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

// Fetch reads a page. The bytes of its items are left as they are: only their digest
// is kept.
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

// Find looks records up by what their fields hold.
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

// Beyond reports whether a record outside of the filter holds these values.
func (c *Conn) Beyond(ctx context.Context, kind record.Kind, by record.Fields) (bool, error) {
	b, ok := c.under.(connectors.Beyonder)
	if !ok {
		return false, unsupported("look beyond the filter of", record.Ref{Kind: kind})
	}
	found, err := b.Beyond(ctx, kind, by)
	return found, c.err(err)
}

// Accepts asks whether a record could be accepted.
func (c asking) Accepts(ctx context.Context, ref record.Ref, fields record.Fields, stamp string) (bool, error) {
	a, ok := c.under.(connectors.Asker)
	if !ok {
		return false, unsupported("ask about", ref)
	}
	accepted, err := a.Accepts(ctx, ref, fields, stamp)
	return accepted, c.err(err)
}

// Whole reads a record as it really stands: what is kept of it to be put back may not be
// blanked. Of a path that holds a card nothing but the mark is shown, so that none is kept:
// something stands there, and nobody can say what.
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

// PutBack writes values into a record that is sent whole.
func (c *Conn) PutBack(ctx context.Context, ref record.Ref, values record.Fields) error {
	w, ok := c.under.(connectors.Whole)
	if !ok {
		return unsupported("put back", ref)
	}
	return c.err(w.PutBack(ctx, ref, values))
}

// Apply makes one change.
func (c *Conn) Apply(ctx context.Context, ch record.Change) (record.Record, error) {
	w, ok := c.under.(connectors.Writer)
	if !ok {
		return record.Record{}, unsupported(ch.Op.String(), ch.Ref)
	}
	before, err := c.before(ctx, ch)
	if err != nil {
		return record.Record{}, c.err(err)
	}
	ch.Before = before
	if len(blanked(ch.Beside.Fields)) > 0 { // asterisks are never written
		ch.Beside.Version = ""
	}
	rec, err := w.Apply(ctx, ch)
	return c.record(rec), c.err(err)
}

// Open gives the bytes of a content as they are.
func (c *Conn) Open(ctx context.Context, ref record.Ref, path string) (io.ReadCloser, error) {
	o, ok := c.under.(connectors.Opener)
	if !ok {
		return nil, unsupported("open", ref)
	}
	f, err := o.Open(ctx, ref, path)
	return f, c.err(err)
}

// before is what the change was decided upon, as it really stands in the record: a
// connector that compares it would otherwise never find it there, and one that sends
// a record whole would write the asterisks. A field that no longer shows what the
// change was decided upon makes it Stale. Where the record can't be read, what was
// blanked is left out, as something that can't be compared.
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

// blanked is the paths whose value may have been blanked.
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
	if !strings.HasPrefix(rec.Stamp, "np:") { // not one of ours: what somebody wrote into its place
		rec.Stamp = c.m.BlankText(rec.Stamp)
	}
	return rec
}

// err is an error without the cards that a system may repeat in it.
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
