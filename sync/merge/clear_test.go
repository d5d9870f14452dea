package merge

import (
	"strings"
	"testing"

	"nightporter/sync/record"
)

// What one side emptied alone is carried out, asked about, or named as left alone, whatever
// else decides about its field.
func TestOutsideAClearIsNeverPassedOver(t *testing.T) {
	for _, p := range []Policy{LeftWins, RightWins, Newest, Max, Min, Union, FillEmpty, Consent, Person, ""} {
		of := words
		if p == Union {
			of = lists
		}
		for _, way := range []Clear{"", Propagate, IgnoreClear, HoldClear} {
			for _, to := range []Direction{Both, ToLeft, ToRight} {
				for _, from := range record.Sides {
					side := [2]move{still, still}
					side[from] = cleared
					d := Cell(Rule{Policy: p, Clear: way, To: to}, of.side(side[0], of.left), of.side(side[1], of.right), 0)
					travels := to.allows(from.Other())
					switch named := strings.Contains(d.Reason.Text, "emptied") || strings.Contains(d.Reason.Text, "edited"); {
					case way == HoldClear && travels && d.Act != Hold:
						t.Errorf("%s, hold, %v: emptied on the %s, and it is not asked about: %+v", p, to, from, d)
					case !d.Act.Writes(from.Other()) && d.Act != Hold && !named:
						t.Errorf("%s, %q, %v: emptied on the %s, and nothing says so: %q", p, way, to, from, d.Reason.Text)
					}
				}
			}
		}
	}
}
