package observe

import (
	"context"
	"fmt"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Unreadable notes the fields of a record that can't be read, each once a run. Such a field counts as not shown:
// nothing is cleared or written because of it.
func (r *Room) Unreadable(side record.Side, e record.Entry, now record.Fields, problems []mapping.Problem) {
	for _, p := range problems {
		if now[p.Field].Observed() {
			continue // the rest of the value could be read
		}
		why := fmt.Sprintf("its %s can't be read: %s; it is left as it is until it is corrected", p.Field, p.Text)
		if p.Code == mapping.Blanked {
			why = run.BlankedWhy(p.Field)
		}
		n := run.Note{Side: side, Ref: e.Ref, State: record.Quarantined, Why: why}
		if r.Unread[n] {
			continue
		}
		r.Unread[n] = true
		r.Unreads = append(r.Unreads, n)
		r.Count(side.String()+".unreadable", 1)
		r.findUnreadable(side, e, p)
	}
}

// findUnreadable keeps a finding about a value that can't be read, until it can be.
func (r *Room) findUnreadable(side record.Side, e record.Entry, p mapping.Problem) {
	f := record.Finding{Place: record.Place{Side: side}, Name: record.FindUnreadable, Link: e.Link, Ref: e.Ref, About: p.Field, Text: p.Text}
	if p.Code == mapping.Blanked {
		f.Name = record.FindBlanked
	}
	if e.Link == 0 {
		f.Entry = e.Num
	}
	r.NoteFinding(f)
}

// StillUnreadable notes once more the values that an earlier run could not read and that this run had no reason to
// look at. A link may be settled on such a value, and then no run looks at it.
func (r *Room) StillUnreadable(ctx context.Context) error {
	for k, f := range r.Found.Known {
		if _, again := r.Found.Fresh[k]; again || k.Name != record.FindUnreadable && k.Name != record.FindBlanked {
			continue
		}
		e, ok, err := r.store.Entry(ctx, r.Place(k.Side), f.Ref)
		if err != nil {
			return err
		}
		if !ok || run.Absent(e.State) {
			continue
		}
		now, problems := r.Job.Mapping.Read(k.Side, e.Last())
		r.Unreadable(k.Side, e, now, problems)
	}
	return nil
}
