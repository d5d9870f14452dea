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

// Use is a system that is reached under a credential, and how it wants to be treated.
// Credential must tell one account of one host from another, and hold no secret.
type Use struct {
	Credential, System string
	Config             Config
}

// Limiter is the limiter of u's credential. Where nobody has one yet it goes by u alone;
// otherwise it goes on as it does until Keep names u.
func (g *Group) Limiter(u Use) *Limiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.member(u).limiter
}

func (g *Group) member(u Use) *member {
	if g.members == nil {
		g.members = map[string]*member{}
	}
	m := g.members[u.Credential]
	if m == nil {
		m = &member{limiter: New(u.Config)}
		g.members[u.Credential] = m
	}
	return m
}

// Keep has the limiters go by these systems from now on, and by no others. Where several
// systems share a credential, the quotas of all hold, the lowest concurrency and the
// largest reserve. What was counted under a credential that is not named is kept, for
// when it is named again.
func (g *Group) Keep(uses []Use) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, m := range g.members {
		m.systems = map[string]Config{}
	}
	for _, u := range uses {
		m := g.member(u)
		if m.systems == nil {
			m.systems = map[string]Config{}
		}
		m.systems[u.System] = u.Config
	}
	for _, m := range g.members {
		if len(m.systems) > 0 {
			m.limiter.Set(m.strictest())
		}
	}
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
