package memory

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Apply makes one change.
func (c *conn) Apply(ctx context.Context, ch record.Change) (record.Record, error) {
	op := ch.Op.String() + " " + string(ch.Ref.Kind)
	if err := c.begin(ctx, op, ch.Ref); err != nil {
		return record.Record{}, err
	}
	whole, ok, err := c.s.whole(ch)
	if err != nil {
		return record.Record{}, at(err, op, ch.Ref)
	}
	if ok {
		ch.Fields = whole
		c.s.step("before rewrite " + string(ch.Ref.Kind))
	}
	rec, err, applied := c.s.apply(ctx, op, ch)
	if applied {
		c.s.step("applied " + op)
	}
	c.s.step("after " + op)
	return rec, err
}

// whole is what an update of a kind that rewrites sends: all that the record holds that may
// be written, as a read by id shows it, and the changes on top.
func (s *System) whole(ch record.Change) (record.Fields, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, k, err := s.table(ch.Ref.Kind)
	if err != nil || !k.Rewrites || ch.Op != record.Update {
		return nil, false, nil
	}
	r := t.rows[ch.Ref.ID]
	if r == nil {
		return nil, false, nil
	}
	im, there := r.now()
	if !there {
		return nil, false, nil
	}
	fields := im.fields.Clone()
	for name := range fields {
		if name == k.Status || k.Fields[name].ReadOnly || slices.Contains(k.GetHides, name) {
			delete(fields, name)
		}
	}
	hidden, err := connectors.Hidden(ch, k.numbered(im.version), func(name string) bool { return !slices.Contains(k.GetHides, name) })
	if err != nil {
		return nil, false, connectors.Wrong(connectors.Unsupported, "", "%w", err)
	}
	return fields.With(hidden).With(ch.Fields), true, nil
}

// apply is the system's part of Apply; applied says that it made the change.
func (s *System) apply(ctx context.Context, op string, ch record.Change) (rec record.Record, err error, applied bool) { //nolint:revive // the error belongs to the answer
	s.mu.Lock()
	defer s.mu.Unlock()
	_, k, err := s.table(ch.Ref.Kind)
	if err == nil {
		err = k.can(ch)
	}
	var given map[string][]byte
	if err == nil {
		given, err = k.given(ctx, ch)
	}
	if err != nil {
		return record.Record{}, at(err, op, ch.Ref), false
	}
	s.counts.Mutations++
	f := s.fault(CallApply, ch.Ref.Kind, ch.Op, ch.Ref.ID)
	now := s.o.Now()
	if f.Late > 0 {
		s.keep(pending{at: now.Add(f.Late), ch: ch, given: given})
		if f.Class != "" {
			return record.Record{}, f.err(op, ch.Ref), false
		}
		return record.Record{Ref: ch.Ref, Fields: record.Fields{}}, nil, false
	}
	if f.Class != "" && !f.Applied {
		return record.Record{}, f.err(op, ch.Ref), false
	}
	before := s.counts.Applied
	rec, err = s.change(ch, given, now)
	applied = s.counts.Applied > before
	switch {
	case f.Class != "": // whatever the answer was, it was lost
		return record.Record{}, f.err(op, ch.Ref), applied
	case err != nil:
		return record.Record{}, at(err, op, ch.Ref), false
	}
	for _, name := range f.LeaveOut {
		delete(rec.Fields, name)
	}
	return rec, nil, applied
}

// can refuses what the kind's description excludes.
func (k Kind) can(ch record.Change) error {
	ok := map[record.Op]bool{
		record.Create: !k.NoCreate, record.Update: !k.NoUpdate, record.Delete: k.Delete, record.Action: k.Status != "",
	}[ch.Op]
	switch names := ch.Fields.Names(); {
	case !ok:
		return connectors.Wrong(connectors.Unsupported, "", "this kind knows no %s", ch.Op)
	case ch.Op == record.Action && !slices.Equal(names, []string{k.Status}):
		return connectors.Wrong(connectors.Unsupported, "", "an action changes %s and nothing else", k.Status)
	case ch.Op == record.Update && len(names) == 0:
		return connectors.Wrong(connectors.Rejected, "", "the change names no field")
	case ch.Op == record.Update && k.Status != "" && slices.Contains(names, k.Status):
		return connectors.Wrong(connectors.Unsupported, "", "%s is changed by an action of its own", k.Status)
	}
	return nil
}

// change makes a change as of a time. It is the one place where the system's
// rules stand.
func (s *System) change(ch record.Change, given map[string][]byte, now time.Time) (record.Record, error) {
	kind := ch.Ref.Kind
	k, t := s.kinds[kind], s.data.tables[kind]
	if k.Idempotent && ch.ID != "" {
		if rec, ok := t.answers[ch.ID]; ok && (k.KeyLife == 0 || now.Sub(rec.at) < k.KeyLife) {
			rec := rec.Record
			rec.Fields = rec.Fields.Clone()
			return rec, nil
		}
	}
	fields, _, _ := k.kept(ch.Fields)
	for path := range given { // they are kept beside
		delete(fields, path)
	}
	if err := k.allowed(ch, fields); err != nil {
		return record.Record{}, err
	}
	r, err := t.changed(kind, k, ch, fields, now)
	if err != nil {
		return record.Record{}, err
	}
	s.counts.Applied++
	if ch.Op == record.Create {
		r.contents = given
	}
	rec := record.Record{Ref: record.Ref{Kind: kind, ID: r.id}, Fields: record.Fields{}}
	if im, there := r.now(); there && !k.Silent {
		rec = k.shown(kind, r, im, nil, k.GetHides)
		if k.Echoes && k.Undone != nil && k.Undone(ch) {
			rec.Fields = rec.Fields.With(fields)
		}
	}
	if k.Idempotent && ch.ID != "" {
		kept := rec
		kept.Fields = rec.Fields.Clone()
		t.answers[ch.ID] = answered{kept, now}
	}
	return rec, nil
}

