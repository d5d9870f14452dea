package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
)

func (c *cli) pause() *cobra.Command {
	until, why := "", ""
	cmd := &cobra.Command{
		Use: "pause [JOB|SYSTEM]", Short: "Stop all writes, or those of a job or to a system, also of a run under way", Args: cobra.MaximumNArgs(1),
		Long: `pause stops writes from the next one on, also those of a run that is under way. Reading
goes on. What waits is written once the pause ends: by itself at --until, or by resume.
It works while the configuration has mistakes, and names them.`,
		Example: `  nightporter pause
  nightporter pause pms --until 04:30 --why "night audit"
  nightporter pause reservations --until 2h`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.runPause(cmd.Context(), args, until, why) },
	}
	cmd.Flags().StringVar(&until, "until", "", "when it ends by itself: 04:30, 2h, 2026-12-24T18:00")
	cmd.Flags().StringVar(&why, "why", "", "what others are told")
	return cmd
}

// decide opens the state for a decision, beside whoever runs jobs on it.
func (c *cli) decide(ctx context.Context) (*config.Config, *state.Store, error) {
	cfg, err := c.load()
	if err != nil {
		return nil, nil, err
	}
	s, err := state.Open(ctx, c.statePath(cfg), state.Options{SkipCheck: true})
	if err != nil {
		return nil, nil, fmt.Errorf("open state file %s: %w", c.statePath(cfg), err)
	}
	return cfg, s, nil
}

// decideDespite is decide for what must work though the configuration has mistakes. It
// makes no state file: a mistake may have led to another place.
func (c *cli) decideDespite(ctx context.Context) (*config.Config, *state.Store, error) {
	cfg, mistakes, err := c.loadDespite()
	if err != nil {
		return nil, nil, err
	}
	if len(mistakes) == 0 {
		return c.decide(ctx)
	}
	path := c.statePath(cfg)
	if _, err := os.Stat(path); err != nil {
		return nil, nil, usageError{fmt.Errorf("the configuration has mistakes, and there is no state file at %s: name it with --state (%w)", path, err)}
	}
	s, err := state.Open(ctx, path, state.Options{SkipCheck: true})
	if err != nil {
		return nil, nil, fmt.Errorf("open state file %s: %w", path, err)
	}
	c.say("it is done in state file %s", path)
	return cfg, s, nil
}

func (c *cli) runPause(ctx context.Context, args []string, until, why string) (err error) {
	cfg, s, err := c.decideDespite(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	now := time.Now()
	p := record.Pause{Why: why, By: caller(), Since: now}
	if p.Scope, p.Name, err = scopeOf(cfg, args); err != nil {
		return err
	}
	if until != "" {
		if p.Until, err = instantOf(until, now, cfg.TimeZone); err != nil {
			return err
		}
	}
	if err := s.Pause(ctx, p); err != nil {
		return err
	}
	if c.json {
		return c.printJSON(pauseJSONOf(p))
	}
	c.say("%s", pauseText(p))
	return nil
}

// pauseJSON is a pause.
type pauseJSON struct {
	Scope record.PauseScope `json:"scope"`
	Name  string            `json:"name,omitempty"`
	Until instant           `json:"until,omitempty"`
	Why   string            `json:"why,omitempty"`
	By    string            `json:"by,omitempty"`
	Since instant           `json:"since"`
}

func pauseJSONOf(p record.Pause) pauseJSON {
	return pauseJSON{Scope: p.Scope, Name: p.Name, Until: timeJSON(p.Until), Why: p.Why, By: p.By, Since: timeJSON(p.Since)}
}

func pauseText(p record.Pause) string {
	what := map[record.PauseScope]string{
		record.PauseAll: "all writes", record.PauseJob: "writes of job " + p.Name, record.PauseSystem: "writes to " + p.Name,
	}[p.Scope]
	end := "`nightporter resume`"
	if !p.Until.IsZero() {
		end = moment(p.Until)
	}
	text := what + " are paused until " + end
	if p.Why != "" {
		text += ": " + p.Why
	}
	return text
}

// scopeOf is what the user named: a job, a system, or, without a name, all.
func scopeOf(cfg *config.Config, args []string) (record.PauseScope, string, error) {
	if len(args) == 0 {
		return record.PauseAll, "", nil
	}
	name := args[0]
	_, job := cfg.Job(name)
	_, system := cfg.System(name)
	switch {
	case job && system:
		return "", "", usageError{fmt.Errorf("%q is a job and a system: pause each job of the system, or all", name)}
	case job:
		return record.PauseJob, name, nil
	case system:
		return record.PauseSystem, name, nil
	}
	return "", "", usageError{fmt.Errorf("there is no job and no system %q", name)}
}

// instantOf reads a point in time to come: a duration, a time of day in the house's
// zone, or a date with a time.
func instantOf(text string, now time.Time, where *time.Location) (time.Time, error) {
	if d, err := time.ParseDuration(text); err == nil {
		if d <= 0 {
			return time.Time{}, usageError{fmt.Errorf("--until %s: it is over already", text)}
		}
		return now.Add(d), nil
	}
	if where == nil { // the configuration has mistakes
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return time.Time{}, usageError{fmt.Errorf("--until %q: the configuration names no time zone: write it as 2h or 2026-12-24T18:00:00+01:00", text)}
		}
		where = at.Location()
	}
	if t, err := time.ParseInLocation("15:04", text, where); err == nil {
		y, m, d := now.In(where).Date()
		at := time.Date(y, m, d, t.Hour(), t.Minute(), 0, 0, where)
		if !at.After(now) {
			at = time.Date(y, m, d+1, t.Hour(), t.Minute(), 0, 0, where)
		}
		return at, nil
	}
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02 15:04", time.RFC3339} {
		at, err := time.ParseInLocation(layout, text, where)
		switch {
		case err != nil:
		case !at.After(now):
			return time.Time{}, usageError{fmt.Errorf("--until %s: it is over already", text)}
		default:
			return at, nil
		}
	}
	return time.Time{}, usageError{fmt.Errorf("--until %q: write it as 04:30, 2h or 2026-12-24T18:00", text)}
}

// caller is who runs this command, as others are told. A job of cron has no USER in its
// environment, and is somebody's all the same.
func caller() string {
	for _, name := range []string{"SUDO_USER", "USER"} {
		if u := os.Getenv(name); u != "" {
			return u
		}
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return fmt.Sprintf("uid %d", os.Getuid())
}
