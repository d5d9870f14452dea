package engine

import (
	"context"
	"fmt"
	"maps"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// openAsked reads what stood in the records of which a person was asked what a changed
// configuration asks for. It counts as long as the configuration is the same: what was asked
// before it was another one meanwhile says nothing of what was edited since.
func (r *run) openAsked(ctx context.Context, stages []record.Stage) error {
	b := &r.book
	b.stood = map[record.LinkID][2]record.Fields{}
	was, since, err := r.Store.Asking(ctx, r.job.Binding)
	if err != nil {
		return err
	}
	b.asking = since
	guard := ""
	if len(b.remapped) > 0 {
		guard = r.mappingGuard()
	}
	if guard != was {
		b.asking = time.Now()
		if r.opt.Dry {
			return nil
		}
		return r.Store.KeepAsking(ctx, r.lease, guard, b.asking)
	}
	for _, st := range stages {
		if guard == "" || st.Guard != guard || st.At.Before(since) {
			continue
		}
		rows, err := r.Store.StagedOf(ctx, st.Digest, 0)
		if err != nil {
			return fmt.Errorf("look what was asked in %s: %w", st.Digest, err)
		}
		for _, x := range rows {
			b.stood[x.Link] = firstAsked(b.stood[x.Link], x.Stood)
		}
	}
	return nil
}

// firstAsked is what stood where a person was asked about a link, then and later: the first counts.
func firstAsked(was, now [2]record.Fields) (out [2]record.Fields) {
	for side := range out {
		out[side] = record.Fields{}
		maps.Copy(out[side], now[side])
		maps.Copy(out[side], was[side])
	}
	return out
}

// unedited is the fields whose mapping changed without those that were edited since, and without
// those that are mapped again as was agreed to and in which both records were settled as such.
func (b *book) unedited(c plan.Case) map[string]bool {
	if len(c.Edited)+len(b.mended) == 0 {
		return b.remapped
	}
	out := maps.Clone(b.remapped)
	maps.DeleteFunc(out, func(f string, _ bool) bool { return c.Edited[f] || b.mended[f] && c.SettledIn(f) })
	return out
}

// sinceAsked is a case by what was edited since a person was asked what a changed configuration
// asks for.
func (r *run) sinceAsked(ctx context.Context, p record.Pair, c plan.Case) (plan.Case, error) {
	stood, ok := r.book.stood[p.Link]
	if !ok || len(r.book.remapped) == 0 {
		return c, nil
	}
	for side := range p.Sides {
		e := &p.Sides[side]
		base := maps.Clone(e.Base)
		if base == nil {
			base = record.Base{}
		}
		for path, v := range stood[side] {
			base[path] = record.StoredOf(v)
		}
		e.Base = base
	}
	asked, _, err := r.caseOf(ctx, p)
	if err != nil {
		return c, err
	}
	for side := range asked.Sides { // only what it was settled on is another
		asked.Sides[side].Now = c.Sides[side].Now
	}
	return plan.Since(r.job.Rules, c, asked, r.book.remapped), nil
}
