package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
)

// status says of each system that sends webhooks when it did so last.
func TestHooksOf(t *testing.T) {
	s, err := state.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	cfg := &config.Config{Systems: []config.System{{Name: "mute"}}}
	for _, c := range []record.Called{
		{System: "well", Came: noon, Refused: noon.Add(-time.Hour)},
		{System: "forged", Came: noon, Refused: noon.Add(time.Hour)},
		{System: "never", Refused: noon},
		{System: "new"},
	} {
		if err := s.NoteCalled(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		cfg.Systems = append(cfg.Systems, config.System{Name: string(c.System), Webhooks: &config.Webhooks{}})
	}
	got, err := hooksOf(t.Context(), cfg, s)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, h := range got {
		lines = append(lines, h.String())
	}
	want := []string{
		"webhooks of well: the last came at " + moment(noon),
		"webhooks of forged: the last came at " + moment(noon) + "; one was refused at " + moment(noon.Add(time.Hour)) + ", the log says why",
		"webhooks of never: none came yet; one was refused at " + moment(noon) + ", the log says why",
		"webhooks of new: none came yet",
	}
	if text := strings.Join(lines, "\n"); text != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", text, strings.Join(want, "\n"))
	}
}
