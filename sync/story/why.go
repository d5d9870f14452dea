package story

import (
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/record"
)

// whys returns the reasons why the record is not in step, none if it is in step. Reasons that a person must
// answer come first.
func (f *Facts) whys() []string {
	var out []string
	out = append(out, f.linkWhy()...)
	for _, c := range f.Conflicts {
		if c.Closed.IsZero() {
			out = append(out, f.conflictWhy(c))
		}
	}
	out = append(out, f.traceWhys()...)
	for _, k := range f.Kept {
		out = append(out, f.keptWhy(k))
	}
	for _, side := range f.order() {
		if why := f.stateWhy(side); why != "" {
			out = append(out, why)
		}
	}
	out = append(out, f.refusalWhys()...)
	for _, w := range f.Waits {
		out = append(out, fmt.Sprintf("it waits for %s of %s, which is not linked yet", w.For, w.In))
	}
	for _, side := range f.order() {
		k := f.Sides[side]
		for _, u := range k.Unreadable {
			out = append(out, fmt.Sprintf("in %s %s", f.Systems[side], u))
		}
		if k.Trial != nil {
			out = append(out, f.trialWhy(side))
		} else if edited := f.untold(side, k.Edited); len(edited) > 0 && f.Link.ID != 0 {
			who := "who made it is not known"
			if k.ChangedBy != "" {
				who = "changed there last by " + k.ChangedBy
			}
			out = append(out, fmt.Sprintf("%s shows an edit of %s that no run has carried over yet; %s", f.Systems[side], strings.Join(edited, ", "), who))
		}
	}
	return append(out, f.undone()...)
}

// trialWhy says what is known of a trial that is not over yet.
func (f *Facts) trialWhy(side record.Side) string {
	t, did := f.Sides[side].Trial, "it is not known yet what that did"
	if !t.State.Pending() && t.State != record.TrialAside {
		did = fmt.Sprintf("changed %s as well, which is put back", strings.Join(t.Found, ", "))
	}
	return fmt.Sprintf("its %s in %s at %s is a trial, and %s: what differs there since counts as nobody's edit, and is not carried over", t.Op, f.Systems[side], f.at(t.At), did)
}

// untold returns the edited fields of a side that no other reason names yet. It leaves out fields about which
// a person is asked, and fields in a change that is kept back.
func (f *Facts) untold(side record.Side, fields []string) []string {
	return slices.DeleteFunc(slices.Clone(fields), func(field string) bool {
		return slices.ContainsFunc(f.Conflicts, func(c record.Question) bool { return c.Closed.IsZero() && c.Field == field }) ||
			slices.ContainsFunc(f.Kept, func(k record.KeptBack) bool { return k.Place.Side != side && slices.Contains(k.Fields, field) })
	})
}

// keptWhy says which change is not sent now, by which rule, since when and why.
func (f *Facts) keptWhy(k record.KeptBack) string {
	what := "its change"
	switch {
	case k.Op == record.Create:
		what = "its create"
	case len(k.Fields) > 0:
		what += " of " + strings.Join(k.Fields, ", ")
	}
	return fmt.Sprintf("%s keeps %s in %s back since %s: %s", k.Rule, what, f.Systems[k.Place.Side], f.at(k.Since), k.Why)
}

func (f *Facts) linkWhy() []string {
	switch f.Link.State {
	case record.LinkUnsure:
		c := f.lastOpen()
		if c == nil {
			return []string{"a change of it was sent and not answered: it is looked up by the next run"}
		}
		if c.State == record.Lost {
			return []string{fmt.Sprintf("nobody can know whether change %s arrived in %s: a person says", c.ID, f.Systems[c.Side])}
		}
		return []string{fmt.Sprintf("a change was sent to %s at %s and not answered: it is looked up by the next run", f.Systems[c.Side], f.at(c.SentAt))}
	case record.LinkBroken:
		return []string{"the link was broken: one of the two may not be the record any more that it was"}
	case record.LinkParted:
		return []string{"one of the two is gone, and the other goes its own way: they are not kept in step any more"}
	case record.LinkGone:
		return []string{"both records are gone"}
	case record.LinkLive, record.LinkConflict:
	}
	return nil
}

func (f *Facts) lastOpen() *Change {
	for i, c := range slices.Backward(f.Changes) {
		if c.State == record.Sent || c.State == record.Lost {
			return &f.Changes[i]
		}
	}
	return nil
}

func (f *Facts) conflictWhy(c record.Question) string {
	if c.Choice != "" {
		return fmt.Sprintf("conflict %d about %s is decided (%s), and the next run does it", c.ID, c.Field, f.choice(c))
	}
	return fmt.Sprintf("it waits for a person since %s, conflict %d about %s: %s", f.at(c.Opened), c.ID, c.Field, c.Why)
}

// choice returns in words what a person decided: the system that was chosen, or the value.
func (f *Facts) choice(c record.Question) string {
	switch c.Choice { //nolint:exhaustive // the others belong to other questions
	case "left":
		return string(f.Systems[record.Left])
	case "right":
		return string(f.Systems[record.Right])
	}
	return Shown{c.Value}.String()
}

// traceWhys returns the reasons from traces: a change that a guard holds back, or a record that can't be read.
func (f *Facts) traceWhys() []string {
	var out []string
	for _, t := range f.Traces {
		if t.Over || t.Decision == record.Refusal && f.alike() {
			continue
		}
		switch t.Kind {
		case Staged:
			out = append(out, f.stagedWhy(t))
		case Quarantine:
			out = append(out, fmt.Sprintf("it can't be read in %s as it is, since %s: %s", f.Systems[t.Side], f.at(t.At), t.Why))
		}
	}
	return out
}

