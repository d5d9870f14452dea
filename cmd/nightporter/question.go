package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
)

// question is a conflict, or a change of which nobody can know what became.
type question struct {
	conflict record.Question
	lost     *record.Intent
	all      []record.Intent // that are lost
}

// questionOf finds an open question by the number or the end of an id that the user
// gave.
func questionOf(ctx context.Context, s *state.Store, cfg *config.Config, text string) (q question, err error) {
	none := usageError{fmt.Errorf("there is no conflict %q: nightporter conflicts lists them", text)}
	if s == nil {
		return q, none
	}
	if q.all, err = lostChanges(ctx, s, cfg); err != nil {
		return q, err
	}
	if id, err := strconv.ParseInt(text, 10, 64); err == nil {
		x, ok, err := s.Question(ctx, id)
		if err != nil || ok {
			q.conflict = x
			return q, err
		}
	}
	in, ok, err := lostNumber(q.all, text)
	if err == nil && !ok {
		err = none
	}
	q.lost = &in
	return q, err
}

// load is a question with all that it is about.
func (q question) load(ctx context.Context, s *state.Store, cfg *config.Config) (out conflictJSON, err error) {
	if q.lost != nil {
		if out, err = loadOutcome(ctx, s, cfg, *q.lost, q.all); err == nil {
			out.Others, err = doubtful(ctx, s, cfg, *q.lost)
		}
		return out, err
	}
	x := q.conflict
	if out, err = loadConflict(ctx, s, cfg, x); err != nil || x.Entry == 0 {
		return out, err
	}
	out.First = firstOf(x, q.all)
	out.Others, err = candidates(ctx, s, cfg, x)
	return out, err
}

// questions is all that waits for a person, what nobody can know last.
func questions(ctx context.Context, s *state.Store, cfg *config.Config) ([]conflictJSON, error) {
	found, err := s.Questions(ctx, "", true)
	if err != nil {
		return nil, err
	}
	lost, err := lostChanges(ctx, s, cfg)
	if err != nil {
		return nil, err
	}
	out := []conflictJSON{}
	for _, x := range found {
		one, err := loadConflict(ctx, s, cfg, x)
		if err != nil {
			return nil, err
		}
		one.First = firstOf(x, lost)
		out = append(out, one)
	}
	for _, in := range lost {
		one, err := loadOutcome(ctx, s, cfg, in, lost)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// firstOf names the lost change that may have made the record of a conflict, "" for
// none: that is to be decided before anything is asked about the record.
func firstOf(x record.Question, lost []record.Intent) string {
	for _, in := range lost {
		if x.Entry != 0 && strings.Contains(x.Why, in.ID) {
			return shortOf(in.ID, lost)
		}
	}
	return ""
}
