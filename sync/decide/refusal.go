package decide

import (
	"context"
	"fmt"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// objectRefused puts aside a record that the other side refused as it is, if it is not time to ask again.
func (r *Room) objectRefused(_ context.Context, n *arrival) (outcome, error) {
	no := r.guards.RefusalOf(n.a)
	if !no.Stands() || r.askedAnew(n.s) {
		return outcome{}, nil
	}
	if r.toBeTold(n.side, no.Class) {
		return r.objectTold(n)
	}
	to := r.Side(n.side.Other()).System
	f := record.Finding{Place: record.Place{Side: n.side.Other()}, Name: record.FindRefused, Op: record.Create, Entry: n.s.Entry, Ref: n.s.Ref, Text: no.Text, Asked: no.Last}
	if no.Class == connectors.Exists {
		f.Name = record.FindHeld
	}
	if !no.Dismissed {
		r.NoteStanding(f)
	}
	if no.Class != connectors.Exists {
		return n.leaves(record.Quarantined, fmt.Sprintf("%s refused these values; it is asked again when they change", to)), nil
	}
	why := fmt.Sprintf("%s has a record with its key, and which one is not known: it is matched when it is listed", to)
	if !no.TooOften() && !no.Dismissed { // the record in the way may be seen any time: every run looks for it
		return n.waitsBecause(why + ", and asked again until then, ever more seldom"), nil
	}
	if _, again := no.Next(); again {
		why += ", and asked again once a week"
	}
	return n.leaves(record.Quarantined, why+", and asked again when its values change"), nil
}
