package phone

import (
	"crypto/sha256"
	"strconv"
	"sync"

	"github.com/nyaruka/phonenumbers"
)

// dialled is a phone number as it is dialled in a region.
type dialled struct{ text, region string }

// digest returns the key under which a number is remembered. It is short because a first load has
// a hundred thousand numbers.
func (d dialled) digest() (short [16]byte) {
	sum := sha256.Sum256([]byte(d.region + " " + d.text))
	copy(short[:], sum[:])
	return short
}

// read returns the number in E.164, without use of the memory. ok is false if it is not a number in use.
func (d dialled) read() (e164 string, ok bool) {
	p, ok := parse(d.text, d.region)
	if !ok {
		return "", false
	}
	return phonenumbers.Format(p, phonenumbers.E164), true
}

// parse reads s as it is dialled in a region. ok is true if the number is in use there or, if it is
// written with a country code, in that country.
func parse(s, region string) (p *phonenumbers.PhoneNumber, ok bool) {
	p, err := phonenumbers.Parse(s, region)
	return p, err == nil && phonenumbers.IsValidNumber(p)
}

// most is how many numbers each of the two generations may have: 2 MiB each.
const most = 1 << 16

// memory remembers how numbers were read. Reading a number takes longer than everything else that is
// done with a record, and a record is read four times until it is linked. There are two generations of
// numbers. When the young one is full, it becomes the old one, and the old one is dropped. A number of
// the old generation that is asked for again moves to the young one, and is not lost.
type memory struct {
	mu         sync.Mutex
	young, old map[[16]byte]uint64 // digest -> the digits of E.164; 0: not a number
}

// get returns a number from the memory, or reads and remembers it. It returns false if it is not a number
// in use.
func (m *memory) get(d dialled) (Number, bool) {
	key := d.digest()
	digits, known := m.known(key)
	if !known {
		if e164, ok := d.read(); ok {
			var err error
			if digits, err = strconv.ParseUint(e164[1:], 10, 64); err != nil {
				return Number{E164: e164, Sure: true}, true
			}
		}
		m.keep(key, digits)
	}
	if digits == 0 {
		return Number{}, false
	}
	return Number{E164: "+" + strconv.FormatUint(digits, 10), Sure: true}, true
}

func (m *memory) known(key [16]byte) (uint64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	digits, ok := m.young[key]
	if !ok {
		if digits, ok = m.old[key]; ok {
			m.put(key, digits)
		}
	}
	return digits, ok
}

func (m *memory) keep(key [16]byte, digits uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(key, digits)
}

func (m *memory) put(key [16]byte, digits uint64) {
	if m.young == nil || len(m.young) >= most {
		m.young, m.old = map[[16]byte]uint64{}, m.young
	}
	m.young[key] = digits
}
