package memory

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// conn is one connection. Connector hides the methods that the system's kinds
// have no use for.
type conn struct {
	s      *System
	closed atomic.Bool
}

// Connector opens a connection. It implements Writer, Getter, Finder and Asker
// only where one kind at least needs it.
func (s *System) Connector() connectors.Connector {
	var writes, gets, finds, asks bool
	for _, k := range s.kinds {
		writes = writes || !k.NoCreate || !k.NoUpdate || k.Delete || k.Status != ""
		gets = gets || !k.NoGet
		finds = finds || k.finds()
		asks = asks || k.Accept != nil
	}
	return able(&conn{s: s}, writes, gets, finds, asks && writes)
}

// able is c with some of its methods only. What only writes can ask.
func able(c *conn, writes, gets, finds, asks bool) connectors.Connector {
	type (
		base = interface {
			connectors.Connector
			connectors.Whole
			connectors.Beyonder
		}
		writer = connectors.Writer
		getter = connectors.Getter
		finder = connectors.Finder
		asker  = connectors.Asker
	)
	switch [4]bool{writes, asks, gets, finds} {
	case [4]bool{true, true, true, true}:
		return c
	case [4]bool{true, true, true, false}:
		return struct {
			base
			writer
			asker
			getter
		}{c, c, c, c}
	case [4]bool{true, true, false, true}:
		return struct {
			base
			writer
			asker
			finder
		}{c, c, c, c}
	case [4]bool{true, true, false, false}:
		return struct {
			base
			writer
			asker
		}{c, c, c}
	case [4]bool{true, false, true, true}:
		return struct {
			base
			writer
			getter
			finder
		}{c, c, c, c}
	case [4]bool{true, false, true, false}:
		return struct {
			base
			writer
			getter
		}{c, c, c}
	case [4]bool{true, false, false, true}:
		return struct {
			base
			writer
			finder
		}{c, c, c}
	case [4]bool{true, false, false, false}:
		return struct {
			base
			writer
		}{c, c}
	case [4]bool{false, false, true, true}:
		return struct {
			base
			getter
			finder
		}{c, c, c}
	case [4]bool{false, false, true, false}:
		return struct {
			base
			getter
		}{c, c}
	case [4]bool{false, false, false, true}:
		return struct {
			base
			finder
		}{c, c}
	}
	return struct{ base }{c}
}

// Describe says what the kinds can do.
func (c *conn) Describe(ctx context.Context) (connectors.Description, error) {
	if err := c.begin(ctx, "describe", record.Ref{}); err != nil {
		return connectors.Description{}, err
	}
	d := connectors.Description{Account: c.s.o.Account, Kinds: map[record.Kind]connectors.Kind{}}
	for name, k := range c.s.kinds {
		d.Kinds[name] = k.describe()
	}
	return d, nil
}

// Close ends the connection, not the system.
func (c *conn) Close() error {
	c.closed.Store(true)
	return nil
}

// begin is what each call does first: the step, the wait, and a look at whether
// anybody still waits for it.
func (c *conn) begin(ctx context.Context, op string, ref record.Ref) error {
	c.s.step("before " + op)
	if c.s.o.Latency > 0 {
		timer := time.NewTimer(c.s.o.Latency)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if err := context.Cause(ctx); err != nil {
		return &connectors.Error{Class: connectors.Transient, Op: op, Ref: ref, Err: err}
	}
	if c.closed.Load() {
		return &connectors.Error{Class: connectors.Transient, Op: op, Ref: ref, Err: errClosed}
	}
	return nil
}

// Get reads one record.
func (c *conn) Get(ctx context.Context, ref record.Ref, scope connectors.Scope) (record.Record, error) {
	op := "get " + string(ref.Kind)
	if err := c.begin(ctx, op, ref); err != nil {
		return record.Record{}, err
	}
	rec, err := c.s.get(op, ref, scope)
	c.s.step("after " + op)
	return rec, err
}

func (s *System) get(op string, ref record.Ref, scope connectors.Scope) (record.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, k, err := s.table(ref.Kind)
	if err == nil && k.NoGet {
		err = connectors.Wrong(connectors.Unsupported, "", "%s can't be read by id", ref.Kind)
	}
	if err != nil {
		return record.Record{}, at(err, op, ref)
	}
	s.counts.Gets++
	f := s.fault(CallGet, ref.Kind, 0, ref.ID)
	if f.Class != "" {
		return record.Record{}, f.err(op, ref)
	}
	r := t.rows[ref.ID]
	if r == nil {
		return record.Record{}, at(notThere(), op, ref)
	}
	im, ok := r.at(s.o.Now(), k.GetLag)
	switch {
	case !ok && r.moved != "" && k.MergedShows:
		for n := len(t.rows); !ok && r.moved != "" && n > 0; n-- {
			if r = t.rows[r.moved]; r == nil {
				return record.Record{}, at(notThere(), op, ref)
			}
			im, ok = r.at(s.o.Now(), k.GetLag)
		}
		if !ok {
			return record.Record{}, at(notThere(), op, ref)
		}
		return k.shown(ref.Kind, r, im, nil, append(slices.Clone(k.GetHides), f.LeaveOut...)), nil
	case !ok && r.moved != "":
		return record.Record{}, &connectors.Error{Class: connectors.Moved, Op: op, Ref: record.Ref{Kind: ref.Kind, ID: r.moved}}
	case !ok:
		return record.Record{}, at(notThere(), op, ref)
	case k.garbled(im):
		return record.Record{}, at(unreadable(), op, ref)
	case !k.inside(im.fields, scope):
		return record.Record{}, at(connectors.Wrong(connectors.OutOfScope, "", "the record is outside of filter or window"), op, ref)
	}
	return k.shown(ref.Kind, r, im, nil, append(slices.Clone(k.GetHides), f.LeaveOut...)), nil
}

// Find looks records up by fields, or by our stamp under its path.
func (c *conn) Find(ctx context.Context, kind record.Kind, by record.Fields, scope connectors.Scope) ([]record.Record, error) {
	op := "find " + string(kind)
	ref := record.Ref{Kind: kind}
	if err := c.begin(ctx, op, ref); err != nil {
		return nil, err
	}
	recs, err := c.s.find(op, kind, by, scope)
	c.s.step("after " + op)
	return recs, err
}

// Beyond looks for records outside of the filter.
func (c *conn) Beyond(ctx context.Context, kind record.Kind, by record.Fields) (bool, error) {
	op := "look beyond the filter of " + string(kind)
	if err := c.begin(ctx, op, record.Ref{Kind: kind}); err != nil {
		return false, err
	}
	beyond, err := c.s.beyond(op, kind, by)
	c.s.step("after " + op)
	return beyond, err
}

func (s *System) beyond(op string, kind record.Kind, by record.Fields) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ref := record.Ref{Kind: kind}
	t, k, err := s.table(kind)
	if err != nil || k.Filter == nil {
		return false, at(err, op, ref)
	}
	s.counts.Finds++
	if f := s.fault(CallFind, kind, 0, ""); f.Class != "" {
		return false, f.err(op, ref)
	}
	want, stamp, stamped := k.kept(by)
	now := s.o.Now()
	for _, r := range t.sorted() {
		im, ok := r.at(now, k.FindLag)
		if ok && !k.Filter(im.fields) && im.fields.Agrees(want) && (!stamped || stamp == im.stamp) {
			return true, nil
		}
	}
	return false, nil
}

