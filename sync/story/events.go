package story

import (
	"fmt"
	"slices"

	"nightporter/sync/record"
)

// events returns everything that happened to the record, newest last.
func (f *Facts) events() []Event {
	out := []Event{}
	for _, side := range f.order() {
		e := f.Sides[side].Entry
		ref := e.Ref
		out = append(out, Event{
			At: Moment{e.Since}, Kind: EventSeen, System: f.Systems[side], Record: &ref,
			Text: fmt.Sprintf("%s was first seen", f.name(side)),
		})
	}
	if f.Link.ID != 0 {
		out = append(out, f.linked())
	}
	for _, c := range f.Changes {
		out = append(out, f.change(c))
	}
	for _, c := range f.Conflicts {
		out = append(out, f.conflict(c)...)
	}
	for _, a := range f.Alerts {
		out = append(out, Event{At: Moment{a.At}, Kind: EventAlert, Run: a.Run, Text: fmt.Sprintf("alert %s: %s", a.Kind, a.Text)})
	}
	for _, t := range f.Traces {
		out = append(out, f.trace(t))
	}
	slices.SortStableFunc(out, func(a, b Event) int { return a.At.Compare(b.At.Time) })
	return out
}

func (f *Facts) linked() Event {
	how := "they were found to be the same"
	for _, c := range f.Changes {
		if c.Op == record.Create && c.State == record.Settled && f.undoes(c) == 0 {
			how = fmt.Sprintf("one was made from the other by run %d", c.Run)
		}
	}
	return Event{At: Moment{f.Link.Made}, Kind: EventLinked, Text: fmt.Sprintf("%s were linked: %s", f.names(), how)}
}

// change tells one change of the journal as an event: an undo, a decision of a person, or a change that
// came from the other side.
func (f *Facts) change(c Change) Event {
	to, from := f.Systems[c.Side], f.Systems[c.Side.Other()]
	ref := c.Ref
	at := c.EndedAt
	if at.IsZero() {
		at = c.Made
	}
	ev := Event{
		At: Moment{at}, Kind: EventChange, Run: c.Run, Change: c.ID, Op: c.Op.String(), State: string(c.State),
		System: to, Record: &ref, Answer: f.answer(c),
	}
	for _, l := range c.Lines {
		ev.Fields = append(ev.Fields, Told{l.Field, Shown{l.Before}, Shown{l.After}, Shown{l.Loser}, l.Rule, l.Why})
	}
	undid := f.undoes(c)
	switch {
	case undid != 0:
		ev.Kind, ev.By = EventUndo, "a person, with nightporter undo"
		ev.Text = fmt.Sprintf("run %d undid run %d: %s %s in %s", c.Run, undid, verb(c), fieldsOf(c), to)
	case slices.ContainsFunc(c.Lines, func(l Line) bool { return l.Chosen }):
		ev.By = "a person, with nightporter conflicts resolve"
		ev.Text = fmt.Sprintf("run %d %s %s in %s, as a person decided", c.Run, verb(c), fieldsOf(c), to)
	case f.letGo(c):
		ev.By = "a person, with nightporter conflicts resolve"
	default:
		ev.From = from
		ev.By = fmt.Sprintf("not known: %s does not tell who changes a record", from)
		ev.Text = fmt.Sprintf("run %d %s %s in %s, from %s: %s", c.Run, verb(c), fieldsOf(c), to, from, c.Reason)
	}
	if c.Op == record.Create || c.Op == record.Delete {
		ev.Text = fmt.Sprintf("run %d %s the record in %s: %s", c.Run, verb(c), to, c.Reason)
	}
	return ev
}

// goesToo is the answer of a person that the record across goes, too.
const goesToo = "delete"

// letGo reports whether a change carries over that the record across is gone, as a person decided: they said so after
// they were asked, and before the change was made.
func (f *Facts) letGo(c Change) bool {
	if c.Op == record.Create {
		return false
	}
	return slices.ContainsFunc(f.Conflicts, func(q record.Question) bool {
		return q.Field == record.WholeRecord && q.Value.Text() == goesToo && !q.Chosen.After(c.Made) && (q.Closed.IsZero() || !q.Closed.Before(c.Made))
	})
}

