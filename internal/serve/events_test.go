package serve

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// desk is whom others are told at: it notes what comes, and hangs at hosts that say so.
type desk struct {
	mu   sync.Mutex
	came []string // "host type job"
}

var ofEvent = regexp.MustCompile(`"type":"(\w+)".*"job":"(\w+)"`)

func (d *desk) RoundTrip(r *http.Request) (*http.Response, error) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	m := ofEvent.FindStringSubmatch(string(text))
	d.mu.Lock()
	d.came = append(d.came, fmt.Sprintf("%s %s %s", r.URL.Hostname(), m[1], m[2]))
	d.mu.Unlock()
	if strings.HasPrefix(r.URL.Host, "hangs") {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}

// got is what came since it was asked last.
func (d *desk) got() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	text := strings.Join(d.came, ", ")
	d.came = nil
	return text
}

// telling is an inn that tells a desk, as the destinations say.
func telling(t *testing.T, destinations string) (*inn, *desk) {
	t.Helper()
	d := &desk{}
	n := newInn(t, told{top: "events:\n  " + destinations, guests: "when: { platform: every 1m }"}, func(n *inn) {
		n.events = d
		n.write(filepath.Join(n.dir, "secret"), "whsec_c2VjcmV0")
	})
	return n, d
}

const n8n = `n8n: { url: "https://n8n.example.com/x", secret: file:secret }`

// What a run did is told after it, while another destination hangs; and that one keeps
// neither runs nor the end of the service waiting.
func TestServeTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, d := telling(t, n8n+"\n  silent: { url: \"https://hangs.example.com/\", secret: file:secret }")
		n.pass(5 * time.Second)
		n.hint("guests", "contacts", n.contact(1))
		begun := time.Now()
		n.pass(time.Second)
		if got := d.got(); !strings.Contains(got, "n8n.example.com pushed guests") || !strings.Contains(got, "hangs.example.com pushed guests") {
			t.Errorf("told within %s: %q", time.Since(begun), got)
		}
		n.hint("guests", "contacts", n.contact(2))
		n.pass(time.Second)
		if got := d.got(); got != "n8n.example.com pushed guests" || n.count("guests") != 2 {
			t.Errorf("while one hangs: %q, and %d guests", got, n.count("guests"))
		}
		text := n.counted()
		for _, want := range []string{
			`nightporter_events_total{destination="n8n",result="sent"} 2`, `nightporter_events{destination="silent",state="waiting"} 2`,
			`nightporter_events_gone{destination="n8n"} 0`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("the numbers have no %s", want)
			}
		}
		begun = time.Now()
		n.stop()
		if took := time.Since(begun); took > 2*time.Second {
			t.Errorf("it ended after %s", took)
		}
	})
}

// A reload says whom to tell from then on; one that is wrong changes nothing.
func TestReloadChangesWhoIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, d := telling(t, n8n)
		defer n.stop()
		push := func(i int) string {
			n.hint("guests", "contacts", n.contact(i))
			n.pass(2 * time.Second)
			return d.got()
		}
		n.pass(5 * time.Second)
		if got := push(1); got != "n8n.example.com pushed guests" {
			t.Errorf("at first: %q", got)
		}
		n.edit("secret: file:secret }", "secret: file:secret, body: '{{.data.nothing}}' }")
		if err := n.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "events.n8n.body") || !strings.Contains(err.Error(), "nightporter.yaml:") {
			t.Errorf("a template that does not fit: got %v, want it refused by its line", err)
		}
		if got := push(2); got != "n8n.example.com pushed guests" {
			t.Errorf("after a reload that was refused: %q", got)
		}
		n.edit("body: '{{.data.nothing}}'", "about: halt")
		n.edit("events:\n", "events:\n  make: { url: \"https://make.example.com/\", secret: file:secret, jobs: guests }\n")
		n.reload()
		if got := push(3); got != "make.example.com pushed guests" {
			t.Errorf("with another destination: %q", got)
		}
		n.edit("events:\n", "x: # {\n")
		if err := n.Reload(t.Context()); err == nil {
			t.Error("a mistake was loaded")
		}
	})
}
