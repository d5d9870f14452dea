package serve

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/simulator"
	"nightporter/sync/record"
)

// A list that shows the newest first and grows with each request is read, whatever moves
// in it: what is new is carried, and no run blames the offset.
func TestOutside32ListGrowsWhileItIsRead(t *testing.T) {
	for name, grows := range map[string]int{"a row a request": 1, "a few": 3, "a page": 10} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				next := 1000
				n := newInn(t, told{platform: "override: { kinds: { contacts: { list: { has_more: null, total: null } } } }"}, func(n *inn) {
					n.sim = simulator.New(simulator.Options{Order: simulator.CreatedDesc})
					for i := range 95 {
						n.contact(i)
					}
					n.fail = func(r *http.Request) bool {
						if strings.HasSuffix(r.URL.Path, "/contacts") && next < 1090 {
							for range grows {
								n.contact(next)
								next++
							}
						}
						return false
					}
				})
				defer n.stop()
				for range 3 {
					n.hint("guests", "contacts", "")
					n.pass(time.Minute)
				}
				runs, err := n.store.Runs(t.Context(), "guests", 100)
				if err != nil {
					t.Fatal(err)
				}
				for _, run := range runs {
					if run.Outcome == record.Failed {
						t.Errorf("a run failed: %s", run.Error)
					}
				}
				next = 2000 // it grows no more
				n.hint("guests", "contacts", "")
				n.pass(time.Hour)
				if got, want := n.count("guests"), n.sim.Len("contacts"); got != want || got < 100 {
					t.Errorf("guests once the list is quiet: got %d, want %d", got, want)
				}
			})
		})
	}
}
