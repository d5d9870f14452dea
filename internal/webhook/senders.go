package webhook

import (
	"maps"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

const (
	// knownFor is how long an address is known by a delivery that was verified.
	knownFor = 24 * time.Hour
	// mostKnown is how many are.
	mostKnown = 1000
)

// senders is the addresses from which deliveries of a system came that were verified. Once
// there is one, all others together get half of what there is: however many they are, they
// can't have those refused that are signed.
type senders struct {
	mu    sync.Mutex
	known map[netip.Addr]time.Time // when one was verified last
}

// strange reports whether an address is none of those that are known, where any is.
func (s *senders) strange(from netip.Addr, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok := s.known[from]; ok && now.Sub(at).Abs() < knownFor {
		return false
	}
	for _, at := range s.known {
		if now.Sub(at).Abs() < knownFor {
			return true
		}
	}
	return false
}

// verified notes that a delivery from an address was.
func (s *senders) verified(from netip.Addr, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[netip.Addr]time.Time{}
	}
	if s.known[from] = now; len(s.known) > mostKnown {
		maps.DeleteFunc(s.known, func(_ netip.Addr, at time.Time) bool { return now.Sub(at).Abs() >= knownFor })
	}
	for len(s.known) > mostKnown {
		oldest := from
		for one, at := range s.known {
			if at.Before(s.known[oldest]) {
				oldest = one
			}
		}
		delete(s.known, oldest)
	}
}

// senderOf is the address that a delivery came from. A proxy of the house, which has no public
// address, says whom it passes on in X-Forwarded-For; whoever else says so is not believed.
func senderOf(req *http.Request) netip.Addr {
	host, _, err := net.SplitHostPort(req.RemoteAddr)
	if err != nil {
		host = req.RemoteAddr
	}
	from, _ := netip.ParseAddr(host) // the zero address where it is none
	from = from.Unmap().WithZone("")
	if !from.IsLoopback() && !from.IsPrivate() {
		return from
	}
	said := strings.Join(req.Header.Values("X-Forwarded-For"), ",")
	last := strings.TrimSpace(said[strings.LastIndex(said, ",")+1:])
	if behind, err := netip.ParseAddr(last); err == nil {
		return behind.Unmap().WithZone("")
	}
	return from
}
