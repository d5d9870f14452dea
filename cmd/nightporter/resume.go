package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"nightporter/sync/record"
)

func (c *cli) resume() *cobra.Command {
	return &cobra.Command{
		Use: "resume [JOB|SYSTEM]", Short: "End every pause, or that of a job or a system", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.runResume(cmd.Context(), args) },
	}
}

func (c *cli) runResume(ctx context.Context, args []string) (err error) {
	cfg, s, err := c.decide(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var scope record.PauseScope // empty: all of them
	name := ""
	if len(args) > 0 {
		if scope, name, err = scopeOf(cfg, args); err != nil {
			return err
		}
	}
	ended, err := s.Resume(ctx, scope, name)
	if err != nil {
		return err
	}
	if c.json {
		out := make([]pauseJSON, len(ended))
		for i, p := range ended {
			out[i] = pauseJSONOf(p)
		}
		return c.printJSON(out)
	}
	if len(ended) == 0 {
		c.say("nothing was paused")
	}
	for _, p := range ended {
		switch p.Scope {
		case record.PauseAll:
			c.say("writes go on")
		case record.PauseJob:
			c.say("writes of job %s go on", p.Name)
		case record.PauseSystem:
			c.say("writes to %s go on", p.Name)
		}
	}
	return nil
}
