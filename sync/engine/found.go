package engine

import (
	"cmp"
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
)

// Findings keeps why records, and whole kinds, are not written as they should be.
type Findings interface {
	// Findings is what was found and is not over.
	Findings(ctx context.Context, b record.Binding) ([]record.Finding, error)
	// KeepFindings stores what a run found, and forgets what is over.
	KeepFindings(ctx context.Context, l record.Lease, found []record.Finding, over []record.For) error
}

// about is whom a finding is about: a link, or a record without one.
type about struct {
	side  record.Side // that would be written
	link  record.LinkID
	entry int64
}

func aboutOf(a plan.Action) about {
	if a.Link != 0 {
		return about{side: a.Side, link: a.Link}
	}
	return about{side: a.Side, entry: a.From}
}

func aboutFor(f record.For) about { return about{f.Side, f.Link, f.Entry} }

// found is what a run finds, and what it knows of what earlier runs found.
type found struct {
	known   map[record.For]record.Finding // that stood when it began
	fresh   map[record.For]record.Finding
	done    map[about]bool // written in this run
	pending map[about]bool // planned in this run, and not written
	decided map[about]bool
	all     bool // every link that is not as it should be was decided
	verbs   [2]map[record.Op]string
	unheard [2]int  // writes in a row of which nobody knows what became of them
	heard   [2]bool // a write was answered
	stand   bool    // something waits until a person mends it
}

// recallFindings reads what earlier runs found.
func (r *run) recallFindings(ctx context.Context) error {
	list, err := r.Store.Findings(ctx, r.job.Binding)
	if err != nil {
		return fmt.Errorf("look what was found of %s: %w", r.job.Binding, err)
	}
	for _, f := range list {
		r.found.known[f.For()] = f
	}
	return nil
}

// noteFinding notes why something is not written as it should be. What is known of it already
// keeps its words where there are no new ones.
func (r *run) noteFinding(f record.Finding) {
	f.Place.Binding = r.job.Binding
	if was, known := r.found.known[f.For()]; known {
		f.Since, f.Text, f.About = was.Since, cmp.Or(f.Text, was.Text), cmp.Or(f.About, was.About)
	} else {
		f.Since = time.Now()
	}
	if before, twice := r.found.fresh[f.For()]; twice && before.About != f.About && before.About != "" && f.About != "" {
		f.About = before.About + ", " + f.About
	}
	r.found.fresh[f.For()] = f
}

// noteStanding notes what still is as it was, in the words that it was found in first.
func (r *run) noteStanding(f record.Finding) {
	if was, known := r.found.known[f.For()]; known {
		f.Text = was.Text
	}
	r.noteFinding(f)
}

// findingOf is a finding about an action.
func findingOf(name record.FindingName, a plan.Action) record.Finding {
	f := record.Finding{
		Place: record.Place{Side: a.Side}, Name: name, Op: a.Change.Op, Link: a.Link, Ref: a.Change.Ref,
		About: strings.Join(fieldsOf(a), ", "),
	}
	if a.Link == 0 {
		f.Entry = a.From
	}
	if a.Change.Op == record.Create {
		f.Ref, f.About = a.Source, ""
	}
	return f
}

// fieldsOf is the names of the fields that an action writes.
func fieldsOf(a plan.Action) []string {
	names := make([]string, len(a.Fields))
	for i, f := range a.Fields {
		names[i] = f.Field
	}
	slices.Sort(names)
	return names
}

// findAnswer notes what a system answered to an action.
func (r *run) findAnswer(name record.FindingName, a plan.Action, err error) {
	f := findingOf(name, a)
	f.Text, f.Asked = causeOfError(err), time.Now()
	if named := namedBy(err); len(named) > 0 {
		f.About = strings.Join(named, ", ")
	}
	r.noteFinding(f)
}

