package config

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/internal/signature"
)

// telling is base with a destination.
func telling(said string) []string {
	return []string{"systems:\n", "events:\n  n8n: { " + said + " }\nsystems:\n"}
}

func TestEvents(t *testing.T) {
	standard, bearer := signature.Presets["standard"], signature.Presets["bearer"]
	for name, tt := range map[string]struct {
		said string
		want Destination
	}{
		"the least": {
			`url: "https://n8n.example.com/webhook/abc", secret: file:n8n.secret`,
			Destination{URL: "https://n8n.example.com/webhook/abc", Secrets: []string{"file:" + filepath.Join("conf", "n8n.secret")}, Signature: standard},
		},
		"all of it": {
			`url: env:SLACK, secret: [env:OLD, env:NEW], signature: bearer, about: [halt, conflict], jobs: stays, fields: [arrival, status], body: '{"text": {{json .data.text}}}'`,
			Destination{
				URL: "env:SLACK", Hidden: true, Secrets: []string{"env:OLD", "env:NEW"}, Signature: bearer, About: []string{"halt", "conflict"},
				Jobs: []string{"stays"}, Fields: []string{"arrival", "status"}, Body: `{"text": {{json .data.text}}}`,
			},
		},
		"sent as the receiver wants it": {
			`url: "https://hooks.example.com/x", body: "{}", method: PUT, headers: { X-Source: nightporter, Content-Type: application/vnd.x+json }`,
			Destination{
				URL: "https://hooks.example.com/x", Signature: standard, Body: "{}", Method: "PUT",
				Headers: map[string]string{"X-Source": "nightporter", "Content-Type": "application/vnd.x+json"},
			},
		},
		"a shape of its own, not signed": {
			`url: "https://hooks.example.com/x", body: "{}"`,
			Destination{URL: "https://hooks.example.com/x", Signature: standard, Body: "{}"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := parse(t, changed(t, telling(tt.said)...))
			tt.want.Name, tt.want.Line = "n8n", 3
			if diff := cmp.Diff([]Destination{tt.want}, c.Events); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if len(c.Warnings) > 0 {
				t.Errorf("warnings: %v", c.Warnings)
			}
			refs := 0
			for _, s := range c.Secrets() {
				if strings.HasPrefix(s.Key, "events.n8n.") {
					refs++
				}
			}
			want := len(tt.want.Secrets)
			if tt.want.Hidden {
				want++
			}
			if refs != want {
				t.Errorf("%d of %d secrets are looked at", refs, want)
			}
		})
	}
}

// The environment says where events go, as it says all else.
func TestEventsFromTheEnvironment(t *testing.T) {
	c, err := Parse("conf/nightporter.yaml", []byte(changed(t, telling(`url: "https://a.example.com/", secret: env:S`)...)),
		[]string{"NIGHTPORTER__events__n8n__url=https://b.example.com/"})
	if err != nil || c.Events[0].URL != "https://b.example.com/" {
		t.Fatalf("got %+v, %v", c, err)
	}
}

func TestEventsThatAreCareless(t *testing.T) {
	for said, want := range map[string]string{
		`url: "https://n8n.example.com/x"`:                  "config.yaml:3: events.n8n: events are not signed",
		`url: "http://n8n.example.com/x", secret: env:HOOK`: "config.yaml:3: events.n8n.url: http without s",
	} {
		c := parse(t, changed(t, telling(said)...))
		if len(c.Warnings) != 1 || !strings.Contains(strings.ReplaceAll(c.Warnings[0].String(), filepath.Join("conf", "nightporter.yaml"), "config.yaml"), want) {
			t.Errorf("%s: got %v, want %q", said, c.Warnings, want)
		}
	}
}

