package pace

import (
	"maps"
	"slices"
	"sync"
)

// Group holds the limiters of a process, one for each credential. It outlives the
// connectors that use them. The zero value is ready.
type Group struct {
	mu      sync.Mutex
	members map[string]*member
}

type member struct {
	limiter *Limiter
	systems map[string]Config
}

// Limiter is the limiter of a credential, for the system of that name: its quotas
// are what cfg says from now on. Where several systems share a credential, the
// quotas of all hold, the lowest concurrency and the largest reserve. credential
// must tell one account of one host from another, and hold no secret.
func (g *Group) Limiter(credential, system string, cfg Config) *Limiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.members == nil {
		g.members = map[string]*member{}
	}
	m := g.members[credential]
	if m == nil {
		m = &member{systems: map[string]Config{}}
		g.members[credential] = m
	}
	m.systems[system] = cfg
	all := m.strictest()
	if m.limiter == nil {
		m.limiter = New(all)
	} else {
		m.limiter.Set(all)
	}
	return m.limiter
}

func (m *member) strictest() Config {
	var all Config
	for i, system := range slices.Sorted(maps.Keys(m.systems)) {
		c := m.systems[system]
		c.Concurrency = max(c.Concurrency, 1)
		if i == 0 {
			all = c
			all.Quotas = slices.Clone(c.Quotas)
			continue
		}
		all.Quotas = append(all.Quotas, c.Quotas...)
		all.Concurrency = min(all.Concurrency, c.Concurrency)
		all.Reserve = max(all.Reserve, c.Reserve)
		all.Pause = max(all.Pause, c.Pause)
		if all.ResetHeader == "" {
			all.ResetHeader = c.ResetHeader
		}
	}
	return all
}

// Snapshots is what the limiters are doing, by the names of the systems.
func (g *Group) Snapshots() map[string]Snapshot {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := map[string]Snapshot{}
	for _, m := range g.members {
		s := m.limiter.Snapshot()
		for system := range m.systems {
			out[system] = s
		}
	}
	return out
}
