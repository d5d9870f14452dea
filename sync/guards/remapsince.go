package guards

import (
	"context"
	"fmt"
	"maps"
	"time"

	"nightporter/sync/record"
)

// openAsked reads what both records of a link held when a person was asked about a changed configuration. That
// counts as long as the configuration is the same. If the configuration was another one meanwhile, what was asked
// before says nothing of what was edited since: then the asking begins now.
func (r *Room) openAsked(ctx context.Context, stages []record.Stage) error {
	b := &r.Book
	b.Stood = map[record.LinkID][2]record.Fields{}
	was, since, err := r.store.Asking(ctx, r.Job.Binding)
	if err != nil {
		return err
	}
	b.Asking = since
	fields := ""
	if len(b.Remapped) > 0 {
		fields = r.fieldsPrint()
	}
	if fields != was {
		b.Asking = time.Now()
		if r.Options.Dry {
			return nil
		}
		return r.store.KeepAsking(ctx, r.Lease, fields, b.Asking)
	}
	for _, st := range stages {
		if fields == "" || !asksOfFields(st, fields) || st.Opened.Before(since) {
			continue
		}
		rows, err := r.store.StagedOf(ctx, st.Set, 0)
		if err != nil {
			return fmt.Errorf("look what was asked in %s: %w", st.Set, err)
		}
		for _, x := range rows {
			b.Stood[x.Link] = firstAsked(b.Stood[x.Link], x.Stood)
		}
	}
	return nil
}

// firstAsked joins what the records of a link held when a person was asked about them, before (was) and later
// (now). If both have a path, the earlier value counts.
func firstAsked(was, now [2]record.Fields) (out [2]record.Fields) {
	for side := range out {
		out[side] = record.Fields{}
		maps.Copy(out[side], now[side])
		maps.Copy(out[side], was[side])
	}
	return out
}
