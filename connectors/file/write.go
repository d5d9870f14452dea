package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

// Apply makes one change to the file, which nobody else of ours reads or writes
// meanwhile. The new file is read in memory before a byte of it is written: a row that
// would not come back as it was sent is refused.
func (c *Conn) Apply(ctx context.Context, ch record.Change) (record.Record, error) {
	op := ch.Op.String() + " " + string(ch.Ref.Kind)
	k, err := c.kind(ctx, op, ch.Ref.Kind)
	if err != nil {
		return record.Record{}, err
	}
	w := &writing{c: c, k: k, ch: ch}
	r, err := w.run(ctx, op)
	if err != nil {
		return record.Record{}, w.failed(ctx, op, err)
	}
	return r, nil
}

// writing is one change being made.
type writing struct {
	c  *Conn
	k  *kind
	ch record.Change
	s  *sheet
}

func (w *writing) run(ctx context.Context, op string) (record.Record, error) {
	if err := w.may(); err != nil {
		return record.Record{}, err
	}
	release, err := w.c.lock(ctx, w.k)
	if err != nil {
		return record.Record{}, err
	}
	defer release()
	if err := w.c.mend(w.k); err != nil {
		return record.Record{}, err
	}
	if w.s, err = w.c.load(ctx, w.k); err != nil {
		return record.Record{}, err
	}
	if err := alive(ctx); err != nil {
		return record.Record{}, err
	}
	old, line, err := w.line()
	if err != nil {
		return record.Record{}, err
	}
	next, id, err := w.next(old, line)
	if err != nil {
		return record.Record{}, err
	}
	if err := w.store(ctx, next.newest()); err != nil {
		return record.Record{}, err
	}
	w.k.keep(next)
	return next.record(op, w.k.name, &next.rows[next.at[id]], next.shown(w.k.Fields))
}

// may refuses what needs no look at the file to be refused.
func (w *writing) may() error {
	switch w.ch.Op {
	case record.Create:
		if w.k.Write == Never {
			return connectors.Wrong(connectors.Forbidden, "", "%s is only read", w.k.Name)
		}
	case record.Update:
		if w.k.Write != Rewrite {
			return connectors.Wrong(connectors.Forbidden, "", "rows of %s are not to be changed", w.k.Name)
		}
		if len(w.ch.Fields.Names()) == 0 {
			return connectors.Wrong(connectors.Rejected, "", "the change names no field")
		}
	case record.Action, record.Delete:
		return connectors.Wrong(connectors.Unsupported, "", "the rows of a file are neither removed nor changed by an action")
	default:
		return connectors.Wrong(connectors.Unsupported, "", "unknown operation")
	}
	return nil
}

// line is the changed row, nil for a new one, and what is to stand there.
func (w *writing) line() (*row, string, error) {
	fields := w.ch.Fields.Clone()
	if fields == nil {
		fields = record.Fields{}
	}
	for _, name := range fields.Names() {
		if w.k.OurMark != "" && w.s.same(name, w.k.OurMark) {
			return nil, "", connectors.Wrong(connectors.Rejected, "", "column %q is our mark and not to be written", name)
		}
	}
	if w.ch.Op == record.Update {
		old, err := w.old()
		if err != nil {
			return nil, "", err
		}
		line, err := w.put(old, fields)
		return old, line, err
	}
	if w.s.lost {
		return nil, "", &connectors.Error{
			Class: connectors.Forbidden, Err: fmt.Errorf("nobody knows whether it is there already: %s", w.s.flaw), Hint: "mend that line",
		}
	}
	for _, name := range w.k.required(w.s) {
		if !slices.ContainsFunc(fields.Names(), func(n string) bool { return w.s.same(n, name) && fields[n].Text() != "" }) {
			return nil, "", connectors.Wrong(connectors.Rejected, "", "it has nothing in %s, which tells rows apart", name)
		}
	}
	if w.k.OurMark != "" && w.ch.Stamp != "" {
		fields[w.k.OurMark] = record.OfText(w.ch.Stamp)
	}
	line, err := w.put(nil, fields)
	return nil, line, err
}

