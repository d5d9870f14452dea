package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"nightporter/connectors/pace"
	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
	"nightporter/sync/schedule"
)

// Hourly is what the cadences of a configuration cost one API.
type Hourly struct {
	System string       `json:"system"`
	AnHour float64      `json:"calls_an_hour"`         // on average over the week from now, quiet hours and all
	Most   int          `json:"calls_in_fullest_hour"` // where the fullest hours of all lines fall together
	Known  bool         `json:"known"`                 // otherwise some line is counted as one page
	Lines  []HourlyLine `json:"lines"`
	Limits []string     `json:"limits"` // as declared, in words
}

// HourlyLine is what one cadence of one job costs one API.
type HourlyLine struct {
	Job     string  `json:"job"`
	Key     string  `json:"key"` // where it stands in the configuration
	Cadence string  `json:"cadence"`
	Runs    float64 `json:"runs_an_hour"`
	Pages   int     `json:"list_calls_a_run"`
	Known   bool    `json:"known"` // otherwise no run has counted the pages yet, and one is assumed
	Changed bool    `json:"changed_only"`
	Most    int     `json:"calls_in_fullest_hour"`
}

// AnHour is how many calls that makes in an hour, on average.
func (l HourlyLine) AnHour() float64 { return l.Runs * float64(l.Pages) }

// pagesOf is how many requests a list of a side takes, and whether that is known.
type pagesOf func(job *config.Job, side record.Side) (int, bool)

// CostAnHour is what the cadences of cfg cost each API, by what the last full runs
// in the state file counted or, where there were none, by what looked counted. It
// only reads the state file, and does without where it can't.
func CostAnHour(ctx context.Context, cfg *config.Config, stateFile string, looked []Looked, now time.Time) ([]Hourly, []Finding) {
	if stateFile == "" {
		stateFile = cfg.State
	}
	past, done := pastPages(ctx, stateFile)
	defer done()
	pages := func(j *config.Job, side record.Side) (int, bool) {
		if n, ok := past(j, side); ok {
			return n, true
		}
		for _, l := range looked {
			if js := sideOf(j, side); l.Job == j.Name && l.System == js.System && l.Kind == js.Kind && !l.More {
				return l.Lists, true
			}
		}
		return 1, false
	}
	var all []Hourly
	var found []Finding
	for _, sys := range cfg.Systems {
		if sys.REST == nil {
			continue
		}
		h := hourly(cfg, sys, pages, now)
		if len(h.Lines) == 0 {
			continue
		}
		var above []Finding
		h.Limits, above = limitsOf(sys, h)
		all, found = append(all, h), append(found, above...)
	}
	return all, found
}

func sideOf(j *config.Job, side record.Side) config.JobSide {
	if side == record.Right {
		return j.Right
	}
	return j.Left
}

// pastPages asks the state file.
func pastPages(ctx context.Context, path string) (_ pagesOf, done func()) {
	unknown := func(*config.Job, record.Side) (int, bool) { return 1, false }
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return unknown, func() {}
	}
	s, err := state.Open(ctx, path, state.Options{ReadOnly: true})
	if err != nil {
		return unknown, func() {}
	}
	return func(j *config.Job, side record.Side) (int, bool) {
		scans, err := s.Scans(ctx, record.Place{Binding: record.Binding(j.Name), Side: side}, 5)
		if err != nil {
			return 1, false
		}
		for _, scan := range scans {
			if scan.Complete && scan.Pages > 0 {
				return scan.Pages, true
			}
		}
		return 1, false
	}, func() { _ = s.Close() }
}

// hourly adds up what the jobs cost one system.
func hourly(cfg *config.Config, sys config.System, pages pagesOf, now time.Time) Hourly {
	h := Hourly{System: sys.Name, Known: true}
	since := changedOnly(sys)
	for i := range cfg.Jobs {
		j := &cfg.Jobs[i]
		for _, side := range record.Sides {
			js := sideOf(j, side)
			if js.System != sys.Name {
				continue
			}
			n, known := pages(j, side)
			own := j.When.Left
			if side == record.Right {
				own = j.When.Right
			}
			quiet := quietOf(cfg, j)
			line := func(key string, s *schedule.Spec, n int, known, changed bool) {
				if !s.Timed() {
					return
				}
				l := HourlyLine{
					Job: j.Name, Key: strings.Join([]string{"jobs", j.Name, "when", key}, "."), Cadence: s.String(),
					Pages: n, Known: known, Changed: changed,
				}
				var most int
				l.Runs, most = (&schedule.Job{Full: s, Quiet: quiet}).Often(schedule.Full, now, daysCounted)
				l.Most = most * n
				h.Lines = append(h.Lines, l)
				h.AnHour, h.Most, h.Known = h.AnHour+l.AnHour(), h.Most+l.Most, h.Known && known
			}
			if since(js.Kind) {
				line(js.System, own, 1, true, true)
			} else {
				line(js.System, own, n, known, false)
			}
			line("full", j.When.Full, n, known, false)
		}
	}
	return h
}

// changedOnly tells the kinds whose lists can be asked for what changed.
func changedOnly(sys config.System) func(kind string) bool {
	p, err := presetOf(sys.REST)
	return func(kind string) bool { return err == nil && p.Kinds[kind].List.Since.Param != "" }
}

// daysCounted is over how many days runs are counted.
const daysCounted = 7

// quietOf is the quiet hours of both systems of a job: it runs in none of them.
func quietOf(cfg *config.Config, j *config.Job) []*schedule.Quiet {
	var all []*schedule.Quiet
	for _, name := range []string{j.Left.System, j.Right.System} {
		if s, ok := cfg.System(name); ok && s.Quiet != nil {
			all = append(all, s.Quiet)
		}
	}
	return all
}

// limitsOf is the limits of a system in words, and which of them the cadences exceed.
func limitsOf(sys config.System, h Hourly) (words []string, found []Finding) {
	p, err := presetOf(sys.REST)
	if err != nil {
		return nil, nil
	}
	for _, q := range p.Rate.Manners(1, 0).Quotas {
		words = append(words, q.String())
		free := float64(q.Requests) * (1 - sys.REST.BookingReserve)
		takes, per := float64(h.Most), time.Hour
		if q.Per > time.Hour {
			takes, per = h.AnHour*q.Per.Hours(), q.Per
		}
		allowed := free * per.Hours() / q.Per.Hours()
		if takes <= allowed {
			continue
		}
		found = append(found, Finding{Where: sys.Name, Text: tooMany(q, h, takes, allowed, per)})
	}
	return words, found
}

// tooMany says that cadences exceed a limit, and which line to change.
func tooMany(q pace.Quota, h Hourly, takes, allowed float64, per time.Duration) string {
	unit, of := "an hour", func(l HourlyLine) float64 { return float64(l.Most) }
	if per > time.Hour {
		unit, of = "a day", HourlyLine.AnHour
	}
	worst := h.Lines[0]
	for _, l := range h.Lines {
		if of(l) > of(worst) {
			worst = l
		}
	}
	atLeast := ""
	if !h.Known {
		atLeast = "at least "
	}
	return fmt.Sprintf("the cadences take %s%.0f requests %s, and of %s only %.0f are not kept for bookings: runs will last longer than their cadence. "+
		"Write a longer one at %s (%s takes %.0f an hour), or a larger limit, if the system allows more",
		atLeast, takes, unit, q, allowed, worst.Key, worst.Cadence, of(worst))
}
