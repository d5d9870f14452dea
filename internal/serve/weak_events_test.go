package serve

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// choosy is a receiver that refuses what is about a record.
type choosy struct {
	mu      sync.Mutex
	refuses string   // the id of the record, as the event names it
	came    []string // ids of events, in their order
	took    []string // their bodies
}

func (c *choosy) RoundTrip(r *http.Request) (*http.Response, error) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.came = append(c.came, r.Header.Get("webhook-id"))
	status := http.StatusOK
	if c.refuses != "" && strings.Contains(string(text), `"`+c.refuses+`"`) {
		status = http.StatusUnprocessableEntity
	} else {
		c.took = append(c.took, string(text))
	}
	return &http.Response{StatusCode: status, Body: http.NoBody, Request: r}, nil
}

func (c *choosy) refuse(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refuses = id
}

// about is how many of the events that were taken are about a record, and in what order they
// were made.
func (c *choosy) about(id string) (ops []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range c.took {
		if strings.Contains(text, `"`+id+`"`) {
			_, op, _ := strings.Cut(text, `"op":"`)
			op, _, _ = strings.Cut(op, `"`)
			ops = append(ops, op)
		}
	}
	return ops
}

// An event that a receiver refuses holds back those about the same record, and no others; they
// arrive in their order once it is taken.
func TestWeakRefusedEventHoldsItsRecordAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &choosy{}
		n := newInn(t, told{top: "events:\n  " + n8n, guests: "when: { platform: every 1m }"}, func(n *inn) {
			n.events = d
			n.write(n.dir+"/secret", "whsec_c2VjcmV0")
		})
		defer n.stop()
		n.pass(5 * time.Second)
		first := n.contact(1)
		d.refuse(first)
		n.hint("guests", "contacts", first)
		n.pass(2 * time.Second)
		second := n.contact(2)
		n.hint("guests", "contacts", second)
		n.pass(10 * time.Second)
		if got := d.about(second); !slices.Equal(got, []string{"create"}) {
			t.Fatalf("of the second guest %q arrived, want the create", got)
		}
		for _, id := range []string{first, second} {
			n.sim.Edit("contacts", id, map[string]any{"last_name": "Neri"})
			n.hint("guests", "contacts", id)
		}
		n.pass(10 * time.Second)
		if one, other := d.about(first), d.about(second); len(one) != 0 || !slices.Equal(other, []string{"create", "update"}) {
			t.Errorf("of the first %q arrived and of the second %q, want none and both", one, other)
		}
		d.refuse("")
		n.pass(10 * time.Minute)
		if got := d.about(first); !slices.Equal(got, []string{"create", "update"}) {
			t.Errorf("of the first %q arrived in the end, want both in their order", got)
		}
	})
}
