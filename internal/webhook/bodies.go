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
	most int64
	held atomic.Int64
}

// body is that of one delivery: reading it ends with errFull where too much is held.
type body struct {
	io.Reader
	of  *bodies
	own int64
}

func (b *bodies) open(r io.Reader) *body { return &body{Reader: r, of: b} }

// Read reads on.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.own += int64(n)
	held := b.of.held.Add(int64(n))
	if held > b.of.most && (b.own > small || held > 2*b.of.most) {
		return n, errFull
	}
	return n, err
}

// drop says that what was read of it is held no longer.
func (b *body) drop() { b.of.held.Add(-b.own) }