// changed makes the change in the table.
func (t *table) changed(kind record.Kind, k Kind, ch record.Change, fields record.Fields, now time.Time) (*row, error) {
	if ch.Op == record.Create {
		stamp := ""
		if k.Stamp.Path != "" {
			stamp = ch.Stamp
		}
		if err := t.free(k, "", fields, stamp, connectors.Exists); err != nil {
			return nil, err
		}
		if k.Accept != nil && !k.Accept(t.all(kind, k, ""), record.Record{Ref: record.Ref{Kind: kind}, Fields: fields, Stamp: stamp}) {
			return nil, connectors.Wrong(connectors.Refused, "", "the condition of acceptance does not hold: nothing was written")
		}
		return t.add(k, "", fields.With(k.Ignores), stamp, now), nil
	}
	r := t.rows[ch.Ref.ID]
	if r == nil {
		return nil, notThere()
	}
	im, ok := r.now()
	switch {
	case !ok:
		return nil, notThere()
	case !k.inside(im.fields, connectors.Scope{}):
		return nil, connectors.Wrong(connectors.OutOfScope, "", "the record is outside of the filter")
	case k.Versions && ch.Version != "" && ch.Version != k.numbered(im.version),
		k.Guarded && !stillShows(k.shown(kind, r, im, nil, nil).Fields, im.fields, ch.Before):
		return nil, connectors.Wrong(connectors.Stale, "", "the record changed since it was read")
	}
	if ch.Op == record.Delete {
		t.remove(r, now)
		return r, nil
	}
	if k.Undone != nil && k.Undone(ch) {
		return r, nil
	}
	next := im.fields.With(fields)
	if (k.Replaces || k.ReplacesWithin) && ch.Op == record.Update {
		next = k.replaced(next, fields)
	}
	if ch.Op == record.Update {
		for _, name := range k.Drops {
			if _, given := fields[name]; !given {
				next[name] = record.Nothing()
			}
		}
	}
	if ch.Op == record.Action {
		for _, name := range k.Clears {
			next[name] = record.Nothing()
		}
	}
	if err := t.free(k, r.id, next, im.stamp, connectors.Rejected); err != nil {
		return nil, err
	}
	t.write(r, next, im.stamp, now)
	return r, nil
}

// stillShows reports whether what a record shows is what it is to be changed for. What it holds
// and shows to nobody yet speaks against nothing, and a field that holds nothing is empty, also
// where no read shows it yet.
func stillShows(shown, holds, before record.Fields) bool {
	for path, was := range before {
		late := !shown[path].Observed() && (holds[path].Observed() || was.Empty())
		if was.Observed() && !late && !shown[path].Equal(was) {
			return false
		}
	}
	return true
}

// replaced is what an update leaves of a record where it replaces.
func (k Kind) replaced(all, given record.Fields) record.Fields {
	out := record.Fields{}
	for name, v := range all {
		if _, is := given[name]; is || name == k.Status || k.Fields[name].ReadOnly || !k.Replaces && !beside(name, given) {
			out[name] = v
		}
	}
	return out
}

// beside reports whether a field is in an object that others go through.
func beside(name string, given record.Fields) bool {
	for other := range given {
		for i, c := range other {
			if c == '.' && strings.HasPrefix(name, other[:i+1]) {
				return true
			}
		}
	}
	return false
}

// allowed checks values against what the kind says of its fields.
func (k Kind) allowed(ch record.Change, fields record.Fields) error {
	if k.Fields != nil {
		for _, name := range fields.Names() {
			f, ok := k.Fields[name]
			switch {
			case !ok:
				return connectors.Wrong(connectors.Rejected, "", "there is no field %s", name)
			case f.ReadOnly:
				return connectors.Wrong(connectors.Rejected, "", "%s is read only", name)
			case f.MaxRunes > 0 && utf8.RuneCountInString(fields[name].Text()) > f.MaxRunes:
				return connectors.Wrong(connectors.Rejected, "", "%s is longer than %d characters", name, f.MaxRunes)
			}
		}
	}
	for _, name := range k.Required {
		v, named := fields[name]
		if ch.Op == record.Create && !v.Observed() || named && v.Empty() {
			return connectors.Wrong(connectors.Rejected, "", "%s is required", name)
		}
	}
	return nil
}

// free tells whether a row of these values may be there beside the others.
func (t *table) free(k Kind, id string, fields record.Fields, stamp string, class connectors.ErrorClass) error {
	for _, r := range t.rows {
		im, ok := r.now()
		if !ok || r.id == id {
			continue
		}
		if k.Stamp.Unique && stamp != "" && stamp == im.stamp {
			return connectors.Wrong(class, "", "a record with this reference is there already")
		}
		for _, set := range k.Unique {
			if same(set, fields, im.fields) {
				return connectors.Wrong(class, "", "a record with the same %v is there already", set)
			}
		}
	}
	return nil
}

func same(set []string, f, g record.Fields) bool {
	for _, name := range set {
		if !f[name].Observed() || f[name].Empty() || !f[name].Equal(g[name]) {
			return false
		}
	}
	return len(set) > 0
}
