package serve

import (
	"context"
	"database/sql"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/simulator"
)

// uncalled is an address at which nobody calls, without a socket.
type uncalled struct {
	once sync.Once
	shut chan struct{}
}

func (u *uncalled) Accept() (net.Conn, error) {
	<-u.shut
	return nil, net.ErrClosed
}

func (u *uncalled) Close() error {
	u.once.Do(func() { close(u.shut) })
	return nil
}

func (*uncalled) Addr() net.Addr { return &net.TCPAddr{} }

// subscribing is an inn in a bubble that has its platform call it about guests, whose job
// is run by nothing else. Its subscription was made, and what was there before was read.
func subscribing(t *testing.T) *inn {
	t.Helper()
	s := told{
		platform: `webhooks: { listen: "127.0.0.1:1", public_url: "https://hotel.example.com/in", subscribe: { events: [contact.created] } }`,
		guests:   "when: { webhook: platform }",
	}
	n := newInn(t, s, func(n *inn) {
		n.listen = func(context.Context, string) (net.Listener, error) { return &uncalled{shut: make(chan struct{})}, nil }
	})
	n.pass(time.Minute)
	if subs := n.sim.Subscriptions(); len(subs) != 1 || !subs[0].Active {
		t.Fatalf("got subscriptions %v, want ours", subs)
	}
	return n
}

// unhear has somebody turn our subscription off, and a guest come of whom nobody tells.
func (n *inn) unhear() {
	n.sim.EditSubscription(n.sim.Subscriptions()[0].ID, func(s *simulator.Subscription) { s.Active = false })
	n.contact(1)
}

// What nobody told while the subscription was off is asked for again, and soon, where that
// could not be written, and no more once it was.
func TestUnheardIsAskedForAgain(t *testing.T) {
	for name, what := range map[string]string{
		"the hint":            "INSERT ON hint",
		"the call for a run":  "INSERT ON call",
		"that it was written": `UPDATE ON setting WHEN new.name = 'subscription:platform' AND new.value NOT LIKE '%"unheard"%'`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := subscribing(t)
				defer n.stop()
				n.unhear()
				mend := n.refuse(what)
				n.pass(9*time.Minute + 30*time.Second) // it was looked at, and mended
				mend()
				if !n.sim.Subscriptions()[0].Active {
					t.Fatal("the subscription was not mended")
				}
				n.pass(2 * time.Minute)
				if got := n.count("guests"); got != 1 {
					t.Errorf("got %d guests, want the one of whom nobody told", got)
				}
				from := time.Now()
				n.pass(time.Hour)
				if got := len(n.since(from, "/contacts")); got > 0 {
					t.Errorf("requests for contacts later on: got %d, want none", got)
				}
			})
		})
	}
}

// A stop while the mended subscription is looked at once more leaves what nobody told to
// be read by the next process.
func TestUnheardAsItStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := subscribing(t)
		n.unhear()
		again := make(chan struct{}, 1)
		n.mu.Lock()
		n.fail = func(r *http.Request) bool {
			last := r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/webhooks") && n.sim.Subscriptions()[0].Active
			if last {
				again <- struct{}{}
				<-r.Context().Done()
			}
			return last
		}
		n.mu.Unlock()
		<-again
		n.stop()
		db, err := sql.Open("sqlite3", "file:"+filepath.Join(n.dir, "nightporter.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var kept int
		if err := db.QueryRow(`SELECT count(*) FROM hint WHERE kind = 'contacts' AND id = '' AND done IS NULL`).Scan(&kept); err != nil {
			t.Fatal(err)
		}
		if kept != 1 {
			t.Errorf("got %d hints at all contacts, want one", kept)
		}
	})
}
