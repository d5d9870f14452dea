package app

import (
	"context"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/internal/config"
	"nightporter/sync/blank"
	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// manyPages bounds how far a kind is counted that doesn't say how many there are.
const manyPages = 1000

// sample reads a page and proves the mapping on it; then it counts.
func (a *App) sample(ctx context.Context, j *config.Job, job *engine.Job, side record.Side, l *Looked) error {
	s := job.Sides[side]
	q := connectors.Query{Kind: s.Kind, Mode: connectors.Full, Scope: scopeOn(job, side, time.Now()), Fields: job.Mapping.Paths(side)}
	if s.Create != engine.Never {
		q.Fields = unique(slices.Concat(q.Fields, s.Can.Required))
	}
	page, err := s.Conn.Fetch(ctx, q, "")
	if err != nil {
		return err
	}
	var losses tally
	var read []record.Record
	for _, it := range page.Items {
		rec, err := page.Read(it)
		if err != nil {
			losses.add("the whole record", l.System, err.Error(), it.ID)
			continue
		}
		l.Read++
		read = append(read, rec)
		if why := unfit(job, side, rec.Fields); why != "" {
			losses.add("the whole record", other(j, side).System, why, rec.Ref.ID)
		}
		for _, loss := range job.Mapping.Prove(side, rec.Fields) {
			if loss.Code == mapping.NotAValue || loss.Written() && !goes(j, loss.Field, loss.To) {
				continue // left out on purpose, or never written there
			}
			losses.add(loss.Field, [2]string{j.Left.System, j.Right.System}[loss.To], loss.Text, rec.Ref.ID)
		}
	}
	l.Losses, l.Unshown = losses.all, unshown(ctx, job, side, read)
	l.Lacking = lacking(job.Mapping, side, s, read)
	return count(ctx, s, q, page, l)
}

// unshown is the mapped paths that none of the records shows. A list may hide what a read
// by id shows, so one of them is read by its id before a path is named.
func unshown(ctx context.Context, job *engine.Job, side record.Side, read []record.Record) []Unshown {
	if len(read) == 0 {
		return nil
	}
	out := mappedUnshown(job.Mapping, side, read)
	get, ok := job.Sides[side].Conn.(connectors.Getter)
	if len(out) == 0 || !ok || !job.Sides[side].Can.Get {
		return out
	}
	if one, err := get.Get(ctx, read[0].Ref, connectors.Scope{}); err == nil {
		return mappedUnshown(job.Mapping, side, append(read, one))
	}
	return out
}

// lacking is what a new record must hold and no record of the list shows. What is mapped is
// named by unshown.
func lacking(m *mapping.Mapping, side record.Side, s engine.Side, read []record.Record) (out []string) {
	if s.Create == engine.Never || !s.Can.Create || len(read) == 0 {
		return nil
	}
	for _, p := range s.Can.Required {
		mapped := slices.Contains(m.Paths(side), p)
		if !mapped && !slices.ContainsFunc(read, func(r record.Record) bool { return r.Fields[p].Observed() }) {
			out = append(out, p)
		}
	}
	return out
}

func mappedUnshown(m *mapping.Mapping, side record.Side, read []record.Record) (out []Unshown) {
	for _, f := range m.Fields() {
		for _, p := range m.Inputs(side, f.Name) {
			if !slices.ContainsFunc(read, func(r record.Record) bool { return r.Fields[p].Observed() }) {
				out = append(out, Unshown{Field: f.Name, Path: p})
			}
		}
	}
	return out
}

// goes reports whether a field is written to a side.
func goes(j *config.Job, field string, to record.Side) bool {
	f, ok := j.Field(field)
	return !ok || to == record.Left && f.ToLeft || to == record.Right && f.ToRight
}

// scopeOn is the window of days of a job, where its side can be asked by days.
func scopeOn(job *engine.Job, side record.Side, now time.Time) connectors.Scope {
	if job.Window == nil || !job.Sides[side].Can.Windowed {
		return connectors.Scope{}
	}
	day := func(n int) string { return now.In(job.Zone).AddDate(0, 0, n).Format(time.DateOnly) }
	return connectors.Scope{From: day(job.Window.From), To: day(job.Window.To)}
}

// tally counts losses that are alike.
type tally struct {
	all []Lossy
}

func (t *tally) add(field, to, why, id string) {
	for i, l := range t.all {
		if l.Field == field && l.To == to && l.Why == why {
			t.all[i].Records++
			return
		}
	}
	t.all = append(t.all, Lossy{Field: field, To: to, Why: why, Records: 1, Example: id})
}

// count says how many records there are: as the system does or, where reading is
// cheap, by going on to the end.
func count(ctx context.Context, s engine.Side, q connectors.Query, page connectors.Page, l *Looked) error {
	l.Records = len(page.Items)
	if page.Total >= 0 {
		l.Records = page.Total
		return nil
	}
	_, cheap := blank.Under(s.Conn).(granter)
	for n := 1; !page.End; n++ {
		if !cheap || n >= manyPages {
			l.More = true
			return nil
		}
		var err error
		if page, err = s.Conn.Fetch(ctx, q, page.Next); err != nil {
			return err
		}
		l.Records += len(page.Items)
	}
	return nil
}
