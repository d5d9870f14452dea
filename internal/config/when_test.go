package config

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/schedule"
)

// Cadences are read in the house's zone, and a webhook may stand in either place.
func TestWhen(t *testing.T) {
	c := parse(t, changed(t,
		"    kind: contact", "    kind: contact\n    when: { pms: every 1m, platform: \"webhook, or every 2m\", full: \"30 3 * * *\", missed: skip }",
		"    kind: stay", "    kind: stay\n    when: { webhook: platform, full: \"03:45\" }",
		"    user: np", "    user: np\n    quiet: \"02:00-03:15\"",
		"jobs:", "backup: { to: copies, at: \"04:30\" }\nlisten: \"127.0.0.1:8390\"\njobs:",
	))
	guests, _ := c.Job("guests")
	w := guests.When
	for name, got := range map[string][2]string{
		"platform": {w.Left.String(), "webhook, or every 2m"}, "pms": {w.Right.String(), "every 1m"}, "full": {w.Full.String(), "30 3 * * *"},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: got %q, want %q", name, got[0], got[1])
		}
	}
	if diff := cmp.Diff([]string{"platform"}, w.Webhooks); diff != "" || w.Missed != schedule.Skip {
		t.Errorf("webhooks (-want +got):\n%smissed: %v", diff, w.Missed)
	}
	rome := time.Date(2026, 11, 21, 12, 0, 0, 0, c.TimeZone)
	if got, want := w.Full.Next(rome).Civil, "2026-11-22T03:30"; got != want {
		t.Errorf("next full: got %s, want %s", got, want)
	}
	stays, _ := c.Job("stays")
	if diff := cmp.Diff([]string{"platform"}, stays.When.Webhooks); diff != "" || stays.When.Left != nil || stays.When.Missed != schedule.RunOnce {
		t.Errorf("webhooks of stays (-want +got):\n%s%+v", diff, stays.When)
	}
	pms, _ := c.System("pms")
	if _, in := pms.Quiet.Until(time.Date(2026, 11, 22, 2, 30, 0, 0, c.TimeZone)); !in {
		t.Error("half past two is not in the quiet hours")
	}
	if b := c.Backup; b == nil || b.To != filepath.Join("conf", "copies") || b.At.String() != "04:30" || b.Keep != 14 {
		t.Errorf("backup: %+v", b)
	}
	if c.Listen != "127.0.0.1:8390" || c.Grace != 20*time.Second {
		t.Errorf("listen %q, grace %s", c.Listen, c.Grace)
	}
}

// A job that never compares both sides whole is worth a word.
func TestWhenWithoutFull(t *testing.T) {
	c := parse(t, changed(t, "    kind: contact", "    kind: contact\n    when: { pms: every 1m }"))
	if len(c.Warnings) != 1 || c.Warnings[0].Line != 15 {
		t.Errorf("warnings: %v", c.Warnings)
	}
}

// How large a record may be is a setting of its job.
func TestMaxRecord(t *testing.T) {
	c := parse(t, changed(t, "    kind: contact", "    kind: contact\n    max_record: 2000"))
	guests, _ := c.Job("guests")
	stays, _ := c.Job("stays")
	if guests.MaxRecord != 2000 || stays.MaxRecord != 1<<20 {
		t.Errorf("got %d and %d", guests.MaxRecord, stays.MaxRecord)
	}
}
