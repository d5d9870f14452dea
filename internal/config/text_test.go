package config

import (
	"strings"
	"testing"
)

// TestTextHasNoSecret: what is kept of a configuration has no remarks, in which an old
// key may stand, and nothing that a preset's part may keep secret.
func TestTextHasNoSecret(t *testing.T) {
	text := "# old key: sk-remark-1\n" + strings.Replace(houseWithGuards, "  a: { type",
		"  web: { preset: platform, base_url: 'https://example.com', key: 'file:web.key', override: { auth: { header: X-Key, token: sk-override-2 }, headers: { Authorization: [Bearer sk-list-3] } } } # sk-remark-4\n  a: { type", 1) +
		"{ cancels: 7 }\n"
	c, err := Parse("config.yaml", []byte(text), []string{"NIGHTPORTER__guards__cancels=3", "HOME=/home/sk-home-5"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(c.Text, "sk-") {
		t.Errorf("a secret is in what is kept:\n%s", c.Text)
	}
	for _, want := range []string{"file:web.key", "X-Key", "cancels: 7", "# from the environment: NIGHTPORTER__guards__cancels", `cancels: "3"`, "(not kept)"} {
		if !strings.Contains(c.Text, want) {
			t.Errorf("%q is not in what is kept:\n%s", want, c.Text)
		}
	}
	again, err := Parse("config.yaml", []byte(strings.ReplaceAll(text, " # sk-remark-4", "")), []string{"NIGHTPORTER__guards__cancels=3"})
	if err != nil || again.Text != c.Text {
		t.Errorf("another remark is another configuration (%v):\n%s", err, again.Text)
	}
}
