package serve

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"nightporter/connectors"
	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/schedule"
)

// Prometheus puts labels of its own on all that it scrapes, and renames ours of that name.
func TestOutside18NoLabelOfPrometheus(t *testing.T) {
	n := newNumbers()
	descs := make(chan *prometheus.Desc, 100)
	for _, c := range []prometheus.Collector{n.runs, n.changes, n.seconds, n.alerts, collector{}} {
		c.Describe(descs)
	}
	close(descs)
	for d := range descs {
		_, labels, _ := strings.Cut(d.String(), "variableLabels: {")
		for name := range strings.SplitSeq(strings.TrimRight(labels, "}"), ",") {
			if name == "job" || name == "instance" {
				t.Errorf("%s has the label %s", d, name)
			}
		}
	}
}

// Who never made a backup that is configured is told so as who made one long ago.
func TestOutside18NoFirstBackupShows(t *testing.T) {
	for name, tt := range map[string]struct {
		backup *config.Backup
		want   int
	}{"configured": {&config.Backup{}, 1}, "not configured": {nil, 0}} {
		c := collector{&Daemon{seen: newNumbers(), house: &house{App: &app.App{Config: &config.Config{Backup: tt.backup}}}}}
		var got []float64
		c.backup(func(d *prometheus.Desc, v float64, _ ...string) {
			if d == descBackup {
				got = append(got, v)
			}
		})
		if len(got) != tt.want || tt.want == 1 && got[0] != 0 {
			t.Errorf("%s: got %v, want %d, of 1970", name, got, tt.want)
		}
	}
}

// A line about a system that is away, and one about it answering again, name it.
func TestOutside18AwayNamesTheSystem(t *testing.T) {
	s, err := state.OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, nil))
	d := &Daemon{log: log, store: s, troubles: newTroubles(log)}
	due := schedule.Due{Binding: "guests", What: schedule.Left}
	away := &connectors.Error{Class: connectors.Transient, Host: "api.example.com", Err: errors.New("no answer")}
	for range breakAfter {
		d.failed(context.Background(), due, away)
	}
	line := ""
	for l := range strings.Lines(out.String()) {
		if strings.Contains(l, "a system is away") {
			line = l
		}
	}
	if !strings.Contains(line, `"system":"api.example.com"`) {
		t.Errorf("the line names no system: %q", line)
	}
}