// old is the row to be changed, if it is as the change was decided upon.
func (w *writing) old() (*row, error) {
	i, ok := w.s.at[w.ch.Ref.ID]
	if !ok {
		return nil, connectors.Wrong(connectors.NotFound, "", "%s has no such row", w.k.Name)
	}
	old := &w.s.rows[i]
	if old.problem != "" { // it could be read when this was decided
		return nil, connectors.Wrong(connectors.Stale, "", "%s", old.trouble())
	}
	stale := w.ch.Version != "" && string(w.ch.Version) != old.version() || w.ch.Version == "" && !old.holds(w.ch.Before)
	if stale {
		return nil, connectors.Wrong(connectors.Stale, "", "the row was changed since it was read")
	}
	return old, nil
}

// put is a row with its fields set, as it is written.
func (w *writing) put(old *row, fields record.Fields) (string, error) {
	p := w.s.newest()
	if p.format == JSONL {
		return putJSON(p, old, fields)
	}
	cells := make([]string, len(p.header.names))
	if old != nil {
		cells = slices.Clone(old.cells)
	}
	set := map[int]string{}
	for _, name := range fields.Names() {
		i, err := p.header.at(name)
		if err != nil {
			return "", connectors.Wrong(connectors.Malformed, "", "%w", err)
		}
		if first, twice := set[i]; twice {
			return "", connectors.Wrong(connectors.Rejected, "", "%q and %q are the same column", first, name)
		}
		set[i] = name
		switch v := fields[name]; v.Type() {
		case record.Null, record.Text, record.Number, record.Bool:
			cells[i] = v.Text()
			if !w.k.AsTyped {
				cells[i] = neutral(cells[i])
			}
		case record.Absent, record.List, record.Map, record.Content:
			return "", connectors.Wrong(connectors.Rejected, "", "column %q: a %s has no place in a cell: say join, or map its parts", name, v.Type())
		}
	}
	line, err := p.lineCSV(cells)
	if err != nil {
		return "", connectors.Wrong(connectors.Rejected, "", "%w", err)
	}
	return line, nil
}

func putJSON(p *part, old *row, fields record.Fields) (string, error) {
	object := map[string]any{}
	if old != nil {
		object, _ = clone(old.object).(map[string]any)
	}
	for _, name := range fields.Names() {
		path, err := jsonx.ParsePath(name)
		if err != nil {
			return "", connectors.Wrong(connectors.Malformed, "", "%w", err)
		}
		v, err := jsonx.Plain(fields[name])
		if err != nil {
			return "", connectors.Wrong(connectors.Rejected, "", "%s: %w", name, err)
		}
		if err := jsonx.Put(object, path, v); err != nil {
			return "", connectors.Wrong(connectors.Rejected, "", "%s: %w", name, err)
		}
	}
	line, err := p.lineJSONL(object)
	if err != nil {
		return "", connectors.Wrong(connectors.Rejected, "", "%w", err)
	}
	return line, nil
}

// next is the kind as it will be, and the id of the row that is written.
func (w *writing) next(old *row, line string) (*sheet, string, error) {
	p := w.s.newest()
	start, end := len(p.text), len(p.text)
	if old != nil {
		start, end = old.start, old.end
		if end == len(p.text) && !strings.HasSuffix(p.text, "\n") {
			line = strings.TrimRight(line, "\r\n") // the file ends as it ended
		}
	} else if p.text != "" && !strings.HasSuffix(p.text, "\n") {
		line = lineEnd(p) + line
	}
	raw, err := splice(p, w.k.Encoding, start, end, line)
	if err != nil {
		return nil, "", connectors.Wrong(connectors.Rejected, "", "%w", err)
	}
	if int64(len(raw)) > w.k.MaxBytes {
		return nil, "", full(fmt.Errorf("%s would be larger than the %d MB of max_mb", w.k.Name, w.k.MaxBytes>>20))
	}
	if old == nil && len(w.s.rows) >= w.k.MaxRows {
		return nil, "", full(fmt.Errorf("%s would have more than the %d rows of max_rows", w.k.Name, w.k.MaxRows))
	}
	after := &part{path: p.path, name: p.name, raw: raw}
	if err := after.parse(w.k.File); err != nil {
		return nil, "", connectors.Wrong(connectors.Rejected, "", "with this row the file could not be read: %w", err)
	}
	s, err := assemble(w.k.File, []*part{after})
	if err != nil {
		return nil, "", err
	}
	id, err := w.told(s, old)
	return s, id, err
}

