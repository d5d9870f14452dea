package main

import (
	"encoding/json"
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

// status says how a subscription of ours stands, and what lists found first.
func TestSubscriptionsInStatus(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	sys := config.System{Name: "platform", Webhooks: &config.Webhooks{Subscribe: &config.Subscribe{Rotate: 24 * time.Hour}}}
	kept := record.Subscription{ID: "we_1", Since: noon, Checked: noon, State: record.Subscribed, Secrets: []record.Signed{{By: "we_1", Secret: "hunter2"}}}
	mended := kept
	mended.Repaired, mended.Mended, mended.MendedOf = 2, noon, "it was disabled"
	for want, k := range map[string]record.Subscription{
		"subscribed to by us: not yet, serve does it":                                             {},
		"subscribed to by us as we_1, looked at " + moment(noon):                                  kept,
		"; mended 2 times, the last time at " + moment(noon) + " because it was disabled":         mended,
		"no subscription of ours: the system offers no list of them to this key (list: HTTP 404)": {State: record.NotOffered, Why: "list: HTTP 404"},
		"our subscription can't be looked after (it is down)":                                     {State: record.Unsure, Why: "it is down"},
		"as we_1, and shown otherwise than it is declared (its address is another one)":           {ID: "we_1", State: record.Differs, Why: "its address is another one"},
	} {
		s := subscriptionOf(sys, k)
		if text := s.String(); !strings.Contains(text, want) {
			t.Errorf("got %q, want %q", text, want)
		}
		b, err := json.Marshal(s)
		if err != nil || strings.Contains(string(b), "hunter2") {
			t.Errorf("%v: %s", err, b)
		}
	}
	if next := subscriptionOf(sys, kept).Next; next != timeJSON(noon.Add(24*time.Hour)) {
		t.Errorf("the next secret: %s", next)
	}
	if subscriptionOf(config.System{Webhooks: &config.Webhooks{}}, kept) != nil {
		t.Error("one is shown that is not declared")
	}
	cfg := &config.Config{Jobs: []config.Job{{Name: "stays", Left: config.JobSide{System: "platform"}, Right: config.JobSide{System: "pms"}}}}
	place := record.Place{Binding: "stays", Side: record.Left}
	all := polledOf(cfg, "platform", map[record.Place]record.PolledFirst{
		place: {Place: place, Count: 3, Since: noon, Last: noon}, {Binding: "stays", Side: record.Right}: {Count: 7},
	})
	if len(all) != 1 || all[0].String() != "stays: polled first, before any webhook told of it: 3 changes since 2026-11-20, the last at "+moment(noon) {
		t.Errorf("got %v", all)
	}
}
