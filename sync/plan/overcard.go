package plan

import (
	"fmt"
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// OverCard is the cause of a question about a text that would be written over one with a payment card.
const OverCard = "over_card"

// overCard asks a person before a text with asterisks is written over the text that holds the card. Example: the
// desk notes a card, and the platform is given the note with asterisks. If a user of the platform adds a word, that
// word can't be brought to the PMS alone, and the whole text would take the digits away there. The rest of a group
// waits too. What was chosen once and for all was not chosen with the card in view.
func (c *Case) overCard(r Rules, ds []merge.Decision, side record.Side) {
	var over []merge.Decision
	for _, d := range ds {
		if d.Act.Writes(side) && d.Reason.Ground != merge.GroundChosen && mapping.OverCard(c.native(r, side, d), c.Sides[side].Native) != "" {
			over = append(over, d)
		}
	}
	for i := range ds {
		d := &ds[i]
		if d.Act.Writes(side) && slices.ContainsFunc(over, func(o merge.Decision) bool { return isOne(o, *d) }) {
			held(d, OverCard, fmt.Sprintf("%s holds what may be a payment card in it (privacy.blank), and the new text has asterisks there: the digits would be lost", the(side)))
		}
	}
}

// HidesDigits reports whether one of the values has asterisks where a system may hold digits.
func HidesDigits(values ...record.Value) bool {
	return slices.ContainsFunc(values, mapping.Traces)
}