// verb says what a change did or, if it is not settled, was to do.
func verb(c Change) string {
	done := c.State == record.Settled
	switch c.Op {
	case record.Create:
		if done {
			return "created"
		}
		return "was to create"
	case record.Delete:
		if done {
			return "deleted"
		}
		return "was to delete"
	case record.Update, record.Action:
	}
	if done {
		return "wrote"
	}
	return "was to write"
}

// answer says what the system answered to a change, or what is known without an answer.
func (f *Facts) answer(c Change) string {
	to := f.Systems[c.Side]
	switch c.State {
	case record.Settled:
		if c.Adopted {
			return fmt.Sprintf("%s did not answer, and a look-up found it done", to)
		}
		return fmt.Sprintf("%s answered that it is done", to)
	case record.Rejected:
		return fmt.Sprintf("%s said no: %s", to, c.Error)
	case record.Cancelled:
		if c.SentAt.IsZero() {
			return "nothing was sent: " + c.Error
		}
		if c.Class == record.EndedByLink {
			return "no answer: " + c.Error
		}
		if c.Op == record.Create && c.Class == "" { // a record that was made and removed at once is not found either
			return "no record was found that it made: " + c.Error
		}
		if c.Class == "" { // a change that was done and edited at once looks the same
			return "no answer, and a look-up did not find it done: " + c.Error
		}
		return "it was not applied: " + c.Error
	case record.Lost:
		return "no answer, and nobody can know whether it arrived"
	case record.Sent:
		return "no answer yet"
	}
	return string(c.State)
}

// conflict tells when a question was asked, answered and closed.
func (f *Facts) conflict(c record.Question) []Event {
	told := []Told{{Field: c.Field, Rule: string(c.Cause), Why: c.Why}}
	out := []Event{{
		At: Moment{c.Opened}, Kind: EventConflict, Run: c.Run, Fields: told,
		Text: fmt.Sprintf("conflict %d about %s: %s%s", c.ID, c.Field, c.Why, f.bothValues(c)),
	}}
	if c.Choice != "" {
		out = append(out, Event{
			At: Moment{c.Chosen}, Kind: EventDecided, By: "a person, with nightporter conflicts resolve",
			Text: fmt.Sprintf("a person decided conflict %d about %s: %s", c.ID, c.Field, f.choice(c)),
		})
	}
	if !c.Closed.IsZero() {
		out = append(out, Event{At: Moment{c.Closed}, Kind: EventClosed, Text: fmt.Sprintf("conflict %d about %s was closed", c.ID, c.Field)})
	}
	return out
}

func (f *Facts) bothValues(c record.Question) string {
	if !c.Left.Observed() && !c.Right.Observed() {
		return ""
	}
	return fmt.Sprintf(" (%s: %s, %s: %s)", f.Systems[0], Shown{c.Left}, f.Systems[1], Shown{c.Right})
}

func (f *Facts) trace(t Trace) Event {
	ev := Event{At: Moment{t.At}, Kind: t.Kind, Run: t.Run, System: f.Systems[t.Side], Text: t.Why}
	switch t.Kind {
	case Staged:
		ev.Text = fmt.Sprintf("a guard held its change to %s back, as part of %s: %s", f.Systems[t.Side], t.Name, t.Why)
	case Forgiven:
		ev.Text, ev.By = fmt.Sprintf("what %s had refused was to be asked again", f.Systems[t.Side]), t.Name
		if !t.Till.IsZero() {
			ev.At, ev.Text = Moment{t.Till}, fmt.Sprintf("a person wanted to hear no more of what %s refuses", f.Systems[t.Side])
		}
	case Tombstone:
		ev.Text = fmt.Sprintf("it was found to be gone from %s: %s", f.Systems[t.Side], t.Why)
	case Quarantine:
		ev.Text = fmt.Sprintf("it could not be read in %s: %s", f.Systems[t.Side], t.Why)
	}
	return ev
}
