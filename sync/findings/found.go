package findings

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/apply"
	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

func AboutOf(a plan.Action) run.About {
	if a.Link != 0 {
		return run.About{Side: a.Side, Link: a.Link}
	}
	return run.About{Side: a.Side, Entry: a.From}
}

func AboutFor(f record.For) run.About { return run.About{Side: f.Side, Link: f.Link, Entry: f.Entry} }

// RecallFindings reads what earlier runs found.
func (r *Room) RecallFindings(ctx context.Context) error {
	list, err := r.store.Findings(ctx, r.Job.Binding)
	if err != nil {
		return fmt.Errorf("look what was found of %s: %w", r.Job.Binding, err)
	}
	for _, f := range list {
		r.Found.Known[f.For()] = f
	}
	return nil
}

// VerbNotTaken reports whether the system was seen in this run not to take changes of this
// sort: it is noted, and nothing is sent.
func (r *Room) VerbNotTaken(a plan.Action) bool {
	name, why := record.FindVerb, r.Found.Verbs[a.Side][a.Change.Op]
	if why == "" {
		return false
	}
	f := run.FindingOf(name, a)
	f.Text = why
	r.NoteFinding(f)
	return true
}

// Written notes that an action was carried out.
func (r *Room) Written(a plan.Action) {
	r.Found.Done[AboutOf(a)] = true
	if f := run.FindingOf(record.FindVerb, a); r.Found.Fresh[f.For()].Op == a.Change.Op {
		delete(r.Found.Fresh, f.For())
	}
	delete(r.Found.Fresh, run.FindingOf(record.FindUnproven, a).For())
	if a.Link != 0 {
		delete(r.Found.Fresh, run.FindingOf(record.FindUnanswered, a).For())
	}
}

// IsOver reports whether what was found of somebody, and was not found by this run, is so
// no more.
func (r *Room) IsOver(ctx context.Context, at run.About) (bool, error) {
	switch {
	case at.Link == 0 && at.Entry == 0:
		return r.Found.Heard[at.Side] || r.Found.All && r.Found.Unheard[at.Side] == 0 && !r.pendingOn(at.Side), nil
	case r.Found.Done[at]:
		return true, nil
	case r.Found.Pending[at]:
		return false, nil
	case r.Found.Decided[at]:
		return true, nil
	case !r.Found.All:
		return false, nil
	case at.Link != 0: // a link that nobody had to decide is as it should be
		return true, nil
	}
	known, err := r.store.Entries(ctx, []int64{at.Entry})
	if err != nil {
		return false, err
	}
	e, ok := known[at.Entry]
	return !ok || e.Link != 0 || e.State == record.InStep || e.State == record.Gone || e.State == record.OutOfScope, nil
}

// FindDropped notes that fields of an action are not asked for, since the system said no
// to their values. What a person has dismissed is not told of.
func (r *Room) FindDropped(a plan.Action, names []string) {
	f := run.FindingOf(record.FindRefused, a)
	f.About = ""
	for _, no := range r.SaidNo[run.RefusedKey(a.Side, a.Link, a.From)] {
		if no.Dismissed {
			return
		}
		if no.Last.After(f.Asked) {
			f.Asked, f.Text = no.Last, no.Text
		}
	}
	if _, known := r.Found.Known[f.For()]; !known {
		f.About = strings.Join(names, ", ")
	}
	r.NoteStanding(f)
}

// ApartFromKeys reports whether a refusal names fields, and none that records are matched by.
func (r *Room) ApartFromKeys(side record.Side, named []string) bool {
	if len(named) == 0 || slices.Contains(named, r.Side(side).Can.Stamp.Path) {
		return false
	}
	for _, set := range r.Job.Match {
		for _, field := range set {
			for _, path := range r.Job.Mapping.Outputs(side, field) {
				if slices.Contains(named, path) {
					return false
				}
			}
		}
	}
	return true
}

// FindStuck notes what of a link is not written, though nobody was asked for it yet.
func (r *Room) FindStuck(x run.Decided) {
	for _, s := range x.Verdict.Stuck {
		r.NoteFinding(record.Finding{
			Place: record.Place{Side: s.Side}, Name: s.Name, Op: record.Update, Link: x.Link, Ref: x.Refs[s.Side],
			About: strings.Join(s.Fields, ", "), Text: s.Why,
		})
	}
}

