package mapping

import (
	"crypto/sha256"
	"strconv"
	"sync"
)

// dialled is a phone number as it is dialled in a region.
type dialled struct{ text, region string }

// digest is what a number is known by: a first load has a hundred thousand, and each
// is to take as little room as can be.
func (d dialled) digest() (short [16]byte) {
	sum := sha256.Sum256([]byte(d.region + " " + d.text))
	copy(short[:], sum[:])
	return short
}

// phonesMost is how many numbers are remembered, twice: 2 MiB each time.
const phonesMost = 1 << 16

// phones remembers how numbers were read, which takes longer than all else that is
// done with a record, and is done four times until it is linked. It forgets those that
// were not asked for lately: what is kept of two generations of phonesMost is the
// younger, and of the older what was asked again.
type phones struct {
	mu         sync.Mutex
	young, old map[[16]byte]uint64 // the digits; 0: it is no number
}

// get reads a number, or knows it.
func (p *phones) get(d dialled) (number, bool) {
	key := d.digest()
	if digits, ok := p.known(key); ok {
		if digits == 0 {
			return number{}, false
		}
		return number{text: "+" + strconv.FormatUint(digits, 10), sure: true}, true
	}
	num, ok := national(d.text, d.region)
	digits, err := uint64(0), error(nil)
	if ok {
		digits, err = strconv.ParseUint(num.text[1:], 10, 64)
	}
	if err == nil {
		p.keep(key, digits)
	}
	return num, ok
}

func (p *phones) known(key [16]byte) (uint64, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	digits, ok := p.young[key]
	if !ok {
		if digits, ok = p.old[key]; ok {
			p.put(key, digits)
		}
	}
	return digits, ok
}

func (p *phones) keep(key [16]byte, digits uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put(key, digits)
}

func (p *phones) put(key [16]byte, digits uint64) {
	if p.young == nil || len(p.young) >= phonesMost {
		p.young, p.old = map[[16]byte]uint64{}, p.young
	}
	p.young[key] = digits
}