// stagedWhy says how a change stands that a guard held back: it waits for a person, or a person has decided.
func (f *Facts) stagedWhy(t Trace) string {
	there := f.Systems[t.Side]
	switch t.Decision { //nolint:exhaustive // the others belong to other questions
	case record.Refusal:
		return fmt.Sprintf("%s rejected its change to %s, as part of %s: it is not made", t.By, there, t.Name)
	case record.Approved:
		return fmt.Sprintf("%s approved its change to %s, as part of %s: the next run makes it", t.By, there, t.Name)
	case record.Undecided:
	}
	return fmt.Sprintf("a guard holds its change to %s back since %s: %s", there, f.at(t.At), t.Why)
}

// stateWhy says what the state of an entry means, with the reason that is kept with it. It returns "" for a
// record in step, and where keptWhy says the same.
func (f *Facts) stateWhy(side record.Side) string {
	e := f.Sides[side].Entry
	words := stateWords(e.State, string(f.Systems[side]))
	switch {
	case e.State == record.Waiting && f.saysKept(e):
		return ""
	case e.State == record.Attached && e.Why != "":
		return e.Why // it names the record that stands for this one
	case e.State == record.InStep, e.State == record.Missed, e.State == record.Suspect, e.Why == "":
		return words
	}
	return words + ": " + e.Why
}

// saysKept reports whether keptWhy already says why an entry waits: its create is kept back.
func (f *Facts) saysKept(e record.Entry) bool {
	return slices.ContainsFunc(f.Kept, func(k record.KeptBack) bool { return k.Op == record.Create && k.Why == e.Why })
}

// stateWords says in words what a state means for a record of a system, "" for a record in step.
func stateWords(state record.EntryState, there string) string {
	switch state {
	case record.InStep:
		return ""
	case record.LeftOut:
		return there + " alone has it, and it is left out by rule"
	case record.Waiting:
		return "it waits"
	case record.Held:
		return "it waits for a person"
	case record.Refused:
		return "the other system refuses it"
	case record.Quarantined:
		return "it can't be read or written as it is"
	case record.Missed:
		return "a read by its id found nothing in " + there + "; nothing is believed before a complete list does not show it either"
	case record.Suspect:
		return "a complete list of " + there + " did not show it; it is to be read by its id before anything is believed"
	case record.Gone:
		return "it is not in " + there + " any more"
	case record.Stranger:
		return "its id names another record in " + there + " than the one that was linked"
	case record.OutOfScope:
		return "it is outside of what is read of " + there
	case record.Attached:
		return "another record of " + there + " stands for it"
	}
	return string(state)
}

// refusalWhys names each system that refused the last change sent to it.
func (f *Facts) refusalWhys() []string {
	var out []string
	for _, side := range record.Sides {
		for _, c := range slices.Backward(f.Changes) {
			if c.Side != side || c.State == record.Cancelled {
				continue
			}
			if c.State == record.Rejected {
				out = append(out, fmt.Sprintf("%s refused %s at %s: %s; nightporter quarantine shows whether and when it is asked again", f.Systems[side], fieldsOf(c), f.at(c.EndedAt), c.Error))
			}
			break
		}
	}
	return out
}

// undone names the fields that an undo put back, unless both sides hold the same by now. They are left so
// until either side is edited.
func (f *Facts) undone() []string {
	last := map[string]Change{}
	var order []string
	for _, c := range f.Changes {
		if c.State != record.Settled {
			continue
		}
		for _, l := range c.Lines {
			if _, known := last[l.Field]; !known {
				order = append(order, l.Field)
			}
			last[l.Field] = c
		}
	}
	var out []string
	for _, field := range order {
		c := last[field]
		if f.undoes(c) != 0 && f.differs(field) {
			out = append(out, fmt.Sprintf("%s was put back in %s by run %d, which undid run %d: it is left so until either side is edited",
				field, f.Systems[c.Side], c.Run, f.undoes(c)))
		}
	}
	return out
}

// differs reports whether both sides may hold different values.
func (f *Facts) differs(field string) bool {
	if f.Sides[0] == nil || f.Sides[1] == nil {
		return false
	}
	l, r := f.Sides[0].Fields[field], f.Sides[1].Fields[field]
	return !l.Observed() || !r.Observed() || !l.Equal(r)
}

// alike reports whether both records are known, and hold the same in each field that both show.
func (f *Facts) alike() bool {
	if f.Sides[0] == nil || f.Sides[1] == nil {
		return false
	}
	for field, l := range f.Sides[0].Fields {
		if r := f.Sides[1].Fields[field]; l.Observed() && r.Observed() && !l.Equal(r) {
			return false
		}
	}
	return true
}

// next returns the commands by which a person answers what waits for a person.
func (f *Facts) next() []string {
	var out []string
	for _, c := range f.Conflicts {
		if c.Closed.IsZero() && c.Choice == "" {
			out = append(out, fmt.Sprintf("nightporter conflicts show %d", c.ID))
		}
	}
	if c := f.lastOpen(); c != nil && c.State == record.Lost {
		out = append(out, "nightporter conflicts show "+c.ID)
	}
	for _, t := range f.Traces {
		if t.Kind == Staged && !t.Over && t.Decision == record.Undecided {
			out = append(out, "nightporter approve "+t.Name)
		}
	}
	return out
}
