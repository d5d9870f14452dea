package month

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
)

// diary is the daemon's log.
type diary struct {
	mu    sync.Mutex
	lines []line
	runs  int
	read  map[string]time.Time // job and what: when the newest run of it began that ended well
}

type line struct {
	at    time.Time
	level slog.Level
	text  string
	attrs map[string]string
}

func (l line) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", l.at.UTC().Format("01-02 15:04:05"), l.level, l.text)
	for k, v := range l.attrs {
		fmt.Fprintf(&b, " %s=%s", k, v)
	}
	return b.String()
}

func (d *diary) Enabled(context.Context, slog.Level) bool { return true }
func (d *diary) WithAttrs([]slog.Attr) slog.Handler       { return d }
func (d *diary) WithGroup(string) slog.Handler            { return d }

// Handle keeps what a person would read, and counts runs.
func (d *diary) Handle(_ context.Context, r slog.Record) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r.Message != "run ended" && r.Level < slog.LevelInfo {
		return nil
	}
	l := line{at: time.Now(), level: r.Level, text: r.Message, attrs: map[string]string{}}
	r.Attrs(func(a slog.Attr) bool {
		l.attrs[a.Key] = a.Value.String()
		return true
	})
	if l.text == "run ended" {
		d.ended(l)
	}
	if l.level >= slog.LevelInfo {
		d.lines = append(d.lines, l)
	}
	return nil
}

// ended notes a run that went well.
func (d *diary) ended(l line) {
	d.runs++
	ms, err := time.ParseDuration(l.attrs["ms"] + "ms")
	if err != nil {
		return
	}
	for _, what := range []string{"left", "right"} {
		if l.attrs["what"] == what || l.attrs["what"] == "full" {
			d.read[l.attrs["job"]+" "+what] = l.at.Add(-ms)
		}
	}
}

// knows reports whether the daemon has read both lists of a job since a moment, and
// a little later than that: a list may lag.
func (d *diary) knows(job string, since time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	since = since.Add(15 * time.Minute)
	return d.read[job+" left"].After(since) && d.read[job+" right"].After(since)
}

// last is when the daemon last said so.
func (d *diary) last(text string) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range slices.Backward(d.lines) {
		if l.text == text {
			return l.at
		}
	}
	return time.Time{}
}
