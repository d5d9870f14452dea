package config

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/internal/signature"
)

// hooked is base with webhooks of the platform and a job that waits for them.
func hooked(webhooks string) []string {
	return []string{
		`key: "env:KEY" }`, `key: "env:KEY", webhooks: { ` + webhooks + ` } }`,
		"    kind: contact", "    kind: contact\n    when: { webhook: platform, full: \"03:30\" }",
	}
}

func TestWebhooks(t *testing.T) {
	const least = `listen: "127.0.0.1:8081", secret: file:hook.secret`
	secret := []string{"file:" + filepath.Join("conf", "hook.secret")}
	stripe := signature.Presets["stripe"]
	ours := stripe
	ours.Header, ours.Prefix, ours.Tolerance = "X-Ours", "", time.Hour
	for name, tt := range map[string]struct {
		said string
		want Webhooks
	}{
		"the least": {least, Webhooks{Secrets: secret, Paths: []string{"/hooks/platform"}}},
		"all of it": {
			`listen: "127.0.0.1:8081", public_url: "https://h.example.com/in/pms?v=1", secret: [env:OLD, env:NEW], signature: stripe,
    places: { name: what, record: [data.id, "data.{resource}_id"] }, kinds: { Guest: contacts, stay: reservations }, per_second: 10, max_body: 2000`,
			Webhooks{
				Secrets: []string{"env:OLD", "env:NEW"}, Paths: []string{"/hooks/platform", "/in/pms"}, PublicURL: "https://h.example.com/in/pms?v=1",
				Signature: &stripe, Places: Places{Name: []string{"what"}, Record: []string{"data.id", "data.{resource}_id"}},
				Kinds: map[string]string{"guest": "contacts", "stay": "reservations"}, PerSecond: 10, MaxBody: 2000,
			},
		},
		"a scheme laid over a preset's": {
			least + `, signature: { preset: stripe, header: X-Ours, prefix: "", tolerance: 1h }`,
			Webhooks{Secrets: secret, Paths: []string{"/hooks/platform"}, Signature: &ours},
		},
		"a scheme of its own": {
			least + `, signature: { header: X-Sig, signed: "{body}", hash: sha512, encoding: base64 }`,
			Webhooks{
				Secrets: secret, Paths: []string{"/hooks/platform"},
				Signature: &signature.Scheme{Header: "X-Sig", Signed: "{body}", Hash: "sha512", Encoding: "base64"},
			},
		},
		"a subscription as is usual": {
			`listen: "127.0.0.1:8081", public_url: "https://hooks.example.com/hooks/platform", subscribe: usual`,
			Webhooks{
				Paths: []string{"/hooks/platform"}, PublicURL: "https://hooks.example.com/hooks/platform",
				Subscribe: &Subscribe{Line: 3, Rotate: 90 * 24 * time.Hour, Overlap: 24 * time.Hour, Check: 10 * time.Minute},
			},
		},
		"a subscription in all its words": {
			least + `, public_url: "https://hooks.example.com/hooks/platform", subscribe: { events: [contact.created, event.created], rotate: 0s, overlap: 2h, check: 1m }`,
			Webhooks{
				Secrets: secret, Paths: []string{"/hooks/platform"}, PublicURL: "https://hooks.example.com/hooks/platform",
				Subscribe: &Subscribe{Line: 3, Events: []string{"contact.created", "event.created"}, Overlap: 2 * time.Hour, Check: time.Minute},
			},
		},
		"an address without a path": {
			least + `, public_url: "https://hooks.example.com"`,
			Webhooks{Secrets: secret, Paths: []string{"/hooks/platform", "/"}, PublicURL: "https://hooks.example.com"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := parse(t, changed(t, hooked(tt.said)...))
			tt.want.Line, tt.want.Listen = 3, "127.0.0.1:8081"
			s, _ := c.System("platform")
			if diff := cmp.Diff(&tt.want, s.Webhooks); diff != "" {
				t.Errorf("webhooks (-want +got):\n%s", diff)
			}
			if len(c.Warnings) > 0 {
				t.Errorf("warnings: %v", c.Warnings)
			}
			refs := 0
			for _, s := range c.Secrets() {
				if s.Key == "systems.platform.webhooks.secret" {
					refs++
				}
			}
			if refs != len(tt.want.Secrets) {
				t.Errorf("%d of %d secrets are looked at", refs, len(tt.want.Secrets))
			}
		})
	}
}

