package plan

import (
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Unheeded is the fields of a new record that show another word than its create gave
// them. A system spells texts its own way, and that is no difference; a word is one of a
// few, and another one says something else: the create did not heed it. A consent is left
// out: a system that asks its guest first is right to.
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

// Ends reports whether a word of a field is an end, which no create makes: somebody ended the
// record.
func Ends(r Rules, field, word string) bool {
	return slices.ContainsFunc(r.Merge, func(rule merge.Rule) bool {
		return rule.Field == field && rule.Machine != nil && slices.Contains(rule.Machine.Absorbing, word)
	})
}

// sends reports whether native values say something of a field.
func sends(r Rules, side record.Side, field string, sent record.Fields) bool {
	return slices.ContainsFunc(r.Mapping.Outputs(side, field), func(p string) bool { return sent[p].Observed() })
}
