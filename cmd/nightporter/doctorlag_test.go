package main

import (
	"testing"
	"time"

	"nightporter/internal/app"
	"nightporter/internal/trial"
)

// TestViewLine: what a view showed, in words; a time is never shown shorter than it was.
func TestViewLine(t *testing.T) {
	for _, c := range []struct {
		view trial.View
		want string
	}{
		{trial.View{Missed: -1}, "told nothing"},
		{trial.View{Missed: 9*time.Minute + 1}, "did not show it; the last look began after 9m0.1s"},
		{trial.View{Shown: true, Missed: -1, After: 1}, "showed it at the first look, which was done after 1ms"},
		{trial.View{Shown: true, Missed: 1730 * time.Millisecond, After: 3700 * time.Millisecond}, "showed it after 3.7s at most; after 1.8s it did not"},
		{
			trial.View{Shown: true, Missed: time.Second, After: 2 * time.Second, Lost: 2},
			"showed it after 2s at most; after 1s it did not; 2 times in between it was gone again: several servers answer, and not all know the same",
		},
	} {
		if got := viewLine(c.view); got != c.want {
			t.Errorf("%+v: %s", c.view, got)
		}
	}
}

// TestSettleLine: what the lag means for the configuration.
func TestSettleLine(t *testing.T) {
	lag := app.Lag{System: "pms", Configured: 10 * time.Minute}
	for settle, want := range map[time.Duration]string{
		0:                       "settle: not known, for not everything showed it; ask the system's people, or look for longer with --for. Configured: 10m0s",
		10 * time.Minute:        "settle: 10m0s, as configured, is enough",
		18*time.Minute + 300001: "settle: three times the slowest is 18m0.1s, and 10m0s is configured: write settle: 18m1s under systems.pms",
	} {
		lag.Settle = settle
		if got := settleLine(lag); got != want {
			t.Errorf("%s: %s", settle, got)
		}
	}
}

// TestSettingsOf: what --set takes.
func TestSettingsOf(t *testing.T) {
	set, err := settingsOf([]string{"name=A=B", "note:=\"x\"", "adults:=2", "guest.kind=y"})
	if err != nil || len(set) != 4 || set[0] != (app.Setting{Path: "name", Value: "A=B"}) || set[1] != (app.Setting{Path: "note", Value: "x"}) || set[3].Path != "guest.kind" {
		t.Errorf("got %+v, %v", set, err)
	}
	for _, s := range []string{"name", "=x", ":=1", "n:=", "n:=nothing", "n:=1 2"} {
		if set, err := settingsOf([]string{s}); err == nil {
			t.Errorf("%s: got %+v", s, set)
		}
	}
}