// FindUnmade notes why no record is made for one that the other side lacks.
func (r *Room) FindUnmade(side record.Side, s run.Stranger, why plan.Unmade) {
	if why.Lacks == "" {
		return
	}
	name := record.FindRequired
	if why.Mapped {
		name = record.FindLacking
	}
	r.NoteFinding(record.Finding{
		Place: record.Place{Side: side.Other()}, Name: name, Op: record.Create, Entry: s.Entry, Ref: s.Ref, About: why.Lacks, Text: why.Text,
	})
}

// FindWaiting notes why no record is made for one that names another, of which the link leads
// nowhere.
func (r *Room) FindWaiting(s run.Stranger, w run.Waits) {
	for _, x := range w.Stuck {
		r.NoteFinding(record.Finding{
			Place: record.Place{Side: x.Side}, Name: x.Name, Op: record.Create, Entry: s.Entry, Ref: s.Ref, About: strings.Join(x.Fields, ", "), Text: x.Why,
		})
	}
}

// Lacking says why a field of a link, or a record without one, stays as it is until a
// person mends something; "" if nothing was found.
func (r *Room) Lacking(link record.LinkID, entry int64, field string) string {
	for _, side := range record.Sides {
		for _, name := range record.FindingNames {
			k := record.For{Side: side, Link: link, Entry: entry, Name: name}
			f, ok := r.Found.Fresh[k]
			if !ok {
				f, ok = r.Found.Known[k]
			}
			if ok && f.ForPerson() && r.isAbout(f, field) {
				return fmt.Sprintf("%s: %s", r.Side(side).System, f.Text)
			}
		}
	}
	return ""
}

// isAbout reports whether a finding is about a field. One that names columns alone may be
// about any.
func (r *Room) isAbout(f record.Finding, field string) bool {
	names := strings.Split(f.About, ", ")
	known := func(m mapping.Field) bool { return slices.Contains(names, m.Name) }
	return field == "" || slices.Contains(names, field) || !slices.ContainsFunc(r.Job.Mapping.Fields(), known)
}

// unheardAtMost is how many writes in a row may stay without an answer that can be read:
// then the side is left alone for the rest of the run. Where that was so before, one asks.
const unheardAtMost = 3

// Heard notes whether a write was answered so that somebody knows what became of it.
func (r *Room) Heard(a plan.Action, out apply.Outcome) {
	switch out.Result {
	case apply.Done, apply.Said, apply.Met, apply.Taken:
		r.Found.Heard[a.Side], r.Found.Unheard[a.Side] = true, 0
		return
	case apply.Unknown:
		if SaidYes(out.Err) {
			return
		}
		r.Found.Unheard[a.Side]++
	case apply.Changed, apply.Vanished, apply.Put, apply.Unread, apply.Kept:
		return
	}
	f := record.Finding{Place: record.Place{Side: a.Side}, Name: record.FindUnanswered, Op: a.Change.Op, Text: run.CauseOfError(out.Err), Asked: time.Now()}
	_, before := r.Found.Known[f.For()]
	if n := r.Found.Unheard[a.Side]; n < unheardAtMost && (!before || r.Found.Heard[a.Side]) {
		return
	}
	r.Stopped[a.Side] = string(out.Class)
	r.NoteFinding(f)
}

// SaidYes reports whether a system took a write, and only did not show what it made of it:
// some never do, and each of their creates is looked up.
func SaidYes(err error) bool {
	e, ok := errors.AsType[*connectors.Error](err)
	return ok && e.Status >= 200 && e.Status < 300
}

// pendingOn reports whether something planned for a side was not written.
func (r *Room) pendingOn(side record.Side) bool {
	for at := range r.Found.Pending {
		if at.Side == side {
			return true
		}
	}
	return false
}

// Knows reports whether an earlier run found the like of a side, and it stands.
func (r *Room) Knows(name record.FindingName, side record.Side) bool {
	for k := range r.Found.Known {
		if k.Name == name && k.Side == side {
			return true
		}
	}
	return false
}