// Who waits for nobody, and who calls nobody, is worth a word with its line.
func TestWebhooksThatNobodyWaitsFor(t *testing.T) {
	for name, tt := range map[string]struct {
		edit []string
		want string
	}{
		"under webhook": {
			[]string{"    kind: contact", "    kind: contact\n    when: { webhook: platform, full: \"03:30\" }"},
			"config.yaml:15: jobs.guests.when.webhook: webhook: nothing says how platform calls us",
		},
		"in a cadence": {
			[]string{"    kind: contact", "    kind: contact\n    when:\n      full: \"03:30\"\n      platform: webhook, or every 2m"},
			"config.yaml:17: jobs.guests.when.platform: webhook: nothing says how platform calls us",
		},
		"no job waits": {
			hooked(`listen: "127.0.0.1:8081", secret: env:HOOK`)[:2],
			"config.yaml:3: systems.platform.webhooks: no job waits for them",
		},
		"over plain http": {
			hooked(`listen: "127.0.0.1:8081", secret: env:HOOK, public_url: "http://hotel.example.com/hooks"`),
			"config.yaml:3: systems.platform.webhooks.public_url: http without s",
		},
	} {
		c := parse(t, changed(t, tt.edit...))
		if len(c.Warnings) != 1 || !strings.Contains(strings.ReplaceAll(c.Warnings[0].String(), filepath.Join("conf", "nightporter.yaml"), "config.yaml"), tt.want) {
			t.Errorf("%s: got %v, want %q", name, c.Warnings, tt.want)
		}
	}
}

