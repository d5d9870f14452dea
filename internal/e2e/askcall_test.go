package e2e

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/internal/nettest"
	"nightporter/internal/signature"
	"nightporter/simulator"
)

const askedConfig = `
time_zone: Europe/Rome
first_run: go
settle: 1s
systems:
  platform:
    preset: %s
    base_url: %s
    key: file:%s
  desk:
    type: requests
    address: desk.db
    webhooks: { listen: %q, secret: "file:%s", signature: yourang }
jobs:
  outbound:
    kind: record
    between: { desk: calls, platform: outbound_calls }
    match: [request]
    create: { desk: never, platform: always }
    gone: { desk: ignore, platform: ignore }
    when: { platform: every 1h, desk: webhook }
    %s
    fields:
      request:   { desk: id,        platform: custom_context.request, to: platform }
      phone:     { desk: number,    platform: phone_number, to: platform, region: IT }
      text:      { desk: text,      platform: custom_context.text, to: platform }
      call_id:   { desk: call_id,   platform: id, to: desk }
      outcome:   { desk: outcome,   platform: outcome, to: desk }
      summary:   { desk: summary,   platform: summary, to: desk }
`

// Calls that a webhook asks for are placed once each, however often it is delivered, and
// only if it is signed.
func TestCallsAskedForByWebhook(t *testing.T) {
	for preset, more := range map[string]string{"platform": "", "yourang": "on_create: { platform: { configuration_id: front-desk } }"} {
		t.Run(preset, func(t *testing.T) {
			h := &house{t: t, dir: t.TempDir(), sim: simulator.New(simulator.Options{IDs: simulator.Sequential, Dialect: simulator.Dialect(preset)})}
			srv := httptest.NewServer(h.sim)
			t.Cleanup(srv.Close)
			address := nettest.FreeAddress(t)
			key, secret := filepath.Join(h.dir, "key"), filepath.Join(h.dir, "secret")
			h.write(key, simulator.DefaultKey)
			h.write(secret, hookSecret)
			h.config = fmt.Sprintf(askedConfig, preset, srv.URL, key, address, secret, more)
			h.sync() // whole lists were read before anybody asks
			s := h.serve()
			url := "http://" + address + "/hooks/desk"
			for _, c := range []struct {
				body, secret string
				want         int
			}{
				{`{"event_id":"1","number":"055 0000001","text":"your table is ready"}`, hookSecret, http.StatusAccepted},
				{`{"event_id":"1","number":"055 0000001","text":"your table is ready"}`, hookSecret, http.StatusAccepted},
				{`{"event_id":"2","number":"055 0000001"}`, "another secret", http.StatusUnauthorized},
				{`{"event_id":"3","number":"the desk"}`, hookSecret, http.StatusBadRequest},
				{`{"event_id":"4","data":{"to_number":"+39 055 0000002","by":"n8n"}}`, hookSecret, http.StatusAccepted},
				{`{"event_id":"1","number":"055 0000003"}`, hookSecret, http.StatusBadRequest}, // no repetition, and never placed
				{`{"event_id":"1","number":"+39 055 0000001"}`, hookSecret, http.StatusAccepted},
				{`{"id":"1","number":"055 0000003"}`, hookSecret, http.StatusBadRequest},
			} {
				if got := post(t, url, c.body, c.secret); got != c.want {
					t.Errorf("%s: answered %d, want %d", c.body, got, c.want)
				}
			}
			var err error
			if h.db, err = sql.Open("sqlite3", "file:"+filepath.Join(h.dir, "desk.db")+"?_busy_timeout=5000"); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { h.db.Close() })
			h.await(20*time.Second, "both calls are placed", func() bool { return len(h.sim.Placed()) == 2 })
			s.stop()
			h.sync()
			if n := h.one(`SELECT count(*) FROM calls WHERE outcome = 'answered' AND summary = 'They will come.' AND call_id <> ''`); n != "2" {
				t.Errorf("%s results were written back, want 2", n)
			}
			var to []string
			for _, p := range h.sim.Placed() {
				to = append(to, p.To)
			}
			if got := strings.Join(to, " "); got != "+390550000001 +390550000002" {
				t.Errorf("placed %s", got)
			}
		})
	}
}

func post(t *testing.T, url, body, secret string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	signed := signature.Request{Method: req.Method, Header: req.Header, Body: []byte(body)}
	if err := signature.Presets["yourang"].Sign(signed, "", []string{secret}, time.Now()); err != nil {
		t.Fatal(err)
	}
	res, err := (&http.Client{}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}
