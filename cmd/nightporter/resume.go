package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"nightporter/sync/record"
)

func (c *cli) resume() *cobra.Command {
	var f resumeFlags
	cmd := &cobra.Command{
		Use: "resume [JOB|SYSTEM]", Short: "End every pause, or that of a job or a system, and let a stopped job continue", Args: cobra.MaximumNArgs(1),
		Long: `resume ends pauses. A job that stands still because a system shows another account, or
only a part of its records, or records older than they were, says so in status, with the
cause and the command that lets it go on. Most of these end by themselves with the next
run that finds all as it was. What only a person can know is answered here:
  --accept  it is meant to be so: the records were deleted, or the house has another name
  --again   a system was put back to an older copy, or lacks records because of that: write
            to it what the other side holds, and make again what it lacks
  --let-it-empty  the halt trial, and it alone: each update may empty its record of all that
            it is not sent. Have the description say how updates are sent (update.mode:
            rewrite) instead, wherever that is possible`,
		Example: `  nightporter resume
  nightporter resume pms
  nightporter resume guests --accept`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.accept || f.again || f.empty {
				return c.runAnswer(cmd.Context(), args, f)
			}
			return c.runResume(cmd.Context(), args)
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.accept, "accept", false, "let the job go on: what it stands before is meant to be so")
	fl.BoolVar(&f.again, "again", false, "let the job go on, and write once more what a system lost")
	fl.BoolVar(&f.empty, "let-it-empty", false, "let updates go on although each empties its record of what it is not sent")
	cmd.MarkFlagsMutuallyExclusive("accept", "again", "let-it-empty")
	return cmd
}

func (c *cli) runResume(ctx context.Context, args []string) (err error) {
	cfg, s, err := c.decideDespite(ctx)
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
	if err := c.tellEnded(ended); err != nil || scope != record.PauseJob {
		return err
	}
	open, err := s.Halts(ctx, record.Binding(name))
	if rest := unanswered(open); err == nil && len(rest) > 0 {
		return stillStands(rest, systemsOf(cfg, record.Binding(name)))
	}
	return err
}

// tellEnded says which pauses have ended.
func (c *cli) tellEnded(ended []record.Pause) error {
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
