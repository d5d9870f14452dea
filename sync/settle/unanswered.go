package settle

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/apply"
	"nightporter/sync/findings"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// If the answer to an update does not tell its outcome, the update is looked up, and sent again. From the second
// time on, the update and the answer are noted as a finding, and it is sent ever more seldom: other changes go
// before it.

// FindUnanswered notes that the answer to a trial does not tell what became of it: all other updates of its kind
// wait.
func (r *Room) FindUnanswered(a plan.Action, out apply.Outcome) {
	if a.Link != 0 && !findings.SaidYes(out.Err) && r.Trials.Under(record.Intent{Place: r.Place(a.Side), Change: a.Change}) != nil {
		r.FindAnswer(record.FindUnanswered, a, out.Err)
	}
}

// findUnmadeChange notes a change that was not made, if its system gave an answer that did not tell so. A change
// without any answer is not noted: that is one that we did not wait for.
func (r *Room) findUnmadeChange(in record.Intent) {
	if in.Class == "" || in.Link == 0 {
		return
	}
	f := run.FindingOf(record.FindUnanswered, plan.Action{Side: in.Place.Side, Link: in.Link, Change: in.Change, Fields: in.Fields})
	f.Text, f.Asked = in.Error, in.SentAt
	if f.Text == "" {
		f.Text = in.Class
	}
	r.NoteStanding(f)
}

// askUnanswered asks a person about the fields of an update without an answer that a user may have edited since.
// There are three kinds.
//
// A field that is empty now: if it was emptied before the update arrived, it gives way to the value across; if it
// was emptied after that, it does not.
//
// A field that stands as before, if the update may have arrived. A new version of the record shows that, unless
// another edit explains it; so does the rest of what was sent.
//
// A field that holds what was sent, if the record across holds something else, as after an undo.
func (r *Room) askUnanswered(ctx context.Context, in record.Intent, now record.Record) error {
	e, _, err := r.store.Entry(ctx, in.Place, in.Change.Ref)
	if err != nil {
		return err
	}
	arrived := r.mayHaveArrived(in, e, now)
	var paths []string
	for p := range in.Change.Fields {
		if r.mayBeEdited(in, p, now.Fields, arrived) {
			paths = append(paths, p)
		}
	}
	return r.trials.AskChanged(ctx, in.Place, in.Change.Ref, paths, now.Fields, plan.Unanswered)
}

// mayHaveArrived reports whether an update without an answer may have been done: the record has another version, and
// nothing else in it was edited, or it holds a value that was sent and did not stand there before.
func (r *Room) mayHaveArrived(in record.Intent, e record.Entry, now record.Record) bool {
	moved := in.Change.Version != "" && now.Version != "" && now.Version != in.Change.Version
	if moved && !r.editedBeside(in, e, now.Fields) {
		return true
	}
	for p, sent := range in.Change.Fields {
		if was := in.Change.Before[p]; was.Observed() && !was.Equal(sent) && r.holdsAt(in, p, now.Fields) {
			return true
		}
	}
	return false
}

// holdsAt reports whether a record holds what a change sent to a path.
func (r *Room) holdsAt(in record.Intent, p string, now record.Fields) bool {
	return r.match.HoldsSent(in.Place.Side, record.Fields{p: in.Change.Fields[p]}, now)
}

// mayBeEdited reports whether a user may have edited a field since an update without an answer was sent: it was
// emptied, or put back, or it holds what was sent, which a user may have entered as well. arrived says that the
// update may have been done.
func (r *Room) mayBeEdited(in record.Intent, p string, now record.Fields, arrived bool) bool {
	was, sent, is := in.Change.Before[p], in.Change.Fields[p], now[p]
	if !was.Observed() || !is.Observed() {
		return false
	}
	if r.holdsAt(in, p, now) {
		return !is.Equal(was)
	}
	emptied := !was.Empty() && !sent.Empty() && is.Empty()
	return emptied || arrived && is.Equal(was)
}

// editedBeside reports whether a record holds another value than was settled, at a path that a change was not to
// write.
func (r *Room) editedBeside(in record.Intent, e record.Entry, now record.Fields) bool {
	return slices.ContainsFunc(r.Job.Mapping.Paths(in.Place.Side), func(p string) bool {
		_, sent := in.Change.Fields[p]
		return !sent && e.Base[p].Known() && now[p].Observed() && !r.AsSettled(e.Base[p], now[p])
	})
}

// unansweredOf returns the finding about a change that got no answer before; false if there is none.
func (r *Room) unansweredOf(a plan.Action) (record.Finding, bool) {
	k := run.FindingOf(record.FindUnanswered, a).For()
	if f, ok := r.Found.Fresh[k]; ok && a.Link != 0 {
		return f, true
	}
	f, ok := r.Found.Known[k]
	return f, ok && a.Link != 0
}

// AwaitsAnswer reports whether a change that got no answer must still wait before it is sent again.
func (r *Room) AwaitsAnswer(a plan.Action) bool {
	f, ok := r.unansweredOf(a)
	if !ok || f.About != run.FindingOf(record.FindUnanswered, a).About {
		return false
	}
	at := plan.AgainUnanswered(f.Since, f.Asked)
	if !time.Now().Before(at) {
		return false
	}
	r.Count("postponed", 1)
	r.NoteFinding(f)
	r.Note(a.Side, a.Change.Ref, record.Waiting, fmt.Sprintf("%s did not answer it since %s so that its outcome is known: it is sent again after %s",
		r.Side(a.Side).System, f.Since.In(r.Zone()).Format(time.DateTime), at.In(r.Zone()).Format(time.DateTime)))
	return true
}

// stillUnanswered keeps the finding about a change for as long as the change is open.
func (r *Room) stillUnanswered(in record.Intent) {
	k := record.For{Side: in.Place.Side, Link: in.Link, Name: record.FindUnanswered}
	if f, known := r.Found.Known[k]; known && in.Link != 0 {
		r.NoteFinding(f)
	}
}

// GoesLast reports whether changes with such a finding are sent after all others.
func GoesLast(k record.For) bool {
	return k.Name == record.FindVerb || k.Name == record.FindUnanswered && k.Link != 0
}
