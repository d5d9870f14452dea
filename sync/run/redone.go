package run

import (
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Asked has a change that a person was asked about, and of which they said nothing, stay
// a question, though the no before does not count any more.
func (b *Book) Asked(st record.Stage, rows []record.Staged) {
	if st.Risk != string(plan.RiskRedone) {
		return
	}
	for _, x := range rows {
		if _, known := b.Redone[x.Action]; !known {
			b.Redone[x.Action] = Said{st, x}
		}
	}
}

// Names is what a set is named by: what was done again after another no is another
// question.
func (b *Book) Names(actions []string) []string {
	out := slices.Clone(actions)
	for _, a := range actions {
		if no := b.After[a]; no != "" {
			out = append(out, no)
		}
	}
	return out
}
