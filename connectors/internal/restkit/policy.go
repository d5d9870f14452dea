package restkit

import (
	"time"

	"github.com/cenkalti/backoff/v4"

	"nightporter/connectors"
)

// How long one request is tried before its run is told.
const (
	mostTries  = 3
	mostAtOnce = 60 * time.Second
	patience   = 2 * time.Minute // where the server asked to wait
)

// atMost is how long a request that fails like this is tried.
func atMost(class connectors.ErrorClass) time.Duration {
	if class == connectors.Throttled {
		return patience
	}
	return mostAtOnce
}

// policy is a backoff that never waits less than the server asked. It serves one
// request.
type policy struct {
	backoff.BackOff
	asked time.Duration
}

func newPolicy() *policy {
	inner := backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(500*time.Millisecond),
		backoff.WithMultiplier(2.5),
		backoff.WithRandomizationFactor(0.5),
		backoff.WithMaxInterval(15*time.Second),
		backoff.WithMaxElapsedTime(0), // Do looks at the time, without what was waited for a turn
	)
	return &policy{BackOff: backoff.WithMaxRetries(inner, mostTries-1)}
}

// NextBackOff is the next pause, or backoff.Stop.
func (p *policy) NextBackOff() time.Duration {
	d := p.BackOff.NextBackOff()
	if d == backoff.Stop {
		return d
	}
	d, p.asked = max(d, p.asked), 0
	return d
}
