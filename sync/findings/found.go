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

// AboutOf says what a finding about an action is about: its link, or the record that it is made from.
func AboutOf(a plan.Action) run.About {
	if a.Link != 0 {
		return run.About{Side: a.Side, Link: a.Link}
	}
	return run.About{Side: a.Side, Entry: a.From}
}

// AboutFor is AboutOf for what a store keeps.
func AboutFor(f record.For) run.About { return run.About{Side: f.Side, Link: f.Link, Entry: f.Entry} }

// RecallFindings reads the findings of earlier runs that are not over.
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

// VerbNotTaken reports whether the system has shown in this run that it takes no changes of this
// operation. Then it notes a finding, and the change is not sent.
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

// Written notes that an action was carried out, and drops what this run had found against it.
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

// IsOver reports whether an earlier finding is over that this run has not found again. It may be about
// a link, a record without one, or a whole side.
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
	case at.Link != 0: // a link that this run did not have to decide is as it should be
		return true, nil
	}
	known, err := r.store.Entries(ctx, []int64{at.Entry})
	if err != nil {
		return false, err
	}
	e, ok := known[at.Entry]
	return !ok || e.Link != 0 || e.State == record.InStep || e.State == record.Gone || e.State == record.OutOfScope, nil
}

// FindDropped notes that fields of an action are not sent, because the system has refused their values.
// It notes nothing if a person has dismissed a refusal of this record.
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

// ApartFromKeys reports whether a refusal names fields, and none of them is our mark or part of a match key.
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

// FindStuck notes which fields of a link are not written, and why, though no system has been asked to take them yet.
func (r *Room) FindStuck(x run.Decided) {
	for _, s := range x.Verdict.Stuck {
		r.NoteFinding(record.Finding{
			Place: record.Place{Side: s.Side}, Name: s.Name, Op: record.Update, Link: x.Link, Ref: x.Refs[s.Side],
			About: strings.Join(s.Fields, ", "), Text: s.Why,
		})
	}
}

// FindUnmade notes why no record is made across for one that the other side lacks. It notes nothing
// unless a field is missing.
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

// FindWaiting notes why no record is made for one that names another record: the link of that other
// record leads nowhere.
func (r *Room) FindWaiting(s run.Stranger, w run.Waits) {
	for _, x := range w.Stuck {
		r.NoteFinding(record.Finding{
			Place: record.Place{Side: x.Side}, Name: x.Name, Op: record.Create, Entry: s.Entry, Ref: s.Ref, About: strings.Join(x.Fields, ", "), Text: x.Why,
		})
	}
}

// Lacking says why a field of a link, or of a record without one, stays as it is until a person mends
// something; "" if nothing was found. An empty field stands for any.
func (r *Room) Lacking(link record.LinkID, entry int64, field string) string {
	for _, side := range record.Sides {
		for _, name := range record.FindingNames {
			k := record.For{Side: side, Link: link, Entry: entry, Name: name}
			f, ok := r.Found.Fresh[k]
			if !ok {
				f, ok = r.Found.Known[k]
			}
			if ok && f.ForPerson() && r.isAbout(f, field) {
				return fmt.Sprintf("%s: %s", r.Side(side).System, textOf(f))
			}
		}
	}
	return ""
}

// textOf is why a finding stands. A text about a value that can't be read does not say which value that is.
func textOf(f record.Finding) string {
	if f.Name == record.FindUndecided {
		return fmt.Sprintf("its %s can't be read: %s", f.About, f.Text)
	}
	return f.Text
}

// isAbout reports whether a finding is about a field. A finding that names no field of the job, but
// columns of the system alone, may be about any field.
func (r *Room) isAbout(f record.Finding, field string) bool {
	names := strings.Split(f.About, ", ")
	known := func(m mapping.Field) bool { return slices.Contains(names, m.Name) }
	return field == "" || slices.Contains(names, field) || !slices.ContainsFunc(r.Job.Mapping.Fields(), known)
}

// unheardAtMost is how many writes in a row may stay without a readable answer. After that the side is
// left alone for the rest of the run. If an earlier run found the same, and no write of this run was
// answered, the first one is enough.
const unheardAtMost = 3

// Heard notes whether the answer to a write tells what became of it. After too many writes in a row
// without such an answer it stops the writes to the side, and notes a finding.
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

// SaidYes reports whether a system took a write although there is an error: its answer only did not
// show what was made. Some systems never show that, and each of their creates is looked up.
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

// Knows reports whether a finding of that name about a side stands from an earlier run.
func (r *Room) Knows(name record.FindingName, side record.Side) bool {
	for k := range r.Found.Known {
		if k.Name == name && k.Side == side {
			return true
		}
	}
	return false
}
