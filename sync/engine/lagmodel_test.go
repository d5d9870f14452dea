package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// The model of a system that, for some cycles after our write, still shows what the
// write replaced. Every history of up to five events: edits of either side, and runs.
type lagModel struct {
	lag, settle int
	guard       bool

	left, right, baseL, baseR string
	stale                     string
	staleUntil, until, t      int
	pre                       string
	flips                     int
}

func (m *lagModel) run() {
	m.t++
	seen := m.right
	if m.stale != "" && m.t < m.staleUntil {
		seen = m.stale
	}
	if m.guard && m.t <= m.until && seen == m.pre && seen != m.baseR {
		seen = m.baseR // a late echo of what we replaced, and no edit
	}
	switch l, r := m.left != m.baseL, seen != m.baseR; {
	case l && !r:
		m.pre, m.until = m.right, m.t+m.settle
		m.stale, m.staleUntil = m.right, m.t+1+m.lag
		m.right, m.baseL, m.baseR = m.left, m.left, m.left
	case r && !l:
		m.left, m.baseL, m.baseR = seen, seen, seen
		m.flips++
	case l && r && m.left == seen:
		m.baseL, m.baseR = m.left, m.left
	}
}

// flipped plays a history of edits of the left alone and tells whether a user saw an
// edit go and come back, or go for good.
func (m lagModel) flipped(history []string) bool {
	m.left, m.right, m.baseL, m.baseR = "a", "a", "a", "a"
	m.until = -1
	edited, foreign := "", false
	for _, e := range history {
		switch e {
		case "run":
			m.run()
		case "right a", "right d":
			m.right, m.stale, foreign = e[len(e)-1:], "", true
		default:
			m.left, edited = e, e
		}
	}
	for range 12 {
		m.run()
	}
	return edited != "" && !foreign && (m.flips > 0 || m.left != edited)
}

// histories calls f with every history of up to so many of these events.
func histories(events []string, most int, f func([]string)) {
	var grow func([]string)
	grow = func(h []string) {
		if len(h) > 0 {
			f(h)
		}
		if len(h) < most {
			for _, e := range events {
				grow(append(slices.Clip(h), e))
			}
		}
	}
	grow(nil)
}

func TestLagModel(t *testing.T) {
	for _, tt := range []struct {
		lagModel
		want int
	}{
		{lagModel{}, 0},
		{lagModel{guard: true, settle: 5}, 0},
		{lagModel{lag: 1}, 356},
		{lagModel{lag: 1, guard: true, settle: 1}, 0},
		{lagModel{lag: 3}, 358},
		{lagModel{lag: 3, guard: true, settle: 1}, 358},
		{lagModel{lag: 3, guard: true, settle: 5}, 0},
	} {
		n, flips := 0, 0
		histories([]string{"b", "c", "run", "right a", "right d"}, 5, func(h []string) {
			n++
			if tt.flipped(h) {
				flips++
			}
		})
		if n != 3905 || flips != tt.want {
			t.Errorf("lag %d, guard %v, settle %d: got %d flips of %d, want %d of 3905", tt.lag, tt.guard, tt.settle, flips, n, tt.want)
		}
	}
}

// Our engine over a system that lags: no edit goes and comes back. With a settle time below
// the lag a person is asked for a while, which shows that what is late is met.
func TestLagModelOurs(t *testing.T) {
	for _, tt := range []struct {
		lag, settle time.Duration
		asks        bool
	}{
		{0, 5 * time.Second, false},
		{3 * time.Second, 20 * time.Second, false},
		{10 * time.Second, 20 * time.Second, false},
		{10 * time.Second, time.Millisecond, true},
	} {
		t.Run(fmt.Sprint(tt.lag, tt.settle), func(t *testing.T) {
			t.Parallel()
			asks := 0
			synctest.Test(t, func(t *testing.T) {
				histories([]string{"b", "c", "run"}, 3, func(h []string) {
					w := newWorld(t, setting{settle: tt.settle, kinds: [2]memory.Kind{{}, {ListLag: tt.lag, GetLag: tt.lag}}})
					defer w.close()
					w.put(record.Left, 0, map[string]string{"name": "a"})
					w.put(record.Right, 0, map[string]string{"name": "a"})
					w.rest()
					w.sys[record.Left].ResetCounts()
					edited := "a"
					for _, e := range h {
						if e == "run" {
							w.run(engine.Options{Yes: true})
							continue
						}
						w.edit(record.Left, 0, "name", e)
						edited = e
					}
					for range 5 {
						w.run(engine.Options{Yes: true})
						asks += len(w.untaken())
					}
					w.rest()
					if w.sys[record.Left].Counts().Mutations > 0 || w.value(record.Left, 0, "name") != edited {
						t.Errorf("%v: the user's edit was undone:\n%s", h, w.both())
					} else if got := w.value(record.Right, 0, "name"); got != edited {
						t.Errorf("%v: the right has %q, want %q", h, got, edited)
					}
				})
			})
			if tt.asks != (asks > 0) {
				t.Errorf("a person was asked %d times", asks)
			}
		})
	}
}
