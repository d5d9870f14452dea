package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// An update that gets no answer by which its outcome is known is looked up, and sent again. From the second
// time on it is named, with the answer, and asked for ever more seldom: others go before it.

// findUnanswered notes the answer to a trial by which nobody knows what became of it: all others wait.
func (r *run) findUnanswered(a plan.Action, out apply.Outcome) {
	if a.Link != 0 && !saidYes(out.Err) && r.trials.under(record.Intent{Place: r.place(a.Side), Change: a.Change}) != nil {
		r.findAnswer(record.FindUnanswered, a, out.Err)
	}
}

// findUnmadeChange notes that a change was not made of which its system gave no answer that tells so.
// One without any answer is one that we did not wait for.
func (r *run) findUnmadeChange(in record.Intent) {
	if in.Class == "" || in.Link == 0 {
		return
	}
	f := findingOf(record.FindUnanswered, plan.Action{Side: in.Place.Side, Link: in.Link, Change: in.Change, Fields: in.Fields})
	f.Text, f.Asked = in.Error, in.SentAt
	if f.Text == "" {
		f.Text = in.Class
	}
	r.noteStanding(f)
}

// askUnanswered asks a person about the fields of an update without an answer that a user may have edited
// since. There are three kinds. A field that is empty now: it was emptied before the update arrived, and
// gives way to the value across, or after, and does not. A field that stands as before, if the update may
// have arrived: a new version shows that, unless another edit explains it, or the rest of what was sent. A
// field that holds what was sent, if the record across holds something else, as after an undo.
func (r *run) askUnanswered(ctx context.Context, in record.Intent, now record.Record) error {
	var paths []string
	e, _, err := r.Store.Entry(ctx, in.Place, in.Change.Ref)
	if err != nil {
		return err
	}
	moved := in.Change.Version != "" && now.Version != "" && now.Version != in.Change.Version
	arrived := moved && !r.editedBeside(in, e, now.Fields)
	holds := func(p string, sent record.Value) bool {
		return r.holdsSent(in.Place.Side, record.Fields{p: sent}, now.Fields)
	}
	for p, sent := range in.Change.Fields {
		was := in.Change.Before[p]
		arrived = arrived || was.Observed() && !was.Equal(sent) && holds(p, sent)
	}
	for p, sent := range in.Change.Fields {
		was, is := in.Change.Before[p], now.Fields[p]
		emptied := !was.Empty() && !sent.Empty() && is.Empty()
		back, ours := arrived && is.Equal(was), !is.Equal(was) && holds(p, sent)
		if was.Observed() && is.Observed() && (ours || (emptied || back) && !holds(p, sent)) {
			paths = append(paths, p)
		}
	}
	return r.askChanged(ctx, in.Place, in.Change.Ref, paths, now.Fields, plan.Unanswered)
}

// editedBeside reports whether a record holds something else than was settled, besides what a change was
// to write.
func (r *run) editedBeside(in record.Intent, e record.Entry, now record.Fields) bool {
	return slices.ContainsFunc(r.job.Mapping.Paths(in.Place.Side), func(p string) bool {
		_, sent := in.Change.Fields[p]
		return !sent && e.Base[p].Known() && now[p].Observed() && !r.asSettled(e.Base[p], now[p])
	})
}

// unansweredOf is what is known of a change that got no answer before.
func (r *run) unansweredOf(a plan.Action) (record.Finding, bool) {
	k := findingOf(record.FindUnanswered, a).For()
	if f, ok := r.found.fresh[k]; ok && a.Link != 0 {
		return f, true
	}
	f, ok := r.found.known[k]
	return f, ok && a.Link != 0
}

// awaitsAnswer reports whether it is not time yet to send a change again that got no answer.
func (r *run) awaitsAnswer(a plan.Action) bool {
	f, ok := r.unansweredOf(a)
	if !ok || f.About != findingOf(record.FindUnanswered, a).About {
		return false
	}
	at := plan.AgainUnanswered(f.Since, f.Asked)
	if !time.Now().Before(at) {
		return false
	}
	r.count("postponed", 1)
	r.noteFinding(f)
	r.note(a.Side, a.Change.Ref, record.Waiting, fmt.Sprintf("%s did not answer it since %s so that its outcome is known: it is sent again after %s",
		r.side(a.Side).System, f.Since.In(r.zone()).Format(time.DateTime), at.In(r.zone()).Format(time.DateTime)))
	return true
}

// stillUnanswered keeps what was found of a change for as long as it is open.
func (r *run) stillUnanswered(in record.Intent) {
	k := record.For{Side: in.Place.Side, Link: in.Link, Name: record.FindUnanswered}
	if f, known := r.found.known[k]; known && in.Link != 0 {
		r.noteFinding(f)
	}
}

// goesLast reports whether those of which something was found are asked for after all others.
func goesLast(k record.For) bool {
	return k.Name == record.FindVerb || k.Name == record.FindUnanswered && k.Link != 0
}
