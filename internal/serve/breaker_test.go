package serve

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors"
)

func away(host string) error {
	return &connectors.Error{Class: connectors.Transient, Op: "fetch guests", Host: host, Err: errors.New("unreachable")}
}

// Three runs in a row find a system away: then one run alone tries it, ever more
// seldom, and when it answers all the others are tried at once.
func TestBreaker(t *testing.T) {
	now := time.Date(2011, 3, 1, 12, 0, 0, 0, time.UTC)
	var b breakers
	guests, stays, whole := attempt{"guests", "left"}, attempt{"stays", "left"}, attempt{"guests", "full"}
	kick, other := attempt{"stays", "kick"}, attempt{"guests", "right"}
	rests := func(want bool, try attempt) {
		t.Helper()
		if _, _, got := b.rests(try, now); got != want {
			t.Errorf("%s: %v rests: %t, want %t", now.Format(time.TimeOnly), try, got, want)
		}
	}
	if b.failed(guests, away("a"), now) || b.failed(kick, away("a"), now) || b.failed(stays, away("a"), now) {
		t.Error("open after two failures of cadences")
	}
	rests(false, guests)
	if !b.failed(guests, away("a"), now) {
		t.Error("closed after three failures")
	}
	if b.failed(stays, away("a"), now) {
		t.Error("opened twice")
	}
	rests(true, guests)
	rests(true, stays)
	rests(false, kick)
	rests(false, other)
	if got := b.due(now); len(got) > 0 {
		t.Errorf("%v are due at once", got)
	}
	now = now.Add(2 * firstProbe)
	if got := b.due(now); len(got) != 1 {
		t.Errorf("%v are due, want one", got)
	}
	if got := b.due(now); len(got) > 0 {
		t.Errorf("%v are due once more", got)
	}
	rests(false, stays) // the one that tries
	rests(true, guests)
	b.failed(stays, away("a"), now)
	rests(true, stays)
	now = now.Add(-time.Hour) // the clock is set back
	rests(false, guests)
	if got := b.open(); len(got) != 1 || got[0].System != "a" || got[0].Fails != 5 {
		t.Errorf("open: %+v", got)
	}
	if free, closed := b.ended(kick); len(closed)+len(free) > 0 {
		t.Error("closed by a kick, which may have had nothing to ask for")
	}
	if free, closed := b.ended(other); len(closed)+len(free) > 0 {
		t.Error("closed by a run that reads the other side")
	}
	free, closed := b.ended(whole)
	if diff := cmp.Diff([]attempt{guests, stays}, free, cmp.AllowUnexported(attempt{})); diff != "" || len(closed) != 1 || closed[0] != "a" {
		t.Errorf("closed: %v; tried at once (-want +got):\n%s", closed, diff)
	}
	rests(false, guests)
}

// What is not about the line opens nothing.
func TestBreakerIsForSystemsThatAreAway(t *testing.T) {
	var b breakers
	for range 10 {
		for _, class := range []connectors.ErrorClass{connectors.Unauthorized, connectors.Rejected, connectors.Throttled, connectors.Malformed} {
			b.failed(attempt{"guests", "left"}, &connectors.Error{Class: class, Host: "a", Err: errors.New("no")}, time.Now())
		}
		b.failed(attempt{"guests", "left"}, errors.New("the state is full"), time.Now())
	}
	if got := b.open(); len(got) > 0 {
		t.Errorf("open: %+v", got)
	}
	for range 3 {
		b.failed(attempt{"guests", "left"}, away("a"), time.Now())
	}
	b.keep(map[attempt]bool{{"stays", "left"}: true})
	if got := b.open(); len(got) > 0 {
		t.Errorf("open for a job that is no more: %+v", got)
	}
}
