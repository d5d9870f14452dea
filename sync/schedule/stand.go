package schedule

import (
	"context"
	"time"
)

// Stand returns how every line of jobs stands at now by what a ledger keeps, for who
// looks on while another process runs the jobs, or none does. It writes nothing. A
// line that nobody opened yet counts from now on.
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

// onlooker is a ledger of which nothing but what it holds is used.
type onlooker struct{ Ledger }

// Settle leaves everything as it is.
func (onlooker) Settle(context.Context, Entry) error { return nil }
