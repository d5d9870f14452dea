package run

import (
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Asked notes changes that were done again after a no, if a person was asked about them and has not
// answered. They stay a question, although the earlier no does not count any more.
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

// Names returns what a set is named by: its changes and, for those that were done again, the sets in
// which they were rejected. So what was done again after another no is another question.
func (b *Book) Names(actions []string) []string {
	out := slices.Clone(actions)
	for _, a := range actions {
		if no := b.After[a]; no != "" {
			out = append(out, no)
		}
	}
	return out
}
