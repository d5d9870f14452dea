package schedule

import (
	"context"
	"time"
)

// Stand returns how every line of the jobs stands at now, as far as the ledger shows. It is for a process
// that does not run the jobs itself. Stand writes nothing. The slots of a line that is not open yet count
// from now on.
func Stand(ctx context.Context, jobs []Job, ledger Ledger, now time.Time) ([]Status, error) {
	r, err := New(ctx, jobs, Options{Ledger: onlooker{ledger}, Now: func() time.Time { return now }})
	if err != nil {
		return nil, err
	}
	mono := r.mono()
	r.mu.Lock()
	r.poll(ctx, mono)
	r.look(r.now(), mono, true, 0)
	r.mu.Unlock()
	return r.Status(), nil
}

// onlooker is a ledger that can only be read: Settle does nothing.
type onlooker struct{ Ledger }

// Settle writes nothing.
func (onlooker) Settle(context.Context, Entry) error { return nil }