// badWebhooks are wrong edits of the part about webhooks.
func badWebhooks() []edit {
	const line = "config.yaml:3: systems.platform.webhooks"
	pms := func(said string) []string {
		return []string{"    user: np", "    user: np\n    webhooks: { " + said + " }", "    kind: contact", "    kind: contact\n    when: { webhook: pms, full: \"03:30\" }"}
	}
	return []edit{
		{
			name: "webhooks that stand at the top", edit: []string{"systems:", "webhooks: {}\nsystems:"},
			want: []string{"config.yaml:2: webhooks: unknown key here: webhooks stand under the system that sends them, systems.<name>.webhooks"},
		},
		{
			name: "webhooks without anything", edit: hooked(""),
			want: []string{
				line + ".listen: missing: where the system is waited for on this machine, such as 127.0.0.1:8081",
				line + ".secret: missing: the secret that it signs with, such as file:/etc/nightporter/webhook.secret",
			},
		},
		{
			name: "webhooks with mistakes in each key",
			edit: hooked(`listen: "8081", secret: [hunter2, 77], signature: strype, places: { record: ["data.{kind}"], name: "{resource}" }, kinds: { a: contacts, A: contacts }, per_second: 0, max_body: -1`),
			want: []string{
				line + ".kinds.A: capitals make no difference here, and \"a\" is there already: delete one",
				line + ".listen: \"8081\" is no address: write 127.0.0.1:8390",
				line + ".max_body: must be 1 or more",
				line + ".per_second: must be 1 or more",
				line + ".places.name: \"{resource}\" is no place: write names with dots between them, such as data.id; in record {resource} stands for what the event is about",
				line + ".places.record: \"data.{kind}\" is no place: write names with dots between them, such as data.id; in record {resource} stands for what the event is about",
				line + ".secret: a secret is never written here: put it alone into a file and write file:/path/of/it, or env:NAME for an environment variable",
				line + ".signature: \"strype\" is not one of bearer, cal, github, hubspot_v3, slack, standard, stripe, svix, token, yourang, yourang_body; did you mean \"stripe\"?",
			},
		},
		{
			name: "a subscription with mistakes in each key",
			edit: hooked(`listen: "127.0.0.1:8081", subscribe: { events: [usual, contact.created, " x"], rotate: 1h, check: 10ms, overlapp: 1d }`),
			want: []string{
				line + ".public_url: missing: the address at which the system shall call us, such as https://hotel.example.com/hooks/platform",
				line + ".subscribe.check: must be 1s or more: each look costs a request",
				line + ".subscribe.events: usual stands for all that the preset names, and alone",
				line + ".subscribe.events: \" x\" is no name of an event",
				line + ".subscribe.overlapp: unknown key; did you mean \"overlap\"?",
				line + ".subscribe.rotate: must be longer than overlap (24h0m0s): each secret counts that long beside the next",
			},
		},
		{
			name: "a subscription to nothing", edit: hooked(`listen: "127.0.0.1:8081", public_url: "https://h.example.com/", subscribe: {}`),
			want: []string{line + ".subscribe.events: missing: what the system shall tell, in its own words, or usual for what its preset names"},
		},
		{
			name: "a subscription to a database",
			edit: pms(`listen: "127.0.0.1:8081", signature: github, kinds: { guest: guests }, public_url: "https://h.example.com/", subscribe: { events: [guest.created] }`),
			want: []string{"config.yaml:8: systems.pms.webhooks.subscribe: only a system with an API can be told where to call: delete it"},
		},
		{
			name: "a secret of webhooks that is written out", edit: hooked(`listen: "127.0.0.1:8081", secret: hunter2`),
			want: []string{line + ".secret: a secret is never written here: put it alone into a file and write file:/path/of/it, or env:NAME for an environment variable"},
		},
		{
			name: "a scheme that proves nothing",
			edit: hooked(`listen: "127.0.0.1:8081", secret: env:HOOK, signature: { header: X-Sig, signed: "{time}" }`),
			want: []string{line + ".signature: what is signed must hold {body}, or anybody could change it: got \"{time}\""},
		},
		{
			name: "a key of a scheme that is misspelt",
			edit: hooked(`listen: "127.0.0.1:8081", secret: env:HOOK, signature: { heder: X-Sig, signed: "{body}" }`),
			want: []string{line + ".signature.heder: unknown key; did you mean \"header\"?"},
		},
		{
			name: "an address that is signed and that nobody knows",
			edit: hooked(`listen: "127.0.0.1:8081", secret: env:HOOK, signature: hubspot_v3`),
			want: []string{line + ".public_url: missing: the system signs the address that it calls"},
		},
		{
			name: "a kind that no job names",
			edit: hooked(`listen: "127.0.0.1:8081", secret: env:HOOK, kinds: { guest: contact }`),
			want: []string{line + ".kinds.guest: \"contact\" is no kind of platform that a job names; did you mean \"contacts\"?"},
		},
		{
			name: "a public address with a password in it",
			edit: hooked(`listen: "127.0.0.1:8081", secret: env:HOOK, public_url: "https://np:hunter2@hotel.example.com/hooks"`),
			want: []string{line + ".public_url: has a user or password in it: what proves who calls is the signature"},
		},
		{
			name: "the address of the health", edit: append(hooked(`listen: "127.0.0.1:8390", secret: env:HOOK`), "jobs:", "listen: \"127.0.0.1:8390\"\njobs:"),
			want: []string{line + ".listen: the health and the numbers are answered at this address (listen): give one of them another port"},
		},
		{
			name: "two systems at one path",
			edit: append(hooked(`listen: "127.0.0.1:8081", secret: env:HOOK, public_url: "https://hotel.example.com/hooks"`),
				pms(`listen: "127.0.0.1:8081", secret: env:HOOK, signature: github, kinds: { guest: guests }, public_url: "https://hotel.example.com/hooks"`)[:2]...),
			want: []string{"config.yaml:8: systems.pms.webhooks.public_url: its path, /hooks, is where platform calls: give each a path or an address of its own"},
		},
		{
			name: "a database that says too little", edit: pms(`listen: "127.0.0.1:8081", secret: env:HOOK`),
			want: []string{
				"config.yaml:8: systems.pms.webhooks.kinds: missing: which table an event is about, such as { guest: guests }",
				"config.yaml:8: systems.pms.webhooks.signature: missing: how it signs, one of bearer, cal, github, hubspot_v3, slack, standard, stripe, svix, token, yourang, yourang_body, or a block with the keys of a scheme",
			},
		},
	}
}