// causeOfError is an error without the record that it is about: of many records it is the same.
func causeOfError(err error) string {
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok {
		return err.Error()
	}
	text := string(e.Class)
	if e.Err != nil {
		text = e.Err.Error()
	}
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// namedBy is the native fields that a refusal names.
func namedBy(err error) []string {
	if e, ok := errors.AsType[*connectors.Error](err); ok {
		return e.Fields
	}
	return nil
}

// verbRefused has no more changes of a sort sent to a side in this run: the system does not
// take them at all, whatever their record.
func (r *run) verbRefused(a plan.Action, out apply.Outcome) {
	if r.found.verbs[a.Side] == nil {
		r.found.verbs[a.Side] = map[record.Op]string{}
	}
	r.found.verbs[a.Side][a.Change.Op] = causeOfError(out.Err)
	r.count("refused", 1)
	r.findAnswer(record.FindVerb, a, out.Err)
	r.note(a.Side, a.Change.Ref, record.Quarantined, fmt.Sprintf("%s does not take this: %v", r.side(a.Side).System, out.Err))
}

// verbNotTaken reports whether the system was seen in this run not to take changes of this
// sort: it is noted, and nothing is sent.
func (r *run) verbNotTaken(a plan.Action) bool {
	name, why := record.FindVerb, r.found.verbs[a.Side][a.Change.Op]
	if why == "" {
		return false
	}
	f := findingOf(name, a)
	f.Text = why
	r.noteFinding(f)
	return true
}

// leastAsked puts those last that a system did not take before, the last asked at the end:
// where only some records are refused so, they keep no other from being written.
func (r *run) leastAsked(actions []plan.Action) []plan.Action {
	asked := map[about]time.Time{}
	for k, f := range r.found.known {
		if goesLast(k) && !f.Asked.IsZero() {
			asked[aboutFor(k)] = f.Asked
		}
	}
	if len(asked) == 0 {
		return actions
	}
	actions = slices.Clone(actions)
	slices.SortStableFunc(actions, func(a, b plan.Action) int { return asked[aboutOf(a)].Compare(asked[aboutOf(b)]) })
	return actions
}

// written notes that an action was carried out.
func (r *run) written(a plan.Action) {
	r.found.done[aboutOf(a)] = true
	if f := findingOf(record.FindVerb, a); r.found.fresh[f.For()].Op == a.Change.Op {
		delete(r.found.fresh, f.For())
	}
	delete(r.found.fresh, findingOf(record.FindUnproven, a).For())
	if a.Link != 0 {
		delete(r.found.fresh, findingOf(record.FindUnanswered, a).For())
	}
}

// judged notes what a draft has decided, and what of it was not carried out.
func (r *run) judged(d *draft) {
	if r.limited() {
		return
	}
	r.found.all = r.found.all || d.whole
	for _, a := range d.actions() {
		if at := aboutOf(a); !r.found.done[at] {
			r.found.pending[at] = true
		}
	}
	if len(r.found.known) == 0 {
		return
	}
	links, entries := d.about()
	for _, side := range record.Sides {
		for link := range links {
			r.found.decided[about{side: side, link: link}] = true
		}
		for entry := range entries {
			r.found.decided[about{side: side, entry: entry}] = true
		}
	}
}

// keepFindings stores what the run found, and ends what is over.
func (r *run) keepFindings(ctx context.Context) error {
	if r.opt.Dry {
		return nil
	}
	if err := r.stillUnreadable(ctx); err != nil {
		return err
	}
	var over []record.For
	for k, f := range r.found.known {
		if _, again := r.found.fresh[k]; again {
			continue
		}
		is, err := r.isOver(ctx, aboutFor(k))
		if err != nil {
			return err
		}
		switch {
		case is:
			over = append(over, k)
		case f.ForPerson():
			r.found.stand = true
		}
	}
	var news []record.Finding
	for k, f := range r.found.fresh {
		r.found.stand = r.found.stand || f.ForPerson()
		if was, known := r.found.known[k]; !known || !was.Same(f) {
			news = append(news, f)
		}
	}
	if len(over)+len(news) == 0 {
		return nil
	}
	slices.SortFunc(news, func(a, b record.Finding) int {
		return cmp.Or(cmp.Compare(a.Place.Side, b.Place.Side), cmp.Compare(a.Link, b.Link), cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.Name, b.Name))
	})
	return r.Store.KeepFindings(ctx, r.lease, news, over)
}

// isOver reports whether what was found of somebody, and was not found by this run, is so
// no more.
func (r *run) isOver(ctx context.Context, at about) (bool, error) {
	switch {
	case at.link == 0 && at.entry == 0:
		return r.found.heard[at.side] || r.found.all && r.found.unheard[at.side] == 0 && !r.pendingOn(at.side), nil
	case r.found.done[at]:
		return true, nil
	case r.found.pending[at]:
		return false, nil
	case r.found.decided[at]:
		return true, nil
	case !r.found.all:
		return false, nil
	case at.link != 0: // a link that nobody had to decide is as it should be
		return true, nil
	}
	known, err := r.Store.Entries(ctx, []int64{at.entry})
	if err != nil {
		return false, err
	}
	e, ok := known[at.entry]
	return !ok || e.Link != 0 || e.State == record.InStep || e.State == record.Gone || e.State == record.OutOfScope, nil
}

// findDropped notes that fields of an action are not asked for, since the system said no
// to their values. What a person has dismissed is not told of.
func (r *run) findDropped(a plan.Action, names []string) {
	f := findingOf(record.FindRefused, a)
	f.About = ""
	for _, no := range r.saidNo[refusedKey(a.Side, a.Link, a.From)] {
		if no.Dismissed {
			return
		}
		if no.Last.After(f.Asked) {
			f.Asked, f.Text = no.Last, no.Text
		}
	}
	if _, known := r.found.known[f.For()]; !known {
		f.About = strings.Join(names, ", ")
	}
	r.noteStanding(f)
}

