package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// kindRecord is a question about a whole record: one that is gone on one side, came
// back, or has become another.
const kindRecord = "record"

// goneAnswers is what can be said to a question about a whole record, as it is typed.
func goneAnswers(x record.Question) string {
	words := questionAnswers(away.Question(x.Cause))
	if len(x.Rests.Anew) > 1 {
		words += " | --with RECORD-ID"
	}
	return words
}

func questionAnswers(q away.Question) string {
	switch q {
	case away.AskReturned:
		return "--same | --leave"
	case away.AskForeign:
		return "--create | --same | --leave"
	case away.AskUnable:
		return "--leave | --create"
	case away.AskGone, away.AskEdited, away.AskAlone, away.AskRefused, away.AskMerged, away.AskNamed, away.AskAnew:
	}
	return "--delete | --leave | --create"
}

// decideGone reads what is to become of a link of which a record is gone.
func decideGone(ctx context.Context, s *state.Store, cfg *config.Config, x record.Question, args []string, f resolveFlags) (decision, error) {
	say := errors.New("this is about a whole record: say " + goneAnswers(x))
	if len(args) > 0 || f.value != "" || f.always {
		return decision{}, say
	}
	if f.with != "" {
		return decideNewcomer(x, systemsOf(cfg, x.Binding), f.with, say)
	}
	systems, other := systemsOf(cfg, x.Binding), ""
	lacking := lackedBy(x, systems)
	pair, ok, err := s.Pair(ctx, x.Link)
	if err != nil {
		return decision{}, err
	}
	if ok {
		for side, v := range [2]record.Value{x.Left, x.Right} {
			if word := v.Text(); word == "there" || word == "edited" || word == engine.RefusedToGo {
				other = fmt.Sprintf("%s of %s", pair.Sides[side].Ref, systems[side])
			}
		}
	}
	choose := func(c away.GoneChoice, words string) (decision, error) {
		return decision{choice: "value", value: record.OfText(string(c)), words: words}, nil
	}
	again := away.Question(x.Cause) == away.AskReturned || away.Question(x.Cause) == away.AskForeign
	unable := away.Question(x.Cause) == away.AskUnable
	switch {
	case f.same && again:
		return choose(away.ChooseSame, sameMeans(lacking)+"; the next sync does it")
	case f.leave:
		return choose(away.ChooseLeave, leaveMeans(lacking))
	case f.create && away.Question(x.Cause) == away.AskForeign:
		return choose(away.ChooseAnew, anotherMeans+"; the next sync does it")
	case f.remove && !again && !unable:
		return choose(away.ChooseCarry, fmt.Sprintf("%s goes, too, deleted or put aside as the job says; the next sync does it", other))
	case f.create && !again:
		return choose(away.ChooseAnew, fmt.Sprintf("%s stays: %s; the next sync does it", other, anewMeans))
	}
	return decision{}, say
}

// decideNewcomer reads which of several records is the one that is gone, entered anew.
func decideNewcomer(x record.Question, systems [2]record.System, with string, say error) (decision, error) {
	var ids []string
	for _, ref := range record.RefsOf(x.Rests.Anew) {
		if ref.ID == idOf(ref.Kind, with) {
			return decision{choice: "value", value: record.OfText(ref.ID), words: fmt.Sprintf(
				"%s of %s is the one that is gone, entered anew; the next sync joins the two", ref, lackedBy(x, systems))}, nil
		}
		ids = append(ids, ref.ID)
	}
	if len(ids) == 0 {
		return decision{}, say
	}
	return decision{}, fmt.Errorf("%s is none of those that may be the one that is gone: say --with %s", with, strings.Join(ids, " or --with "))
}

// lackedBy is the system that does not have its record any more, "" if both have one.
func lackedBy(x record.Question, systems [2]record.System) record.System {
	for side, v := range [2]record.Value{x.Left, x.Right} {
		if v.Text() == "gone" {
			return systems[side]
		}
	}
	return ""
}

// sameMeans is what is done with a record of which a person says that it is the one that was
// linked, where the other system may lack its own.
func sameMeans(lacking record.System) string {
	if lacking == "" {
		return "it is the same record: both go on as a pair"
	}
	return fmt.Sprintf("it is the same record, and it stays: %s does not have it any more, so it is made anew there, where the job makes records", lacking)
}

func leaveMeans(lacking record.System) string {
	if lacking == "" {
		return "both stay as they are, and nothing is carried over between them any more"
	}
	return fmt.Sprintf("it stays as it is, %s gets none, and nothing is carried over between them any more", lacking)
}

// anotherMeans is what is done with a record of which a person says that it is another one than was
// linked under its id.
const anotherMeans = "it is another record: it is found or made on the other side like any new one, and what becomes of the one that was linked there is asked"

// anewMeans is what is done with a record of which a person says that the missing one is to be there
// again.
const anewMeans = "it is joined with a record across that agrees with it by a match rule, and where there is none the missing one is made anew, where the job makes records"

// answersMean is what each answer does to a question about a whole record, one line an answer.
func answersMean(x record.Question, systems [2]record.System) []string {
	switch lacking := lackedBy(x, systems); away.Question(x.Cause) {
	case away.AskForeign:
		return []string{"--create: " + anotherMeans, "--same: " + sameMeans(lacking), "--leave: " + leaveMeans(lacking)}
	case away.AskReturned:
		return []string{"--same: " + sameMeans(lacking), "--leave: " + leaveMeans(lacking)}
	case away.AskUnable:
		return []string{"--create: " + anewMeans, "--leave: " + leaveMeans(lacking)}
	case away.AskGone, away.AskEdited, away.AskAlone, away.AskRefused, away.AskMerged, away.AskNamed, away.AskAnew:
		means := []string{"--delete: it goes, too, deleted or put aside as the job says", "--create: " + anewMeans, "--leave: " + leaveMeans(lacking)}
		if len(x.Rests.Anew) > 1 {
			means = append(means, "--with RECORD-ID: it goes on with that one, which was entered anew")
		}
		return means
	}
	return nil
}
