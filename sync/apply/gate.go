package apply

import (
	"context"
	"fmt"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// gate is what a write passes as the last thing before it goes out: when it is
// handed to the connector, and there once more when its turn has come.
type gate struct {
	a  *Applier
	in record.Intent

	lost error // the lease, or the store that knows of it
	why  string
}

// kept ends a write that the gate kept back. Without the lease the intent stays as
// sent, for whoever holds it now; otherwise its record is decided anew.
func (a *Applier) kept(ctx context.Context, in record.Intent, g *gate, again bool) (Outcome, error) {
	if g.lost != nil {
		return Outcome{}, g.lost
	}
	state, class := record.Cancelled, connectors.Transient // nothing went out: it is none that was sent and never answered
	if again {                                             // the first request may have been applied
		state, class = record.Sent, ""
	}
	err := fmt.Errorf("%w: %s", connectors.ErrKeptBack, g.why)
	return Outcome{Result: Kept, Class: connectors.Transient, Err: err}, a.fail(ctx, in, state, class, err)
}
