package plan

import (
	"fmt"

	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Unfit says which value of a record can't be given to the side that lacks the record, and why; "" where none is
// unfit. The record waits: it is not made without the value.
func Unfit(r Rules, have Side, from record.Side) (field, why string) {
	if field, why = unfitContent(r, have, from); why != "" {
		return field, why
	}
	return unfitTime(r, have, from)
}

// unfitTime is Unfit for a time whose form on the other side is read as another time. A new record needs its days,
// and what it is recognised by: with another time it would be another booking, and without one it would be made
// again once our state is lost.
func unfitTime(r Rules, have Side, from record.Side) (field, why string) {
	to := from.Other()
	for _, rule := range r.Merge {
		value := have.Now[rule.Field]
		if !value.Observed() || !mayWrite(rule.To, to) || !r.needs(rule, to) {
			continue
		}
		_, problems := r.Mapping.Write(to, record.Fields{rule.Field: value}, nil)
		if len(problems) > 0 && problems[0].Code == mapping.OtherTime {
			return rule.Field, cantBeWritten(r, to, rule.Field, problems[0])
		}
	}
	return "", ""
}

// needs reports whether no record is made on side without the field, if it has a value: the field is required, is
// one of the days, or tells the record from others.
func (r Rules) needs(rule merge.Rule, side record.Side) bool {
	return rule.Required || requires(r, side, rule.Field) || r.Span.has(rule.Field) || r.Mapping.Matches(rule.Field)
}

func cantBeWritten(r Rules, side record.Side, field string, p mapping.Problem) string {
	return fmt.Sprintf("its %s can't be written to %s: %s", field, r.Kinds[side].System, p.Text)
}
