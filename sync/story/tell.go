package story

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"nightporter/sync/record"
)

// Tell returns the story of a record: how the record stands, and what happened to it.
func Tell(f Facts) Story {
	if f.Zone == nil {
		f.Zone = time.UTC
	}
	s := Story{Job: f.Job, Why: f.whys(), Next: f.next(), Notes: f.notes(), Events: f.events()}
	s.InStep = len(s.Why) == 0 && f.Link.ID != 0
	for _, side := range f.order() {
		k := f.Sides[side]
		s.Records = append(s.Records, Teller{
			System: f.Systems[side], Record: k.Entry.Ref, State: k.Entry.State, Since: Moment{k.Entry.Since}, Fields: shownFields(k.Fields),
		})
	}
	s.Sentence = f.sentence(s)
	return s
}

// order returns the sides that have a known record, beginning with the side of the record that was asked for.
func (f *Facts) order() []record.Side {
	var out []record.Side
	for _, side := range []record.Side{f.Asked, f.Asked.Other()} {
		if f.Sides[side] != nil {
			out = append(out, side)
		}
	}
	return out
}

// name returns the name of a side's record in sentences.
func (f *Facts) name(side record.Side) string {
	return fmt.Sprintf("%s of %s", f.Sides[side].Entry.Ref, f.Systems[side])
}

func (f *Facts) names() string {
	var parts []string
	for _, side := range f.order() {
		parts = append(parts, f.name(side))
	}
	return strings.Join(parts, " and ")
}

func (f *Facts) at(t time.Time) string { return record.Moment(t, f.Zone) }

func (f *Facts) sentence(s Story) string {
	switch {
	case len(f.order()) == 0:
		return "nothing is known of it"
	case f.Link.ID == 0 && len(s.Why) == 0 && f.PutBack:
		return fmt.Sprintf("%s has no partner in %s that is known: the state was put back to an older copy, and it is decided once both sides were read whole since then",
			f.names(), f.Systems[f.Asked.Other()])
	case f.Link.ID == 0 && len(s.Why) == 0 && f.unanswered() != nil:
		return fmt.Sprintf("%s has no partner in %s that is known: it was to be made there at %s, no answer came, and the next runs find out whether it was",
			f.names(), f.Systems[f.Asked.Other()], f.at(f.unanswered().SentAt))
	case f.Link.ID == 0 && len(s.Why) == 0:
		return fmt.Sprintf("%s has no partner in %s yet: the next run decides about it", f.names(), f.Systems[f.Asked.Other()])
	case f.Link.ID == 0:
		return fmt.Sprintf("%s is not in step: %s", f.names(), s.Why[0])
	case len(s.Why) > 0:
		return fmt.Sprintf("%s are not in step: %s", f.names(), s.Why[0])
	}
	return f.names() + " are in step" + f.apart() + f.lately()
}

// apart names the enum fields in which the records differ although nothing is to be written, "" for none.
func (f *Facts) apart() string {
	if len(f.Apart) == 0 {
		return ""
	}
	return fmt.Sprintf(", but for %s: each side shows another word, and neither changed it since they were settled", strings.Join(f.Apart, ", "))
}

// lately says what was written last.
func (f *Facts) lately() string {
	last := f.lastSettled(func(Change) bool { return true })
	if last == nil {
		return fmt.Sprintf(" since they were linked at %s, and nothing was ever written to either", f.at(f.Link.Made))
	}
	what := fmt.Sprintf("; last written at %s by run %d: ", f.at(last.EndedAt), last.Run)
	if last.Op == record.Create {
		return what + fmt.Sprintf("it was created in %s, because %s", f.Systems[last.Side], last.Reason)
	}
	return what + fmt.Sprintf("%s in %s, because %s", fieldsOf(*last), f.Systems[last.Side], f.because(*last))
}

// because returns why a change was made: the reason that all its fields have in common, or else its own.
func (f *Facts) because(c Change) string {
	why := ""
	for i, l := range c.Lines {
		if i > 0 && l.Why != why {
			return c.Reason
		}
		why = l.Why
	}
	if why == "" {
		return c.Reason
	}
	return why
}

func fieldsOf(c Change) string {
	var names []string
	for _, l := range c.Lines {
		names = append(names, l.Field)
	}
	if len(names) == 0 {
		return "the record"
	}
	return strings.Join(names, ", ")
}

// lastSettled returns the last settled change for which is returns true, nil for none.
func (f *Facts) lastSettled(is func(Change) bool) *Change {
	for i, c := range slices.Backward(f.Changes) {
		if c.State == record.Settled && is(c) {
			return &f.Changes[i]
		}
	}
	return nil
}

// unanswered returns the create that was sent and not answered yet, nil for none. Nobody knows whether it was
// carried out.
func (f *Facts) unanswered() *Change {
	for i, c := range f.Changes {
		if c.State == record.Sent && c.Op == record.Create {
			return &f.Changes[i]
		}
	}
	return nil
}

// undoes returns the run that was undone by the run of the change, 0 for none.
func (f *Facts) undoes(c Change) int64 { return f.Runs[c.Run].Undoes }

// notes returns what else must be known to understand the story, mostly what is not known: values kept as
// digests, writes that no read has shown yet, who changed a record last, records that are unfinished, and
// how far back the journal goes.
func (f *Facts) notes() []string {
	var out []string
	if f.Digests {
		out = append(out, "values of this job are kept as digests: what a field held is not known here, only whether it changed")
	}
	for _, side := range f.order() {
		if sent := f.Sides[side].Sent; len(sent) > 0 {
			out = append(out, fmt.Sprintf("no read of %s shows %s since it was written there: whether it arrived is not known",
				f.Systems[side], strings.Join(sent, ", ")))
		}
		if by := f.Sides[side].ChangedBy; by != "" {
			out = append(out, fmt.Sprintf("%s says that it was changed there last by %s", f.Systems[side], by))
		}
		if note := f.unfinished(side); note != "" {
			out = append(out, note)
		}
	}
	if f.Keeps > 0 && len(f.order()) > 0 {
		from := f.Now.Add(-f.Keeps)
		for _, side := range f.order() {
			if f.Sides[side].Entry.Since.Before(from) {
				out = append(out, fmt.Sprintf("the journal goes back to %s: what was before that is not known any more", from.In(f.Zone).Format(time.DateOnly)))
				break
			}
		}
	}
	return out
}