// badEvents are wrong edits of the part about events.
func badEvents() []edit {
	const line = "config.yaml:3: events.n8n"
	return []edit{
		{
			name: "events without an address", edit: telling(`secret: env:HOOK`),
			want: []string{line + ".url: missing: where the events go, such as https://n8n.example.com/webhook/abc"},
		},
		{
			name: "events with mistakes in each key",
			edit: telling(`url: n8n.example.com, secret: [hunter2, 7], signature: strype, about: [pusht, halt, halt], jobs: guets, fields: [phne], bdy: x`),
			want: []string{
				line + ".about: \"pusht\" is not one of pushed, reservation_taken, conflict, held, halt, failed, recovered; did you mean \"pushed\"?",
				line + ".about: \"halt\" stands there twice: delete one",
				line + ".bdy: unknown key; did you mean \"body\"?",
				line + ".fields: \"phne\" is no field of a job that is told of; did you mean \"phone\"?",
				line + ".jobs: \"guets\" is not one of guests, stays; did you mean \"guests\"?",
				line + ".secret: a secret is never written here: put it alone into a file and write file:/path/of/it, or env:NAME for an environment variable",
				line + ".signature: \"strype\" is not one of bearer, cal, github, hubspot_v3, slack, standard, stripe, svix, token, yourang, yourang_body; did you mean \"stripe\"?",
				line + ".url: must be an address such as https://n8n.example.com/webhook/abc, or file:/path of a file with it",
			},
		},
		{
			name: "a method and headers that can't be sent",
			edit: telling(`url: "https://n8n.example.com/", secret: env:HOOK, method: GET, headers: { "X Y": a, Webhook-Id: b, X-Api-Key: hunter2, X-Two: "a\nb" }`),
			want: []string{
				line + ".headers.Webhook-Id: is set by nightporter itself: delete it",
				line + ".headers.X Y: \"X Y\" is no name of a header",
				line + ".headers.X-Api-Key: a secret is never written here: put it alone into a file, name that under secret, and say signature: { header: X-Api-Key, token: true }",
				line + ".headers.X-Two: must be plain text on one line",
				line + ".method: \"GET\" is not one of POST, PUT, PATCH",
			},
		},
		{
			name: "a secret of events that is written out", edit: telling(`url: "https://n8n.example.com/", secret: hunter2`),
			want: []string{line + ".secret: a secret is never written here: put it alone into a file and write file:/path/of/it, or env:NAME for an environment variable"},
		},
		{
			name: "a password in the address of events", edit: telling(`url: "https://np:hunter2@n8n.example.com/", secret: env:HOOK`),
			want: []string{line + ".url: has a user or password in it: put the whole address into a file and write file:/path of it"},
		},
		{
			name: "events signed with nothing", edit: telling(`url: "https://n8n.example.com/", signature: github`),
			want: []string{line + ".secret: missing: the secret that is signed with, such as file:/etc/nightporter/n8n.secret"},
		},
		{
			name: "values of a field that another job has", edit: telling(`url: "https://n8n.example.com/", secret: env:HOOK, jobs: stays, fields: phone`),
			want: []string{line + ".fields: \"phone\" is no field of a job that is told of"},
		},
		{
			name: "values of which digests are kept",
			edit: append(telling(`url: "https://n8n.example.com/", secret: env:HOOK, fields: phone`), "    kind: contact", "    kind: contact\n    keep_values: digest"),
			want: []string{line + ".fields: the values of \"phone\" can't go along: job guests keeps digests of them (keep_values)"},
		},
		{
			name: "a destination with a name that separates keys", edit: []string{"systems:\n", "events: { \"a.b\": { url: \"https://n8n.example.com/\", secret: env:HOOK } }\nsystems:\n"},
			want: []string{"config.yaml:2: events.a.b: a name begins with a letter and has only letters, digits, - and single _"},
		},
		{
			name: "a destination with a name that is too long", edit: []string{"systems:\n", "events: { \"" + strings.Repeat("é", 64) + "\": { url: \"https://n8n.example.com/\", secret: env:HOOK } }\nsystems:\n"},
			want: []string{"config.yaml:2: events." + strings.Repeat("é", 64) + ": the name has 64 characters: shorten it to 63"},
		},
	}
}
