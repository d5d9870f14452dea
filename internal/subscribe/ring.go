package subscribe

import (
	"slices"
	"sync"
	"time"

	"nightporter/sync/record"
)

// Ring is the secrets that systems sign with by our subscriptions, as receivers ask for
// them at each delivery.
type Ring struct {
	mu     sync.Mutex
	signed map[record.System][]record.Signed
	coming map[record.System]chan struct{}
}

// Begin makes these the secrets of a system of which none were put yet.
func (r *Ring) Begin(system record.System, signed []record.Signed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, there := r.signed[system]; !there {
		r.put(system, signed)
	}
}

// Put makes these the secrets of a system.
func (r *Ring) Put(system record.System, signed []record.Signed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.put(system, signed)
}

func (r *Ring) put(system record.System, signed []record.Signed) {
	if r.signed == nil {
		r.signed = map[record.System][]record.Signed{}
	}
	r.signed[system] = slices.Clone(signed)
}

// Secrets is those that count at a moment, newest first, and what is closed once another
// one that is on its way has come or is known not to; nil where none is on its way.
func (r *Ring) Secrets(system record.System, now time.Time) (secrets []string, coming <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.signed[system] {
		if one.Counts(now) {
			secrets = append(secrets, string(one.Secret))
		}
	}
	if ch := r.coming[system]; ch != nil {
		coming = ch
	}
	return secrets, coming
}

// expect says that a system may from now on sign with a secret that nobody here knows
// yet, until the function that it gives is called.
func (r *Ring) expect(system record.System) (over func()) {
	ch := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.coming == nil {
		r.coming = map[record.System]chan struct{}{}
	}
	r.coming[system] = ch
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.coming[system] == ch {
			delete(r.coming, system)
			close(ch)
		}
	}
}
