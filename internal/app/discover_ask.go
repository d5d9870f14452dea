package app

import (
	"context"
	"slices"

	"nightporter/connectors"
	"nightporter/internal/discover"
	"nightporter/sync/record"
)

// askable is of how many kinds records can be asked for by what the other side has.
func (s *seen) askable() int {
	n := 0
	for _, k := range s.kinds {
		if discover.Askable(k.sample) {
			n++
		}
	}
	return n
}

// ask looks for the other side's records in each API and table of which only the first were
// read, and adds those that it has. A file is read to its end or not at all: nothing in it can be
// asked for.
func (d *discovering) ask(ctx context.Context, in *discover.Input) error {
	var all [2][]discover.Question
	for i, s := range d.sides {
		if s.sys.Files == nil {
			all[i] = discover.Questions(*in, i)
		}
	}
	for i, questions := range all {
		if len(questions) == 0 {
			continue
		}
		if err := d.put(ctx, d.sides[i], questions, in.Systems[i].Kinds); err != nil {
			return err
		}
	}
	return nil
}

// put asks a system its questions. A kind that can't be asked, or answers with what was not
// asked for, is asked no more.
func (d *discovering) put(ctx context.Context, s *seen, questions []discover.Question, kinds []discover.Sample) error {
	conn, sent, err := d.open(ctx, s, len(questions))
	if err != nil {
		return err
	}
	defer conn.Close()
	finder, ok := conn.(connectors.Finder)
	off := map[string]bool{}
	for _, q := range questions {
		if !ok || off[q.Kind] {
			continue
		}
		found, err := finder.Find(ctx, record.Kind(q.Kind), q.By, connectors.Scope{})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		at := slices.IndexFunc(kinds, func(k discover.Sample) bool { return k.Kind == q.Kind })
		switch {
		case err != nil:
			d.note("%s of %s could not be asked for single records: %s", q.Kind, s.sys.Name, err)
			off[q.Kind] = true
		case !add(&kinds[at], q, found):
			d.note("%s of %s answers with records that were not asked for: its filter counts for nothing", q.Kind, s.sys.Name)
			off[q.Kind] = true
		}
	}
	if s.sys.REST != nil {
		d.out.Requests[s.sys.Name] += int(sent.Load())
	}
	return nil
}

// add takes what was found into a sample, each record once; ok is false where it is none that
// was asked for.
func add(to *discover.Sample, q discover.Question, found []record.Record) (ok bool) {
	for _, rec := range found {
		for path, want := range q.By {
			if rec.Fields[path].Text() != want.Text() {
				return false
			}
		}
		if !slices.ContainsFunc(to.Rows, func(r discover.Row) bool { return r.ID == rec.Ref.ID }) {
			to.Rows = append(to.Rows, discover.Row{ID: rec.Ref.ID, Fields: rec.Fields})
			to.Asked++
		}
	}
	return true
}
