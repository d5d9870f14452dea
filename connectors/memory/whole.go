package memory

import (
	"context"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Whole reads one record with all its fields, as late as reads by id are.
func (c *conn) Whole(ctx context.Context, ref record.Ref) (record.Fields, error) {
	op := "read whole " + string(ref.Kind)
	if err := c.begin(ctx, op, ref); err != nil {
		return nil, err
	}
	rec, err := c.s.get(op, ref, connectors.Scope{})
	c.s.step("after " + op)
	return rec.Fields, err
}

// PutBack writes values into a record that is sent whole, where nothing stands.
func (c *conn) PutBack(ctx context.Context, ref record.Ref, values record.Fields) error {
	op := "put back " + string(ref.Kind)
	if err := c.begin(ctx, op, ref); err != nil {
		return err
	}
	err := c.s.putBack(op, ref, values)
	c.s.step("after " + op)
	return err
}

func (s *System) putBack(op string, ref record.Ref, values record.Fields) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, k, err := s.table(ref.Kind)
	if err != nil {
		return at(err, op, ref)
	}
	s.counts.Mutations++
	if f := s.fault(CallApply, ref.Kind, record.Update, ref.ID); f.Class != "" && !f.Applied {
		return f.err(op, ref)
	}
	r := t.rows[ref.ID]
	if r == nil {
		return at(notThere(), op, ref)
	}
	im, ok := r.now()
	if !ok {
		return at(notThere(), op, ref)
	}
	kept, _, _ := k.kept(values)
	for p := range kept {
		if v := im.fields[p]; v.Observed() && !v.Empty() {
			delete(kept, p)
		}
	}
	t.write(r, im.fields.With(kept), im.stamp, s.o.Now())
	s.counts.Applied++
	return nil
}
