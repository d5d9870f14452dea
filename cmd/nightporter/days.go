package main

import (
	"context"
	"fmt"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// daysInOrder refuses an answer about one of a record's two days by which it would end before it begins.
// The other day is what was answered about it, or what both sides hold; where it is not known yet its
// own answer is looked at.
func daysInOrder(ctx context.Context, s *state.Store, cfg *config.Config, x record.Question, d decision) error {
	j, _ := cfg.Job(string(x.Binding))
	span := app.SpanOf(&j)
	i := 0
	switch x.Field {
	case span[0]:
	case span[1]:
		i = 1
	default:
		return nil
	}
	other := span[1-i]
	sides, open, err := daysAsked(ctx, s, cfg, x, span)
	if err != nil {
		return err
	}
	typed, by := sides[record.Left][other], ""
	if q, asked := open[other]; asked {
		typed = answeredBy(q, string(q.Choice), q.Value)
		by = fmt.Sprintf(", by your answer to conflict %d: change that one first (nightporter conflicts resolve %d --undo), or answer this one so that the two go together", q.ID, q.ID)
	} else if !typed.Equal(sides[record.Right][other]) {
		return nil
	}
	mine := answeredBy(x, string(d.choice), d.value)
	if !span.Joins(record.Fields{x.Field: mine, other: typed}, sides[:]...) {
		return nil
	}
	return fmt.Errorf("%s would be before %s: %s is %s, and %s is %s%s", span[1], span[0], x.Field, mine, other, typed, by)
}

// daysAsked is what both sides show of the days, and what is asked about the link.
func daysAsked(ctx context.Context, s *state.Store, cfg *config.Config, x record.Question, span plan.Span) (sides [2]record.Fields, open map[string]record.Question, err error) {
	m, err := app.MappingOf(cfg, string(x.Binding))
	if err != nil {
		return sides, nil, err
	}
	pair, ok, err := s.Pair(ctx, x.Link)
	if err != nil || !ok {
		return sides, nil, err
	}
	for _, side := range record.Sides {
		now, _ := m.Read(side, pair.Sides[side].Last())
		sides[side] = now.Only(span[:])
	}
	open, err = s.Choices(ctx, x.Link)
	return sides, open, err
}

// answeredBy is the value that an answer to a question about a field stands for; not observed where
// both keep theirs, or nothing was said yet.
func answeredBy(x record.Question, choice string, v record.Value) record.Value {
	switch choice {
	case "left":
		return x.Left
	case "right":
		return x.Right
	case "value":
		return v
	}
	return record.Value{}
}
