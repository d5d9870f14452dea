package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Unmade says why no record is made. The zero value says that one is made.
type Unmade struct {
	Text   string
	Lacks  string // the field, or the native path, that the other side needs and gets no value for
	Mapped bool   // a field of the rules is written there: another record may well have a value for it
}

// New plans the create of a record that only side from has. unmade says why none is made.
func New(r Rules, c Case, from record.Side) (a Action, unmade Unmade) {
	n := newborn{r: r, c: c, from: from, side: from.Other(), native: record.Fields{}, canonical: record.Fields{}, later: map[string]bool{}}
	for _, step := range []func() Unmade{n.refused, n.fill, n.offSum, n.complete} {
		if unmade := step(); unmade.Text != "" {
			return Action{}, unmade
		}
	}
	return n.action(), Unmade{}
}

// newborn is a new record while its create is put together.
type newborn struct {
	r          Rules
	c          Case
	from, side record.Side // the side that has the record, and the side that gets it

	native    record.Fields // what the create sends
	canonical record.Fields
	fields    []record.FieldReason
	later     map[string]bool // fields that the create leaves out; true: decided once the new record is seen
}

func (n *newborn) kind() Kind { return n.r.Kinds[n.side] }
func (n *newborn) have() Side { return n.c.Sides[n.from] }

// refused says why no record is made, whatever values it has: nothing is written to that side, or the record was
// over before.
func (n *newborn) refused() Unmade {
	return Unmade{Text: cmp.Or(n.kind().ReadOnly, n.r.over(n.have().Now))}
}

// fill gives the new record each field that may be written there and that a create takes.
func (n *newborn) fill() Unmade {
	for _, rule := range n.r.Merge {
		value := n.have().Now[rule.Field]
		if !value.Observed() || !mayWrite(rule.To, n.side) || n.kind().notNew(n.r, n.side, rule.Field) {
			continue
		}
		if unmade := n.give(rule, value); unmade.Text != "" {
			return unmade
		}
	}
	return Unmade{}
}

// give adds one field. A field that can't be written is left out. No record is made if the new record needs it.
func (n *newborn) give(rule merge.Rule, value record.Value) Unmade {
	write := value
	if parts := n.c.Parts[n.side][rule.Field]; parts.Observed() {
		write = parts
	}
	native, problems := n.r.Mapping.Write(n.side, record.Fields{rule.Field: write}, n.native)
	if len(problems) == 0 {
		n.native, n.canonical[rule.Field] = n.native.With(native), value
		n.fields = append(n.fields, record.FieldReason{Field: rule.Field, After: value, Policy: "new", Reason: "a new record"})
		return Unmade{}
	}
	switch needed := rule.Required || requires(n.r, n.side, rule.Field) || n.r.Span.has(rule.Field); {
	case needed && value.Empty():
		return lacks(n.r, n.side, n.have().Native, rule.Field)
	case needed:
		return Unmade{
			Text:  cantBeWritten(n.r, n.side, rule.Field, problems[0]),
			Lacks: rule.Field, Mapped: true,
		}
	}
	n.later[rule.Field] = slices.Contains([]mapping.Code{mapping.OnlyRead, mapping.Fraction, mapping.OtherTime}, problems[0].Code)
	return Unmade{}
}

// offSum refuses a total that is not the sum of its lines, where the rules hold such a record.
func (n *newborn) offSum() Unmade {
	if slices.ContainsFunc(n.r.Sums, func(s Sum) bool { return s.Hold && s.Off(n.canonical) }) {
		return Unmade{Text: sumIsOff}
	}
	return Unmade{}
}

// complete adds the kind's constants and says what the create still lacks. An empty value is not sent: the
// system's own default is as good.
func (n *newborn) complete() Unmade {
	n.native = n.native.With(n.kind().Constants)
	for _, p := range n.kind().Required {
		if !n.native[p].Filled() {
			return lacks(n.r, n.side, n.have().Native, n.r.FieldOf(n.side, p))
		}
	}
	maps.DeleteFunc(n.native, func(_ string, v record.Value) bool { return v.Empty() })
	return Unmade{}
}

