package engine

import (
	"fmt"
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
