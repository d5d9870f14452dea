package file

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Get reads one row by its id. It is not said to be missing while there are rows that
// nobody can read: it may be one of them.
func (c *Conn) Get(ctx context.Context, ref record.Ref, _ connectors.Scope) (record.Record, error) {
	op := "get " + string(ref.Kind)
	k, err := c.kind(ctx, op, ref.Kind)
	if err != nil {
		return record.Record{}, err
	}
	s, err := c.read(ctx, k)
	if err == nil {
		err = s.has(k.Fields)
	}
	if err != nil {
		return record.Record{}, c.unread(ctx, op, err)
	}
	i, ok := s.at[ref.ID]
	switch {
	case ok:
		return s.record(op, k.name, &s.rows[i], s.shown(k.Fields))
	case s.lost:
		return record.Record{}, &connectors.Error{
			Class: connectors.Rejected, Op: op, Host: c.cfg.Folder, Ref: ref, Err: fmt.Errorf("it may be a row that can't be read: %s", s.flaw),
		}
	}
	return record.Record{}, &connectors.Error{Class: connectors.NotFound, Op: op, Host: c.cfg.Folder, Ref: ref, Err: fmt.Errorf("%s has no such row", k.Name)}
}

// unread is an error of the whole file, in a question about a record: nothing is said of
// that record.
func (c *Conn) unread(ctx context.Context, op string, err error) error {
	e, ok := errors.AsType[*connectors.Error](c.failed(ctx, op, err))
	if ok && e.Class == connectors.Malformed {
		e.Class = connectors.Transient
	}
	return e
}

// Find returns the rows that hold just these values. That there are none is not said
// while there are rows that can't be read, or told apart, and may be the ones.
func (c *Conn) Find(ctx context.Context, name record.Kind, by record.Fields, _ connectors.Scope) ([]record.Record, error) {
	op := "find " + string(name)
	k, err := c.kind(ctx, op, name)
	if err != nil {
		return nil, err
	}
	if len(by.Names()) == 0 {
		return nil, connectors.Wrong(connectors.Unsupported, op, "nothing to look for")
	}
	s, err := c.read(ctx, k)
	if err == nil {
		err = s.has(slices.Concat(k.Fields, by.Names()))
	}
	if err != nil {
		return nil, c.unread(ctx, op, err)
	}
	names := s.shown(k.Fields)
	for _, n := range by.Names() {
		if !slices.Contains(names, n) && n != k.OurMark {
			names = append(slices.Clip(names), n) // the answer must show what was asked for
		}
	}
	var out []record.Record
	doubt := s.lost
	for i := range s.rows {
		w := &s.rows[i]
		if w.unread || !w.holds(by) {
			continue
		}
		if w.problem != "" {
			doubt = true
			continue
		}
		r, err := s.record(op, k.name, w, names)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	if len(out) == 0 && doubt {
		return nil, connectors.Wrong(connectors.Unsupported, op, "it may be a row that can't be read: %s", s.why())
	}
	return out, nil
}

// why is what is wrong with rows, the first of them.
func (s *sheet) why() string {
	if s.flaw != "" {
		return s.flaw
	}
	for _, w := range s.rows {
		if w.problem != "" {
			return w.trouble()
		}
	}
	return ""
}

// holds reports whether a row has these values.
func (w *row) holds(by record.Fields) bool {
	for name, want := range by {
		got := w.value(name)
		switch {
		case want.Empty() && got.Empty():
		case w.part.format == CSV && got.Text() != want.Text(), w.part.format != CSV && !got.Equal(want):
			return false
		}
	}
	return true
}
