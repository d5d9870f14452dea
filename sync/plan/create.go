package plan

import (
	"fmt"
	"maps"
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Unmade is why no record is made; of one that is made it is the zero value.
type Unmade struct {
	Text   string
	Lacks  string // the field, or the place, that the other side needs and gets nothing for
	Mapped bool   // that place is one of a field of the rules: another record may well hold something
}

// New plans a record that one side has and the other lacks. from is the side that
// has it. unmade says why none is made.
func New(r Rules, c Case, from record.Side) (a Action, unmade Unmade) {
	side := from.Other()
	kind, have := r.Kinds[side], c.Sides[from]
	if kind.ReadOnly != "" {
		return Action{}, Unmade{Text: kind.ReadOnly}
	}
	if why := r.over(have.Now); why != "" {
		return Action{}, Unmade{Text: why}
	}
	canonical, native, later := record.Fields{}, record.Fields{}, map[string]bool{}
	var fields []record.FieldReason
	for _, rule := range r.Merge {
		value := have.Now[rule.Field]
		if !value.Observed() || !mayWrite(rule.To, side) || kind.notNew(r, side, rule.Field) {
			continue
		}
		write := value
		if parts := c.Parts[side][rule.Field]; parts.Observed() {
			write = parts
		}
		n, problems := r.Mapping.Write(side, record.Fields{rule.Field: write}, native)
		if len(problems) > 0 {
			if rule.Required || requires(r, side, rule.Field) {
				if value.Empty() {
					return Action{}, lacks(r, side, have.Native, rule.Field)
				}
				return Action{}, Unmade{
					Text:  fmt.Sprintf("its %s can't be written to %s: %s", rule.Field, kind.System, problems[0].Text),
					Lacks: rule.Field, Mapped: true,
				}
			}
			later[rule.Field] = problems[0].Code == mapping.OnlyRead || problems[0].Code == mapping.Fraction
			continue
		}
		native, canonical[rule.Field] = native.With(n), value
		fields = append(fields, record.FieldReason{Field: rule.Field, After: value, Policy: "new", Reason: "a new record"})
	}
	warns := warning(r, canonical, fields)
	if i := slices.IndexFunc(r.Sums, func(s Sum) bool { return s.Hold && s.Off(canonical) }); i >= 0 {
		return Action{}, Unmade{Text: sumIsOff}
	}
	native = native.With(kind.Constants)
	for _, p := range kind.Required {
		if v := native[p]; !v.Observed() || v.Empty() {
			return Action{}, lacks(r, side, have.Native, r.FieldOf(side, p))
		}
	}
	for p, v := range native {
		if v.Empty() { // nothing to say about it: the system's own default is as good
			delete(native, p)
		}
	}
	a = Action{
		Side: side, From: have.Entry, Source: have.Ref, Entity: c.Entity,
		Change:   record.Change{Op: record.Create, Ref: record.Ref{Kind: kind.Kind}, Fields: native},
		Reason:   fmt.Sprintf("%s has it and %s doesn't", r.Kinds[from].System, kind.System),
		Fields:   fields,
		Warning:  warns,
		Risk:     RiskCreate,
		Bases:    [2]record.Fields{{}, {}},
		Priority: r.Urgent, Day: r.DayOf(c),
	}
	maps.Copy(a.Bases[from], have.Native)
	for f, untold := range later { // what the new record says of it is decided when it is seen
		if untold {
			for _, p := range r.Mapping.Inputs(from, f) {
				delete(a.Bases[from], p)
			}
		}
	}
	for f, v := range have.Now {
		if r.IsReference(f) {
			a.Bases[from][RefPath(f)] = v
			if c.Parts[side][f].Observed() {
				a.Bases[side][RefPath(f)] = v
			}
		}
	}
	return a, Unmade{}
}

// over says that a record has reached its end before the other side had it, "" if not.
func (r Rules) over(now record.Fields) string {
	for _, field := range slices.Sorted(maps.Keys(r.Over)) {
		if is := now[field].Text(); is != "" && slices.Contains(r.Over[field], is) {
			return fmt.Sprintf("it was %s before the other side had it", is)
		}
	}
	return ""
}

// lacks says that a record has no value for a field that side needs, or one that
// can't be read.
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

// FieldOf is the canonical name behind a native path, or the path.
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
