package plan

import (
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Unheeded returns the fields in which a new record shows another word than its create gave it. A system spells
// texts its own way, and that is no difference. But a word is one of a few, and another word says something else:
// the create did not heed it. A consent is left out: a system that asks its guest first is right to.
func Unheeded(r Rules, side record.Side, sent, shown record.Fields) (fields []string) {
	given, _ := r.Mapping.Read(side, shown.With(sent))
	holds, _ := r.Mapping.Read(side, shown)
	kinds := map[string]string{}
	for _, f := range r.Mapping.Fields() {
		kinds[f.Name] = f.Type
	}
	for _, rule := range r.Merge {
		word := kinds[rule.Field] == mapping.Enum && rule.Policy != merge.Consent && !rule.Once && mayWrite(rule.To, side)
		if !word || !sends(r, side, rule.Field, sent) {
			continue
		}
		is, was := holds[rule.Field], given[rule.Field]
		if is.Filled() && !was.Empty() && !is.Equal(was) {
			fields = append(fields, rule.Field)
		}
	}
	return fields
}

// Ends reports whether a word of a field is final. No create makes a record that has ended, so somebody ended it.
func Ends(r Rules, field, word string) bool {
	return slices.ContainsFunc(r.Merge, func(rule merge.Rule) bool {
		return rule.Field == field && rule.Machine != nil && slices.Contains(rule.Machine.Absorbing, word)
	})
}

// sends reports whether native values have a value for a field.
func sends(r Rules, side record.Side, field string, sent record.Fields) bool {
	return slices.ContainsFunc(r.Mapping.Outputs(side, field), func(p string) bool { return sent[p].Observed() })
}
