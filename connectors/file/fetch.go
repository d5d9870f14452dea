package file

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"nightporter/connectors"
	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

// Fetch shows the rows that follow after in the order of their ids, of the file as it
// is now. The cursor is the id of the last row shown: whatever is written meanwhile, a
// row that is there from beginning to end is not missed.
func (c *Conn) Fetch(ctx context.Context, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	op := "fetch " + string(q.Kind)
	k, err := c.kind(ctx, op, q.Kind)
	if err != nil {
		return connectors.Page{}, err
	}
	if q.Mode == connectors.Since {
		return connectors.Page{}, connectors.Wrong(connectors.Unsupported, op, "files are always read whole")
	}
	s, err := c.read(ctx, k)
	if err == nil {
		err = s.has(q.Fields)
	}
	if err != nil {
		return connectors.Page{}, c.failed(ctx, op, err)
	}
	from := 0
	if after != "" {
		last, ok := strings.CutPrefix(string(after), "after ")
		if !ok {
			return connectors.Page{}, connectors.Wrong(connectors.Malformed, op, "the cursor is not one of a scan like this: begin again")
		}
		from = sort.Search(len(s.rows), func(i int) bool { return s.rows[i].id > last })
	}
	rows := s.rows[from:min(from+c.cfg.PageSize, len(s.rows))]
	names := s.shown(q.Fields)
	p := connectors.Page{Total: -1, View: "list", Flaw: s.flaw, End: from+len(rows) == len(s.rows)}
	for i := range rows {
		p.Items = append(p.Items, connectors.Item{ID: rows[i].id, Raw: rows[i].bytes(names)})
	}
	if !p.End {
		p.Next = record.Cursor("after " + rows[len(rows)-1].id)
	}
	p.Read = func(it connectors.Item) (record.Record, error) {
		i, ok := s.at[it.ID]
		if !ok {
			return record.Record{}, connectors.Wrong(connectors.Malformed, op, "the row is not one of this page")
		}
		return s.record(op, k.name, &s.rows[i], names)
	}
	return p, nil
}

// has fails where a column that is asked for is not there. A column that older files of
// several lack is not shown in their rows.
func (s *sheet) has(names []string) error {
	p := s.parts[len(s.parts)-1]
	if p.format != CSV {
		return nil
	}
	for _, name := range names {
		if _, err := p.header.at(name); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// shown is the names under which values are shown: those asked for, or all.
func (s *sheet) shown(asked []string) []string {
	if len(asked) > 0 {
		return asked
	}
	var out []string
	for _, p := range s.parts {
		for _, name := range p.header.known() {
			if !slices.Contains(out, name) && name != s.file.OurMark {
				out = append(out, name)
			}
		}
	}
	return out
}

// bytes are a row's as listed: its version, which covers all of it, and what is shown.
func (w *row) bytes(names []string) []byte {
	b := []byte(w.version())
	if w.problem != "" {
		return append(b, " can't be read"...)
	}
	for _, name := range names {
		b = append(b, '\n')
		b = append(b, name...)
		b = append(b, '=')
		b = append(b, w.value(name).Encode()...)
	}
	return b
}

// record is a row as the contract has it, or why it can't be read.
func (s *sheet) record(op string, kind record.Kind, w *row, names []string) (record.Record, error) {
	ref := record.Ref{Kind: kind, ID: w.id}
	if w.problem != "" {
		e := connectors.Wrong(connectors.Rejected, op, "%s", w.trouble())
		return record.Record{Ref: ref}, e
	}
	r := record.Record{Ref: ref, Version: record.Version(w.version()), Fields: record.Fields{}}
	if s.file.OurMark != "" {
		r.Stamp = w.value(s.file.OurMark).Text()
	}
	if len(names) == 0 && w.object != nil {
		var err error
		if r.Fields, err = jsonx.Flatten(w.object); err != nil {
			return r, connectors.Wrong(connectors.Malformed, op, "line %d of %s: %w", w.line, w.part.name, err)
		}
		delete(r.Fields, s.file.OurMark)
	}
	for _, name := range names {
		if v := w.value(name); v.Observed() {
			r.Fields[name] = v
		}
	}
	return r, nil
}
