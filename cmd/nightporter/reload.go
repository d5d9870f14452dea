package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"nightporter/internal/serve"
	"nightporter/sync/record"
)

func (c *cli) reload() *cobra.Command {
	return &cobra.Command{
		Use: "reload", Short: "Have the running service read its configuration again", Args: cobra.NoArgs,
		Long: `reload has the process that runs jobs read its configuration again, as SIGHUP does. Only
if all of it is right, and every system can be opened, does it take the place of the
one in force; otherwise everything goes on as before, and reload says why. Runs under
way end as they began. The state file, and whether a job keeps digests, change with a
restart only: reload says so.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.runReload(cmd.Context()) },
	}
}

func (c *cli) runReload(ctx context.Context) (err error) {
	cfg, s, err := c.decide(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	there, err := served(ctx, s)
	if err != nil {
		return err
	}
	if !there {
		return fmt.Errorf("no service runs jobs on the state file %s: it reads the configuration when it starts (nightporter serve)", c.statePath(cfg))
	}
	id, err := serve.Ask(ctx, s, "", serve.Wish{Reload: true}, caller(), time.Now())
	if err != nil {
		return err
	}
	r, err := c.follow(ctx, s, id, func(record.Request) string { return "the service reads its configuration" })
	if err != nil {
		return err
	}
	if r.Outcome != record.Done {
		return &askedError{text: serve.AnswerOf(r).Error}
	}
	if c.json {
		return c.printJSON(struct {
			Reloaded bool `json:"reloaded"`
		}{true})
	}
	c.say("the new configuration is in force")
	return nil
}
