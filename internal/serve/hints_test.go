package serve

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/record"
)

// A record that others wait for is asked for again after a while, whoever waits, and
// at once when the clock was set back.
func TestChaseIsBounded(t *testing.T) {
	var c chase
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	w := record.Wait{Binding: "guests", Ref: record.Ref{Kind: "contacts", ID: "7"}}
	other := w
	other.Ref.ID = "8"
	for _, step := range []struct {
		name string
		w    record.Wait
		at   time.Duration
		want bool
	}{
		{"the first time", w, 0, true},
		{"right after", w, time.Second, false},
		{"by another that waits", record.Wait{Entry: 5, Binding: w.Binding, Ref: w.Ref, Since: now}, time.Second, false},
		{"another record", other, time.Second, true},
		{"later", w, chaseEvery, true},
		{"the clock was set back", w, 0, true},
	} {
		if got := c.again(step.w, now.Add(step.at)); got != step.want {
			t.Errorf("%s: got %v, want %v", step.name, got, step.want)
		}
	}
}

// A guest comes into the PMS only with a booking, and a list showed the guest before the
// booking was there. A hint at the guest that comes together with a hint at all guests is
// heeded for itself: the list shows nothing new.
func TestNamedGuestIsDecidedBesideAWholeList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newInn(t, told{}, func(n *inn) {
			n.edit("create: { platform: always, pms: always }\n    \n", "create: { platform: always, pms: when_referenced }\n")
		})
		defer n.stop()
		n.contact(1)
		other := n.contact(2)
		n.hint("guests", "contacts", "")
		n.pass(10 * time.Second)
		if got := n.count("guests"); got != 0 {
			t.Fatalf("guests in the PMS before any booking: got %d, want none", got)
		}
		release := n.standAt("/contacts/" + other)
		n.hint("guests", "contacts", other)
		n.pass(time.Second)
		n.hint("guests", "contacts", "")
		n.hint("reservations", "reservations", n.booking(phone(1))) // the guest it waits for is hinted at
		n.pass(time.Second)
		release()
		n.pass(10 * time.Second)
		if g, r := n.count("guests"), n.count("reservations"); g != 1 || r != 1 {
			t.Errorf("in the PMS: got %d guests and %d reservations, want one of each", g, r)
		}
	})
}

// standAt has what the platform is asked for at a path stand until it is released.
func (n *inn) standAt(path string) (release func()) {
	gate := make(chan struct{})
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fail = func(r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, path) {
			<-gate
		}
		return false
	}
	return func() { close(gate) }
}
