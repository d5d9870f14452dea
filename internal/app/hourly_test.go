package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
)

const hourlyConfig = `
time_zone: Europe/Rome
state: state.db
systems:
  platform:
    preset: platform
    base_url: https://api.example.com
    key: env:KEY
    limits: { LIMITS }
    booking_reserve: 10%
    PLATFORM
  pms:
    type: sqlite
    PMS
    address: pms.db
    tables: { guests: { table: guests, key: id }, more: { table: more, key: id } }
jobs:
  guests:
    kind: contact
    between: { platform: contacts, pms: guests }
    match: [phone]
    create: { platform: always, pms: always }
    fields:
      phone: { platform: phone_number, pms: phone, conflict: hold }
    when: { WHEN }
`

// What cadences cost is runs times pages: those that the last whole scan took, or
// those that were counted just now, or one and said to be so.
func TestCostAnHour(t *testing.T) {
	counted := []Looked{{Job: "guests", System: "platform", Kind: "contacts", Lists: 7}}
	tests := map[string]struct {
		limits, when string
		scans        []int // pages of the whole scans in the state file; below zero: not complete
		looked       []Looked
		want         string // average, fullest hour, known
		found        string // "" for nothing
		quiet        [2]string
	}{
		"every 2m":               {"per_hour: 2000", "platform: every 2m, pms: every 1m", []int{51}, nil, "1530 1530 true", "", [2]string{}},
		"and whole every night":  {"per_hour: 2000", `platform: every 2m, full: "30 3 * * *"`, []int{51}, nil, "1532 1581 true", "", [2]string{}},
		"the newest counts":      {"per_hour: 2000", "platform: every 1h", []int{51, 4}, nil, "4 4 true", "", [2]string{}},
		"the newest whole one":   {"per_hour: 2000", "platform: every 1h", []int{51, -4}, nil, "51 51 true", "", [2]string{}},
		"nothing known":          {"per_hour: 2000", "platform: every 1m", nil, nil, "60 60 false", "", [2]string{}},
		"looked at just now":     {"per_hour: 2000", "platform: every 1m", nil, counted, "420 420 true", "", [2]string{}},
		"the state knows better": {"per_hour: 2000", "platform: every 1m", []int{9}, counted, "540 540 true", "", [2]string{}},
		"no API":                 {"per_hour: 2000", "pms: every 1m", []int{51}, nil, "none", "", [2]string{}},
		"above an hour's": {
			"per_hour: 1000", "platform: every 2m",
			[]int{51},
			nil, "1530 1530 true",
			"the cadences take 1530 requests an hour, and of 1000 an hour only 900 are not kept for bookings: runs will last longer than their cadence. Write a longer one at jobs.guests.when.platform (every 2m takes 1530 an hour), or a larger limit, if the system allows more",
			[2]string{},
		},
		"just within a minute's": {"per_minute: 10", "platform: every 2m", []int{18}, nil, "540 540 true", "", [2]string{}},
		"above a minute's":       {"per_minute: 10", "platform: every 2m", []int{19}, nil, "570 570 true", "of 10 a minute only 540", [2]string{}},
		"above a day's":          {"per_day: 1000", `full: "every 1h"`, []int{51}, nil, "51 51 true", "take 1224 requests a day, and of 1000 a day only 900 are not kept for bookings: runs will last longer than their cadence. Write a longer one at jobs.guests.when.full", [2]string{}},
		"above without a count":  {"per_hour: 10", "platform: every 1m", nil, nil, "60 60 false", "take at least 60 requests an hour", [2]string{}},
		"quiet for six hours":    {"per_hour: 2000", "platform: every 2m", []int{51}, nil, "1148 1530 true", "", [2]string{`quiet: "00:00-06:00"`, ""}},
		"of both systems":        {"per_hour: 2000", "platform: every 2m", []int{51}, nil, "765 1530 true", "", [2]string{`quiet: "00:00-06:00"`, `quiet: "06:00-12:00"`}},
		"put off to one moment":  {"per_hour: 2000", `platform: every 6h, full: "30 3 * * *"`, []int{51}, nil, "11 102 true", "", [2]string{`quiet: "00:00-04:00"`, ""}},
		"a day's, of quiet ones": {"per_day: 1000", `full: "every 1h"`, []int{51}, nil, "32 51 true", "", [2]string{`quiet: "00:00-09:00"`, ""}},
		"a peak is no average":   {"per_hour: 1000", "platform: every 2m", []int{51}, nil, "446 1530 true", "(every 2m takes 1530 an hour)", [2]string{`quiet: "00:00-17:00"`, ""}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "nightporter.yaml")
			text := strings.NewReplacer("LIMITS", tt.limits, "WHEN", tt.when, "PLATFORM", tt.quiet[0], "PMS", tt.quiet[1]).Replace(hourlyConfig)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			cfg, err := config.Load(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if tt.scans != nil {
				scanned(t, cfg.State, tt.scans)
			}
			all, found := CostAnHour(t.Context(), cfg, "", tt.looked, time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC))
			got := "none"
			if len(all) == 1 {
				got = fmt.Sprintf("%.0f %d %t", all[0].AnHour, all[0].Most, all[0].Known)
			}
			if got != tt.want {
				t.Errorf("got %s, want %s: %+v", got, tt.want, all)
			}
			said := ""
			for _, f := range found {
				if said += f.Text; f.Wrong || f.Where != "platform" {
					t.Errorf("got %+v, want a warning about platform", f)
				}
			}
			if tt.found == "" && said != "" || !strings.Contains(said, tt.found) {
				t.Errorf("said %q, want %q", said, tt.found)
			}
			if _, err := os.Stat(cfg.State); tt.scans == nil && err == nil {
				t.Error("there is a state file now")
			}
		})
	}
}

// scanned makes a state file in which the platform's side was scanned whole.
func scanned(t *testing.T, path string, pages []int) {
	t.Helper()
	ctx, now := t.Context(), time.Date(2026, 7, 1, 3, 0, 0, 0, time.UTC)
	s, err := state.Open(ctx, path, state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Lock(ctx, "a test", now); err != nil {
		t.Fatal(err)
	}
	err = s.Register(ctx, "guests", [2]record.System{"platform", "pms"}, [2]record.Kind{"contacts", "guests"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Begin(ctx, "guests", false, now)
	if err != nil {
		t.Fatal(err)
	}
	place := record.Place{Binding: "guests", Side: record.Left}
	for i, n := range pages {
		now := now.Add(time.Duration(i) * time.Hour)
		scan, err := s.BeginScan(ctx, l, place, record.ScanSpec{Full: true}, now, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.SeePage(ctx, l, place, record.PageSeen{Scan: scan.ID, Pages: max(n, -n), Total: -1, At: now}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.EndScan(ctx, l, scan.ID, record.Certificate{Ended: now, Complete: n > 0}); err != nil {
			t.Fatal(err)
		}
	}
}
