package app

import (
	"testing"

	"nightporter/internal/config"
)

// The paths that doctor may replace are those of a built-in preset alone, and not what the
// configuration says in their stead.
func TestOutside16PathsOfOnesOwn(t *testing.T) {
	sys := &config.REST{Preset: "platform", Override: map[string]any{"kinds": map[string]any{
		"contacts": map[string]any{"path": "/club/members"}, "calls": map[string]any{"clear": "empty"},
	}}}
	p, err := presetOf(sys)
	if err != nil {
		t.Fatal(err)
	}
	own := ownPaths(sys, p)
	if !own["contacts"] || own["calls"] || own["reservations"] {
		t.Errorf("paths of one's own: %v", own)
	}
	if own := ownPaths(&config.REST{PresetFile: "crm.yaml"}, p); !own["calls"] {
		t.Errorf("paths of a file of one's own: %v", own)
	}
}