func (s *System) find(op string, kind record.Kind, by record.Fields, scope connectors.Scope) ([]record.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ref := record.Ref{Kind: kind}
	t, k, err := s.table(kind)
	if err == nil && !k.canAsk(by.Names()) {
		err = connectors.Wrong(connectors.Unsupported, "", "%s can't be looked up by %v", kind, by.Names())
	}
	if err != nil {
		return nil, at(err, op, ref)
	}
	s.counts.Finds++
	f := s.fault(CallFind, kind, 0, "")
	if f.Class != "" {
		return nil, f.err(op, ref)
	}
	if f.Empty {
		return nil, nil
	}
	want, stamp, stamped := k.kept(by)
	now := s.o.Now()
	var out []record.Record
	for _, r := range t.sorted() {
		im, ok := r.at(now, k.FindLag)
		if !ok || !k.inside(im.fields, scope) {
			continue
		}
		rec := k.shown(kind, r, im, nil, f.LeaveOut)
		if f.FilterIgnored || k.shown(kind, r, im, nil, nil).Fields.Agrees(want) && (!stamped || stamp == im.stamp) {
			if k.garbled(im) {
				return nil, at(unreadable(), op, ref)
			}
			out = append(out, rec)
		}
	}
	return out, nil
}

// canAsk tells whether Find takes this set of fields.
func (k Kind) canAsk(names []string) bool {
	if k.FindAny && len(names) > 0 || k.Stamp.Find && slices.Equal(names, []string{k.Stamp.Path}) {
		return true
	}
	return slices.ContainsFunc(k.FindBy, func(set []string) bool {
		set = slices.Clone(set)
		slices.Sort(set)
		return slices.Equal(set, names)
	})
}

// Accepts asks the kind's condition about a record.
func (c *conn) Accepts(ctx context.Context, ref record.Ref, fields record.Fields, stamp string) (bool, error) {
	op := "accepts " + string(ref.Kind)
	if err := c.begin(ctx, op, ref); err != nil {
		return false, err
	}
	ok, err := c.s.asked(op, ref, fields, stamp)
	c.s.step("after " + op)
	return ok, err
}

func (s *System) asked(op string, ref record.Ref, fields record.Fields, stamp string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, k, err := s.table(ref.Kind)
	if err == nil && k.Accept == nil {
		err = connectors.Wrong(connectors.Unsupported, "", "%s has no condition of acceptance", ref.Kind)
	}
	if err != nil {
		return false, at(err, op, ref)
	}
	s.counts.Asks++
	if f := s.fault(CallAsk, ref.Kind, 0, ""); f.Class != "" {
		return false, f.err(op, ref)
	}
	return k.Accept(t.all(ref.Kind, k, ref.ID), record.Record{Ref: ref, Fields: fields, Stamp: stamp}), nil
}

// at completes an error with what was being done.
func at(err error, op string, ref record.Ref) error {
	if e, ok := err.(*connectors.Error); ok { //nolint:errorlint // our own, unwrapped
		e.Op = op
		if e.Ref.ID == "" {
			e.Ref = ref
		}
	}
	return err
}

func notThere() *connectors.Error {
	return connectors.Wrong(connectors.NotFound, "", "there is no such record")
}
