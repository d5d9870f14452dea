package proof

import (
	"context"
	"fmt"
	"strings"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// BeliedOnly keeps a finding about a create without an answer of which lists prove nothing, and asks a person once
// the wait for that is over. belied is how many lists lacked records that are there; below two it does nothing.
func (r *Room) BeliedOnly(ctx context.Context, in record.Intent, source record.Ref, belied int) error {
	side := in.Place.Side
	from := in.SentAt.Add(r.Side(side).Settle + run.BeliedFor)
	switch {
	case belied < 2:
		return nil
	case time.Now().After(from):
		return r.Lose(ctx, in, "lists do not show it, and none proves anything: "+r.observe.Belies(side, belied))
	}
	var rules []string
	for _, rule := range r.Job.Match {
		rules = append(rules, run.JoinFields(rule))
	}
	f := run.FindingOf(record.FindUnproven, plan.Action{Side: side, From: in.From, Source: source, Change: in.Change})
	f.About = strings.Join(rules, ", ")
	answer := "its answer to a create was lost"
	if run.SaidDone(in) {
		answer = "it said that a create is done, and not what it made"
	}
	f.Text = fmt.Sprintf("%s, and its lists do not tell whether the record is there: %s. A person is asked after %s", answer,
		r.observe.Belies(side, belied), from.In(r.Zone()).Format(time.DateTime))
	r.NoteStanding(f)
	return nil
}