// action returns the create.
func (n *newborn) action() Action {
	kind, have := n.kind(), n.have()
	return Action{
		Side: n.side, From: have.Entry, Source: have.Ref, Entity: n.c.Entity,
		Change:   record.Change{Op: record.Create, Ref: record.Ref{Kind: kind.Kind}, Fields: n.native},
		Reason:   fmt.Sprintf("%s has it and %s doesn't", n.r.Kinds[n.from].System, kind.System),
		Fields:   n.fields,
		Warning:  warning(n.r, n.canonical, n.fields),
		Risk:     RiskCreate,
		Bases:    n.bases(),
		Priority: n.r.Urgent, Day: n.r.DayOf(n.c),
	}
}

// bases returns what both sides are settled on once the record is made. The side that has the record is settled
// on all that it shows, except for fields that are decided once the new record is seen. A base also says whom
// each reference stands for.
func (n *newborn) bases() [2]record.Fields {
	bases := [2]record.Fields{{}, {}}
	maps.Copy(bases[n.from], n.have().Native)
	for f, untold := range n.later {
		if untold {
			for _, p := range n.r.Mapping.Inputs(n.from, f) {
				delete(bases[n.from], p)
			}
		}
	}
	for f, v := range n.have().Now {
		if n.r.IsReference(f) {
			bases[n.from][RefPath(f)] = v
			if n.c.Parts[n.side][f].Observed() {
				bases[n.side][RefPath(f)] = v
			}
		}
	}
	return bases
}

// over says that a record was over before the other side had it, for example cancelled; "" where it was not.
func (r Rules) over(now record.Fields) string {
	for _, field := range slices.Sorted(maps.Keys(r.Over)) {
		if is := now[field].Text(); is != "" && slices.Contains(r.Over[field], is) {
			return fmt.Sprintf("it was %s before the other side had it", is)
		}
	}
	return ""
}

// lacks says that a record has no value for a field that side needs, or a value that can't be read.
func lacks(r Rules, side record.Side, native record.Fields, field string) Unmade {
	needs, u := fmt.Sprintf(", which %s needs", r.Kinds[side].System), Unmade{Lacks: field, Mapped: writesField(r, side, field)}
	_, problems := r.Mapping.Read(side.Other(), native)
	for _, p := range problems {
		if p.Field == field {
			u.Text = fmt.Sprintf("its %s can't be read: %s%s", field, p.Text, needs)
			return u
		}
	}
	u.Text = fmt.Sprintf("it has no %s%s", field, needs)
	return u
}

// writesField reports whether a field of that name is written to a side.
func writesField(r Rules, side record.Side, field string) bool {
	return slices.ContainsFunc(r.Merge, func(m merge.Rule) bool {
		return m.Field == field && mayWrite(m.To, side) && len(r.Mapping.Outputs(side, field)) > 0
	})
}

// requires reports whether a create on side is refused without the field.
func requires(r Rules, side record.Side, field string) bool {
	return slices.ContainsFunc(r.Mapping.Inputs(side, field), func(p string) bool {
		return slices.Contains(r.Kinds[side].Required, p)
	})
}

// FieldOf returns the canonical field that is read from a native path, or the path itself where there is none.
func (r Rules) FieldOf(side record.Side, path string) string {
	for _, f := range r.Mapping.Fields() {
		if slices.Contains(r.Mapping.Inputs(side, f.Name), path) {
			return f.Name
		}
	}
	return path
}

// mayWrite reports whether a field may be written to a side at all.
func mayWrite(to merge.Direction, side record.Side) bool {
	return to == merge.Both || to == merge.ToLeft && side == record.Left || to == merge.ToRight && side == record.Right
}
