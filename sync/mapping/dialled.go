package mapping

import (
	"strings"
	"sync"
)

// dialled is a phone number as it is dialled in a region.
type dialled struct{ text, region string }

// read is what came of one.
type read struct {
	num number
	ok  bool
}

// phonesMost is how many numbers are remembered, twice.
const phonesMost = 8192

// phones remembers how numbers were read, which takes longer than all else that is
// done with a record. It forgets those that were not asked for lately: what is kept of
// two generations of phonesMost is the younger, and of the older what was asked again.
type phones struct {
	mu         sync.Mutex
	young, old map[dialled]read
}

// get reads a number, or knows it.
func (p *phones) get(d dialled) (number, bool) {
	r, ok := p.known(d)
	if !ok {
		r.num, r.ok = national(d.text, d.region)
		p.keep(d, r)
	}
	return r.num, r.ok
}

func (p *phones) known(d dialled) (read, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, ok := p.young[d]
	if !ok {
		if r, ok = p.old[d]; ok {
			p.put(d, r)
		}
	}
	return r, ok
}

func (p *phones) keep(d dialled, r read) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put(d, r)
}

func (p *phones) put(d dialled, r read) {
	if p.young == nil || len(p.young) >= phonesMost {
		p.young, p.old = map[dialled]read{}, p.young
	}
	p.young[dialled{strings.Clone(d.text), d.region}] = r // not all of the page that the text is a part of
}