// apartFromKeys reports whether a refusal names fields, and none that records are matched by.
func (r *run) apartFromKeys(side record.Side, named []string) bool {
	if len(named) == 0 || slices.Contains(named, r.side(side).Can.Stamp.Path) {
		return false
	}
	for _, set := range r.job.Match {
		for _, field := range set {
			for _, path := range r.job.Mapping.Outputs(side, field) {
				if slices.Contains(named, path) {
					return false
				}
			}
		}
	}
	return true
}

// findStuck notes what of a link is not written, though nobody was asked for it yet.
func (r *run) findStuck(x decided) {
	for _, s := range x.verdict.Stuck {
		r.noteFinding(record.Finding{
			Place: record.Place{Side: s.Side}, Name: s.Name, Op: record.Update, Link: x.link, Ref: x.refs[s.Side],
			About: strings.Join(s.Fields, ", "), Text: s.Why,
		})
	}
}

// findUnmade notes why no record is made for one that the other side lacks.
func (r *run) findUnmade(side record.Side, s stranger, why plan.Unmade) {
	if why.Lacks == "" {
		return
	}
	name := record.FindRequired
	if why.Mapped {
		name = record.FindLacking
	}
	r.noteFinding(record.Finding{
		Place: record.Place{Side: side.Other()}, Name: name, Op: record.Create, Entry: s.Entry, Ref: s.Ref, About: why.Lacks, Text: why.Text,
	})
}

// findWaiting notes why no record is made for one that names another, of which the link leads
// nowhere.
func (r *run) findWaiting(s stranger, w waits) {
	for _, x := range w.stuck {
		r.noteFinding(record.Finding{
			Place: record.Place{Side: x.Side}, Name: x.Name, Op: record.Create, Entry: s.Entry, Ref: s.Ref, About: strings.Join(x.Fields, ", "), Text: x.Why,
		})
	}
}

// lacking says why a field of a link, or a record without one, stays as it is until a
// person mends something; "" if nothing was found.
func (r *run) lacking(link record.LinkID, entry int64, field string) string {
	for _, side := range record.Sides {
		for _, name := range record.FindingNames {
			k := record.For{Side: side, Link: link, Entry: entry, Name: name}
			f, ok := r.found.fresh[k]
			if !ok {
				f, ok = r.found.known[k]
			}
			if ok && f.ForPerson() && r.isAbout(f, field) {
				return fmt.Sprintf("%s: %s", r.side(side).System, f.Text)
			}
		}
	}
	return ""
}

// isAbout reports whether a finding is about a field. One that names columns alone may be
// about any.
func (r *run) isAbout(f record.Finding, field string) bool {
	names := strings.Split(f.About, ", ")
	known := func(m mapping.Field) bool { return slices.Contains(names, m.Name) }
	return field == "" || slices.Contains(names, field) || !slices.ContainsFunc(r.job.Mapping.Fields(), known)
}

// unheardAtMost is how many writes in a row may stay without an answer that can be read:
// then the side is left alone for the rest of the run. Where that was so before, one asks.
const unheardAtMost = 3

// heard notes whether a write was answered so that somebody knows what became of it.
func (r *run) heard(a plan.Action, out apply.Outcome) {
	switch out.Result {
	case apply.Done, apply.Said, apply.Met, apply.Taken:
		r.found.heard[a.Side], r.found.unheard[a.Side] = true, 0
		return
	case apply.Unknown:
		if saidYes(out.Err) {
			return
		}
		r.found.unheard[a.Side]++
	case apply.Changed, apply.Vanished, apply.Put, apply.Unread, apply.Kept:
		return
	}
	f := record.Finding{Place: record.Place{Side: a.Side}, Name: record.FindUnanswered, Op: a.Change.Op, Text: causeOfError(out.Err), Asked: time.Now()}
	_, before := r.found.known[f.For()]
	if n := r.found.unheard[a.Side]; n < unheardAtMost && (!before || r.found.heard[a.Side]) {
		return
	}
	r.stopped[a.Side] = string(out.Class)
	r.noteFinding(f)
}

// saidYes reports whether a system took a write, and only did not show what it made of it:
// some never do, and each of their creates is looked up.
func saidYes(err error) bool {
	e, ok := errors.AsType[*connectors.Error](err)
	return ok && e.Status >= 200 && e.Status < 300
}

// pendingOn reports whether something planned for a side was not written.
func (r *run) pendingOn(side record.Side) bool {
	for at := range r.found.pending {
		if at.side == side {
			return true
		}
	}
	return false
}

// knows reports whether an earlier run found the like of a side, and it stands.
func (r *run) knows(name record.FindingName, side record.Side) bool {
	for k := range r.found.known {
		if k.Name == name && k.Side == side {
			return true
		}
	}
	return false
}
