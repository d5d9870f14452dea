package app

import (
	"maps"
	"strings"
	"testing"

	"nightporter/internal/config"
	"nightporter/sync/record"
)

// Whom no value of a job goes to is said by the job, not by who asks.
func TestSealedJobs(t *testing.T) {
	text := strings.Replace(hookedText, "  quiet:\n", "  quiet:\n    keep_values: digest\n", 1) + `
events:
  desk: { url: "http://127.0.0.1:1/", fields: [phone] }
`
	cfg, err := config.Parse("nightporter.yaml", []byte(strings.NewReplacer("preset: %s", "preset: platform", "file:%s%s", "file:x", "file:%s", "file:x").Replace(text)), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Events(cfg, "abcdefgh")
	if err != nil {
		t.Fatal(err)
	}
	if want := (map[record.Binding]bool{"guests": true, "quiet": false}); !maps.Equal(p.Rules.Plain, want) {
		t.Errorf("plain: got %v, want %v", p.Rules.Plain, want)
	}
}
