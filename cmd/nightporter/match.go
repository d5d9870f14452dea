package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// leftOut is the answer that leaves a record out.
const leftOut = "leave"

// matchAnswers is what can be said to a question about which record is the same, as it is typed.
func matchAnswers(a plan.Answers) string {
	var words []string
	if a.With() {
		words = append(words, "--with RECORD-ID")
	}
	if a.Create() {
		words = append(words, "--create")
	}
	return strings.Join(append(words, "--leave"), " | ")
}

// otherwise is what can be done in place of an answer that is not possible, "" where all are.
func otherwise(a plan.Answers, systems [2]record.System) string {
	if a == plan.AnyAnswer {
		return ""
	}
	return fmt.Sprintf("or change what is alike, or merge the two, in %s or %s: the next sync looks again", systems[0], systems[1])
}

// decideMatch takes the id of a record, or a word that stands for none.
func decideMatch(ctx context.Context, s *state.Store, cfg *config.Config, x record.Question, f resolveFlags) (decision, error) {
	choose := func(text, words string) (decision, error) {
		return decision{choice: "value", value: record.OfText(text), words: words}, nil
	}
	can := plan.Answers(x.Choices)
	switch {
	case f.create && !can.Create():
		return decision{}, fmt.Errorf("none can be made of it: say %s; %s", matchAnswers(can), otherwise(can, systemsOf(cfg, x.Binding)))
	case f.create:
		return choose("create", "it is none of them; the next sync creates it")
	case f.leave:
		return choose(leftOut, fmt.Sprintf("it is left out, until nightporter conflicts resolve %d --undo", x.ID))
	case f.with == "":
		return decision{}, errors.New("say " + matchAnswers(can))
	}
	e, ok, err := s.EntryNum(ctx, x.Entry)
	if err != nil || !ok {
		return decision{}, err
	}
	j, _ := cfg.Job(string(x.Binding))
	to := [2]config.JobSide{j.Left, j.Right}[e.Place.Side.Other()]
	at := record.Place{Binding: x.Binding, Side: e.Place.Side.Other()}
	o, ok, err := s.Entry(ctx, at, record.Ref{Kind: record.Kind(to.Kind), ID: idOf(record.Kind(to.Kind), f.with)})
	switch {
	case err != nil:
		return decision{}, err
	case !ok:
		return decision{}, fmt.Errorf("%s has no %s:%s that we know of", to.System, to.Kind, f.with)
	}
	same := fmt.Sprintf("it is the same as %s of %s", o.Ref, to.System)
	if o.Link == 0 {
		return choose(o.Ref.ID, same+"; the next sync links them")
	}
	p, alone, err := goesAlone(ctx, s, o)
	if err != nil {
		return decision{}, err
	}
	if !alone {
		return decision{}, takenBy(ctx, s, cfg, x, o)
	}
	return choose(o.Ref.ID, fmt.Sprintf("%s, which was linked to %s; the next sync ends that link and links the two", same, p.Sides[e.Place.Side].Ref))
}

// goesAlone returns the ended link of a record that goes its own way: the record that it was linked to is gone, and
// nobody is asked about the link. It returns false for any other record.
func goesAlone(ctx context.Context, s *state.Store, e record.Entry) (record.Pair, bool, error) {
	p, ok, err := s.Pair(ctx, e.Link)
	if err != nil || !ok || !p.GoesAlone(e.Place.Side) {
		return p, false, err
	}
	open, err := s.Choices(ctx, e.Link)
	_, asked := open[engine.RecordField]
	return p, !asked, err
}

// matchMeans is what each answer does to a question about which record is the same, one line an answer.
func matchMeans(x conflictJSON, cause record.Cause, a plan.Answers) []string {
	var means []string
	other := x.across()
	if a.With() {
		means = append(means, fmt.Sprintf("--with RECORD-ID: it is the same as that record of %s; the two are linked and kept in step", other))
	}
	if a.Create() {
		means = append(means, fmt.Sprintf("--create: it is none of them; %s gets a new record", other))
	}
	means = append(means, fmt.Sprintf("--leave: it is left out, until nightporter conflicts resolve %d --undo", x.ID))
	if cause == engine.WasGone {
		means = append(means, "or "+x.removeThere())
	}
	return means
}

// removeThere is what to do about a record without a link that is to go: we delete no record that has no partner.
func (x conflictJSON) removeThere() string {
	for _, system := range x.Systems {
		if ref, has := x.Records[system]; has {
			return fmt.Sprintf("if it is to go: delete %s in %s yourself, and the question is over once a sync finds that it is gone", ref, system)
		}
	}
	return ""
}

// across is the system that lacks a record without a link.
func (x conflictJSON) across() record.System {
	for _, system := range x.Systems {
		if _, has := x.Records[system]; !has {
			return system
		}
	}
	return ""
}

// takenBy says why a record can't be the one that a question is about: it has a partner. Where
// that is gone, what is to be decided first is named.
func takenBy(ctx context.Context, s *state.Store, cfg *config.Config, x record.Question, o record.Entry) error {
	pair, _, err := s.Pair(ctx, o.Link)
	if err != nil {
		return err
	}
	systems, here := systemsOf(cfg, x.Binding), o.Place.Side.Other()
	partner := pair.Sides[here]
	taken := fmt.Sprintf("%s of %s is linked to another record already, %s of %s", o.Ref, systems[o.Place.Side], partner.Ref, systems[here])
	if partner.State == record.Gone {
		open, err := s.Choices(ctx, o.Link)
		if err != nil {
			return err
		}
		for _, q := range open {
			return fmt.Errorf("%s, which is gone: decide that first. nightporter conflicts resolve %d --create frees it, and the next sync looks again", taken, q.ID)
		}
	}
	return fmt.Errorf("%s: say %s; or merge the two there, or change what is alike, and the next sync looks again", taken, matchAnswers(plan.Answers(x.Choices)))
}

// askAgain takes back that a record was left out.
func (c *cli) askAgain(ctx context.Context, s *state.Store, x record.Question) error {
	if err := s.AskAgain(ctx, x.ID); err != nil {
		return err
	}
	if err := hintOf(ctx, s, x); err != nil {
		return err
	}
	return tell(c.out, "conflict %d: the decision is taken back; the next sync asks again where it must\n", x.ID)
}
