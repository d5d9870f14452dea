package simulator

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"
)

// Sim is one simulated server with all its accounts. It is an http.Handler; all
// its methods are safe for concurrent use.
type Sim struct {
	opt Options
	api dialect

	mu        sync.Mutex
	now       func() time.Time
	rng       *rand.Rand
	accounts  map[string]*account
	swapped   string // account behind every key, when not empty
	clock     int64  // number of the last change in any table
	answers   map[string]remembered
	windows   map[string]spent // of quotas, by key
	faults    []*armed
	faultIDs  int
	pending   int // writes to be applied late
	writer    *writer
	onList    func(page int)
	hook      *Hook
	texts     Texts
	docs      documents
	outbound  Outbound
	placed    []Placement
	events    []event // that were not told yet
	subs      []Subscription
	hooksMade int
	backup    map[string]*account
	counts    Counts
	log       []*Request
}

// account holds one organisation's records, by resource.
type account struct {
	tables map[string]*table
}

// New returns a server without records.
func New(o Options) *Sim {
	api := dialectOf(o)
	o = o.withDefaults(api)
	return &Sim{
		opt: o, api: api,
		now:      time.Now,
		rng:      seeded(o.Seed),
		accounts: map[string]*account{},
		answers:  map[string]remembered{},
		windows:  map[string]spent{},
		counts:   Counts{Routes: map[string]int{}},
	}
}

// SetNow replaces the clock, time.Now at first, by which changes are dated. now
// must not call the Sim. Late writes and latency keep to real timers.
func (s *Sim) SetNow(now func() time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now
}

// SetKeys replaces the API keys from the next request on.
func (s *Sim) SetKeys(keys map[string]Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opt.Keys = maps.Clone(keys)
}

// SwapAccount puts another account, empty if it is new, behind every key and behind
// the methods of the Sim. An empty name undoes it.
func (s *Sim) SwapAccount(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.swapped = name
}

// account is the account of a key under the swap, made when it is new.
func (s *Sim) account(name string) *account {
	switch {
	case s.swapped != "":
		name = s.swapped
	case name == "":
		name = DefaultAccount
	}
	a := s.accounts[name]
	if a == nil {
		a = &account{tables: map[string]*table{}}
		for _, r := range s.api.resources {
			a.tables[r.name] = newTable(r, s.api)
		}
		s.accounts[name] = a
	}
	return a
}

// put makes the given fields a new row, or another version of old.
func (s *Sim) put(t *table, id string, old *row, fields map[string]any) *row {
	s.clock++
	r := &row{id: id, seq: s.clock, stamp: s.clock, updated: s.now(), name: t.res.sortBy(fields), fields: fields}
	r.created = r.updated
	if old != nil {
		r.seq, r.created = old.seq, old.created
	} else {
		t.made++
	}
	t.apply(change{n: s.clock, at: r.updated, before: old, after: r}, s.lagging())
	s.audit(t)
	s.note(t, old, r)
	return r
}

func (s *Sim) remove(t *table, r *row) {
	s.clock++
	t.apply(change{n: s.clock, at: s.now(), before: r}, s.lagging())
	s.audit(t)
	s.note(t, r, nil)
}

func (s *Sim) newID(t *table) string {
	for {
		id := fmt.Sprintf("%s%06d", t.res.letter, t.made+1)
		switch {
		case s.api.traits.NumberID:
			id = strconv.FormatInt(1000+t.made, 10)
		case s.opt.IDs != Sequential:
			id = s.uuid()
		}
		if t.rows[id] == nil {
			return id
		}
		t.made++ // taken by a record that Put gave this id
	}
}

func (s *Sim) uuid() string {
	a, b := s.rng.Uint64(), s.rng.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%x%03x-%012x",
		a>>32, a>>16&0xffff, a&0xfff, 8+b>>62, b>>48&0xfff, b&0xffffffffffff)
}

// seeded randomness makes a run repeatable; nothing here is a secret.
func seeded(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 0x6e69676874)) //nolint:gosec // repeatable on purpose
}
