package webhook

import (
	"errors"
	"io"
	"sync/atomic"
)

// mostHeld is how many bytes of bodies are held of one system at once, or four bodies of the
// largest that it may send. Anybody who can reach the address
// may begin deliveries and end none of them: only what is read tells who it was. Bodies up
// to small have as much room again, so that large ones of strangers keep them out less soon.
const (
	mostHeld = 32 << 20
	small    = 64 << 10
)

var errFull = errors.New("more is being received than can be held")

// bodies is what of all deliveries of a system under way was read so far.
type bodies struct {
	most    int64
	held    atomic.Int64
	strange atomic.Int64 // of it what strangers send
}

// body is that of one delivery: reading it ends with errFull where too much is held.
type body struct {
	io.Reader
	of      *bodies
	own     int64
	strange bool // of a stranger, while others are known
}

func (b *bodies) open(r io.Reader, strange bool) *body {
	return &body{Reader: r, of: b, strange: strange}
}

// Read reads on.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.own += int64(n)
	full := b.full(b.of.held.Add(int64(n)), b.of.most)
	if b.strange && b.full(b.of.strange.Add(int64(n)), b.of.most/2) {
		full = true
	}
	if full {
		return n, errFull
	}
	return n, err
}

// full reports whether more is held than may be, for this one.
func (b *body) full(held, most int64) bool {
	return held > most && (b.own > small || held > 2*most)
}

// drop says that what was read of it is held no longer.
func (b *body) drop() {
	b.of.held.Add(-b.own)
	if b.strange {
		b.of.strange.Add(-b.own)
	}
}
