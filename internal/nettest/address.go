// Package nettest is what tests of several packages need of the network.
package nettest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// FreeAddress is an address of this machine at which nobody listens. Nobody is given it by
// the system either, to whoever asks for any port: those begin at 32768 or above.
func FreeAddress(t testing.TB) string {
	t.Helper()
	var last error
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(12_000)) //nolint:gosec // a port is no secret
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
		if err != nil {
			last = err
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return address
	}
	t.Fatalf("no port is free: %v", last)
	return ""
}
