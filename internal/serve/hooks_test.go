package serve

import (
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/internal/nettest"
	"nightporter/internal/signature"
)

// hooked is an inn whose platform calls it at an address, with the secret "first".
func hooked(t *testing.T, address string) (n *inn, secret string) {
	t.Helper()
	secret = filepath.Join(t.TempDir(), "secret")
	s := told{platform: hookedAt(address, secret), guests: "when: { webhook: platform }"}
	n = newInn(t, s, func(n *inn) { n.write(secret, "first") })
	return n, secret
}

func hookedAt(address, secret string) string {
	return fmt.Sprintf("webhooks: { listen: %q, public_url: \"https://hotel.example.com/in\", secret: %q }", address, "file:"+secret)
}

// deliver sends a delivery, signed by a secret, and gives the answer's status; 0 where
// nobody answers.
func deliver(t *testing.T, url, secret, body string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	signed := signature.Request{Method: req.Method, Header: req.Header, Body: []byte(body)}
	if err := signature.Presets["yourang"].Sign(signed, "", []string{secret}, time.Now()); err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return 0
	}
	if err := res.Body.Close(); err != nil {
		t.Error(err)
	}
	return res.StatusCode
}

// until waits for what others do.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	every, late := time.NewTicker(5*time.Millisecond), time.After(time.Minute)
	defer every.Stop()
	for !holds() {
		select {
		case <-every.C:
		case <-late:
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

// A signed webhook leads to the write on the other side; one that is forged to nothing.
func TestWebhookLeadsToTheWrite(t *testing.T) {
	address := nettest.FreeAddress(t)
	n, _ := hooked(t, address)
	defer n.stop()
	event := func(id string) string {
		return fmt.Sprintf(`{"id":"ev-%s","type":"contact.created","resource_id":%q}`, id, id)
	}
	if got := deliver(t, "http://"+address+"/hooks/platform", "a guess", event(n.contact(1))); got != http.StatusUnauthorized {
		t.Errorf("forged: got %d, want 401", got)
	}
	if got := deliver(t, "http://"+address+"/hooks/platform", "first", event(n.contact(2))); got != http.StatusAccepted {
		t.Errorf("signed: got %d, want 202", got)
	}
	if got := deliver(t, "http://"+address+"/in", "first", event(n.contact(3))); got != http.StatusAccepted {
		t.Errorf("signed, at the public address' path: got %d, want 202", got)
	}
	until(t, "two guests are made", func() bool { return n.count("guests") == 2 })
	if got := n.counted(); !strings.Contains(got, `nightporter_webhooks_total{result="forged",system="platform"} 1`) ||
		!strings.Contains(got, `nightporter_webhooks_total{result="kept",system="platform"} 2`) {
		t.Errorf("the numbers:\n%s", got)
	}
	until(t, "when it called is noted", func() bool {
		c, err := n.store.Called(t.Context())
		return err == nil && !c["platform"].Came.IsZero() && !c["platform"].Refused.IsZero()
	})
}

// counted is the numbers as they are scraped.
func (n *inn) counted() string {
	w := httptest.NewRecorder()
	n.handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	return w.Body.String()
}

// Secrets count as their files hold them; addresses and the names of secrets follow a
// reload, and one that is refused changes nothing.
func TestReloadChangesWebhooks(t *testing.T) {
	first, second, taken := nettest.FreeAddress(t), nettest.FreeAddress(t), nettest.FreeAddress(t)
	n, secret := hooked(t, first)
	defer n.stop()
	const ping = `{"type":"ping"}`
	status := func() []int {
		var got []int
		for _, address := range []string{first, second} {
			for _, s := range []string{"first", "second", "third"} {
				got = append(got, deliver(t, "http://"+address+"/hooks/platform", s, ping))
			}
		}
		return got
	}
	want := func(when string, want ...int) {
		t.Helper()
		if diff := cmp.Diff(want, status()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	want("at first", 202, 401, 401, 0, 0, 0)
	n.write(secret, "second")
	want("the file was replaced", 401, 202, 401, 0, 0, 0)

	other := filepath.Join(n.dir, "other")
	n.write(other, "third")
	n.edit(fmt.Sprintf("secret: %q", "file:"+secret), fmt.Sprintf("secret: [%q, %q]", "file:"+secret, "file:"+other))
	n.reload()
	want("a second secret", 401, 202, 202, 0, 0, 0)

	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", taken)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	n.edit(first, taken)
	if err := n.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), taken) || !strings.Contains(err.Error(), "systems.platform.webhooks.listen") {
		t.Errorf("an address that is taken: got %v, want it refused by name", err)
	}
	want("after a reload that was refused", 401, 202, 202, 0, 0, 0)
	n.edit(taken, second)
	n.reload()
	n.closing.Wait()
	want("another address", 0, 0, 0, 401, 202, 202)
	n.edit("webhooks: {", "override: { x: 1 } # {")
	if err := n.Reload(t.Context()); err == nil {
		t.Error("a mistake was loaded")
	}
	want("after a mistake", 0, 0, 0, 401, 202, 202)
	n.edit("override: { x: 1 } # {", "# {")
	n.reload()
	n.closing.Wait()
	want("no webhooks any more", 0, 0, 0, 0, 0, 0)
}

// What is being received when the daemon is told to stop is kept and answered.
func TestWebhooksAtTheEnd(t *testing.T) {
	address := nettest.FreeAddress(t)
	n, _ := hooked(t, address)
	statuses := make(chan int)
	for i := range 20 {
		go func() {
			statuses <- deliver(t, "http://"+address+"/in", "first", fmt.Sprintf(`{"type":"contact.updated","resource_id":"gone-%d"}`, i))
		}()
	}
	got := []int{<-statuses}
	n.stop()
	for range 19 {
		got = append(got, <-statuses)
	}
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(n.dir, "nightporter.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	kept, taken := 0, 0
	if err := db.QueryRow(`SELECT count(*) FROM hint WHERE id LIKE 'gone-%'`).Scan(&kept); err != nil {
		t.Fatal(err)
	}
	for _, status := range got {
		if status == http.StatusAccepted {
			taken++
		} else if status != 0 {
			t.Errorf("while it stopped: got %d, want 202 or nobody", status)
		}
	}
	if got[0] != http.StatusAccepted || kept < taken {
		t.Errorf("the first was answered %d; %d were taken, of which %d are kept", got[0], taken, kept)
	}
}
