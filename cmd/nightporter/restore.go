package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/state"
)

func (c *cli) restore() *cobra.Command {
	force := false
	cmd := &cobra.Command{
		Use: "restore [FILE]", Short: "Put a backup in the place of the state, here or on a new machine", Args: cobra.MaximumNArgs(1),
		Long: `restore verifies a backup and makes it the state of this configuration. The secrets
that the configuration names must be there. It refuses while jobs run, and where the
state that is there knows links, unless --force is given; what was there is kept aside.
Without FILE it takes the newest backup that is whole, from the folder that the
configuration names. Where none is left, see nightporter rebuild.

A backup does not know what was created since it was made. So the next runs read both
sides whole and link what is on both; only then is anything created again. What differs
is decided as at a first meeting, and what persons answered is asked again.`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.runRestore(cmd.Context(), args, force) },
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace a state that knows links, or that can't be read")
	return cmd
}

func (c *cli) runRestore(ctx context.Context, args []string, force bool) error {
	cfg, err := c.load()
	if err != nil {
		return err
	}
	findings := app.CheckFile(cfg)
	for _, f := range findings {
		c.say("%s: %s", f.Where, f.Text)
	}
	if wrong(findings) {
		return errCheck
	}
	file, err := c.backupToRestore(ctx, cfg, args)
	if err != nil {
		return err
	}
	r, err := state.Restore(ctx, file, c.statePath(cfg), force, time.Now())
	if err != nil {
		return err
	}
	if c.json {
		out := copyJSONOf(r.Copy)
		out.Aside = r.Aside
		return c.printJSON(out)
	}
	c.say("%s restored: %s and %s", r.File, count(r.Links, "link", "links"), count(r.Entries, "record", "records"))
	if r.Aside != "" {
		c.say("what was there is kept as %s", r.Aside)
	}
	c.say("nothing is created before both sides were read whole; run `nightporter check --online`, then `nightporter plan`")
	return nil
}

// backupToRestore is the file that the user named, or the newest backup that is whole.
func (c *cli) backupToRestore(ctx context.Context, cfg *config.Config, args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	if cfg.Backup == nil {
		return "", usageError{errors.New("name the backup: the configuration has no backup section to look in")}
	}
	newest, damaged, err := state.Newest(ctx, cfg.Backup.To)
	for _, name := range damaged {
		c.say("%s is damaged and passed over", name)
	}
	if err != nil {
		return "", fmt.Errorf("%w; where no backup is left, nightporter rebuild begins a new state", err)
	}
	c.say("the newest backup that is whole is %s", newest.File)
	return newest.File, nil
}
