package run

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
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// FindingStore keeps why records, and whole kinds, are not written as they should be.
type FindingStore interface {
	// Findings returns the findings that are not over.
	Findings(ctx context.Context, b record.Binding) ([]record.Finding, error)
	// KeepFindings stores what a run found, and forgets what is over.
	KeepFindings(ctx context.Context, l record.Lease, found []record.Finding, over []record.For) error
}

// About is what a finding is about: a link, or a record without one, or a whole side if both are 0.
type About struct {
	Side  record.Side // the side that would be written
	Link  record.LinkID
	Entry int64
}

// Found is what a run has found, and what is known of what earlier runs found.
type Found struct {
	Known   map[record.For]record.Finding // findings that stood when the run began
	Fresh   map[record.For]record.Finding
	Done    map[About]bool // written in this run
	Pending map[About]bool // planned in this run, and not written
	Decided map[About]bool
	All     bool // every link that is not as it should be was decided
	Verbs   [2]map[record.Op]string
	Unheard [2]int  // writes in a row without an answer that tells what became of them
	Heard   [2]bool // a write was answered
	Stand   bool    // something waits until a person mends it
}

// NoteFinding notes why something is not written as it should be. A finding that is known already keeps
// its beginning, and its words where there are no new ones.
func (r *Run) NoteFinding(f record.Finding) {
	f.Place.Binding = r.Job.Binding
	if was, known := r.Found.Known[f.For()]; known {
		f.Since, f.Text, f.About = was.Since, cmp.Or(f.Text, was.Text), cmp.Or(f.About, was.About)
	} else {
		f.Since = time.Now()
	}
	if before, twice := r.Found.Fresh[f.For()]; twice && before.About != f.About && before.About != "" && f.About != "" {
		f.About = before.About + ", " + f.About
	}
	r.Found.Fresh[f.For()] = f
}

// NoteStanding notes a finding that is still as it was. If it is known already, it keeps the words that
// it was first found with.
func (r *Run) NoteStanding(f record.Finding) {
	if was, known := r.Found.Known[f.For()]; known {
		f.Text = was.Text
	}
	r.NoteFinding(f)
}

// FindingOf is a finding about an action.
func FindingOf(name record.FindingName, a plan.Action) record.Finding {
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

// FindAnswer notes what a system answered to an action.
func (r *Run) FindAnswer(name record.FindingName, a plan.Action, err error) {
	f := FindingOf(name, a)
	f.Text, f.Asked = CauseOfError(err), time.Now()
	if named := NamedBy(err); len(named) > 0 {
		f.About = strings.Join(named, ", ")
	}
	r.NoteFinding(f)
}

// CauseOfError is the text of an error without the record that it is about, so that it is the same for many records.
func CauseOfError(err error) string {
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

// NamedBy is the native fields that a refusal names.
func NamedBy(err error) []string {
	if e, ok := errors.AsType[*connectors.Error](err); ok {
		return e.Fields
	}
	return nil
}

// VerbRefused notes that a system does not take changes of this operation at all, whatever the record.
// No more of them are sent to the side in this run.
func (r *Run) VerbRefused(a plan.Action, out apply.Outcome) {
	if r.Found.Verbs[a.Side] == nil {
		r.Found.Verbs[a.Side] = map[record.Op]string{}
	}
	r.Found.Verbs[a.Side][a.Change.Op] = CauseOfError(out.Err)
	r.Count("refused", 1)
	r.FindAnswer(record.FindVerb, a, out.Err)
	r.Note(a.Side, a.Change.Ref, record.Quarantined, fmt.Sprintf("%s does not take this: %v", r.Side(a.Side).System, out.Err))
}
