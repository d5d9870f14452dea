package trial

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// before reads the list once: a system that can't be read is not written to, and what is
// new afterwards is told by what was there.
func (t *trial) before(ctx context.Context) error {
	if err := t.named(ctx); err != nil {
		return err
	}
	if err := t.unlike(ctx); err != nil {
		return err
	}
	t.known = map[string]bool{}
	q := connectors.Query{Kind: t.cfg.Kind, Scope: t.scope()}
	since, err := t.each(ctx, q, "", func(rec record.Record) bool {
		t.known[rec.Ref.ID] = true
		return false
	}, func(page connectors.Page, n int) error {
		t.pages = n
		if n%10 == 0 {
			t.cfg.Say(fmt.Sprintf("reading %s before anything is written: page %d", t.cfg.Kind, n))
		}
		if page.Flaw != "" { // what it left out would be taken for new
			return errors.New("the list can't be taken for whole: " + page.Flaw)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if t.since = since; t.cfg.Record != "" && !t.known[t.cfg.Record] {
		return usage("%s %s is in no list: name one that is listed", t.cfg.Kind, t.cfg.Record)
	}
	return nil
}

// named looks at the record that is to be changed: what can't be put back surely is not
// changed.
func (t *trial) named(ctx context.Context) error {
	if t.cfg.Record == "" {
		return nil
	}
	get, ok := t.cfg.Conn.(connectors.Getter)
	if !ok || !t.kind.Get {
		return usage("%s can't be read by id there, so that what is changed could not be put back surely", t.cfg.Kind)
	}
	rec, err := get.Get(ctx, t.ref(), connectors.Scope{})
	if err != nil {
		return err
	}
	t.whole, t.was = rec.Fields, held(rec.Fields, t.cfg.Fields)
	for path, v := range t.was {
		switch {
		case !v.Observed() || v.Empty():
			return usage("%s of %s %s holds nothing, and whether it can be emptied again is not known: name a field that holds something", path, t.cfg.Kind, t.cfg.Record)
		case like(v, t.cfg.Fields[path]):
			return usage("%s of %s %s holds that already, so that nothing would tell when it is shown: name another value", path, t.cfg.Kind, t.cfg.Record)
		}
	}
	return nil
}

// unlike makes sure that no record is there that a new one could be taken for.
func (t *trial) unlike(ctx context.Context) error {
	find, ok := t.cfg.Conn.(connectors.Finder)
	if !ok || t.cfg.Record != "" {
		return nil
	}
	for _, paths := range t.kind.FindBy {
		by := t.written(paths)
		if by == nil {
			continue
		}
		recs, err := find.Find(ctx, t.cfg.Kind, by, connectors.Scope{})
		if err != nil {
			return err
		}
		for _, rec := range recs {
			if rec.Fields.Agrees(by) { // a filter that is ignored finds everything
				return usage("there is a record of this %s already, %s %s: name other values", strings.Join(paths, " and "), t.cfg.Kind, rec.Ref.ID)
			}
		}
	}
	return nil
}

// written is what is written at all of these paths; nil where something is not.
func (t *trial) written(paths []string) record.Fields {
	by := record.Fields{}
	for _, path := range paths {
		if by[path] = t.cfg.Fields[path]; !by[path].Observed() {
			return nil
		}
	}
	return by
}

// each calls see for the records of a list until that says it has seen enough, and turned
// after each page. It returns where what changes afterwards begins.
func (t *trial) each(
	ctx context.Context, q connectors.Query, after record.Cursor, see func(record.Record) bool, turned func(connectors.Page, int) error,
) (record.Cursor, error) {
	for n := 1; ; n++ {
		page, err := t.cfg.Conn.Fetch(ctx, q, after)
		if err != nil {
			return "", err
		}
		for _, item := range page.Items {
			rec, err := page.Read(item)
			if err != nil { // one that can't be read is none of ours
				rec = record.Record{Ref: record.Ref{Kind: q.Kind, ID: item.ID}}
			}
			if see(rec) {
				return "", nil
			}
		}
		if err := turned(page, n); err != nil {
			return "", err
		}
		if page.End {
			return page.Since, nil
		}
		if n >= connectors.MostPages {
			return "", connectors.Wrong(connectors.Malformed, "fetch "+string(q.Kind), "the list does not end: %d pages were read", n)
		}
		after = page.Next
	}
}

// turnedOver goes on after each page.
func turnedOver(connectors.Page, int) error { return nil }
