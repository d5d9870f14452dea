package app

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors"
	"nightporter/internal/config"
	"nightporter/internal/signature"
	"nightporter/internal/webhook"
	"nightporter/simulator"
	"nightporter/sync/record"
)

const hookedText = `
time_zone: UTC
systems:
  platform:
    preset: %s
    base_url: http://127.0.0.1:1
    key: file:%s
    webhooks: { listen: "127.0.0.1:8081", secret: file:%s%s }
  pms:
    type: sqlite
    address: pms.db
    tables: { guests: { table: guests, key: id }, stays: { table: stays, key: id } }
jobs:
  guests:
    kind: contact
    between: { platform: contacts, pms: guests }
    match: [phone]
    create: { platform: always, pms: always }
    when: { platform: "webhook, or every 2m", full: "03:30" }
    fields: { phone: { platform: phone_number, pms: phone, region: IT } }
  quiet:
    kind: contact
    between: { pms: stays, platform: reservations }
    match: [phone]
    create: { platform: always, pms: always }
    fields: { phone: { platform: client_phone_number, pms: phone, region: IT } }
`

// hooked is a configuration whose webhooks say more than the least, with a secret.
func hooked(t *testing.T, preset, more, secret string) *config.Config {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "secret")
	if err := os.WriteFile(path, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse(filepath.Join(dir, "nightporter.yaml"), fmt.Appendf(nil, hookedText, preset, path, path, more), nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// What the configuration does not say comes from the preset; jobs that don't wait for
// the system hear nothing of it.
func TestWebhooksFromThePreset(t *testing.T) {
	all, err := Webhooks(hooked(t, "platform", `, kinds: { Guest: contacts, user: reservations }, places: { record: guest.no }, per_second: 7, max_body: 90`, "hunter2"))
	if err != nil || len(all) != 1 {
		t.Fatalf("got %d sources (%v), want the platform", len(all), err)
	}
	s := all[0]
	if diff := cmp.Diff(signature.Presets["yourang"], s.Scheme); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]record.Kind{"contact": "contacts", "booking": "reservations", "guest": "contacts", "user": "reservations"} {
		if s.Kinds[name] != want {
			t.Errorf("%s is %q, want %s", name, s.Kinds[name], want)
		}
	}
	if diff := cmp.Diff(map[record.Kind][]record.Place{"contacts": {{Binding: "guests", Side: record.Left}}}, s.Places); diff != "" {
		t.Error(diff)
	}
	want := webhook.AnyShape
	want.Record = []string{"guest.no"}
	if diff := cmp.Diff(want, s.Shape); diff != "" || s.PerSecond != 7 || s.MostBytes != 90 {
		t.Errorf("%s%v a second, %d bytes", diff, s.PerSecond, s.MostBytes)
	}
}

// A secret that was replaced counts at once; one that is missing costs not the others.
func TestWebhookSecretsAreReadAnew(t *testing.T) {
	cfg := hooked(t, "platform", "", "hunter2")
	first := cfg.Systems[0].Webhooks.Secrets[0]
	second := filepath.Join(filepath.Dir(cfg.Path), "second")
	cfg.Systems[0].Webhooks.Secrets = []string{"file:" + second, first}
	all, err := Webhooks(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := all[0].Secrets(); err == nil || !cmp.Equal(got, []string{"hunter2"}) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("one is missing: got %d secrets and %v", len(got), err)
	}
	if err := os.WriteFile(second, []byte("hunter3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := all[0].Secrets(); err != nil || !cmp.Equal(got, []string{"hunter3", "hunter2"}) {
		t.Errorf("both are there: got %d secrets and %v", len(got), err)
	}
}

// What can't work is found by check, with its line.
func TestCheckWebhooks(t *testing.T) {
	bare := filepath.Join(t.TempDir(), "own.yaml")
	for name, tt := range map[string]struct{ preset, own, more, secret, want string }{
		"all is well":                 {preset: "platform", secret: "hunter2"},
		"no signature":                {own: "{}", secret: "hunter2", want: ":8: systems.platform.webhooks.signature: missing"},
		"a signature of nothing":      {own: "{ signature: stripy, kinds: { a: contacts } }", secret: "hunter2", want: `signature: the preset of platform says "stripy"`},
		"no kinds":                    {own: "{ signature: github }", secret: "hunter2", want: ":8: systems.platform.webhooks.kinds: missing"},
		"no public address":           {own: "{ signature: hubspot_v3, kinds: { a: contacts } }", secret: "hunter2", want: "public_url: missing"},
		"a subscription":              {preset: "platform", more: `, public_url: "https://h.example.com/in", subscribe: usual`, secret: "hunter2"},
		"no list of subscriptions":    {own: "{ signature: github, kinds: { a: contacts } }", more: `, public_url: "https://h.example.com/in", subscribe: usual`, secret: "hunter2", want: ":8: systems.platform.webhooks.subscribe: the preset of platform does not say how a subscription is made"},
		"no event that is waited for": {own: "{ signature: github, kinds: { a: contacts }, subscriptions: { api: { path: /w, list: { items: data, paging: none }, create: {}, delete: { path: \"/w/{id}\" } }, url: u, ask_for: [b.made] } }", more: `, public_url: "https://h.example.com/in", subscribe: usual`, secret: "hunter2", want: "subscribe: no event of the preset of platform is about a kind that a job waits for"},
		"a secret cut off":            {preset: "platform", more: ", signature: standard", secret: "whsec_hunter2!", want: "webhooks.secret: a secret that begins with whsec_"},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.own != "" {
				text := "auth: { type: bearer }\nwebhooks: " + tt.own + "\nkinds: { contacts: { path: /c, list: { items: data, paging: none } }, reservations: { path: /r, list: { items: data, paging: none } } }\n"
				if err := os.WriteFile(bare, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				tt.preset = "file:" + bare
			}
			cfg := hooked(t, tt.preset, tt.more, tt.secret)
			var wrong []string
			for _, f := range CheckFile(cfg) {
				if f.Wrong {
					wrong = append(wrong, f.Text)
				}
			}
			text := strings.Join(wrong, "\n")
			if len(wrong) > 1 || !strings.Contains(text, tt.want) || (tt.want == "") != (text == "") || strings.Contains(text, "hunter2") {
				t.Errorf("got %q, want %q", wrong, tt.want)
			}
		})
	}
}

// Of the preset's events those are asked for that a job waits for; where the system has
// no place for a note our mark stands in the address.
func TestWantOf(t *testing.T) {
	cfg := hooked(t, "platform", `, public_url: "https://h.example.com/in?v=1", subscribe: usual`, "hunter2")
	all, err := Webhooks(cfg)
	if err != nil {
		t.Fatal(err)
	}
	w := cfg.Systems[0].Webhooks
	means := connectors.SubscriptionMeans{Note: true, Events: []string{"contact.created", "event.created", "Contacts/updated", "call.ended"}}
	got := wantOf(w, all[0], subscribable{means: means}, "np:abcdefgh/platform")
	if diff := cmp.Diff([]string{"contact.created", "Contacts/updated"}, got.Events); diff != "" || got.URL != w.PublicURL {
		t.Errorf("%s: %s", got.URL, diff)
	}
	means.Note = false
	w.Subscribe.Events = []string{"x"}
	got = wantOf(w, all[0], subscribable{means: means}, "np:abcdefgh/platform")
	if want := "https://h.example.com/in?v=1&nightporter=np%3Aabcdefgh%2Fplatform"; got.URL != want || !cmp.Equal(got.Events, []string{"x"}) {
		t.Errorf("got %v, want %s", got, want)
	}
}

type subscribable struct {
	connectors.Subscriptions
	means connectors.SubscriptionMeans
}

func (l subscribable) Means() connectors.SubscriptionMeans { return l.means }

// check --online says what serve will meet at the platform, and changes nothing there.
func TestCheckOnlineOfASubscription(t *testing.T) {
	const public = "https://h.example.com/in"
	for name, tt := range map[string]struct {
		status int
		others int
		want   string
		wrong  bool
	}{
		"it is offered":           {},
		"it is not":               {status: 405, want: "it offers no list of webhook subscriptions to this key"},
		"it can't be asked":       {status: 401, want: "webhooks.subscribe: list webhook subscriptions", wrong: true},
		"others have our address": {others: 2, want: "subscriptions with our address and without our mark are there (2)"},
	} {
		t.Run(name, func(t *testing.T) {
			sim := simulator.New(simulator.Options{})
			if tt.status != 0 {
				sim.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Path: "/webhooks", Status: tt.status})
			}
			for range tt.others {
				sim.Subscribe(simulator.Subscription{URL: public, Events: []string{"x"}})
			}
			cfg := hooked(t, "platform", `, public_url: "`+public+`", subscribe: usual`, simulator.DefaultKey)
			out, err := CheckOnline(t.Context(), cfg, Options{Transport: func(string) http.RoundTripper { return sim.Transport() }})
			if err != nil {
				t.Fatal(err)
			}
			var found []Finding
			for _, f := range out.Findings {
				if strings.Contains(f.Text, "subscri") {
					found = append(found, f)
				}
			}
			if (tt.want == "") != (len(found) == 0) || len(found) > 0 && (!strings.Contains(found[0].Text, tt.want) || found[0].Wrong != tt.wrong) {
				t.Errorf("got %+v, want %q", found, tt.want)
			}
			if n := sim.Counts().Mutating; n != 0 {
				t.Errorf("%d requests changed something", n)
			}
		})
	}
}
