package apply

import (
	"context"
	"fmt"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// gate is what a write passes as the last thing before it goes out: when it is handed to the connector, and once
// more when its turn has come.
type gate struct {
	a  *Applier
	in record.Intent

	lost error // the lease is lost, or the store can't say whether it is
	why  string
}

// kept ends a write that the gate kept back. Without the lease the intent stays as sent, for whichever run holds
// the lease now. Otherwise the record is decided anew.
func (a *Applier) kept(ctx context.Context, in record.Intent, g *gate, again bool) (Outcome, error) {
	if g.lost != nil {
		return Outcome{}, g.lost
	}
	state, class := record.Cancelled, connectors.Transient // nothing went out: it does not count as sent and unanswered
	if again {                                             // the first request may have been applied
		state, class = record.Sent, ""
	}
	err := fmt.Errorf("%w: %s", connectors.ErrKeptBack, g.why)
	return Outcome{Result: Kept, Class: connectors.Transient, Err: err}, a.fail(ctx, in, state, class, err)
}