func lineEnd(p *part) string {
	if p.crlf {
		return "\r\n"
	}
	return "\n"
}

// told is the id of the row that was put in, if it is told from all others.
func (w *writing) told(s *sheet, old *row) (string, error) {
	if old != nil {
		if i, ok := s.at[old.id]; ok && len(s.rows) == len(w.s.rows) && s.rows[i].problem == "" {
			return old.id, nil
		}
		return "", connectors.Wrong(connectors.Rejected, "", "it would be another row: %s tells rows apart", strings.Join(w.k.Key, ", "))
	}
	written := s.newest().rows[len(s.newest().rows)-1]
	if mark := w.k.OurMark; mark != "" && w.ch.Stamp != "" {
		for i := range w.s.rows {
			if !w.s.rows[i].unread && w.s.rows[i].value(mark).Text() == w.ch.Stamp {
				return "", connectors.Wrong(connectors.Exists, "", "a row with our mark is there already")
			}
		}
	}
	if _, is := w.s.at[written.id]; is {
		return "", connectors.Wrong(connectors.Exists, "", "a row with this key is there already")
	}
	if written.problem != "" || len(s.rows) != len(w.s.rows)+1 {
		return "", connectors.Wrong(connectors.Rejected, "", "the row could not be read as one row")
	}
	return written.id, nil
}

// full is a file that takes no more rows.
func full(err error) error {
	return &connectors.Error{Class: connectors.Forbidden, Err: err, Hint: "begin a new file, or let it be larger"}
}

// splice is the bytes of a part with another text from start to end. All others stay
// as they are.
func splice(p *part, enc Encoding, start, end int, text string) ([]byte, error) {
	body := p.text[:start] + text + p.text[end:]
	b, err := encode(body, enc, p.raw)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(string(p.raw[:min(len(bom), len(p.raw))]), bom) {
		b = append([]byte(bom), b...)
	}
	return b, nil
}

// store writes the new file, or its last line behind the old one.
func (w *writing) store(ctx context.Context, after *part) error {
	before := w.s.newest()
	if w.k.Write == Append {
		return w.c.append(ctx, w.k, before, after.raw[len(before.raw):])
	}
	return w.c.replace(ctx, w.k, before, after.raw)
}

// failed is an error as the contract wants it: unless it says otherwise, the file is as
// it was.
func (w *writing) failed(ctx context.Context, op string, err error) error {
	e, ok := errors.AsType[*connectors.Error](err)
	switch {
	case ok:
		own := *e
		e = &own
	case ctx.Err() != nil:
		e = &connectors.Error{Class: connectors.Transient, Err: context.Cause(ctx)}
	case errors.Is(err, fs.ErrPermission):
		e = &connectors.Error{Class: connectors.Forbidden, Err: err, Hint: "let the user that nightporter runs as write the file and make files beside it"}
	case errors.Is(err, errChanging) && w.ch.Op == record.Update:
		e = &connectors.Error{Class: connectors.Stale, Err: err}
	default:
		e = &connectors.Error{Class: connectors.Transient, Err: err}
	}
	e.Op, e.Ref, e.Host = op, w.ch.Ref, w.c.cfg.Folder
	return e
}
