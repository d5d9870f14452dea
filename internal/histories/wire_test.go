package histories

import (
	"context"
	"errors"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// wire is a connection to a system, or to what stands in its place. It tells the
// oracle what is sent, and the trace what is asked and answered.
type wire struct {
	w     *world
	side  record.Side
	conns [2]connectors.Connector // ours, and another account's
}

// finder is a wire to a system that can be asked for records.
type finder struct{ wire }

var errCan = errors.New("the system in memory lacks what its kind promises")

func (c wire) at() connectors.Connector {
	if c.w.swapped[c.side] {
		return c.conns[1]
	}
	return c.conns[0]
}

// locked is the answer to a key that is not known.
func (c wire) locked(op string) error {
	if !c.w.unknown[c.side] {
		return nil
	}
	c.w.log("    %s %s: the key is not known", c.side, op)
	return connectors.Wrong(connectors.Unauthorized, op, "the key is not known")
}

func (c wire) Describe(ctx context.Context) (connectors.Description, error) {
	return c.conns[0].Describe(ctx) //nolint:wrapcheck // it is passed on
}

func (c wire) Close() error { return nil }

func (c wire) Fetch(ctx context.Context, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	c.w.meanwhile()
	if err := c.locked("fetch"); err != nil {
		return connectors.Page{}, err
	}
	list := c.w.opens(c.side, q.Kind, after)
	p, err := c.at().Fetch(ctx, q, after)
	c.w.asked[c.side] = c.w.clock(c.side)
	if err == nil {
		c.w.paged(c.side, q.Kind, list, p.Next)
	}
	c.w.hearsList(c.side, q.Kind, p.Items)
	if c.w.plant == plantDrop && q.Mode == connectors.Since && len(p.Items) > 1 {
		p.Items = p.Items[:len(p.Items)-1]
	}
	if c.w.trace {
		var ids []string
		for _, i := range p.Items {
			ids = append(ids, i.ID)
		}
		c.w.log("    %s fetch %s %d after %q: %v of %d, end %t, %v", c.side, q.Kind, q.Mode, after, ids, p.Total, p.End, err)
	}
	return p, err //nolint:wrapcheck // it is passed on
}

func (c wire) Get(ctx context.Context, ref record.Ref, scope connectors.Scope) (record.Record, error) {
	c.w.meanwhile()
	g, ok := c.at().(connectors.Getter)
	if !ok {
		return record.Record{}, errCan
	}
	if err := c.locked("get"); err != nil {
		return record.Record{}, err
	}
	rec, err := g.Get(ctx, ref, scope)
	c.w.asked[c.side] = c.w.clock(c.side)
	c.w.read(c.side, ref, rec, err)
	if err == nil && c.w.plant == plantNoVerify {
		rec.Fields = c.w.unlooked(c.side, ref, rec.Fields)
	}
	if c.w.trace {
		c.w.log("    %s get %s: %s %v", c.side, ref, show(rec.Fields), err)
	}
	return rec, err //nolint:wrapcheck // it is passed on
}

func (c wire) Apply(ctx context.Context, ch record.Change) (record.Record, error) {
	c.w.meanwhile()
	a, ok := c.at().(connectors.Writer)
	if !ok {
		return record.Record{}, errCan
	}
	if err := c.locked("apply"); err != nil {
		return record.Record{}, err
	}
	if c.w.trace {
		c.w.log("    %s %s %s: %s", c.side, ch.Op, ch.Ref, show(ch.Fields))
	}
	ch = c.w.spoil(ctx, c.side, ch, a)
	c.w.sent(c.side, ch)
	edits := c.w.edits
	defer func() { c.w.overwritten(c.side, ch, edits) }() // a death may come before the answer
	rec, err := a.Apply(ctx, ch)
	if err != nil && c.w.plant == plantBlindRetry && connectors.ClassOf(err) == connectors.Ambiguous {
		rec, err = a.Apply(ctx, ch)
		c.w.look()
	}
	if c.w.trace {
		c.w.log("    %s answered %s: %s %v", c.side, rec.Ref, show(rec.Fields), err)
	}
	c.w.answered(c.side, ch, rec.Ref, err)
	c.w.look()
	c.w.hears(c.w.recs[max(0, kindOf(ch.Ref.Kind))][c.side][rec.Ref.ID], rec.Fields)
	return rec, err //nolint:wrapcheck // it is passed on
}

func (c wire) Whole(ctx context.Context, ref record.Ref) (record.Fields, error) {
	c.w.meanwhile()
	k, ok := c.at().(connectors.Whole)
	if !ok {
		return nil, errCan
	}
	if err := c.locked("read whole"); err != nil {
		return nil, err
	}
	fields, err := k.Whole(ctx, ref)
	c.w.asked[c.side] = c.w.clock(c.side)
	if c.w.trace {
		c.w.log("    %s read %s whole: %s %v", c.side, ref, show(fields), err)
	}
	return fields, err //nolint:wrapcheck // it is passed on
}

func (c wire) PutBack(ctx context.Context, ref record.Ref, values record.Fields) error {
	c.w.meanwhile()
	k, ok := c.at().(connectors.Whole)
	if !ok {
		return errCan
	}
	if err := c.locked("put back"); err != nil {
		return err
	}
	edits := c.w.edits
	defer func() { c.w.wentOver(c.side, ref, values, edits) }()
	err := k.PutBack(ctx, ref, values)
	if c.w.trace {
		c.w.log("    %s put back %s: %s %v", c.side, ref, show(values), err)
	}
	c.w.look()
	if r := c.w.recs[max(0, kindOf(ref.Kind))][c.side][ref.ID]; r != nil && err != nil { // a person is told to enter it again, and of what was there nobody knows
		r.t.blurred = true
	}
	return err //nolint:wrapcheck // it is passed on
}

func (c finder) Find(ctx context.Context, kind record.Kind, by record.Fields, scope connectors.Scope) ([]record.Record, error) {
	c.w.meanwhile()
	f, ok := c.at().(connectors.Finder)
	if !ok {
		return nil, errCan
	}
	if err := c.locked("find"); err != nil {
		return nil, err
	}
	recs, err := f.Find(ctx, kind, by, scope)
	c.w.asked[c.side] = c.w.clock(c.side)
	if c.w.trace {
		c.w.log("    %s find %s %s: %d %v", c.side, kind, show(by), len(recs), err)
	}
	return recs, err //nolint:wrapcheck // it is passed on
}
