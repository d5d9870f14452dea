package entries

import (
	"testing"
	"time"

	"nightporter/sync/record"
)

// The answer to a create told when the record was made, and its lists show no such time. A list that shows most of what
// the record was made with lets the record be recognised by its first key from then on. Any other list tells nothing.
func TestWitnessOfAnAnswerWhereListsShowNoBirth(t *testing.T) {
	f := func(name, note string) record.Fields {
		return record.Fields{"name": record.OfText(name), "note": record.OfText(note), "mail": record.OfText("a@example.com")}
	}
	keys := []record.Key{{Name: "mail", Text: "a@example.com"}}
	for name, tt := range map[string]struct {
		shows record.Fields
		byKey bool
	}{
		"as it was made":       {f("Ada", "quiet"), true},
		"one of three differs": {f("Ada", "loud"), true},
		"two of three differ":  {f("Eve", "loud"), false},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Row{Entry: record.Entry{Base: record.BaseOf(f("Ada", "quiet"))}}
			r.WitnessAnswer(record.Receipt{Created: time.Unix(1_900_000_000, 0)}, keys)
			r.witness(record.Observation{Fields: tt.shows}, keys)
			if got := r.Witness == record.KeyWitness(keys[0]); got != tt.byKey || !got && !r.bornByAnswer() {
				t.Errorf("recognised by %q", r.Witness)
			}
		})
	}
}
