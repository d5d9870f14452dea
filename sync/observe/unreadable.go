package observe

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
		n := unreadNote(side, e.Ref, p)
		if r.Unread[n] {
			continue
		}
		r.Unread[n] = true
		r.Unreads = append(r.Unreads, n)
		r.Count(side.String()+".unreadable", 1)
		r.findUnreadable(side, e, p)
	}
}

func unreadNote(side record.Side, ref record.Ref, p mapping.Problem) run.Note {
	why := fmt.Sprintf("its %s can't be read: %s; it is left as it is until it is corrected", p.Field, p.Text)
	if p.Code == mapping.Blanked {
		why = run.BlankedWhy(p.Field)
	}
	return run.Note{Side: side, Ref: ref, State: record.Quarantined, Why: why}
}

// Undecided notes that a record is not made across because these values can't be read. It says more than that they
// can't be read, and stands in the place of that.
func (r *Room) Undecided(side record.Side, entry int64, ref record.Ref, problems []mapping.Problem) {
	f := record.Finding{Place: record.Place{Side: side}, Name: record.FindUndecided, Op: record.Create, Entry: entry, Ref: ref}
	var fields, texts []string
	for _, p := range problems {
		n := unreadNote(side, ref, p)
		r.Unreads = slices.DeleteFunc(r.Unreads, func(o run.Note) bool { return o == n })
		fields, texts = append(fields, p.Field), append(texts, p.Text)
	}
	f.About, f.Text = strings.Join(fields, ", "), strings.Join(slices.Compact(texts), "; ")
	r.NoteFinding(f)
	told := record.For{Side: side, Entry: entry, Name: record.FindUnreadable}
	rest := r.Found.Fresh[told]
	names := slices.DeleteFunc(strings.Split(rest.About, ", "), func(name string) bool { return slices.Contains(fields, name) })
	if rest.About = strings.Join(names, ", "); rest.About == "" {
		delete(r.Found.Fresh, told)
	} else {
		r.Found.Fresh[told] = rest
	}
}

// isUndecided reports whether a finding says already that no record is made of an entry because of that field.
func (r *Room) isUndecided(side record.Side, entry int64, field string) bool {
	k := record.For{Side: side, Entry: entry, Name: record.FindUndecided}
	for _, found := range []map[record.For]record.Finding{r.Found.Fresh, r.Found.Known} {
		if f, ok := found[k]; ok {
			return slices.Contains(strings.Split(f.About, ", "), field)
		}
	}
	return false
}

// findUnreadable keeps a finding about a value that can't be read, until it can be.
func (r *Room) findUnreadable(side record.Side, e record.Entry, p mapping.Problem) {
	f := record.Finding{Place: record.Place{Side: side}, Name: record.FindUnreadable, Link: e.Link, Ref: e.Ref, About: p.Field, Text: p.Text}
	if p.Code == mapping.Blanked {
		f.Name = record.FindBlanked
	}
	if e.Link == 0 {
		f.Entry = e.Num
		if r.isUndecided(side, e.Num, p.Field) {
			return
		}
	}
	r.NoteFinding(f)
}

// StillUnreadable notes once more the values that an earlier run could not read and that this run had no reason to
// look at. A link may be settled on such a value, and then no run looks at it. It returns the findings about values
// that can be read now: they are over, whatever waits for a person in the same record.
func (r *Room) StillUnreadable(ctx context.Context) (over map[record.For]bool, err error) {
	over = map[record.For]bool{}
	for k, f := range r.Found.Known {
		if _, again := r.Found.Fresh[k]; again || k.Name != record.FindUnreadable && k.Name != record.FindBlanked {
			continue
		}
		e, ok, err := r.store.Entry(ctx, r.Place(k.Side), f.Ref)
		if err != nil {
			return nil, err
		}
		if !ok || run.Absent(e.State) {
			continue
		}
		now, problems := r.Job.Mapping.Read(k.Side, e.Last())
		r.Unreadable(k.Side, e, now, problems)
		_, again := r.Found.Fresh[k]
		over[k] = !again
	}
	return over, nil
}
